"""Keeping a cluster's own talk, and Ctrl-C, from where they do not belong."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_dask() -> Iterator[None]:
    """Keep dask's log to itself: what matters of it comes as an error, in one line."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    loggers = [logging.getLogger(name) for name in {"distributed", *known}]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Start processes and threads that Ctrl-C does not reach: it is for us to end them.

    They inherit which signals the thread that starts them has blocked.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

"""Starting processes that Ctrl-C does not reach."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


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

"""Ctrl-C at any moment: the command ends within a second and leaves nothing half-written.

A long call into BLAS or compiled code cannot be interrupted, so the work runs in a thread and the
main thread waits for it. On a signal the main thread tidies up and ends the process, whatever the
other threads are doing.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from types import FrameType
from typing import Any, NoReturn

from linkprior.cli.console import Console
from linkprior.errors import LinkpriorError
from linkprior.io import atomic_files

_WAIT = 0.1  # seconds; where a signal does not end a wait, it is seen this much later
_SIGNALS = [n for n in signal.Signals if n.name in ("SIGINT", "SIGTERM", "SIGHUP")]


def run_interruptible(work: Callable[[], object], console: Console) -> None:
    """Do work() in a thread; a signal to end ends the process at once.

    Exceptions come through. Outside the main thread, where no signal arrives, it is a plain call.
    """
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    over, problems = threading.Event(), list[BaseException]()

    def do() -> None:
        try:
            work()
        except BaseException as problem:
            problems.append(problem)
        finally:
            over.set()

    # Signals that would end the process; one that is ignored (nohup) stays so.
    before: dict[int, Any] = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = [n for n, way in before.items() if way in (signal.SIG_DFL, signal.default_int_handler)]
    try:
        for number in ours:
            signal.signal(number, _raise)
        _start(copy_context().run, do)
        while not over.wait(_WAIT):
            pass
    except _Signalled as signalled:
        _leave(signalled.args[0], console)
    finally:
        for number in ours:
            if signal.getsignal(number) is _raise:
                signal.signal(number, before[number])
    if problems:
        raise problems[0]


def _start(run: Callable[..., object], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=run, args=arguments, name="work", daemon=True)
    thread.start()
    return thread


class _Signalled(BaseException):
    """A signal to end has come; its argument is the number."""


def _raise(number: int, _: FrameType | None) -> None:
    for other in _SIGNALS:  # a second one ends the process, whatever happens here
        signal.signal(other, signal.SIG_DFL)
    raise _Signalled(number)


def _leave(number: int, console: Console) -> NoReturn:
    """Clean up, report what is saved, and end the process; nothing may hold it up for long."""
    saved, log = console.saved, console.log  # as they are now: the work may end meanwhile
    display = console.display

    def last_message() -> None:
        whole = atomic_files.discard_unfinished(timeout=0.3)
        names = ", ".join(map(str, whole))
        left = f"{names} {'is' if len(whole) == 1 else 'are'} complete, nothing else was written"
        text = f"Interrupted: {saved() or (left if whole else 'nothing was written')}."
        if log is not None:
            with suppress(OSError, LinkpriorError):  # a full disk is no reason to stay silent
                log(text)
        console.final_message(text)

    if display is not None:  # a terminal may take no more text
        _start(display.close).join(0.3)
    if console.end is not None:
        _start(console.end[1]).join(console.end[0])
    _start(last_message).join(0.5)
    os._exit(128 + number)

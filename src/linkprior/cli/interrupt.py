"""Ctrl-C at any moment: the command ends within a second and leaves nothing half-written.

A long call into BLAS or compiled code cannot be interrupted, so the work runs in a thread and the
main thread waits for it. On a signal the main thread tidies up and ends the process, whatever the
other threads are doing.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from pathlib import Path
from types import FrameType
from typing import Any, Generic, NoReturn, TypeVar

from linkprior.cli import display
from linkprior.cli.console import final_message
from linkprior.errors import LinkpriorError
from linkprior.io import atomic_files

R = TypeVar("R")

_WAIT = 0.1  # seconds; where a signal does not end a wait, it is seen this much later
_SIGNALS = [n for n in signal.Signals if n.name in ("SIGINT", "SIGTERM", "SIGHUP")]

_describe: Callable[[], str | None] | None = None
_log: Callable[[str], None] | None = None
_end: tuple[float, Callable[[], object]] | None = None


def run_interruptible(work: Callable[[], R]) -> R:
    """Return work(), done in a thread; a signal to end ends the process at once.

    Exceptions come through. Outside the main thread, where no signal arrives, it is a plain call.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    done: _Done[R] = _Done(work)
    try:
        with _raising_on_signals():
            done.start()
            while not done.over.wait(_WAIT):
                pass
    except _Signalled as signalled:
        _leave(signalled.number)
    return done.result()


@contextmanager
def keeping(
    describe: Callable[[], str | None], log: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Let describe() say what is kept, should the body be interrupted; None: the whole files.

    What is said is handed to log() too.
    """
    global _describe, _log
    before = _describe, _log
    _describe, _log = describe, log
    try:
        yield
    finally:
        _describe, _log = before


@contextmanager
def ending(seconds: float, end: Callable[[], object]) -> Iterator[None]:
    """Have end() called, for so many seconds at most, should the body be interrupted."""
    global _end
    before, _end = _end, (seconds, end)
    try:
        yield
    finally:
        _end = before


class _Done(Generic[R]):
    """Some work in a thread, and what became of it."""

    def __init__(self, work: Callable[[], R]) -> None:
        self.work = work
        self.over = threading.Event()
        self.value: list[R] = []
        self.problem: BaseException | None = None

    def start(self) -> None:
        run = copy_context().run
        threading.Thread(target=run, args=(self._do,), name="work", daemon=True).start()

    def _do(self) -> None:
        try:
            self.value.append(self.work())
        except BaseException as problem:
            self.problem = problem
        finally:
            self.over.set()

    def result(self) -> R:
        if self.problem is not None:
            raise self.problem
        return self.value[0]


class _Signalled(BaseException):
    """A signal to end has come."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _raising_on_signals() -> Iterator[None]:
    """Raise on signals that would end the process; one that is ignored (nohup) stays so."""
    before: dict[int, Any] = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = [n for n, way in before.items() if way in (signal.SIG_DFL, signal.default_int_handler)]
    for number in ours:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        for number in ours:
            if signal.getsignal(number) is _raise:
                signal.signal(number, before[number])


def _raise(number: int, _: FrameType | None) -> None:
    for other in _SIGNALS:  # a second one ends the process, whatever happens here
        signal.signal(other, signal.SIG_DFL)
    raise _Signalled(number)


def _leave(number: int) -> NoReturn:
    """Tidy up, say what is kept, and end the process."""
    describe, log = _describe, _log  # as they are now: the work may come to its end meanwhile
    _try_for(0.3, display.clear)
    if _end is not None:
        _try_for(*_end)
    _try_for(0.5, lambda: _last_words(describe, log))
    os._exit(128 + number)


def _last_words(
    describe: Callable[[], str | None] | None, log: Callable[[str], None] | None
) -> None:
    text = f"Interrupted: {_tidy_up(describe)}."
    if log is not None:
        with suppress(OSError, LinkpriorError):  # a full disk is no reason to say nothing
            log(text)
    final_message(text)


def _tidy_up(describe: Callable[[], str | None] | None) -> str:
    whole = atomic_files.discard_unfinished(timeout=0.3)
    told = describe() if describe is not None else None
    return told or _kept(whole)


def _kept(whole: list[Path]) -> str:
    if not whole:
        return "nothing was written"
    names = ", ".join(map(str, whole))
    return f"{names} {'is' if len(whole) == 1 else 'are'} whole, nothing else was written"


def _try_for(seconds: float, action: Callable[[], object]) -> None:
    """Do something that may be held up (a terminal that takes no more text), but not for long."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join(seconds)

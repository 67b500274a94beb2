"""Which engine beyond this process is in force, and what it moved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Engine(Protocol):
    """Workers outside this process that can be sent a task and its items."""

    traffic: Traffic

    def ended(
        self, task: Callable[[Any], Any], items: list[Any], ordered: bool
    ) -> Iterator[tuple[int, Any]]:
        """Yield (number of the item, task(item)), in order of the items or as they end."""
        ...


_in_force: ContextVar[Engine | None] = ContextVar("engine", default=None)


def current_engine() -> Engine | None:
    """Return the engine that tasks may be sent to; None: all work is done here."""
    return _in_force.get()


@contextmanager
def force(engine: Engine | None) -> Iterator[None]:
    """Run the body with an engine in force."""
    token = _in_force.set(engine)
    try:
        yield
    finally:
        _in_force.reset(token)


class Traffic:
    """Bytes that went over the wire, as counted on this side.

    Attributes
    ----------
    passes
        Maps whose tasks were sent out.
    sent
        Bytes handed to the scheduler: each task once, and its items.
    copied
        Bytes of tasks that workers took, each worker once.
    received
        Bytes of results.
    """

    def __init__(self) -> None:
        self.passes = self.sent = self.copied = self.received = 0
        self._lock = threading.Lock()

    def add(self, passes: int = 0, sent: int = 0, copied: int = 0, received: int = 0) -> None:
        """Count some more; several threads may do so at once."""
        with self._lock:
            self.passes += passes
            self.sent += sent
            self.copied += copied
            self.received += received

    def __str__(self) -> str:
        passes = f"{self.passes} pass{'es' * (self.passes != 1)}"
        return f"{passes}, {_size(self.sent)} sent, {_size(self.received)} received"


def _size(n_bytes: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 1000 or unit == "GB":
            break
        n_bytes /= 1000
    return f"{n_bytes:.0f} B" if unit == "B" else f"{n_bytes:.1f} {unit}"

"""How far the work has come and how long it may still take, for whoever displays it.

Code that works says what it does (`stage`), which slices that has (`part`), and when a piece is
done (`advance`). Totals are in units of the stage's own choice; where pieces differ in cost, the
units must be costs, or the time left is wrong. Without a listener all of this does nothing.

    with progress.listen(print):
        with progress.stage("fitting", total=10) as fitting:
            with progress.part(8):          # eight of the ten units …
                with progress.stage(total=200) as steps:  # … in 200 steps of its own
                    steps.advance()
            fitting.advance(2)
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from linkprior import _config

Clock = Callable[[], float]

_MARKS_APART = 0.01  # of the time so far: as fine as the pace needs, and few
_ENOUGH = 0.01  # of the work must be done before a time left is given


@dataclass(frozen=True)
class Report:
    """The state of the work, of the outermost stage; the name is that of the innermost."""

    name: str  # of what is being done
    fraction: float | None  # that is done, 0 to 1; None where its total is not known
    elapsed: float  # seconds since the listener began to listen
    left: float | None  # seconds it may still take; None as long as it is unknown
    ended: bool = False


Listener = Callable[[Report], None]


class Stage:
    """Some work without a listener: all calls do nothing."""

    def advance(self, units: float = 1.0) -> None:
        """Count so many more units as done."""

    def end(self) -> None:
        """End the stage: what was not needed of it counts as done."""

    def __enter__(self) -> Self:
        """Make this the current stage, the one that `stage` and `part` divide."""
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


_UNWATCHED = Stage()


@contextmanager
def listen(listener: Listener, clock: Clock = time.monotonic) -> Iterator[Watch]:
    """Report all progress within the body to `listener`, from whichever thread.

    Calls never overlap. An exception from the listener stops the work. The watch that the body
    gets can be asked at any time.
    """
    watch = Watch(listener, clock)
    with _config.using(stage=_Watched(watch, None, "", None, 0.0)):
        yield watch


def stage(name: str = "", total: float | None = None) -> Stage:
    """Return a stage that covers all that is left of the part it is opened in.

    Without a name it goes by the name of the stage around it. None as total means not known.
    """
    above: _Watched | None = _config.current().stage
    if above is None:
        return _UNWATCHED
    rest = max(0.0, above.total - above.done) if above.total else 0.0
    return _Watched(above.watch, above, name, total, rest)


def part(units: float, name: str = "") -> Stage:
    """Return a slice of the current stage, worth so many of its units. Slices may run at once."""
    above: _Watched | None = _config.current().stage
    return _UNWATCHED if above is None else _Watched(above.watch, above, name, units, units)


class _Watched(Stage):
    """A stage under a listener; `worth` is what all of it counts in the stage above."""

    def __init__(
        self, watch: Watch, above: _Watched | None, name: str, total: float | None, worth: float
    ) -> None:
        self.watch, self.above, self.worth = watch, above, worth
        self.name: str = name or (above.name if above else "")
        self.total = total or None  # no units at all are as good as an unknown number
        self.done = 0.0
        self._around: _Watched | None = None
        # The lowest stage of all is the listener's own; the one above it is what it hears of.
        self.outermost: _Watched = above.outermost if above and above.above else self
        if name or (above and not above.above):
            watch.notify(self)

    @property
    def fraction(self) -> float | None:
        return min(1.0, self.done / self.total) if self.total else None

    def advance(self, units: float = 1.0) -> None:
        with self.watch.lock:
            self._add(units)
            self.watch.notify(self)

    def _add(self, units: float) -> None:
        if self.total is None:
            return
        units = max(0.0, min(units, self.total - self.done))
        self.done += units
        if self.above is not None:
            self.above._add(self.worth * units / self.total)

    def end(self) -> None:
        with self.watch.lock:
            if self.total is not None:
                self._add(self.total)  # at most what is left
            elif self.above is not None:
                self.above._add(self.worth)
            self.watch.notify(self, ended=self.outermost is self)

    def __enter__(self) -> Self:
        self._around = _config.current().stage
        _config.set_fields(stage=self)
        return self

    def __exit__(self, *_: object) -> None:
        _config.set_fields(stage=self._around)
        self.end()


class Watch:
    """One listener, and the pace of the outermost stage it hears of.

    The pace is that of the later half of the time since things began to move: the first half may
    hold what does not come again, such as compiling.
    """

    def __init__(self, listener: Listener, clock: Clock) -> None:
        self.listener, self.clock, self.lock = listener, clock, threading.RLock()
        self.began = clock()
        self.last: _Watched | None = None
        self.first: tuple[float, float] | None = None  # when things began to move, and how far
        self.marks: deque[tuple[float, float]] = deque()

    def notify(self, changed: _Watched, ended: bool = False) -> None:
        """Report the state of a stage that has just changed to the listener."""
        with self.lock:
            if self.last is None or changed.outermost is not self.last.outermost:
                self.first = None
                self.marks.clear()
            self.last = changed
            self._mark(self.clock(), changed.outermost.fraction or 0.0)
            self.listener(self._report(changed, ended))
            if ended:
                self.last = None

    def _mark(self, now: float, fraction: float) -> None:
        """Note how far things have come, where they have moved."""
        if self.first is None:
            if fraction > 0.0:
                self.first = now, fraction
                self.marks.append(self.first)
            return
        began, (when, before) = self.first[0], self.marks[-1]
        if fraction > before and now - when >= _MARKS_APART * (now - began):
            self.marks.append((now, fraction))
        while len(self.marks) > 2 and self.marks[1][0] <= (began + now) / 2.0:
            self.marks.popleft()

    def report(self) -> Report | None:
        """Return the present state of the work, None while no stage is open."""
        with self.lock:
            return None if self.last is None else self._report(self.last, ended=False)

    def _report(self, stage: _Watched, ended: bool) -> Report:
        now, fraction, left = self.clock(), stage.outermost.fraction, None
        if fraction is not None and self.first and fraction - self.first[1] >= _ENOUGH:
            when, before = self.marks[0]
            left = (1.0 - fraction) * (now - when) / (fraction - before)
        return Report(stage.name, fraction, now - self.began, left, ended)

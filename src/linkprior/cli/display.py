"""How progress is shown on stderr: a bar on a terminal, now and then a line elsewhere.

With `linkprior --progress json` a program reads along: one JSON object per line.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TextIO

from linkprior._progress import Listener, Report, Watch, listen
from linkprior.cli.console import drop, say_object, speaks_in_objects
from linkprior.errors import visible

if TYPE_CHECKING:
    from rich.live import Live

_TICK = 0.1  # seconds between two looks at what there is to show
_PATIENCE = 0.4  # what is done by then needs no display
_LINES_APART = 5.0
_OBJECTS_APART = 0.25
_BAR_WIDTH = 20

_shown: _Display | None = None


@contextmanager
def progress(quiet: bool, stream: TextIO | None = None) -> Iterator[Listener | None]:
    """Show the progress of the body on `stream` (None: stderr), or nothing when quiet.

    What the library logs meanwhile is silenced too when quiet, warnings aside.
    """
    log = logging.getLogger("linkprior")
    level = log.level
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    try:
        if quiet:
            yield None
            return
        display = _display(sys.stderr if stream is None else stream)
        with listen(display.hear) as display.watch, display:
            yield display.hear
    finally:
        log.setLevel(level)


def clear() -> None:
    """Take the display away now, from whichever thread: the process is about to end."""
    if _shown is not None:
        _shown.close()


def _display(stream: TextIO) -> _Display:
    if speaks_in_objects():
        return _Objects(stream)
    able = stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
    return _Bar(stream) if able else _Lines(stream)


def words(report: Report) -> str:
    """Return how far the work is and how long it took and may take: 35 %, 0:31 gone, …"""
    parts = [] if report.fraction is None else [f"{int(100 * report.fraction)} %"]
    parts.append(f"{clock(report.elapsed)} gone")
    if report.left:
        parts.append(f"about {clock(max(1.0, report.left))} left")
    return ", ".join(parts)


def clock(seconds: float) -> str:
    """Return seconds as 0:07, 12:34 or 1:02:03."""
    minutes, rest = divmod(round(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class _Display:
    """Looks every now and then whether there is something to show."""

    watch: Watch

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._run, name="progress", daemon=True)

    def hear(self, report: Report) -> None:
        """Take note of a change."""

    def show(self, report: Report) -> None:
        """Show how far the work is, if it is time to."""

    def close(self) -> None:
        """Leave nothing behind."""
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(_TICK):
            report = self.watch.report()
            try:
                if report is not None and report.elapsed >= _PATIENCE:
                    self.show(report)
            except (OSError, ValueError):  # nobody reads, or it is closed: no reason to stop work
                drop(self.stream)
                return

    def __enter__(self) -> Self:
        global _shown
        _shown = self
        self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        global _shown
        _shown = None
        self.close()
        self._ticker.join()


class _Lines(_Display):
    """Plain lines, for a log: the first soon, the others far between."""

    _due = 0.0

    def show(self, report: Report) -> None:
        """Write a line when the last one is old enough."""
        if report.elapsed >= self._due:
            self._due = report.elapsed + _LINES_APART
            self.stream.write(f"{visible(report.name)}: {words(report)}\n")
            self.stream.flush()


class _Objects(_Display):
    """One object per line: {"progress": {"name", "fraction", "elapsed", "left"}}, unknowns null."""

    _due = 0.0

    def show(self, report: Report) -> None:
        """Write an object when the last one is old enough."""
        if report.elapsed < self._due:
            return
        self._due = report.elapsed + _OBJECTS_APART
        names = ("name", "fraction", "elapsed", "left")
        say_object(self.stream, progress={name: _digits(getattr(report, name)) for name in names})


def _digits(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value


class _Bar(_Display):
    """One line on a terminal that is painted over; messages appear above it.

    It is there only while a stage is open, so that results can be printed between stages.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._live: Live | None = None
        self._lock = threading.Lock()
        self._wanted = False

    def hear(self, report: Report) -> None:
        """Take the bar away with the stage it stands for."""
        if report.ended:
            self._stop()
        else:
            self._wanted = True

    def show(self, report: Report) -> None:
        """Paint the line anew, unless its stage has ended since."""
        with self._lock:
            if not self._wanted or self._over.is_set():
                return
            if self._live is None:
                self._live = self._start()
            self._live.update(_line(report), refresh=True)

    def close(self) -> None:
        """Leave nothing behind."""
        super().close()
        self._stop()

    def _start(self) -> Live:
        from rich.console import Console
        from rich.live import Live

        live = Live(
            console=Console(file=self.stream, soft_wrap=True),  # messages stay as they are
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,  # results are none of our business
        )
        live.start()
        return live

    def _stop(self) -> None:
        with self._lock:
            self._wanted = False
            if self._live is not None:
                self._live.stop()
                self._live = None


def _line(report: Report) -> Any:
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    unknown = report.fraction is None
    bar = ProgressBar(1.0, report.fraction or 0.0, width=_BAR_WIDTH, pulse=unknown)
    line = Table.grid(padding=(0, 1))
    line.add_row(Text(visible(report.name)), bar, Text(words(report)))
    return line

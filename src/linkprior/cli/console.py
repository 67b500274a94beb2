"""The console of one command: messages and progress on stderr, and what an interruption leaves.

Progress is a bar on a terminal and now and then a line elsewhere. With `linkprior --progress json`
messages and progress are one JSON object per line, for a program.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

import click

from linkprior._progress import Report, Watch, listen
from linkprior.errors import visible
from linkprior.pipeline.outputs import writing_to

if TYPE_CHECKING:
    from rich.progress import Progress

_TICK = 0.1  # seconds between two looks at what there is to show
_PATIENCE = 0.4  # what is done by then needs no display
_APART = {"lines": 5.0, "json": 0.25, "bar": 0.0}  # seconds between two reports
_BAR_WIDTH = 20

Notify = Callable[[str], None]


@dataclass(eq=False)
class Console:
    """The messages and progress of one command; click's context holds it."""

    json: bool = False
    quiet: bool = False
    display: Display | None = None
    saved: Callable[[], str | None] = lambda: None  # what an interruption leaves; None: whole files
    log: Notify | None = None  # takes the last message of an interruption too
    end: tuple[float, Callable[[], object]] | None = None  # called then, for so many seconds
    lock: threading.Lock = field(default_factory=threading.Lock)  # of stderr
    _over: bool = False  # whether the final message has been printed

    def echo(self, text: str) -> None:
        """Print a message on stderr; that nobody reads it is not a reason to stop."""
        with self.lock:
            if not self._over:
                self._print(text)

    def notify(self, text: str) -> None:
        """Print a message unless the command is to be quiet."""
        if not self.quiet:
            self.echo(text)

    def final_message(self, text: str) -> None:
        """Print a message after which none is printed any more, whatever other threads do."""
        held = self.lock.acquire(timeout=0.2)  # a terminal that is stuck may hold up a thread
        self._over = True
        self._print(text)
        if held:
            self.lock.release()

    def _print(self, text: str) -> None:
        try:
            # Not by click, which finds its way past what replaces stderr (the progress bar). A path
            # may hold bytes that are not text, and what a file holds may be made to steer the
            # terminal: no message needs either.
            plain = visible(text, keep="\n")
            line = json.dumps({"say": plain}) if self.json else plain
            print(line, file=sys.stderr, flush=True)
        except OSError:
            drop(sys.stderr)

    @contextmanager
    def progress(self, stream: TextIO | None = None) -> Iterator[None]:
        """Show the progress of the body on `stream` (None: stderr); when quiet, warnings alone."""
        log = logging.getLogger("linkprior")
        level = log.level
        log.setLevel(logging.WARNING if self.quiet else logging.INFO)
        try:
            if self.quiet:
                yield
                return
            self.display = display = Display(self, sys.stderr if stream is None else stream)
            with listen(display.update_progress) as watch:
                display.watch = watch
                display.ticker.start()
                try:
                    yield
                finally:
                    self.display = None
                    display.close()
                    display.ticker.join()
        finally:
            log.setLevel(level)

    @contextmanager
    def on_interruption(self, **fields: Any) -> Iterator[None]:
        """Have other `saved`, `log` or `end` while the body runs."""
        before = {name: getattr(self, name) for name in fields}
        vars(self).update(fields)
        try:
            yield
        finally:
            vars(self).update(before)


def current_console() -> Console:
    """Return the console of the command that is running in this thread."""
    return click.get_current_context().ensure_object(Console)


def echo_table(rows: Sequence[Sequence[str]], right: Sequence[str]) -> None:
    """Print rows below their headings; columns of the headings named are right-aligned."""
    columns = []
    for column in zip(*rows, strict=True):
        pad = str.rjust if column[0] in right else str.ljust
        columns.append([pad(cell, max(map(len, column))) for cell in column])
    for row in zip(*columns, strict=True):
        click.echo("  ".join(row).rstrip())


class LogHandler(logging.Handler):
    """Prints what the library logs like any other message, above the progress."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console

    def emit(self, record: logging.LogRecord) -> None:
        self.console.echo(self.format(record))


class NamedOutput:
    """Standard output whose errors name it, whoever prints."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with writing_to("standard output"):
            return self._stream.write(text)

    def flush(self) -> None:
        with writing_to("standard output"):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def drop(stream: TextIO) -> None:
    """Throw away what a stream holds and is given yet: Python would complain of it at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# ---------------------------------------------------------------------- progress


def progress_text(report: Report) -> str:
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


class Display:
    """Shows how far the work is: by lines, or by a bar that is there while a stage is open."""

    def __init__(self, console: Console, stream: TextIO) -> None:
        self.console, self.stream = console, stream
        able = stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
        self.kind = "json" if console.json else "bar" if able else "lines"
        self.watch: Watch | None = None
        self.ticker = threading.Thread(target=self._run, name="progress", daemon=True)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._bar: Progress | None = None
        self._open = False  # whether a stage is
        self._due = 0.0

    def update_progress(self, report: Report) -> None:
        """Take the bar away with the stage it stands for."""
        self._open = not report.ended
        if report.ended:
            self._remove_bar()

    def close(self) -> None:
        """Leave nothing behind, from whichever thread."""
        self._over.set()
        self._remove_bar()

    def _run(self) -> None:
        while not self._over.wait(_TICK):
            report = self.watch.report() if self.watch else None
            try:
                if report is not None and report.elapsed >= _PATIENCE:
                    self.show(report)
            except (OSError, ValueError):  # nobody reads, or it is closed: no reason to stop work
                drop(self.stream)
                return

    def show(self, report: Report) -> None:
        """Show how far the work is, when the last report is old enough."""
        if report.elapsed < self._due:
            return
        self._due = report.elapsed + _APART[self.kind]
        if self.kind == "bar":
            self._paint(report)
        elif self.kind == "json":
            names = ("name", "fraction", "elapsed", "left")
            values = {name: getattr(report, name) for name in names}
            facts = {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
            with self.console.lock:  # a line of its own, whoever else writes
                self.stream.write(json.dumps({"progress": facts}) + "\n")
                self.stream.flush()
        else:
            self.stream.write(f"{visible(report.name)}: {progress_text(report)}\n")
            self.stream.flush()

    def _paint(self, report: Report) -> None:
        """Redraw the bar, unless its stage has ended since."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        with self._lock:
            if not self._open or self._over.is_set():
                return
            if self._bar is None:
                self._bar = Progress(
                    TextColumn("{task.description}", markup=False),
                    BarColumn(_BAR_WIDTH),
                    TextColumn("{task.fields[text]}", markup=False),
                    console=Console(file=self.stream, soft_wrap=True),  # messages stay as they are
                    auto_refresh=False,
                    transient=True,
                    redirect_stdout=False,  # results are printed elsewhere
                )
                self._bar.add_task("", text="")
                self._bar.start()
            self._bar.update(
                self._bar.task_ids[0],
                description=visible(report.name),
                total=None if report.fraction is None else 1.0,
                completed=report.fraction or 0.0,
                text=progress_text(report),
            )
            self._bar.refresh()

    def _remove_bar(self) -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

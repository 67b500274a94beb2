"""One job: a prediction in a process and a folder of its own."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkprior.io.atomic_files import whole_file
from linkprior.serve.job_request import JobRequest
from linkprior.serve.networks import Network, ending
from linkprior.serve.process import Child
from linkprior.serve.results import FILES, PAGE

_SHOWN_LINES = 8
JOB, MESSAGES = "job.json", FILES["log"][0]
OVER = ("done", "failed", "stopped")


@dataclass(eq=False)
class Job:
    """A prediction that waits, runs, or is over.

    Attributes
    ----------
    state
        waiting, running, done, failed or stopped.
    progress
        What the command last told: name, fraction, elapsed, left.
    """

    id: str
    folder: Path
    title: str
    words: str
    command: list[str]
    state: str = "waiting"
    network: Network | None = None
    order: JobRequest | None = None
    progress: dict[str, Any] | None = None
    error: str | None = None
    seconds: float | None = None
    said: tuple[str, ...] = ()
    _asked_to_stop: threading.Event = field(default_factory=threading.Event)
    _child: Child | None = None

    @classmethod
    def ordered(cls, id: str, folder: Path, network: Network, order: JobRequest) -> Job:
        """Return a new job, with a folder of its own."""
        folder.mkdir(mode=0o700)
        dashed = network.name.startswith("-")  # it would be taken for an option
        command = ["linkprior", "predict", "./" * dashed + network.name, *order.options()]
        job = cls(id, folder, network.name, order.words, command, network=network, order=order)
        try:
            job._keep()
        except OSError:
            job.remove()
            raise
        return job

    def run(self, changed: Callable[[], None]) -> None:
        """Run it to its end, whatever that is; changed() is called whenever there is news."""
        began = time.monotonic()
        child = self._child = Child(["linkprior.serve.job_main"], self.folder)
        if self._asked_to_stop.is_set():  # meanwhile
            child.stop()
        try:
            with (self.folder / MESSAGES).open("a", encoding="utf-8", errors="replace") as log:
                for line in child.lines():
                    self._hear(line, log.write)
                    changed()
        except BaseException:  # the disk is full, say: nobody would read what it says
            child.stop()
            raise
        finally:
            status = child.wait()
        self.seconds = round(time.monotonic() - began, 1)
        self._end(status)
        changed()

    def _hear(self, line: str, keep: Callable[[str], Any]) -> None:
        """Take a line of the command: how far it is, or something to read."""
        assert self.network is not None
        told = _object(line)
        if isinstance(told.get("progress"), dict):
            name = self.network.named(str(told["progress"].get("name")))
            self.progress = {**told["progress"], "name": name}
            return
        text = self.network.named(str(told.get("say", line)))
        keep(text + "\n")
        self.said = (*self.said, *text.splitlines())[-_SHOWN_LINES:]  # whole at any moment

    def _end(self, status: int) -> None:
        if status == 0:
            self.state = "done"
        elif self._asked_to_stop.is_set():
            self.state = "stopped"
        else:
            self.state = "failed"
            last = self.said[-1] if self.said else ""
            words = last.removeprefix("linkprior: ")
            self.error = words if status in (1, 2) and words else ending(status, words)
        self.progress = None
        self._keep_if_possible()

    def call_off(self) -> None:
        """Never begin it, where it waits; end it as soon as it begins, where it is about to."""
        self._asked_to_stop.set()
        if self.state == "waiting":
            self.state = "stopped"
            self._keep_if_possible()

    def stop(self) -> None:
        """End its process as Ctrl-C would; returns when it has ended."""
        if self.state == "running" and self._child is not None:
            self._child.stop()

    def remove(self) -> None:
        """Remove all that is kept of it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def file(self, name: str) -> Path | None:
        """Return one of its files by its fixed name, None where there is none (yet)."""
        path = self.folder / name
        return path if path.is_file() else None

    def facts(self, ahead: int) -> dict[str, Any]:
        """Return what a page is told; `ahead` jobs come before it."""
        names = ("id", "title", "words", "command", "state", "progress", "error", "seconds")
        there = [kind for kind, (name, _) in FILES.items() if self.file(name) is not None]
        return {
            **{name: getattr(self, name) for name in names},
            "said": list(self.said),
            "ahead": ahead,
            "page": self.state == "done" and self.file(PAGE) is not None,
            "files": [kind for kind in there if kind == "log" or self.state == "done"],
        }

    def _keep_if_possible(self) -> None:
        """A full disk, or a folder somebody removed, keeps no job from coming to its end."""
        with suppress(OSError):
            self._keep()

    def _keep(self) -> None:
        """Write what is known of it into its folder; the process reads its arguments there."""
        facts: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("title", "words", "command", "state", "error", "seconds")
        }
        if self.network is not None and self.order is not None:
            asked = ["--progress=json", "predict", *self.order.options(), "-o", "run/"]
            facts |= {
                "name": self.network.name,
                "arguments": [*asked, "--", str(self.network.path)],
            }
        with whole_file(self.folder / JOB) as stream:
            json.dump(facts, stream, indent=1)


def _object(line: str) -> dict[str, Any]:
    """Return the JSON object in a line, nothing where there is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

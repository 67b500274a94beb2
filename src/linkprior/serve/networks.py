"""Networks that were opened: where they lie, what they are called, what was read."""

from __future__ import annotations

import json
import re
import shutil
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from linkprior.serve.process import Child, trouble

_PACKED = (".gz", ".bz2", ".xz", ".zip")
_TELLING = (".cx2", ".cx", ".json", ".graph", ".metis", ".sif")  # endings a reader goes by
_LONGEST_NAME = 120


def shown_name(given: str) -> str:
    """Return the name of an upload as it is shown: its last part, short, on one line."""
    last = re.split(r"[/\\]", given)[-1]
    name = "".join(c if c.isprintable() else "\ufffd" for c in last).strip()
    return name[-_LONGEST_NAME:] or "network"


def stored_name(given: str) -> str:
    """Return what an upload is called on the disk: nothing of its name but a known ending."""
    endings = [suffix.lower() for suffix in PurePosixPath(shown_name(given)).suffixes[-2:]]
    packed = endings.pop() if endings and endings[-1] in _PACKED else ""
    kind = endings[-1] if endings and endings[-1] in _TELLING else ".txt"
    return f"upload{kind}{packed}"


@dataclass(eq=False)
class Network:
    """A network file, and the report on it as soon as it has been read.

    Attributes
    ----------
    state
        reading, ready or refused.
    folder
        What is removed with it; a file that was named on the command line is none of it.
    """

    id: str
    name: str
    path: Path
    folder: Path
    size: int
    state: str = "reading"
    report: dict[str, Any] | None = None
    error: str | None = None
    child: Child | None = None

    def named(self, text: str) -> str:
        """Return a message with the name a user knows, not where the file lies here."""
        places = "|".join(re.escape(place) for place in (str(self.path), self.path.name))
        return re.sub(places, lambda _: self.name, text)

    def read(self, changed: Callable[[], None]) -> None:
        """Have a process read the file, take its report, and call changed()."""
        try:
            found = self._report()
        except OSError as problem:  # no process, or no room on the disk
            found = {"error": f"{self.name}: {trouble(problem)}"}
        if "error" in found:
            self.state, self.error = "refused", self.named(found["error"])
        else:
            found["lines"] = [self.named(line) for line in found["lines"]]
            self.report, self.state = found, "ready"
        changed()

    def _report(self) -> dict[str, Any]:
        target = self.folder / "report.json"
        child = self.child = Child(
            ["linkprior.serve.inspect_input", str(self.path), str(target)], self.folder
        )
        last = next(iter(deque(child.lines(), maxlen=1)), "")
        status = child.wait()
        if not target.is_file():
            return {"error": f"{self.name}: reading it ended early ({ending(status, last)})"}
        return dict(json.loads(target.read_text(encoding="utf-8")))

    def facts(self) -> dict[str, Any]:
        """Return what a page is told."""
        names = ("id", "name", "size", "state", "report", "error")
        return {name: getattr(self, name) for name in names}

    def remove(self) -> None:
        """Remove what was kept of it."""
        if self.child is not None:
            self.child.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def ending(status: int, last: str = "") -> str:
    """Return how a process came to its end, in words."""
    if status == -9:
        return "the system ended it: memory may have run out"
    if status < 0:
        return f"ended by signal {-status}"
    return last[:300] or f"exit status {status}"

"""Where commands are disturbed: fresh folders, and what an undisturbed run leaves in them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from torture.compare import Files, differences, files_in, leftovers, torn, vouched
from torture.jobs import JOBS, Job, copied, make_inputs
from torture.nursery import End, Nursery


@dataclass
class SideInformation:
    """What one command does when nobody disturbs it."""

    job: Job
    template: Path
    before: Files
    after: Files
    calls: list[list[str]]  # kind and path of each call of the file system
    units: int  # fits or cells
    seconds: float


@dataclass
class Ground:
    """A nursery, a folder for its children, and the commands that were run undisturbed so far."""

    nursery: Nursery
    base: Path
    known: dict[str, SideInformation] = field(default_factory=dict)

    def of(self, name: str) -> SideInformation:
        """Return what a command does undisturbed; two runs must leave the same."""
        if name not in self.known:
            self.known[name] = self._watch(JOBS[name])
        return self.known[name]

    def fresh(self, known: SideInformation) -> Path:
        """Return a folder in which the command has not been given yet."""
        return copied(known.template, self.base / "place")

    def _watch(self, job: Job) -> SideInformation:
        template = copied(self.base / "inputs", self.base / job.name.replace(" ", "-"))
        if job.before is not None:
            end = self.nursery.run(job.before, template)
            assert end.status == 0, end
        found, seconds = [], []
        for _ in range(2):
            place = copied(template, self.base / "place")
            child = self.nursery.start(job.argv, place)
            end = child.wait()
            assert end.status == 0, (job.name, end)
            found.append(files_in(place))
            seconds.append(end.seconds)
        different = differences(*found)
        assert not different, f"{job.name}: two undisturbed runs differ in {different}"
        units = [call for call in child.calls() if call[0] == "unit"]
        calls = [call for call in child.calls() if call[0] != "unit"]
        before = files_in(template)
        return SideInformation(job, template, before, found[0], calls, len(units), min(seconds))


@contextmanager
def ground(place: Path | None = None) -> Iterator[Ground]:
    """Give a ground in a temporary folder, removed in the end."""
    base = Path(tempfile.mkdtemp(prefix="torture-", dir=place))
    try:
        make_inputs(base / "inputs")
        with Nursery(base / "side") as nursery:
            yield Ground(nursery, base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def broken(known: SideInformation, place: Path) -> list[str]:
    """Say what is wrong in a folder right after a disturbance."""
    files = files_in(place)
    wrong = [f"torn: {name}" for name in torn(files, known.before, known.after)]
    if not vouched(files, known.before, known.after):
        wrong.append("says it is complete and is not")
    return wrong


def unsettled(known: SideInformation, place: Path, end: End) -> list[str]:
    """Say what is wrong after the same command was given again and not disturbed."""
    if end.hung:
        return ["the next run hangs"]
    if end.status:
        return [f"the next run ends with {end.status}: {end.err.strip()[-200:]}"]
    files = files_in(place)
    left = leftovers(files)
    wrong = [f"left over: {name}" for name in left]
    others = [name for name in differences(files, known.after) if name not in left]
    return wrong + [f"differs: {name}" for name in others]

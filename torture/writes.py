"""The n-th open, write, fsync, rename or mkdir fails, for every n of a run."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from typing import Any

from torture.faults import ERRORS
from torture.ground import Ground, SideInformation, broken, unsettled
from torture.nursery import End

FAILED = ("predict file", "predict over a file", "predict run", "predict over a run")
FAILED += ("predict report", "predict save", "predict save over", "tune", "evaluate")
FAILED += ("benchmark", "reproduce", "report")
_NOTE = re.compile(r".*(was|were) expected; results will differ from the published ones")


@dataclass
class Tally:
    """What came of the failures of one command."""

    failures: int = 0
    survived: int = 0
    harmless: int = 0  # the call was not needed: all went through
    kinds: dict[str, int] = field(default_factory=dict)
    defects: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Return the tally for JSON."""
        return dict(vars(self))


def failures(known: SideInformation) -> list[tuple[int, bool]]:
    """Return every call that may fail, once alone and once with all later ones of its kind."""
    calls = [at for at, call in enumerate(known.calls, start=1) if call[0] in ERRORS]
    return [(at, lasting) for at in calls for lasting in (False, True)]


def fail_at(ground: Ground, known: SideInformation, tally: Tally, at: int, lasting: bool) -> None:
    """Let one call fail, look at what is left, run to the end, compare."""
    place, (kind, path) = ground.fresh(known), known.calls[at - 1]
    child = ground.nursery.start(known.job.argv, place, at=at, do="fail", lasting=lasting)
    end = child.wait()
    through = not unsettled(known, place, end)
    wrong = [] if through else _unclear(end, kind, path) + broken(known, place)
    tally.harmless += through
    again = ground.nursery.run(known.job.argv, place)
    wrong += unsettled(known, place, again)
    tally.failures += 1
    tally.kinds[kind] = tally.kinds.get(kind, 0) + 1
    tally.survived += not wrong
    label = f"{known.job.name}, {kind} {at} of {path} fails{' and all after it' * lasting}"
    tally.defects += [f"{label}: {what}" for what in wrong]
    child.trace.unlink(missing_ok=True)
    shutil.rmtree(place)


def _unclear(end: End, kind: str, path: str) -> list[str]:
    """Say what is wrong with how a command ended that could not write."""
    lines = [line for line in end.err.splitlines() if not _NOTE.fullmatch(line)]
    if end.hung:
        return ["hangs"]
    if end.status != 1:
        return [f"exit status {end.status}: {end.err[-300:]}"]
    if len(lines) != 1 or not lines[0].startswith("linkprior: "):
        return [f"not one line: {end.err[-300:]}"]
    wrong = []
    if os.strerror(ERRORS[kind]) not in lines[0]:
        wrong.append(f"no reason: {lines[0]}")
    names = [part.strip(".").split(".*")[0] for part in path.split("/") if part != "."]
    if not any(name in lines[0] for name in names or ["place"]) or ".part" in lines[0]:
        wrong.append(f"no name: {lines[0]}")
    return wrong

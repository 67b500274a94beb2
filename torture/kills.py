"""SIGKILL at any moment: the same command again ends as if nothing had happened."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torture.ground import Ground, SideInformation, broken, unsettled

KILLED = ("predict run", "predict over a run", "predict save over", "tune")
KILLED += ("evaluate", "benchmark", "reproduce")
SLOW = "tune in processes"  # starts processes of its own, so it is killed less often
_SOON = 20.0  # seconds for processes to see that the one that started them is gone


@dataclass
class Tally:
    """What came of the kills of one command."""

    kills: int = 0
    resumed: int = 0  # and ended byte-identical to an undisturbed run
    units: int = 0  # fits, settings or cells of the command
    most_lost: int = 0  # units that one kill made it do twice
    defects: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Return the tally for JSON."""
        return dict(vars(self))


def counted_kills(known: SideInformation) -> list[tuple[int, str]]:
    """Return every call of a command and whether it is killed right before or right after it."""
    return [
        (at, do) for at in range(1, len(known.calls) + 1) for do in ("kill before", "kill after")
    ]


def kill_at(ground: Ground, known: SideInformation, tally: Tally, at: int, do: str) -> None:
    """Kill a command right before or after its n-th call of the file system."""
    _one(ground, known, tally, f"{do} {at} {known.calls[at - 1]}", at=at, do=do)


def kill_after(ground: Ground, known: SideInformation, tally: Tally, chance: random.Random) -> None:
    """Kill a command at a moment drawn over its undisturbed time."""
    moment = chance.uniform(0.0, known.seconds)
    _one(ground, known, tally, f"after {moment:.3f} s", after=moment)


def _one(ground: Ground, known: SideInformation, tally: Tally, label: str, **plan: Any) -> None:
    """Kill once, look at what is left, run to the end, compare."""
    place, moment = ground.fresh(known), plan.pop("after", None)
    child = ground.nursery.start(known.job.argv, place, **plan)
    if moment is not None:
        time.sleep(moment)
        child.kill()
    first = child.wait()
    if first.status != -9:
        return  # it came to its end before
    tally.kills += 1
    wrong = broken(known, place)
    wrong += [f"process {one} outlived it" for one in outliving(child.pid)]
    again = ground.nursery.start(known.job.argv, place, trace=str(child.trace))
    end = again.wait()
    wrong += unsettled(known, place, end)
    lost = sum(call[0] == "unit" for call in again.calls()) - known.units
    if lost > known.job.workers:
        wrong.append(f"{lost} units of work done twice")
    tally.units = known.units
    tally.most_lost = max(tally.most_lost, lost)
    tally.resumed += not wrong
    tally.defects += [f"{known.job.name}, {label}: {what}" for what in wrong]
    child.trace.unlink(missing_ok=True)
    shutil.rmtree(place)


def outliving(session: int) -> list[int]:
    """Return the processes of a killed one that are still there after a while, and end them."""
    ends = time.monotonic() + _SOON
    while (left := _members(session)) and time.monotonic() < ends:
        time.sleep(0.05)
    for one in left:
        os.kill(one, 9)
    return left


def _members(session: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                words = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                if int(words[3]) == session and words[0] not in "ZX":
                    found.append(int(entry.name))
    return found

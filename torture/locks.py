"""Two at once: one works, the other leaves with a clear line; a lock ends with its process."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torture.compare import differences, files_in, leftovers
from torture.ground import Ground
from torture.nursery import Child

SHARED = ("predict run", "tune", "evaluate", "benchmark", "reproduce")
BUSY = "another process is at work on this"
_ENOUGH = 60.0  # seconds for one process to do all its cycles, many times what it takes
_LEAVING = 0x4  # PF_EXITING among the flags of a Linux process


@dataclass
class Tally:
    """What came of pairs of processes, and of cycles of a lock."""

    pairs: int = 0
    left: int = 0  # times the second one left with a clear line
    shared: int = 0  # times it came when the first had just finished, and found the same
    taken_over: int = 0  # folders of a process that was killed, taken up at once
    cycles: int = 0
    refused: int = 0  # times a lock was held by another process
    killed: int = 0  # processes killed while they held the lock
    defects: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Return the tally for JSON."""
        return dict(vars(self))


def two_at_once(ground: Ground, name: str, tally: Tally, delay: float) -> None:
    """Give a command twice, the second `delay` seconds after the first."""
    known = ground.of(name)
    place = ground.fresh(known)
    first = ground.nursery.start(known.job.argv, place)
    time.sleep(delay)
    second = ground.nursery.start(known.job.argv, place)
    ends = [first.wait(), second.wait()]
    tally.pairs += 1
    statuses = sorted(end.status for end in ends)
    wrong = differences(files_in(place), known.after)
    if statuses == [0, 0]:
        tally.shared += 1
    elif statuses == [0, 1] and BUSY in next(end.err for end in ends if end.status):
        tally.left += 1
    else:
        wrong.append(f"ended with {[(end.status, end.err[-200:]) for end in ends]}")
    tally.defects += [f"two at once, {name}, {delay:.3f} s: {what}" for what in wrong]


def taken_over(ground: Ground, name: str, tally: Tally, at: int) -> None:
    """Kill a command while it holds its folder; the next one must not be held up."""
    known = ground.of(name)
    place = ground.fresh(known)
    child = ground.nursery.start(known.job.argv, place, at=at, do="kill after")
    child.wait()
    end = ground.nursery.run(known.job.argv, place)
    files = files_in(place)
    fine = end.status == 0 and not differences(files, known.after) and not leftovers(files)
    tally.taken_over += fine
    if not fine:
        tally.defects.append(f"lock of a killed {name}: {end.status} {end.err[-200:]}")


def cycle(ground: Ground, tally: Tally, cycles: int, processes: int, seed: int) -> None:
    """Let processes take and leave one lock until all did so `cycles` times together.

    One of them is killed now and then while it holds it. Inside, each writes a file of its own and
    looks for those of others: there must be none.
    """
    folder = ground.base / "cycles"
    folder.mkdir(exist_ok=True)
    chance, each = random.Random(seed), -(-cycles // processes)
    crowd = [_cycling(ground, folder, each, chance.randrange(10**6)) for _ in range(processes)]
    doomed = _cycling(ground, folder, 10**6, chance.randrange(10**6))
    time.sleep(0.3)
    doomed.kill()
    doomed.wait()
    tally.killed += 1
    for child in crowd:
        end = child.wait(_ENOUGH)
        if end.status or end.hung:
            tally.defects.append(f"cycles of a lock: {end.status} {end.err[-300:]}")
            continue
        done, refused = map(int, end.out.split())
        tally.cycles += done
        tally.refused += refused


def _cycling(ground: Ground, folder: Path, each: int, seed: int) -> Child:
    argv = [str(folder), str(each), str(seed)]
    return ground.nursery.start(argv, ground.base, call="torture.locks:take_turns")


def take_turns(folder: str, cycles: str, seed: str) -> int:
    """Take and leave the lock of a folder so often; print how often, and how often it was held."""
    from linkprior.errors import StoreError
    from linkprior.io.atomic_files import hold

    place, chance, refused = Path(folder), random.Random(int(seed)), 0
    own = place / f"inside-{os.getpid()}"
    for _ in range(int(cycles)):
        while True:
            try:
                with hold(place, "test"):
                    _alone(place, own, chance)
                break
            except StoreError:
                refused += 1
                time.sleep(chance.uniform(0.0, 0.002))
    print(cycles, refused)
    return 0


def _alone(place: Path, own: Path, chance: random.Random) -> None:
    """Fail if somebody else is inside; what a killed process left is told by its number."""
    for other in place.iterdir():
        if not _gone(other.name):
            raise AssertionError(f"{other.name} is inside too")
        other.unlink(missing_ok=True)
    own.write_text("here")
    time.sleep(chance.uniform(0.0, 0.0005))
    own.unlink()


def _gone(name: str) -> bool:
    """Tell whether a process was killed: it has ended, waits to be noticed, or is just leaving.

    One that leaves has given up its locks a moment before it counts as ended.
    """
    try:
        status = Path(f"/proc/{name.partition('-')[2]}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return True
    fields = status.rpartition(")")[2].split()
    return fields[0] in ("Z", "X") or bool(int(fields[6]) & _LEAVING)

"""Kills, failing writes, memory limits, two at once: nothing is lost, the next run is as ever."""

from __future__ import annotations

import contextlib
import os
import random
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from torture.faults import ERRORS
from torture.fork_server import Child, End
from torture.sandbox import Sandbox, Undisturbed, broken, differences, files_in, unsettled


class Tally(Counter[str]):
    """How often what came of disturbances, and the defects."""

    def __init__(self, *names: str) -> None:
        super().__init__(dict.fromkeys(names, 0))
        self.defects: list[str] = []

    def facts(self) -> dict[str, Any]:
        return {**self, "defects": self.defects}


# ---------------------------------------------------------------------- kills

KILLED = ("predict run", "predict over a run", "predict save over", "tune")
KILLED += ("evaluate", "benchmark", "reproduce")
SLOW = "tune in processes"  # starts processes of its own, so it is killed less often
# `resumed`: ended byte-identical to an undisturbed run; `units`: fits, settings or cells of the
# command; `most_lost`: units that one kill made it do twice.
KILLS = ("kills", "resumed", "units", "most_lost")
_SOON = 20.0  # seconds for processes to see that the one that started them is gone


def counted_kills(known: Undisturbed) -> list[tuple[int, str]]:
    """Return every call of a command and whether it is killed right before or right after it."""
    numbers = range(1, len(known.calls) + 1)
    return [(at, do) for at in numbers for do in ("kill before", "kill after")]


def kill_at(sandbox: Sandbox, known: Undisturbed, tally: Tally, at: int, do: str) -> None:
    """Kill a command right before or after its n-th call of the file system."""
    _one(sandbox, known, tally, f"{do} {at} {known.calls[at - 1]}", at=at, do=do)


def kill_after(sandbox: Sandbox, known: Undisturbed, tally: Tally, chance: random.Random) -> None:
    """Kill a command at a moment drawn over its undisturbed time."""
    moment = chance.uniform(0.0, known.seconds)
    _one(sandbox, known, tally, f"after {moment:.3f} s", after=moment)


def _one(sandbox: Sandbox, known: Undisturbed, tally: Tally, label: str, **plan: Any) -> None:
    """Kill once, look at what is left, run to the end, compare."""
    place, moment = sandbox.fresh(known), plan.pop("after", None)
    child = sandbox.server.start(known.job.argv, place, **plan)
    if moment is not None:
        time.sleep(moment)
        child.kill()
    first = child.wait()
    if first.status != -9:
        return  # it came to its end before
    tally["kills"] += 1
    wrong = broken(known, place)
    wrong += [f"process {one} outlived it" for one in outliving(child.pid)]
    again = sandbox.server.start(known.job.argv, place, trace=str(child.trace))
    end = again.wait()
    wrong += unsettled(known, place, end)
    lost = sum(call[0] == "unit" for call in again.calls()) - known.units
    if lost > known.job.workers:
        wrong.append(f"{lost} units of work done twice")
    tally["units"] = known.units
    tally["most_lost"] = max(tally["most_lost"], lost)
    tally["resumed"] += not wrong
    tally.defects += [f"{known.job.name}, {label}: {what}" for what in wrong]
    child.trace.unlink(missing_ok=True)


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


# ---------------------------------------------------------------------- writes

FAILED = ("predict file", "predict over a file", "predict run", "predict over a run")
FAILED += ("predict report", "predict save", "predict save over", "tune", "evaluate")
FAILED += ("benchmark", "reproduce", "report")
WRITES = ("failures", "survived", "harmless")  # harmless: the call was not needed
_NOTE = re.compile(r".*(was|were) expected; results will differ from the published ones")


def failures(known: Undisturbed) -> list[tuple[int, bool]]:
    """Return every call that may fail, once alone and once with all later ones of its kind."""
    calls = [at for at, call in enumerate(known.calls, start=1) if call[0] in ERRORS]
    return [(at, lasting) for at in calls for lasting in (False, True)]


def fail_at(sandbox: Sandbox, known: Undisturbed, tally: Tally, at: int, lasting: bool) -> None:
    """Let one call fail, look at what is left, run to the end, compare."""
    place, (kind, path) = sandbox.fresh(known), known.calls[at - 1]
    child = sandbox.server.start(known.job.argv, place, at=at, do="fail", lasting=lasting)
    end = child.wait()
    through = not unsettled(known, place, end)
    wrong = [] if through else _unclear(end, kind, path) + broken(known, place)
    tally["harmless"] += through
    wrong += unsettled(known, place, sandbox.server.run(known.job.argv, place))
    tally["failures"] += 1
    tally["survived"] += not wrong
    label = f"{known.job.name}, {kind} {at} of {path} fails{' and all after it' * lasting}"
    tally.defects += [f"{label}: {what}" for what in wrong]
    child.trace.unlink(missing_ok=True)


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


# ---------------------------------------------------------------------- memory

LIMITED = ("predict run", "evaluate", "tune")
# `blas`: times OpenBLAS ended the process itself, with a line of its own and status 1.
LIMITS = ("limits", "hit", "blas")
_BLAS = "OpenBLAS error: Memory allocation still failed"
STEPS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 48, 64, 96)  # MB more than at start


def limit(sandbox: Sandbox, name: str, megabytes: float, tally: Tally) -> None:
    """Run a command with so much address space beyond what it has at its start."""
    known = sandbox.of(name)
    place = sandbox.fresh(known)
    end = sandbox.server.run(known.job.argv, place, memory=int(megabytes * 2**20))
    tally["limits"] += 1
    wrong = broken(known, place)
    if end.status or end.hung:
        tally["hit"] += 1
        lines = end.err.splitlines()
        tally["blas"] += any(_BLAS in line for line in lines)
        ours = len(lines) == 1 and lines[0].startswith(("linkprior: ", _BLAS))
        if end.hung or end.status != 1 or not ours:
            wrong.append(f"status {end.status}, not one line: {end.err[-400:]}")
    wrong += unsettled(known, place, sandbox.server.run(known.job.argv, place))
    tally.defects += [f"{name} with {megabytes} MB: {what}" for what in wrong]


# ---------------------------------------------------------------------- locks

SHARED = ("predict run", "tune", "evaluate", "benchmark", "reproduce")
# `left`: times the second of a pair left with a clear line; `shared`: it came when the first had
# just finished, and found the same; `refused`: times a lock was held by another process.
LOCKS = ("pairs", "left", "shared", "taken_over", "cycles", "refused")
BUSY = "another process is at work on this"
_ENOUGH = 60.0  # seconds for one process to do all its cycles, many times what it takes
_LEAVING = 0x4  # PF_EXITING among the flags of a Linux process


def two_at_once(sandbox: Sandbox, name: str, tally: Tally, delay: float) -> None:
    """Give a command twice, the second `delay` seconds after the first."""
    known = sandbox.of(name)
    place = sandbox.fresh(known)
    first = sandbox.server.start(known.job.argv, place)
    time.sleep(delay)
    second = sandbox.server.start(known.job.argv, place)
    ends = [first.wait(), second.wait()]
    tally["pairs"] += 1
    statuses = sorted(end.status for end in ends)
    wrong = differences(files_in(place), known.after)
    if statuses == [0, 0]:
        tally["shared"] += 1
    elif statuses == [0, 1] and BUSY in next(end.err for end in ends if end.status):
        tally["left"] += 1
    else:
        wrong.append(f"ended with {[(end.status, end.err[-200:]) for end in ends]}")
    tally.defects += [f"two at once, {name}, {delay:.3f} s: {what}" for what in wrong]


def taken_over(sandbox: Sandbox, name: str, tally: Tally, at: int) -> None:
    """Kill a command while it holds its folder; the next one must not be held up."""
    known = sandbox.of(name)
    place = sandbox.fresh(known)
    child = sandbox.server.start(known.job.argv, place, at=at, do="kill after")
    child.wait()
    wrong = unsettled(known, place, sandbox.server.run(known.job.argv, place))
    tally["taken_over"] += not wrong
    tally.defects += [f"lock of a killed {name}: {what}" for what in wrong]


def cycle(sandbox: Sandbox, tally: Tally, cycles: int, processes: int, seed: int) -> None:
    """Let processes take and leave one lock until all did so `cycles` times together.

    One of them is killed now and then while it holds it. Inside, each writes a file of its own and
    looks for those of others: there must be none.
    """
    folder = sandbox.base / "cycles"
    folder.mkdir(exist_ok=True)
    chance, call = random.Random(seed), "torture.disturbances:take_turns"

    def cycling(each: int) -> Child:
        argv = [str(folder), str(each), str(chance.randrange(10**6))]
        return sandbox.server.start(argv, sandbox.base, call=call)

    crowd = [cycling(-(-cycles // processes)) for _ in range(processes)]
    doomed = cycling(10**6)
    time.sleep(0.3)
    doomed.kill()
    doomed.wait()
    for child in crowd:
        end = child.wait(_ENOUGH)
        if end.status or end.hung:
            tally.defects.append(f"cycles of a lock: {end.status} {end.err[-300:]}")
            continue
        done, refused = map(int, end.out.split())
        tally["cycles"] += done
        tally["refused"] += refused


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

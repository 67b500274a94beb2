"""Kills, failing writes, memory limits, two at once: nothing is lost, the next run is as ever."""

from __future__ import annotations

import contextlib
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torture.faults import ERRORS
from torture.fork_server import Child, End
from torture.sandbox import Sandbox, Undisturbed, broken, differences, files_in, unsettled, until

Facts = dict[str, Any]


class Tally(Counter[str]):
    """How often what came of disturbances, and the defects."""

    def __init__(self, *names: str) -> None:
        super().__init__(dict.fromkeys(names, 0))
        self.defects: list[str] = []

    def facts(self) -> Facts:
        return {**self, "defects": self.defects}


# ---------------------------------------------------------------------- kills

SLOW = "tune in processes"  # starts processes of its own, so it is killed less often
_SOON = 20.0  # seconds for processes to see that the one that started them is gone


def kill(
    sandbox: Sandbox, known: Undisturbed, tally: Tally, at: int | None = None, do: str = "",
    after: float = 0.0,
) -> None:  # fmt: skip
    """Kill a command at its n-th file-system call, or after some seconds; run to the end, compare.

    `do` says whether that is right before ("kill before") or right after the call ("kill after").
    """
    place = sandbox.fresh(known)
    child = sandbox.server.start(known.job.argv, place, at=at, do=do)
    if at is None:
        time.sleep(after)
        child.process.kill()
    if child.wait().status != -9:
        return  # it came to its end before
    wrong = broken(known, place)
    wrong += [f"process {one} outlived it" for one in outliving(child.process.pid)]
    again = sandbox.server.start(known.job.argv, place, trace=str(child.trace))
    wrong += unsettled(known, place, again.wait())
    lost = sum(call[0] == "unit" for call in again.calls()) - known.units
    if lost > known.job.workers:
        wrong.append(f"{lost} units of work done twice")
    child.trace.unlink(missing_ok=True)
    tally["kills"] += 1
    tally["units"] = known.units
    tally["most_lost"] = max(tally["most_lost"], lost)
    tally["resumed"] += not wrong
    label = f"after {after:.3f} s" if at is None else f"{do} {at} {known.calls[at - 1]}"
    tally.defects += [f"{known.job.name}, {label}: {what}" for what in wrong]


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

_NOTE = re.compile(r".*(was|were) expected; results will differ from the published ones")


def fail(sandbox: Sandbox, known: Undisturbed, tally: Tally, at: int, lasting: bool) -> None:
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

_BLAS = "OpenBLAS error: Memory allocation still failed"
STEPS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 48, 64, 96)  # MB more than at start


def limit(sandbox: Sandbox, known: Undisturbed, tally: Tally, megabytes: float) -> None:
    """Run a command with so much address space beyond what it has at its start."""
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
    tally.defects += [f"{known.job.name} with {megabytes} MB: {what}" for what in wrong]


# ---------------------------------------------------------------------- the table of these


@dataclass(frozen=True)
class Scenario:
    """One way to disturb commands: at what points of each, and what is counted.

    The first counts are summed up over all commands, too.
    """

    disturb: Callable[..., None]  # with sandbox, command, tally and a point
    points: Callable[[Undisturbed], Iterable[tuple[Any, ...]]]
    counts: tuple[str, ...]
    summed: int

    def tally(self) -> Tally:
        return Tally(*self.counts)

    def facts(
        self, sandbox: Sandbox, rng: random.Random, end: float, commands: list[str],
        tallies: dict[str, Tally] | None = None,
    ) -> Facts:  # fmt: skip
        """Disturb at every point while there is time, in an order drawn; return the figures."""
        points = [(name, *at) for name in commands for at in self.points(sandbox.of(name))]
        rng.shuffle(points)
        tallies, done = tallies or {name: self.tally() for name in commands}, 0
        for name, *point in until(end, points):
            self.disturb(sandbox, sandbox.of(name), tallies[name], *point)
            done += 1
        by_command = {name: tally.facts() for name, tally in tallies.items()}
        return {
            **{
                key: sum(one[key] for one in tallies.values()) for key in self.counts[: self.summed]
            },
            "commands": by_command,
            "defects": [line for facts in by_command.values() for line in facts.pop("defects")],
            **{"points_tried": done, "points": len(points)},
        }


def _calls_twice(
    known: Undisturbed, ways: tuple[Any, ...], kinds: Iterable[str] | None = None
) -> list[tuple[Any, ...]]:
    numbered = enumerate(known.calls, start=1)
    return [(at, way) for at, call in numbered if not kinds or call[0] in kinds for way in ways]


SCENARIOS = {
    # `resumed`: ended byte-identical to an undisturbed run; `units`: fits, settings or cells of the
    # command; `most_lost`: units that one kill made it do twice.
    "kills": Scenario(
        kill,
        lambda known: _calls_twice(known, ("kill before", "kill after")),
        ("kills", "resumed", "units", "most_lost"),
        2,
    ),
    # A call fails once alone and once with all later ones of its kind; `harmless`: not needed.
    "writes": Scenario(
        fail,
        lambda known: _calls_twice(known, (False, True), ERRORS),
        ("failures", "survived", "harmless"),
        3,
    ),
    # `blas`: times OpenBLAS ended the process itself, with a line of its own and status 1.
    "memory": Scenario(
        limit, lambda known: ((step,) for step in STEPS), ("limits", "hit", "blas"), 3
    ),
}


# ---------------------------------------------------------------------- locks

# `left`: times the second of a pair left with a clear line; `shared`: it came when the first had
# just finished, and found the same; `refused`: times a lock was held by another process.
LOCKS = ("pairs", "left", "shared", "taken_over", "cycles", "refused")
BUSY = "another process is at work on this"
_ENOUGH = 60.0  # seconds for one process to do all its cycles, many times what it takes
_LEAVING = 0x4  # PF_EXITING among the flags of a Linux process


def two_at_once(sandbox: Sandbox, known: Undisturbed, tally: Tally, delay: float) -> None:
    """Give a command twice, the second `delay` seconds after the first."""
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
    tally.defects += [f"two at once, {known.job.name}, {delay:.3f} s: {what}" for what in wrong]


def taken_over(sandbox: Sandbox, known: Undisturbed, tally: Tally) -> None:
    """Kill a command while it holds its folder; the next one must not be held up."""
    place = sandbox.fresh(known)
    sandbox.server.run(known.job.argv, place, at=len(known.calls) // 2, do="kill after")
    wrong = unsettled(known, place, sandbox.server.run(known.job.argv, place))
    tally["taken_over"] += not wrong
    tally.defects += [f"lock of a killed {known.job.name}: {what}" for what in wrong]


def cycle(sandbox: Sandbox, tally: Tally, cycles: int, processes: int, seed: int) -> None:
    """Let processes take and leave one lock until all did so `cycles` times together.

    One of them is killed now and then while it holds it. Inside, each writes a file of its own and
    looks for those of others: there must be none.
    """
    folder = sandbox.base / "cycles"
    folder.mkdir(exist_ok=True)
    rng, call = random.Random(seed), "torture.disturbances:take_turns"

    def cycling(each: int) -> Child:
        argv = [str(folder), str(each), str(rng.randrange(10**6))]
        return sandbox.server.start(argv, sandbox.base, call=call)

    *crowd, doomed = map(cycling, [-(-cycles // processes)] * processes + [10**6])
    time.sleep(0.3)
    doomed.process.kill()
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

    place, rng, refused = Path(folder), random.Random(int(seed)), 0
    own = place / f"inside-{os.getpid()}"
    for _ in range(int(cycles)):
        while True:
            try:
                with hold(place, "test"):
                    for other in place.iterdir():  # what a killed process left has its number
                        if not _gone(other.name):
                            raise AssertionError(f"{other.name} is inside too")
                        other.unlink(missing_ok=True)
                    own.write_text("here")
                    time.sleep(rng.uniform(0.0, 0.0005))
                    own.unlink()
                break
            except StoreError:
                refused += 1
                time.sleep(rng.uniform(0.0, 0.002))
    print(cycles, refused)
    return 0


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

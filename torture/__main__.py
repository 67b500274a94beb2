"""Disturb linkprior in every way at hand and say what came of it.

    python -m torture [--seconds N] [--seed S] [PART ...]

Within the time given each part does as much as it can, in an order drawn by the seed, and says how
much of all there is that was. Exit status 1 where anything was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkprior import machine as computer
from linkprior.io.atomic_files import whole_file
from torture import determinism, disturbances, numerics, soak
from torture.machine import run_machine
from torture.sandbox import Sandbox, open_sandbox

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results" / "torture.json"
BY_CLOCK = 16  # kills at random moments of each command
SLOWLY = 6  # of the one that starts processes itself
CYCLES, PROCESSES = 1200, 4
EXAMPLES, STEPS = 10, 12  # of the state machine, at a time

Facts = dict[str, Any]
Part = Callable[[Sandbox, random.Random, float], Facts]


def main() -> int:
    """Run the parts asked for and write the figures; return the exit status."""
    asked = _arguments()
    results: Facts = {**_before(asked.output), **_machine()}
    shares = {name: share for name, (_, share) in PARTS.items() if name in asked.parts}
    began = time.monotonic()
    with open_sandbox() as place:
        for number, (name, share) in enumerate(shares.items()):
            left = began + asked.seconds - time.monotonic()
            results[name] = _part(
                place, name, asked.seed, left * share / sum(list(shares.values())[number:])
            )
            with whole_file(asked.output) as stream:  # what is measured stays, whatever comes
                stream.write(json.dumps(results, indent=1) + "\n")
    defects = [line for name in shares for line in results[name]["defects"]]
    for line in defects:
        print(f"DEFECT {line}", file=sys.stderr)
    took = round(time.monotonic() - began)
    print(f"{len(defects)} defects in {took} s; {asked.output.name} has the figures")
    return int(bool(defects))


def _part(place: Sandbox, name: str, seed: int, seconds: float) -> Facts:
    """Return the figures of one part, and print them."""
    began = time.monotonic()
    found = PARTS[name][0](place, random.Random(seed), began + seconds)
    found |= {"seed": seed, "seconds": round(time.monotonic() - began)}
    print(f"{name}: {_line(found)}", flush=True)
    return found


# ---------------------------------------------------------------------- the parts


def _kills(place: Sandbox, chance: random.Random, end: float) -> Facts:
    tallies = {name: disturbances.KillTally() for name in (*disturbances.KILLED, disturbances.SLOW)}
    for name, tally in tallies.items():
        wanted = SLOWLY if name == disturbances.SLOW else BY_CLOCK
        for _ in range(3 * wanted):  # some come to their end before the moment
            if tally.kills < wanted:
                disturbances.kill_after(place, place.of(name), tally, chance)
    by_clock = sum(tally.kills for tally in tallies.values())
    points = [
        (n, *one) for n in disturbances.KILLED for one in disturbances.counted_kills(place.of(n))
    ]
    chance.shuffle(points)
    done = 0
    for name, at, do in points:
        if time.monotonic() > end:
            break
        disturbances.kill_at(place, place.of(name), tallies[name], at, do)
        done += 1
    return {
        **_summed(tallies, "kills", "resumed"),
        "most_lost": max(tally.most_lost for tally in tallies.values()),
        "at_random_moments": by_clock,
        "points_tried": done,
        "points": len(points),
    }


def _writes(place: Sandbox, chance: random.Random, end: float) -> Facts:
    tallies = {name: disturbances.WriteTally() for name in disturbances.FAILED}
    points = [(n, *one) for n in disturbances.FAILED for one in disturbances.failures(place.of(n))]
    chance.shuffle(points)
    for name, at, lasting in points:
        if time.monotonic() > end:
            break
        disturbances.fail_at(place, place.of(name), tallies[name], at, lasting)
    return {**_summed(tallies, "failures", "survived", "harmless"), "points": len(points)}


def _memory(place: Sandbox, chance: random.Random, end: float) -> Facts:
    tallies = {name: disturbances.MemoryTally() for name in disturbances.LIMITED}
    steps = [(name, step) for name in disturbances.LIMITED for step in disturbances.STEPS]
    chance.shuffle(steps)
    for name, step in steps:
        if time.monotonic() < end:
            disturbances.limit(place, name, step, tallies[name])
    return _summed(tallies, "limits", "hit", "blas")


def _locks(place: Sandbox, chance: random.Random, end: float) -> Facts:
    tally = disturbances.LockTally()
    disturbances.cycle(place, tally, CYCLES, PROCESSES, chance.randrange(10**6))
    for name in disturbances.SHARED:
        disturbances.taken_over(place, name, tally, len(place.of(name).calls) // 2)
    while time.monotonic() < end and tally.pairs < 100:
        for name in disturbances.SHARED:
            disturbances.two_at_once(
                place, name, tally, chance.uniform(0.0, place.of(name).seconds)
            )
    return tally.facts()


def _state_machine(place: Sandbox, chance: random.Random, end: float) -> Facts:
    steps = examples = 0
    defects = []
    while time.monotonic() < end and not defects:
        try:
            steps += run_machine(place, EXAMPLES, STEPS, chance.randrange(10**6))
            examples += EXAMPLES
        except Exception as broken:  # several at once, or one of the machine itself
            defects.append(f"state machine: {broken} {getattr(broken, '__notes__', '')}")
    return {"examples": examples, "steps": steps, "defects": defects}


def _determinism(place: Sandbox, chance: random.Random, end: float) -> Facts:
    spot = determinism.prepare(place.base / "determinism")
    rows = determinism.compare_folders(spot) | determinism.compare_predictions(spot, end)
    told = [what for row in rows.values() for what in row.equal.values()]
    return {
        "comparisons": len(told),
        "same_bytes": told.count("same bytes"),
        "same_pairs": told.count("same pairs"),
        "table": {name: row.equal for name, row in rows.items()},
        "defects": [line for row in rows.values() for line in row.defects],
    }


def _numerics(place: Sandbox, chance: random.Random, end: float) -> Facts:
    tally = numerics.Tally()
    found = numerics.run_extremes(end, tally) | numerics.run(place.base, end, tally)
    return {**found, **tally.facts()}


def _soak(place: Sandbox, chance: random.Random, end: float) -> Facts:
    return soak.soak(place.base / "soak", end=end).facts()


PARTS: dict[str, tuple[Part, float]] = {  # with its share of the time
    "soak": (_soak, 0.08),
    "numerics": (_numerics, 0.09),
    "determinism": (_determinism, 0.2),
    "kills": (_kills, 0.23),
    "writes": (_writes, 0.3),
    "memory": (_memory, 0.03),
    "locks": (_locks, 0.03),
    "machine": (_state_machine, 0.04),
}


# ---------------------------------------------------------------------- what is said


def _summed(tallies: dict[str, Any], *names: str) -> Facts:
    sums = {name: sum(getattr(tally, name) for tally in tallies.values()) for name in names}
    commands = {name: tally.facts() for name, tally in tallies.items()}
    defects = [line for facts in commands.values() for line in facts.pop("defects")]
    return {**sums, "commands": commands, "defects": defects}


def _line(facts: Facts) -> str:
    told = {name: fact for name, fact in facts.items() if isinstance(fact, int)}
    return ", ".join(f"{name.replace('_', ' ')} {fact}" for name, fact in told.items())


def _before(path: Path) -> Facts:
    """Return the figures that are there: a part that is not run now keeps its own."""
    found: Facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def _machine() -> Facts:
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return {"system": system, "versions": computer.versions()}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("parts", nargs="*", help="which parts; all without a name")
    parser.add_argument("--seconds", type=float, default=3000.0, help="time for all parts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    asked = parser.parse_args()
    unknown = sorted(set(asked.parts) - set(PARTS))
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    asked.parts = asked.parts or list(PARTS)
    return asked


if __name__ == "__main__":
    sys.exit(main())

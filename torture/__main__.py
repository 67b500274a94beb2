"""Disturb linkprior in every way at hand and say what came of it.

    python -m torture [--seconds N] [--seed S] [PART ...]

Within the time given each part does as much as it can, in an order drawn by the seed, and says how
much of all there is that was. Exit status 1 where anything was lost.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.data import RESULTS, read_results, write_results

from linkprior import machine as computer
from torture import determinism, disturbances, numerics, soak
from torture.disturbances import SCENARIOS, SLOW, Facts, Tally
from torture.machine import run_machine
from torture.sandbox import Sandbox, disturbed_by, open_sandbox, until

BY_CLOCK = 16  # kills at random moments of each command
SLOWLY = 6  # of the one that starts processes itself
CYCLES, PROCESSES, PAIRS = 1200, 4, 20
EXAMPLES, STEPS = 10, 12  # of the state machine, at a time

Part = Callable[[Sandbox, random.Random, float], Facts]


def main() -> int:
    asked = _arguments()
    results = read_results(asked.output)  # a part that is not run now keeps its figures
    results["system"] = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    results["versions"] = computer.versions()
    shares = {name: share for name, (_, share) in PARTS.items() if name in asked.parts}
    began, shares_left, defects = time.monotonic(), sum(shares.values()), []
    with open_sandbox() as place:
        for name, share in shares.items():
            now = time.monotonic()
            end = now + (began + asked.seconds - now) * share / shares_left
            shares_left -= share
            found = PARTS[name][0](place, random.Random(asked.seed), end)
            found |= {"seed": asked.seed, "seconds": round(time.monotonic() - now)}
            told = (f"{k.replace('_', ' ')} {v}" for k, v in found.items() if isinstance(v, int))
            print(f"{name}: {', '.join(told)}", flush=True)
            defects += found["defects"]
            results[name] = found
            write_results(asked.output, results)  # what is measured stays, whatever comes
    for line in defects:
        print(f"DEFECT {line}", file=sys.stderr)
    took = round(time.monotonic() - began)
    print(f"{len(defects)} defects in {took} s; {asked.output.name} has the figures")
    return int(bool(defects))


def _kills(place: Sandbox, rng: random.Random, end: float) -> Facts:
    """Kill at random moments first, then at points of the file system."""
    kills = SCENARIOS["kills"]
    commands = disturbed_by("kills")
    tallies = {name: kills.tally() for name in (*commands, SLOW)}
    for name, tally in tallies.items():
        known, wanted = place.of(name), SLOWLY if name == SLOW else BY_CLOCK
        for _ in range(3 * wanted):  # some come to their end before the moment
            if tally["kills"] < wanted:
                moment = rng.uniform(0.0, known.seconds)
                disturbances.kill(place, known, tally, after=moment)
    by_clock = sum(tally["kills"] for tally in tallies.values())
    facts = kills.facts(place, rng, end, commands, tallies)
    most_lost = max(tally["most_lost"] for tally in tallies.values())
    return {**facts, "most_lost": most_lost, "at_random_moments": by_clock}


def _at_points(scenario: str) -> Part:
    def part(place: Sandbox, rng: random.Random, end: float) -> Facts:
        return SCENARIOS[scenario].facts(place, rng, end, disturbed_by(scenario))

    return part


def _locks(place: Sandbox, rng: random.Random, end: float) -> Facts:
    tally = Tally(*disturbances.LOCKS)
    disturbances.cycle(place, tally, CYCLES, PROCESSES, rng.randrange(10**6))
    shared = [place.of(name) for name in disturbed_by("locks")]
    for known in shared:
        disturbances.taken_over(place, known, tally)
    for known in until(end, shared * PAIRS):
        disturbances.two_at_once(place, known, tally, rng.uniform(0.0, known.seconds))
    return tally.facts()


def _state_machine(place: Sandbox, rng: random.Random, end: float) -> Facts:
    facts: Facts = {"examples": 0, "steps": 0, "defects": []}
    for _ in until(end, itertools.count()):
        try:
            facts["steps"] += run_machine(place, EXAMPLES, STEPS, rng.randrange(10**6))
            facts["examples"] += EXAMPLES
        except Exception as broken:  # several at once, or one of the machine itself
            notes = getattr(broken, "__notes__", "")
            return {**facts, "defects": [f"state machine: {broken} {notes}"]}
    return facts


def _numerics(place: Sandbox, rng: random.Random, end: float) -> Facts:
    tally = Tally(*numerics.ENDS)
    found = numerics.run_extremes(end, tally) | numerics.run(end, tally)
    return {**found, **tally.facts()}


def _determinism(place: Sandbox, rng: random.Random, end: float) -> Facts:
    return determinism.compare(place.base / "determinism", end).facts()


def _soak(place: Sandbox, rng: random.Random, end: float) -> Facts:
    return soak.soak(place.base / "soak", end=end).facts()


PARTS: dict[str, tuple[Part, float]] = {  # with its share of the time
    "soak": (_soak, 0.08),
    "numerics": (_numerics, 0.09),
    "determinism": (_determinism, 0.2),
    "kills": (_kills, 0.23),
    "writes": (_at_points("writes"), 0.3),
    "memory": (_at_points("memory"), 0.03),
    "locks": (_locks, 0.03),
    "machine": (_state_machine, 0.04),
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("parts", nargs="*", help="which parts; all without a name")
    parser.add_argument("--seconds", type=float, default=3000.0, help="time for all parts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "torture.json")
    asked = parser.parse_args()
    unknown = sorted(set(asked.parts) - set(PARTS))
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    asked.parts = asked.parts or list(PARTS)
    return asked


if __name__ == "__main__":
    sys.exit(main())

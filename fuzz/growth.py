"""Time against size: a piece of an input is repeated until it is large, and larger again.

Kept inputs of a target of text are cut in three at random places and the middle part is repeated to
a small and a four times larger size. Those that grew most and those that took longest are measured
at four sizes, each twice the one before. The exponent is the slope of log(seconds) over log(bytes),
1 for linear; seconds are those of the processor, as others may be at work on the machine.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz import places
from fuzz.figures import read_figures
from fuzz.targets import TARGETS
from fuzz.verdict import Attempt, judged
from linkprior.io.atomic_files import whole_file

# What is read in one go from bytes of any kind; edits and archives stand for content elsewhere.
TEXT = (
    *("edgelist", "biogrid", "mitab", "string", "graphml", "gexf", "cx2", "pajek", "metis"),
    *("sif", "matrix-market", "format", "names", "pairs", "split", "run-raw", "model-raw"),
)
LOOK = (10_000, 40_000)
LARGEST, DOUBLINGS = 2_000_000, 4
LONGEST = 0.8  # seconds that the largest size may take; slow inputs are measured at smaller ones
CUTS, FINALISTS = 100, 2
MOST = 1.35  # an exponent beyond this is a finding: twice the size takes 2.5 times as long
NOTICED = 0.1  # seconds; whatever takes less at the largest size grows too little to tell


@dataclass(frozen=True)
class Pump:
    """An input whose middle part can be repeated."""

    start: bytes
    middle: bytes
    end: bytes

    def blown(self, size: int) -> bytes:
        """Return it with about so many bytes."""
        return self.start + self.middle * max(1, size // len(self.middle)) + self.end


def pumps(inputs: Sequence[bytes], chance: random.Random, wanted: int = CUTS) -> Iterator[Pump]:
    """Yield inputs cut in three; every other time the middle part is some whole lines."""
    usable = [content for content in inputs if len(content) > 2]
    for at in range(wanted if usable else 0):
        content = chance.choice(usable)
        ends = [n + 1 for n, byte in enumerate(content) if byte == 10]
        places_ = ends if at % 2 and len(ends) > 1 else range(1, len(content) + 1)
        a, b = sorted(chance.sample(list(places_), 2))
        yield Pump(content[:a], content[a:b], content[b:])


def seconds(attempt: Attempt, data: bytes, tries: int = 1) -> float:
    """Return how long an input takes, the best of some tries; a finding here is one, too."""
    best = math.inf
    for _ in range(tries):
        began = time.process_time()
        finding = judged(attempt, data)
        best = min(best, time.process_time() - began)
        if finding is not None:
            raise ValueError(f"{len(data):,} bytes: {finding}")
    return best


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the slope of log(time) over log(size), by least squares."""
    xs, ys = [math.log(size) for size in sizes], [math.log(max(t, 1e-9)) for t in times]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum(
        (a - x) ** 2 for a in xs
    )


def measure(name: str, inputs: Sequence[bytes], seed: int) -> dict[str, float]:
    """Return the highest exponent of a target, and the seconds per megabyte of the slowest."""
    chance = random.Random(f"{name} {seed}")
    with places.scratch() as place:
        attempt = TARGETS[name].make(place)
        tried = [
            ([seconds(attempt, pump.blown(size)) for size in LOOK], pump)
            for pump in pumps(inputs, chance)
        ]
        steep = sorted(tried, key=lambda one: -one[0][1] / max(one[0][0], 1e-3))[:FINALISTS]
        slow = sorted(tried, key=lambda one: -one[0][1])[:FINALISTS]
        found = [_settled(attempt, pump, took[1]) for took, pump in [*steep, *slow]]
    told = [slope for slope, last, _ in found if last >= NOTICED]
    return {
        "exponent": round(max(told, default=0.0), 2),
        "s_per_mb": round(max(pace for _, _, pace in found), 3),
        "tried": len(tried),
    }


def _settled(attempt: Attempt, pump: Pump, took: float) -> tuple[float, float, float]:
    """Measure an input, and once more at larger sizes where it seems steep.

    Memory that outgrows a cache costs more once; what grows with the square goes on to do so.
    """
    largest = min(LARGEST, int(LOOK[1] * LONGEST / max(took, 1e-3)))
    found = _measured(attempt, pump, largest)
    return found if found[0] <= MOST else _measured(attempt, pump, 4 * largest)


def _measured(attempt: Attempt, pump: Pump, largest: int) -> tuple[float, float, float]:
    """Return the exponent, the seconds of the largest size, and seconds per megabyte there."""
    contents = [pump.blown(largest >> step) for step in reversed(range(DOUBLINGS))]
    times = [seconds(attempt, content, tries=2) for content in contents]
    slope = exponent([len(content) for content in contents], times)
    return slope, times[-1], times[-1] / (len(contents[-1]) / 1e6)


def report(names: Sequence[str], work: Path, output: Path, seed: int) -> int:
    """Measure targets, print a line for each, keep the figures; 1 where one grows too fast."""
    bad = 0
    for name in (name for name in names if name in TEXT):
        found = places.inputs_in(places.corpus_folder(work, name))
        inputs = [*places.kept(name), *found] or list(TARGETS[name].seeds())
        found = measure(name, inputs, seed)
        bad += found["exponent"] > MOST
        print(
            f"{name}: exponent {found['exponent']}, {found['s_per_mb']} s per MB at most, "
            f"{found['tried']} inputs blown up",
            flush=True,
        )
        whole = read_figures(output)
        whole.setdefault("growth", {})[name] = found
        with whole_file(output) as stream:
            stream.write(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    return int(bool(bad))

"""Work grows with the size of an input and not with its square: steps are counted, not timed.

Seconds are measured by `python -m fuzz --growth`, with the processor's clock.
"""

import random
import sys

import pytest
from fuzz.targets import TARGETS
from fuzz.verdict import judged

from fuzz import growth, places

SMALL, TIMES = 6_000, 4
CUTS = 10


def steps(attempt, data):
    """Count calls of functions, also of those written in C."""
    count = 0

    def hear(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(hear)
    try:
        assert judged(attempt, data) is None
    finally:
        sys.setprofile(None)
    return count


def grows(attempt, pump):
    """Return how many times as many steps an input takes that is `TIMES` as large."""
    small = steps(attempt, pump.blown(SMALL))
    return steps(attempt, pump.blown(SMALL * TIMES)) / small


@pytest.mark.parametrize("name", growth.TEXT)
def test_steps_are_in_proportion_to_the_size(tmp_path, name):
    attempt = TARGETS[name].make(tmp_path)
    inputs = [*TARGETS[name].seeds(), *places.kept(name)]
    for data in TARGETS[name].seeds():
        judged(attempt, data)  # what is imported late is imported now
    chance = random.Random(f"steps {name}")
    for pump in growth.pumps(inputs, chance, CUTS):
        assert grows(attempt, pump) < 1.3 * TIMES, pump


def test_a_square_is_seen():
    def quadratic(data):
        for end in range(0, len(data), 40):
            for _ in range(0, end, 40):
                len(data)

    assert grows(quadratic, growth.Pump(b"", b"a", b"")) > 2 * TIMES

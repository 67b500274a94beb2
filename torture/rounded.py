"""Two rankings compared after rounding: the order that must be the same on every processor."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

Pair = tuple[str, str]


class Shift(NamedTuple):
    """How far two orders are apart: pairs in one list alone, pairs that moved, and how far."""

    exchanged: int
    moved: int
    largest: int

    def __str__(self) -> str:
        gone = f"{self.exchanged} exchanged, " if self.exchanged else ""
        places = "1 place" if self.largest == 1 else f"{self.largest} places"
        return f"{gone}{self.moved} moved, by up to {places}"


def order_of(content: bytes) -> list[tuple[float, Pair]]:
    """Return score and names of each pair of a table, by score to six digits, then by pair.

    Scores stand in the table with six digits. Those with the last score are
    left out, as it is the full scores that say which of them are in the list.
    """
    rows = csv.DictReader(io.StringIO(content.decode("utf-8")), delimiter="\t")
    found = [(float(row["score"]), (row["source"], row["target"])) for row in rows]
    found.sort(key=lambda one: (-one[0], one[1]))
    last = found[-1][0] if found else 0.0
    return [one for one in found if one[0] != last]


def shift(found: list[tuple[float, Pair]], wanted: list[tuple[float, Pair]]) -> Shift:
    """Return how many pairs of the shorter list the other lacks, and how far the others moved."""
    length = min(len(found), len(wanted))
    a, b = ({pair: at for at, (_, pair) in enumerate(one)} for one in (found, wanted))
    first = [pair for _, pair in (found if len(found) == length else wanted)]
    both = [pair for pair in first if pair in a and pair in b]
    far = [abs(a[pair] - b[pair]) for pair in both]
    return Shift(length - len(both), sum(map(bool, far)), max(far, default=0))

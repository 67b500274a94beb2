"""What the readers of interaction tables share: lines, rows kept or left out, systems asked for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from linkprior.errors import ParameterError, nearest
from linkprior.io.collector import EdgeCollector
from linkprior.io.source import Source
from linkprior.io.text import text_blocks

Lines = tuple[Sequence[int], list[str]]
_LISTED = 20
# What to do where some rows have a score and others none, and scores are asked for as weights.
WITHOUT_SCORE = "--min-score 0 leaves out rows without a score"


@dataclass(frozen=True)
class Records:
    """The rows of one block: line numbers and cells."""

    lines: Sequence[int]
    cells: list[list[str]]

    def column(self, at: int) -> list[str]:
        """Return one column."""
        return [row[at] for row in self.cells]

    def where(self, wanted: Sequence[bool]) -> Records:
        """Return the rows wanted."""
        return Records(list(compress(self.lines, wanted)), list(compress(self.cells, wanted)))


Filter = Callable[[Records], Records]


def lines_of(source: Source) -> Iterator[Lines]:
    """Yield the lines that are not blank, block by block, with their numbers."""
    for block in text_blocks(source):
        lines = block.text.removesuffix("\n").split("\n")
        numbers: Sequence[int] = range(block.first, block.first + len(lines))
        if "" in lines or any(map(str.isspace, lines)):
            full = [at for at, line in enumerate(lines) if line and not line.isspace()]
            numbers, lines = [numbers[at] for at in full], [lines[at] for at in full]
        if lines:
            yield numbers, lines


def without_comments(part: Lines) -> Lines:
    """Return the lines that do not begin with ``#``."""
    numbers, lines = part
    if not any(line[0] == "#" for line in lines):
        return part
    kept = [at for at, line in enumerate(lines) if line[0] != "#"]
    return [numbers[at] for at in kept], [lines[at] for at in kept]


def sift(rows: Records, wanted: Iterable[bool], reason: str, found: EdgeCollector) -> Records:
    """Return the rows wanted; the others are counted under the reason."""
    marks = list(wanted)
    if all(marks):
        return rows
    found.drop(reason, [line for line, keep in zip(rows.lines, marks, strict=True) if not keep])
    return rows.where(marks)


def number_of(text: str) -> float | None:
    """Return the number a cell holds, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def sift_scores(
    rows: Records, scores: Sequence[float | None], least: float, found: EdgeCollector
) -> Records:
    """Return the rows that have a score, and one of at least `least`."""
    full = [score for score in scores if score is not None]
    rows = sift(rows, [score is not None for score in scores], "it has no score", found)
    return sift(rows, [score >= least for score in full], f"the score is below {least:g}", found)


class Systems:
    """The experimental systems a user asked for, and those the file has."""

    def __init__(self, asked: Sequence[str]) -> None:
        self._asked = {word.strip().casefold(): word for word in asked}
        self._seen: Counter[str] = Counter()
        self._met: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._asked)

    def wants(self, names: Iterable[str]) -> bool:
        """Tell whether any of a row's names was asked for."""
        met = self._asked.keys() & {name.strip().casefold() for name in names}
        self._met |= met
        return bool(met)

    def count(self, names: Iterable[str]) -> None:
        """Count the systems of rows, for the message when one asked for is not there."""
        self._seen.update(names)

    def settle(self, file: str) -> None:
        """Refuse a system that no row has."""
        for word, asked in self._asked.items():
            if word not in self._met:
                known = [name for name, _ in self._seen.most_common(_LISTED)]
                more = " …" if len(self._seen) > _LISTED else ""
                raise ParameterError(
                    f"--experimental-system: no row of {file} has {asked!r}."
                    f"{nearest(asked, known)} It has: {', '.join(known)}{more}"
                )

"""What a further column says about its rows: labels of a gold standard, and weights of 0."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from linkprior.io.collector import EdgeCollector
from linkprior.io.readers.columns import plain
from linkprior.io.readers.header import MISSING, NUMBER
from linkprior.io.readers.layout import Layout
from linkprior.io.readers.table import Rows

_NON_EDGE = "labelled 0, a non-edge of the gold standard"
_UNKNOWN = "its label is missing, so it is neither an edge nor a non-edge"
_EDGE, _NO_EDGE, _MISSING = 1, 0, -1
_LABELS = {
    **dict.fromkeys(("1", "1.0", "true"), _EDGE),
    **dict.fromkeys(("0", "0.0", "false"), _NO_EDGE),
    **dict.fromkeys(("", "na", "nan", "n/a", "null", "none", "?"), _MISSING),
}
# Every usual spelling of 0, to be looked up: 0, 0.0, 0,00, -0.0, 0.000000e+00 …
_ZEROS = frozenset(
    f"{sign}0{point}{'0' * digits}{exponent}"
    for sign in ("", "-")
    for point, digits in [("", 0), *((mark, n) for mark in ".," for n in range(19))]
    for exponent in ("", "e0", "e+00", "E+00", "E0")
)
_FLAGS = ("label", "isedge", "islink", "truth", "gold", "goldstandard", "exists")


class Labels:
    """Follows a third and last column as long as it is nothing but 0 and 1.

    They may be written 0.0 and 1.0, or FALSE and TRUE; some may be missing, and a separator may
    stand at the end of each row.
    """

    def __init__(self, layout: Layout, possible: bool) -> None:
        self.possible = possible and not layout.header and set(layout.ends) == {0, 1}
        self._parts = [np.empty(0, np.int8)]
        self._lines: dict[int, list[int]] = {_NO_EDGE: [], _MISSING: []}

    def take(self, part: Rows) -> None:
        """Look at the labels of rows; a row without a name is dropped elsewhere."""
        if not self.possible or not part.lines:
            return
        ended = part.widths == {4} and set(part.column(3)) == {""}
        known = _label_of(part.column(2)) if part.widths == {3} or ended else None
        if known is None:
            self.possible = False
            return
        ends = zip(part.column(0), part.column(1), strict=True)
        named = [bool(a and b) for a, b in ends]
        marks = np.array([known[cell] for cell in compress(part.column(2), named)], dtype=np.int8)
        self._parts.append(marks)
        self._remember(marks, list(compress(part.lines, named)))

    def _remember(self, marks: NDArray[np.int8], lines: Sequence[int]) -> None:
        """Keep the first few lines that are left out."""
        for mark, first in self._lines.items():
            places = np.flatnonzero(marks == mark)[: 5 - len(first)]
            first += [lines[at] for at in places.tolist()]

    def settle(self, found: EdgeCollector) -> str | None:
        """Leave out what is labelled 0 or not at all, once all rows are known to be labelled."""
        marks = np.concatenate(self._parts)
        if not self.possible or not (marks == _NO_EDGE).any():
            return None
        ends = found.ends
        found.keep(marks == _EDGE)
        found.non_edges = ends[marks == _NO_EDGE]
        for mark, reason in ((_NO_EDGE, _NON_EDGE), (_MISSING, _UNKNOWN)):
            if count := int((marks == mark).sum()):
                entry = found.dropped[reason]
                entry.count, entry.first_lines = count, self._lines[mark]
        return "gold standard: two names and a label, 1 for an edge and 0 for a non-edge"


def _label_of(cells: Sequence[str]) -> dict[str, int] | None:
    """Return what each cell says, or None where one is no label."""
    distinct = set(cells)
    if len(distinct) > 2 * len(_LABELS) or not {cell.lower() for cell in distinct} <= set(_LABELS):
        return None
    return {cell: _LABELS[cell.lower()] for cell in distinct}


class Zeros:
    """Counts the rows whose weight is 0: they count as edges, which not everybody expects."""

    def __init__(self, layout: Layout, wanted: bool) -> None:
        flags = [at for at, name in enumerate(layout.header) if plain(name) in _FLAGS]
        self._flag = layout.header[flags[0]] if flags and layout.score is None else ""
        at = flags[0] if self._flag else layout.score
        self._at = at if wanted and at not in layout.ends else None
        self._zeros = self._rows = 0

    def take(self, part: Rows) -> None:
        """Count zeros; a column with anything but numbers in its first rows holds no weights."""
        if self._at is None or not part.lines or min(part.widths) <= self._at:
            return
        cells = part.column(self._at)
        if not self._rows and not all(map(_is_weight, cells[:200])):
            self._at = None
            return
        self._zeros += sum(map(_ZEROS.__contains__, cells))
        self._rows += len(cells)

    def note(self, found: EdgeCollector) -> None:
        """Say how many there are, where other rows have another weight."""
        if not 0 < self._zeros < self._rows:
            return
        what = self._flag[:40] or "weight"
        how = "remove the non-edges" if self._flag else "--min-score sets the least weight"
        found.note(
            f"{self._zeros:,} of {self._rows:,} rows have {what} 0 and count as edges; {how}"
        )


def _is_weight(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None or cell.lower() in MISSING

"""Which columns hold the two ends where no header tells: the first two, or those behind an index.

Row numbers, ranks and scores may stand in front of two names, and a relation between them. Such a
column would make a network that looks sound and is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkprior.io.readers.header import NUMBER
from linkprior.io.readers.relations import is_relation
from linkprior.io.readers.table import Row

_FEW = 10
_MOST_RELATIONS = 10


@dataclass(frozen=True)
class Ends:
    """The columns of the two ends.

    Attributes
    ----------
    aside
        A column that is neither an end nor a score: it numbers the rows, or names relations.
    note
        Why these are not the first two, where the user should know.
    """

    columns: tuple[int, int] = (0, 1)
    aside: int | None = None
    note: str = ""


def ends_by_content(rows: Sequence[Row]) -> Ends:
    """Return the ends as the cells of the first rows tell them."""
    if not rows or any(len(row) < 3 for row in rows):
        return Ends()
    first, second, third = ([row[at] for row in rows] for at in range(3))
    if holds_scores(first) and not holds_scores(second) and not holds_scores(third):
        return Ends((1, 2), None, _note("column 1 holds scores", "2 and 3"))
    if _counts_rows(first) and _holds_names(second) and _holds_names(third):
        if len(rows) < _FEW or len(set(third)) > 1:
            return Ends((1, 2), 0, _note("column 1 numbers the rows", "2 and 3"))
    elif _holds_relations(first, second, third):
        shown = ", ".join(word[:20] for word in list(dict.fromkeys(second))[:3])
        return Ends((0, 2), 1, _note(f"column 2 holds relations ({shown})", "1 and 3"))
    return Ends()


def _note(why: str, which: str) -> str:
    return f"{why}, so nodes are read from columns {which}; --columns 1,2 reads the first two"


def _holds_names(cells: Sequence[str]) -> bool:
    return not any(not cell or NUMBER.fullmatch(cell) for cell in cells)


def holds_scores(cells: Sequence[str]) -> bool:
    """Tell whether all cells are numbers and some have a fraction, as no node number has."""
    return all(map(NUMBER.fullmatch, cells)) and any(
        float(cell.replace(",", ".")) % 1 > 0 for cell in cells
    )


def _counts_rows(cells: Sequence[str]) -> bool:
    """Tell whether the cells are 0, 1, 2 … or 1, 2, 3 …"""
    return len(cells) > 1 and any(
        list(cells) == [str(number) for number in range(start, start + len(cells))]
        for start in (0, 1)
    )


def _holds_relations(first: Sequence[str], second: Sequence[str], third: Sequence[str]) -> bool:
    """Tell whether the second column says how the first and the third are related.

    Its words are known relations, or so few that they are no nodes: nodes of the first column
    come back in the third, and none of them in the second.
    """
    words, sources, targets = set(second), set(first), set(third)
    if not words.isdisjoint(sources | targets) or not _alike(first, third):
        return False
    few = len(words) <= min(_MOST_RELATIONS, len(second) // 5, len(targets) // 2)
    return all(map(is_relation, words)) or (
        few and not sources.isdisjoint(targets) and _holds_names(second)
    )


def _alike(first: Sequence[str], third: Sequence[str]) -> bool:
    """Tell whether a column of names or whole numbers may be nodes, as the first one is."""
    whole = all(map(str.isdecimal, first)) and all(map(str.isdecimal, third))
    return whole or _holds_names(third)

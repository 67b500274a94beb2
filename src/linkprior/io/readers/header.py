"""Whether a table has a header: told by its words, and by how they differ from the rows below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from linkprior.io.readers.columns import pair_of_columns, plain
from linkprior.io.readers.table import Row

# No number has more digits than this; without bounds, long ones take the square of their length.
NUMBER = re.compile(r"[-+]?(\d{1,400}([.,]\d{0,400})?|[.,]\d{1,400})([eE][-+]?\d{1,9})?")
MISSING = {"", "na", "nan", "null", "none", "inf", "n/a", "-", "--", "+", "?", ".", "missing"}
_USUAL = re.compile(
    r"(official)?(source|target|from|to|tf|regulator|gene|symbol|node|protein|interactor|id|vertex)+"
    r"(name|symbol|id)?[ab12]?"
)
_LONGEST = 60  # characters of a column name


@dataclass(frozen=True)
class Header:
    """The names of a table's columns.

    Attributes
    ----------
    ends
        The columns of the two ends.
    told
        Whether the names tell which columns these are.
    is_row
        Whether the header is the first row, not the comment above it.
    sure
        Whether the first row is a header beyond doubt, as words above numbers are.
    """

    names: Row
    ends: tuple[int, int]
    told: bool
    is_row: bool
    sure: bool = False


def find_header(
    rows: Sequence[Row], comment: Row, asked: Sequence[str], wanted: bool | None = None
) -> Header | None:
    """Return the header in the first row, or in the comment above it; `asked` are columns of it.

    `wanted` says that the first row is one, or that there is none.
    """
    if wanted is False:
        return None
    first = rows[0]
    # Tables put one below the other have their header several times.
    others = [row for row in rows[1:] if row != first] or rows[1:]
    ends = pair_of_columns(first)
    if not first[0] and len(first) > 2 and all(first[1:]):  # an index, as R and pandas write it
        return Header(first, ends or (1, 2), bool(ends), True, True)
    sure = bool(wanted) or _words_above_numbers(first, others) or _names_asked(first, others, asked)
    if sure or ((ends or _is_usual(first)) and not _is_like(first, others, ends or (0, 1))):
        shift = int(_rows_are_named(first, others))
        a, b = ends or (0, 1)
        return Header([""] * shift + first, (a + shift, b + shift), bool(ends), True, sure)
    ends = pair_of_columns(comment)
    if len(comment) == len(first) and (ends or _has(comment, asked)):
        return Header(comment, ends or (0, 1), bool(ends), False)
    return None


def _has(names: Sequence[str], asked: Sequence[str]) -> bool:
    return bool(asked) and set(asked) <= set(names)


def _names_asked(first: Row, others: Sequence[Row], asked: Sequence[str]) -> bool:
    """Tell whether the columns asked for stand in the first row, as names and not as its nodes."""
    if not _has(first, asked):
        return False
    places = [at for at, cell in enumerate(first) if cell in asked and cell.isdecimal()]
    below = [row[at] for row in others for at in places if at < len(row)]
    return not any(map(NUMBER.fullmatch, below))  # 1 and 2 above 3 and 4 are nodes themselves


def _is_usual(first: Row) -> bool:
    return first[0] != first[1] and all(
        len(cell) <= _LONGEST and _USUAL.fullmatch(plain(cell)) for cell in first[:2]
    )


def _words_above_numbers(first: Row, others: Sequence[Row]) -> bool:
    """Tell whether some column has a word in the first row and numbers in all others."""
    if len(others) < 2 or any(map(NUMBER.fullmatch, first)):
        return False
    return any(
        cell.lower() not in MISSING
        and all(len(row) > at and NUMBER.fullmatch(row[at]) for row in others)
        for at, cell in enumerate(first)
    )


def _is_like(first: Row, others: Sequence[Row], ends: tuple[int, int]) -> bool:
    """Tell whether the first row is one like the others: its cells, or names of a kind, return."""
    names = {first[at] for at in ends}
    kinds = set(map(_kind, names))
    nodes = {row[at] for row in others for at in ends if at < len(row)}
    return (
        any(map(NUMBER.fullmatch, first))
        or any(cell and cell == same for row in others for cell, same in zip(first, row))  # noqa: B905
        or not names.isdisjoint(nodes)
        or not kinds.isdisjoint(map(_kind, nodes))
    )


def _kind(name: str) -> str:
    """Return a name without its number or letter: node1 and node17 are alike, geneA and geneC."""
    if len(name) > _LONGEST:
        return name  # the search below takes the square of the length
    return re.sub(r"(\d+|(?<![A-Za-z])[A-Za-z]|(?<=[a-z])[A-Z])$", "", name) or name


def _rows_are_named(first: Row, others: Sequence[Row]) -> bool:
    """Tell whether each row has a name before its cells, above which R's tables have no header."""
    names = {row[0] for row in others}
    return (
        bool(others)
        and all(len(row) == len(first) + 1 for row in others)
        and len(names) == len(others)
        and any(row[-1] for row in others)
    )

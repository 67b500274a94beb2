"""The first rows of an edge list, by which its layout is told: below titles, cut at a separator."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from linkprior.errors import InputError
from linkprior.io.readers.table import Row, is_data, rows_of, separator_of
from linkprior.io.text import Block

_SAMPLE, _MOST_TITLES = 200, 60
_OTHER_TEXT = {
    "XML or a web page": r"<(\?xml|!doctype|html|head|body|svg)\b",
    "JSON": r'[\[{]\s*(["\[{]|$)',
}
_DECIMAL_COMMA = re.compile(r"[-+]?\d{0,400},\d{1,400}")
# BioGRID's first table explains itself at length before this header.
_TAB1 = re.compile(r"INTERACTOR_A\tINTERACTOR_B\t")
_Numbered = Sequence[tuple[int, str]]


@dataclass(frozen=True)
class Sample:
    """The first rows of a file, the line of the first one, and the comment right above it.

    `titles` are the lines of text above the table.
    """

    separator: str
    rows: list[Row]
    line: int
    comment: Row
    titles: tuple[int, ...] = ()


def sample_of(block: Block, file: str) -> Sample:
    """Return the first rows of a block."""
    comments, lines = _first_lines(block)
    if not lines:
        raise InputError(f"{file}: no edge found; expected two columns of node names")
    _refuse_other_text(lines, file)
    n_titles = _count_titles([line for _, line in lines])
    titles = tuple(number for number, _ in lines[:n_titles])
    lines = lines[n_titles:]
    start = lines[0][0]
    comment = next((line for number, line in reversed(comments) if number < start), "")
    separator = _separator([line for _, line in lines])
    rows = [rows_of(Block(number, line), separator, 2, file).flat for number, line in lines]
    cells = comment.lstrip("#%! ").split(None if separator == " " else separator)
    return Sample(separator, rows, start, [cell.strip(' "') for cell in cells], titles)


def _first_lines(block: Block) -> tuple[_Numbered, _Numbered]:
    """Return comments and data with their line numbers."""
    comments, lines = [], []
    for number, raw in enumerate(io.StringIO(block.text), block.first):
        line = raw.removesuffix("\n")
        if is_data(line):
            lines.append((number, line))
        elif line.strip():
            comments.append((number, line.strip()))
        if len(lines) == _SAMPLE:
            break
    return comments, lines


def _refuse_other_text(lines: _Numbered, file: str) -> None:
    """Refuse what can be told from an edge list at a glance: markup, JSON, a list of names."""
    number, first = lines[0][0], lines[0][1].strip()
    for kind, sign in _OTHER_TEXT.items():
        if re.match(sign, first, re.IGNORECASE):
            raise InputError(
                f"{file}:{number}: looks like {kind}, expected an edge list, one edge per line; "
                "see `linkprior formats` for what else is read"
            )
    if not any(re.search(r"[\t,; ]", line.strip(" ")) for _, line in lines):
        raise InputError(
            f"{file}:{number}: expected two columns of node names with a tab, comma, semicolon or "
            f"space between them, got one: {first[:60]!r}. Give both ends of an edge on each line"
        )


def _count_titles(lines: Sequence[str]) -> int:
    """Return how many lines of text stand above the table: those without the mark of all others."""
    header = next((at for at, line in enumerate(lines) if _TAB1.match(line)), 0)
    if header:
        return header
    lines = [_without_quoted(line) for line in lines]
    for mark in "\t;,":
        has = [mark in line for line in lines]
        if all(has):
            return 0  # what separates cells is found; another mark is part of some
        start = has.index(True) if True in has else 0
        if 0 < start <= _MOST_TITLES and len(has) - start > 1 and all(has[start:]):
            body = lines[start:]
            return 0 if any(_is_row(line, body, mark) for line in lines[:start]) else start
    return 0


def _is_row(line: str, body: Sequence[str], mark: str) -> bool:
    """Tell whether a line is a row after all, with another separator than those below it."""
    words = line.split()
    if re.search(r"\t|\S[,;]\S", line):
        return True
    if mark != "\t":  # rows cut at blanks may hold a comma: a b 0,5
        return len(words) > 1 and any(len(row.split()) == len(words) for row in body)
    cells = {cell.strip() for row in body for cell in row.split(mark)}
    return len(words) == body[0].count(mark) + 1 and not cells.isdisjoint(words)


def _separator(lines: Sequence[str]) -> str:
    """Return the separator: the mark all lines have, else that of the first line with columns."""
    bare = [_without_quoted(line) for line in lines]
    first = next((line for line in bare if re.search(r"\S[\t,; ]", line)), bare[0])
    common = [mark for mark in "\t,;" if all(mark in line for line in bare)]
    found = common[0] if len(common) == 1 else separator_of(first)
    return " " if found == "," and all(map(_has_decimal_commas, bare)) else found


def _without_quoted(line: str) -> str:
    return re.sub('"[^"]*"', '""', line)


def _has_decimal_commas(line: str) -> bool:
    """Tell whether a line is cut by spaces, its commas being those of numbers: a b 0,5."""
    words = line.split()
    return len(words) > 2 and all(
        "," not in word or (at > 1 and _DECIMAL_COMMA.fullmatch(word))
        for at, word in enumerate(words)
    )

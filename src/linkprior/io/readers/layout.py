"""How an edge list is laid out: its separator, its header, the columns of the two ends."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from linkprior.errors import InputError, ParameterError, nearest
from linkprior.io.readers.columns import plain
from linkprior.io.readers.header import NUMBER, find_header
from linkprior.io.readers.table import SEPARATORS, Row, is_data, rows_of, separator_of
from linkprior.io.text import Block

_SAMPLE = 200
_OTHER_TEXT = {
    "XML or a web page": r"<(\?xml|!doctype|html|head|body|svg)\b",
    "JSON": r'[\[{]\s*(["\[{]|$)',
}
_DECIMAL_COMMA = re.compile(r"[-+]?\d{0,400},\d{1,400}")
_SCORES = ("score", "combinedscore", "weight", "confidence", "probability", "value", "strength")


@dataclass(frozen=True)
class Layout:
    """Where the ends of an edge stand in a row.

    Attributes
    ----------
    width
        How many columns the first row has.
    header
        The column names, where there are any.
    header_line
        The line that holds them, unless it is a comment.
    sure
        Whether that line is a header beyond doubt.
    """

    separator: str
    ends: tuple[int, int]
    width: int
    header: list[str] = field(default_factory=list)
    header_line: int | None = None
    sure: bool = False
    multiplex: bool = False

    @property
    def score(self) -> int | None:
        """The column with a weight or score."""
        others = [at for at in range(self.width) if at not in self.ends]
        if not self.header:
            return others[0] if others else None
        return next((at for at in others if plain(self.header[at]) in _SCORES), None)

    def describe(self) -> str:
        """Say it in words, for the input report."""
        kind = f"{SEPARATORS[self.separator]}-separated edge list"
        if self.multiplex:
            return f"{kind} of a multiplex network (layer, node, node, weight), layers merged"
        a, b = self.ends
        if self.header:
            return f"{kind}, nodes in the columns {self._named(a)} and {self._named(b)}"
        where = f", nodes in columns {a + 1} and {b + 1}" if self.width > 2 else ""
        return f"{kind} without header{where}"

    def _named(self, at: int) -> str:
        name = self.header[at]
        return name if name.isprintable() and 0 < len(name) <= 60 else str(at + 1)


@dataclass(frozen=True)
class _Sample:
    """The first rows of a file, the line of the first one, and the comment right above it."""

    separator: str
    rows: list[Row]
    line: int
    comment: Row


def find_layout(
    block: Block,
    file: str,
    columns: tuple[str, str] | None = None,
    has_header: bool | None = None,
) -> Layout:
    """Read the layout off the first lines; `has_header` decides where the user knows."""
    sample = _sample(block, file)
    header = find_header(sample.rows, sample.comment, columns or (), has_header)
    if header is None:
        layout = _bare(sample, file)
    else:
        line = sample.line if header.is_row else None
        width = len(header.names)
        layout = Layout(sample.separator, header.ends, width, header.names, line, header.sure)
    if columns is not None:
        return _chosen(layout, columns)
    if header is None or not header.told:
        _refuse_matrix(sample, layout, file)
    return layout


def _sample(block: Block, file: str) -> _Sample:
    comment, lines = "", []
    for number, raw in enumerate(io.StringIO(block.text), block.first):
        line = raw.removesuffix("\n")
        if is_data(line):
            lines.append((number, line))
        elif not lines and line.strip():
            comment = line.strip()
        if len(lines) == _SAMPLE:
            break
    if not lines:
        raise InputError(f"{file}: no edge found; expected two columns of node names")
    _refuse_other_text(lines, file)
    separator = _separator([line for _, line in lines])
    rows = [rows_of(Block(number, line), separator, 2, file).flat for number, line in lines]
    cells = comment.lstrip("#%! ").split(None if separator == " " else separator)
    return _Sample(separator, rows, lines[0][0], [cell.strip(' "') for cell in cells])


def _refuse_other_text(lines: Sequence[tuple[int, str]], file: str) -> None:
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


def _separator(lines: Sequence[str]) -> str:
    """Return the separator: the mark all lines have, else that of the first line with columns."""
    bare = [re.sub('"[^"]*"', '""', line) for line in lines]
    first = next((line for line in bare if re.search(r"\S[\t,; ]", line)), bare[0])
    common = [mark for mark in "\t,;" if all(mark in line for line in bare)]
    found = common[0] if len(common) == 1 else separator_of(first)
    return " " if found == "," and all(map(_has_decimal_commas, bare)) else found


def _has_decimal_commas(line: str) -> bool:
    """Tell whether a line is cut by spaces, its commas being those of numbers: a b 0,5."""
    words = line.split()
    return len(words) > 2 and all(
        "," not in word or (at > 1 and _DECIMAL_COMMA.fullmatch(word))
        for at, word in enumerate(words)
    )


def _bare(sample: _Sample, file: str) -> Layout:
    """Return the layout without a header: the first two columns, unless there are layers."""
    width = len(sample.rows[0])
    layered = file.endswith((".edges", ".edges.gz")) and width == 4
    if layered and all(len(row) == 4 and all(map(NUMBER.fullmatch, row)) for row in sample.rows):
        return Layout(sample.separator, (1, 2), width, multiplex=True)
    return Layout(sample.separator, (0, 1), width)


def _refuse_matrix(sample: _Sample, layout: Layout, file: str) -> None:
    """Refuse a table whose second column would name nodes by measured numbers."""
    rows = sample.rows[1:] if layout.header_line else sample.rows
    numbers = [[bool(NUMBER.fullmatch(cell)) for cell in row] for row in rows]
    wide = bool(rows) and all(len(row) >= 10 and all(row) for row in numbers)
    named = len(rows) > 2 and all(not row[0] and all(row[1:]) for row in numbers)
    measured = layout.width > 3 or any(re.search(r"\d[.,]\d", row[1]) for row in rows)
    if wide or (named and measured):
        raise InputError(
            f"{file}:{sample.line}: expected two columns of node names, got {layout.width} columns "
            f"with numbers from column {1 if wide else 2} on. Is it a matrix, or a list of scores? "
            "Choose two columns with --columns 1,2; save a matrix as .npz (scipy) or Matrix Market"
        )


def _chosen(layout: Layout, columns: Sequence[str]) -> Layout:
    """Return the layout with the columns the user asked for."""
    if isinstance(columns, str) or len(columns) != 2:
        raise ParameterError(f"--columns expects two columns, got {columns!r}")
    first, second = (_column(layout, str(name)) for name in columns)
    if first == second:
        raise ParameterError(f"--columns expects two different columns, got {columns[0]!r} twice")
    return replace(layout, ends=(first, second), multiplex=False)


def _column(layout: Layout, name: str) -> int:
    if name in layout.header:
        return layout.header.index(name)
    if name.isdecimal() and 1 <= int(name) <= layout.width:
        return int(name) - 1
    known = ", ".join(layout.header[:20]) or f"1 to {layout.width} (no header)"
    raise ParameterError(
        f"--columns: no column {name!r}.{nearest(name, layout.header)} There are: {known}"
    )

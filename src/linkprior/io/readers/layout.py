"""How an edge list is laid out: its separator, its header, the columns of the two ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from linkprior.errors import InputError, ParameterError, nearest
from linkprior.io.readers.columns import plain
from linkprior.io.readers.dialect import Sample, sample_of
from linkprior.io.readers.endpoint_columns import ends_by_content, holds_scores
from linkprior.io.readers.header import NUMBER, Header, find_header
from linkprior.io.readers.table import SEPARATORS
from linkprior.io.text import Block
from linkprior.io.weights import column_called

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
    aside
        A column that is neither an end nor a score: it numbers the rows, or names relations.
    titles
        Lines of text above the table.
    note
        What the user should know about the columns.
    line, first
        The first row below titles and comments: its line, and its cells.
    weights
        The column the user wants weights from.
    """

    separator: str
    ends: tuple[int, int]
    width: int
    header: list[str] = field(default_factory=list)
    header_line: int | None = None
    sure: bool = False
    multiplex: bool = False
    aside: int | None = None
    titles: tuple[int, ...] = ()
    note: str = ""
    line: int = 1
    first: tuple[str, ...] = ()
    weights: int | None = None

    @property
    def score(self) -> int | None:
        """The column with a weight or score."""
        others = [at for at in range(self.width) if at not in (*self.ends, self.aside)]
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


def find_layout(
    block: Block,
    file: str,
    columns: tuple[str, str] | None = None,
    has_header: bool | None = None,
    weights: str | None = None,
) -> Layout:
    """Read the layout off the first lines; `has_header` decides where the user knows."""
    sample = sample_of(block, file)
    asked = _words_asked(columns or (), weights)
    header = find_header(sample.rows, sample.comment, asked, has_header)
    layout = _ends_found(sample, file, columns, header)
    return layout if weights is None else _weighted(layout, weights, file)


def _words_asked(columns: Sequence[str], weights: str | None) -> Sequence[str]:
    """Return the columns asked for, which tell a header; numbers do not, beside weights."""
    if weights is None:
        return columns
    return [name for name in (*columns, weights) if not name.isdecimal()]


def _ends_found(
    sample: Sample, file: str, columns: tuple[str, str] | None, header: Header | None
) -> Layout:
    """Return the layout with the two ends: chosen, told by the header, or by the cells."""
    if header is None:
        layout = _bare(sample, file)
    else:
        line = sample.line if header.is_row else None
        width = len(header.names)
        layout = Layout(sample.separator, header.ends, width, header.names, line, header.sure)
    first = tuple(sample.rows[0])
    layout = replace(layout, titles=sample.titles, line=sample.line, first=first)
    if columns is not None:
        return _chosen(layout, columns)
    if header is not None and header.told:
        return layout
    layout = _by_content(layout, sample)
    _refuse_matrix(sample, layout, file)
    return layout


def _by_content(layout: Layout, sample: Sample) -> Layout:
    """Return the layout with the ends the cells tell, where no header told them."""
    if layout.ends != (0, 1):
        return layout
    rows = sample.rows[1:] if layout.header_line else sample.rows
    if layout.header:  # a column beyond it has no name, and may be missing elsewhere
        rows = [row[: layout.width] for row in rows]
    ends = ends_by_content(rows)
    return replace(layout, ends=ends.columns, aside=ends.aside, note=ends.note)


def _bare(sample: Sample, file: str) -> Layout:
    """Return the layout without a header: the first two columns, unless there are layers."""
    width = len(sample.rows[0])
    layered = file.endswith((".edges", ".edges.gz")) and width == 4
    if layered and all(len(row) == 4 and all(map(NUMBER.fullmatch, row)) for row in sample.rows):
        return Layout(sample.separator, (1, 2), width, multiplex=True)
    return Layout(sample.separator, (0, 1), width)


def _refuse_matrix(sample: Sample, layout: Layout, file: str) -> None:
    """Refuse a table that would name nodes by measured numbers."""
    rows = sample.rows[1:] if layout.header_line else sample.rows
    numbers = [[bool(NUMBER.fullmatch(cell)) for cell in row] for row in rows]
    wide = bool(rows) and all(len(row) >= 10 and all(row) for row in numbers)
    named = len(rows) > 2 and all(not row[0] and all(row[1:]) for row in numbers)
    measured = layout.width > 3 or any(re.search(r"\d[.,]\d", row[1]) for row in rows)
    wide |= len(rows) > 2 and layout.ends[0] == 0 and holds_scores([row[0] for row in rows])
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


def _weighted(layout: Layout, weights: str, file: str) -> Layout:
    """Return the layout with the column of weights."""
    at = column_called(weights, layout.header, file, layout.width)
    if at in layout.ends:
        raise ParameterError(
            f"--weights: column {weights[:60]!r} of {file} is read as names of nodes; choose "
            "another, or choose those of the nodes with --columns A,B"
        )
    return replace(layout, weights=at)


def _column(layout: Layout, name: str) -> int:
    if name in layout.header:
        return layout.header.index(name)
    if name.isdecimal() and 1 <= int(name) <= layout.width:
        return int(name) - 1
    known = ", ".join(layout.header[:20]) or f"1 to {layout.width} (no header)"
    raise ParameterError(
        f"--columns: no column {name!r}.{nearest(name, layout.header)} There are: {known}"
    )

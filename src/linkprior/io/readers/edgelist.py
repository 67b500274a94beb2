"""Plain edge lists: one edge per line, two of its columns name the ends."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain, compress, islice

import numpy as np

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.options import ReadOptions
from linkprior.io.readers.columns import plain
from linkprior.io.readers.layout import Layout, find_layout
from linkprior.io.readers.table import Rows, is_data, iterate
from linkprior.io.source import Source
from linkprior.io.text import Block, text_blocks

_FEW = 10  # rows below which nothing odd is worth a word
_NON_EDGE = "labelled 0, a non-edge of the gold standard"


def read_edgelist(source: Source, found: EdgeCollector, options: ReadOptions) -> str:
    """Read an edge list with tab, comma, semicolon or space between its columns.

    Lines that begin with ``#``, ``%`` or ``!`` are comments. Columns are taken by header name where
    names tell, else the first two. Without a header, a third and last column of nothing but 0 and 1
    labels the rows of a gold standard: rows labelled 0 are non-edges.
    """
    options.refuse_others("an edge list", ["header", "columns", "min_score"])
    layout, blocks = _opened(source, options)
    labels = _Labels(layout.width == 3 and not layout.header and options.min_score is None)
    rows, widths = 0, set[int]()
    needed, header = max(layout.ends) + 1, layout.header_line
    for part in iterate(blocks, layout.separator, needed, source.name, header):
        rows += len(part.lines)
        widths |= part.widths
        part = _below_header(part, layout)  # noqa: PLW2901
        part = _strong(part, layout, options, found)  # noqa: PLW2901
        labels.take(part, layout)
        _add(part, layout, found)
    found.passed_over = source.lines - rows
    _settle_header(layout, found)
    _note_odd_names(layout, found)
    _note_odd_rows(layout, found, widths, options)
    return labels.settle(found) or layout.describe()


def _opened(source: Source, options: ReadOptions) -> tuple[Layout, Iterator[Block]]:
    """Return the layout, and the blocks from the first one that holds data."""
    blocks = text_blocks(source)
    for block in blocks:
        if any(map(is_data, io.StringIO(block.text))):
            layout = find_layout(block, source.name, options.columns, options.header)
            return layout, chain([block], blocks)
    raise InputError(f"{source.name}: no edge found; expected a line with two node names per edge")


def _below_header(part: Rows, layout: Layout) -> Rows:
    holds_header = part.lines and part.lines[0] == layout.header_line
    return part.below_first() if holds_header else part


def _add(part: Rows, layout: Layout, found: EdgeCollector) -> None:
    if layout.ends == (0, 1) and part.widths == {2} and "" not in part.flat:
        found.add_in_turn(part.flat, part.lines)
    else:
        found.add(part.column(layout.ends[0]), part.column(layout.ends[1]), part.lines)


def _settle_header(layout: Layout, found: EdgeCollector) -> None:
    """Take the first line for an edge after all when its words are nodes further down."""
    if layout.header_line is None or layout.sure:
        return
    a, b = (layout.header[at] for at in layout.ends)
    if not {a, b}.isdisjoint(found.names):
        found.add([a], [b], [layout.header_line])
        found.note(
            f"line {layout.header_line} looks like a header, but {a} or {b} is a node further "
            "down: it is read as an edge"
        )


def _note_odd_names(layout: Layout, found: EdgeCollector) -> None:
    """Say so when names end in a mark that may be a separator: a, b in a file cut at spaces."""
    if layout.separator != " ":
        return
    odd = next((name for name in found.names if name[-1] in ",;"), None)
    if odd:
        found.note(f"names such as {odd[:40]} end in a separator: are there two kinds in the file?")


def _note_odd_rows(
    layout: Layout, found: EdgeCollector, widths: set[int], options: ReadOptions
) -> None:
    """Say so when rows differ in width, the first one stands alone, or the file is a ranking."""
    a, b = (at + 1 for at in layout.ends)
    if not layout.header and len(widths) > 1:
        found.note(
            f"rows have {min(widths)} to {max(widths)} columns, and columns {a} and {b} are read: "
            "is this an adjacency list?"
        )
    if layout.header and max(widths, default=0) > layout.width:
        found.note(
            f"some rows have {max(widths)} columns, the header {layout.width}: names that hold the "
            "separator must be quoted"
        )
    if [plain(name) for name in layout.header[:4]] == ["rank", "source", "target", "score"]:
        found.note("looks like a ranking of linkprior: its predicted links are read as edges")
    ends = found.ends
    if layout.header or options.header is False or len(ends) < _FEW or ends[0, 0] == ends[0, 1]:
        return
    if np.isin(ends[1:], ends[0]).any():
        return
    names = found.names
    found.note(
        f"the first edge, {names[ends[0, 0]][:40]} – {names[ends[0, 1]][:40]}, shares no node with "
        "the others: if it is a header, --header says so"
    )


def _strong(part: Rows, layout: Layout, options: ReadOptions, found: EdgeCollector) -> Rows:
    """Return the rows whose score reaches the least one asked for."""
    if options.min_score is None:
        return part
    at, least = layout.score, options.min_score
    if at is None:
        raise ParameterError(
            f"--min-score: {found.file} has no column of scores (score, weight, confidence …); "
            "leave it out"
        )
    strong = [
        _number(row[at] if at < len(row) else "", found.file, line) >= least
        for row, line in zip(part.cells, part.lines, strict=True)
    ]
    found.drop(f"its score is below {least:g}", compress(part.lines, [not s for s in strong]))
    return part.where(strong)


def _number(text: str, file: str, line: int) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise InputError(
            f"{file}:{line}: expected a score, got {text[:30]!r}; complete the line, or leave out "
            "--min-score"
        ) from None


class _Labels:
    """Follows a third column as long as it is nothing but 0 and 1."""

    def __init__(self, possible: bool) -> None:
        self.possible, self._parts = possible, [np.empty(0, np.bool_)]
        self._lines: list[int] = []

    def take(self, part: Rows, layout: Layout) -> None:
        """Look at the labels of rows; a row without a name is dropped elsewhere."""
        if not self.possible or not part.lines:
            return
        if part.widths != {3} or not set(marks := part.column(2)) <= {"0", "1"}:
            self.possible = False
            return
        ends = zip(part.column(layout.ends[0]), part.column(layout.ends[1]), strict=True)
        named = [bool(a and b) for a, b in ends]
        positive = [mark == "1" for mark in compress(marks, named)]
        self._parts.append(np.array(positive, dtype=np.bool_))
        zeros = (
            line for line, yes in zip(compress(part.lines, named), positive, strict=True) if not yes
        )
        self._lines += islice(zeros, 5 - len(self._lines))

    def settle(self, found: EdgeCollector) -> str | None:
        """Leave out what is labelled 0, once all rows are known to be labelled."""
        if not self.possible:
            return None
        positive = np.concatenate(self._parts)
        zeros = int((~positive).sum())
        if not zeros:
            return None
        found.keep(positive)
        entry = found.dropped[_NON_EDGE]
        entry.count, entry.first_lines = zeros, self._lines
        return "gold standard: two names and a label, 1 for an edge and 0 for a non-edge"

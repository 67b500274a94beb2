"""Plain edge lists: one edge per line, two of its columns name the ends."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import chain, compress

import numpy as np

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.options import ReadOptions
from linkprior.io.readers.columns import plain
from linkprior.io.readers.gold_standard import Labels, Zeros
from linkprior.io.readers.header import NUMBER
from linkprior.io.readers.layout import Layout, find_layout
from linkprior.io.readers.table import Rows, is_data, iterate
from linkprior.io.source import Source
from linkprior.io.text import Block, text_blocks
from linkprior.io.weights import EdgeWeights

_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")
_FEW = 10  # rows below which nothing odd is worth a word


def read_edgelist(source: Source, found: EdgeCollector, options: ReadOptions) -> str:
    """Read an edge list with tab, comma, semicolon or space between its columns.

    Lines that begin with ``#``, ``%`` or ``!`` are comments. Columns are taken by header name where
    names tell, else the first two. Without a header, a third and last column of nothing but 0 and 1
    labels the rows of a gold standard: rows labelled 0 are non-edges.
    """
    options.refuse_others("an edge list", ["header", "columns", "min_score", "weights"])
    layout, blocks = _opened(source, options)
    unscored = options.min_score is None and layout.weights is None
    labels, zeros = Labels(layout, unscored), Zeros(layout, unscored)
    if layout.weights is not None:
        called = layout.header[layout.weights] if layout.header else ""
        found.weights = EdgeWeights(f"column {called or layout.weights + 1}", source.name)
    rows, widths = 0, set[int]()
    needed, header = max(layout.ends) + 1, layout.header_line
    for part in iterate(blocks, layout.separator, needed, source.name, header):
        rows += len(part.lines)
        widths |= part.widths
        part = _below_header(part, layout, found)  # noqa: PLW2901
        part = _strong(part, layout, options, found)  # noqa: PLW2901
        labels.take(part)
        zeros.take(part)
        _add(part, layout, found)
    found.passed_over = source.lines - rows - len(layout.titles)
    found.drop("text above the table", layout.titles)
    _refuse_counts(layout, rows, options, found)
    _settle_header(layout, found)
    _note_odd_names(layout, found)
    _note_odd_rows(layout, found, widths, options)
    guess = labels.settle(found)
    if guess is None:
        zeros.note(found)
    return guess or layout.describe()


def _opened(source: Source, options: ReadOptions) -> tuple[Layout, Iterator[Block]]:
    """Return the layout, and the blocks from the first one that holds data, without titles."""
    blocks = text_blocks(source)
    for block in blocks:
        if any(map(is_data, io.StringIO(block.text))):
            asked = options.columns, options.header, options.weights
            layout = find_layout(block, source.name, *asked)
            return layout, chain([_below_titles(block, layout)], blocks)
    raise InputError(f"{source.name}: no edge found; expected a line with two node names per edge")


def _below_titles(block: Block, layout: Layout) -> Block:
    if not layout.titles:
        return block
    first = layout.titles[-1] + 1
    return Block(first, block.text.split("\n", first - block.first)[-1])


def _below_header(part: Rows, layout: Layout, found: EdgeCollector) -> Rows:
    """Return the rows without the header, and without those that repeat it."""
    if layout.header_line is None:
        return part
    if part.lines and part.lines[0] == layout.header_line:
        part = part.below_first()
    if layout.header[layout.ends[0]] not in part.flat:
        return part
    repeated = [row == layout.header for row in part.cells]
    found.drop("repeats the header", compress(part.lines, repeated))
    return part.where([not again for again in repeated])


def _refuse_counts(layout: Layout, rows: int, options: ReadOptions, found: EdgeCollector) -> None:
    """Refuse a first row that counts the others: nodes and edges, or Matrix Market's sizes."""
    counts = layout.first
    if layout.header or options.header is False or options.columns or rows <= _FEW:
        return
    if len(counts) not in (2, 3) or counts[-1] != str(rows - 1):
        return
    if all(map(str.isdecimal, counts)) and len(found.names) <= max(map(int, counts[:-1])) + 2:
        what = "the size of a matrix" if len(counts) == 3 else "numbers of nodes and edges"
        raise InputError(
            f"{found.file}:{layout.line}: {' '.join(counts)!r} looks like {what}, as {rows - 1} "
            "rows follow; remove the line, or say --no-header if it is an edge"
        )


def _add(part: Rows, layout: Layout, found: EdgeCollector) -> None:
    if layout.weights is not None:
        first, second = map(part.column, layout.ends)
        found.add(first, second, part.lines, _weights(part, layout.weights))
    elif layout.ends == (0, 1) and part.widths == {2} and "" not in part.flat:
        found.add_in_turn(part.flat, part.lines)
    else:
        found.add(part.column(layout.ends[0]), part.column(layout.ends[1]), part.lines)


def _weights(part: Rows, at: int) -> list[str]:
    """Return the weights of rows; a row that ends before them has none."""
    if part.lines and min(part.widths) > at:
        return part.column(at)
    return [row[at] if at < len(row) else "" for row in part.cells]


def _settle_header(layout: Layout, found: EdgeCollector) -> None:
    """Take the first line for an edge after all when its words are nodes further down."""
    if layout.header_line is None or layout.sure:
        return
    a, b = (layout.header[at] for at in layout.ends)
    weights = None if layout.weights is None else [layout.header[layout.weights]]
    if weights and not NUMBER.fullmatch(weights[0]):
        return  # the word above the weights is none of them
    if not {a, b}.isdisjoint(found.names):
        found.add([a], [b], [layout.header_line], weights)
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
    if layout.note:
        found.note(layout.note)
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
    if not layout.header and options.header is not False:
        _note_lone_first_edge(found)


def _note_lone_first_edge(found: EdgeCollector) -> None:
    """Say so when the first row shares no node with others: it may be a header nobody knows."""
    ends = found.ends
    if len(ends) < _FEW or ends[0, 0] == ends[0, 1]:
        return
    a, b = (found.names[at] for at in ends[0])
    # Tables put one below the other repeat their header; an edge that repeats is seen twice.
    may_repeat = not re.search(r"\d", a + b)
    others = ends[(ends != ends[0]).any(axis=1)] if may_repeat else ends[1:]
    if not np.isin(others, ends[0]).any():
        found.note(
            f"the first edge, {a[:40]} – {b[:40]}, shares no node with the others: if it is a "
            "header, --header says so"
        )


def _strong(part: Rows, layout: Layout, options: ReadOptions, found: EdgeCollector) -> Rows:
    """Return the rows whose score reaches the least one asked for."""
    if options.min_score is None:
        return part
    at = layout.weights if layout.score is None else layout.score
    least = options.min_score
    if at is None:
        raise ParameterError(
            f"--min-score: {found.file} has no column of scores (score, weight, confidence …); "
            "leave it out"
        )
    called = f" ({layout.header[at]})" if layout.header else ""
    found.note(f"--min-score {least:g} goes by column {at + 1}{called}")
    scores = np.array(
        [
            _number(row[at] if at < len(row) else "", found.file, line)
            for row, line in zip(part.cells, part.lines, strict=True)
        ]
    )
    found.drop("the score is NaN", compress(part.lines, np.isnan(scores)))
    found.drop(f"the score is below {least:g}", compress(part.lines, scores < least))
    return part.where((scores >= least).tolist())


def _number(text: str, file: str, line: int) -> float:
    try:
        if _THOUSANDS.fullmatch(text.strip()):  # 1,234: is that more than a thousand, or little?
            raise ValueError
        return float(text.replace(",", "."))
    except ValueError:
        raise InputError(
            f"{file}:{line}: expected a score, got {text[:30]!r}; write it as a plain number, or "
            "leave out --min-score"
        ) from None

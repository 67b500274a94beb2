"""Rows of delimited text: cut into cells, comments and blank lines passed over, quotes undone."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, compress, pairwise

import numpy as np

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector, EdgeWeights
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.columns import (
    MISSING,
    NUMBER,
    SEPARATORS,
    Layout,
    Row,
    Sample,
    find_layout,
    plain,
)
from linkprior.io.source import LONGEST_LINE, Block, Source, text_blocks

COMMENTS = ("#", "%", "!")
SPACES = " \xa0"
# A spreadsheet's errors begin like comments, and must not vanish like comments.
SPREADSHEET_ERRORS = ("#N/A", "#NAME?", "#REF!", "#VALUE!", "#NUM!", "#DIV/0!", "#NULL!")
# Excel puts sep=; above a table, to mark the separator.
_PASSED_OVER = (*COMMENTS, "sep=")
_NO_ROW = (" ", "\t", *COMMENTS, "sep=")
_ALL_BUT = {mark: bytes(set(range(256)) - {10, ord(mark)}) for mark in SEPARATORS}


@dataclass(frozen=True)
class Rows:
    """The rows of one block: line numbers, all cells in one list, and where each row begins.

    Rows of one width, as in nearly every table, are cut in one go and their columns taken by
    slices; that is several times as fast as a list per row.
    """

    lines: Sequence[int]
    flat: list[str]
    starts: Sequence[int]

    @classmethod
    def of(cls, lines: Sequence[int], rows: Iterable[Row]) -> Rows:
        """Build from rows; each may be forgotten once it was taken."""
        flat: list[str] = []
        starts = [0]
        for row in rows:
            flat += row
            starts.append(len(flat))
        even = range(0, len(flat) + 1, starts[1] if flat else 1)
        return cls(lines, flat, even if starts == list(even) else starts)

    @property
    def cells(self) -> list[Row]:
        """The rows as lists."""
        return [self.flat[start:stop] for start, stop in pairwise(self.starts)]

    @property
    def widths(self) -> set[int]:
        """How many cells the rows have."""
        if not self.lines:
            return set()
        if isinstance(self.starts, range):
            return {self.starts.step}
        return {stop - start for start, stop in pairwise(self.starts)}

    def column(self, at: int) -> list[str]:
        """Return one column; every row must have it."""
        if isinstance(self.starts, range):
            return self.flat[at :: self.starts.step]
        return [self.flat[start + at] for start in self.starts[:-1]]

    def cell_of(self, at: int) -> list[str]:
        """Return one column, with nothing for rows that end before it."""
        if self.lines and min(self.widths) > at:
            return self.column(at)
        return [row[at] if at < len(row) else "" for row in self.cells]

    def where(self, wanted: Sequence[bool]) -> Rows:
        """Return the rows wanted."""
        if all(wanted):
            return self
        return Rows.of(list(compress(self.lines, wanted)), list(compress(self.cells, wanted)))

    def below_first(self) -> Rows:
        """Return all rows but the first."""
        if not isinstance(self.starts, range):
            return Rows.of(self.lines[1:], self.cells[1:])
        return Rows(self.lines[1:], self.flat[self.starts.step :], self.starts[:-1])


def separator_of(line: str) -> str:
    """Return the separator of a line: tab, else the first of comma and semicolon, else space."""
    if "\t" in line:
        return "\t"
    places = [(line.find(mark), mark) for mark in ",;" if mark in line]
    return min(places)[1] if places else " "


def is_data(line: str) -> bool:
    """Return whether a line is neither blank nor a comment."""
    start = line.lstrip(" \t\n")
    return bool(start) and (
        not start.startswith(_PASSED_OVER) or start.startswith(SPREADSHEET_ERRORS)
    )


def rows_of(
    block: Block, separator: str, needed: int, name: str, header_line: int | None = None
) -> Rows:
    """Cut a block into rows of `needed` cells or more (a header of R has fewer), or say where."""
    text = block.text.removesuffix("\n")
    numbers: Sequence[int] = range(block.first, block.first + text.count("\n") + 1)
    # Where a line may be a comment, it has to go first; a blank line shows in the cells.
    starts = [mark for mark in _NO_ROW if mark != separator or mark == " "]
    commented = any(mark in text and f"\n{mark}" in text for mark in starts)
    rows = None
    if not (commented or text.startswith(_NO_ROW)):
        rows = _even_rows(text, numbers, separator)
    if rows is None or "" in rows.flat:
        if any(f"\n{mark}" in f"\n{text}\n" for mark in ("\n", *_NO_ROW)):
            lines = text.split("\n")
            kept = [is_data(line) for line in lines]
            text, numbers = "\n".join(compress(lines, kept)), list(compress(numbers, kept))
        if not numbers:
            return Rows([], [], [0])
        rows = _even_rows(text, numbers, separator) or _uneven_rows(text, numbers, separator, name)
    if "\xa0" in text or (" " in text and (separator != " " or '"' in text)):
        rows = Rows(numbers, [cell.strip(SPACES) for cell in rows.flat], rows.starts)
    if min(rows.widths) < needed:
        for at, row in enumerate(rows.cells):
            if len(row) < needed and numbers[at] != header_line:
                line = text.split("\n")[at]
                raise InputError(_too_short(f"{name}:{numbers[at]}", line, separator, needed))
    return rows


def _even_rows(text: str, numbers: Sequence[int], separator: str) -> Rows | None:
    """Cut rows of one width in one go; None where widths differ or quotes have to be undone."""
    if '"' in text:
        return None
    if separator == " ":
        text = _single_spaced(text)
    marks = text.encode().translate(None, _ALL_BUT[separator])
    first = marks[: marks.find(b"\n") + 1] or marks + b"\n"
    if first * len(numbers) != marks + b"\n":
        return None
    cells = text.replace("\n", separator).split(separator)
    return Rows(numbers, cells, range(0, len(cells) + 1, len(first)))


def _uneven_rows(text: str, numbers: Sequence[int], separator: str, name: str) -> Rows:
    """Cut line by line, and undo quotes: of all lines at once, unless one needs a closer look."""
    lines = text.split("\n")
    if '"' in text and not (separator == " " and "\t" in text):
        bare = [line.strip(" ") for line in lines] if separator == " " else lines
        with suppress(csv.Error):
            rows = Rows.of(numbers, _csv_rows(bare, separator))
            if len(rows.starts) == len(numbers) + 1:  # no name in quotes goes on in the next line
                return rows
    return Rows.of(
        numbers,
        (
            unquoted(line, separator, f"{name}:{number}") if '"' in line else _cut(line, separator)
            for number, line in zip(numbers, lines, strict=True)
        ),
    )


def _csv_rows(lines: Iterable[str], separator: str) -> Iterator[Row]:
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)


def _cut(line: str, separator: str) -> Row:
    return (_single_spaced(line) if separator == " " else line).split(separator)


def _single_spaced(text: str) -> str:
    """Return the text with one space for every run of spaces and tabs, none at ends of lines."""
    text = text.replace("\t", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.replace(" \n", "\n").replace("\n ", "\n").strip(" ")


def unquoted(line: str, separator: str, where: str) -> Row:
    """Cut one line at separators outside quotes, or say that the quotes do not match."""
    if len(line) > LONGEST_LINE // 8:
        raise InputError(f"{where}: a quoted line of {len(line)} characters; is a quote missing?")
    try:
        return next(_csv_rows([line.strip(" ")], separator))
    except csv.Error:
        raise InputError(
            f"{where}: quotes do not match in {line.strip()[:60]!r}: expected them around whole "
            f"names, with a {SEPARATORS[separator]} between; close them on their line"
        ) from None


def _too_short(where: str, line: str, separator: str, needed: int) -> str:
    here = line.strip()
    width = len(_cut(here, separator))
    text = (
        f"{where}: expected {needed} columns with a {SEPARATORS[separator]} between them, got "
        f"{width}: {here[:60]!r}"
    )
    other = separator_of(here)
    if other != separator and other in here:
        return f"{text}. This line has a {SEPARATORS[other]}: use one separator throughout"
    return f"{text}. Complete the line, or start it with # to have it skipped"


_SAMPLE, _MOST_TITLES = 200, 60
_OTHER_TEXT = {
    "XML or a web page": r"<(\?xml|!doctype|html|head|body|svg)\b",
    "JSON": r'[\[{]\s*(["\[{]|$)',
}
_DECIMAL_COMMA = re.compile(r"[-+]?\d{0,400},\d{1,400}")
# BioGRID's first table explains itself at length before this header.
_TAB1 = re.compile(r"INTERACTOR_A\tINTERACTOR_B\t")


def sample_of(block: Block, file: str) -> Sample:
    """Return the first rows of a block."""
    comments, lines = list[tuple[int, str]](), list[tuple[int, str]]()
    for number, raw in enumerate(io.StringIO(block.text), block.first):
        line = raw.removesuffix("\n")
        if is_data(line):
            lines.append((number, line))
        elif line.strip():
            comments.append((number, line.strip()))
        if len(lines) == _SAMPLE:
            break
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


def _refuse_other_text(lines: Sequence[tuple[int, str]], file: str) -> None:
    """Refuse what is obviously not an edge list: markup, JSON, a list of names."""
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
    """Return how many lines of text are above the table: those without the mark of all others."""
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
    """Return whether a line is a row after all, with another separator than those below it."""
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
    mark = common[0] if len(common) == 1 else separator_of(first)
    return " " if mark == "," and all(map(_has_decimal_commas, bare)) else mark


def _without_quoted(line: str) -> str:
    return re.sub('"[^"]*"', '""', line)


def _has_decimal_commas(line: str) -> bool:
    """Return whether a line is cut by spaces, its commas being those of numbers: a b 0,5."""
    words = line.split()
    return len(words) > 2 and all(
        "," not in word or (at > 1 and _DECIMAL_COMMA.fullmatch(word))
        for at, word in enumerate(words)
    )


_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")
_FEW = 10  # rows below which nothing odd is mentioned


def read_edgelist(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read an edge list with tab, comma, semicolon or space between its columns.

    Lines that begin with ``#``, ``%`` or ``!`` are comments. Columns are taken by header name where
    names tell, else the first two. Without a header, a third and last column of nothing but 0 and 1
    labels the rows of a gold standard: rows labelled 0 are non-edges.
    """
    options.refuse_others("an edge list", ["header", "columns", "min_score", "weights"])
    blocks = text_blocks(source)
    block = next((one for one in blocks if any(map(is_data, io.StringIO(one.text)))), None)
    if block is None:
        raise InputError(
            f"{source.name}: no edge found; expected a line with two node names per edge"
        )
    asked = options.columns, options.header, options.weights
    layout = find_layout(sample_of(block, source.name), source.name, *asked)
    start = layout.sample.titles[-1] + 1 if layout.sample.titles else block.first
    below = Block(start, block.text.split("\n", start - block.first)[-1])
    unscored = options.min_score is None and layout.weights is None
    labels, zeros = Labels(layout, unscored), Zeros(layout, unscored)
    if layout.weights is not None:
        called = layout.header[layout.weights] if layout.header else ""
        out.weights = EdgeWeights(f"column {called or layout.weights + 1}", source.name)
    n_rows, widths = 0, set[int]()
    two_columns = layout.ends == (0, 1) and layout.weights is None
    needed = max(layout.ends) + 1
    for block in chain([below], blocks):
        part = rows_of(block, layout.sample.separator, needed, source.name, layout.header_line)
        n_rows += len(part.lines)
        widths |= part.widths
        part = _strong(_below_header(part, layout, out), layout, options.min_score, out)
        labels.take(part)
        zeros.take(part)
        if two_columns and part.widths == {2} and "" not in part.flat:
            out.add_in_turn(part.flat, part.lines)
        else:
            weights = None if layout.weights is None else part.cell_of(layout.weights)
            sources, targets = map(part.column, layout.ends)
            out.add(sources, targets, part.lines, weights)
    out.passed_over = source.lines - n_rows - len(layout.sample.titles)
    out.drop("text above the table", layout.sample.titles)
    bare = not layout.header and options.header is not False
    if bare and options.columns is None:
        _refuse_counts(layout, n_rows, out)
    _settle_header(layout, out)
    _note_odd(layout, out, widths)
    if bare:
        _note_lone_first_edge(out)
    if labels.settle(out):
        return "gold standard: two names and a label, 1 for an edge and 0 for a non-edge"
    zeros.note(out)
    return layout.describe()


def _below_header(part: Rows, layout: Layout, out: EdgeCollector) -> Rows:
    """Return the rows without the header, and without those that repeat it."""
    if layout.header_line is None:
        return part
    if part.lines and part.lines[0] == layout.header_line:
        part = part.below_first()
    if layout.header[layout.ends[0]] not in part.flat:
        return part
    repeated = [row == layout.header for row in part.cells]
    out.drop("repeats the header", compress(part.lines, repeated))
    return part.where([not again for again in repeated])


def _refuse_counts(layout: Layout, n_rows: int, out: EdgeCollector) -> None:
    """Refuse a first row that counts the others: nodes and edges, or Matrix Market's sizes."""
    counts = layout.sample.rows[0]
    if n_rows <= _FEW or len(counts) not in (2, 3) or counts[-1] != str(n_rows - 1):
        return
    if all(map(str.isdecimal, counts)) and len(out.names) <= max(map(int, counts[:-1])) + 2:
        what = "the size of a matrix" if len(counts) == 3 else "numbers of nodes and edges"
        raise InputError(
            f"{out.file}:{layout.sample.line}: {' '.join(counts)!r} looks like {what}, as "
            f"{n_rows - 1} rows follow; remove the line, or say --no-header if it is an edge"
        )


def _settle_header(layout: Layout, out: EdgeCollector) -> None:
    """Take the first line for an edge after all when its words are nodes further down."""
    if layout.header_line is None or layout.sure:
        return
    a, b = (layout.header[at] for at in layout.ends)
    weights = None if layout.weights is None else [layout.header[layout.weights]]
    if weights and not NUMBER.fullmatch(weights[0]):
        return  # the word above the weights is none of them
    if not {a, b}.isdisjoint(out.names):
        out.add([a], [b], [layout.header_line], weights)
        out.note(
            f"line {layout.header_line} looks like a header, but {a} or {b} is a node further "
            "down: it is read as an edge"
        )


def _note_odd(layout: Layout, out: EdgeCollector, widths: set[int]) -> None:
    """Note when names end in a separator, rows differ in width, or the file is a ranking."""
    odd = next((name for name in out.names if name[-1] in ",;"), None)
    if odd and layout.sample.separator == " ":
        out.note(f"names such as {odd[:40]} end in a separator: are there two kinds in the file?")
    if layout.note:
        out.note(layout.note)
    if not layout.header and len(widths) > 1:
        a, b = (at + 1 for at in layout.ends)
        out.note(
            f"rows have {min(widths)} to {max(widths)} columns, and columns {a} and {b} are read: "
            "is this an adjacency list?"
        )
    if layout.header and max(widths, default=0) > layout.width:
        out.note(
            f"some rows have {max(widths)} columns, the header {layout.width}: names that hold the "
            "separator must be quoted"
        )
    if [plain(name) for name in layout.header[:4]] == ["rank", "source", "target", "score"]:
        out.note("looks like a ranking of linkprior: its predicted links are read as edges")


def _note_lone_first_edge(out: EdgeCollector) -> None:
    """Note when the first row shares no node with others: it may be an unknown header."""
    ends = out.ends
    if len(ends) < _FEW or ends[0, 0] == ends[0, 1]:
        return
    a, b = (out.names[at] for at in ends[0])
    # Tables put one below the other repeat their header; an edge that repeats is seen twice.
    may_repeat = not re.search(r"\d", a + b)
    others = ends[(ends != ends[0]).any(axis=1)] if may_repeat else ends[1:]
    if not np.isin(others, ends[0]).any():
        out.note(
            f"the first edge, {a[:40]} – {b[:40]}, shares no node with the others: if it is a "
            "header, --header says so"
        )


def _strong(part: Rows, layout: Layout, least: float | None, out: EdgeCollector) -> Rows:
    """Return the rows whose score reaches the least one asked for."""
    if least is None:
        return part
    at = layout.weights if layout.score is None else layout.score
    if at is None:
        raise ParameterError(
            f"--min-score: {out.file} has no column of scores (score, weight, confidence …); "
            "leave it out"
        )
    called = f" ({layout.header[at]})" if layout.header else ""
    out.note(f"--min-score {least:g} goes by column {at + 1}{called}")
    cells = zip(part.cell_of(at), part.lines, strict=True)
    scores = np.array([_score(cell, f"{out.file}:{line}") for cell, line in cells])
    out.drop("the score is NaN", compress(part.lines, np.isnan(scores)))
    out.drop(f"the score is below {least:g}", compress(part.lines, scores < least))
    return part.where((scores >= least).tolist())


def _score(cell: str, where: str) -> float:
    try:
        if _THOUSANDS.fullmatch(cell.strip()):  # 1,234: is that more than a thousand, or little?
            raise ValueError
        return float(cell.replace(",", "."))
    except ValueError:
        raise InputError(
            f"{where}: expected a score, got {cell[:30]!r}; write it as a plain number, or leave "
            "out --min-score"
        ) from None


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
    """Follows a third and last column as long as it is nothing but 0 and 1, or FALSE and TRUE."""

    def __init__(self, layout: Layout, possible: bool) -> None:
        self.possible = possible and not layout.header and set(layout.ends) == {0, 1}
        self._marks, self._lines = [np.empty(0, np.int8)], [np.empty(0, np.int64)]

    def take(self, part: Rows) -> None:
        """Look at the labels of rows; a row without a name is dropped elsewhere."""
        if not self.possible or not part.lines:
            return
        ended = part.widths == {4} and set(part.column(3)) == {""}
        cells = part.column(2) if part.widths == {3} or ended else []
        distinct = set(cells)
        few = 0 < len(distinct) <= 2 * len(_LABELS)
        if not few or not {cell.lower() for cell in distinct} <= _LABELS.keys():
            self.possible = False
            return
        meaning = {cell: _LABELS[cell.lower()] for cell in distinct}
        ends = zip(part.column(0), part.column(1), strict=True)
        named = np.array([bool(a and b) for a, b in ends])
        marks = np.array([meaning[cell] for cell in cells], dtype=np.int8)
        self._marks.append(marks[named])
        self._lines.append(np.array(part.lines, dtype=np.int64)[named])

    def settle(self, out: EdgeCollector) -> bool:
        """Leave out what is labelled 0 or not at all, if all rows turned out to be labelled."""
        marks, lines = np.concatenate(self._marks), np.concatenate(self._lines)
        if not self.possible or not (marks == _NO_EDGE).any():
            return False
        out.non_edges = out.ends[marks == _NO_EDGE]
        out.keep(marks == _EDGE)
        for mark, reason in ((_NO_EDGE, _NON_EDGE), (_MISSING, _UNKNOWN)):
            out.drop(reason, lines[marks == mark].tolist())
        return True


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
        if not self._rows and not all(
            NUMBER.fullmatch(cell) or cell.lower() in MISSING for cell in cells[:200]
        ):
            self._at = None
            return
        self._zeros += sum(map(_ZEROS.__contains__, cells))
        self._rows += len(cells)

    def note(self, out: EdgeCollector) -> None:
        """Note how many there are, where other rows have another weight."""
        if not 0 < self._zeros < self._rows:
            return
        what = self._flag[:40] or "weight"
        how = "remove the non-edges" if self._flag else "--min-score sets the least weight"
        out.note(f"{self._zeros:,} of {self._rows:,} rows have {what} 0 and count as edges; {how}")

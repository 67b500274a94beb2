"""Rows of delimited text: cut into cells, comments and blank lines passed over, quotes undone."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise

from linkprior.errors import InputError
from linkprior.io.text import LONGEST_LINE, Block

COMMENTS = ("#", "%", "!")
SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", " ": "space"}
Row = list[str]
SPACES = " \xa0"
# A spreadsheet's errors begin like comments, and must not vanish like comments.
SPREADSHEET_ERRORS = ("#N/A", "#NAME?", "#REF!", "#VALUE!", "#NUM!", "#DIV/0!", "#NULL!")
# Excel puts sep=; above a table, to tell itself the separator.
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


def data_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that hold data, with their places (0 is the first line)."""
    return [(at, line) for at, line in enumerate(text.split("\n")) if is_data(line)]


def is_data(line: str) -> bool:
    """Tell whether a line is neither blank nor a comment."""
    start = line.lstrip(" \t\n")
    return bool(start) and (
        not start.startswith(_PASSED_OVER) or start.startswith(SPREADSHEET_ERRORS)
    )


def rows_of(
    block: Block, separator: str, needed: int, name: str, header_line: int | None = None
) -> Rows:
    """Cut a block into rows of at least `needed` cells, or say which line is too short.

    A header may be shorter: R leaves out the name of the row names.
    """
    text = block.text.removesuffix("\n")
    numbers: Sequence[int] = range(block.first, block.first + text.count("\n") + 1)
    rows = None if _may_hold_comments(text, separator) else _even_rows(text, numbers, separator)
    if rows is None or "" in rows.flat:
        text, numbers = _rows_only(text, numbers)
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


def _may_hold_comments(text: str, separator: str) -> bool:
    """Tell whether a line may be a comment. A blank line shows in the cells instead."""
    starts = [mark for mark in _NO_ROW if mark != separator or mark == " "]
    return text.startswith(_NO_ROW) or any(mark in text and f"\n{mark}" in text for mark in starts)


def _rows_only(text: str, numbers: Sequence[int]) -> tuple[str, Sequence[int]]:
    """Return the text without comments and blank lines, and the numbers of its lines."""
    if not text.strip(" \t\n"):
        return "", []
    if not any(f"\n{mark}" in f"\n{text}\n" for mark in ("\n", *_NO_ROW)):
        return text, numbers
    lines = text.split("\n")
    kept = [is_data(line) for line in lines]
    return "\n".join(compress(lines, kept)), list(compress(numbers, kept))


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
    """Cut line by line, and undo quotes."""
    lines = text.split("\n")
    quoted = _quoted_rows(lines, numbers, separator) if '"' in text else None
    return quoted or Rows.of(
        numbers,
        (
            unquoted(line, separator, f"{name}:{number}") if '"' in line else _cut(line, separator)
            for number, line in zip(numbers, lines, strict=True)
        ),
    )


def _quoted_rows(lines: Sequence[str], numbers: Sequence[int], separator: str) -> Rows | None:
    """Undo the quotes of many lines at once; None where one of them needs a closer look."""
    if separator == " ":
        if any("\t" in line for line in lines):
            return None
        lines = [line.strip(" ") for line in lines]
    try:
        rows = Rows.of(numbers, _csv_rows(lines, separator))
    except csv.Error:
        return None
    # A name in quotes may not go on in the next line.
    return rows if len(rows.starts) == len(numbers) + 1 else None


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
    found = len(_cut(here, separator))
    text = (
        f"{where}: expected {needed} columns with a {SEPARATORS[separator]} between them, got "
        f"{found}: {here[:60]!r}"
    )
    other = separator_of(here)
    if other != separator and other in here:
        return f"{text}. This line has a {SEPARATORS[other]}: use one separator throughout"
    return f"{text}. Complete the line, or start it with # to have it skipped"


def iterate(
    blocks: Iterator[Block],
    separator: str,
    needed: int,
    name: str,
    header_line: int | None = None,
) -> Iterator[Rows]:
    """Yield the rows of all blocks."""
    for block in blocks:
        yield rows_of(block, separator, needed, name, header_line)

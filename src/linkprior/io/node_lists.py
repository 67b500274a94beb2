"""Files that name nodes or pairs a user asks about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, fault_of
from linkprior.io.formats import FORMATS, ReadOptions, format_of
from linkprior.io.readers.delimited import SPACES, is_data, unquoted
from linkprior.io.source import LONGEST_LINE, Source, every_line, open_source

T = TypeVar("T")


class Listed(list[T]):
    """What a list names, the file's SHA-256, and how many of its pairs were not asked for."""

    def __init__(self, items: Iterable[T], sha256: str = "", left_out: int = 0) -> None:
        super().__init__(items)
        self.sha256, self.left_out = sha256, left_out


def read_names(path: str | Path) -> Listed[str]:
    """Return the node names of a list, one per line (its first column), each once."""
    names: dict[str, None] = {}
    with open_source(path) as source:
        for where, line in _lines_of(source):
            # As the first cell of a table has it, a name may hold blanks and commas, but no tab.
            cells = unquoted(line, "\t", where) if line.startswith('"') else line.split("\t", 1)
            name = cells[0].strip(SPACES)
            fault = fault_of(name)
            if fault:  # no node is called so, and no message could show it
                raise InputError(f"{where}: {fault}")
            if name:
                names[name] = None
        sha256 = source.sha256()
    if not names:
        raise InputError(f"{source.name}: no name found; expected one node name per line")
    return Listed(names, sha256)


def read_degrees(path: str | Path) -> Listed[tuple[str, int]]:
    """Return the degree of each node in a list: a name and a whole number ≥ 0 per line.

    Columns are separated by tabs, commas or blanks; a first line whose second column is no number
    is a header.
    """
    degrees: dict[str, int] = {}
    with open_source(path) as source:
        for count, (where, line) in enumerate(_lines_of(source)):
            mark = next((mark for mark in ("\t", ",") if mark in line), None)
            cells = line.split() if mark is None else unquoted(line, mark, where)
            if len(cells) < 2:
                raise InputError(f"{where}: expected a node and its degree, got {line[:60]!r}")
            name, text = cells[0].strip(SPACES), cells[1].strip(SPACES)
            if count == 0 and _WORD.search(text):
                continue
            number = float(text) if _NUMBER.fullmatch(text) else None
            if number is None or not 0 <= number < 2**31 or number != int(number):
                raise InputError(f"{where}: a degree must be a whole number ≥ 0, got {text[:60]!r}")
            degree = int(number)
            if degrees.setdefault(name, degree) != degree:
                raise InputError(
                    f"{where}: {name} has degree {degree} here and {degrees[name]} before"
                )
        sha256 = source.sha256()
    if not degrees:
        raise InputError(f"{source.name}: no degree found; expected a node and a number per line")
    return Listed(degrees.items(), sha256)


_WORD = re.compile(r"[A-Za-z]{3}")  # of a header: numbers, NA and the like have none
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")


def _lines_of(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the lines that hold data, and their positions."""
    for number, line in every_line(source, LONGEST_LINE):
        if is_data(line):
            yield f"{source.name}:{number}", line.strip(SPACES)


def read_pairs(
    path: str | Path, options: ReadOptions | None = None, non_edges: bool = False
) -> Listed[tuple[str, str]]:
    """Return the pairs of a file in any network format, as edges or not: tested is tested.

    Rows labelled 0, negative interactions and links that an earlier prediction wrote count too.
    With `non_edges`, a file that distinguishes links from non-edges gives the latter alone.
    """
    with open_source(path) as source:
        out = EdgeCollector(source.name)
        FORMATS[format_of(source)].reader()(source, out, options or ReadOptions())
        sha256 = source.sha256()
    names = out.names
    every = np.concatenate([out.ends, out.non_edges, out.predicted])
    if not len(every):
        raise InputError(f"{source.name}: no pair found; expected two columns of node names")
    pairs = out.non_edges if non_edges and len(out.non_edges) else every
    listed = ((names[i], names[j]) for i, j in pairs.tolist())
    return Listed(listed, sha256, len(every) - len(pairs))

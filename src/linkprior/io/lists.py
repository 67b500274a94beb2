"""Files that name nodes or pairs a user asks about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import numpy as np

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, fault_of
from linkprior.io.formats import FORMATS, format_of
from linkprior.io.options import ReadOptions
from linkprior.io.readers.table import SPACES, data_lines, unquoted
from linkprior.io.source import open_source
from linkprior.io.text import text_blocks

T = TypeVar("T")


class Listed(list[T]):
    """What a list names, and the SHA-256 of the file, by which a run knows it again.

    `left_out` counts pairs of the file that were not asked for.
    """

    sha256: str = ""
    left_out: int = 0


def read_names(path: str | Path) -> Listed[str]:
    """Return the node names of a list, each once: one per line, the first column where there are
    several.
    """
    names: dict[str, None] = {}
    with open_source(path) as source:
        for block in text_blocks(source):
            for at, line in data_lines(block.text):
                where = f"{source.name}:{block.first + at}"
                name = _first_cell(line, where)
                fault = fault_of(name)
                if fault:  # no node is called so, and no message could show it
                    raise InputError(f"{where}: {fault}")
                if name:
                    names[name] = None
        sha256 = source.sha256()
    if not names:
        raise InputError(f"{source.name}: no name found; expected one node name per line")
    return _listed(names, sha256)


def _first_cell(line: str, where: str) -> str:
    """Return a name as the first cell of a table has it; it may hold blanks and commas, no tab."""
    line = line.strip(SPACES)
    cells = unquoted(line, "\t", where) if line.startswith('"') else line.split("\t", 1)
    return cells[0].strip(SPACES)


def read_pairs(
    path: str | Path, options: ReadOptions | None = None, non_edges: bool = False
) -> Listed[tuple[str, str]]:
    """Return the pairs of a file in any network format, as edges or not: tested is tested.

    Rows labelled 0, negative interactions and links that an earlier prediction wrote count too.
    With `non_edges`, a file that tells links from non-edges gives the latter alone.
    """
    with open_source(path) as source:
        found = EdgeCollector(source.name)
        FORMATS[format_of(source)].reader()(source, found, options or ReadOptions())
        sha256 = source.sha256()
    names = found.names
    every = np.concatenate([found.ends, found.non_edges, found.predicted])
    if not len(every):
        raise InputError(f"{source.name}: no pair found; expected two columns of node names")
    pairs = found.non_edges if non_edges and len(found.non_edges) else every
    listed = _listed(((names[i], names[j]) for i, j in pairs.tolist()), sha256)
    listed.left_out = len(every) - len(pairs)
    return listed


def _listed(items: Iterable[T], sha256: str) -> Listed[T]:
    listed = Listed(items)
    listed.sha256 = sha256
    return listed

"""Files that name nodes or pairs a user asks about."""

from __future__ import annotations

from pathlib import Path

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import FORMATS, format_of
from linkprior.io.options import ReadOptions
from linkprior.io.readers.table import data_lines
from linkprior.io.source import open_source
from linkprior.io.text import text_blocks


def read_names(path: str | Path) -> list[str]:
    """Return the node names of a list, each once: one per line, the first column where there are
    several.
    """
    names: dict[str, None] = {}
    with open_source(path) as source:
        for block in text_blocks(source):
            for _, line in data_lines(block.text):
                # A name may hold a space or comma: only a tab ends it.
                name = line.split("\t")[0].strip().strip('"')
                if name:
                    names[name] = None
    if not names:
        raise InputError(f"{path}: no name found; expected one node name per line")
    return list(names)


def read_pairs(path: str | Path) -> list[tuple[str, str]]:
    """Return the pairs of a file in any network format, those labelled 0 too: tested is tested."""
    with open_source(path) as source:
        found = EdgeCollector(source.name)
        FORMATS[format_of(source)].reader()(source, found, ReadOptions())
    names = found.names
    pairs = [*found.ends.tolist(), *found.non_edges.tolist()]
    if not pairs:
        raise InputError(f"{path}: no pair found; expected two columns of node names")
    return [(names[i], names[j]) for i, j in pairs]


def digest_of(path: str | Path) -> str:
    """Return the SHA-256 of such a file, by which a run knows it again."""
    with open_source(path) as source:
        return source.sha256()

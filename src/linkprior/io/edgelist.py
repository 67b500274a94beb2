"""Plain edge lists: two columns of names, one edge per line."""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from linkprior.errors import InputError
from linkprior.network import Network

_COMMENTS = ("#", "%", "!")
_HEADER_WORDS = {
    *("source", "target", "from", "to", "node1", "node2", "node_1", "node_2", "node_a", "node_b"),
    *("id_1", "id_2", "id1", "id2", "gene1", "gene2", "gene_a", "gene_b", "protein1", "protein2"),
    *("interactor_a", "interactor_b", "regulator", "gene", "tf"),
}


def read_network(path: str | Path) -> Network:
    """Read an edge list: tab, comma, semicolon or space between names; gzip; `-` is stdin.

    The first two columns are the names; further columns are left alone. Lines that begin with
    ``#``, ``%`` or ``!`` are comments, and a first line of usual column names is a header.
    """
    if str(path) == "-":
        return _network(sys.stdin, "stdin")
    source = Path(path)
    if not source.exists():
        raise InputError(f"{source}: no such file")
    if source.is_dir():
        raise InputError(f"{source}: is a directory, expected an edge list")
    try:
        with _open(source) as stream:
            return _network(stream, str(source))
    except UnicodeDecodeError as problem:
        raise InputError(f"{source}: not UTF-8 text ({problem.reason}); save it as UTF-8") from None
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{source}: cannot be read: {problem}") from None


def _open(path: Path) -> TextIO:
    raw = path.open("rb")
    packed = raw.peek(2)[:2] == b"\x1f\x8b"
    return io.TextIOWrapper(gzip.GzipFile(fileobj=raw) if packed else raw, encoding="utf-8-sig")


def _network(stream: TextIO, name: str) -> Network:
    pairs = list(_pairs(stream, name))
    if not pairs:
        raise InputError(f"{name}: no edge found; expected two columns of node names")
    return Network.from_edges(pairs)


def _pairs(stream: TextIO, name: str) -> Iterator[tuple[str, str]]:
    separator: str | None = None
    for number, line in enumerate(stream, start=1):
        if not line.strip() or line.startswith(_COMMENTS):
            continue
        if separator is None:
            separator = _separator(line)
            if _is_header(_cells(line, separator)):
                continue
        cells = _cells(line, separator)
        if len(cells) < 2 or not cells[0] or not cells[1]:
            raise InputError(
                f"{name}:{number}: expected 2 columns of names, got {line.strip()[:60]!r}"
            )
        yield cells[0], cells[1]


def _separator(line: str) -> str:
    return next((mark for mark in "\t,;" if mark in line), " ")


def _cells(line: str, separator: str) -> list[str]:
    if separator == " ":
        return line.split()
    if '"' in line:
        row = next(csv.reader([line.rstrip("\n")], delimiter=separator))
    else:
        row = line.rstrip("\n").split(separator)
    return [cell.strip() for cell in row]


def _is_header(cells: list[str]) -> bool:
    return len(cells) >= 2 and all(cell.lower() in _HEADER_WORDS for cell in cells[:2])

"""Plain edge lists: two columns of names, one edge per line."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from linkprior.errors import InputError
from linkprior.network import Network

_COMMENTS = ("#", "%", "!")
_HEADER = re.compile(
    r"(official)?(source|target|from|to|tf|regulator|gene|symbol|node|protein|interactor|id|vertex)+"
    r"(name|symbol|id)?[ab12]?"
)


def read_network(path: str | Path, keep_isolated: bool = False) -> Network:
    """Read an edge list: tab, comma, semicolon or space between names; gzip; `-` is stdin.

    The first two columns are the names; further columns are left alone. Lines that begin with
    ``#``, ``%`` or ``!`` are comments, and a first line of usual column names is a header. Nodes
    without an edge (named in a self-loop only) are dropped and counted, unless `keep_isolated`.
    """
    net = _read(path)
    return net if keep_isolated else net.drop_isolated()


def _read(path: str | Path) -> Network:
    name = "stdin" if str(path) == "-" else str(path)
    if name != "stdin" and not Path(path).exists():
        raise InputError(f"{name}: no such file")
    if name != "stdin" and Path(path).is_dir():
        raise InputError(f"{name}: is a directory, expected an edge list")
    try:
        with ExitStack() as stack:
            raw = sys.stdin.buffer if name == "stdin" else stack.enter_context(open(path, "rb"))
            return _network(stack.enter_context(_text(raw)), name)
    except UnicodeDecodeError as problem:
        raise InputError(f"{name}: not UTF-8 text ({problem.reason}); save it as UTF-8") from None
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{name}: cannot be read: {problem}") from None


@contextmanager
def _text(raw: BinaryIO) -> Iterator[TextIO]:
    """Decode a stream, unpacking it first when it begins like gzip; the stream stays open."""
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]
    packed = buffered.peek(2)[:2] == b"\x1f\x8b"
    plain = gzip.GzipFile(fileobj=buffered) if packed else buffered
    text = io.TextIOWrapper(plain, encoding="utf-8-sig")
    try:
        yield text
    finally:
        text.detach()


def _network(stream: TextIO, name: str) -> Network:
    pairs = list(_pairs(stream, name))
    if pairs and _is_header(pairs[0]):
        used = {end for pair in pairs[1:] for end in pair}
        # `node1 node2` may be an edge: column names do not come back as nodes.
        if used.isdisjoint(pairs[0]):
            del pairs[0]
    if not pairs:
        raise InputError(f"{name}: no edge found; expected two columns of node names")
    return Network.from_edges(pairs)


def _pairs(stream: TextIO, name: str) -> Iterator[tuple[str, str]]:
    separator: str | None = None
    for number, line in enumerate(stream, start=1):
        if not line.strip() or line.lstrip().startswith(_COMMENTS):
            continue
        separator = separator or _separator(line)
        try:
            cells = _cells(line, separator)
        except csv.Error as problem:
            raise InputError(f"{name}:{number}: {problem}") from None
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


def _is_header(cells: Sequence[str]) -> bool:
    """Tell column names such as source, node_1, Gene A or InteractorB from names of nodes."""
    words = [re.sub(r"[\s_.-]", "", cell.lower()) for cell in cells[:2]]
    return len(words) == 2 and words[0] != words[1] and all(map(_HEADER.fullmatch, words))

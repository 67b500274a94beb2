"""Targets: a reader for each format, telling the format, packed files and arrays, and lists.

The first character of an input picks the options of the reader (or the ending of the file's name);
the rest is the file.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.harness import WATCH, Target, choice, edited, expect, is_line, put, with_folder
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_names, read_pairs
from linkprior.io.read import read
from linkprior.io.writers import write_ranking
from linkprior.network import Network
from linkprior.ranking.ranking import Ranking

Options = Mapping[str, Any]
SUFFIXES = (
    *(".tsv", ".csv", ".txt", ".graph", ".sif", ".json", ".cx2", ".net", ".mtx", ".graphml"),
    *(".gexf", ".npz", ".zip", ".tsv.gz", ".xz", ""),
)
_ALL: Options = {"keep_isolated": True}
_NAMED: tuple[Options, ...] = ({}, {"weights": "weight"}, _ALL)
_MATRIX: tuple[Options, ...] = ({}, {"weights": "value"}, _ALL)
OPTIONS: dict[str, tuple[Options, ...]] = {
    "edgelist": (
        *({}, {"weights": "3"}, {"header": True}, {"header": False}, {"columns": ("1", "2")}),
        *({"columns": ("a", "b")}, {"min_score": 0.5}, {"weights": "score"}),
        *({"header": False, "weights": "3", "min_score": 0.1}, _ALL),
    ),
    "biogrid": (
        *({}, {"id": "symbol"}, {"id": "biogrid"}, {"organism": "9606"}, {"organism": "rat"}),
        *({"systems": ("two-hybrid",)}, {"physical_only": True}, {"min_score": 0.0}),
        {"weights": "score", "min_score": 0.0},
    ),
    "mitab": (
        *({}, {"organism": "9606"}, {"organism": "human"}, {"systems": ("two hybrid",)}),
        *({"physical_only": True}, {"min_score": 0.3}, {"weights": "score"}),
        {"weights": "intact-miscore"},
    ),
    "string": ({}, {"min_score": 700}, {"min_score": 0.4}, {"weights": "combined_score"}),
    **dict.fromkeys(("graphml", "gexf", "cx2", "pajek", "metis"), _NAMED),
    "sif": ({}, _ALL),
    "matrix-market": _MATRIX,
}
WRITTEN = ("tsv", "csv", "graphml", "cx2", "sif")


def read_and_check(path: Path, format: str | None, asked: Options) -> None:
    """Read a file and hold what was read against what every network is."""
    isolated = bool(asked.get("keep_isolated", False))
    options = ReadOptions(**{k: v for k, v in asked.items() if k != "keep_isolated"})
    with WATCH.reading():
        reading = read(path, format, isolated, options)
    check_network(reading.network, isolated)
    json.dumps(reading.report.to_dict(), allow_nan=False)
    expect(all(map(is_line, reading.report.text())), "report: a line that is none")
    expect(reading.report._repr_html_(), "report: no page")
    expect("weights" not in asked or reading.network.known.weights is not None, "no weights")


def check_network(network: Network, isolated: bool) -> None:
    """Hold a network against what every network is."""
    edges, p = network.edges, network.n_nodes
    expect(edges.shape == (network.n_edges, 2) and len(edges), "edges: shape")
    expect((edges[:, 0] < edges[:, 1]).all(), "edges: the smaller node first")
    expect(edges.min() >= 0 and edges.max() < p, "edges: within the nodes")
    expect(len(set(map(tuple, edges.tolist()))) == len(edges), "edges: each once")
    expect(len(set(network.names)) == p == len(network.names), "names: one for each node")
    expect(all(isinstance(n, str) and n for n in network.names), "names: text")
    expect(isolated or (network.degrees > 0).all(), "nodes without an edge")
    weights = network.known.weights
    if weights is not None:
        expect(weights.shape == (len(edges),) and (weights > 0).all(), "weights: above 0")
        expect(weights.max() == 1.0, "weights: the largest is 1")


def _reader(format: str, name: str = "input") -> Target:
    @with_folder
    def attempt(folder: Path, data: bytes) -> None:
        asked, content = choice(data, OPTIONS.get(format, _MATRIX))
        read_and_check(put(folder / name, content), format, asked)

    return Target(f"the reader of {format}", attempt)


@with_folder
def _format(folder: Path, data: bytes) -> None:
    suffix, content = choice(data, SUFFIXES)
    read_and_check(put(folder / f"input{suffix}", content), None, {})


@with_folder
def _names(folder: Path, data: bytes) -> None:
    path = put(folder / "names.txt", data)
    with WATCH.reading():
        names = read_names(path)
    expect(len(set(names)) == len(names) > 0, "names: each once")
    expect(all(n and n == n.strip(" \xa0") for n in names), "names: no space around")


@with_folder
def _pairs(folder: Path, data: bytes) -> None:
    suffix, content = choice(data, SUFFIXES)
    path = put(folder / f"pairs{suffix}", content)
    with WATCH.reading():
        pairs = read_pairs(path)
    expect(pairs and all(a and b for a, b in pairs), "pairs: two names each")


@with_folder
def _written(folder: Path, data: bytes) -> None:
    format, content = choice(data, WRITTEN)
    network = read(put(folder / "input", content), "edgelist").network
    ranking = some_pairs(network)
    if not len(ranking):
        return
    path = folder / f"back.{format}"
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
        write_ranking(stream, ranking, format, network)
    given = {frozenset(pair) for pair in ranking.names}
    table = format in ("tsv", "csv")
    options = ReadOptions(columns=("source", "target")) if table else ReadOptions()
    back = {frozenset(pair) for pair in read_pairs(path, options)}
    if format == "csv":  # without the guard of a cell that a spreadsheet would compute
        back = {frozenset(re.sub("^'('*[=+@＝＋－＠-])", r"\1", n) for n in p) for p in back}
    if not table:
        names, ends = network.names, set().union(*given)
        edges = (frozenset((names[i], names[j])) for i, j in network.edges.tolist())
        given |= {pair for pair in edges if pair <= ends}
    expect(back == given, f"{format}: other pairs come back")


def some_pairs(network: Network, most: int = 4) -> Ranking:
    """Return a ranking of the first pairs that are no edges."""
    edges, few = set(map(tuple, network.edges.tolist())), min(network.n_nodes, 8)
    every = ((i, j) for i in range(few) for j in range(i + 1, few))
    free = [pair for pair in every if pair not in edges][:most]
    scores = np.arange(len(free), 0, -1, dtype=np.float64)
    return Ranking(np.array(free, dtype=np.int64).reshape(-1, 2), scores, network.names)


# ---------------------------------------------------------------------- packed files

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive; two members may have one name, as zip cuts names at a NUL."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.filterwarnings("ignore", "Duplicate name")  # to be said of what is read, not here
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # same content, same bytes
            info.compress_type = method
            archive.writestr(info, content)
    return stream.getvalue()


def _halves(pack: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Pack the two halves of a content one after the other, as parallel packers do."""
    return lambda content: pack(content[: len(content) // 2]) + pack(content[len(content) // 2 :])


def _zip_by(method: int) -> Callable[[bytes], bytes]:
    return lambda content: zipped({"input.tsv": content}, method)


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 1, mtime=0)


PACKINGS: Sequence[Callable[[bytes], bytes]] = (
    *(_gzip, bz2.compress, lzma.compress),
    *(_halves(pack) for pack in (_gzip, bz2.compress, lzma.compress)),
    *map(_zip_by, _METHODS),
    lambda content: zipped({"a.tsv": content, "b.tsv": content}),
    lambda content: zipped({"": content, ".hidden": content, "__MACOSX/a": b"", "e.sif": content}),
    lambda content: _gzip(zipped({"input.tsv": content})),
    lambda content: zipped({"input.tsv.gz": _gzip(content)}),
)


def damaged(packed: bytes, how: int, at: int) -> bytes:
    """Return packed bytes cut off, changed, doubled or filled up at a place."""
    at %= max(1, len(packed))
    ways = (
        lambda: packed,
        lambda: packed[:at],
        lambda: packed[:at] + bytes([packed[at] ^ 1 << how % 8]) + packed[at + 1 :],
        lambda: packed + packed[:at],
        lambda: packed + b"\0" * at,
        lambda: packed[:at] + b"\xff" + packed[at + 1 :],
    )
    return ways[how % len(ways)]()


@with_folder
def _packed(folder: Path, data: bytes) -> None:
    pack, rest = choice(data, PACKINGS)
    how, at = (rest[0] - 48) % 256 if rest else 0, int.from_bytes(rest[1:3], "little")
    path = put(folder / "input.tsv", damaged(pack(rest[3:]), how, at))
    read_and_check(path, None, {})


@with_folder
def _packed_raw(folder: Path, data: bytes) -> None:
    read_and_check(put(folder / "input.tsv", data), None, {})


# ---------------------------------------------------------------------- arrays


def _array(dtype: str, shape: list[int], *values: float) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "values": list(values)}


def _ints(*values: int) -> dict[str, Any]:
    return _array("<i4", [len(values)], *values)


_DATA = _array("<f8", [2], 1.0, 2.0)
_COMPRESSED = {
    **{"shape": _ints(3, 3), "data": _DATA, "indices": _ints(1, 2), "indptr": _ints(0, 1, 2, 2)}
}
LAYOUTS: tuple[dict[str, Any], ...] = (
    {"format": "coo", "shape": _ints(3, 3), "row": _ints(0, 1), "col": _ints(1, 2), "data": _DATA},
    {"format": "csr", **_COMPRESSED},
    {"format": "csc", **_COMPRESSED},
    {
        **{"format": "bsr", "shape": _ints(2, 2), "indices": _ints(0), "indptr": _ints(0, 1)},
        "data": _array("<f8", [1, 2, 2], 0, 1, 1, 0),
    },
    {
        **{"format": "dia", "shape": _ints(3, 3), "offsets": _ints(1)},
        "data": _array("<f8", [1, 3], 0, 1, 1),
    },
)


def array_bytes(dtype: Any, values: Any) -> bytes:
    """Return values as the bytes of an array; none where they are no such values."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return np.array(values).astype(np.dtype(dtype)).tobytes()[: 1 << 20]
    except (TypeError, ValueError, OverflowError, AttributeError, RecursionError, SyntaxError):
        return b""


def npy(described: Any) -> bytes:
    """Return a .npy file: `dtype`, `shape` and `values` need not agree; `header` replaces all."""
    if not isinstance(described, dict):
        text = str(described).encode("utf-8", "replace")[:4096] or b" "
        described = {"dtype": f"|S{len(text)}", "shape": [], "values": text}
    shape, dtype = described.get("shape", []), described.get("dtype")
    if isinstance(shape, list):
        shape = f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
    order = bool(described.get("fortran"))
    usual = f"{{'descr': {dtype!r}, 'fortran_order': {order}, 'shape': {shape}, }}"
    header = str(described.get("header", usual)).encode("latin1", "replace")
    line = header[:60_000].ljust(64) + b"\n"
    version = int(described.get("version") == 2) + 1
    size = struct.pack("<H" if version == 1 else "<I", len(line))
    start = b"\x93NUMPY" + bytes([version, 0]) + size
    return start + line + array_bytes(dtype, described.get("values"))


@with_folder
def _npz(folder: Path, data: bytes) -> None:
    layout, text = choice(data, LAYOUTS)
    arrays, way = edited(layout, text[1:]), text[0] - 48 if text else 0
    if isinstance(arrays, dict):
        names = {n: f"{n[:40]}.npy".encode("utf-8", "replace").decode() for n in arrays}
        content = zipped({names[n]: npy(one) for n, one in arrays.items()}, _METHODS[way % 2])
        read_and_check(put(folder / "input.npz", content), "npz", _MATRIX[way % 3])


TARGETS = {
    **{format: _reader(format) for format in OPTIONS},
    "format": Target("telling the format, then its reader", _format),
    "names": Target("a list of nodes (--nodes, --add-nodes)", _names),
    "pairs": Target("a list of pairs (--exclude, --negatives)", _pairs),
    "written": Target("what is written comes back when it is read", _written),
    "packed": Target("content packed in 14 ways, whole or damaged", _packed),
    "packed-raw": Target("bytes of packed files", _packed_raw),
    "npz": Target("arrays of a sparse matrix", _npz),
    "npz-raw": Target("bytes of an .npz archive", _reader("npz", "input.npz").make),
}

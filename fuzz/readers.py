"""Targets: a reader for each format, telling the format, packed files, and lists.

The first character of an input picks the options of the reader (or the ending of the file's name);
the rest is the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import seeds
from fuzz.target import Target
from fuzz.verdict import WATCH, Attempt, expect, is_line
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_names, read_pairs
from linkprior.io.read import Reading, read
from linkprior.io.writers import write_ranking
from linkprior.network import Network
from linkprior.ranking.ranking import Ranking

Asked = Mapping[str, Any]
SUFFIXES = (
    *(".tsv", ".csv", ".txt", ".graph", ".sif", ".json", ".cx2", ".net", ".mtx", ".graphml"),
    *(".gexf", ".npz", ".zip", ".tsv.gz", ".xz", ""),
)
WEIGHT = {"weights": "weight"}
ASKED: dict[str, tuple[Asked, ...]] = {
    "edgelist": (
        {},
        {"weights": "3"},
        {"header": True},
        {"header": False},
        {"columns": ("1", "2")},
        {"columns": ("a", "b")},
        {"min_score": 0.5},
        {"weights": "score"},
        {"header": False, "weights": "3", "min_score": 0.1},
        {"keep_isolated": True},
    ),
    "biogrid": (
        {},
        {"id": "symbol"},
        {"id": "biogrid"},
        {"organism": "9606"},
        {"organism": "rat"},
        {"systems": ("two-hybrid",)},
        {"physical_only": True},
        {"min_score": 0.0},
        {"weights": "score", "min_score": 0.0},
    ),
    "mitab": (
        {},
        {"organism": "9606"},
        {"organism": "human"},
        {"systems": ("two hybrid",)},
        {"physical_only": True},
        {"min_score": 0.3},
        {"weights": "score"},
        {"weights": "intact-miscore"},
    ),
    "string": ({}, {"min_score": 700}, {"min_score": 0.4}, {"weights": "combined_score"}),
    "graphml": ({}, WEIGHT, {"keep_isolated": True}),
    "gexf": ({}, WEIGHT, {"keep_isolated": True}),
    "cx2": ({}, WEIGHT, {"keep_isolated": True}),
    "pajek": ({}, WEIGHT, {"keep_isolated": True}),
    "metis": ({}, WEIGHT, {"keep_isolated": True}),
    "sif": ({}, {"keep_isolated": True}),
    "matrix-market": ({}, {"weights": "value"}, {"keep_isolated": True}),
    "npz": ({}, {"weights": "value"}, {"keep_isolated": True}),
}
WRITTEN = ("tsv", "csv", "graphml", "cx2", "sif")


def choice(data: bytes, among: Sequence[Any]) -> tuple[Any, bytes]:
    """Return what the first character picks, and the rest."""
    return among[(data[0] - 48) % len(among) if data else 0], data[1:]


def put(path: Path, data: bytes) -> Path:
    """Write a file for a reader."""
    with path.open("wb") as stream:
        stream.write(data)
    return path


def checked(path: Path, format: str | None, asked: Asked) -> Reading:
    """Read a file and hold what was read against what every network is."""
    keep = bool(asked.get("keep_isolated", False))
    options = ReadOptions(**{k: v for k, v in asked.items() if k != "keep_isolated"})
    with WATCH.looking():
        found = read(path, format, keep, options)
    check_network(found.network, keep)
    json.dumps(found.report.to_dict(), allow_nan=False)
    expect(all(map(is_line, found.report.text())), "report: a line that is none")
    expect(found.report._repr_html_(), "report: no page")
    expect("weights" not in asked or found.network.known.weights is not None, "no weights")
    return found


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


def _reader(format: str) -> Callable[[Path], Attempt]:
    def make(folder: Path) -> Attempt:
        path = folder / "input"

        def attempt(data: bytes) -> None:
            asked, content = choice(data, ASKED[format])
            checked(put(path, content), format, asked)

        return attempt

    return make


def _told(folder: Path) -> Attempt:
    paths = [folder / f"input{suffix}" for suffix in SUFFIXES]

    def attempt(data: bytes) -> None:
        path, content = choice(data, paths)
        checked(put(path, content), None, {})

    return attempt


def _names(folder: Path) -> Attempt:
    def attempt(data: bytes) -> None:
        path = put(folder / "names.txt", data)
        with WATCH.looking():
            names = read_names(path)
        expect(len(set(names)) == len(names) > 0, "names: each once")
        bare = all(name and name == name.strip(" \xa0") for name in names)
        expect(bare, "names: no space around")

    return attempt


def _pairs(folder: Path) -> Attempt:
    paths = [folder / f"pairs{suffix}" for suffix in SUFFIXES]

    def attempt(data: bytes) -> None:
        path, content = choice(data, paths)
        put(path, content)
        with WATCH.looking():
            pairs = read_pairs(path)
        expect(pairs and all(a and b for a, b in pairs), "pairs: two names each")

    return attempt


def _written(folder: Path) -> Attempt:
    """Names of any kind must come back from every format that is both written and read."""

    def attempt(data: bytes) -> None:
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
        found = {frozenset(pair) for pair in read_pairs(path, options)}
        if format == "csv":
            found = {frozenset(map(_bare, pair)) for pair in found}
        ends = set().union(*given)
        if not table:
            given |= {p for p in _named_edges(network) if p <= ends}
        expect(found == given, f"{format}: other pairs come back")

    return attempt


def _bare(name: str) -> str:
    """Take off the guard of a cell that a spreadsheet would compute."""
    return name[1:] if re.match("'+[=+@＝＋－＠-]", name) else name


def _named_edges(network: Network) -> list[frozenset[str]]:
    return [frozenset((network.names[i], network.names[j])) for i, j in network.edges.tolist()]


def some_pairs(network: Network, most: int = 4) -> Ranking:
    """Return a ranking of the first pairs that are no edges."""
    edges = set(map(tuple, network.edges.tolist()))
    free = [
        (i, j)
        for i in range(min(network.n_nodes, 8))
        for j in range(i + 1, min(network.n_nodes, 8))
        if (i, j) not in edges
    ][:most]
    scores = np.arange(len(free), 0, -1, dtype=np.float64)
    return Ranking(np.array(free, dtype=np.int64).reshape(-1, 2), scores, network.names)


def _with_options(inputs: Sequence[bytes], options: int) -> list[bytes]:
    return [b"%c" % (48 + at) + content for at in range(options) for content in inputs]


def targets() -> dict[str, Target]:
    """Return the targets by name."""
    found = {
        name: Target(
            f"the reader of {name}",
            _reader(name),
            lambda name=name: _with_options(seeds.FILES[name], len(ASKED[name])),  # type: ignore[misc]
            seeds.WORDS.get(name, ()),
        )
        for name in ASKED
        if name != "npz"
    }
    every = tuple(dict.fromkeys(word for words in seeds.WORDS.values() for word in words))
    found["format"] = Target("telling the format, then its reader", _told, seeds.told, every)
    found["names"] = Target("a list of nodes (--nodes, --add-nodes)", _names, seeds.lists)
    found["pairs"] = Target("a list of pairs (--exclude, --negatives)", _pairs, seeds.told, every)
    found["written"] = Target(
        "what is written comes back when it is read", _written, seeds.written, seeds.ODD_NAMES
    )
    return found

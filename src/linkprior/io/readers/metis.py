"""METIS .graph: a header, then for every node the line of its neighbours."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, no_weights
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.graphs import (
    each_once,
    hand_over_numbered,
    refuse_too_many,
    whole_numbers,
)
from linkprior.io.source import Source, every_line


@dataclass(frozen=True)
class _Header:
    """What the first line declares: nodes, edges, and the weights between neighbours."""

    n_nodes: int
    n_edges: int
    before: int
    step: int


def read_metis(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read METIS; line k after the header holds the neighbours of node k, and may be blank.

    Weights and sizes are passed over, unless weights of edges are asked for. Lines and edges are
    counted against the header.
    """
    options.refuse_others("METIS", ["weights"])
    lines = ((at, line) for at, line in every_line(source) if not line.startswith("%"))
    header = _header(lines, source.name)
    if options.weights is not None and header.step == 1:
        raise no_weights(source.name, "METIS, as its header says,")
    out.weigh_by_the_only(options.weights, "weights of edges")
    starts, neighbours, weights, at = _neighbours(lines, header, source.name)
    ends = np.stack([np.frombuffer(part, dtype=np.int64) for part in (starts, neighbours)], axis=1)
    ends, weighed, both_ways = each_once(out, ends, weights, at)
    if not both_ways:
        out.note(
            "some nodes list a neighbour that does not list them: METIS requires every edge twice. "
            "Such edges are read nevertheless"
        )
    hand_over_numbered(out, header.n_nodes, ends, weights=weighed)
    return f"METIS graph of {header.n_nodes:,} nodes"


def _header(lines: Iterator[tuple[int, str]], file: str) -> _Header:
    at, line = next(((at, line) for at, line in lines if line.strip()), (1, ""))
    shape = re.fullmatch(
        r"([0-9]{1,18})\s+([0-9]{1,18})(?:\s+([01]{1,3})(?:\s+([0-9]{1,3}))?)?", line.strip()
    )
    if shape is None:
        raise InputError(
            f"{file}:{at}: expected METIS's header (nodes, edges, and perhaps a format of 0 and 1 "
            f"and the number of weights), got {line.strip()[:60]!r}"
        )
    n_nodes, n_edges, flags = int(shape[1]), int(shape[2]), (shape[3] or "0").zfill(3)
    refuse_too_many(n_nodes, f"{file}:{at}")
    weights = int(shape[4] or 1) if flags[1] == "1" else 0
    return _Header(n_nodes, n_edges, (flags[0] == "1") + weights, 2 if flags[2] == "1" else 1)


def _neighbours(
    lines: Iterator[tuple[int, str]], header: _Header, file: str
) -> tuple[array[int], array[int], list[str], array[int]]:
    """Return both ends of every entry, its weight where there are any, and its line."""
    starts, neighbours, weights, places = array("q"), array("q"), list[str](), array("q")
    node = 0
    for node, (at, line) in enumerate(lines, start=1):
        words = line.split()
        if node > header.n_nodes:
            if words:
                raise InputError(_miscounted(file, at, "nodes", header.n_nodes, "more lines"))
            continue
        rest = len(words) - header.before
        if rest < 0 or rest % header.step:
            raise InputError(
                f"{file}:{at}: {len(words)} numbers, but the header says {header.before} before "
                f"the neighbours{' and a weight after each' if header.step == 2 else ''}"
            )
        named = words[header.before :: header.step]
        numbers = whole_numbers(named, header.n_nodes, "node", f"{file}:{at}") if named else []
        neighbours.extend(numbers)
        starts.extend([node] * len(numbers))
        places.extend([at] * len(numbers))
        if header.step == 2:
            weights += words[header.before + 1 :: 2]
    if node < header.n_nodes:
        raise InputError(_miscounted(file, 0, "nodes", header.n_nodes, f"{node} lines for them"))
    if len(neighbours) != 2 * header.n_edges:
        what = f"{len(neighbours)} entries, expected each edge twice"
        raise InputError(_miscounted(file, 0, "edges", header.n_edges, what))
    return starts, neighbours, weights, places


def _miscounted(file: str, line: int, what: str, declared: int, got: str) -> str:
    where = f"{file}:{line}" if line else file
    return f"{where}: the header declares {declared} {what}, the file has {got}; is it cut off?"

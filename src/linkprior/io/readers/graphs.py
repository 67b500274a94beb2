"""How readers of graphs hand over what they found: all nodes at once, then edges by node number."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.readers.delimited import SPACES
from linkprior.network.pairs import distinct

MOST_NODES = 100_000_000
# A file that only declares so many nodes gets them listed; more must earn it with edges.
_LISTED_FREELY = 1_000_000
PREDICTED = "marked as predicted, not observed"

Ints = NDArray[np.int64]
Weighed = tuple[Any, Sequence[int] | None]  # weights as the file has them, and their lines


def refuse_too_many(n_nodes: int, file: str) -> None:
    """Refuse a declared number of nodes no machine here could serve, before room is made for it."""
    if n_nodes > MOST_NODES:
        raise InputError(
            f"{file}: declares {n_nodes} nodes, at most {MOST_NODES} are read; is the file damaged?"
        )


def hand_over(
    out: EdgeCollector,
    names: Sequence[str],
    node_lines: Sequence[int],
    ends: Ints,
    predicted: Ints | None = None,
    weights: Weighed | None = None,
) -> None:
    """Give the collector all nodes in this order, and edges as pairs of places in `names`."""
    numbers = out.add_nodes(names, node_lines)
    out.add_numbered(numbers[ends], *(weights or ()))
    if predicted is not None:
        out.predicted = numbers[predicted]


def hand_over_numbered(
    out: EdgeCollector,
    n_nodes: int,
    ends: Ints,
    first: int = 1,
    labels: Mapping[int, str] | None = None,
    label_lines: Mapping[int, int] | None = None,
    weights: Weighed | None = None,
) -> None:
    """Hand over edges between the nodes `first`, `first` + 1 …, named by number or by label."""
    labels, label_lines = labels or {}, label_lines or {}
    numbers: Sequence[int] = range(first, first + n_nodes)
    at = ends - first
    if n_nodes > max(_LISTED_FREELY, 4 * len(ends), 4 * len(labels)):
        used, at = np.unique(ends, return_inverse=True)
        numbers, at = used.tolist(), at.reshape(ends.shape)
        out.note(
            f"{n_nodes - len(used):,} of the {n_nodes:,} nodes declared have no edge and are left "
            "out without their names"
        )
    names = [labels.get(k) or str(k) for k in numbers] if labels else list(map(str, numbers))
    hand_over(out, names, [label_lines.get(k, 0) for k in numbers], at, weights=weights)


def is_zero(text: str = "") -> bool:
    """Return whether a weight is exactly 0; what is not a number is not a weight."""
    try:
        return float(text) == 0
    except ValueError:
        return False


def note_zero_weights(out: EdgeCollector, count: int) -> None:
    """Note that edges of weight 0 are edges, where no weights were asked for."""
    if count and out.weights is None:
        edges = "1 edge has" if count == 1 else f"{count:,} edges have"
        out.note(f"{edges} weight 0 and count{'s' * (count == 1)} as edge{'s' * (count != 1)}")


def each_once(
    out: EdgeCollector, ends: Ints, values: Any, lines: Sequence[int] | Ints | None = None
) -> tuple[Ints, Weighed | None, bool]:
    """Return one of (i, j) and (j, i) where every pair is given both ways, and whether it is."""
    i, j = ends[:, 0], ends[:, 1]
    width = int(ends.max(initial=0)) + 1
    both_ways = np.array_equal(distinct(i * width + j), distinct(j * width + i))
    once = i <= j if both_ways else np.ones(len(ends), dtype=np.bool_)
    if out.weights is None:
        return ends[once], None, both_ways
    at = np.zeros(len(ends), np.int64) if lines is None else np.asarray(lines, np.int64)
    weights = out.weights.folded(ends, out.weights.numbers(values, at))
    return ends[once], (weights[once], at[once].tolist()), both_ways


# Attributes that name a node, the best first: igraph and Cytoscape; Gephi and yEd; Cytoscape again.
NAMING = ("name", "label", "shared name")
LONGEST_LABEL = 1000
_BREAK = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]")


def one_line(text: str) -> str:
    """Return a name without breaks of lines; blanks inside it are its own, as in a table."""
    parts = (part.strip(SPACES) for part in _BREAK.split(text))
    return " ".join(part for part in parts if part)


class NamedGraph:
    """A graph by node ids; `naming` are the attributes that may name a node, the best first."""

    def __init__(self, out: EdgeCollector, naming: Sequence[str] = NAMING) -> None:
        self._out = out
        self.directed: bool | None = (
            None  # whether any edge has a direction, where formats state it
        )
        self.naming = naming
        self._number: dict[str, int] = {}
        self._labels: list[dict[int, str]] = [{} for _ in naming]
        self._node_lines, self._ends, self._predicted = array("q"), array("q"), array("q")
        self._weightless, self._weights = 0, list[str]()
        self._edge_lines = array("q")
        self._declared, self._repeats = bytearray(), 0
        # Nodes declared more than once: the last line, and the attributes that were compared.
        self._again: dict[int, tuple[int, set[int]]] = {}

    def __contains__(self, node_id: str) -> bool:
        return node_id in self._number

    @property
    def n_nodes(self) -> int:
        """Number of nodes so far."""
        return len(self._number)

    def node(self, node_id: str, line: int = 0) -> int:
        """Return the number of a node, new or not."""
        number = self._number.setdefault(node_id, len(self._number))
        if number == len(self._node_lines):
            self._node_lines.append(line)
        return number

    def declare(self, node_id: str, line: int = 0) -> int:
        """Return the number of a node the file lists; one that is listed again is counted."""
        number = self.node(node_id, line)
        self._declared.extend(bytes(len(self._number) - len(self._declared)))
        if self._declared[number]:
            self._repeats += 1
            self._again[number] = line, set()
        self._declared[number] = 1
        return number

    def label(self, node: int, rank: int, text: str) -> None:
        """Remember a readable name of a node, unless it has one or it is a whole text."""
        text = one_line(text)
        if 0 < len(text) <= LONGEST_LABEL:
            first = self._labels[rank].setdefault(node, text)
            if node not in self._again:
                return
            line, compared = self._again[node]  # only the first name of each listing counts
            if first.split() != text.split() and rank not in compared:
                raise InputError(
                    f"{self._out.file}{f':{line}' if line else ''}: the id "
                    f"{self._id_of(node)[:40]!r} is that of two nodes, {first[:40]!r} and "
                    f"{text[:40]!r}; give each node an id of its own"
                )
            compared.add(rank)

    def _id_of(self, node: int) -> str:
        return next(islice(self._number, node, None))

    def edge(
        self, source: str, target: str, line: int = 0, weight: str = "", kind: str = ""
    ) -> None:
        """Take an edge, or a link of the kind `predicted`; ends not declared become nodes."""
        ends = self.node(source, line), self.node(target, line)
        if kind.strip().lower() == "predicted":
            self._predicted.extend(ends)
            self._out.drop(PREDICTED, [line])
            return
        self._ends.extend(ends)
        self._weightless += bool(weight) and is_zero(weight)
        if self._out.weights is not None:  # every edge must have one
            self._weights.append(weight)
            self._edge_lines.append(line)

    def hand_over(self) -> None:
        """Settle the names: by the first attribute that is unique, else by id."""
        ids, out = list(self._number), self._out
        if self._repeats:
            node = self._id_of(next(iter(self._again)))
            times = "1 node is" if self._repeats == 1 else f"{self._repeats:,} nodes are"
            out.note(
                f"{times} listed again under an id that was used before, such as {node[:40]!r}: "
                "each id is one node"
            )
        note_zero_weights(out, self._weightless)
        every = [len(labels) == len(set(labels.values())) == len(ids) for labels in self._labels]
        rank = every.index(True) if any(every) else None
        names = ids
        if rank is not None:
            names = [self._labels[rank][number] for number in range(len(ids))]
            if names != ids:
                out.note(f"nodes are named by their {self.naming[rank]}, not by their id")
        else:
            for labels in reversed(self._labels):
                out.labels |= ((ids[number], text) for number, text in labels.items())
            if out.labels:
                out.note(
                    "nodes are named by their id: their readable names are missing for some or "
                    "alike"
                )
        out.directed = self.directed
        ends = np.frombuffer(self._ends, dtype=np.int64).reshape(-1, 2)
        predicted = np.frombuffer(self._predicted, dtype=np.int64).reshape(-1, 2)
        weights = self._weights, self._edge_lines
        hand_over(out, names, self._node_lines, ends, predicted, weights)

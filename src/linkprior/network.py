"""Network: an immutable, symmetric, unweighted adjacency matrix with a name for every node."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linkprior import html
from linkprior import pairs as pr
from linkprior.errors import InputError

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


@dataclass(frozen=True)
class Merged:
    """What was folded together while a network was built; nothing vanishes uncounted."""

    self_loops: int = 0
    duplicates: int = 0
    reversed_duplicates: int = 0
    isolated: int = 0


@dataclass(frozen=True, eq=False)
class Network:
    """Observed edges of an undirected network.

    Attributes
    ----------
    adjacency
        Symmetric CSR array of ones with an empty diagonal and sorted indices (read-only).
    names
        One string per node, all different; the order is the node order everywhere.
    merged
        Counts of self-loops, duplicates, reversed duplicates and dropped isolated nodes.
    """

    adjacency: sp.csr_array
    names: tuple[str, ...]
    merged: Merged = field(default_factory=Merged)

    def __post_init__(self) -> None:
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()

    def __deepcopy__(self, memo: dict[int, Any]) -> Network:
        return self  # nothing in it can change

    def _freeze(self) -> None:
        for part in (self.adjacency.data, self.adjacency.indices, self.adjacency.indptr):
            part.setflags(write=False)

    # ------------------------------------------------------------------ building

    @classmethod
    def from_edges(
        cls, pairs: Iterable[Sequence[Any]] | NDArray[Any], nodes: Iterable[Any] | None = None
    ) -> Network:
        """Build from pairs of names.

        Nodes are numbered in the order of `nodes` where given (isolated nodes are then possible
        and every name in `pairs` must be among them), else in order of first appearance. What is
        no text is named by its text, and whole floats as whole numbers: 3.0 is "3".
        """
        ends = _names_in(pairs)
        names = tuple(dict.fromkeys(ends) if nodes is None else map(node_name, nodes))
        number_of = {name: i for i, name in enumerate(names)}
        try:
            codes = np.fromiter(map(number_of.__getitem__, ends), dtype=np.int64, count=len(ends))
        except KeyError as missing:
            raise InputError(f"edge end {missing} is not among the given nodes") from None
        return cls.from_indices(codes.reshape(-1, 2), names)

    @classmethod
    def from_indices(cls, pairs: ArrayLike, names: Sequence[str]) -> Network:
        """Build from node numbers 0…p−1 and the names of all nodes; duplicates are merged."""
        names = tuple(str(name) for name in names)
        _refuse_repeated(names)
        p = len(names)
        given = pr.as_pairs(pairs, p)
        proper = given[given[:, 0] != given[:, 1]]
        directed = pr.distinct(pr.encode(proper, p))
        edges = pr.decode(pr.distinct(pr.encode(pr.ordered(pr.decode(directed, p)), p)), p)
        merged = Merged(
            self_loops=len(given) - len(proper),
            duplicates=len(proper) - len(directed),
            reversed_duplicates=len(directed) - len(edges),
        )
        return cls(_symmetric_csr(edges, p), names, merged)

    @classmethod
    def from_scipy(cls, matrix: Any, names: Sequence[Any] | None = None) -> Network:
        """Build from a square sparse matrix or array; every non-zero entry is an edge."""
        try:
            a = sp.csr_array(matrix).tocoo()  # entries stored twice are one, as scipy has it
        except (TypeError, ValueError) as problem:
            raise InputError(f"expected a square sparse matrix or array: {problem}") from None
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise InputError(f"an adjacency matrix must be square, got shape {a.shape}")
        if a.data.dtype.kind in "fc" and not np.isfinite(a.data).all():
            raise InputError("an adjacency matrix must be finite, got NaN or infinity")
        p = a.shape[0]
        labels = [str(n) for n in (range(p) if names is None else names)]
        if len(labels) != p:
            raise InputError(f"expected {p} names for {p} nodes, got {len(labels)}")
        rows, cols = (x[a.data != 0].astype(np.int64) for x in a.coords)
        net = cls.from_indices(np.stack([rows, cols], axis=1), labels)
        # A symmetric matrix holds each edge twice by its nature: nothing was repeated.
        if net.merged.reversed_duplicates == net.n_edges:
            net = cls(net.adjacency, net.names, Merged(net.merged.self_loops))
        return net

    @classmethod
    def from_networkx(cls, graph: nx.Graph[Any]) -> Network:
        """Build from a networkx graph of any kind; directions and parallel edges are merged.

        Nodes are named by their text, so that no two of them may read alike (1 and "1").
        """
        number_of = {node: i for i, node in enumerate(graph.nodes())}
        names = distinct_names(number_of)
        ends = (number_of[end] for edge in graph.edges() for end in edge)
        return cls.from_indices(np.fromiter(ends, dtype=np.int64).reshape(-1, 2), names)

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, source: str | None = None, target: str | None = None
    ) -> Network:
        """Build from two columns of a data frame (the first two unless named).

        Numbers that a gap turned into floats are read as whole numbers again: 3.0 is "3".
        """
        if frame.shape[1] < 2:
            raise InputError(f"expected a table of at least 2 columns, got {frame.shape[1]}")
        for column in (source, target):
            if column is not None and column not in frame.columns:
                raise InputError(f"no column {column!r}; there are {list(frame.columns)}")
        others = [name for name in frame.columns if name not in (source, target)]
        first = others.pop(0) if source is None else source
        columns = [first, others.pop(0) if target is None else target]
        if columns[0] == columns[1] or frame[columns].shape[1] != 2:
            raise InputError(f"expected two different columns, got {columns}")
        ends = frame[columns]
        if ends.isna().to_numpy().any():
            row = int(np.argmax(ends.isna().to_numpy().any(axis=1)))
            raise InputError(
                f"row {row} of the table has an empty node name (the first row is 0); drop such "
                "rows, or fill them"
            )
        return cls.from_edges(ends.astype(object).to_numpy())

    # ------------------------------------------------------------------ looking

    @property
    def n_nodes(self) -> int:
        """Number of nodes p."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of observed edges |Ω| (each pair once)."""
        return self.adjacency.nnz // 2

    @property
    def n_non_edges(self) -> int:
        """Number of pairs without an observed edge."""
        return pr.n_pairs(self.n_nodes) - self.n_edges

    @cached_property
    def degrees(self) -> pr.Ints:
        """Observed degree oᵢ of every node."""
        degrees = np.diff(self.adjacency.indptr).astype(np.int64)
        degrees.setflags(write=False)
        return degrees

    @cached_property
    def edges(self) -> pr.Ints:
        """All edges as an (m, 2) array of node numbers, i < j, in order of pair."""
        upper = sp.triu(self.adjacency, k=1, format="csr").tocoo()
        edges = np.stack([np.asarray(c, dtype=np.int64) for c in upper.coords], axis=1)
        edges.setflags(write=False)
        return edges

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names and edges: the same network has the same digest on every machine."""
        h = hashlib.sha256()
        for name in self.names:
            encoded = name.encode("utf-8", "surrogatepass")
            h.update(len(encoded).to_bytes(8, "little") + encoded)
        h.update(self.edges.astype("<i8").tobytes())
        return h.hexdigest()

    def index_of(self, name: str) -> int:
        """Return the number of the node called `name`."""
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            raise InputError(f"no node is called {name!r}") from None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    # ------------------------------------------------------------------ deriving

    def hide(self, pairs: ArrayLike) -> Network:
        """Return the network without these edges; the node set stays as it is."""
        p = self.n_nodes
        hidden = pr.encode(pr.ordered(pr.as_pairs(pairs, p)), p)
        codes = pr.encode(self.edges, p)
        absent = ~np.isin(hidden, codes)
        if absent.any():
            i, j = pr.decode(hidden[absent][:1], p)[0]
            raise InputError(f"{self.names[i]} – {self.names[j]} is not an edge: nothing to hide")
        kept = self.edges[~np.isin(codes, hidden)]
        return Network(_symmetric_csr(kept, p), self.names)

    def drop_isolated(self) -> Network:
        """Return the network without the nodes that have no edge, and count them."""
        kept = self.degrees > 0
        if kept.all():
            return self
        number = np.cumsum(kept) - 1
        names = tuple(name for name, keep in zip(self.names, kept, strict=True) if keep)
        adjacency = _symmetric_csr(number[self.edges], len(names))
        return Network(adjacency, names, replace(self.merged, isolated=int((~kept).sum())))

    def rename(self, names: Sequence[str]) -> Network:
        """Return the same network under new node names."""
        new = tuple(str(name) for name in names)
        if len(new) != self.n_nodes:
            raise InputError(f"expected {self.n_nodes} names, got {len(new)}")
        _refuse_repeated(new)
        return Network(self.adjacency, new, self.merged)

    def __repr__(self) -> str:
        return f"Network({self.n_nodes} nodes, {self.n_edges} edges)"

    def _repr_html_(self) -> str:
        rows = [("nodes", f"{self.n_nodes:,}"), ("edges", f"{self.n_edges:,}")]
        if self.n_nodes:
            d = self.degrees
            spread = f"{d.min()} to {d.max()}, median {np.median(d):g}, mean {d.mean():.3g}"
            hubs = np.argsort(-d, kind="stable")[:3].tolist()
            largest = html.counts((self.names[node], d[node]) for node in hubs)
            rows += [("degree", spread), ("most edges", largest)]
        merged = [(what.replace("_", " "), n) for what, n in asdict(self.merged).items() if n]
        return html.card("Network", html.facts([*rows, ("merged", html.counts(merged) or "–")]))


def node_name(label: Any) -> str:
    """Return the name of a node given as any object; a whole float is named as the number."""
    # Beyond 2**53 a float is no longer one whole number, and its digits would be made up.
    if isinstance(label, float | np.floating) and label.is_integer() and abs(int(label)) <= 2**53:
        return str(int(label))
    return str(label)


def distinct_names(labels: Iterable[Any]) -> tuple[str, ...]:
    """Return one name per node; two nodes with the same name are an error that shows both."""
    label_of: dict[str, Any] = {}
    for label in labels:
        name = node_name(label)
        if not _is_label(label):
            raise InputError(f"{label!r} is no name of a node")
        if name in label_of:
            raise InputError(
                f"the nodes {label_of[name]!r} and {label!r} have the same name {name!r}; rename "
                "one of them"
            )
        label_of[name] = label
    return tuple(label_of)


def _names_in(pairs: Any) -> list[str]:
    """Return the ends of all pairs as text; refuse what is no pair, None and NaN."""
    try:
        rows = pairs.tolist() if isinstance(pairs, np.ndarray) else list(pairs)
    except TypeError:
        raise InputError(f"expected pairs of names, got {type(pairs).__name__}") from None
    if {*map(type, rows)} <= {tuple, list} and {*map(len, rows)} <= {2}:
        flat = list(chain.from_iterable(rows))
        if {*map(type, flat)} <= {str, int}:  # nearly always, and without a loop
            return list(map(str, flat))
    ends = []
    for number, pair in enumerate(rows, start=1):
        if isinstance(pair, str | bytes) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise InputError(f"edge {number}: expected a pair of names, got {pair!r}")
        for end in pair:
            if not _is_label(end):
                raise InputError(f"edge {number}: {end!r} is no name of a node")
            ends.append(node_name(end))
    return ends


def _is_label(label: Any) -> bool:
    """Tell what may name a node from lists, arrays and all that stands for a missing value."""
    if label is None or not isinstance(label, Hashable) or type(label).__name__ == "NAType":
        return False  # NAType is pandas' NA, which will not say whether it equals anything
    return bool(label == label)  # noqa: PLR0124 – NaN and NaT alone differ from themselves


def _refuse_repeated(names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        seen: set[str] = set()
        twice = next(n for n in names if n in seen or seen.add(n))  # type: ignore[func-returns-value]
        raise InputError(f"node names must all differ, but {twice!r} appears twice")


def _symmetric_csr(edges: pr.Ints, n_nodes: int) -> sp.csr_array:
    """Mirror i < j edges into a canonical CSR array of ones."""
    i, j = edges[:, 0], edges[:, 1]
    rows, cols = np.concatenate([i, j]), np.concatenate([j, i])
    a = sp.coo_array((np.ones(len(rows)), (rows, cols)), shape=(n_nodes, n_nodes)).tocsr()
    a.sort_indices()
    return a

"""Network: an immutable, symmetric adjacency matrix with a name for every node."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linkprior import _html as html
from linkprior.errors import InputError
from linkprior.network import pairs as pr
from linkprior.network.node_names import distinct_names, names_in, node_name, refuse_repeated
from linkprior.network.side_information import NOTHING, History, Observations, SideInformation
from linkprior.network.weights import attribute_weights, entry_weights, listed_weights, weighted

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


@dataclass(frozen=True)
class CleaningCounts:
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
    known
        What is known beside the edges: how sure each is, known non-edges, earlier releases.
    """

    adjacency: sp.csr_array
    names: tuple[str, ...]
    merged: CleaningCounts = field(default_factory=CleaningCounts)
    known: SideInformation = NOTHING

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
        self.known.freeze()

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
        ends = names_in(pairs)
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
        refuse_repeated(names)
        p = len(names)
        given = pr.as_pairs(pairs, p)
        proper = given[given[:, 0] != given[:, 1]]
        directed = pr.distinct(pr.encode(proper, p))
        edges = pr.decode(pr.distinct(pr.encode(pr.ordered(pr.decode(directed, p)), p)), p)
        merged = CleaningCounts(
            self_loops=len(given) - len(proper),
            duplicates=len(proper) - len(directed),
            reversed_duplicates=len(directed) - len(edges),
        )
        return cls(_symmetric_csr(edges, p), names, merged)

    @classmethod
    def from_scipy(
        cls, matrix: Any, names: Sequence[Any] | None = None, weights: bool = False
    ) -> Network:
        """Build from a square sparse matrix or array; every non-zero entry is an edge.

        With `weights` an entry tells how sure the edge is; of (i, j) and (j, i) the larger counts.
        """
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
        pairs = np.stack([rows, cols], axis=1)
        net = cls.from_indices(pairs, labels)
        # A symmetric matrix holds each edge twice by its nature: nothing was repeated.
        if net.merged.reversed_duplicates == net.n_edges:
            net = cls(net.adjacency, net.names, CleaningCounts(net.merged.self_loops))
        return weighted(net, pairs, entry_weights(a.data[a.data != 0], pairs)) if weights else net

    @classmethod
    def from_networkx(cls, graph: nx.Graph[Any], weights: str | None = None) -> Network:
        """Build from a networkx graph of any kind; directions and parallel edges are merged.

        Nodes are named by their text, so that no two of them may read alike (1 and "1"). `weights`
        is the edge attribute that tells how sure an edge is: of parallel ones the largest counts,
        and an edge of weight 0 is left out.
        """
        number_of = {node: i for i, node in enumerate(graph.nodes())}
        names = distinct_names(number_of)
        ends = (number_of[end] for edge in graph.edges() for end in edge)
        pairs = np.fromiter(ends, dtype=np.int64).reshape(-1, 2)
        if weights is None:
            return cls.from_indices(pairs, names)
        values = attribute_weights(graph, weights)
        pairs, values = pairs[values > 0], values[values > 0]
        return weighted(cls.from_indices(pairs, names), pairs, values)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        source: str | None = None,
        target: str | None = None,
        weights: str | None = None,
    ) -> Network:
        """Build from two columns of a data frame (the first two unless named).

        Numbers that a gap turned into floats are read as whole numbers again: 3.0 is "3". `weights`
        is the column that tells how sure an edge is: of repeated edges the largest counts, and a
        row of weight 0 is left out.
        """
        if frame.shape[1] < 2:
            raise InputError(f"expected a table of at least 2 columns, got {frame.shape[1]}")
        for column in (source, target, weights):
            if column is not None and column not in frame.columns:
                raise InputError(f"no column {column!r}; there are {list(frame.columns)}")
        others = [name for name in frame.columns if name not in (source, target, weights)]
        if len(others) < (source is None) + (target is None):
            raise InputError(f"expected two columns of nodes, got {list(frame.columns)}")
        first = others.pop(0) if source is None else source
        columns = [first, others.pop(0) if target is None else target]
        if columns[0] == columns[1] or frame[columns].shape[1] != 2:
            raise InputError(f"expected two different columns, got {columns}")
        if weights in columns or (weights is not None and frame[[weights]].shape[1] != 1):
            raise InputError(f"expected one column of weights beside {columns}, got {weights!r}")
        ends = frame[columns]
        if ends.isna().to_numpy().any():
            row = int(np.argmax(ends.isna().to_numpy().any(axis=1)))
            raise InputError(
                f"row {row} of the table has an empty node name (the first row is 0); drop such "
                "rows, or fill them"
            )
        rows = ends.astype(object).to_numpy()
        if weights is None:
            return cls.from_edges(rows)
        values = listed_weights(frame[weights].tolist())
        rows, values = rows[values > 0], values[values > 0]
        net = cls.from_edges(rows)
        numbers = np.array([net.index_of(name) for name in names_in(rows)], dtype=np.int64)
        return weighted(net, numbers.reshape(-1, 2), values)

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
        """SHA-256 of names, edges and what else is known: the same on every machine."""
        h = hashlib.sha256()
        for name in self.names:
            encoded = name.encode("utf-8", "surrogatepass")
            h.update(len(encoded).to_bytes(8, "little") + encoded)
        h.update(self.edges.astype("<i8").tobytes())
        self.known.add_to(h)
        return h.hexdigest()

    @cached_property
    def confidence(self) -> sp.csr_array:
        """The adjacency matrix with how sure each edge is, 0 to 1, in place of ones."""
        if self.known.weights is None:
            return self.adjacency
        sure = _symmetric_csr(self.edges, self.n_nodes, self.known.weights)
        for part in (sure.data, sure.indices, sure.indptr):
            part.setflags(write=False)
        return sure

    @cached_property
    def evidence(self) -> Observations:
        """All edges and known non-edges, with how sure each is."""
        return Observations.of(self)

    @cached_property
    def strengths(self) -> NDArray[np.float64]:
        """Sum of the confidences of every node's edges; its degree where all edges are sure."""
        strengths = np.asarray(self.confidence.sum(axis=1), dtype=np.float64)
        strengths.setflags(write=False)
        return strengths

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
        known = self.known.without(hidden, codes, self.names)
        return Network(_symmetric_csr(kept, p), self.names, known=known)

    def drop_isolated(self) -> Network:
        """Return the network without the nodes that have no edge, and count them."""
        kept = self.degrees > 0
        if kept.all():
            return self
        number = np.cumsum(kept) - 1
        names = tuple(name for name, keep in zip(self.names, kept, strict=True) if keep)
        adjacency = _symmetric_csr(number[self.edges], len(names))
        merged = replace(self.merged, isolated=int((~kept).sum()))
        return Network(adjacency, names, merged, self.known.renumbered(kept))

    def rename(self, names: Sequence[str]) -> Network:
        """Return the same network under new node names."""
        new = tuple(str(name) for name in names)
        if len(new) != self.n_nodes:
            raise InputError(f"expected {self.n_nodes} names, got {len(new)}")
        refuse_repeated(new)
        known = self.known.renamed(dict(zip(self.names, new, strict=True)))
        return Network(self.adjacency, new, self.merged, known)

    # ------------------------------------------------------------------ knowing more

    def with_weights(self, weights: ArrayLike) -> Network:
        """Return the network with a confidence for every edge, in the order of `edges`.

        Weights of any positive scale: what counts is their ratio to the largest.
        """
        return replace(self, known=self.known.with_weights(weights, self.n_edges))

    def with_negatives(self, pairs: ArrayLike, force: bool = False) -> Network:
        """Return the network with pairs that are known not to be links.

        Among them no observed edge may be; with `force` such pairs stay edges.
        """
        given = pr.ordered(pr.as_pairs(pairs, self.n_nodes))
        return replace(self, known=self.known.with_negatives(given, self, force))

    def with_history(self, older: Network, newer: Network) -> Network:
        """Return the network with two releases to learn from what newly found links look like."""
        for which, given in (("older", older), ("newer", newer)):
            if not isinstance(given, Network):
                raise InputError(f"{which} must be a Network, got {type(given).__name__}")
        return replace(self, known=replace(self.known, history=History.between(older, newer)))

    def without_history(self) -> Network:
        """Return the network without the releases it came with."""
        return replace(self, known=replace(self.known, history=None))

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


def _symmetric_csr(
    edges: pr.Ints, n_nodes: int, values: NDArray[np.float64] | None = None
) -> sp.csr_array:
    """Mirror i < j edges into a canonical CSR array of ones, or of the values given."""
    i, j = edges[:, 0], edges[:, 1]
    rows, cols = np.concatenate([i, j]), np.concatenate([j, i])
    data = np.ones(len(rows)) if values is None else np.concatenate([values, values])
    a = sp.coo_array((data, (rows, cols)), shape=(n_nodes, n_nodes)).tocsr()
    a.sort_indices()
    return a

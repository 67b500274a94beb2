"""Network: an immutable, symmetric adjacency matrix with a name for every node."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import islice
from operator import lt
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linkprior import _html as html
from linkprior.errors import InputError, LinkpriorError, nearest
from linkprior.network import pairs as pr
from linkprior.network.node_names import distinct_names, names_in, node_name
from linkprior.network.side_information import (
    NOTHING,
    History,
    Observations,
    SideInformation,
    weight_numbers,
    weighted,
)

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


@dataclass(frozen=True)
class CleaningCounts:
    """What was merged or left out while a network was built.

    Attributes
    ----------
    self_loops : int
        Edges of a node to itself, left out.
    duplicates, reversed_duplicates : int
        Edges listed again, the same way round or the other way.
    isolated : int
        Nodes without an edge that `Network.drop_isolated` left out.
    """

    self_loops: int = 0
    duplicates: int = 0
    reversed_duplicates: int = 0
    isolated: int = 0


@dataclass(frozen=True, eq=False)
class Network:
    """Observed edges of an undirected network; immutable.

    Build one with `from_edges`, `from_frame`, `from_networkx`, `from_scipy` or `read_network`.

    Parameters
    ----------
    adjacency : scipy.sparse.csr_array
        Symmetric array of ones with an empty diagonal and sorted indices (made read-only).
    names : tuple of str
        One name per node, all different; their order is that of all positions. Models and ties
        do not depend on it: they go by `sorted`.
    merged : CleaningCounts
        Counts of self-loops, duplicates, reversed duplicates and dropped isolated nodes.
    known : SideInformation
        Side information: confidence of each edge, known non-edges, earlier releases.

    Attributes
    ----------
    n_nodes, n_edges, n_non_edges : int
        Number of nodes, of observed edges, and of pairs without one.
    order, places : array of shape (n_nodes,)
        Node numbers sorted by name, and the place of every node among them.
    degrees, strengths : array of shape (n_nodes,)
        Number of edges of each node, and the sum of their confidences.
    edges : array of shape (n_edges, 2)
        Node numbers i < j, in order of pair.
    confidence : scipy.sparse.csr_array
        The adjacency matrix with the confidence of each edge, 0 to 1, in place of ones.
    digest : str
        SHA-256 of names, edges and side information.

    Examples
    --------
    >>> import linkprior as lp
    >>> net = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "b")])
    >>> net
    Network(3 nodes, 2 edges)
    >>> net.names
    ('a', 'b', 'c')
    >>> net.degrees.tolist()
    [1, 2, 1]
    >>> net.merged.reversed_duplicates
    1
    """

    adjacency: sp.csr_array
    names: tuple[str, ...]
    merged: CleaningCounts = field(default_factory=CleaningCounts)
    known: SideInformation = NOTHING

    def __post_init__(self) -> None:
        _make_read_only(self.adjacency)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        _make_read_only(self.adjacency)  # pickled arrays come back writable

    def __deepcopy__(self, memo: dict[int, Any]) -> Network:
        return self  # nothing in it can change

    # ------------------------------------------------------------------ building

    @classmethod
    def from_edges(
        cls, pairs: Iterable[Sequence[Any]] | NDArray[Any], nodes: Iterable[Any] | None = None
    ) -> Network:
        """Build from pairs of names.

        Parameters
        ----------
        pairs : iterable of pairs, or array of shape (m, 2)
            Ends of the edges. What is not text is named by its text, and whole floats as whole
            numbers: 3.0 is "3". Self-loops and repeated edges are merged and counted.
        nodes : iterable, optional
            All nodes, in order; isolated ones are then possible, and every end must be among them.
            Without it, nodes are numbered by first appearance.

        Returns
        -------
        Network
            The network of these edges.

        Raises
        ------
        InputError
            If something is not a pair of names, or an end is not among `nodes`.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.Network.from_edges([(1, 2), (2, 3)], nodes=[1, 2, 3, 4])
        Network(4 nodes, 2 edges)
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
        """Build from node numbers and the names of all nodes.

        Parameters
        ----------
        pairs : array of shape (m, 2)
            Node numbers 0…p−1; self-loops and repeated edges are merged and counted.
        names : sequence of str
            The p names, all different.

        Returns
        -------
        Network
            The network of these edges.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.Network.from_indices([(0, 1), (1, 2)], ["a", "b", "c"]).edges.tolist()
        [[0, 1], [1, 2]]
        """
        names = tuple(str(name) for name in names)
        _refuse_repeated(names)
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

        Parameters
        ----------
        matrix : sparse matrix or array, or dense array, of shape (p, p)
            Need not be symmetric: an entry either way is an edge.
        names : sequence, optional
            One name per row; by default "0", "1", ….
        weights : bool
            Whether an entry is the edge's confidence; of (i, j) and (j, i) the larger counts.

        Returns
        -------
        Network
            The network of all p nodes.

        Examples
        --------
        >>> import linkprior as lp
        >>> from scipy.sparse import csr_array
        >>> lp.Network.from_scipy(csr_array([[0, 2, 0], [0, 0, 1], [0, 0, 0]]))
        Network(3 nodes, 2 edges)
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
        entries = a.data != 0
        pairs = np.stack([end[entries].astype(np.int64) for end in a.coords], axis=1)
        net = cls.from_indices(pairs, labels)
        # A symmetric matrix holds each edge twice by its nature: nothing was repeated.
        if net.merged.reversed_duplicates == net.n_edges:
            net = cls(net.adjacency, net.names, CleaningCounts(net.merged.self_loops))
        if not weights:
            return net
        values = weight_numbers(
            a.data[entries], lambda at: f"row {pairs[at, 0]}, column {pairs[at, 1]}"
        )
        return weighted(net, pairs, values)

    @classmethod
    def from_networkx(cls, graph: nx.Graph[Any], weights: str | None = None) -> Network:
        """Build from a networkx graph of any kind; directions and parallel edges are merged.

        Parameters
        ----------
        graph : networkx.Graph
            Nodes are named by their text, so that no two of them may read alike (1 and "1").
        weights : str, optional
            The edge attribute with the confidence of an edge: of parallel ones the largest counts,
            and an edge of weight 0 is left out.

        Returns
        -------
        Network
            The network of all nodes of the graph, isolated ones too.

        Examples
        --------
        >>> import linkprior as lp
        >>> import networkx as nx
        >>> lp.Network.from_networkx(nx.path_graph(4))
        Network(4 nodes, 3 edges)
        """
        number_of = {node: i for i, node in enumerate(graph.nodes())}
        names = distinct_names(number_of)
        ends = (number_of[end] for edge in graph.edges() for end in edge)
        pairs = np.fromiter(ends, dtype=np.int64).reshape(-1, 2)
        if weights is None:
            return cls.from_indices(pairs, names)
        edges = list(graph.edges(data=True))
        attributes = list(dict.fromkeys(name for *_, about in edges for name in about))
        if edges and weights not in attributes:
            there = ", ".join(map(str, attributes[:20])) or "none"
            raise InputError(
                f"no edge has the attribute {weights!r}."
                f"{nearest(str(weights), map(str, attributes))} There are: {there}"
            )
        values = weight_numbers(
            [about.get(weights) for *_, about in edges],
            lambda at: f"the edge {edges[at][0]!r} – {edges[at][1]!r}",
        )
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
        """Build from two columns of a data frame.

        Parameters
        ----------
        frame : pandas.DataFrame
            One edge per row. Numbers that a gap turned into floats are read as whole numbers again:
            3.0 is "3".
        source, target : str, optional
            The columns of the ends; the first two unless named.
        weights : str, optional
            The column with the confidence of an edge: of repeated edges the largest counts, and a
            row of weight 0 is left out.

        Returns
        -------
        Network
            The network of these edges.

        Examples
        --------
        >>> import linkprior as lp
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "score": [1.0, 0.5]})
        >>> lp.Network.from_frame(frame, weights="score").strengths.tolist()
        [1.0, 1.5, 0.5]
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
            raise InputError(f"expected one column of weights besides {columns}, got {weights!r}")
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
        values = weight_numbers(
            frame[weights].tolist(), lambda at: f"row {at} of the table (the first row is 0)"
        )
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
        """SHA-256 of names, edges and side information: the same on every machine."""
        h = hashlib.sha256()
        for name in self.names:
            encoded = name.encode("utf-8", "surrogatepass")
            h.update(len(encoded).to_bytes(8, "little") + encoded)
        h.update(self.edges.astype("<i8").tobytes())
        self.known.add_to(h)
        return h.hexdigest()

    @cached_property
    def confidence(self) -> sp.csr_array:
        """The adjacency matrix with the confidence of each edge, 0 to 1, in place of ones."""
        if self.known.weights is None:
            return self.adjacency
        sure = _symmetric_csr(self.edges, self.n_nodes, self.known.weights)
        _make_read_only(sure)
        return sure

    @cached_property
    def evidence(self) -> Observations:
        """All edges and known non-edges, with their confidences."""
        return Observations.of(self)

    @cached_property
    def strengths(self) -> NDArray[np.float64]:
        """Sum of the confidences of every node's edges; its degree where all edges are certain."""
        strengths = np.asarray(self.confidence.sum(axis=1), dtype=np.float64)
        strengths.setflags(write=False)
        return strengths

    @cached_property
    def order(self) -> pr.Ints:
        """Numbers of all nodes, sorted by name in order of code points."""
        order = np.arange(self.n_nodes)
        if not self._names_ascend:
            order = np.array(sorted(range(self.n_nodes), key=self.names.__getitem__), np.int64)
        order.setflags(write=False)
        return order

    @cached_property
    def places(self) -> pr.Ints:
        """Place of every node among all nodes sorted by name: undoes `order`."""
        places = np.empty(self.n_nodes, np.int64)
        places[self.order] = np.arange(self.n_nodes)
        places.setflags(write=False)
        return places

    @cached_property
    def _names_ascend(self) -> bool:
        return all(map(lt, self.names, islice(self.names, 1, None)))

    def index_of(self, name: str) -> int:
        """Return the number of the node called `name`.

        Parameters
        ----------
        name : str
            Name of a node.

        Returns
        -------
        int
            Its place in `names`.

        Raises
        ------
        InputError
            If no node has this name.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.Network.from_edges([("a", "b")]).index_of("b")
        1
        """
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            raise InputError(f"no node is called {name!r}") from None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    # ------------------------------------------------------------------ deriving

    def hide(self, pairs: ArrayLike) -> Network:
        """Return the network without some of its edges, for tests on what is hidden.

        Parameters
        ----------
        pairs : array of shape (m, 2)
            Node numbers of observed edges, either way round.

        Returns
        -------
        Network
            The same nodes without these edges; they are taken out of weights and history, too.

        Raises
        ------
        InputError
            If a pair is not an edge.

        Examples
        --------
        >>> import linkprior as lp
        >>> net = lp.Network.from_edges([("a", "b"), ("b", "c")])
        >>> net.hide([(1, 0)])
        Network(3 nodes, 1 edges)
        """
        p = self.n_nodes
        hidden = pr.encode(pr.ordered(pr.as_pairs(pairs, p)), p)
        codes = pr.encode(self.edges, p)
        absent = ~np.isin(hidden, codes)
        if absent.any():
            i, j = pr.decode(hidden[absent][:1], p)[0]
            raise InputError(f"{self.names[i]} – {self.names[j]} is not an edge: nothing to hide")
        edges = self.edges[~np.isin(codes, hidden)]
        side = self.known.without(hidden, codes, self.names)
        return Network(_symmetric_csr(edges, p), self.names, known=side)

    def drop_isolated(self) -> Network:
        """Return the network without the nodes that have no edge.

        Returns
        -------
        Network
            The network itself where every node has an edge; else the others, with the number of
            those left out in ``merged.isolated``.

        Examples
        --------
        >>> import linkprior as lp
        >>> net = lp.Network.from_edges([("a", "b")], nodes=["a", "b", "c"])
        >>> net.drop_isolated().names
        ('a', 'b')
        """
        kept = self.degrees > 0
        if kept.all():
            return self
        number = np.cumsum(kept) - 1
        names = tuple(name for name, keep in zip(self.names, kept, strict=True) if keep)
        adjacency = _symmetric_csr(number[self.edges], len(names))
        merged = replace(self.merged, isolated=int((~kept).sum()))
        return Network(adjacency, names, merged, self.known.renumbered(kept))

    def rename(self, names: Sequence[str]) -> Network:
        """Return the same network under new node names.

        Parameters
        ----------
        names : sequence of str
            One name per node, all different, in node order.

        Returns
        -------
        Network
            The renamed network.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.Network.from_edges([("a", "b")]).rename(["TP53", "MDM2"]).names
        ('TP53', 'MDM2')
        """
        new = tuple(str(name) for name in names)
        if len(new) != self.n_nodes:
            raise InputError(f"expected {self.n_nodes} names, got {len(new)}")
        _refuse_repeated(new)
        side = self.known.renamed(dict(zip(self.names, new, strict=True)))
        return Network(self.adjacency, new, self.merged, side)

    def sorted(self) -> Network:
        """Return the network with its nodes sorted by name, in order of code points.

        Models are fitted on this one, so that their answers depend on the network and not on the
        order of its file.

        Returns
        -------
        Network
            The network itself where they are in order already; else its node n is node
            ``order[n]`` of this one, and all side information is numbered anew.

        Examples
        --------
        >>> import linkprior as lp
        >>> net = lp.Network.from_edges([("b", "c"), ("c", "a")])
        >>> net.sorted().names, net.order.tolist()
        (('a', 'b', 'c'), [2, 0, 1])
        """
        history = self.known.history
        if self._names_ascend and (history is None or history.sorted() is history):
            return self
        return self._sorted

    @cached_property
    def _sorted(self) -> Network:
        history = self.known.history
        known = self.known if history is None else replace(self.known, history=history.sorted())
        return replace(self, known=known).arranged(self.order)

    def arranged(self, order: pr.Ints) -> Network:
        """Return the same network with its nodes in another order.

        Parameters
        ----------
        order : array of shape (n_nodes,)
            The number that each node has now, in the new order.

        Returns
        -------
        Network
            Its node n is node ``order[n]`` of this one.

        Examples
        --------
        >>> import linkprior as lp
        >>> net = lp.Network.from_edges([("a", "b"), ("b", "c")])
        >>> net.arranged([2, 1, 0]).names
        ('c', 'b', 'a')
        """
        order = np.asarray(order, np.int64)
        if not np.array_equal(np.sort(order), np.arange(self.n_nodes)):
            raise InputError(f"order must hold the numbers of all {self.n_nodes} nodes once each")
        to = np.empty(self.n_nodes, np.int64)
        to[order] = np.arange(self.n_nodes)
        a = self.adjacency[order]
        adjacency = sp.csr_array((a.data, to[a.indices], a.indptr), shape=a.shape)
        adjacency.sort_indices()
        names = tuple(map(self.names.__getitem__, order.tolist()))
        return Network(adjacency, names, self.merged, self.known.arranged(self, to))

    # ------------------------------------------------------------------ knowing more

    def with_weights(self, weights: ArrayLike) -> Network:
        """Return the network with a confidence for every edge.

        Parameters
        ----------
        weights : array of shape (n_edges,)
            Confidence of each edge, in the order of `edges`; above 0, on any scale: what counts is
            the ratio to the largest.

        Returns
        -------
        Network
            The network with these confidences.

        Examples
        --------
        >>> import linkprior as lp
        >>> net = lp.Network.from_edges([("a", "b"), ("b", "c")])
        >>> net.with_weights([900, 450]).strengths.tolist()
        [1.0, 1.5, 0.5]
        """
        return replace(self, known=self.known.with_weights(weights, self.n_edges))

    def with_negatives(self, pairs: ArrayLike, force: bool = False) -> Network:
        """Return the network with pairs that are known not to be links.

        Parameters
        ----------
        pairs : array of shape (m, 2)
            Node numbers of known non-edges.
        force : bool
            Whether to accept observed edges among them, which then stay edges; else they are an
            error.

        Returns
        -------
        Network
            The network with these non-edges, which are never predicted.

        Examples
        --------
        >>> import linkprior as lp
        >>> net = lp.Network.from_edges([("a", "b"), ("b", "c")])
        >>> net.with_negatives([(0, 2)]).known.negatives.tolist()
        [[0, 2]]
        """
        given = pr.ordered(pr.as_pairs(pairs, self.n_nodes))
        return replace(self, known=self.known.with_negatives(given, self, force))

    def with_history(self, older: Network, newer: Network) -> Network:
        """Return the network with two releases, to learn what newly found links look like.

        Parameters
        ----------
        older, newer : Network
            Two releases of a network; nodes are matched by name.

        Returns
        -------
        Network
            The network with this history.

        Raises
        ------
        InputError
            If the newer release has no new edge between nodes of the older one.

        Examples
        --------
        >>> import linkprior as lp
        >>> older = lp.Network.from_edges([("a", "b"), ("b", "c")])
        >>> newer = lp.Network.from_edges([("a", "b"), ("b", "c"), ("a", "c")])
        >>> newer.with_history(older, newer).known.history.found.tolist()
        [[0, 2]]
        """
        for which, given in (("older", older), ("newer", newer)):
            if not isinstance(given, Network):
                raise InputError(f"{which} must be a Network, got {type(given).__name__}")
        return replace(self, known=replace(self.known, history=History.between(older, newer)))

    def without_history(self) -> Network:
        """Return the network without the releases it came with.

        Returns
        -------
        Network
            The network as it was before `with_history`.

        Examples
        --------
        >>> import linkprior as lp
        >>> older = lp.Network.from_edges([("a", "b"), ("b", "c")])
        >>> newer = lp.Network.from_edges([("a", "b"), ("b", "c"), ("a", "c")])
        >>> newer.with_history(older, newer).without_history().known.history is None
        True
        """
        return replace(self, known=replace(self.known, history=None))

    def to_networkx(self) -> nx.Graph[str]:
        """Return the network as a networkx graph; nodes are called by their names.

        Returns
        -------
        networkx.Graph
            All nodes and edges in order; where edges have confidences, as their attribute
            ``weight``. `from_networkx` makes a network of it again.

        Examples
        --------
        >>> import linkprior as lp
        >>> graph = lp.Network.from_edges([("a", "b"), ("b", "c")]).to_networkx()
        >>> list(graph.edges)
        [('a', 'b'), ('b', 'c')]
        """
        try:
            import networkx as nx
        except ImportError:
            raise LinkpriorError("to_networkx needs networkx: pip install networkx") from None
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(self.names)
        edges = ((self.names[i], self.names[j]) for i, j in self.edges.tolist())
        if self.known.weights is None:
            graph.add_edges_from(edges)
        else:
            weights = self.known.weights.tolist()
            graph.add_weighted_edges_from(
                (a, b, w) for (a, b), w in zip(edges, weights, strict=True)
            )
        return graph

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


def to_networkx(net: Network) -> nx.Graph[str]:
    """Return a network as a networkx graph, as `Network.to_networkx` does.

    Parameters
    ----------
    net : Network
        The network.

    Returns
    -------
    networkx.Graph
        Its nodes by name, its edges, and their attribute ``weight`` where they have confidences.

    Examples
    --------
    >>> import linkprior as lp
    >>> lp.to_networkx(lp.Network.from_edges([("a", "b")])).number_of_edges()
    1
    """
    return net.to_networkx()


def _make_read_only(matrix: sp.csr_array) -> None:
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.setflags(write=False)


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


def _refuse_repeated(names: Sequence[str]) -> None:
    """Raise an error that names one that appears twice."""
    seen: set[str] = set()
    for name in names if len(set(names)) != len(names) else ():
        if name in seen:
            raise InputError(f"node names must all differ, but {name!r} appears twice")
        seen.add(name)

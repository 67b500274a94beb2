"""Other people's graphs as a Network: networkx, igraph, matrices, tables, pairs and files.

No library is imported to find out what an object is: whoever holds a graph of a library has loaded
it, and the names of its class and module identify it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from linkprior.errors import InputError, ParameterError
from linkprior.io.readers.columns import pair_of_columns
from linkprior.network import Network, distinct_names, node_name

if TYPE_CHECKING:
    import pandas as pd

Columns = tuple[str, str]  # of the two ends

TAKEN = (
    "a linkprior Network, a networkx or igraph graph, a scipy sparse matrix or square NumPy array, "
    "a NumPy array of edges (m, 2), a pandas or polars data frame, pairs of nodes, or the path of "
    "a file"
)


@dataclass(frozen=True)
class Labelled:
    """A network, and what its nodes are called where it came from: any objects, one per node."""

    network: Network
    labels: tuple[Any, ...]
    symbols: Mapping[str, str] = field(default_factory=dict)  # name of a node → a readable one

    def drop_isolated(self) -> Labelled:
        """Return it without the nodes that have no edge."""
        kept = self.network.degrees > 0
        labels = tuple(compress(self.labels, kept))
        return Labelled(self.network.drop_isolated(), labels, self.symbols)


def as_network(
    obj: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    keep_isolated: bool | None = None,
) -> Network:
    """Return the network that an object holds; directions, weights and parallel edges are merged.

    Parameters
    ----------
    obj
        A `Network` (returned as it is); a networkx graph of any kind; an igraph graph (nodes are
        named by the vertex attribute ``name`` where every vertex has one and all differ, else by
        number); a scipy sparse matrix or array, or a square NumPy array (every non-zero entry is
        an edge); a NumPy array (m, 2) of edges; a pandas data frame, a polars DataFrame or
        LazyFrame with one edge per row; any iterable of pairs; the path of a file. A 2 × 2 array
        is two edges, not a matrix: two nodes alone would leave nothing to predict. A pandas frame
        whose rows and columns have the same names is an adjacency matrix (named 0, 1, 2, …: if it
        has more than two columns, all of numbers).
    source, target
        The two columns of a table or file that name the ends. Without them, the columns whose names
        show it (source/target, gene_a/gene_b, protein1/protein2, …), else the first two. Other
        columns are left alone, weights too.
    keep_isolated
        Whether nodes without an edge stay. None leaves it to the kind of `obj`: graphs, matrices
        and tables keep all their nodes, in their order, so that node i is row i of a matrix; files
        drop them, as `read_network` does.
    """
    converted = labelled(obj, source, target)
    if keep_isolated is None:
        keep_isolated = not isinstance(obj, str | os.PathLike)
    return converted.network if keep_isolated else converted.network.drop_isolated()


def labelled(obj: Any, source: str | None = None, target: str | None = None) -> Labelled:
    """Return the network that an object holds, all nodes kept, with the labels they have there."""
    columns = None if source is None or target is None else (source, target)
    if source == target is not None or (columns is None and source != target):
        raise ParameterError(
            f"source and target must be two columns, or neither given; got {source!r}, {target!r}"
        )
    if isinstance(obj, str | os.PathLike):
        from linkprior.io.formats import ReadOptions
        from linkprior.io.read import read

        reading = read(os.fspath(obj), keep_isolated=True, options=ReadOptions(columns=columns))
        return Labelled(reading.network, reading.network.names, reading.labels)
    # Library and class of the object, and of what it descends from.
    kinds = {(c.__module__.partition(".")[0], c.__name__) for c in type(obj).__mro__}
    if ("pandas", "DataFrame") in kinds:
        return _from_pandas(obj, columns)
    if not kinds.isdisjoint({("polars", "DataFrame"), ("polars", "LazyFrame")}):
        return _from_polars(obj, columns)
    if columns is not None:
        raise ParameterError(
            f"source and target choose columns of a table or file, got {type(obj).__name__}"
        )
    if isinstance(obj, Network):
        return Labelled(obj, obj.names)
    if ("networkx", "Graph") in kinds:
        result = Labelled(Network.from_networkx(obj), tuple(obj.nodes()))
    elif ("igraph", "Graph") in kinds:
        result = _from_igraph(obj)
    elif sp.issparse(obj):
        result = _from_matrix(obj)
    elif hasattr(obj, "__array__"):
        result = _from_array(obj)
    elif isinstance(obj, Iterable) and not isinstance(obj, bytes):
        result = _from_pairs(obj)
    else:
        raise InputError(f"expected {TAKEN}; got {type(obj).__name__}")
    return result


def _from_igraph(graph: Any) -> Labelled:
    labels: Sequence[Any] = range(graph.vcount())
    if "name" in graph.vs.attributes():
        names = graph.vs["name"]
        if None not in names and len(set(map(node_name, names))) == len(names):
            labels = names
    net = Network.from_indices(graph.get_edgelist(), distinct_names(labels))
    return Labelled(net, tuple(labels))


def _from_matrix(matrix: Any) -> Labelled:
    net = Network.from_scipy(matrix)
    return Labelled(net, tuple(range(net.n_nodes)))


def _from_array(obj: Any) -> Labelled:
    array = np.asarray(obj)
    if array.ndim == 2 and array.shape[1] == 2:
        return _from_pairs(array.tolist())
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        return _from_matrix(array)
    hint = "; transpose it" if array.ndim == 2 and array.shape[0] == 2 else ""
    raise InputError(
        f"expected a square array, or edges of shape (m, 2), got shape {array.shape}{hint}"
    )


def _from_pairs(pairs: Iterable[Any]) -> Labelled:
    """Build from pairs of any objects. Sets come sorted: their own order changes between runs."""

    def in_order(items: Any) -> Any:
        return sorted(items, key=repr) if isinstance(items, set | frozenset) else items

    rows = [in_order(pair) for pair in in_order(pairs)]
    return _with_labels(Network.from_edges(rows), rows)


def _with_labels(net: Network, rows: Iterable[Iterable[Any]]) -> Labelled:
    """Call each node what the first pair that names it calls it."""
    flat = list(chain.from_iterable(rows))
    label_of: dict[str, Any] = {}
    for _, end in dict.fromkeys(zip(map(type, flat), flat, strict=True)):  # 1 is not True
        label_of.setdefault(node_name(end), end)
    return Labelled(net, tuple(label_of[name] for name in net.names))


def _from_pandas(frame: Any, columns: Columns | None) -> Labelled:
    names: list[Any] = frame.columns.tolist()
    if columns is None and names and names == frame.index.tolist():
        # Both sides have the same names. 0, 1, 2, … are pandas' default and name nothing; a square
        # of numbers, and of more than two columns, is a matrix all the same.
        numbers = all(kind.kind in "biuf" for kind in frame.dtypes if hasattr(kind, "kind"))
        if names != list(range(len(names))) or (numbers and len(names) > 2):
            net = Network.from_scipy(frame.to_numpy(), distinct_names(frame.columns))
            return Labelled(net, tuple(names))
    at = _places(names, columns)
    return _from_ends(frame.iloc[:, list(at)])


def _from_polars(frame: Any, columns: Columns | None) -> Labelled:
    import pandas as pd

    names = frame.collect_schema().names()
    wanted = [names[at] for at in _places(names, columns)]
    ends = frame.lazy().select(wanted).collect()  # of a lazy frame, nothing else is computed
    values = {name: ends[name].to_list() for name in wanted}
    return _from_ends(pd.DataFrame(values, dtype=object))


def _from_ends(ends: pd.DataFrame) -> Labelled:
    ends = ends.set_axis(["source", "target"], axis=1)
    net = Network.from_frame(ends, "source", "target")
    return _with_labels(net, ends.astype(object).to_numpy().tolist())


def _places(names: list[Any], columns: Columns | None) -> tuple[int, int]:
    """Return the places of the two columns that name the ends."""
    if len(names) < 2:
        raise InputError(f"expected a table of at least 2 columns, got {len(names)}")
    if columns is None:
        return pair_of_columns([str(name) for name in names]) or (0, 1)
    for column in columns:
        if names.count(column) != 1:
            how_many = "more than one" if column in names else "no"
            raise InputError(f"{how_many} column {column!r}; there are {names}")
    return names.index(columns[0]), names.index(columns[1])

"""What the network itself shows of pairs, whatever the model: degrees, paths, shared partners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.network import Network
from linkprior.network.pairs import Ints

SHOWN = 3  # shared partners that are named
_ENTRIES = 1 << 20  # numbers a block of path counts, or of neighbours looked up, holds at most
_SPREAD_OUT = 50_000  # nodes up to which path counts of a node are held for all nodes


def rank_by_degree(net: Network, pairs: Ints) -> Ints:
    """Return each pair's place were all non-edges ranked by the product of degrees.

    It is 1 + the number of non-edges with a higher product: pairs counted by classes of nodes of
    the same degree, less the edges among them.
    """
    degrees = net.degrees
    limits, which = np.unique(degrees[pairs].prod(axis=1), return_inverse=True)
    top = int(degrees.max(initial=0))
    per_degree = np.bincount(degrees, minlength=top + 1).astype(np.int64)
    nodes_above = len(degrees) - np.cumsum(per_degree)
    above = np.zeros(len(limits), np.int64)
    for degree in np.flatnonzero(per_degree[1:]) + 1:
        # degree·k > limit means k > ⌊limit/degree⌋; a node is not its own partner
        partners = nodes_above[np.minimum(limits // degree, top)]
        above += per_degree[degree] * (partners - (degree * degree > limits))
    on_edges = np.sort(degrees[net.edges].prod(axis=1))
    edges_above = len(on_edges) - np.searchsorted(on_edges, limits, side="right")
    places: Ints = 1 + above // 2 - edges_above
    return places[which]


@dataclass(frozen=True)
class Paths:
    """The short paths between the nodes of each pair."""

    two: Ints  # paths of length 2: shared partners
    three: Ints  # paths of length 3
    partners: Ints  # (m, 3) shared partners, fewest edges first, ties by node; then −1


def count_paths(net: Network, pairs: Ints) -> Paths:
    """Count the short paths between the ends of each pair, in blocks of nodes.

    Walks from the node with more edges (there are fewer of these) meet the neighbours of the other.
    """
    degrees = net.degrees
    i, j = pairs[:, 0], pairs[:, 1]
    swap = degrees[i] < degrees[j]
    hubs, others = np.where(swap, j, i), np.where(swap, i, j)
    order = np.argsort(hubs, kind="stable")
    paths = Paths(
        np.zeros(len(pairs), np.int64),
        np.zeros(len(pairs), np.int64),
        np.full((len(pairs), SHOWN), -1, np.int64),
    )

    fill = partial(_fill, net, hubs, others, paths)
    for _ in parallel.map_tasks(fill, _by_hub(order, hubs, net), stage="counting paths"):
        pass
    return paths


def _by_hub(order: Ints, hubs: Ints, net: Network) -> list[Ints]:
    """Cut pairs, in order of hub, where a block would hold walks from too many hubs."""
    if not len(order):
        return []
    starts = np.flatnonzero(np.diff(hubs[order], prepend=-1))
    if net.n_nodes > _SPREAD_OUT:
        held = np.cumsum(net.adjacency[hubs[order[starts]]] @ net.degrees)
        return np.split(order, starts[1:][np.diff(held // _ENTRIES) > 0])
    per_block = max(1, _ENTRIES // max(1, net.n_nodes))
    return np.split(order, starts[per_block::per_block])


def _reader(matrix: sp.csr_array) -> Callable[[Ints, NDArray[Any]], NDArray[Any]]:
    """Return what reads entries: of a dense copy, or where that is large, of those stored."""
    n_columns = matrix.shape[1]
    if n_columns <= _SPREAD_OUT:
        whole = matrix.toarray()
        return lambda rows, columns: whole[rows, columns]
    matrix.sort_indices()
    owner = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    stored = np.append(owner * n_columns + matrix.indices, np.iinfo(np.int64).max)
    values = np.append(matrix.data, 0)

    def read(rows: Ints, columns: NDArray[Any]) -> NDArray[Any]:
        wanted = rows * n_columns + columns
        at = np.searchsorted(stored, wanted)
        return np.where(stored[at] == wanted, values[at], 0)

    return read


def _fill(net: Network, all_hubs: Ints, all_others: Ints, paths: Paths, at: Ints) -> None:
    """Write the paths of one block of pairs to their places in `paths`."""
    adjacency, hubs, others = net.adjacency, all_hubs[at], all_others[at]
    nodes, row = np.unique(hubs, return_inverse=True)
    near = adjacency[nodes]
    walks, joined = _reader(near @ adjacency), _reader(near > 0)
    paths.two[at] = walks(row, others)
    reached = np.cumsum(net.degrees[others])
    for some in np.split(np.arange(len(at)), np.flatnonzero(np.diff(reached // _ENTRIES)) + 1):
        # All neighbours of the others, one node after the other, and whose they are.
        counts = net.degrees[others[some]]
        owner = np.repeat(np.arange(len(some)), counts)
        skipped = adjacency.indptr[others[some]] - (np.cumsum(counts) - counts)
        neighbour = adjacency.indices[np.arange(len(owner)) + skipped[owner]]
        pair, hub_row = at[some], row[some][owner]
        walked = np.bincount(owner, walks(hub_row, neighbour), minlength=len(pair))
        # On an edge some walks of length 3 go along it, there and back: they are not paths.
        edge = joined(row[some], others[some])
        along = net.degrees[hubs[some]] + counts - 1
        paths.three[pair] = walked.astype(np.int64) - edge * along
        shared = joined(hub_row, neighbour).astype(bool)
        owner, neighbour = owner[shared], neighbour[shared]
        # The first of the shared partners are those with the fewest edges.
        order = np.lexsort((neighbour, net.degrees[neighbour], owner))
        owner, neighbour = owner[order], neighbour[order]
        place = np.arange(len(owner)) - np.searchsorted(owner, owner)
        first = place < SHOWN
        paths.partners[pair[owner[first]], place[first]] = neighbour[first]

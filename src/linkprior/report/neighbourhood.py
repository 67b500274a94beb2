"""The part of a network a page shows: the ends of the predicted links and who is around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.network import Network
from linkprior.report.layout import place_nodes

Ints = NDArray[np.int64]

TOP = 50  # links drawn together
MOST_PLACED = 220  # nodes of that drawing
MOST_NODES = 4000  # nodes a page knows
BESIDE = 24  # observed partners of an end, at most


@dataclass(frozen=True)
class Neighbourhood:
    """Nodes of a page, in order of the network; a page counts them from 0."""

    nodes: Ints

    def numbers(self, nodes: Ints) -> Ints:
        """Return a page's numbers for nodes of the network."""
        return np.searchsorted(self.nodes, nodes)


def cast_of(net: Network, pairs: Ints) -> Neighbourhood:
    """Return the ends of all pairs, and for each some observed partners: those near most ends."""
    ends = np.unique(pairs)
    is_end = np.zeros(net.n_nodes, dtype=bool)
    is_end[ends] = True
    nearness = net.adjacency @ is_end.astype(np.float64)
    found, left = [ends], MOST_NODES - len(ends)
    for node in dict.fromkeys(pairs.ravel().tolist()):  # the best links' ends first
        if left <= 0:
            break
        others = _partners(net, node)
        some = others[np.lexsort((others, -nearness[others]))][:BESIDE]
        found.append(some)
        left -= len(some)
    return Neighbourhood(np.unique(np.concatenate(found)).astype(np.int64))


def graph_data(net: Network, pairs: Ints, cast: Neighbourhood) -> dict[str, Any]:
    """Return observed links among the nodes of a page, and places for those around the best."""
    inside = np.zeros(net.n_nodes, dtype=bool)
    inside[cast.nodes] = True
    edges = net.edges[inside[net.edges].all(axis=1)]
    numbered = cast.numbers(edges.ravel()).reshape(-1, 2)
    ends = list(dict.fromkeys(cast.numbers(pairs.ravel()).tolist()))
    placed = _to_place(numbered, cast.numbers(pairs[:TOP].ravel()))
    at = place_nodes(len(placed), _among(placed, numbered, cast.numbers(pairs[:TOP].ravel())))
    return {
        "nodes": placed,
        "x": at[:, 0],
        "y": at[:, 1],
        "edges": numbered.ravel(),
        "degree": net.degrees[cast.nodes],
        "ends": ends,
    }


def _to_place(edges: Ints, ends: Ints) -> Ints:
    """Return the ends, and nodes observed beside at least two of them, those of most first."""
    chosen = np.unique(ends)
    beside = np.zeros(int(max(edges.max(initial=-1), chosen.max(initial=-1))) + 1, dtype=np.int64)
    for own, other in ((0, 1), (1, 0)):
        np.add.at(beside, edges[np.isin(edges[:, own], chosen), other], 1)
    beside[chosen] = 0
    order = np.lexsort((np.arange(len(beside)), -beside))
    more = order[: max(0, MOST_PLACED - len(chosen))]
    return np.concatenate([chosen, more[beside[more] > 1]])


def _among(placed: Ints, edges: Ints, ends: Ints) -> Ints:
    """Return observed and predicted links between placed nodes, as places in that list."""
    order = np.argsort(placed)
    every = np.concatenate([edges, ends.reshape(-1, 2)])
    every = every[np.isin(every, placed).all(axis=1)]
    return np.asarray(order[np.searchsorted(placed[order], every)])


def _partners(net: Network, node: int) -> Ints:
    a = net.adjacency
    return a.indices[a.indptr[node] : a.indptr[node + 1]].astype(np.int64)

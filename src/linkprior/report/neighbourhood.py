"""The part of a network a page shows: the ends of predicted links, their neighbours, places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.network import Network

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


def neighbourhood_of(net: Network, pairs: Ints) -> Neighbourhood:
    """Return the ends of all pairs, and for each some observed partners: those near most ends."""
    ends = np.unique(pairs)
    is_end = np.zeros(net.n_nodes, dtype=bool)
    is_end[ends] = True
    nearness = net.adjacency @ is_end.astype(np.float64)
    nodes, left = [ends], MOST_NODES - len(ends)
    for node in dict.fromkeys(pairs.ravel().tolist()):  # the best links' ends first
        if left <= 0:
            break
        others = _partners(net, node)
        some = others[np.lexsort((others, -nearness[others]))][:BESIDE]
        nodes.append(some)
        left -= len(some)
    return Neighbourhood(np.unique(np.concatenate(nodes)).astype(np.int64))


def graph_data(net: Network, pairs: Ints, around: Neighbourhood) -> dict[str, Any]:
    """Return observed links among the nodes of a page, and places for those around the best."""
    inside = np.zeros(net.n_nodes, dtype=bool)
    inside[around.nodes] = True
    edges = net.edges[inside[net.edges].all(axis=1)]
    numbered = around.numbers(edges.ravel()).reshape(-1, 2)
    ends = list(dict.fromkeys(around.numbers(pairs.ravel()).tolist()))
    best = around.numbers(pairs[:TOP].ravel())
    placed = _nodes_to_place(numbered, best)
    at = place_nodes(len(placed), _among(placed, numbered, best))
    return {
        "nodes": placed,
        "x": at[:, 0],
        "y": at[:, 1],
        "edges": numbered.ravel(),
        "degree": net.degrees[around.nodes],
        "ends": ends,
    }


def _nodes_to_place(edges: Ints, ends: Ints) -> Ints:
    """Return the ends, and nodes observed beside at least two of them, those of most first."""
    chosen = np.unique(ends)
    beside = np.zeros(int(max(edges.max(initial=-1), chosen.max(initial=-1))) + 1, dtype=np.int64)
    for near, other in ((0, 1), (1, 0)):
        np.add.at(beside, edges[np.isin(edges[:, near], chosen), other], 1)
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


Floats = NDArray[np.float64]

_ROUNDS = 240


def place_nodes(n_nodes: int, edges: Ints, seed: int = 0) -> Floats:
    """Return (n, 2) places in the unit square by forces: links pull, all nodes push apart.

    Fruchterman and Reingold's model with a weak pull to the middle, so that parts that are not
    linked stay in the picture. Rounded to a thousandth: last bits do not show.
    """
    if n_nodes == 0:
        return np.empty((0, 2))
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * rng.permutation(n_nodes) / n_nodes
    at = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (0.3 + 0.2 * rng.random((n_nodes, 1)))
    room = 1.0 / np.sqrt(n_nodes)
    for turn in range(_ROUNDS):
        step = 0.1 * (1.0 - turn / _ROUNDS) + 1e-3
        move = _forces(at, edges, room) - 0.35 * at
        length = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-12
        at = at + move / length * np.minimum(length, step)
    return np.round(_fitted(at), 3)


def _forces(at: Floats, edges: Ints, room: float) -> Floats:
    apart = at[:, None, :] - at[None, :, :]
    square = (apart**2).sum(axis=2) + 1e-6
    push: Floats = room**2 * (apart / square[:, :, None]).sum(axis=1)
    if len(edges):
        i, j = edges[:, 0], edges[:, 1]
        along = at[i] - at[j]
        pull = along * np.sqrt((along**2).sum(axis=1, keepdims=True)) / room
        np.add.at(push, i, -pull)
        np.add.at(push, j, pull)
    return push


def _fitted(at: Floats) -> Floats:
    low, high = at.min(axis=0), at.max(axis=0)
    return np.asarray((at - low) / np.maximum(high - low, 1e-9))

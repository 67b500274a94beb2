"""The part of a network a page shows: the ends of predicted links, their neighbours, places."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.network import Network

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TOP = 50  # links drawn together
MOST_PLACED = 220  # nodes of that drawing
MOST_NODES = 4000  # nodes a page knows
BESIDE = 24  # observed partners of an end, at most
_ROUNDS = 240


def neighbourhood_of(net: Network, pairs: Ints) -> Ints:
    """Return the ends of all pairs, and for each some observed partners: those near most ends.

    They are in order; a page counts them from 0.
    """
    ends = np.unique(pairs)
    is_end = np.zeros(net.n_nodes)
    is_end[ends] = 1.0
    nearness, adjacency = net.adjacency @ is_end, net.adjacency
    nodes: list[NDArray[np.integer[Any]]] = [ends]
    left = MOST_NODES - len(ends)
    for node in dict.fromkeys(pairs.ravel().tolist()):  # the best links' ends first
        if left <= 0:
            break
        others = adjacency.indices[adjacency.indptr[node] : adjacency.indptr[node + 1]]
        some = others[np.lexsort((others, -nearness[others]))][:BESIDE]
        nodes.append(some)
        left -= len(some)
    return np.unique(np.concatenate(nodes)).astype(np.int64)


def graph_data(net: Network, pairs: Ints, around: Ints) -> dict[str, Any]:
    """Return observed links among the nodes of a page, and places for those around the best.

    These are the ends of the best, and nodes observed partners of at least two of them, most first.
    """
    edges = net.edges[np.isin(net.edges, around).all(axis=1)]
    numbered, best = np.searchsorted(around, edges), np.searchsorted(around, pairs[:TOP])
    ends = np.unique(best)
    shared = np.zeros(int(max(numbered.max(initial=-1), ends.max(initial=-1))) + 1, dtype=np.int64)
    for near, other in ((0, 1), (1, 0)):  # how many ends each node is an observed partner of
        np.add.at(shared, numbered[np.isin(numbered[:, near], ends), other], 1)
    shared[ends] = 0
    more = np.argsort(-shared, kind="stable")[: max(0, MOST_PLACED - len(ends))]
    placed = np.concatenate([ends, more[shared[more] > 1]])
    among = np.concatenate([numbered, best])
    among = among[np.isin(among, placed).all(axis=1)]
    order = np.argsort(placed)
    at = place_nodes(len(placed), order[np.searchsorted(placed[order], among)])
    return {
        "nodes": placed,
        "x": at[:, 0],
        "y": at[:, 1],
        "edges": numbered.ravel(),
        "degree": net.degrees[around],
        "ends": list(dict.fromkeys(np.searchsorted(around, pairs).ravel().tolist())),
    }


def place_nodes(n_nodes: int, edges: Ints) -> Floats:
    """Return (n, 2) places in the unit square by forces: links pull, all nodes push apart.

    Fruchterman and Reingold's model with a weak pull to the middle, so that parts that are not
    linked stay in the picture. Rounded to a thousandth: last bits do not show.
    """
    if n_nodes == 0:
        return np.empty((0, 2))
    rng = np.random.default_rng(0)
    angle = 2.0 * np.pi * rng.permutation(n_nodes) / n_nodes
    at = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (0.3 + 0.2 * rng.random((n_nodes, 1)))
    room = 1.0 / np.sqrt(n_nodes)
    for turn in range(_ROUNDS):
        step = 0.1 * (1.0 - turn / _ROUNDS) + 1e-3
        move = _forces(at, edges, room) - 0.35 * at
        length = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-12
        at = at + move / length * np.minimum(length, step)
    low, high = at.min(axis=0), at.max(axis=0)
    return np.round((at - low) / np.maximum(high - low, 1e-9), 3)


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

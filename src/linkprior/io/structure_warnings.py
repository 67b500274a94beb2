"""What the shape of an input tells: that it looks directed, bipartite, or like a table of ids."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linkprior.network import Network

_FEW_EDGES = 10
_MOST_LEVELS = 1000
_BETWEEN = (
    "links are ranked between any two nodes, with --between A.txt B.txt across two lists only"
)


def looks_of(
    network: Network,
    ends: NDArray[np.int64],
    labels: NDArray[np.int32],
    directed: bool | None = None,
) -> Iterator[str]:
    """Yield what a user should be told, in plain words.

    `ends` are the rows of the file, `labels` the components of the nodes, and `directed` is what
    the file itself says, None where it says nothing.
    """
    is_end = np.zeros((2, int(ends.max()) + 1), dtype=np.bool_)
    for side in (0, 1):
        is_end[side, ends[:, side]] = True
    sources, targets = is_end.sum(axis=1).tolist()
    shared = is_end.all(axis=0).any()
    if network.degrees.max() == 1:
        if network.n_edges >= _FEW_EDGES:
            yield "no two edges share a node: is this a table of names rather than a network?"
    elif shared == 0 and min(sources, targets) > 1:
        yield (
            f"looks bipartite ({sources} nodes in the first column only, {targets} in the second); "
            f"{_BETWEEN}"
        )
    elif _is_bipartite(network, labels):
        yield f"looks bipartite (no cycle has an odd number of edges); {_BETWEEN}"
    if directed:
        yield "looks directed (the file says so); links are taken without direction"
    elif directed is None and shared and _looks_directed(network, sources, targets):
        both_ways = network.merged.reversed_duplicates
        yield (
            f"looks directed ({sources} sources, {targets} targets, {both_ways} pairs both ways); "
            "links are taken without direction"
        )


def _looks_directed(network: Network, sources: int, targets: int) -> bool:
    """Tell whether one side has far fewer nodes, or some pairs but not all are given both ways."""
    m, both_ways = network.n_edges, network.merged.reversed_duplicates
    # Where rows repeat pairs without regard to order, about half of the repeats are reversed.
    of_its_own = both_ways > 2 * network.merged.duplicates
    few, many = sorted((sources, targets))
    lopsided = 3 * few < many and 20 * both_ways < m
    partly = 0.02 * m < both_ways < 0.9 * m and of_its_own
    return m >= _FEW_EDGES and (lopsided or partly)


def _is_bipartite(network: Network, labels: NDArray[np.int32]) -> bool:
    """Tell whether there are cycles and none is odd, by colouring nodes level by level."""
    starts = np.unique(labels, return_index=True)[1]
    if network.n_edges - (network.n_nodes - len(starts)) < 2:
        return False
    colour = np.zeros(network.n_nodes, dtype=np.int8)
    front, own = starts, np.int8(1)
    for _ in range(_MOST_LEVELS):
        colour[front] = own
        reached = np.zeros(network.n_nodes, dtype=np.bool_)
        reached[network.adjacency[front].indices] = True
        if (colour[reached] == own).any():
            return False  # an edge joins two nodes of one colour
        front, own = np.flatnonzero(reached & (colour == 0)), -own
        if not len(front):
            return True
    return False

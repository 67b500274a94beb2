"""Generated networks with hubs and groups, for demonstrations, tests and benchmarks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkprior._validation import real_number, whole_number
from linkprior.network import Network


def planted_network(
    n_nodes: int = 240,
    n_groups: int = 6,
    mean_degree: float = 14.0,
    hubs: float = 2.5,
    seed: int = 0,
) -> Network:
    """Draw a network whose edges follow groups of nodes and each node's own attractiveness.

    A few pairs of groups attract each other strongly, most hardly at all. Each pair of nodes is an
    edge independently of the others. Every pair is looked at, so this is for up to some thousand
    nodes; see `large_network`. Nodes that draw no edge are left out, as in any file of edges.

    Parameters
    ----------
    n_nodes : int
        Nodes to draw from.
    n_groups : int
        Number of groups.
    mean_degree : float
        Expected edges per node.
    hubs : float
        Exponent of the Pareto distribution of attractiveness; smaller means larger hubs.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    Network
        The same network for the same arguments.

    Examples
    --------
    >>> import linkprior as lp
    >>> lp.planted_network(50, mean_degree=6.0)
    Network(46 nodes, 154 edges)
    """
    p = whole_number("n_nodes", n_nodes, 2)
    groups = whole_number("n_groups", n_groups, 1)
    tail = real_number("hubs", hubs, 1.0)
    wanted = real_number("mean_degree", mean_degree, 0.0, p - 1.0)
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    attract = np.minimum(1.0 + rng.pareto(tail, p), np.sqrt(p) / 2.0)
    group = rng.integers(0, groups, p)
    affinity = rng.gamma(0.1, size=(groups, groups))
    affinity = affinity + affinity.T
    affinity = affinity / affinity.mean() + 0.02
    i, j = np.triu_indices(p, 1)
    rate = attract[i] * attract[j] * affinity[group[i], group[j]]
    low, high = -40.0, 40.0
    # 1 − exp(−f·rate) with f such that its mean is as wanted, bisected by log f.
    for _ in range(100):
        middle = (low + high) / 2.0
        probability = -np.expm1(-np.exp(middle) * rate / rate.mean())
        low, high = (middle, high) if probability.mean() < wanted / (p - 1) else (low, middle)
    del rate  # as large as all that follows
    edges = np.stack([i, j], axis=1)[rng.uniform(size=len(i)) < probability]
    return _of_drawn(edges, p)


def large_network(
    n_nodes: int = 10_000,
    mean_degree: float = 20.0,
    n_groups: int = 50,
    hubs: float = 2.5,
    seed: int = 0,
) -> Network:
    """Draw a network with groups and hubs edge by edge: a million nodes take seconds.

    As in `planted_network` some pairs of groups attract each other. The expected degree of a node
    is Pareto distributed, cut at 2√n_nodes (or four times the mean, if that is more): **the largest
    degree stays below that by all but a few standard deviations**. Nodes without an edge are left
    out. Memory is O(edges).

    Parameters
    ----------
    n_nodes : int
        Nodes to draw from.
    mean_degree : float
        There are n_nodes·mean_degree/2 edges.
    n_groups : int
        Number of groups.
    hubs : float
        Exponent of the Pareto distribution; smaller means larger hubs.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    Network
        The same network for the same arguments.

    Examples
    --------
    >>> import linkprior as lp
    >>> lp.large_network(1000, mean_degree=10.0).n_edges
    5000
    """
    p = whole_number("n_nodes", n_nodes, 2)
    groups = whole_number("n_groups", n_groups, 1, p)
    tail = real_number("hubs", hubs, 1.0)
    # Beyond a tenth of all pairs, drawing the same edges over and over takes too long.
    wanted = real_number("mean_degree", mean_degree, 0.0, max(1.0, (p - 1) / 10), high_open=False)
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    attract = 1.0 + rng.pareto(tail, p)
    for _ in range(20):  # cutting lowers the mean, which the bound is relative to
        bound = max(2.0 * np.sqrt(p), 4.0 * wanted) / wanted * attract.mean()
        attract = np.minimum(attract, bound)
    group = rng.permutation(np.arange(p) % groups)
    order = np.argsort(group, kind="stable")  # nodes, group after group
    reach = np.cumsum(attract[order])  # sums of their attractiveness so far
    ends = np.cumsum(np.bincount(group, minlength=groups)) - 1
    bounds = np.concatenate([[0.0], reach[ends]])  # of the groups among these sums
    affinity = rng.gamma(0.1, size=(groups, groups)) + 1e-3
    affinity = affinity + affinity.T
    for _ in range(200):  # Sinkhorn's scaling: each group gets its share of all ends
        affinity *= np.sqrt(np.outer(*2 * [np.diff(bounds) / affinity.sum(axis=1)]))
    pairs_of_groups = np.cumsum(affinity)

    def draw(n: int) -> NDArray[np.int64]:
        """Return about n pairs i < j as codes i·p + j, some of them twice; self-pairs are gone."""
        both = np.searchsorted(
            pairs_of_groups, rng.uniform(0.0, pairs_of_groups[-1], n), side="right"
        )
        nodes = []
        for chosen in np.divmod(np.minimum(both, groups * groups - 1), groups):
            at = rng.uniform(bounds[chosen], bounds[chosen + 1])
            nodes.append(order[np.minimum(np.searchsorted(reach, at, side="right"), p - 1)])
        low, high = np.minimum(*nodes), np.maximum(*nodes)
        return (low * p + high)[low < high]

    n_edges, codes = max(1, round(p * wanted / 2)), np.empty(0, np.int64)
    while len(codes) < n_edges:
        codes = np.concatenate([codes, draw(n_edges - len(codes) + 100)])
        codes = codes[np.sort(np.unique(codes, return_index=True)[1])]
    return _of_drawn(np.stack(np.divmod(codes[:n_edges], p), axis=1), p)


def _of_drawn(edges: NDArray[np.int64], p: int) -> Network:
    """Return the network of these edges among p nodes, without those that have none."""
    used = np.zeros(p, dtype=bool)
    used[edges] = True
    width = len(str(p))
    names = [f"node-{node:0{width}d}" for node in np.flatnonzero(used).tolist()]
    return Network.from_indices((np.cumsum(used) - 1)[edges], names)


def rewired_network(net: Network, seed: int = 0, swaps: int = 10) -> Network:
    """Return a random network in which every node has the same degree: what degree alone explains.

    Two edges a–b and c–d become a–d and c–b, or a–c and b–d, unless that would make a self-loop or
    a second edge.

    Parameters
    ----------
    net : Network
        The network to rewire.
    seed : int
        Seed of the random numbers.
    swaps : int
        Attempts per edge.

    Returns
    -------
    Network
        The same nodes and degrees, other edges.

    Examples
    --------
    >>> import linkprior as lp
    >>> net = lp.planted_network(50, mean_degree=6.0)
    >>> bool((lp.rewired_network(net).degrees == net.degrees).all())
    True
    """
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    ends = [tuple(edge) for edge in net.edges.tolist()]
    present, m = set(ends), len(ends)
    attempts = whole_number("swaps", swaps, 0) * m if m > 1 else 0
    choices = rng.integers(0, m, (attempts, 2)) if attempts else np.empty((0, 2), np.int64)
    turns = rng.integers(0, 2, attempts)
    for (e, f), turn in zip(choices.tolist(), turns.tolist(), strict=True):
        (a, b), (c, d) = ends[e], ends[f][:: 1 - 2 * turn]
        one, two = (min(a, d), max(a, d)), (min(c, b), max(c, b))
        if a == d or c == b or one in present or two in present:
            continue
        present -= {ends[e], ends[f]}
        present |= {one, two}
        ends[e], ends[f] = one, two
    return Network.from_indices(np.array(ends, dtype=np.int64).reshape(-1, 2), net.names)

"""Generated networks with hubs and groups, for demonstrations, tests and benchmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.checks import real_number, whole_number
from linkprior.network import Network


def planted_network(
    n_nodes: int = 240,
    n_groups: int = 6,
    mean_degree: float = 14.0,
    hubs: float = 2.5,
    seed: int = 0,
) -> Network:
    """Draw a network whose edges follow groups of nodes and each node's own attractiveness.

    Nodes belong to one of `n_groups` groups; a few pairs of groups attract each other strongly,
    most hardly at all, and a node's attractiveness is Pareto distributed with exponent `hubs`
    (smaller: larger hubs). Each pair is an edge independently, about `mean_degree` per node.

    Every pair is looked at, so this is for up to some thousand nodes. Nodes that draw no edge are
    left out, as they would be in any file of edges.
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
    chance = _with_mean(attract[i] * attract[j] * affinity[group[i], group[j]], wanted / (p - 1))
    edges = np.stack([i, j], axis=1)[rng.uniform(size=len(i)) < chance]
    used = np.unique(edges)
    width = len(str(p))
    return Network.from_indices(
        np.searchsorted(used, edges), [f"node-{node:0{width}d}" for node in used.tolist()]
    )


def _with_mean(rate: NDArray[Any], mean: float) -> NDArray[Any]:
    """Return 1 − exp(−f·rate) with f such that its mean is as wanted (bisection on log f)."""
    low, high = -40.0, 40.0
    for _ in range(100):
        middle = (low + high) / 2.0
        chance = -np.expm1(-np.exp(middle) * rate / rate.mean())
        low, high = (middle, high) if chance.mean() < mean else (low, middle)
    return chance


def rewired_network(net: Network, seed: int = 0, swaps: int = 10) -> Network:
    """Return a random network in which every node keeps its degree: what degree alone explains.

    Two edges a–b and c–d become a–d and c–b, or a–c and b–d, unless that would make a self-loop or
    a second edge; `swaps` such attempts are made per edge.
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

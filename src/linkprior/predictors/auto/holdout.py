"""Edges hidden from a network to learn from, so that every node keeps one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkprior.network import Network
from linkprior.network.pairs import Ints


@dataclass(frozen=True)
class HoldOut:
    """A network with some edges hidden: the rest, and what to find."""

    train: Network
    hidden: Ints


def n_drawn(network: Network, share: float) -> int:
    """Return how many edges are drawn to be hidden: at least one."""
    return max(1, round(share * network.n_edges))


def n_hidden(network: Network, share: float) -> float:
    """Return about how many of the drawn edges can be hidden: those whose nodes have others."""
    spare = network.degrees[network.edges].min(axis=1) > 1
    return max(1.0, n_drawn(network, share) * float(np.mean(spare)))


def hide(network: Network, share: float, rng: np.random.Generator, number: int = 0) -> HoldOut:
    """Draw a share of the edges by lot, and hide those whose nodes both keep another one.

    A node that lost all its edges would be known to have a hidden one, which a learner finds out
    and which says nothing about missing edges. With the same lots each `number` draws other edges,
    as long as there are any left. An edge is the likelier drawn the surer it is: what is to be
    found are links, not errors.
    """
    order, size = _order(network, rng), n_drawn(network, share)
    drawn = np.take(order, np.arange(number * size, (number + 1) * size), mode="wrap")
    left = network.degrees.copy()
    chosen: list[int] = []
    for edge in drawn.tolist():
        i, j = network.edges[edge]
        if left[i] > 1 and left[j] > 1:
            left[i] -= 1
            left[j] -= 1
            chosen.append(edge)
    hidden = network.edges[np.sort(np.array(chosen, dtype=np.int64))]
    return HoldOut(network.hide(hidden) if len(hidden) else network, hidden)


def _order(network: Network, rng: np.random.Generator) -> Ints:
    """Return the edges in an order drawn by lot, in proportion to how sure they are."""
    weights = network.known.weights
    if weights is None:
        return rng.permutation(network.n_edges)
    # Of exponential waiting times with these rates the shortest come first (Efraimidis, Spirakis).
    return np.argsort(rng.exponential(size=len(weights)) / weights, kind="stable")

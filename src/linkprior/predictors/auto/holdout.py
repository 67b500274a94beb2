"""Edges hidden from a network to learn from, so that every node keeps one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.predictors.auto.features import PRIOR, Features


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


Array = NDArray[Any]

TOP_SHARE = 0.003  # of all pairs: how near the top of a source a pair must be
MOST_TOP = 100_000  # the same in pairs, for large networks
DEGREE = ("pa", "dcsbm", "cn", "jaccard", "katz")  # whose top is not worth a look of its own


@dataclass(frozen=True)
class Sample:
    """Pairs of one exercise.

    Attributes
    ----------
    X, y
        Features of the pairs, and which are hidden edges.
    top
        Whether a pair is near the top of some source; of these all are in the sample.
    drawn
        Whether a pair would be in an even draw of all pairs, near the top or not; known non-edges
        are, too.
    weight
        How many pairs each stands for.
    degree_product
        k_i·k_j in the exercise's training network.
    hub
        The node of the pair that has more edges there.
    n_pairs
        Candidates there are.
    """

    X: Array
    y: Array
    top: Array
    drawn: Array
    weight: Array
    degree_product: Array
    hub: Array
    n_pairs: int

    def halves(self, rng: np.random.Generator) -> list[Sample]:
        """Return two samples, each pair in one of them by lot."""
        first = rng.random(len(self.y)) < 0.5
        return [self._part(first), self._part(~first)]

    def halves_by_hub(self, rng: np.random.Generator) -> list[Sample]:
        """Return two samples that share no hub: what a release adds comes in bursts around some.

        Of the hubs in order of their hits one goes here, the next there, so that both have some.
        """
        hits = np.bincount(self.hub, self.y)
        order = np.lexsort([rng.random(len(hits)), -hits])
        first = np.empty(len(hits), bool)
        first[order] = np.arange(len(hits)) % 2 == 0
        return [self._part(first[self.hub]), self._part(~first[self.hub])]

    def _part(self, own: Array) -> Sample:
        pairs = [field.name for field in fields(self) if field.name != "n_pairs"]
        share = float(self.weight[own].sum() / self.weight.sum())
        chosen = {name: getattr(self, name)[own] for name in pairs}
        return replace(self, **chosen, n_pairs=round(self.n_pairs * share))


def top_feature(features: Features) -> float:
    """Return the rank feature from which on a pair is near the top."""
    network = features.network
    n_pairs = pr.n_pairs(network.n_nodes)
    rank = min(max(TOP_SHARE * n_pairs, float(network.n_edges)), float(MOST_TOP))
    return float(-np.log(min(1.0, rank / n_pairs)))


def top_columns(labels: Sequence[str]) -> list[int]:
    """Return the features whose top is looked at."""
    own = [at for at, one in enumerate(labels) if one not in DEGREE and not one.startswith(PRIOR)]
    return own or list(range(len(labels)))


def near_top(block: Array, columns: Sequence[int], floor: float) -> Array:
    """Return which pairs are near the top of some source."""
    found: Array = block[..., columns[0]] > floor
    for column in columns[1:]:
        found |= block[..., column] > floor
    return found


def draw(
    features: Features, exercise: HoldOut, others: int, rng_seed: Sequence[int], matched: float
) -> Sample:
    """Return the sample of an exercise.

    Parameters
    ----------
    others
        How many pairs to draw from those that are not near any top.
    matched
        Which share of them is drawn in proportion to k_i·k_j, so that degree tells less.
    """
    network, columns = features.network, top_columns(features.labels)
    floor, hidden = top_feature(features), _rows_of(exercise.hidden, network.n_nodes)
    refuted = _rows_of(network.known.negatives, network.n_nodes)
    chance = _chances(network, others, matched)

    def one_block(start: int, stop: int) -> tuple[list[Array], int]:
        block = features.block(start, stop)
        open_ = candidates(network, start, stop)
        top = near_top(block, columns, floor) & open_
        y = hidden(start, stop)
        odds = chance(start, stop)
        lot = np.random.default_rng([*rng_seed, start]).random(open_.shape) < odds
        known = refuted(start, stop) & ~(y | lot)
        taken = open_ & (top | y | lot | known)
        weight = np.where(top | y | known, 1.0, 1.0 / np.maximum(odds, 1e-12))
        k = network.degrees.astype(np.float64)
        product = k[start:stop, None] * k
        nodes = np.arange(network.n_nodes)
        hub = np.where(k[start:stop, None] >= k, nodes[start:stop, None], nodes)
        parts = [one[taken] for one in (block, y, top, (lot | known) & ~y, weight, product, hub)]
        return parts, int(open_.sum())

    found = list(parallel.map_blocks(one_block, network.n_nodes, stage="", remote=True))
    parts = [np.concatenate(part) for part in zip(*(one[0] for one in found), strict=True)]
    X, y, top, drawn, weight, product, hub = parts
    return Sample(X, y, top, drawn, weight, product, hub, sum(one[1] for one in found))


def candidates(network: Network, start: int, stop: int) -> Array:
    """Return the pairs j > i of a block that are no edges and whose nodes both have one."""
    rows, p = np.arange(start, stop), network.n_nodes
    linked = network.degrees > 0
    open_: Array = (np.arange(p) > rows[:, None]) & linked & linked[start:stop, None]
    pattern = network.adjacency
    stored = pattern.indptr[start : stop + 1]
    open_[np.repeat(rows - start, np.diff(stored)), pattern.indices[stored[0] : stored[-1]]] = False
    return open_


def _rows_of(pairs: pr.Ints | None, n_nodes: int) -> Any:
    """Return a function that tells which pairs j > i of a block are among these."""
    i, j = (np.empty((0, 2), np.int64) if pairs is None else pairs).T
    order = np.argsort(i, kind="stable")
    i, j = i[order], j[order]

    def rows(start: int, stop: int) -> Array:
        found = np.zeros((stop - start, n_nodes), bool)
        own = slice(np.searchsorted(i, start), np.searchsorted(i, stop))
        found[i[own] - start, j[own]] = True
        return found

    return rows


def _chances(network: Network, others: int, matched: float) -> Any:
    """Return a function that tells with what chance each pair of a block is drawn."""
    k = network.degrees.astype(np.float64)
    even = (1.0 - matched) * others / max(1, pr.n_pairs(network.n_nodes))
    whole = (k.sum() ** 2 - (k**2).sum()) / 2.0
    by_degree = matched * others / whole
    return lambda start, stop: np.minimum(1.0, even + by_degree * k[start:stop, None] * k)

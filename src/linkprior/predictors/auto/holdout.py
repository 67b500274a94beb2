"""What the stack learns from and is evaluated by: edges hidden from a network, or found since.

Edges are hidden at random so that every node keeps one. A sample has all hidden edges, all pairs
near the top of any source, and some others. Where two releases of a network are at hand, what was
found between them takes the place of hidden edges: these look like the edges that are there, and
what laboratories find next comes in bursts around the nodes somebody looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from linkprior import parallel
from linkprior.network import History, Network
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.predictors.auto.features import PRIOR, Features, fit_sources
from linkprior.predictors.auto.sources import BY_DEGREE, Source
from linkprior.predictors.base import Array

TOP_SHARE = 0.003  # of all pairs: how near the top of a source a pair must be
MOST_TOP = 100_000  # the same in pairs, for large networks
FEW_HIDDEN = 300  # a hold-out that hides fewer edges counts as if it hid this many
MOST_JOINING = 0.5  # share of hidden edges that join components from which on nothing is learned
FEWEST_FOUND = 20  # edges that a newer release must add to be learned from


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
    """Draw a share of the edges at random, and hide those whose nodes both keep another one.

    A node that lost all its edges would be known to have a hidden one, which a learner finds out
    and which says nothing about missing edges. With the same generator each `number` draws other
    edges, as long as there are any left. An edge of higher confidence is likelier to be drawn:
    what is to be found are links, not errors.
    """
    weights, size = network.known.weights, n_drawn(network, share)
    if weights is None:
        order = rng.permutation(network.n_edges)
    else:  # of waiting times with these rates the shortest come first (Efraimidis, Spirakis)
        order = np.argsort(rng.exponential(size=len(weights)) / weights, kind="stable")
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


def joining_share(holdouts: Sequence[HoldOut]) -> float:
    """Return the share of hidden edges without which their ends are in different components.

    In a tree all are. Links that are missing within a component close a cycle instead, so that
    such hidden edges teach the opposite of what is to be found.
    """
    joins = total = 0
    for holdout in holdouts:
        component = connected_components(holdout.train.adjacency, directed=False)[1]
        ends = component[holdout.hidden]
        joins, total = joins + int((ends[:, 0] != ends[:, 1]).sum()), total + len(ends)
    return joins / total if total else 0.0


@dataclass(frozen=True)
class Sample:
    """Pairs of one hold-out."""

    X: Array  # features
    y: Array  # which are hidden edges
    top: Array  # which are near the top of some source; of these all are in the sample
    drawn: Array  # which an even draw of all pairs has, near the top or not, and known non-edges
    weight: Array  # how many pairs each stands for
    degree_product: Array  # k_i·k_j in the training network
    hub: Array  # the node that has more edges there
    n_pairs: int  # candidates there are

    def halves(self, rng: np.random.Generator) -> list[Sample]:
        """Return two samples, each pair in one of them at random."""
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

    def _part(self, rows: Array) -> Sample:
        pairs = [field.name for field in fields(self) if field.name != "n_pairs"]
        share = float(self.weight[rows].sum() / self.weight.sum())
        chosen = {name: getattr(self, name)[rows] for name in pairs}
        return replace(self, **chosen, n_pairs=round(self.n_pairs * share))


def top_feature(features: Features) -> float:
    """Return the rank feature from which on a pair is near the top."""
    network = features.network
    n_pairs = pr.n_pairs(network.n_nodes)
    rank = min(max(TOP_SHARE * n_pairs, float(network.n_edges)), float(MOST_TOP))
    return float(-np.log(min(1.0, rank / n_pairs)))


def top_columns(labels: Sequence[str]) -> list[int]:
    """Return the features whose top is looked at."""
    columns = [
        at for at, one in enumerate(labels) if one not in BY_DEGREE and not one.startswith(PRIOR)
    ]
    return columns or list(range(len(labels)))


def near_top(block: Array, columns: Sequence[int], floor: float) -> Array:
    """Return which pairs are near the top of some source."""
    near: Array = block[..., columns[0]] > floor
    for column in columns[1:]:
        near |= block[..., column] > floor
    return near


def draw(
    features: Features, holdout: HoldOut, others: int, rng_seed: Sequence[int], matched: float
) -> Sample:
    """Return the sample of a hold-out, with about `others` pairs that are not near any top.

    The share `matched` of these is drawn in proportion to k_i·k_j, so that degree informs less.
    """
    network, columns = features.network, top_columns(features.labels)
    floor, hidden = top_feature(features), _rows_of(holdout.hidden, network.n_nodes)
    refuted = _rows_of(network.known.negatives, network.n_nodes)
    probability = _probabilities(network, others, matched)

    def one_block(start: int, stop: int) -> tuple[list[Array], int]:
        block = features.block(start, stop)
        open_ = candidates(network, start, stop)
        top = near_top(block, columns, floor) & open_
        y = hidden(start, stop)
        odds = probability(start, stop)
        sampled = np.random.default_rng([*rng_seed, start]).random(open_.shape) < odds
        non_edges = refuted(start, stop) & ~(y | sampled)
        taken = open_ & (top | y | sampled | non_edges)
        weight = np.where(top | y | non_edges, 1.0, 1.0 / np.maximum(odds, 1e-12))
        k = network.degrees.astype(np.float64)
        product = k[start:stop, None] * k
        nodes = np.arange(network.n_nodes)
        hub = np.where(k[start:stop, None] >= k, nodes[start:stop, None], nodes)
        parts = [
            one[taken] for one in (block, y, top, (sampled | non_edges) & ~y, weight, product, hub)
        ]
        return parts, int(open_.sum())

    blocks = list(parallel.map_blocks(one_block, network.n_nodes, stage="", remote=True))
    parts = [np.concatenate(part) for part in zip(*(one[0] for one in blocks), strict=True)]
    X, y, top, drawn, weight, product, hub = parts
    return Sample(X, y, top, drawn, weight, product, hub, sum(one[1] for one in blocks))


def candidates(network: Network, start: int, stop: int) -> Array:
    """Return the pairs j > i of a block that are not edges and whose nodes both have one."""
    rows, p = np.arange(start, stop), network.n_nodes
    linked = network.degrees > 0
    open_: Array = (np.arange(p) > rows[:, None]) & linked & linked[start:stop, None]
    pattern = network.adjacency
    stored = pattern.indptr[start : stop + 1]
    open_[np.repeat(rows - start, np.diff(stored)), pattern.indices[stored[0] : stored[-1]]] = False
    return open_


def _rows_of(pairs: pr.Ints | None, n_nodes: int) -> Any:
    """Return a function that returns which pairs j > i of a block are among these."""
    i, j = (np.empty((0, 2), np.int64) if pairs is None else pairs).T
    order = np.argsort(i, kind="stable")
    i, j = i[order], j[order]

    def rows(start: int, stop: int) -> Array:
        marked = np.zeros((stop - start, n_nodes), bool)
        inside = slice(np.searchsorted(i, start), np.searchsorted(i, stop))
        marked[i[inside] - start, j[inside]] = True
        return marked

    return rows


def _probabilities(network: Network, others: int, matched: float) -> Any:
    """Return a function that returns the probability with which each pair of a block is drawn."""
    k = network.degrees.astype(np.float64)
    even = (1.0 - matched) * others / max(1, pr.n_pairs(network.n_nodes))
    whole = (k.sum() ** 2 - (k**2).sum()) / 2.0
    by_degree = matched * others / whole
    return lambda start, stop: np.minimum(1.0, even + by_degree * k[start:stop, None] * k)


def _ranked(scores: Array, sample: Sample, weight: Array) -> tuple[Array, Array]:
    """Return, for each hidden edge in order, hits up to it and other pairs above it.

    Half of the pairs that tie with it count as above.
    """
    order = np.argsort(-scores, kind="stable")
    y, score = sample.y[order], scores[order]
    others = np.where(y, 0.0, weight[order])
    first = np.flatnonzero(np.r_[True, score[1:] != score[:-1]])
    group = np.cumsum(np.r_[True, score[1:] != score[:-1]]) - 1
    in_group = np.add.reduceat(others, first)
    above = np.cumsum(in_group) - 0.5 * in_group
    hits = np.cumsum(y)
    return hits[y], above[group][y]


def average_precision(scores: Array, sample: Sample, as_if: int = 0) -> float:
    """Return the mean precision at the hidden edges (AUPRC), as if at least so many were hidden."""
    hits, above = _ranked(scores, sample, sample.weight)
    if not len(hits):
        return 0.0
    hits = hits * max(1.0, as_if / len(hits))
    return float((hits / (hits + above)).mean())


def steady_precision(scores: Array, sample: Sample) -> float:
    """Return the AUPRC to choose by.

    Where some thirty edges are hidden among a million pairs, one of them at the very top by luck is
    worth more than all the others in good places. With every hit counting for several, as if the
    hold-out had hidden more edges of the same kind, the first places no longer decide alone.
    """
    return average_precision(scores, sample, FEW_HIDDEN)


def area(scores: Array, sample: Sample) -> float:
    """Return the probability that a hidden edge ranks above another pair (AUROC)."""
    return _area(scores, sample, sample.weight)


def matched_area(scores: Array, sample: Sample) -> float:
    """Return the same against pairs in proportion to the product of their degrees."""
    return _area(scores, sample, sample.weight * sample.degree_product)


def _area(scores: Array, sample: Sample, weight: Array) -> float:
    _, above = _ranked(scores, sample, weight)
    whole = float(weight[~sample.y].sum())
    return float(1.0 - (above / whole).mean()) if len(above) and whole else 0.5


def recall_of_five_percent(scores: Array, sample: Sample) -> float:
    """Return the share of hidden edges among the best 5 % of the pairs."""
    hits, above = _ranked(scores, sample, sample.weight)
    return float((hits + above <= 0.05 * sample.n_pairs).mean()) if len(hits) else 0.0


OBJECTIVES: dict[str, Callable[[Array, Sample], float]] = {
    "auprc": steady_precision,
    "recall": recall_of_five_percent,
    "dc_auroc": matched_area,
}


@dataclass(frozen=True)
class TrainingSamples:
    """Samples to learn from, and others to calibrate on; none of these: on the first."""

    samples: list[Sample]
    apart: list[Sample]


def enough_found(history: History | None) -> bool:
    """Return whether two releases differ by as many edges as learning takes."""
    return history is not None and n_found(history) >= FEWEST_FOUND


def n_found(history: History) -> int:
    """Return the found edges whose nodes both had one before: what a model can be asked about."""
    return int((history.older.degrees[history.found] > 0).all(axis=1).sum())


def temporal_samples(
    history: History, sources: Sequence[Source], others: int, seed: int, prior: bool, matched: float
) -> TrainingSamples:
    """Return the samples from two releases.

    Learners are chosen on pairs drawn at random, as the next release may well go on around the same
    hubs. How many hits to expect is evaluated around hubs not learned from: at random it comes out
    several times too high, as the edges of one burst predict each other.
    """
    features = fit_sources(history.older, sources, seed, prior)
    holdout = HoldOut(history.older, history.found)
    sample = draw(features, holdout, others, [seed, 0, 1], matched)
    rng = np.random.default_rng(seed)
    return TrainingSamples(sample.halves(rng), sample.halves_by_hub(rng))

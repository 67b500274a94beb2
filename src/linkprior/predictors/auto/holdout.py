"""What the stack learns from and is evaluated by: edges hidden from a network, or found since.

Edges are hidden at random so that every node keeps one. A sample has the hidden edges, all pairs
near the top of any source, and some others. Where two releases of a network are at hand, what was
found between them takes the place of hidden edges: these look like the edges that are there, and
what laboratories find next comes in bursts around the nodes somebody looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.sparse.csgraph import connected_components

from linkprior import parallel
from linkprior.network import History, Network
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.predictors.auto.features import Blocks, Features
from linkprior.predictors.base import Array

MOST_JOINING = 0.5  # share of hidden edges that join components from which on nothing is learned
# Part of the pairs to look at where the tops of sources end; it falls with a power of the rank.
MOST_DRAWN, STEEPNESS = 0.1, 1.5
FEWEST_FOUND = 20  # edges that a newer release must add to be learned from


@dataclass(frozen=True)
class HoldOut:
    """A network with some edges hidden: the rest, and what to find."""

    train: Network
    hidden: Ints


def n_drawn(network: Network, share: float) -> int:
    """Return how many edges are drawn to be hidden: at least one."""
    return max(1, round(float(share) * network.n_edges))


def hold_out(network: Network, share: float, seed: int, number: int) -> HoldOut:
    """Return a hold-out by its number: one round of them hides each edge once, if it can be.

    Which hold-out an edge is of depends on the seed and on its nodes, so that an edge more or less
    leaves nearly all others where they were, as long as the nodes stay.
    """
    round_, slice_ = divmod(number, max(1, int(np.ceil(network.n_edges / n_drawn(network, share)))))
    return hide(network, share, _drawn(network, seed, round_), slice_)


def hide(network: Network, share: float, draws: Array, number: int = 0) -> HoldOut:
    """Hide a share of the edges, those whose nodes both keep another one.

    A node that lost all its edges would be known to have a hidden one, which a learner finds out
    and which says nothing about missing edges. Of draws between 0 and 1, one for each edge, the
    largest are hidden first; each `number` hides others, as long as there are any left. An edge of
    higher confidence is likelier to be drawn: what is to be found are links, not errors.
    """
    weights, size = network.known.weights, n_drawn(network, share)
    # Of waiting times with these rates the shortest come first (Efraimidis, Spirakis).
    waiting = -np.log(draws) if weights is None else -np.log(draws) / weights
    order = np.argsort(waiting, kind="stable")
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


def _drawn(network: Network, seed: int, round_: int) -> Array:
    """Return a number between 0 and 1 for each edge, as good as drawn, from where its nodes are."""
    of_node = np.random.default_rng([seed, round_]).integers(2**63, size=network.n_nodes)
    i, j = of_node.astype(np.uint64)[network.edges.T]
    mixed = i * np.uint64(0x9E3779B97F4A7C15) + j  # wraps around
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    draws: Array = ((mixed >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
    return draws


def joining_share(holdouts: Sequence[HoldOut]) -> float:
    """Return the share of hidden edges without which their ends are in different components.

    In a tree all are. Links that are missing within a component close a cycle instead, so that
    such hidden edges teach the opposite of what is to be found. Where none can be hidden it is 0.
    """
    joins = total = 0
    for holdout in holdouts:
        component = connected_components(holdout.train.adjacency, directed=False)[1]
        ends = component[holdout.hidden]
        joins, total = joins + int((ends[:, 0] != ends[:, 1]).sum()), total + len(ends)
    return joins / total if total else 0.0


DEGREE_TERMS = ("degrees", "product of degrees", "squared degrees", "difference of degrees")


@dataclass(frozen=True)
class Sample:
    """Pairs of one hold-out."""

    U: Array  # (n, sources) features of float32
    N: Array  # (n, sources): by how much either node is predicted more than its degree suggests
    D: Array  # (n, degree terms)
    y: Array  # which are hidden edges
    weight: Array  # how many pairs each stands for
    degree_product: Array  # k_i·k_j in the training network
    hub: Array  # the node that has more edges there
    n_pairs: int  # candidates there are among the pairs looked at
    levels: Array  # (sources, nodes): what N is the sum of
    n_hidden: int  # edges, whether they were looked at or not

    def halves_by_hub(self, rng: np.random.Generator) -> list[Sample]:
        """Return two samples that share no hub: what a release adds comes in bursts around some.

        Of the hubs in order of their hits one goes here, the next there, so that both have some.
        """
        hits = np.bincount(self.hub, self.y)
        order = np.lexsort([rng.random(len(hits)), -hits])
        first = np.empty(len(hits), bool)
        first[order] = np.arange(len(hits)) % 2 == 0
        return [self.part(first[self.hub]), self.part(~first[self.hub])]

    @property
    def matched_weight(self) -> Array:
        """The weights, those of other pairs in proportion to k_i·k_j: degree then says nothing."""
        others = ~self.y
        even, by_degree = self.weight[others], self.weight[others] * self.degree_product[others]
        out = self.weight.copy()
        if by_degree.any():
            out[others] = by_degree * (even.sum() / by_degree.sum())
        return out

    def part(self, rows: Array) -> Sample:
        pairs = [
            field.name
            for field in fields(self)
            if field.name not in ("n_pairs", "levels", "n_hidden")
        ]
        share = float(self.weight[rows].sum() / self.weight.sum())
        chosen = {name: getattr(self, name)[rows] for name in pairs}
        return replace(self, **chosen, n_pairs=round(self.n_pairs * share))

    def without(self, columns: Sequence[int]) -> Sample:
        """Leave out some sources."""
        gone = list(columns)
        U, N = np.delete(self.U, gone, axis=1), np.delete(self.N, gone, axis=1)
        return replace(self, U=U, N=N, levels=np.delete(self.levels, gone, axis=0))


def log_degrees(network: Network) -> Array:
    """Return the logarithm of each degree over the mean one; of no edge that of half an edge."""
    k = network.degrees
    mean = 2.0 * network.n_edges / max(1, int((k > 0).sum()))
    terms: Array = np.log(np.maximum(k, 0.5) / mean).astype(np.float32)
    return terms


def degree_terms(a: Array, b: Array) -> list[Array]:
    """Return what the stack is told of two nodes' degrees, from their logarithms."""
    return [a + b, a * b, a * a + b * b, abs(a - b)]


def draw(features: Features, holdout: HoldOut, others: int, rng_seed: Sequence[int]) -> Sample:
    """Return the sample of a hold-out, with at least about `others` pairs not near any top.

    Near the top are, for each source, as many pairs as there are edges, or a tenth of that. Of the
    others the more are drawn the higher any source ranks them, so that none that matters stands for
    very many.
    """
    network, k = features.network, features.network.degrees.astype(np.float64)
    logs = log_degrees(network)
    hidden, refuted = _by_row(holdout.hidden), _by_row(network.known.negatives)
    least = min(1.0, others / pr.n_pairs(network.n_nodes))
    most = max(least, MOST_DRAWN) if others else 0.0

    def one_block(block: tuple[int, int]) -> tuple[list[Array], int, Array]:
        start, stop = block
        scores = [one.upper(start, stop) for one in features.fitted]
        free = candidates(network, start, stop)
        sure = np.zeros(free.shape, bool)
        later = np.arange(free.shape[1]) > np.arange(len(free))[:, None]
        often = np.zeros((len(scores), network.n_nodes), np.int64)  # near the top
        for at, (one, threshold) in enumerate(zip(scores, features.thresholds, strict=True)):
            near = one >= threshold
            near &= later
            rows, columns = np.divmod(np.flatnonzero(near), free.shape[1])
            for nodes in (rows, columns):
                often[at, start:] += np.bincount(nodes, minlength=free.shape[1])
            sure |= near
        y, always = np.zeros(free.shape, bool), np.zeros(free.shape, bool)
        for marked, (rows, columns) in ((y, hidden(start, stop)), (always, refuted(start, stop))):
            marked[rows, columns - start] = True
        always |= y if others else y | sure
        sure = (sure | always) & free
        rng = np.random.default_rng([*rng_seed, start])
        drawn = free & (rng.random(free.shape, dtype=np.float32) < most)
        rows, columns = np.nonzero(sure | drawn)
        sure, always, y = (each[rows, columns] for each in (sure, always, y))
        U = np.stack(
            [features.of_scores(at, one[rows, columns]) for at, one in enumerate(scores)], axis=1
        )
        columns += start
        near = most * np.exp(STEEPNESS * np.minimum((U - features.tops).max(axis=1), 9.0))
        odds = np.clip(np.where(always, 1.0, near), least, np.where(sure, 1.0, most))
        kept = np.where(sure, 1.0, most) * rng.random(len(rows)) < odds
        rows, columns, U, y, weight = (part[kept] for part in (rows, columns, U, y, 1.0 / odds))
        i, j = rows + start, columns
        D = np.stack(degree_terms(logs[i], logs[j]), axis=1)
        hub = np.where(k[i] >= k[j], i, j)
        return [U, D, y, weight, hub, i, j], int(free.sum()), often

    blocks = list(parallel.map_tasks(one_block, features.blocks, stage=""))
    parts = [np.concatenate(part) for part in zip(*(one[0] for one in blocks), strict=True)]
    U, D, y, weight, hub, i, j = parts
    levels = _levels(network, features.blocks, np.sum([one[2] for one in blocks], axis=0))
    N, product = (levels[:, i] + levels[:, j]).T, k[i] * k[j]
    return Sample(
        U, N, D, y, weight, product, hub, sum(one[1] for one in blocks), levels, len(holdout.hidden)
    )


def _levels(network: Network, blocks: Blocks, often: Array) -> Array:
    """Return by how much nodes are nearer the top of each source than their degrees suggest.

    That is the logarithm of how often a node is among the best pairs, as many as there are edges,
    over its degree; one is added to both, so that little says little.
    """
    p = network.n_nodes
    looked = np.zeros(p, bool)
    for start, stop in blocks:
        looked[start:stop] = True
    # A pair is looked at in the row of its first node.
    seen = np.where(looked, p - 1 - np.arange(p), 0) + np.cumsum(looked) - looked
    expected = network.degrees * (seen / max(1, p - 1))
    levels: Array = np.log((often + 1.0) / (expected + 1.0)).astype(np.float32)
    return levels


def candidates(network: Network, start: int, stop: int) -> Array:
    """Return the pairs j > i of a block that are not edges and whose nodes both have one.

    The first column is that of node `start`.
    """
    rows, columns = np.arange(start, stop), np.arange(start, network.n_nodes)
    linked = network.degrees > 0
    open_: Array = (columns > rows[:, None]) & linked[start:] & linked[start:stop, None]
    pattern = network.adjacency
    stored = pattern.indptr[start : stop + 1]
    at, to = np.repeat(rows - start, np.diff(stored)), pattern.indices[stored[0] : stored[-1]]
    open_[at[to >= start], to[to >= start] - start] = False
    return open_


def _by_row(given: Ints | None) -> Callable[[int, int], tuple[Array, Array]]:
    """Return a function that returns the places in a block of those of these pairs i < j."""
    pairs = np.empty((0, 2), np.int64) if given is None else given
    i, j = pairs[np.argsort(pairs[:, 0], kind="stable")].T

    def within(start: int, stop: int) -> tuple[Array, Array]:
        inside = slice(np.searchsorted(i, start), np.searchsorted(i, stop))
        return i[inside] - start, j[inside]

    return within


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


def average_precision(scores: Array, sample: Sample) -> float:
    """Return the mean precision at the hidden edges (AUPRC)."""
    hits, above = _ranked(scores, sample, sample.weight)
    return float((hits / (hits + above)).mean()) if len(hits) else 0.0


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
    "auprc": average_precision,
    "recall": recall_of_five_percent,
    "dc_auroc": matched_area,
}


def enough_found(history: History | None) -> bool:
    """Return whether two releases differ by as many edges as learning takes."""
    return history is not None and n_found(history) >= FEWEST_FOUND


def n_found(history: History) -> int:
    """Return the found edges whose nodes both had one before: what a model can be asked about."""
    return int((history.older.degrees[history.found] > 0).all(axis=1).sum())

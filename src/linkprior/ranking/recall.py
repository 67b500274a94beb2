"""How many of the best pairs are among the nearby ones, estimated on some nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.ranking.candidates import Candidates, NeighborCandidates
from linkprior.ranking.ranking import Ranking
from linkprior.ranking.retrieval import Scorer, is_listed

SAMPLED = 200  # nodes
_ROUNDING = 1e-6  # scores by row may be float32: what is this close is scored again, by pair
_TIE = 1e-12
_CONFIDENT = 1.96  # standard errors on either side: 95 in 100


@dataclass(frozen=True)
class Share:
    """The share of the best pairs that nearby candidates hold.

    Attributes
    ----------
    share, margin
        The estimate, and how far off it may be (95 %); 0 where all nodes were sampled.
    n_nodes
        How many nodes were sampled.
    missed
        How many of the best pairs these nodes have that were not asked about.
    """

    share: float
    margin: float
    n_nodes: int
    missed: int

    def text(self) -> str:
        """Return it in one line."""
        nodes = f"{self.n_nodes} node{'s' * (self.n_nodes != 1)} sampled"
        if not self.missed:
            return f"Candidates hold all of the best pairs of the {nodes}"
        return (
            f"Candidates hold {100 * self.share:.1f} % (±{100 * self.margin:.1f}) of the best "
            f"pairs ({nodes})"
        )


def measure_recall(
    model: Scorer,
    near: NeighborCandidates,
    ranking: Ranking,
    k: int | None = None,
    threshold: float = -np.inf,
    n_nodes: int = SAMPLED,
    seed: int = 0,
) -> Share:
    """Return the share of the k best of all pairs (None: from the threshold on) in a ranking.

    The ranking is what `predict_edges` gave for `near` and the same k or threshold. What it misses
    is found exactly for some nodes, drawn by how many listed pairs they have, one more each, and
    weighed by the inverse of that probability. Pairs that tie with the k-th best are not missed.
    """
    p, listed, limit = near.network.n_nodes, len(ranking), threshold
    pairs, given, model = model._inward(ranking.pairs), model, model._in_order()
    near = near if model is given else near.sorted()
    if k is not None and 0 < k <= listed:  # all pairs above this score should have been listed
        limit = float(ranking.scores[-1])
    elif np.isfinite(threshold):  # what is just at a threshold should have been listed, too
        limit = threshold - 2.0 * _TIE * abs(threshold)
    nodes, probability = _drawn(p, pairs, n_nodes, seed)
    listed_codes = np.sort(pr.encode(pairs, p))
    distinct, which = np.unique(nodes, return_inverse=True)
    with parallel.one_blas_thread():
        missed = list(
            parallel.map_tasks(
                lambda node: _missed(model, near.among, node, listed_codes, limit),
                distinct.tolist(),
            )
        )
    # Each missed pair has two ends that may be drawn.
    weight = np.bincount(which, 1.0 / (2.0 * len(nodes) * probability))
    if k is not None and k <= listed:
        best = _kth(ranking.scores, missed, weight, k)
        missed = [scores[scores > best + _TIE * abs(best)] for scores in missed]
    counts = np.array([len(scores) for scores in missed])
    totals = counts[which] / (2.0 * probability)
    error = 0.0 if p <= n_nodes else float(totals.std(ddof=1) / np.sqrt(len(totals)))
    lost = float(totals.mean())
    if k is not None and k <= listed:
        of = float(max(k, 1))
    else:  # all candidates are listed; more than k cannot be lost
        lost = lost if k is None else min(lost, float(k - listed))
        of = max(listed + lost, 1.0)
    share, margin = max(0.0, 1.0 - lost / of), _CONFIDENT * error / of
    return Share(share, margin, len(distinct), int(counts.sum()))


def _kth(
    listed: NDArray[np.float64], missed: list[NDArray[Any]], weight: NDArray[Any], k: int
) -> float:
    """Return the score of the k-th best of all pairs, listed ones and missed ones together."""
    scores = np.concatenate([listed, *missed])
    counted = np.concatenate(
        [np.ones(len(listed)), np.repeat(weight, [len(part) for part in missed])]
    )
    order = np.argsort(-scores, kind="stable")
    up_to = np.cumsum(counted[order])
    at = int(np.searchsorted(up_to, k * (1.0 - 1e-9)))
    return float(scores[order[min(at, len(order) - 1)]])


def _drawn(p: int, pairs: Ints, n_nodes: int, seed: int) -> tuple[Ints, NDArray[np.float64]]:
    """Return nodes drawn with replacement and their probabilities; all where they are few."""
    if p <= n_nodes:
        return np.arange(p), np.full(p, 1.0 / p)
    size = np.bincount(pairs.ravel(), minlength=p) + 1.0
    probability = size / size.sum()
    nodes = np.random.default_rng(seed).choice(p, n_nodes, p=probability)
    return nodes, probability[nodes]


def _missed(
    model: Scorer, among: Candidates, node: int, listed: Ints, limit: float
) -> NDArray[Any]:
    """Return the scores above the limit of one node's candidates that are not listed."""
    row = model._rows(node, node + 1)[0]
    near_limit = limit - _ROUNDING * abs(limit) if np.isfinite(limit) else limit
    others = np.flatnonzero(among.mask(node, node + 1)[0] & (row >= near_limit))
    pairs = pr.ordered(np.stack([np.full(len(others), node), others], axis=1))
    absent = ~is_listed(pr.encode(pairs, among.network.n_nodes), listed)
    scores = row[others[absent]]
    if not np.isfinite(limit):
        return scores
    if model.scores_pairs_alone:
        scores = model._pairs(pairs[absent])
    return scores[scores > limit + _TIE * abs(limit)]

"""Metrics by name, all from one `HiddenEdgeRanks`; ties count by expectation.

docs/evaluation.md says what each number means and what it hides.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linkprior.errors import ParameterError, nearest
from linkprior.evaluation.ranks import HiddenEdgeRanks, Places
from linkprior.evaluation.splits import Split

Floats = NDArray[np.float64]

PERCENTS = (1, 2, 5, 10)
DEGREE_CLASSES = ((1, 2), (3, 5), (6, 20), (21, None))
_NEAR = 10  # places per node that count
_TABLED = 1 << 16  # ranks whose discounts are summed one by one


def measure(ranks: HiddenEdgeRanks) -> dict[str, float]:
    """Return every metric of one model on one split; NaN where there is nothing to measure."""
    return {name: function(ranks) for name, function in METRICS.items()}


def measure_random(split: Split) -> dict[str, float]:
    """Return the mean of every metric over all random orders of the candidates."""
    ranks = HiddenEdgeRanks.of_random(split)
    table, m = ranks.degrees, len(split.hidden)
    # Most are what a model gets that ties all pairs; average precision gains by luck.
    auprc = expected_average_precision(m, table.n_candidates)
    return {
        **measure(ranks),
        "auprc": auprc,
        "auprc_lift": auprc * table.n_candidates / m,
        "auprc_low": expected_average_precision(len(ranks.low.above), table.n_low),
    }


def refuse_unknown_metric(name: str) -> str:
    """Return the name of a metric, or raise an error with the nearest ones."""
    names = [*METRICS, "seconds", "peak_mb"]
    if name in names:
        return name
    raise ParameterError(
        f"no metric is called {name!r}.{nearest(str(name), names)} There are: {', '.join(names)}"
    )


def recall_at(ranks: HiddenEdgeRanks, percent: float) -> float:
    """Return the share of hidden edges among the best x % of all pairs.

    Implements the measure of the paper's figures and of table `tbl:multiReleases`: as many pairs
    are predicted as x % of p(p−1)/2, none of them an observed edge.
    """
    k = round(percent / 100.0 * ranks.split.n_pairs)
    return float(ranks.places.probability_within(k).mean())


def precision_at(ranks: HiddenEdgeRanks, k: int) -> float:
    """Return hidden edges among the first k, over k."""
    return float(ranks.places.probability_within(k).sum() / k)


def average_precision(places: Places) -> float:
    """Return Σ (R_n − R_{n−1})·P_n over the distinct scores, a group of ties being one step."""
    if len(places.above) == 0:
        return float("nan")
    reached = places.above + places.tied
    hits = np.searchsorted(np.sort(reached), reached, side="right")
    return float((hits / reached).mean())


def expected_average_precision(hidden: int, candidates: int) -> float:
    """Return the mean average precision of a random order: above the share of hidden edges.

    (1/n)·((m − 1)/(n − 1)·(n − H_n) + H_n) with H_n = 1 + ½ + … + 1/n; for large n and m it is m/n.
    """
    from scipy.special import digamma

    m, n = float(hidden), float(candidates)
    if m == 0.0:
        return float("nan")
    harmonic = float(digamma(n + 1.0)) + float(np.euler_gamma)
    return ((m - 1.0) / max(n - 1.0, 1.0) * (n - harmonic) + harmonic) / n


def area_under_roc(places: Places, total: float, own: Floats, order_keys: Floats) -> float:
    """Return the probability that a hidden edge beats a non-edge (half, where they tie).

    Non-edges are drawn by weight: `total` is that of all candidates, `own` of each hidden edge;
    `order_keys` order the hidden edges, since weights above may be the same at different scores.
    """
    order = np.argsort(order_keys, kind="stable")
    before, ranked = np.concatenate([[0.0], np.cumsum(own[order])]), order_keys[order]
    hidden_above = before[np.searchsorted(ranked, order_keys, side="left")]
    hidden_reached = before[np.searchsorted(ranked, order_keys, side="right")]
    above = places.above - hidden_above
    tied = places.tied - (hidden_reached - hidden_above)
    negatives = total - own.sum()
    if negatives <= 0.0:
        return float("nan")
    return float(1.0 - ((above + tied / 2.0) / negatives).mean())


def ndcg(places: Places) -> float:
    """Return Σ 1/log₂(1 + rank) over hidden edges, relative to their ranking first."""
    gained = _discounts(places.above + places.tied) - _discounts(places.above)
    ideal = _discounts(np.array([float(len(places.above))]))[0]
    return float((gained / places.tied).sum() / ideal)


def _discounts(n: Floats) -> Floats:
    """Return Σ_{r ≤ n} 1/log₂(1 + r): summed for low ranks, by the integral beyond.

    The midpoint rule is off by less than 1e-9 there.
    """
    from scipy.special import expi

    table = np.concatenate([[0.0], np.cumsum(1.0 / np.log2(1.0 + np.arange(1, _TABLED + 1)))])
    near = table[np.minimum(n, _TABLED).astype(np.int64)]
    edges = np.maximum(n, _TABLED) + 1.5, _TABLED + 1.5
    beyond = expi(np.log(edges[0])) - expi(np.log(edges[1]))
    return near + np.log(2.0) * beyond


def _dc_auroc(ranks: HiddenEdgeRanks) -> float:
    """Non-edges drawn in proportion to the product of their degrees: degree alone is worth ½."""
    k = ranks.degrees.degrees[ranks.split.hidden].astype(np.float64)
    own, order_keys = k[:, 0] * k[:, 1], ranks.places.above
    return area_under_roc(ranks.weighted, ranks.degrees.weight, own, order_keys)


def _per_node(ranks: HiddenEdgeRanks, lowest: int = 0, highest: int | None = None) -> float:
    """Mean over nodes with hidden edges of the share that is among the node's ten best."""
    nodes = ranks.split.hidden.T.ravel()
    hits = np.bincount(nodes, weights=ranks.node_places.probability_within(_NEAR))
    hidden = np.bincount(nodes)
    k = ranks.degrees.degrees[: len(hidden)]
    chosen = (hidden > 0) & (k >= lowest) & (k <= (k.max() if highest is None else highest))
    return float((hits[chosen] / hidden[chosen]).mean()) if chosen.any() else float("nan")


METRICS: dict[str, Callable[[HiddenEdgeRanks], float]] = {
    **{f"recall@{x}%": lambda s, x=x: recall_at(s, x) for x in PERCENTS},  # type: ignore[misc]
    "auprc": lambda s: average_precision(s.places),
    "auprc_lift": lambda s: (
        average_precision(s.places) * s.degrees.n_candidates / len(s.split.hidden)
    ),
    "p@100": lambda s: precision_at(s, 100),
    "p@500": lambda s: precision_at(s, 500),
    "p@hidden": lambda s: precision_at(s, len(s.split.hidden)),
    "ndcg": lambda s: ndcg(s.places),
    "auroc": lambda s: area_under_roc(
        s.places, s.degrees.n_candidates, np.ones(len(s.split.hidden)), s.places.above
    ),
    "dc_auroc": _dc_auroc,
    "recall@10/node": _per_node,
    **{
        f"recall@10/node:{c[0]}{f'-{c[1]}' if c[1] else '+'}": lambda s, c=c: _per_node(s, *c)  # type: ignore[misc]
        for c in DEGREE_CLASSES
    },
    "auprc_low": lambda s: average_precision(s.low),
    "spearman_degree": lambda s: s.spearman,
}


def curve(ranks: HiddenEdgeRanks, points: int = 160) -> dict[str, list[float]]:
    """Return the expected number of hidden edges among the first k, for k from 1 to all.

    Precision–recall curves and recall against the share of pairs are both read from it: k grows by
    factors, and by quarters of a percent of all pairs up to the paper's ten.
    """
    n = ranks.degrees.n_candidates
    by_share = np.arange(1, 41) / 400.0 * ranks.split.n_pairs
    at = np.round(np.concatenate([np.geomspace(1, n, points), by_share])).astype(np.int64)
    predicted = np.unique(np.clip(at, 1, n)).tolist()
    hits = [float(ranks.places.probability_within(k).sum()) for k in predicted]
    return {"predicted": predicted, "found": [round(hit, 6) for hit in hits]}

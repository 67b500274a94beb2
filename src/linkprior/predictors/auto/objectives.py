"""How well scores find the hidden edges of a sample; a pair counts for those it stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.predictors.auto.holdout import Sample

Array = NDArray[Any]

FEW_HIDDEN = 300  # an exercise that hides fewer edges counts as if it hid this many


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
    exercise had hidden more edges of the same kind, the first places no longer decide alone.
    """
    return average_precision(scores, sample, FEW_HIDDEN)


def area(scores: Array, sample: Sample) -> float:
    """Return the chance that a hidden edge stands above another pair (AUROC)."""
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

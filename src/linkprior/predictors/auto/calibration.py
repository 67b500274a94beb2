"""What to expect of a list: the probability of each pair, and how many of the first k are real.

Both come from hidden edges the stack had not learned from, and rest on one assumption: the edges
that are missing look like those that were hidden, and are as many as a stated share of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from linkprior.predictors.auto.holdout import Sample
from linkprior.predictors.base import Array

LEVEL = 1.645  # sds on either side of the mean: 90 %
FEWEST_HITS = 5  # hidden edges in a step of the calibration, at least
BEYOND = 1e300  # a score that no pair has
SUREST = 0.99  # the highest probability that is ever stated
STEPS = 40  # of the calibration, at most
LENGTHS = (50, 100, 200, 500, 1000)  # lists whose yield is compared between hold-outs
# Of the expected yield, beyond sampling noise: hold-outs look more alike than networks.
LEAST_SPREAD = 0.15
_STORED_PROBABILITIES = "chances"  # their name in saved models


@dataclass(frozen=True)
class Calibration:
    """Scores and the probabilities they stand for, both ascending; linear between."""

    scores: Array
    probabilities: Array
    spread: float = LEAST_SPREAD

    @classmethod
    def learn(cls, evaluated: Sequence[tuple[Array, Sample]], ratio: float | None) -> Self | None:
        """Learn from scores of samples; `ratio`: missing edges for each hidden one.

        Without a ratio the hits are those of a newer release, and come as often in the next one.
        None where too few edges were hidden.
        """
        if not evaluated:
            return None
        score = np.concatenate([scores for scores, _ in evaluated])
        y = np.concatenate([sample.y for _, sample in evaluated])
        weight = np.concatenate([sample.weight for _, sample in evaluated])
        if y.sum() < 2 * FEWEST_HITS:
            return None
        order = np.argsort(-score, kind="stable")
        at, rate, pairs = _steps(score[order], y[order], weight[order])
        calibrated = _falling(rate, pairs)[::-1]
        spread = cls(at[::-1], calibrated)._spread_between(evaluated)
        probabilities = (
            np.minimum(SUREST, calibrated) if ratio is None else _missing_rate(calibrated, ratio)
        )
        return cls(at[::-1], probabilities, spread)

    def probability(self, scores: Array) -> Array:
        """Return the probability that pairs with these scores are missing edges."""
        return np.interp(scores, self.scores, self.probabilities)

    def score_threshold(self, probability: float) -> float:
        """Return the lowest score of this probability; out of reach where there is none."""
        if probability <= self.probabilities[0]:
            return -BEYOND
        if probability > self.probabilities[-1]:
            return BEYOND
        # Many scores may share a probability.
        after = int(np.searchsorted(self.probabilities, probability))
        ends = slice(after - 1, after + 1)
        return float(np.interp(probability, self.probabilities[ends], self.scores[ends]))

    def _spread_between(self, evaluated: Sequence[tuple[Array, Sample]]) -> float:
        """Return the relative sd of yields between hold-outs beyond sampling noise."""
        extra = []
        for scores, sample in evaluated:
            order = np.argsort(-scores, kind="stable")
            reached = np.cumsum(sample.weight[order])
            for k in LENGTHS:
                first = order[: int(np.searchsorted(reached, k, side="right"))]
                mean = float((self.probability(scores[first]) * sample.weight[first]).sum())
                if mean >= 1.0:
                    off = float(sample.y[first].sum()) - mean
                    extra.append((off**2 - mean) / mean**2)
        between = float(np.mean(extra)) if extra else 0.0
        return float(np.sqrt(max(between, LEAST_SPREAD**2)))

    # ------------------------------------------------------------------ saving

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to save."""
        steps = {"scores": self.scores, _STORED_PROBABILITIES: self.probabilities}
        return {**steps, "spread": np.array([self.spread])}

    @classmethod
    def restored(cls, arrays: Mapping[str, Array]) -> Self:
        """Return a calibration from what was saved of it."""
        return cls(arrays["scores"], arrays[_STORED_PROBABILITIES], float(arrays["spread"][0]))


def expected_hits(probabilities: Array, spread: float) -> tuple[Array, Array, Array]:
    """Return for the first 1, 2, … pairs the hits to expect, and the ends of the 90 % interval."""
    mean = np.cumsum(probabilities)
    sd = np.sqrt(np.cumsum(probabilities * (1.0 - probabilities)) + (spread * mean) ** 2)
    k = np.arange(1, len(mean) + 1)
    low, high = mean - LEVEL * sd, mean + LEVEL * sd
    return mean, np.floor(np.maximum(0.0, low)), np.ceil(np.minimum(k, high))


def _missing_rate(hidden_rate: Array, ratio: float) -> Array:
    """Return how often pairs are missing edges where so many are hidden ones.

    Of T pairs with a score, H hidden and M = ratio·H missing, the hidden ones are not candidates
    once they are back in the network: M of T − H is left, ratio·h/(1 − h) with h = H/T. That M of
    them were taken for non-edges while learning is thereby made up for.
    """
    h = np.minimum(hidden_rate, 1.0 - 1e-9)
    return np.minimum(SUREST, ratio * h / (1.0 - h))


def _steps(score: Array, y: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Cut a list into steps of about as many hits; return mean scores, hit rates and pairs.

    Pairs that tie are in one step: whichever of them comes first in a list says nothing.
    """
    per_step = max(FEWEST_HITS, int(np.ceil(y.sum() / STEPS)))
    new = np.r_[True, score[1:] != score[:-1]]
    before = (np.cumsum(y) - y)[np.flatnonzero(new)][np.cumsum(new) - 1]
    step = np.minimum(before // per_step, max(0, y.sum() // per_step - 1))
    step = np.unique(step, return_inverse=True)[1]
    pairs = np.bincount(step, weight)
    hits = np.bincount(step, y * weight)
    return np.bincount(step, weight * score) / pairs, hits / pairs, pairs


def _falling(rates: Array, pairs: Array) -> Array:
    """Return the nearest rates that never rise along the list (pool adjacent violators)."""
    from sklearn.isotonic import IsotonicRegression

    order = np.arange(len(rates))
    fitted = IsotonicRegression(increasing=False).fit(order, rates, pairs).predict(order)
    return np.maximum(fitted, 1e-12)

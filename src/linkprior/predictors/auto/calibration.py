"""What to expect of a list: the probability of each pair, and how many of the first k are real.

Both come from hidden edges the stack had not learned from, and rest on one assumption: the edges
that are missing look like those that were hidden, and are as many as a stated share of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from linkprior.predictors.auto.holdout import Sample
from linkprior.predictors.auto.regression import Regression
from linkprior.predictors.base import Array

LEVEL = 1.645  # sds on either side of the mean: 90 %
FEWEST_HITS = 10  # hidden edges without which nothing is said about probabilities
BEYOND = 1e300  # a score that no pair has
SUREST = 0.99  # the highest probability that is ever stated
BEND = 3.0  # how sharply probabilities level off below 1
FOUND_BEND = 1.0  # the same of what a release finds: of pairs with some odds odds/(1 + odds)
LENGTHS = (50, 100, 200, 500, 1000)  # lists whose yield is compared between hold-outs
# Of the expected yield, beyond sampling noise: hold-outs look more alike than networks.
LEAST_SPREAD = 0.15
TOP, MOST_TOP = 2.0, 0.1  # the first pairs: twice as many as were hidden, a tenth of all at most
LEAST_SLOPE = 0.05
# Of slope − 1, of what is added at the top, and of the intercept: mostly they are right.
_PRECISION = np.array([25.0, 5.0, 1.0])


@dataclass(frozen=True)
class Calibration:
    """Log-odds of being a hidden edge, straightened, and moved to those of a missing edge.

    The score of a pair is slope·z + more·max(z − top, 0) + intercept, z its log-odds by the stack:
    those of the first pairs are mostly too high. e^score is how many missing edges there are for
    each remaining pair that is none hidden. `bend` is how sharply probabilities level off below 1.
    """

    slope: float
    intercept: float
    spread: float = LEAST_SPREAD
    bend: float = BEND
    top: float = 0.0
    more: float = 0.0

    @classmethod
    def learn(
        cls, log_odds: Sequence[Array], samples: Sequence[Sample], ratio: float | None
    ) -> Self | None:
        """Learn from log-odds of samples; `ratio`: missing edges for each hidden one.

        Without a ratio the hits are those of a newer release, and come as often in the next one.
        None where too few edges were hidden.
        """
        if sum(int(one.y.sum()) for one in samples) < FEWEST_HITS:
            return None
        z, y, weight = (
            np.concatenate(part)
            for part in (log_odds, [s.y for s in samples], [s.weight for s in samples])
        )
        order = np.argsort(-z, kind="stable")
        wanted = min(TOP * y.sum(), MOST_TOP * weight.sum())
        first = int(np.searchsorted(np.cumsum(weight[order]), wanted))
        top = float(z[order[min(first, len(z) - 1)]])
        X = np.stack([z, np.maximum(z - top, 0.0), np.ones(len(z))], axis=1).astype(np.float32)
        mean = np.array([1.0, 0.0, 0.0])
        (slope, more, level), _ = Regression(X, y, weight, mean, _PRECISION).solve()
        slope = max(float(slope), LEAST_SLOPE)  # a better log-odds never counts against a pair
        line = top, max(float(more), LEAST_SLOPE - slope)
        spread = cls(slope, float(level), LEAST_SPREAD, BEND, *line)._spread_between(
            log_odds, samples
        )
        moved = float(np.log(ratio)) if ratio else 0.0
        return cls(slope, float(level) + moved, spread, BEND if ratio else FOUND_BEND, *line)

    def score(self, log_odds: Array) -> Array:
        """Return scores from log-odds of the stack."""
        slope, level, top, more = (
            log_odds.dtype.type(one) for one in (self.slope, self.intercept, self.top, self.more)
        )
        return log_odds * slope + more * np.maximum(log_odds - top, 0) + level

    def _spread_between(self, log_odds: Sequence[Array], samples: Sequence[Sample]) -> float:
        """Return the relative sd of yields between hold-outs beyond sampling noise."""
        extra = []
        for z, sample in zip(log_odds, samples, strict=True):
            order = np.argsort(-z, kind="stable")
            reached = np.cumsum(sample.weight[order])
            odds = np.exp(np.minimum(self.score(z), 50.0))
            for k in LENGTHS:
                first = order[: int(np.searchsorted(reached, k, side="right"))]
                rate = odds[first] / (1.0 + odds[first])
                mean = float((rate * sample.weight[first]).sum())
                if mean >= 1.0:
                    off = float(sample.y[first].sum()) - mean
                    extra.append((off**2 - mean) / mean**2)
        between = float(np.mean(extra)) if extra else 0.0
        return float(np.sqrt(max(between, LEAST_SPREAD**2)))

    # ------------------------------------------------------------------ saving

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to save."""
        return {"line": np.array([getattr(self, field.name) for field in fields(self)])}

    @classmethod
    def restored(cls, arrays: Mapping[str, Array]) -> Self:
        """Return a calibration from what was saved of it."""
        return cls(*(float(value) for value in arrays["line"]))


def probability_of(scores: Array, bend: float = BEND) -> Array:
    """Return the probability that pairs with these scores are missing edges.

    Of T pairs with some log-odds, H hidden and M = ratio·H missing, the hidden ones are not
    candidates once they are back in the network: M of T − H is left, ratio times the odds of being
    hidden, e^score. Where edges are so dense that this comes near 1, it levels off smoothly. What a
    release found it took away from as many pairs as are left for the next: `bend` 1.
    """
    odds = np.exp(np.clip(np.asarray(scores, np.float64), -700.0, 50.0))
    return np.minimum(SUREST, odds / (1.0 + odds**bend) ** (1.0 / bend))


def score_of(probability: float, bend: float = BEND) -> float:
    """Return the lowest score of this probability; out of reach where there is none."""
    if probability <= 0.0:
        return -BEYOND
    if probability > SUREST:
        return BEYOND
    return float(np.log(probability) - np.log1p(-(probability**bend)) / bend)


def expected_hits(probabilities: Array, spread: float) -> tuple[Array, Array, Array]:
    """Return for the first 1, 2, … pairs the hits to expect, and the ends of the 90 % interval."""
    mean = np.cumsum(probabilities)
    sd = np.sqrt(np.cumsum(probabilities * (1.0 - probabilities)) + (spread * mean) ** 2)
    k = np.arange(1, len(mean) + 1)
    low, high = mean - LEVEL * sd, mean + LEVEL * sd
    return mean, np.floor(np.maximum(0.0, low)), np.ceil(np.minimum(k, high))

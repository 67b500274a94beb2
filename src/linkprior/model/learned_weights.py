"""Rank weights b(k, d) learned from hidden edges, in place of the paper's fixed ones.

With x = log k / log(p − 1), k being the rank of a pair in the row of one end, y = log(1 + d)/log p,
d being that end's degree, and f a rising function of the fitted score, the log-odds of a pair are

    c + s·f + γ·½(y_i + y_j) + δ·y_i·y_j
      − ½(b_i·x_i + b_j·x_j) − both·x_i·x_j − either·(x_i + x_j − x_i·x_j),
    b_i = low·(1 − y_i) + high·y_i.

All coefficients save c, γ and δ are kept from falling below zero, so that no pair gains by a worse
rank. `both` makes a pair pay that ranks low at both ends, `either` one that does at one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linkprior.network.pairs import Ints

Array = NDArray[Any]

RIDGE = 1.0  # on coefficients of features of variance one: as much as a handful of edges
LEAST_MISSING, MOST_MISSING = 0.01, 0.9
_SOFT = 0.01  # of the unit: scores nearer to the median than this count by size, others by log


class _Coefficients:
    """What a saved model holds by name."""

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> Self:
        """Undo `as_facts`."""
        return cls(**{name: float(facts[name]) for name in cls.__annotations__})

    def as_facts(self) -> dict[str, float]:
        """Return the coefficients by name."""
        return asdict(self)  # type: ignore[call-overload]


@dataclass(frozen=True)
class LearnedWeights(_Coefficients):
    """The coefficients of the log-odds for pairs of nodes that have edges.

    `degree` is γ and `degrees` δ. `typical_x` and `typical_y` are the means over hidden edges:
    `curve` holds the other end there.
    """

    constant: float
    score: float
    degree: float
    degrees: float
    low: float
    high: float
    both: float
    either: float
    typical_x: float
    typical_y: float

    @property
    def joint(self) -> float:
        """What x_i·x_j costs; below zero where one bad rank costs nearly as much as two."""
        return self.both - self.either

    def slopes(self, y: Array) -> Array:
        """Return for each node what its x costs, twice what half a sum needs."""
        return self.low * (1.0 - y) + self.high * y + 2.0 * self.either

    def log_odds(self, f: Array, y: tuple[Array, Array], sloped: Array, product: Array) -> Array:
        """Return log-odds from f, both y, ½Σ slope·x and x_i·x_j."""
        one, other = y
        levels = 0.5 * self.degree * (one + other) + self.degrees * (one * other)
        return self.constant + self.score * f + levels - sloped - self.joint * product

    def curve(self, ranks: Sequence[int], degrees: Sequence[int], n_nodes: int) -> Array:
        """Return b(k, d), degrees by ranks, for a partner that ranks as hidden edges do."""
        x, y = rank_profile(n_nodes)[np.asarray(ranks) - 1], degree_levels(degrees, n_nodes)
        slopes = self.slopes(y) + 2.0 * self.joint * self.typical_x
        levels = (self.degree + 2.0 * self.degrees * self.typical_y) * y
        return slopes[:, None] * x - levels[:, None]


@dataclass(frozen=True)
class IsolatedOdds(_Coefficients):
    """Log-odds of pairs with an end that has no edge: by the degree of the other alone."""

    constant: float
    degree: float

    def log_odds(self, y: tuple[Array, Array]) -> Array:
        """Return log-odds from both y, one of which is zero."""
        return self.constant + self.degree * (y[0] + y[1])

    def shifted(self, by: float) -> IsolatedOdds:
        """Return the same with other odds for all."""
        return replace(self, constant=self.constant + by)


@dataclass(frozen=True)
class Sample:
    """Pairs that were hidden or were no edges, as an end sees them, and how many represent all."""

    f: Array  # of the score
    x: Array  # (n, 2), of either end
    y: Array
    hidden: NDArray[np.bool_]  # whether a pair was a hidden edge
    share: float  # of all non-edges that were drawn


def rank_profile(n_nodes: int) -> Array:
    """Return x at the ranks 1 … p − 1."""
    ranks = np.arange(1, n_nodes, dtype=np.float64)
    return np.log(ranks) / np.log(max(n_nodes - 1, 2))


def degree_levels(degrees: Ints | Sequence[int], n_nodes: int) -> Array:
    """Return y of each degree."""
    return np.log1p(np.asarray(degrees, dtype=np.float64)) / np.log(max(n_nodes, 2))


def soft_log(scores: Array, median: float, unit: float) -> Array:
    """Return f: logarithmic away from the median, rising everywhere, 1 one unit above it."""
    above = (scores - median) / (_SOFT * unit)
    return np.copysign(np.log1p(np.abs(above)), above) / np.log1p(1.0 / _SOFT)


def learn_weights(samples: Sequence[Sample]) -> LearnedWeights:
    """Return the coefficients of largest likelihood over all samples, with a ridge."""
    features = np.concatenate([_features(sample) for sample in samples])
    hidden = np.concatenate([sample.hidden for sample in samples])
    offset = np.concatenate([_offset(sample) for sample in samples])
    signs = [True, False, False, True, True, True, True]
    constant, coefficients = ridge_logistic(features, hidden, offset, signs)
    x, y = (
        float(np.concatenate([getattr(one, name)[one.hidden] for one in samples]).mean())
        for name in ("x", "y")
    )
    values = [constant, *coefficients.tolist(), x, y]
    return LearnedWeights(*values)


def learn_isolated(samples: Sequence[Sample]) -> IsolatedOdds:
    """Return the log-odds of pairs with an isolated end by the other end's degree."""
    y = np.concatenate([sample.y.sum(axis=1) for sample in samples])
    hidden = np.concatenate([sample.hidden for sample in samples])
    offset = np.concatenate([_offset(sample) for sample in samples])
    constant, (degree,) = ridge_logistic(y[:, None], hidden, offset, [True])
    return IsolatedOdds(constant, float(degree))


def missing_share(degrees: Ints) -> float:
    """Return the share of edges that, hidden, leaves as many nodes without any as there are.

    Σ s^dᵢ over the nodes with edges is the number of nodes that would lose all of theirs if a share
    s were hidden. Where nodes without edges are many, they hardly all have lost one, and pairs with
    them deserve the less trust; a large s says so.
    """
    alone, some = int((degrees == 0).sum()), degrees[degrees > 0].astype(np.float64)
    low, high = LEAST_MISSING, MOST_MISSING
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (middle**some).sum() < alone else (low, middle)
    return 0.5 * (low + high)


def log_ratio(share: float, other: float) -> float:
    """Return the log of the odds of one share over those of another."""
    return float(np.log(share / (1.0 - share)) - np.log(other / (1.0 - other)))


def _features(sample: Sample) -> Array:
    """Return what the coefficients multiply, penalties with a minus."""
    x, y = sample.x, sample.y
    product, total = x[:, 0] * x[:, 1], x.sum(axis=1)
    low, high = 0.5 * (x * (1.0 - y)).sum(axis=1), 0.5 * (x * y).sum(axis=1)
    levels = [0.5 * y.sum(axis=1), y.prod(axis=1)]
    return np.stack([sample.f, *levels, -low, -high, -product, product - total], axis=1)


def _offset(sample: Sample) -> Array:
    """Return what drawing some of the non-edges adds to the log-odds in the sample."""
    return np.full(len(sample.hidden), -np.log(sample.share))


def ridge_logistic(
    features: Array, hidden: NDArray[np.bool_], offset: Array, positive: Sequence[bool]
) -> tuple[float, Array]:
    """Return the constant and coefficients of a logistic regression with a ridge.

    `offset` are log-odds that are there before; `positive` coefficients must not be below zero.
    """
    from scipy.optimize import minimize

    mean, sd = features.mean(axis=0), features.std(axis=0)
    sd = np.where(sd > 0.0, sd, 1.0)  # a feature that never changes is left alone by the ridge
    Z, target = (features - mean) / sd, hidden.astype(np.float64)

    def loss(b: Array) -> tuple[float, Array]:
        z = offset + b[0] + Z @ b[1:]
        wrong = 0.5 * (1.0 + np.tanh(0.5 * z)) - target
        value = np.logaddexp(0.0, z).sum() - z @ target + 0.5 * RIDGE * (b[1:] @ b[1:])
        return float(value), np.concatenate([[wrong.sum()], Z.T @ wrong + RIDGE * b[1:]])

    begin = np.zeros(1 + len(sd))
    begin[0] = np.log(target.mean() / (1.0 - target.mean())) - offset.mean()
    bounds = [(None, None), *((0.0 if least else None, None) for least in positive)]
    optimum = minimize(loss, begin, jac=True, bounds=bounds, method="L-BFGS-B").x
    coefficients = optimum[1:] / sd
    return float(optimum[0] - coefficients @ mean), coefficients

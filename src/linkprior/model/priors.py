"""Priors as tables of rank weights: the k-th strongest entry of row i costs bᵢ(k) = gᵢ·h_k.

Every prior of the paper is such a table, non-decreasing in k, so a prior only makes gᵢ (`scale`)
and h_k (`profile`); the value and the prox are shared by all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.checks import degree_vector, real_matrix, real_number, whole_number
from linkprior.errors import ParameterError
from linkprior.model.degrees import clamp_degrees
from linkprior.pairs import Ints

Array = NDArray[np.float64]
Sequence_H = Callable[[Array], Array]


def log_sequence(k: Array) -> Array:
    """H_k = log(k + 1), the paper's choice."""
    return np.log1p(k)


class Prior(Protocol):
    """What a solver asks of a prior."""

    @property
    def flat(self) -> bool:
        """True when h = 1 at every rank: then nothing has to be sorted."""

    def profile(self, n_ranks: int) -> Array:
        """Return h_1 … h_n, non-decreasing."""

    def scale(self, row_sums: Array) -> Array:
        """Return gᵢ. Only a flat prior may let it depend on the row sums Σ_k h_k·X_{i,[k]}."""

    def value(self, row_sums: Array) -> float:
        """Return the penalty from the row sums Σ_k h_k·X_{i,[k]}."""


@dataclass(frozen=True)
class L1Prior:
    """Σᵢⱼ Xᵢⱼ: every entry costs the same (Tri+L1)."""

    flat: ClassVar[bool] = True

    def profile(self, n_ranks: int) -> Array:
        return np.ones(n_ranks)

    def scale(self, row_sums: Array) -> Array:
        return np.ones(len(row_sums))

    def value(self, row_sums: Array) -> float:
        return float(row_sums.sum())


@dataclass(frozen=True)
class ScaleFreePrior:
    """Σᵢ log(Σⱼ Xᵢⱼ + ε): rows with mass are cheap to grow (Tri+Scale; Liu & Ihler 2011).

    Concave in the row's mass, so it is majorised by its tangent: weight 1/(mass + ε), refreshed
    each iteration.
    """

    epsilon: float = 1.0
    flat: ClassVar[bool] = True

    def profile(self, n_ranks: int) -> Array:
        return np.ones(n_ranks)

    def scale(self, row_sums: Array) -> Array:
        return 1.0 / (row_sums + self.epsilon)

    def value(self, row_sums: Array) -> float:
        return float(np.log(row_sums + self.epsilon).sum())


@dataclass(frozen=True)
class DegreePrior:
    """S_H(X, d′, α): the node-specific degree prior, Eq. `degree_inducing` (Tri+Degree).

    `degrees` are d′, already amplified by c and clamped (`estimate_degrees`).
    """

    degrees: Ints
    alpha: float = 1.0
    H: Sequence_H = log_sequence
    flat: ClassVar[bool] = False

    def profile(self, n_ranks: int) -> Array:
        return self.H(np.arange(1.0, n_ranks + 1.0)) ** self.alpha

    def scale(self, row_sums: Array) -> Array:
        return self.H(self.degrees.astype(np.float64)) ** -self.alpha

    def value(self, row_sums: Array) -> float:
        return float(self.scale(row_sums) @ row_sums)


def rank_weights(
    degrees: ArrayLike,
    n_ranks: int,
    alpha: float = 1.0,
    c: float = 1.0,
    H: Sequence_H = log_sequence,
) -> Array:
    """Return the table bᵢ(k) = (H_k / H_{d′ᵢ})^α with d′ᵢ = max(1, min(⌈c·dᵢ⌉, n_ranks)).

    Implements the coefficients of Eq. `degree_inducing` and b_i(k) of Eq. `small_problem`.

    Returns
    -------
    array of shape (p, n_ranks), non-decreasing along each row.
    """
    n = whole_number("n_ranks", n_ranks, 1)
    alpha = real_number("alpha", alpha, 0.0)
    d = clamp_degrees(degree_vector("degrees", degrees), real_number("c", c, 0.0), n)
    h = _increasing(H, n)
    table: Array = (h[None, :] / h[d - 1][:, None]) ** alpha
    return table


def degree_prior(
    X: ArrayLike, degrees: ArrayLike, alpha: float = 1.0, H: Sequence_H = log_sequence
) -> float:
    """Return S_H(X, d, α) = Σᵢ Σ_k (H_k / H_{dᵢ})^α · X_{i,[k]}, the diagonal left out.

    Implements Eq. `degree_inducing`. As α → 0 it is the ℓ1 norm of the off-diagonal part of X ≥ 0.
    """
    x = real_matrix("X", X, square=True)
    p = len(x)
    d = degree_vector("degrees", degrees, p)
    if p < 2:
        raise ParameterError(f"X must have at least 2 rows, got {p}")
    off = x[~np.eye(p, dtype=bool)].reshape(p, p - 1)
    descending = -np.sort(-off, axis=1)
    return float((rank_weights(d, p - 1, alpha, H=H) * descending).sum())


def _increasing(H: Sequence_H, n: int) -> Array:
    h = np.asarray(H(np.arange(1.0, n + 1.0)), dtype=np.float64)
    if h.shape != (n,) or not np.isfinite(h).all() or h[0] <= 0 or (np.diff(h) <= 0).any():
        raise ParameterError("H must give a finite, positive, strictly increasing sequence")
    return h

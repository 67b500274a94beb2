"""Priors as tables of rank weights: the k-th strongest entry of row i costs bᵢ(k) = gᵢ·h_k.

Every prior of the paper is such a table, non-decreasing in k, so a prior only makes gᵢ (`scale`)
and h_k (`profile`); the value and the prox are shared by all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior._validation import (
    choice,
    degree_vector,
    real_matrix,
    real_number,
    shown,
    whole_number,
)
from linkprior.errors import ParameterError
from linkprior.model.degrees import clamp_degrees
from linkprior.network.pairs import Ints

Array = NDArray[np.float64]
Sequence_H = Callable[[Array], Array]
H_Like = str | Sequence[float] | Sequence_H  # by name, by its values, or by formula

MOST_ALPHA = 1000.0
_STEEP = 60.0  # |α·log H| up to which H^α and H^−α are formed apart: e^60 is safe in float32
_MOST_WEIGHT = float(np.exp(_STEEP))  # of a steep prior: no score matters next to it


def log_sequence(k: Array) -> Array:
    """H_k = log(k + 1), the paper's choice.

    Parameters
    ----------
    k : array
        Ranks 1, 2, ….

    Returns
    -------
    array
        log(k + 1).

    Examples
    --------
    >>> import numpy as np
    >>> from linkprior import theory
    >>> theory.log_sequence(np.array([1.0, 2.0])).round(3).tolist()
    [0.693, 1.099]
    """
    return np.log1p(k)


def _linear(k: Array) -> Array:
    return k


def _loglog(k: Array) -> Array:
    return np.log1p(np.log1p(k))


# The sequences H by name. The paper asks for one that increases "at a moderate rate".
SEQUENCES: dict[str, Sequence_H] = {
    "log": log_sequence,
    "sqrt": np.sqrt,
    "linear": _linear,
    "loglog": _loglog,
}


def sequence_of(H: H_Like, n_ranks: int) -> Sequence_H:
    """Return H (its name, its values or a function of ranks) as a function, checked for 1 … n."""
    if isinstance(H, str):
        return SEQUENCES[choice("H", H, SEQUENCES)]
    values = _increasing(H, n_ranks) if callable(H) else np.asarray(H)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise ParameterError(
            f"H must be one of {', '.join(SEQUENCES)}, a sequence of numbers or a function, got "
            f"{shown(H)}"
        )
    if len(values) < n_ranks:
        raise ParameterError(f"H must have a value for each of {n_ranks} ranks, got {len(values)}")
    # A table for functions too: one that sums over the ranks is right for 1 … n alone.
    given = values.astype(np.float64)

    def at(k: Array) -> Array:
        return given[np.asarray(k, dtype=np.int64) - 1]

    _increasing(at, n_ranks)
    return at


class Prior(Protocol):
    """What a solver asks of a prior."""

    @property
    def flat(self) -> bool:
        """True when h = 1 at every rank: then nothing has to be sorted."""

    def profile(self, n_ranks: int) -> Array:
        """Return h_1 … h_n, non-decreasing; a row for each node where bᵢ(k) is no product."""

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

    `degrees` are d′, already amplified by c and clamped (`estimate_degrees`). With α = 0 it is the
    ℓ1 norm. Where α is so large that H^α or H^−α alone would leave the range of a float, weights
    are formed as powers of ratios, a row for each node, and end at e^60.
    """

    degrees: Ints
    alpha: float = 1.0
    H: Sequence_H = log_sequence

    @property
    def flat(self) -> bool:
        """Whether all ranks weigh the same, as in the ℓ1 norm."""
        return self.alpha == 0.0

    @property
    def steep(self) -> bool:
        """Whether bᵢ(k) = gᵢ·h_k would overflow when g and h are formed apart."""
        ends = self.H(np.array([1.0, max(1.0, len(self.degrees) - 1.0)]))
        return bool(self.alpha * np.abs(np.log(ends)).max() > _STEEP)

    def profile(self, n_ranks: int) -> Array:
        h = self.H(np.arange(1.0, n_ranks + 1.0))
        if self.steep:
            at_degrees = self.H(self.degrees.astype(np.float64))
            return _powers(h[None, :] / at_degrees[:, None], self.alpha, _MOST_WEIGHT)
        return h**self.alpha

    def scale(self, row_sums: Array) -> Array:
        if self.steep:
            return np.ones(len(self.degrees))
        return self.H(self.degrees.astype(np.float64)) ** -self.alpha

    def value(self, row_sums: Array) -> float:
        return float(self.scale(row_sums) @ row_sums)


def rows_of(profile: Array, start: int, stop: int) -> Array:
    """Return what belongs to some rows of a profile, which all rows share unless it has rows."""
    return profile[start:stop] if profile.ndim == 2 else profile


def _powers(ratios: Array, alpha: float, most: float) -> Array:
    with np.errstate(over="ignore"):  # beyond the largest number is beyond all scores
        return np.minimum(ratios**alpha, most)


def rank_weights(
    degrees: ArrayLike, n_ranks: int, alpha: float = 1.0, c: float = 1.0, H: H_Like = "log"
) -> Array:
    """Return the table bᵢ(k) = (H_k / H_{d′ᵢ})^α with d′ᵢ = max(1, min(⌈c·dᵢ⌉, n_ranks)).

    Implements the coefficients of Eq. `degree_inducing` and b_i(k) of Eq. `small_problem`. A power
    beyond the largest float is that float, so that no weight is infinite.

    Parameters
    ----------
    degrees : (p,) array of whole numbers
        The degree dᵢ of every node.
    n_ranks : int
        Number of ranks k = 1, 2, ….
    alpha, c : float
        The exponent α and the amplification factor.
    H : str or callable
        The sequence H_k: a name such as "log", or a function of k.

    Returns
    -------
    array of shape (p, n_ranks)
        Non-decreasing along each row.

    Examples
    --------
    >>> from linkprior import theory
    >>> theory.rank_weights([1, 3], 3).round(3).tolist()
    [[1.0, 1.585, 2.0], [0.5, 0.792, 1.0]]
    """
    n = whole_number("n_ranks", n_ranks, 1)
    alpha = checked_alpha(alpha)
    d = clamp_degrees(degree_vector("degrees", degrees), real_number("c", c, 0.0), n)
    h = _increasing(sequence_of(H, n), n)
    return _powers(h[None, :] / h[d - 1][:, None], alpha, float(np.finfo(np.float64).max))


def checked_alpha(alpha: object) -> float:
    """Return α as a float in [0, 1000]; 0 is the ℓ1 norm."""
    return real_number("alpha", alpha, 0.0, MOST_ALPHA, low_open=False, high_open=False)


def degree_prior(X: ArrayLike, degrees: ArrayLike, alpha: float = 1.0, H: H_Like = "log") -> float:
    """Return S_H(X, d, α) = Σᵢ Σ_k (H_k / H_{dᵢ})^α · X_{i,[k]}, the diagonal left out.

    Implements Eq. `degree_inducing`. With α = 0 it is the ℓ1 norm of X ≥ 0 off its diagonal.

    Parameters
    ----------
    X : (p, p) array
        Scores of all pairs.
    degrees : (p,) array of whole numbers
        The degree dᵢ of every node.
    alpha : float
        The exponent α, ≥ 0.
    H : str or callable
        The sequence H_k: a name such as "log", or a function of k.

    Returns
    -------
    float
        The value of the prior.

    Examples
    --------
    >>> import numpy as np
    >>> from linkprior import theory
    >>> theory.degree_prior(np.ones((3, 3)), [1, 1, 1], alpha=0.0)
    6.0
    """
    x = real_matrix("X", X, square=True)
    p = len(x)
    d = degree_vector("degrees", degrees, p)
    if p < 2:
        raise ParameterError(f"X must have at least 2 rows, got {p}")
    off = x[~np.eye(p, dtype=bool)].reshape(p, p - 1)
    descending = -np.sort(-off, axis=1)
    with np.errstate(over="ignore"):
        return float((rank_weights(d, p - 1, alpha, H=H) * descending).sum())


def _increasing(H: Sequence_H, n: int) -> Array:
    try:
        h = np.asarray(H(np.arange(1.0, n + 1.0)), dtype=np.float64)
    except Exception as problem:  # whatever a user's function raises
        raise ParameterError(f"H must take an array of ranks and return one: {problem}") from None
    if h.shape != (n,) or not np.isfinite(h).all() or h[0] <= 0 or (np.diff(h) <= 0).any():
        raise ParameterError(
            f"H must give a finite, positive, strictly increasing sequence{_first_fault(h, n)}"
        )
    return h


def _first_fault(h: Array, n: int) -> str:
    if h.shape != (n,):
        return f" of {n} numbers, got shape {h.shape}"
    wrong = ~np.isfinite(h) | (h <= 0) | np.append(False, np.diff(h) <= 0)
    k = int(np.argmax(wrong)) + 1
    before = "" if k == 1 else f" after H_{k - 1} = {h[k - 2]:g}"
    return f", but H_{k} is {h[k - 1]:g}{before}"

"""ADMM for the paper's constrained estimator, also in penalised form, where p × p arrays fit.

    min  L(X; Ω) + μ·‖X‖_* + λ·S_H(X, d′, α)    subject to  0 ≤ X ≤ 1,  X = Xᵀ

Implements the estimator of "Recovery Error Bound". Its bounds ‖X‖_* ≤ t and S_H(X) ≤ r are either
the penalties μ and λ, and t and r are read off the answer; or bounds, and μ and λ are. Loss, prior
and box share one copy X, the nuclear norm has the other, Y:

    X ← argmin L + λ·⟨G, X⟩ + η/2·‖X − A‖² over the box,  A = Y − Z     (entry by entry)
    Y ← soft threshold of the eigenvalues of X + Z at μ/η
    Z ← Z + X − Y

The prior is concave, so ⟨G, X⟩ with G = ½(B + Bᵀ) at the ranks of the step before lies above it:
one majorise–minimise pass per step, as in `tri_admm`. With λ = 0 the problem is convex.

With a bound t the threshold is the θ for which ‖Y‖_* = t, or 0, and μ = η·θ (`ball_threshold`).
With a bound r the first step minimises under ⟨G, X⟩ ≤ r, which is stricter than S_H(X) ≤ r: the
best such X of the box pays a price ν for what it spends (`least_price`), and λ is that multiplier.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse.linalg as spla
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs

from linkprior import parallel
from linkprior.model.losses import quadratic_parts
from linkprior.model.priors import DegreePrior
from linkprior.network import Network
from linkprior.solvers.base import Measure
from linkprior.solvers.symmetric_prox import Penalty, mm_pass, separable_penalty

Matrix = NDArray[np.floating[Any]]

FULL_BELOW = 300  # nodes below which all eigenvalues cost less than finding the largest
FULL_SHARE = 0.2  # share of the eigenvalues beyond which the same is true
_SPARE = 8  # eigenvalues asked for beyond those expected above the threshold
_NO_LOSS = 1e-6  # share of the loss of X = 0 below which a loss is none
_BASIS = 1.4  # size of the Lanczos basis as a multiple of that: 1.25 to 2 cost about the same steps
CLOSE = 1e-6  # of r that may be left unspent: float32 knows sums no better
_MOST = float(np.finfo(np.float32).max)  # of a price: times 0 it is still 0
_SAME = 1e-7  # relative difference of two prices that float32 cannot distinguish
_TRIES = 100  # far more secants than a search takes


@dataclass(frozen=True)
class NuclearState:
    """The state of the ADMM."""

    Q: Matrix  # the copy X before it is clipped to the box
    B: Matrix  # weights λ·b_i(rank) at the ranks of Q; without λ where the prior is bounded
    Y: Matrix  # the low-rank copy
    Z: Matrix  # the scaled dual
    spectrum: Matrix  # the eigenvalues of Y that are not zero
    v0: Matrix  # where the search for eigenvalues starts, fixed so that results repeat
    primal: float = np.inf  # relative residuals
    dual: float = np.inf
    theta: float = 0.0  # what the eigenvalues of Y were drawn to 0 by: μ/η, or what t asks for
    nu: float = 0.0  # the price of the prior: λ, or what r asks for

    @property
    def X(self) -> Matrix:
        return np.clip(self.Q, 0.0, 1.0)


@dataclass(frozen=True)
class NuclearSolver:
    """Two-copy ADMM; a step costs the largest eigenpairs of a p × p matrix and a sort of rows."""

    net: Network
    prior: DegreePrior
    rho: float
    mu: float  # weight of the nuclear norm
    lam: float  # weight of the degree prior
    eta: float  # where the problem is convex it changes the way, not the answer
    dtype: type = np.float32
    workers: int | None = None
    trace: float | None = None  # bound t, in place of μ
    prior_bound: float | None = None  # bound r, in place of λ

    def init(self, rng: np.random.Generator) -> NuclearState:
        """Start at Ω, and without prior in the first step: zeros that tie have no ranks."""
        omega = self._loss[1]
        v0: Matrix = rng.standard_normal(len(omega)).astype(self.dtype)
        Y, spectrum, theta = self._low_rank(omega, 0, v0)
        zero = np.zeros_like(omega)
        return NuclearState(omega, zero, Y, zero, spectrum, v0, theta=theta)

    def step(self, state: NuclearState) -> NuclearState:
        weight, omega = self._loss
        steep = 2.0 * weight + self.dtype(self.eta)  # half the curvature of each entry
        # The best X by loss and distance to A; the diagonal has no loss and passes through.
        base = (2.0 * weight * omega + self.dtype(self.eta) * (state.Y - state.Z)) / steep
        nu, priced = self._priced(base, steep, state)
        Q = mm_pass(base, priced / steep)
        B = self._penalty(Q) if self.prior_bound is not None or self.lam != 0.0 else state.B
        X = np.clip(Q, 0.0, 1.0)
        Y, spectrum, theta = self._low_rank(X + state.Z, len(state.spectrum), state.v0)
        Z = state.Z + X - Y
        size = max(_norm(X), _norm(Y), 1e-30)
        primal, dual = _norm(X - Y) / size, _norm(Y - state.Y) / size
        return NuclearState(Q, B, Y, Z, spectrum, state.v0, primal, dual, theta, nu)

    def measure(self, state: NuclearState) -> Measure:
        """Loss and prior at X, ‖·‖_* at Y; the copies agree as the primal residual vanishes.

        What is bounded costs nothing; the loss may then fall to 0, and never stand still.
        """
        X, (weight, omega) = state.X, self._loss
        value = float(np.sum(weight * (X - omega) ** 2, dtype=np.float64))
        if self.trace is not None or self.prior_bound is not None:
            value = max(value, self._least_loss)
        if self.prior_bound is None:
            value += float(np.sum(state.B * X, dtype=np.float64))
        if self.trace is None:
            value += self.mu * float(np.sum(np.abs(state.spectrum), dtype=np.float64))
        return Measure(value, state.primal, state.dual)

    def _priced(self, base: Matrix, steep: Matrix, state: NuclearState) -> tuple[float, Matrix]:
        """Return the price of the prior and its weights at that price."""
        if self.prior_bound is None:
            return self.lam, state.B
        G = (state.B + state.B.T) * self.dtype(0.5)
        slope = G / steep

        def spent(price: float) -> float:
            X = np.clip(base - self.dtype(price) * slope, 0.0, 1.0)
            return float(np.sum(G * X, dtype=np.float64))

        nu = least_price(spent, self.prior_bound, state.nu)
        return nu, state.B * self.dtype(nu)

    def _low_rank(self, S: Matrix, expected: int, v0: Matrix) -> tuple[Matrix, Matrix, float]:
        """Return the prox of the nuclear norm, or the nearest of its ball; spectrum, threshold."""

        def threshold(values: Matrix) -> float:
            if self.trace is None:
                return self.mu / self.eta
            return ball_threshold(np.abs(values), self.trace)

        values, vectors, theta = eigenpairs_above(S, threshold, expected, v0)
        values = np.sign(values) * (np.abs(values) - self.dtype(theta))
        left = vectors * values

        def one_block(start: int, stop: int) -> Matrix:
            return left[start:stop] @ vectors.T

        Y = np.concatenate(list(parallel.map_blocks(one_block, len(S), self.workers)))
        return (Y + Y.T) * self.dtype(0.5), values, theta

    @cached_property
    def _loss(self) -> tuple[Matrix, Matrix]:
        """M, with an empty diagonal, and the best X by the loss alone: Ω where edges are sure."""
        return quadratic_parts(self.net, self.rho, self.dtype)

    @cached_property
    def _least_loss(self) -> float:
        """A loss that is practically 0, relative to that of X = 0."""
        weight, omega = self._loss
        return float(_NO_LOSS * np.sum(weight * omega**2, dtype=np.float64))

    @cached_property
    def _penalty(self) -> Penalty:
        p = self.net.n_nodes
        weight = self.lam if self.prior_bound is None else 1.0
        scale = weight * self.prior.scale(np.zeros(p))
        return separable_penalty(scale, self.prior.profile(p - 1), self.dtype, self.workers)


def eigenpairs_above(
    S: Matrix, threshold: Callable[[Matrix], float], expected: int, v0: Matrix
) -> tuple[Matrix, Matrix, float]:
    """Return every eigenpair of a symmetric S with |eigenvalue| above the threshold, and that.

    The threshold follows from eigenvalues: of the largest alone it is too small at most. These are
    searched for, more and more of them, until one lies below it: then none is missing. Where that
    would be many, or the search fails, all are computed.
    """
    values, vectors = _largest(S, threshold, expected, v0)
    theta = threshold(values)
    kept = np.abs(values) > theta
    return values[kept], vectors[:, kept], theta


def _largest(
    S: Matrix, threshold: Callable[[Matrix], float], expected: int, v0: Matrix
) -> tuple[Matrix, Matrix]:
    """Return the largest eigenpairs in modulus, down to one below their threshold, or all."""
    p, k = len(S), expected + _SPARE
    times = _symmetric_product(S)
    with suppress(spla.ArpackError):  # of many equal eigenvalues ARPACK may find no next vector
        while p >= FULL_BELOW and k < FULL_SHARE * p:
            basis = max(int(_BASIS * k), 20)
            values, vectors = spla.eigsh(times, k, which="LM", v0=v0, ncv=basis)
            if np.abs(values).min() <= threshold(values):
                return values, vectors
            k += k // 2
    values, vectors = np.linalg.eigh(S)  # SciPy's would hold the GIL, and Ctrl-C, for minutes
    return values, vectors


def _symmetric_product(S: Matrix) -> spla.LinearOperator:
    """Return x → S·x that reads one triangle of S: memory is what a product waits for."""
    symv = get_blas_funcs("symv", [S])
    columns = np.asfortranarray(S.T)  # as BLAS has them: of S by rows this is no copy

    def product(x: Matrix) -> Matrix:
        return symv(1.0, columns, x.ravel())

    return spla.LinearOperator(S.shape, matvec=product, dtype=S.dtype)


def ball_threshold(sizes: Matrix, radius: float) -> float:
    """Return the θ ≥ 0 with Σ (sizes − θ)₊ = radius; 0 where they sum to no more than that.

    Subtracting θ and clipping at 0 projects non-negative numbers on the ℓ1 ball. Of some of the
    largest numbers only, θ is too small at most: it is that of all if one of them is below it.
    """
    falling = -np.sort(-sizes.astype(np.float64))
    over = (np.cumsum(falling) - radius) / np.arange(1, len(falling) + 1)
    kept = np.flatnonzero(falling > over)  # the first k are kept by their own θ: true up to one k
    return max(float(over[kept[-1]]), 0.0) if len(kept) else 0.0


def least_price(spent: Callable[[float], float], bound: float, guess: float) -> float:
    """Return the least price ν ≥ 0 at which no more than `bound` is spent, to six digits.

    `spent` falls continuously to 0 as the price rises. The answer is on the safe side of the
    bound; `guess` (the price of the step before) saves most of the way.
    """

    def left(price: float) -> float:
        return bound - spent(price)

    low, below = 0.0, left(0.0)
    if below >= 0.0:
        return 0.0
    high = guess if guess > 0.0 else 1.0
    above = left(high)
    while above < 0.0 and high < _MOST:
        low, below, high = high, above, min(2.0 * high, _MOST)
        above = left(high)
    # By secants. The end that one leaves in place counts half from then on (as in the Illinois
    # method): else the other end alone would creep towards the crossing.
    reached = above
    for _ in range(_TRIES):
        if reached <= CLOSE * bound or high - low <= _SAME * high:
            break
        x = low - (high - low) * below / (above - below)
        y = left(x)
        if y < 0.0:
            low, below, above = x, y, above / 2.0
        else:
            high, above, below, reached = x, y, below / 2.0, y
    return high


def _norm(D: Matrix) -> float:
    return float(np.sqrt(np.sum(D * D, dtype=np.float64)))

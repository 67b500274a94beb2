"""ADMM for tri-factorization with a prior (the paper's three steps), for networks that fit p × p.

U, S ← one or more multiplicative sweeps on F(USUᵀ) + η/2·‖USUᵀ − Y‖²,  Y = X − Z   (Step_One)
X    ← prox of λ/η·S_H at A = USUᵀ + Z, symmetric                                  (Step_Two)
Z    ← Z + USUᵀ − X
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.model.factors import Factors
from linkprior.model.losses import Loss
from linkprior.model.priors import Prior
from linkprior.network import Network
from linkprior.solvers.base import Measure
from linkprior.solvers.direct import start_factors
from linkprior.solvers.factor_update import Extra, sweep
from linkprior.solvers.symmetric_prox import Penalty, flat_penalty, mm_pass, separable_penalty

Array = NDArray[np.float64]
Matrix = NDArray[Any]


@dataclass(frozen=True)
class AdmmState:
    """Factors, the prox before clipping Q, the scaled dual Z, and weights B at the ranks of Q."""

    factors: Factors
    Q: Matrix
    Z: Matrix
    B: Matrix
    primal: float = np.inf
    dual: float = np.inf

    @property
    def X(self) -> Matrix:
        return np.maximum(self.Q, 0.0)


@dataclass(frozen=True)
class AdmmSolver:
    """The paper's ADMM.

    Attributes
    ----------
    sweeps
        Multiplicative sweeps per outer step (Step_One is not solved to the end).
    passes
        Passes of the symmetric prox per outer step, each one sort of every row, starting from
        the ranks of the step before.
    """

    net: Network
    loss: Loss
    rank: int
    prior: Prior
    lam: float
    eta: float
    start: Factors | None = None
    sweeps: int = 1
    passes: int = 1
    dtype: Any = np.float32
    workers: int | None = None

    def init(self, rng: np.random.Generator) -> AdmmState:
        factors = self.start or start_factors(self.net, self.rank, rng)
        X = self._dense(factors)
        return AdmmState(factors, X, np.zeros_like(X), self._penalty(X)(X))

    def step(self, state: AdmmState) -> AdmmState:
        factors = self._step_one(state)
        X_hat = self._dense(factors)
        A = X_hat + state.Z
        Q, B = self._step_two(A, state)
        X = np.maximum(Q, 0.0)
        primal, dual = X_hat - X, X - state.X
        size = max(_norm(X_hat), _norm(X), 1e-30)
        return AdmmState(factors, Q, A - X, B, _norm(primal) / size, _norm(dual) / size)

    def measure(self, state: AdmmState) -> Measure:
        """F at the factors and λ·prior at X; the two agree as the primal residual vanishes."""
        profile = self.prior.profile(len(state.Q) - 1)
        if self.lam == 0.0:
            return Measure(self.loss.value(self.net, state.factors), state.primal, state.dual)
        if self.prior.flat:
            X = state.X
            sums = profile[0] * (X.sum(axis=1, dtype=np.float64) - np.diagonal(X))
        else:
            tau_scale = self.lam / self.eta * self.prior.scale(np.zeros(len(state.Q)))
            sums = np.einsum("ij,ij->i", state.B, state.X, dtype=np.float64) / tau_scale
        value = self.loss.value(self.net, state.factors) + self.lam * self.prior.value(sums)
        return Measure(value, state.primal, state.dual)

    def _step_one(self, state: AdmmState) -> Factors:
        """Fit the factors to the data and to Y = X − Z; the negative part of Y pushes."""
        Y = state.X - state.Z
        half = self.eta / 2.0
        pull, push = np.maximum(Y, 0.0), np.maximum(-Y, 0.0)
        square = float(np.sum(Y * Y, dtype=np.float64))

        def value(f: Factors) -> float:
            cross = np.einsum("ia,ia->", self._times(Y, f.U), f.US)
            return half * (f.square_norm - 2.0 * float(cross) + square)

        factors = state.factors
        for _ in range(self.sweeps):
            push_U, pull_U = (half * self._times(part, factors.U) for part in (push, pull))
            factors = sweep(self.net, self.loss, factors, Extra(half, push_U, pull_U, value))
        return factors

    def _step_two(self, A: Matrix, state: AdmmState) -> tuple[Matrix, Matrix]:
        penalty, B = self._penalty(state.X), state.B
        for _ in range(self.passes):
            Q = mm_pass(A, B)
            B = penalty(Q)
        return Q, B

    def _penalty(self, X: Matrix) -> Penalty:
        """Weights λ/η·b_i(k), with g_i refreshed from the row's own mass where the prior does."""
        profile = self.prior.profile(len(X) - 1)
        mass = X.sum(axis=1, dtype=np.float64) - np.diagonal(X)
        scale = self.lam / self.eta * self.prior.scale(mass)
        if self.prior.flat:
            return flat_penalty(scale * profile[0], self.dtype)
        return separable_penalty(scale, profile, self.dtype, self.workers)

    def _dense(self, factors: Factors) -> Matrix:
        """Form USUᵀ, exactly symmetric, block by block."""
        p = len(factors.U)
        left, right = factors.US.astype(self.dtype), factors.U.astype(self.dtype)
        out = np.empty((p, p), dtype=self.dtype)

        def one_block(start: int, stop: int) -> None:
            np.matmul(left[start:stop], right.T, out=out[start:stop])

        for _ in parallel.map_blocks(one_block, p, self.workers):
            pass
        return (out + out.T) * out.dtype.type(0.5)

    def _times(self, M: Matrix, U: Array) -> Array:
        thin = U.astype(self.dtype)
        parts = parallel.map_blocks(lambda i, j: M[i:j] @ thin, len(M), self.workers)
        return np.concatenate(list(parts)).astype(np.float64)


def _norm(D: Matrix) -> float:
    return float(np.sqrt(np.sum(D * D, dtype=np.float64)))

"""ADMM for tri-factorization with a prior (the paper's three steps), for networks that fit p × p.

    U, S ← one or more multiplicative sweeps on F(USUᵀ) + η/2·‖USUᵀ − Y‖²,  Y = X − Z   (Step_One)
    X    ← prox of λ/η·S_H at A = USUᵀ + Z, symmetric                                  (Step_Two)
    Z    ← Z + USUᵀ − X

Step_Two is one majorise–minimise pass from the ranks of the step before, so each outer step sorts
every row once; `passes` asks for more of them. That p × p work runs over row blocks, in place: four
p × p arrays exist, no more, in memory or in files. With `prox="dual"` Step_Two is the paper's dual
decomposition instead: `passes` iterations, from the multipliers of the step before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels, parallel
from linkprior.kernels.ops import ops_of
from linkprior.model.factors import Factors
from linkprior.model.losses import Loss
from linkprior.model.priors import Prior, rows_of
from linkprior.network import Network
from linkprior.parallel.memory import matrices, release
from linkprior.solvers.base import Measure
from linkprior.solvers.direct import start_factors
from linkprior.solvers.factor_update import Extra, sweep
from linkprior.solvers.symmetric_prox import (
    DISK_ROWS,
    dual_iterations,
)

Array = NDArray[np.float64]
Matrix = NDArray[Any]


@dataclass(frozen=True)
class AdmmState:
    """Where ADMM stands.

    Attributes
    ----------
    Q
        The prox before clipping; X = max(Q, 0).
    Y, Y_square
        The target X − Z of the next Step_One, Z being the scaled dual variable; and ‖Y‖².
    G, B
        λ/η·½(B + Bᵀ) at the ranks of Q, the prior linearised for the next step; and B, h at the
        rank of each entry.
    row_sums
        Σ_k h_k·X_{i,[k]} of every row, from which the prior tells its value.
    shift, n_dual
        The multipliers of the dual decomposition, where Step_Two is done by it, and how often they
        were moved.
    primal, dual
        Relative residuals.
    """

    factors: Factors
    Q: Matrix
    Y: Matrix
    G: Matrix
    B: Matrix
    row_sums: Array
    shift: Matrix | None = None
    n_dual: int = 0
    Y_square: float = 0.0
    primal: float = np.inf
    dual: float = np.inf

    @property
    def X(self) -> Matrix:
        return np.maximum(self.Q, 0.0)

    @property
    def Z(self) -> Matrix:
        return self.X - self.Y


@dataclass(frozen=True)
class AdmmSolver:
    """The paper's ADMM.

    Attributes
    ----------
    prox
        Step_Two by "mm" (majorise–minimise) or "dual" (the paper's dual decomposition).
    sweeps, passes
        Multiplicative sweeps and prox passes, or dual iterations, per outer step (neither step is
        solved to the end).
    on_disk
        Whether to hold the p × p arrays in files (`parallel.memory`); the result is the same.
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
    on_disk: bool = False
    prox: str = "mm"

    def init(self, rng: np.random.Generator) -> AdmmState:
        factors = self.start or start_factors(self.net, self.rank, rng)
        p = self.net.n_nodes
        Q, Y, G, B = matrices(4, p, self.dtype, self.on_disk)
        state = AdmmState(factors, Q, Y, G, B, factors.row_sums())
        *_, square = self._split(state, factors)
        return replace(state, row_sums=self._linearise(state), Y_square=float(square))

    def step(self, state: AdmmState) -> AdmmState:
        """Do the three steps; the p × p arrays of the old state are written over."""
        factors = self._step_one(state)
        shift = state.shift
        if self.prox == "dual" and not self.prior.flat:  # without ranks one pass is exact
            squares, row_sums, shift = self._dual_step(state, factors)
        else:
            squares, row_sums = self._step_two(state, factors)
        residual, change, fitted, split, target = np.sqrt(squares)
        size = max(fitted, split, 1e-30)
        return replace(
            state,
            factors=factors,
            row_sums=row_sums,
            shift=shift,
            n_dual=state.n_dual + self.passes,
            Y_square=float(target**2),
            primal=float(residual / size),
            dual=float(change / size),
        )

    def measure(self, state: AdmmState) -> Measure:
        """F at the factors and λ·prior at X; the two agree as the primal residual vanishes."""
        value = self.loss.value(self.net, state.factors)
        value += self.lam * self.prior.value(state.row_sums)
        return Measure(value, state.primal, state.dual)

    # ------------------------------------------------------------------ Step_One

    def _step_one(self, state: AdmmState) -> Factors:
        """Fit the factors to the data and to Y = X − Z; the negative part of Y pushes."""
        half = self.eta / 2.0
        factors = state.factors
        for _ in range(self.sweeps):
            YU, pull = self._times_Y(state, factors.U, [_same, _positive_part])
            push = ops_of(pull).maximum(pull - YU, 0.0)  # Y⁻ = Y⁺ − Y

            def value(f: Factors, U: Array = factors.U, YU: Array = YU) -> float:
                product = YU if f.U is U else self._times_Y(state, f.U, [_same])[0]
                cross = (product * f.US).sum()
                return half * (f.square_norm - 2.0 * float(cross) + state.Y_square)

            extra = Extra(half, half * push, half * pull, value)
            factors = sweep(self.net, self.loss, factors, extra)
        return factors

    def _times_Y(
        self, state: AdmmState, U: Array, parts: list[Callable[[Matrix], Matrix]]
    ) -> list[Array]:
        """Return part(Y)·U for each part, in one pass over the blocks of Y."""
        thin = U.astype(self.dtype)

        def one_block(start: int, stop: int) -> list[Matrix]:
            products = [part(state.Y[start:stop]) @ thin for part in parts]
            release(state.Y, start, stop)
            return products

        blocks = zip(*parallel.map_blocks(one_block, len(U), self.workers), strict=True)
        return [np.concatenate(several).astype(np.float64) for several in blocks]

    # ------------------------------------------------------------------ Step_Two

    def _step_two(self, state: AdmmState, factors: Factors) -> tuple[Array, Array]:
        """Prox at A = USUᵀ + Z from the last ranks; then Z, and the prior at the ranks of Q."""
        squares = self._split(state, factors)
        row_sums = self._linearise(state)
        for _ in range(self.passes - 1):
            self._pass_again(state)
            row_sums = self._linearise(state)
        if self.passes > 1:  # the change of X stays that of the first pass: the old X is gone
            residual, split, target = self._squares_again(state, factors)
            squares = np.array([residual, squares[1], squares[2], split, target])
        return squares, row_sums

    def _dual_step(self, state: AdmmState, factors: Factors) -> tuple[Array, Array, Matrix]:
        """Do Step_Two by dual decomposition, from the multipliers of the step before; then Z."""
        fitted, before = self._fitted(factors), state.X
        A = fitted + (before - state.Y)
        A = (A + A.T) * self.dtype(0.5)  # row blocks round their products each for itself
        p = len(A)
        shift = np.zeros_like(A) if state.shift is None else state.shift
        profile = self.prior.profile(p - 1)
        scale = self.lam / self.eta * self.prior.scale(np.zeros(p))
        numbers = range(state.n_dual, state.n_dual + self.passes)
        state.Q[:] = dual_iterations(A, shift, scale, profile, numbers, self.workers)
        X = state.X
        np.subtract(2 * X, A, out=state.Y)

        def rank_block(start: int, stop: int) -> None:
            rows, h = slice(start, stop), rows_of(profile, start, stop).astype(self.dtype)
            self._weigh(state.Q[rows], h, start, state.B[rows])

        for _ in parallel.map_blocks(rank_block, p, self.workers):
            pass
        terms = (fitted - X, X - before, fitted, X, state.Y)
        squares = np.array([np.sum(term * term, dtype=np.float64) for term in terms])
        return squares, self._linearise(state), shift

    def _fitted(self, factors: Factors) -> Matrix:
        """Return U S Uᵀ as a matrix, over row blocks."""
        left, right = factors.US.astype(self.dtype), factors.U.astype(self.dtype)

        def one_block(start: int, stop: int) -> Matrix:
            block: Matrix = left[start:stop] @ right.T
            return block

        return np.concatenate(list(parallel.map_blocks(one_block, len(left), self.workers)))

    def _pass_again(self, state: AdmmState) -> None:
        """Write Q = A − G, Y = X − Z and B from the ranks of Q; A = 2X − Y needs no array."""
        profile = self.prior.profile(len(state.Q) - 1).astype(self.dtype)

        def one_block(start: int, stop: int) -> None:
            rows = slice(start, stop)
            Q, Y = state.Q[rows], state.Y[rows]
            A = 2 * np.maximum(Q, 0) - Y
            np.subtract(A, state.G[rows], out=Q)
            np.subtract(2 * np.maximum(Q, 0), A, out=Y)
            self._weigh(Q, rows_of(profile, start, stop), start, state.B[rows])
            _let_go_of(state, start, stop)

        for _ in parallel.map_blocks(one_block, len(state.Q), self.workers):
            pass

    def _squares_again(self, state: AdmmState, factors: Factors) -> Array:
        """Return ‖USUᵀ − X‖², ‖X‖² and ‖Y‖² as they are after the last pass."""
        left, right = factors.US.astype(self.dtype), factors.U.astype(self.dtype)

        def one_block(start: int, stop: int) -> Array:
            rows = slice(start, stop)
            X, Y = np.maximum(state.Q[rows], 0), state.Y[rows]
            terms = (left[rows] @ right.T - X, X, Y)
            squares = np.array([np.sum(term * term, dtype=np.float64) for term in terms])
            _let_go_of(state, start, stop)
            return squares

        return np.sum(list(parallel.map_blocks(one_block, len(state.Q), self.workers)), axis=0)

    def _split(self, state: AdmmState, factors: Factors) -> Array:
        """Write Q = A − G, Y = X − Z and B; return the five sums of squares."""
        left, right = factors.US.astype(self.dtype), factors.U.astype(self.dtype)
        profile = self.prior.profile(len(left) - 1).astype(self.dtype)

        def one_block(start: int, stop: int) -> Array:
            rows = slice(start, stop)
            Q = state.Q[rows]
            squares = kernels.split_rows(left[rows] @ right.T, state.G[rows], Q, state.Y[rows])
            self._weigh(Q, rows_of(profile, start, stop), start, state.B[rows])
            _let_go_of(state, start, stop)
            return squares

        return np.sum(list(parallel.map_blocks(one_block, len(state.Q), self.workers)), axis=0)

    def _linearise(self, state: AdmmState) -> Array:
        """Write G = λ/η·½(B + Bᵀ); return the weighted row sums of X."""
        Q, B, p = state.Q, state.B, len(state.Q)
        # Only a flat prior asks for the row sums, and it must be those of the new X.
        mass = self._row_mass(Q) if self.prior.flat else state.row_sums
        scale = (self.lam / self.eta * self.prior.scale(mass)).astype(self.dtype)

        def merge_block(block: tuple[int, int]) -> Array:
            row_sums = kernels.linearise_rows(B, Q, scale, *block, state.G)
            _let_go_of(state, *block)
            release(B, 0, p)
            return row_sums

        # A column is a page per row, so blocks are higher in files; rows do not depend on it.
        blocks = parallel.blocks(p, DISK_ROWS if self.on_disk else None)
        return np.concatenate(list(parallel.map_tasks(merge_block, blocks, self.workers)))

    def _row_mass(self, Q: Matrix) -> Array:
        """Σ_{j≠i} Xᵢⱼ at X = max(Q, 0)."""

        def one_block(start: int, stop: int) -> Array:
            X = np.maximum(Q[start:stop], 0.0)
            off = np.arange(stop - start)
            sums = X.sum(axis=1, dtype=np.float64) - X[off, start + off]
            release(Q, start, stop)
            return np.asarray(sums)

        return np.concatenate(list(parallel.map_blocks(one_block, len(Q), self.workers)))

    def _weigh(self, keys: Matrix, profile: Matrix, start: int, out: Matrix) -> None:
        """Write h at the rank of each entry; where h is constant there is nothing to sort."""
        if not self.prior.flat:
            kernels.rank_penalty(keys, np.ones(len(keys)), profile, start, out)
            return
        out[:] = profile[0]
        out[np.arange(len(out)), np.arange(start, start + len(out))] = 0.0


def _let_go_of(state: AdmmState, start: int, stop: int) -> None:
    for matrix in (state.Q, state.Y, state.G, state.B):
        release(matrix, start, stop)


def _same(block: Matrix) -> Matrix:
    return block


def _positive_part(block: Matrix) -> Matrix:
    return np.maximum(block, 0.0)

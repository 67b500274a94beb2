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
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.kernels.ops import ops_of
from linkprior.model.factors import Factors
from linkprior.model.losses import Loss
from linkprior.model.priors import Prior, rows_of
from linkprior.network import Network
from linkprior.parallel.memory import matrices, release
from linkprior.solvers.base import Measure
from linkprior.solvers.direct import Extra, start_factors, sweep
from linkprior.solvers.symmetric_prox import DISK_ROWS, dual_iterations

Array = NDArray[np.float64]
Matrix = NDArray[Any]
R = TypeVar("R")


@dataclass(frozen=True)
class AdmmState:
    """The state of ADMM; Z is the scaled dual variable."""

    factors: Factors
    Q: Matrix  # the prox before clipping; X = max(Q, 0)
    Y: Matrix  # the target X − Z of the next Step_One
    G: Matrix  # λ/η·½(B + Bᵀ), the prior linearised at the ranks of Q for the next step
    B: Matrix  # h at the rank of each entry
    row_sums: Array  # Σ_k h_k·X_{i,[k]} of every row, from which the prior has its value
    shift: Matrix | None = None  # multipliers, where Step_Two is done by dual decomposition
    n_dual: int = 0  # how often they were moved
    Y_square: float = 0.0  # ‖Y‖²
    primal: float = np.inf  # relative residuals
    dual: float = np.inf

    @property
    def X(self) -> Matrix:
        return np.maximum(self.Q, 0.0)

    @property
    def Z(self) -> Matrix:
        return self.X - self.Y


@dataclass(frozen=True)
class AdmmSolver:
    """The paper's ADMM; of an outer step neither part is solved to the end."""

    net: Network
    loss: Loss
    rank: int
    prior: Prior
    lam: float
    eta: float
    start: Factors | None = None
    sweeps: int = 1  # multiplicative ones, per outer step
    passes: int = 1  # of the prox, or dual iterations, per outer step
    dtype: Any = np.float32
    workers: int | None = None
    on_disk: bool = False  # hold the p × p arrays in files (`parallel.memory`)
    prox: str = "mm"  # Step_Two by majorise–minimise, or "dual": the paper's dual decomposition

    def init(self, rng: np.random.Generator) -> AdmmState:
        factors = self._placed(self.start or start_factors(self.net, self.rank, rng))
        sums = ops_of(factors.U).to_numpy(factors.row_sums())
        Q, Y, G, B = self._matrices()
        state = AdmmState(factors, Q, Y, G, B, sums)
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

    # ------------------------------------------------------------------ where the arrays are

    def _placed(self, factors: Factors) -> Factors:
        """Return factors where the p × p arrays are."""
        return factors

    def _matrices(self) -> list[Any]:
        """Return the four p × p arrays, of zeros."""
        return matrices(4, self.net.n_nodes, self.dtype, self.on_disk)

    def _over_blocks(self, one_block: Callable[[int, int], R], most: int | None = None) -> list[R]:
        """Return one_block(start, stop) of all row blocks, of `most` rows at most."""
        return list(parallel.map_blocks(one_block, self.net.n_nodes, self.workers, most=most))

    # ------------------------------------------------------------------ Step_One

    def _step_one(self, state: AdmmState) -> Factors:
        """Fit the factors to the data and to Y = X − Z; the negative part of Y pushes."""
        half = self.eta / 2.0
        factors = state.factors
        for _ in range(self.sweeps):
            YU, pull = self._times_Y(state, factors.U, positive_part=True)
            push = ops_of(pull).maximum(pull - YU, 0.0)  # Y⁻ = Y⁺ − Y

            def value(f: Factors, U: Array = factors.U, YU: Array = YU) -> float:
                product = YU if f.U is U else self._times_Y(state, f.U)[0]
                cross = (product * f.US).sum()
                return half * (f.square_norm - 2.0 * float(cross) + state.Y_square)

            extra = Extra(half, half * push, half * pull, value)
            factors = sweep(self.net, self.loss, factors, extra)
        return factors

    def _times_Y(self, state: AdmmState, U: Array, positive_part: bool = False) -> list[Array]:
        """Return Y·U, and Y⁺·U where asked for, in one pass over the blocks of Y."""
        ops = ops_of(U)
        thin = ops.astype(U, self.dtype)

        def one_block(start: int, stop: int) -> list[Matrix]:
            Y = state.Y[start:stop]
            products = [Y @ thin, *([ops.maximum(Y, 0.0) @ thin] if positive_part else [])]
            release(state.Y, start, stop)
            return products

        blocks = zip(*self._over_blocks(one_block), strict=True)
        return [ops.astype(ops.concatenate(several), np.float64) for several in blocks]

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

        self._over_blocks(rank_block)
        terms = (fitted - X, X - before, fitted, X, state.Y)
        squares = np.array([np.sum(term * term, dtype=np.float64) for term in terms])
        return squares, self._linearise(state), shift

    def _fitted(self, factors: Factors) -> Matrix:
        """Return U S Uᵀ as a matrix, over row blocks."""
        left, right = factors.US.astype(self.dtype), factors.U.astype(self.dtype)

        def one_block(start: int, stop: int) -> Matrix:
            return left[start:stop] @ right.T

        return np.concatenate(self._over_blocks(one_block))

    def _pass_again(self, state: AdmmState) -> None:
        """Write Q = A − G, Y = X − Z and B from the ranks of Q; A = 2X − Y needs no array."""
        ops, profile = ops_of(state.Q), self._profile(state)

        def one_block(start: int, stop: int) -> None:
            rows = slice(start, stop)
            Q, Y = state.Q[rows], state.Y[rows]
            A = 2 * ops.maximum(Q, 0) - Y
            Q[:] = A - state.G[rows]
            Y[:] = 2 * ops.maximum(Q, 0) - A
            self._weigh(Q, rows_of(profile, start, stop), start, state.B[rows])
            _release(state, start, stop)

        self._over_blocks(one_block)

    def _squares_again(self, state: AdmmState, factors: Factors) -> Array:
        """Return ‖USUᵀ − X‖², ‖X‖² and ‖Y‖² as they are after the last pass."""
        ops = ops_of(state.Q)
        left, right = (ops.astype(one, self.dtype) for one in (factors.US, factors.U))

        def one_block(start: int, stop: int) -> Array:
            rows = slice(start, stop)
            X, Y = ops.maximum(state.Q[rows], 0), state.Y[rows]
            terms = (left[rows] @ right.T - X, X, Y)
            squares = np.array([ops.sum_of_squares(term) for term in terms])
            _release(state, start, stop)
            return squares

        return np.sum(self._over_blocks(one_block), axis=0)

    def _split(self, state: AdmmState, factors: Factors) -> Array:
        """Write Q = A − G, Y = X − Z and B; return the five sums of squares."""
        ops, profile = ops_of(state.Q), self._profile(state)
        left, right = (ops.astype(one, self.dtype) for one in (factors.US, factors.U))

        def one_block(start: int, stop: int) -> Array:
            rows = slice(start, stop)
            Q = state.Q[rows]
            squares: Array = ops.split_rows(left[rows] @ right.T, state.G[rows], Q, state.Y[rows])
            self._weigh(Q, rows_of(profile, start, stop), start, state.B[rows])
            _release(state, start, stop)
            return squares

        return np.sum(self._over_blocks(one_block), axis=0)

    def _linearise(self, state: AdmmState) -> Array:
        """Write G = λ/η·½(B + Bᵀ); return the weighted row sums of X."""
        ops, Q, B, p = ops_of(state.Q), state.Q, state.B, len(state.Q)
        # Only a flat prior asks for the row sums, and it must be those of the new X.
        mass = self._row_mass(Q) if self.prior.flat else state.row_sums
        scale = ops.put(self.lam / self.eta * self.prior.scale(mass), self.dtype)

        def one_block(start: int, stop: int) -> Array:
            row_sums: Array = ops.linearise_rows(B, Q, scale, start, stop, state.G)
            _release(state, start, stop)
            release(B, 0, p)
            return row_sums

        # A column is a page per row, so blocks are higher in files; rows do not depend on it.
        blocks = self._over_blocks(one_block, DISK_ROWS if self.on_disk else None)
        return np.asarray(ops.to_numpy(ops.concatenate(blocks)))

    def _row_mass(self, Q: Matrix) -> Array:
        """Σ_{j≠i} Xᵢⱼ at X = max(Q, 0)."""
        ops = ops_of(Q)

        def one_block(start: int, stop: int) -> Array:
            X = ops.maximum(Q[start:stop], 0)
            sums: Array = ops.row_sums(X) - X.diagonal(start)
            release(Q, start, stop)
            return sums

        return np.asarray(ops.to_numpy(ops.concatenate(self._over_blocks(one_block))))

    def _profile(self, state: AdmmState) -> Matrix:
        """Return h at every rank, where the p × p arrays are."""
        return ops_of(state.Q).put(self.prior.profile(len(state.Q) - 1), self.dtype)

    def _weigh(self, keys: Matrix, profile: Matrix, start: int, out: Matrix) -> None:
        """Write h at the rank of each entry; where h is constant there is nothing to sort."""
        if not self.prior.flat:
            ops_of(keys).rank_weights(keys, profile, start, out)
            return
        out[:] = profile[0]
        out[np.arange(len(out)), np.arange(start, start + len(out))] = 0.0


def _release(state: AdmmState, start: int, stop: int) -> None:
    for matrix in (state.Q, state.Y, state.G, state.B):
        release(matrix, start, stop)

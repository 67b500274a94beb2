"""The prox of the degree prior: exact for rows, and for symmetric matrices by two methods.

Row prox, Eq. `small_problem`: sort a row in descending order, subtract the k-th weight from the
k-th value, clip at zero. The penalty is concave, yet this is the global optimum, because the
weights grow with the rank: pairing large values with small weights is best, and the order stays.

Symmetric prox, Eq. `dual_relax`: S_H and ‖·‖²_F both count a pair twice, so a step linearised at
the ranks of Q is  Q ← A − ½(B + Bᵀ),  B_ij = b_i(rank of j in row i of Q),  X = max(Q, 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior import kernels, parallel
from linkprior._validation import choice, real_matrix, whole_number
from linkprior.errors import ParameterError
from linkprior.model.priors import rows_of
from linkprior.parallel.memory import matrices, release

Matrix = NDArray[Any]
DISK_ROWS = 512  # rows made at a time of M + Mᵀ in files: a column is read as pages of 1024 entries
Penalty = Callable[[Matrix], Matrix]  # keys → B, B_ij = b_i(rank of j in row i)


@dataclass(frozen=True)
class SymmetricProx:
    """A symmetric prox.

    Attributes
    ----------
    X
        The result, max(Q, 0).
    Q
        The value before clipping; it orders the many entries that X ties at zero.
    history
        The objective ½‖X − A‖²_F + Σᵢ Σ_k w_ik·X_{i,[k]} at the start max(A, 0), then after each
        step.
    lower_bound
        Value of the dual function: no symmetric X ≥ 0 can be better (dual method only).
    converged
        Whether the ranks stopped changing (mm), or X became symmetric (dual).
    """

    X: Matrix
    Q: Matrix
    history: list[float]
    lower_bound: float | None = None
    converged: bool = False


def prox_rows(A: ArrayLike, weights: ArrayLike) -> Matrix:
    """Return argmin_x ½‖x − a‖² + Σ_k w_ik·x_[k] over x ≥ 0, row by row.

    Implements the solution of Eq. `small_problem`. A square A is taken for a network's matrix:
    weights then have shape (p, p−1) and the diagonal passes through max(·, 0).

    Parameters
    ----------
    A : (m, n) or (p, p) array
        One vector a per row.
    weights : (m, n) or (p, p−1) array
        w_ik of the k-th largest entry, non-decreasing along each row.

    Returns
    -------
    array of the shape of `A`
        The minimiser of each row.

    Examples
    --------
    >>> import numpy as np
    >>> from linkprior import theory
    >>> theory.prox_rows(np.array([[3.0, 2.0, 1.0]]), np.array([[0.5, 1.0, 1.5]])).tolist()
    [[2.5, 1.0, 0.0]]
    """
    a, w = _checked(A, weights)
    X = a - _table_penalty(w)(a)
    return np.maximum(X, 0.0, out=X)


def prox_symmetric(
    A: ArrayLike, weights: ArrayLike, method: str = "dual", max_iter: int = 500
) -> SymmetricProx:
    """Approach argmin ½‖X − A‖²_F + Σᵢ Σ_k w_ik·X_{i,[k]} over X = Xᵀ ≥ 0.

    Implements Eq. `dual_relax` by the paper's dual decomposition (`method="dual"`) or by
    majorise–minimise (`"mm"`: monotone, ends in a fixed point of the ranks). Neither promises the
    global optimum; `docs/theory.md` says what each does. A is symmetrised first, which changes
    the objective by a constant only.

    Parameters
    ----------
    A : (p, p) array
        The matrix to approach.
    weights : (p, p−1) array
        w_ik of the k-th largest entry of row i, already scaled by λ/η.
    method : {"dual", "mm"}
        How.
    max_iter : int
        Steps at most.

    Returns
    -------
    SymmetricProx
        `X`, `Q` (X before clipping at 0) and `history` (the objective after each step).

    Examples
    --------
    >>> import numpy as np
    >>> from linkprior import theory
    >>> A = np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 0.5], [1.0, 0.5, 0.0]])
    >>> theory.prox_symmetric(A, np.full((3, 2), 0.1), method="mm").X.round(2).tolist()
    [[0.0, 1.9, 0.9], [1.9, 0.0, 0.4], [0.9, 0.4, 0.0]]
    """
    a = real_matrix("A", A, square=True)
    a, w = _checked((a + a.T) / 2.0, weights)
    word = choice("method", method, ["dual", "mm"])
    steps = whole_number("max_iter", max_iter, 1)
    solver = dual_decomposition if word == "dual" else majorise_minimise
    return solver(a, _table_penalty(w), steps)


def mm_pass(A: Matrix, B: Matrix) -> Matrix:
    """Return Q = A − ½(B + Bᵀ), the minimiser linearised at the ranks behind B, before clipping."""
    return A - (B + B.T) * A.dtype.type(0.5)


def majorise_minimise(A: Matrix, penalty: Penalty, max_iter: int) -> SymmetricProx:
    """Linearise at the current ranks and minimise, until the ranks stay."""
    Q, B = A, penalty(A)
    history = [_objective(A, A, B)]
    for _ in range(max_iter):
        Q = mm_pass(A, B)
        ranked = penalty(Q)
        history.append(_objective(A, Q, ranked))
        if np.array_equal(ranked, B):
            return SymmetricProx(np.maximum(Q, 0.0), Q, history, converged=True)
        B = ranked
    return SymmetricProx(np.maximum(Q, 0.0), Q, history)


def dual_decomposition(A: Matrix, penalty: Penalty, max_iter: int) -> SymmetricProx:
    """Solve rows independently, and move A′ against the asymmetry of the answer.

    The concave penalty leaves a duality gap, so rows may never agree: each iterate is symmetrised
    and the best one is returned, with the best dual value as lower bound.
    """
    shifted, best_Q = A.copy(), A
    history = [_objective(A, A, penalty(A))]
    best, bound = history[0], -np.inf
    agreed = False
    for k in range(max_iter):
        B = penalty(shifted)
        Q_rows = shifted - B
        bound = max(bound, _objective(shifted, Q_rows, B) - 0.5 * _square(A - shifted))
        Q = (Q_rows + Q_rows.T) / 2.0
        history.append(_objective(A, Q, penalty(Q)))
        if history[-1] <= best:
            best, best_Q = history[-1], Q
        X_rows = np.maximum(Q_rows, 0.0)
        asymmetry = X_rows - X_rows.T
        agreed = bool(np.abs(asymmetry).max(initial=0.0) <= 1e-12)
        if agreed:
            break
        shifted -= asymmetry * _dual_step_size(k)
    return SymmetricProx(np.maximum(best_Q, 0.0), best_Q, history, float(bound), agreed)


def dual_iterations(
    A: Matrix,
    shift: Matrix,
    scale: Matrix,
    profile: Matrix,
    iterations: range,
    workers: int | None = None,
) -> Matrix:
    """Return the last iterate Q of dual decomposition, symmetrised; `shift` = A′ − A is moved.

    The iterations of `dual_decomposition` without a lower bound: rows are sorted once in each, and
    two arrays are made. Weights are scale_i·profile_k. `iterations` numbers them from the first one
    on that moved `shift`: where A hardly changes any more, steps must go on shrinking.
    """
    scale, profile = scale.astype(A.dtype), profile.astype(A.dtype)
    Q_rows, Q = np.empty_like(A), np.empty_like(A)

    def solve_rows(start: int, stop: int) -> None:
        rows = slice(start, stop)
        shifted = A[rows] + shift[rows]
        h = rows_of(profile, start, stop)
        kernels.rank_penalty(shifted, scale[rows], h, start, Q_rows[rows])
        np.subtract(shifted, Q_rows[rows], out=Q_rows[rows])

    def move(start: int, stop: int) -> None:
        rows = slice(start, stop)
        asymmetry = np.maximum(Q_rows[rows], 0) - np.maximum(Q_rows[:, rows], 0).T
        shift[rows] -= asymmetry * size

    for k in iterations:
        size = A.dtype.type(_dual_step_size(k))
        _over_blocks(solve_rows, len(A), workers)
        _over_blocks(move, len(A), workers)
    half_sum(Q_rows, Q, workers=workers)
    return Q


def _dual_step_size(k: int) -> float:
    return float(0.5 / np.sqrt(k + 1.0))


def separable_penalty(
    scale: Matrix, profile: Matrix, dtype: Any = np.float64, workers: int | None = None
) -> Penalty:
    """Return keys → B for weights b_i(k) = scale_i·profile_k, over row blocks in threads."""
    scale, profile = scale.astype(dtype), profile.astype(dtype)

    def penalty(keys: Matrix) -> Matrix:
        B = np.empty_like(keys)

        def one_block(start: int, stop: int) -> None:
            h = rows_of(profile, start, stop)
            kernels.rank_penalty(keys[start:stop], scale[start:stop], h, start, B[start:stop])

        _over_blocks(one_block, len(keys), workers)
        return B

    return penalty


def half_sum(M: Matrix, out: Matrix, on_disk: bool = False, workers: int | None = None) -> None:
    """Write ½(M + Mᵀ) into `out`, over row blocks in threads; `on_disk`: both are in files."""
    ones = np.ones(len(M), M.dtype)

    def one_block(start: int, stop: int) -> None:
        kernels.linearise_rows(M, M, ones, start, stop, out)
        release(out, start, stop)
        release(M, 0, len(M))

    # A column is a page per row, so blocks are higher in files; rows do not depend on it.
    _over_blocks(one_block, len(M), workers, DISK_ROWS if on_disk else None)


def mm_passes(
    A: Matrix, scale: Matrix, profile: Matrix, passes: int, on_disk: bool = False
) -> Matrix:
    """Return Q after passes of `mm_pass` for weights scale_i·profile_k; two arrays are made."""
    scale, profile = scale.astype(A.dtype), profile.astype(A.dtype)
    Q, B = matrices(2, len(A), A.dtype, on_disk)
    keys = A

    def weigh(start: int, stop: int) -> None:
        h = rows_of(profile, start, stop)
        kernels.rank_penalty(keys[start:stop], scale[start:stop], h, start, B[start:stop])
        release(keys, start, stop)
        release(B, start, stop)

    def subtract(start: int, stop: int) -> None:
        np.subtract(A[start:stop], Q[start:stop], out=Q[start:stop])
        release(A, start, stop)
        release(Q, start, stop)

    for _ in range(passes):
        _over_blocks(weigh, len(A))
        half_sum(B, Q, on_disk)
        _over_blocks(subtract, len(A))
        keys = Q
    return keys


def _over_blocks(
    task: Callable[[int, int], None],
    n_rows: int,
    workers: int | None = None,
    most: int | None = None,
) -> None:
    for _ in parallel.map_blocks(task, n_rows, workers, most=most):
        pass


def _table_penalty(weights: Matrix) -> Penalty:
    """Return keys → B for any table of weights (one row per row of the keys)."""

    def penalty(keys: Matrix) -> Matrix:
        square = keys.shape[1] == weights.shape[1] + 1
        return kernels.rank_penalty(keys, np.ones(len(keys)), weights, 0 if square else -1)

    return penalty


def _objective(A: Matrix, Q: Matrix, B: Matrix) -> float:
    """½‖X − A‖² + ⟨B, X⟩ at X = max(Q, 0), where B holds the weights at the ranks of Q."""
    X = np.maximum(Q, 0.0)
    return 0.5 * _square(X - A) + float(np.sum(B * X, dtype=np.float64))


def _square(D: Matrix) -> float:
    return float(np.sum(D * D, dtype=np.float64))


def _checked(A: ArrayLike, weights: ArrayLike) -> tuple[Matrix, Matrix]:
    a, w = real_matrix("A", A), real_matrix("weights", weights)
    square = a.shape[0] == a.shape[1]
    expected = (a.shape[0], a.shape[1] - 1 if square else a.shape[1])
    if w.shape != expected:
        raise ParameterError(f"weights must have shape {expected} for this A, got {w.shape}")
    if (np.diff(w, axis=1) < 0).any() or (w < 0).any():
        raise ParameterError("weights must be non-negative and non-decreasing along each row")
    return a, w

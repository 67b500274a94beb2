"""The inner loop of non-negative factors: coordinate descent on rows of W in ½‖A − W Hᵀ‖².

A is sparse, H stays as it is, and a row of W is a small problem of its own: with G = HᵀH its
gradient is g = G w − Hᵀa, a the row of A. Coordinate after coordinate is set to what is best for
it, and the gradient follows: a step δ in coordinate t adds δ·G_t to all of it. Coordinates that
stay, and in a row of parts most stay at zero, cost nothing.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from linkprior.errors import ParameterError
from linkprior.kernels._engine import Array, plain, use_numba
from linkprior.kernels._jit import compiled

Pattern = tuple[Array, Array]  # indptr and indices


def descend_coordinates(
    W: ArrayLike, H: ArrayLike, gram: ArrayLike, pattern: Pattern, values: ArrayLike
) -> Array:
    """Return rows of W after one pass over their coordinates, each set to the best that is ≥ 0.

    `pattern` and `values` are rows of A, `gram` is HᵀH. A coordinate whose column of H is zero
    stays as it is. The W handed in stays, too.
    """
    rows, others = np.array(W, order="C"), plain(H)
    weights = np.ascontiguousarray(gram, rows.dtype)
    starts, columns = (np.ascontiguousarray(part) for part in pattern)
    starts, numbers = starts.astype(np.int64), np.ascontiguousarray(values, rows.dtype)
    if rows.shape[1] != others.shape[1] or rows.dtype != others.dtype:
        raise ParameterError(f"W {rows.shape} and H {others.shape} do not match")
    if not (len(columns) == len(numbers) == starts[-1] and len(starts) == len(rows) + 1):
        raise ParameterError("values must have a number for every stored entry of every row")
    if use_numba(len(others)):
        descend_coordinates_numba(rows, others, weights, (starts, columns), numbers)
        return rows
    a = sp.csr_array((numbers, columns, starts), shape=(len(rows), len(others)))
    gradient = rows @ weights - a @ others
    for t in np.flatnonzero(weights.diagonal() > 0):
        before = rows[:, t].copy()
        rows[:, t] = np.maximum(before - gradient[:, t] / weights[t, t], 0)
        gradient += np.outer(rows[:, t] - before, weights[t])
    return rows


# ---------------------------------------------------------------------- compiled


@compiled
def descend_coordinates_numba(
    W: Array, H: Array, gram: Array, pattern: Pattern, values: Array
) -> None:
    """Do the same in place, a row at a time: its gradient stays in the nearest cache."""
    indptr, indices = pattern
    rank, zero = W.shape[1], W.dtype.type(0)
    gradient = np.empty(rank, W.dtype)
    for i in range(W.shape[0]):
        own = W[i]
        gradient[:] = zero
        for e in range(indptr[i], indptr[i + 1]):
            other, value = H[indices[e]], values[e]
            for q in range(rank):
                gradient[q] -= value * other[q]
        for t in range(rank):
            step = own[t]
            if step != zero:
                line = gram[t]
                for q in range(rank):
                    gradient[q] += step * line[q]
        for t in range(rank):
            curve = gram[t, t]
            if curve > zero:
                best = max(own[t] - gradient[t] / curve, zero)
                step = best - own[t]
                if step != zero:
                    own[t], line = best, gram[t]
                    for q in range(rank):
                        gradient[q] += step * line[q]

"""Rows of a factor improved towards what its neighbours ask for: conjugate gradient steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import ParameterError
from linkprior.kernels._arguments import plain
from linkprior.kernels._engine import use_numba
from linkprior.kernels._jit import compiled_sums
from linkprior.kernels.pairs import edge_products

Array = NDArray[Any]
Pair = tuple[Array, Array]  # indptr and indices of a pattern; curve and pull of its entries


def descend_rows(
    X: ArrayLike,
    x: ArrayLike,
    others: ArrayLike,
    pattern: Pair,
    curve: ArrayLike,
    pull: ArrayLike,
    steps: int,
) -> tuple[Array, Array]:
    """Take conjugate gradient steps from X towards the least of each row's own sum of squares.

    Row i minimises ½‖X_i‖² + Σ_e (½·curve_e·(X_i·others_j)² − pull_e·X_i·others_j) over the stored
    entries e = (i, j) of a CSR pattern (indptr, indices). The products x of X with the others at
    these entries follow X from step to step, in float64. The X and x handed in stay as they are.
    """
    rows, partners = np.array(X, order="C"), plain(others)
    if rows.shape[1] != partners.shape[1] or rows.dtype != partners.dtype:
        raise ParameterError(f"X {rows.shape} and others {partners.shape} do not match")
    starts, columns = (np.ascontiguousarray(part) for part in pattern)
    starts = starts.astype(np.int64)
    products = np.array(x, np.float64)
    bent, drawn = np.asarray(curve, np.float64), np.asarray(pull, np.float64)
    if not (len(columns) == len(products) == len(bent) == len(drawn) == starts[-1]):
        raise ParameterError("x, curve and pull must have a number for every stored entry")
    if len(rows):
        descend = descend_rows_numba if use_numba(len(partners)) else _descend
        descend(rows, products, partners, (starts, columns), (bent, drawn), steps)
    return rows, products


def _descend(X: Array, x: Array, others: Array, pattern: Pair, terms: Pair, steps: int) -> None:
    """Improve X and x in place, all rows at once; each row has step sizes of its own."""
    (indptr, indices), (curve, pull) = pattern, terms
    rows, shape = np.repeat(np.arange(len(X)), np.diff(indptr)), (len(X), len(others))

    def gather(weights: Array) -> Any:
        """Return Σ_j weights_ij·others_j for every row i."""
        return sp.csr_array((weights.astype(X.dtype), indices, indptr), shape=shape) @ others

    def row_dot(A: Array, B: Array) -> Any:
        return np.einsum("ia,ia->i", A, B)

    R = gather(pull - curve * x) - X
    P, size = R.copy(), row_dot(R, R)
    tiny = np.finfo(X.dtype).tiny  # a row that is done has size 0 and must not become NaN
    for _ in range(steps):
        p = edge_products(P, others, indptr, indices)
        curved = P + gather(curve * p)
        ahead = size / np.maximum(row_dot(P, curved), tiny)
        X += ahead[:, None] * P
        x += ahead[rows] * p
        R -= ahead[:, None] * curved
        before, size = size, row_dot(R, R)
        P = (size / np.maximum(before, tiny))[:, None] * P + R


@compiled_sums
def descend_rows_numba(
    X: Array, x: Array, others: Array, pattern: Pair, terms: Pair, steps: int
) -> None:
    """Do the same, a row at a time; a neighbour is visited once in a step, while it is in cache."""
    (indptr, indices), (curve, pull) = pattern, terms
    number, tiny = X.dtype.type, np.finfo(X.dtype).tiny
    R, P, curved = np.empty_like(X[0]), np.empty_like(X[0]), np.empty_like(X[0])
    products = np.empty(np.max(np.diff(indptr)), np.float64)
    for i in range(X.shape[0]):
        first, last = indptr[i], indptr[i + 1]
        R[:] = -X[i]
        for e in range(first, last):
            other, weight = others[indices[e]], number(pull[e] - curve[e] * x[e])
            for q in range(R.size):
                R[q] += weight * other[q]
        P[:] = R
        size = number(0)
        for q in range(R.size):
            size += R[q] * R[q]
        for _ in range(steps):
            curved[:] = P
            for e in range(first, last):
                other, product = others[indices[e]], np.float64(0)
                for q in range(P.size):
                    product += np.float64(P[q]) * np.float64(other[q])
                products[e - first] = product
                weight = number(curve[e] * product)
                for q in range(P.size):
                    curved[q] += weight * other[q]
            along = number(0)
            for q in range(P.size):
                along += P[q] * curved[q]
            ahead = size / max(along, tiny)
            for e in range(first, last):
                x[e] += ahead * products[e - first]
            before, size = size, number(0)
            for q in range(P.size):
                X[i, q] += ahead * P[q]
                R[q] -= ahead * curved[q]
                size += R[q] * R[q]
            turn = size / max(before, tiny)
            for q in range(P.size):
                P[q] = turn * P[q] + R[q]

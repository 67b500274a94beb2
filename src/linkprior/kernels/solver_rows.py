"""The inner loops of solvers, a block of rows at a time: ADMM's p × p work, and least squares.

ADMM reads and writes each of its arrays once per step. Rows of a factor are improved towards what
their neighbours ask for by conjugate gradient steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from linkprior.errors import ParameterError
from linkprior.kernels._engine import Array, plain, use_numba
from linkprior.kernels._jit import compiled_sums
from linkprior.kernels.pairs import edge_products

Pair = tuple[Array, Array]  # indptr and indices of a pattern; curve and pull of its entries
TILE = 64  # rows and columns at a time: a turned tile fits L1


def split_rows(fitted: Array, G: Array, Q: Array, Y: Array) -> Array:
    """Do ADMM's X and Z steps for one block of rows, with Y = X − Z in the place of Z.

    From X = max(Q, 0) and Z = X − Y it forms A = X̂ + Z and the new Q = A − G, X = max(Q, 0),
    Z = A − X. All are C-contiguous blocks of one shape and dtype; `Q` and `Y` are written over.
    Returns the five sums of squares of X̂ − X, X − X_before, X̂, X and Y, in float64.
    """
    if use_numba(fitted.shape[1]):
        squares = np.zeros(5)
        split_rows_numba(fitted, G, Q, Y, squares)
        return squares
    before = np.maximum(Q, 0)
    A = fitted + (before - Y)
    np.subtract(A, G, out=Q)
    X = np.maximum(Q, 0)
    np.subtract(X, A - X, out=Y)
    terms = (fitted - X, X - before, fitted, X, Y)
    return np.array([np.sum(term * term, dtype=np.float64) for term in terms])


def linearise_rows(B: Array, Q: Array, scale: Array, start: int, stop: int, G: Array) -> Array:
    """Write rows start…stop of G = ½(scale∘B + (scale∘B)ᵀ); return their Σ_j B_ij·max(Q_ij, 0)."""
    if use_numba(len(B)):
        row_sums = np.empty(stop - start)
        linearise_rows_numba(B, Q, scale, start, stop, G, row_sums)
        return row_sums
    rows = slice(start, stop)
    G[rows] = (scale[rows, None] * B[rows] + scale * B[:, rows].T) * G.dtype.type(0.5)
    return np.asarray(np.sum(B[rows] * np.maximum(Q[rows], 0), axis=1, dtype=np.float64))


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


# ---------------------------------------------------------------------- compiled


@compiled_sums
def split_rows_numba(fitted: Array, G: Array, Q: Array, Y: Array, squares: Array) -> None:
    """Renew Q and Y of a block; add up the squares of X̂ − X, X − X_before, X̂, X and Y."""
    zero = G.dtype.type(0)
    for r in range(fitted.shape[0]):
        residual = change = size = split = target = np.float64(0)
        for c in range(fitted.shape[1]):
            x_hat = fitted[r, c]
            before = max(Q[r, c], zero)
            a = x_hat + (before - Y[r, c])
            q = a - G[r, c]
            x = max(q, zero)
            y = x - (a - x)
            Q[r, c] = q
            Y[r, c] = y
            residual += np.float64((x_hat - x) * (x_hat - x))
            change += np.float64((x - before) * (x - before))
            size += np.float64(x_hat * x_hat)
            split += np.float64(x * x)
            target += np.float64(y * y)
        squares[0] += residual
        squares[1] += change
        squares[2] += size
        squares[3] += split
        squares[4] += target


@compiled_sums
def turn_tile(B: Array, top: int, left: int, bottom: int, right: int, tile: Array) -> None:
    """Copy B[left:right, top:bottom] transposed: rows are read along, and stay in L1."""
    for j in range(left, right):
        line = B[j]
        for i in range(top, bottom):
            tile[i - top, j - left] = line[i]


@compiled_sums
def linearise_rows_numba(
    B: Array, Q: Array, scale: Array, start: int, stop: int, G: Array, row_sums: Array
) -> None:
    """Write rows of ½(scale∘B + (scale∘B)ᵀ), and Σ_j B_ij·max(Q_ij, 0) of each."""
    half, zero = G.dtype.type(0.5), G.dtype.type(0)
    turned = np.empty((TILE, TILE), B.dtype)
    row_sums[:] = 0
    for top in range(start, stop, TILE):
        bottom = min(top + TILE, stop)
        for left in range(0, B.shape[1], TILE):
            right = min(left + TILE, B.shape[1])
            turn_tile(B, top, left, bottom, right, turned)
            for i in range(top, bottom):
                own, other, sizes = B[i, left:right], turned[i - top], scale[left:right]
                keys, target, mine = Q[i, left:right], G[i, left:right], scale[i]
                total = np.float64(0)
                for c in range(own.size):
                    target[c] = half * (mine * own[c] + sizes[c] * other[c])
                    total += np.float64(own[c] * max(keys[c], zero))
                row_sums[i - start] += total


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

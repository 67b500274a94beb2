"""ADMM's p × p work, a block of rows at a time: every array is read and written once per step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels._engine import use_numba
from linkprior.kernels._jit import compiled_sums

Array = NDArray[Any]
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

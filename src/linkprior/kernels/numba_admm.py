"""Compiled kernels of ADMM's p × p work: every array is read and written once per step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled_sums

Array = NDArray[Any]
TILE = 64  # rows and columns at a time: a turned tile fits L1


@compiled_sums
def split_rows(fitted: Array, G: Array, Q: Array, Y: Array, squares: Array) -> None:
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
def linearise_rows(
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

"""Non-negative factors of a sparse symmetric matrix: min ½‖A − W Hᵀ‖² over W, H ≥ 0.

Coordinate descent, W and H in turn (Cichocki and Phan 2009), from a fixed start: of each leading
eigenvector the part that is positive or the one that is negative, whichever weighs more, and the
mean of A in place of zeros (NNDSVDa: Boutsidis and Gallopoulos 2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior import kernels, parallel

Array = NDArray[Any]

BLOCK_ROWS = 1024  # fixed, so that sums never regroup
_BEYOND = 10  # columns more than are asked for: the last ones settle sooner
_POWERS = 4  # products with A before eigenvectors are read off: a start needs no more
_NOISE = 1e-9  # of the largest variance: less is what float32 rounds


def factorise(a: sp.csr_array, rank: int, max_iter: int) -> tuple[Array, Array]:
    """Return W and H (float32) after so many sweeps; a sweep is a pass over W, then one over H."""
    a = a.astype(np.float32)
    W, H = start_factors(a, rank)
    for _ in range(max_iter):
        W = _half_sweep(a, W, H)
        H = _half_sweep(a, H, W)
    return W, H


def start_factors(a: sp.csr_array, rank: int) -> tuple[Array, Array]:
    """Return W and H to begin with, positive everywhere."""
    values, V = leading_vectors(a, rank)
    above, below = np.maximum(V, 0), np.maximum(-V, 0)
    heavier = np.linalg.norm(above, axis=0) >= np.linalg.norm(below, axis=0)
    W, rest = np.where(heavier, above, below), np.where(heavier, below, above)
    sizes = np.sqrt(np.abs(values)).astype(np.float32)
    mean = np.float32(a.sum() / a.shape[0] ** 2)
    start = []
    for part in (W, np.where(values < 0, rest, W)):  # λ < 0 joins one part to the other
        length = np.maximum(np.linalg.norm(part, axis=0), np.finfo(np.float32).tiny)
        scaled = np.pad(part * (sizes / length), ((0, 0), (0, rank - len(values))))
        start.append(np.where(scaled > 0, scaled, mean))
    return start[0], start[1]


def leading_vectors(a: sp.csr_array, rank: int) -> tuple[Array, Array]:
    """Return about the eigenvalues of largest modulus and their vectors, by subspace iteration.

    The same at every call. The first are exact to some digits, the last hardly, which is all that
    a start asks for; there are fewer where the others are zero.
    """
    n = a.shape[0]
    Q = np.random.default_rng(0).standard_normal((n, min(n, rank + _BEYOND))).astype(np.float32)
    for _ in range(_POWERS):
        Q = _orthonormal(a @ Q)
    small = (Q.T @ (a @ Q)).astype(np.float64)
    values, turn = np.linalg.eigh((small + small.T) / 2.0)
    order = np.argsort(-np.abs(values), kind="stable")[:rank]
    return values[order], Q @ turn[:, order].astype(np.float32)


def _orthonormal(Y: Array) -> Array:
    """Return orthonormal columns that span those of Y, from the eigenvectors of YᵀY."""
    variances, turn = np.linalg.eigh(_gram_by_blocks(Y))
    kept = variances > _NOISE * variances[-1]
    whiten = turn[:, kept] / np.sqrt(variances[kept])
    return Y @ whiten.astype(Y.dtype)


def gram(H: Array) -> NDArray[np.float64]:
    """Return HᵀH, summed in float64."""
    wide = H.astype(np.float64)
    return wide.T @ wide


def _gram_by_blocks(H: Array) -> NDArray[np.float64]:
    """Return HᵀH; the sum over blocks is taken in order."""
    shares = parallel.map_tasks(
        lambda block: gram(H[slice(*block)]), parallel.blocks(len(H), BLOCK_ROWS)
    )
    return np.asarray(np.sum(list(shares), axis=0))


def _half_sweep(a: sp.csr_array, W: Array, H: Array) -> Array:
    """Improve W for fixed H (or H for fixed W, as A is symmetric)."""
    weights = _gram_by_blocks(H).astype(W.dtype)

    def improved(block: tuple[int, int]) -> Array:
        start, stop = block
        starts = a.indptr[start : stop + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        pattern = starts - starts[0], a.indices[entries]
        return kernels.descend_coordinates(W[start:stop], H, weights, pattern, a.data[entries])

    blocks = parallel.blocks(len(W), BLOCK_ROWS)
    return np.concatenate(list(parallel.map_tasks(improved, blocks)))

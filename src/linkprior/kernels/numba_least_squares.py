"""Compiled conjugate gradient steps for many small least squares problems, a row at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled_sums

Array = NDArray[Any]


@compiled_sums
def descend_rows(
    X: Array,
    x: Array,
    others: Array,
    indptr: Array,
    indices: Array,
    curve: Array,
    pull: Array,
    steps: int,
) -> None:
    """Improve X and x in place; see `kernels.descend_rows`.

    A neighbour is visited once in a step: its product with the direction and its share in the
    curvature are taken while it is in the cache.
    """
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

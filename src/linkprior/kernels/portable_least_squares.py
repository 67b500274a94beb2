"""Products at stored entries, and conjugate gradient steps on all rows of a block at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]

ENTRIES_AT_ONCE = 1 << 16  # stored entries whose factor rows are gathered at a time


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
    """Improve X and x in place; each row has step sizes of its own."""
    rows, shape = np.repeat(np.arange(len(X)), np.diff(indptr)), (len(X), len(others))

    def gather(weights: Array) -> Array:
        """Return Σ_j weights_ij·others_j for every row i."""
        told = sp.csr_array((weights.astype(X.dtype), indices, indptr), shape=shape)
        gathered: Array = told @ others
        return gathered

    p = np.empty(len(x))
    R = gather(pull - curve * x) - X
    P, size = R.copy(), _row_dot(R, R)
    tiny = np.finfo(X.dtype).tiny  # a row that is done has size 0 and must not become NaN
    for _ in range(steps):
        edge_products(P, others, indptr, indices, p)
        curved = P + gather(curve * p)
        ahead = size / np.maximum(_row_dot(P, curved), tiny)
        X += ahead[:, None] * P
        x += ahead[rows] * p
        R -= ahead[:, None] * curved
        before, size = size, _row_dot(R, R)
        P = (size / np.maximum(before, tiny))[:, None] * P + R


def edge_products(left: Array, right: Array, indptr: Array, indices: Array, out: Array) -> None:
    """Inner products at stored entries."""
    rows = np.repeat(np.arange(left.shape[0]), np.diff(indptr))
    for begin in range(0, rows.size, ENTRIES_AT_ONCE):
        some = slice(begin, begin + ENTRIES_AT_ONCE)
        own, other = left[rows[some]], right[indices[some]]
        out[some] = np.einsum("er,er->e", own, other, dtype=np.float64)


def _row_dot(A: Array, B: Array) -> Array:
    dots: Array = np.einsum("ia,ia->i", A, B)
    return dots

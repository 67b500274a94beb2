"""Checks and conversions of what comes into a kernel, so that engines see plain arrays only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import ParameterError

Array = NDArray[Any]


def plain(values: ArrayLike, dtype: Any = None) -> Array:
    """Return a C-contiguous writable array: numba compiles again for every other kind."""
    array = np.asarray(values)
    if dtype is None and array.dtype not in (np.float32, np.float64):
        dtype = np.float64
    return np.require(array, dtype, ["C", "W"])


def row_block(scores: ArrayLike, first: int, *, square: bool = False) -> Array:
    """Return a 2-d block whose diagonal, if it has one, lies within its columns."""
    block = plain(scores)
    if block.ndim != 2:
        raise ParameterError(f"a block of rows must be 2-d, got shape {block.shape}")
    if first < (0 if square else -1) or (first >= 0 and first + block.shape[0] > block.shape[1]):
        raise ParameterError(f"first = {first} does not fit a block of shape {block.shape}")
    return block


def vector_of(name: str, values: ArrayLike, size: int, dtype: Any) -> Array:
    """Return a vector of a known length."""
    vector = plain(values, dtype)
    if vector.shape != (size,):
        raise ParameterError(f"{name} must have shape ({size},), got {vector.shape}")
    return vector


def target_for(out: Array | None, shape: tuple[int, ...], dtype: Any) -> Array:
    """Return `out` when a kernel can write into it, or a new array when there is none."""
    if out is None:
        return np.empty(shape, dtype)
    fits = out.shape == shape and out.dtype == dtype
    if not (fits and out.flags.c_contiguous and out.flags.writeable):
        raise ParameterError(
            f"out must be a writable C-contiguous {np.dtype(dtype)} array of shape {shape}, "
            f"got {out.dtype} of shape {out.shape}"
        )
    return out


def stored_rows(
    n_nodes: int, first: int, n_rows: int, indptr: Array, indices: Array
) -> tuple[Array, Array]:
    """Return some rows of the CSR pattern of a network of n_nodes, as a pattern of their own."""
    if len(indptr) != n_nodes + 1:
        raise ParameterError(f"indptr must have {n_nodes + 1} entries, got {len(indptr)}")
    starts = np.asarray(indptr)[first : first + n_rows + 1].astype(np.int64)
    columns = np.asarray(indices)[starts[0] : starts[-1]].astype(np.int64)
    return starts - starts[0], columns


def n_ranks(block: Array, first: int) -> int:
    """Return how many columns of a row are ranked: all but the diagonal."""
    return int(block.shape[1]) - (first >= 0)

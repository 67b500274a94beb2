"""Counting candidates by their scores: what every metric is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import ParameterError
from linkprior.kernels.arguments import plain, stored_rows
from linkprior.kernels.engine import engine_for

Array = NDArray[Any]


def tally(
    scores: ArrayLike,
    first: int,
    indptr: Array,
    indices: Array,
    closed: Array,
    limits: ArrayLike,
    kinds: Array,
    table: Array,
) -> Array:
    """Sum table[kind of i, kind of j] over the candidates (i, j) of a block, bin by bin.

    With ascending limits l₀ < l₁ < …, bin 2a holds the scores between l_{a−1} and l_a, bin 2a + 1
    those equal to l_a. Candidates are pairs j > i of open nodes that are not stored.

    Parameters
    ----------
    scores : (b, p − first) rows from `first` on, without the columns before `first`.
    indptr, indices : CSR pattern of the whole network: the pairs that are no candidates.
    closed : (p,) 1 for nodes none of whose pairs is a candidate, else 0.
    limits : at least one, ascending and distinct; scores are compared with them as float64.
    kinds : (p,) the kind of each node, a row of the table.
    table : (kinds, kinds, m) what a pair counts, symmetric.

    Returns
    -------
    (2·limits + 1, m) float64 array.
    """
    block, pattern, shut = _block(scores, first, indptr, indices, closed)
    bounds = plain(limits, np.float64)
    if bounds.ndim != 1 or bounds.size == 0 or (np.diff(bounds) <= 0).any():
        raise ParameterError("limits must be a vector of at least one number, ascending, distinct")
    worth = plain(table, np.float64)
    bins: Array = engine_for(shut.size).tally(
        block, first, *pattern, shut, bounds, plain(kinds, np.int64), worth
    )
    return bins


def tally_nodes(
    scores: ArrayLike,
    first: int,
    indptr: Array,
    indices: Array,
    closed: Array,
    starts: Array,
    limits: ArrayLike,
) -> Array:
    """Count each candidate among those of either node, by bins between that node's own limits.

    Node i has the limits ``limits[starts[i] : starts[i + 1]]``, ascending and distinct, and with n
    of them the 2n + 1 bins from ``2·starts[i] + i`` on, as in `tally`. Other parameters as there.
    """
    block, pattern, shut = _block(scores, first, indptr, indices, closed)
    bins: Array = engine_for(shut.size).tally_nodes(
        block, first, *pattern, shut, plain(starts, np.int64), plain(limits, np.float64)
    )
    return bins


def count_above(
    scores: ArrayLike, first: int, indptr: Array, indices: Array, thresholds: ArrayLike
) -> tuple[Array, Array]:
    """Count the candidates above, and equal to, each threshold; `scores` has all p columns."""
    wanted = plain(thresholds, np.float64)
    if wanted.size == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    limits, which = np.unique(wanted, return_inverse=True)
    every = np.zeros(len(indptr) - 1, np.int64)
    rows = np.asarray(scores)[:, first:]
    bins = tally(rows, first, indptr, indices, every, limits, every, np.ones((1, 1, 1)))[:, 0]
    above, equal = above_and_equal(bins)
    return above[which].astype(np.int64), equal[which].astype(np.int64)


def above_and_equal(bins: Array) -> tuple[Array, Array]:
    """Return what lies above and at each limit, from the bins of `tally` (along the first axis)."""
    from_here = np.cumsum(bins[::-1], axis=0)[::-1]
    return from_here[2::2], bins[1::2]


def _block(
    scores: ArrayLike, first: int, indptr: Array, indices: Array, closed: Array
) -> tuple[Array, tuple[Array, Array], Array]:
    block, shut = plain(scores), plain(closed, np.uint8)
    if block.ndim != 2 or first < 0 or first + block.shape[1] != shut.size:
        raise ParameterError(
            f"a block from row {first} on must have {shut.size - first} columns, got shape "
            f"{block.shape}"
        )
    return block, stored_rows(shut.size, first, block.shape[0], indptr, indices), shut

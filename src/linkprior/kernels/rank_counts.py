"""Counting candidates by their scores: what every metric is made of.

With ascending limits l₀ < l₁ < …, bin 2a holds the scores between l_{a−1} and l_a, bin 2a + 1 those
equal to l_a. Candidates are pairs j > i of open nodes that are not stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkprior.errors import ParameterError
from linkprior.kernels._engine import Array, plain, stored_rows, use_numba
from linkprior.kernels._jit import compiled

Block = tuple[Array, int, Array, Array, Array]  # scores, first, pattern of its rows, closed
TILE = 64  # columns handled side by side: wide enough for SIMD, few enough for L1


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

    `scores` (b, p − first) are rows from `first` on, without the columns before it; `indptr` and
    `indices` hold all pairs of the network that are not candidates, and `closed` is 1 for nodes
    none of whose pairs is one. Scores are compared as float64 with `limits`, at least one,
    ascending and distinct. `kinds` are rows of the symmetric `table` (kinds, kinds, m) of what a
    pair counts; the sums are (2·limits + 1, m).
    """
    block = _block(scores, first, indptr, indices, closed)
    bounds, kind = plain(limits, np.float64), plain(kinds, np.int64)
    worth = plain(table, np.float64)
    if bounds.ndim != 1 or bounds.size == 0 or (np.diff(bounds) <= 0).any():
        raise ParameterError("limits must be a vector of at least one number, ascending, distinct")
    bins = np.zeros((2 * bounds.size + 1, worth.shape[2]))
    if use_numba(len(block[4])):
        tally_numba(block, bounds, kind, worth, bins)
    else:
        for i, columns, row in _open_pairs(*block):
            np.add.at(bins, _bins_of(row, bounds), worth[kind[i], kind[columns]])
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
    block = _block(scores, first, indptr, indices, closed)
    begins, bounds = plain(starts, np.int64), plain(limits, np.float64)
    bins = np.zeros(2 * bounds.size + begins.size - 1, np.int64)
    if use_numba(len(block[4])):
        tally_nodes_numba(block, begins, bounds, bins)
        return bins
    met: list[list[Array]] = [[] for _ in block[4]]
    for i, columns, row in _open_pairs(*block):
        met[i].append(row)
        for j, score in zip(columns.tolist(), row[:, None], strict=True):
            met[j].append(score)
    for node, some in enumerate(met):
        if some:
            own = _bins_of(np.concatenate(some), bounds[begins[node] : begins[node + 1]])
            np.add.at(bins, 2 * begins[node] + node + own, 1)
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


def _block(scores: ArrayLike, first: int, indptr: Array, indices: Array, closed: Array) -> Block:
    block, shut = plain(scores), plain(closed, np.uint8)
    if block.ndim != 2 or first < 0 or first + block.shape[1] != shut.size:
        raise ParameterError(
            f"a block from row {first} on must have {shut.size - first} columns, got shape "
            f"{block.shape}"
        )
    return block, first, *stored_rows(shut.size, first, block.shape[0], indptr, indices), shut


def _bins_of(scores: Array, limits: Array) -> Array:
    below, reached = (np.searchsorted(limits, scores, side) for side in ("left", "right"))
    return below + reached


def _open_pairs(
    scores: Array, first: int, indptr: Array, indices: Array, closed: Array
) -> Iterator[tuple[int, Array, Array]]:
    """Yield each open row with its candidates and their scores as float64."""
    for r, row in enumerate(scores):
        free = closed == 0
        if free[first + r]:
            free[: first + r + 1] = False
            free[indices[indptr[r] : indptr[r + 1]]] = False
            columns = np.flatnonzero(free)
            yield first + r, columns, row[columns - first].astype(np.float64)


# ---------------------------------------------------------------------- compiled


@compiled
def thresholds_below(scores: Array, thresholds: Array, below: Array) -> None:
    """Count the thresholds below each score: binary searches side by side, without branches."""
    below[:] = 0
    size = thresholds.size
    while size > 1:
        half = size // 2
        for c in range(scores.size):
            below[c] += half * np.int64(thresholds[below[c] + half - 1] < np.float64(scores[c]))
        size -= half
    for c in range(scores.size):
        below[c] += np.int64(thresholds[below[c]] < np.float64(scores[c]))


@compiled
def tally_numba(block: Block, limits: Array, kinds: Array, table: Array, bins: Array) -> None:
    """Add table[kind of i, kind of j] to the bin of every candidate (i, j); see `kernels.tally`."""
    scores, first, indptr, indices, closed = block
    b, width = scores.shape
    below, barred = np.empty(TILE, np.int64), closed.copy()
    for r in range(b):
        if closed[first + r]:
            continue
        line = table[kinds[first + r]]
        stored = indices[indptr[r] : indptr[r + 1]]
        barred[stored] = 1
        for begin in range(r + 1, width, TILE):
            tile = scores[r, begin : min(begin + TILE, width)]
            thresholds_below(tile, limits, below)
            for c in range(tile.size):
                j, at = first + begin + c, below[c]
                if barred[j]:
                    continue
                met = at < limits.size and limits[at] == np.float64(tile[c])
                for q in range(line.shape[1]):
                    bins[2 * at + np.int64(met), q] += line[kinds[j], q]
        barred[stored] = closed[stored]


@compiled
def own_bin(score: Any, node: int, starts: Array, limits: Array) -> int:
    """Return the bin of a score among the limits of one node, counted through all nodes."""
    low, high = starts[node], starts[node + 1]
    while low < high:
        middle = (low + high) // 2
        if limits[middle] < score:
            low = middle + 1
        else:
            high = middle
    met = low < starts[node + 1] and limits[low] == score
    return 2 * low + node + np.int64(met)


@compiled
def tally_nodes_numba(block: Block, starts: Array, limits: Array, bins: Array) -> None:
    """Count every candidate (i, j) in a bin of i and in a bin of j; see `kernels.tally_nodes`."""
    scores, first, indptr, indices, closed = block
    b, width = scores.shape
    barred = closed.copy()
    for r in range(b):
        i = first + r
        if closed[i]:
            continue
        stored = indices[indptr[r] : indptr[r + 1]]
        barred[stored] = 1
        for c in range(r + 1, width):
            if barred[first + c]:
                continue
            score = np.float64(scores[r, c])
            bins[own_bin(score, i, starts, limits)] += 1
            bins[own_bin(score, first + c, starts, limits)] += 1
        barred[stored] = closed[stored]

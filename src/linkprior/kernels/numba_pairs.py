"""Compiled kernels over pairs: candidates of a row block, stored entries.

The candidates of row i are the columns j > i that are not stored: the runs between stored columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled, compiled_sums

Array = NDArray[Any]
TILE = 64  # columns handled side by side: wide enough for SIMD, few enough for L1


@compiled
def collect_pairs(
    scores: Array,
    first: int,
    indptr: Array,
    indices: Array,
    threshold: float,
    start: tuple[int, int],
    kept: int,
    kept_scores: Array,
    kept_codes: Array,
) -> tuple[int, int, int]:
    """Append candidates above `threshold` until the buffer is full.

    Returns the number kept and the (row, column) to go on from; row = number of rows at the end.
    """
    b, p = scores.shape
    for r in range(start[0], b):
        row = scores[r]
        begin = max(first + r + 1, start[1] if r == start[0] else 0)
        for e in range(indptr[r], indptr[r + 1] + 1):
            stop = indices[e] if e < indptr[r + 1] else p
            for j in range(begin, stop):
                if row[j] > threshold:
                    if kept == kept_codes.size:
                        return kept, r, j
                    kept_scores[kept] = row[j]
                    kept_codes[kept] = (first + r) * p + j
                    kept += 1
            begin = max(begin, stop + 1)
    return kept, b, 0


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
def tally(
    scores: Array,
    first: int,
    indptr: Array,
    indices: Array,
    closed: Array,
    limits: Array,
    kinds: Array,
    table: Array,
    bins: Array,
) -> None:
    """Add table[kind of i, kind of j] to the bin of every candidate (i, j); see `kernels.tally`."""
    b, width = scores.shape
    below, barred = np.empty(TILE, np.int64), closed.copy()
    for r in range(b):
        if closed[first + r]:
            continue
        line = table[kinds[first + r]]
        for e in range(indptr[r], indptr[r + 1]):
            barred[indices[e]] = 1
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
        for e in range(indptr[r], indptr[r + 1]):
            barred[indices[e]] = closed[indices[e]]


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
def tally_nodes(
    scores: Array,
    first: int,
    indptr: Array,
    indices: Array,
    closed: Array,
    starts: Array,
    limits: Array,
    bins: Array,
) -> None:
    """Count every candidate (i, j) in a bin of i and in a bin of j; see `kernels.tally_nodes`."""
    b, width = scores.shape
    barred = closed.copy()
    for r in range(b):
        i = first + r
        if closed[i]:
            continue
        for e in range(indptr[r], indptr[r + 1]):
            barred[indices[e]] = 1
        for c in range(r + 1, width):
            if barred[first + c]:
                continue
            score = np.float64(scores[r, c])
            bins[own_bin(score, i, starts, limits)] += 1
            bins[own_bin(score, first + c, starts, limits)] += 1
        for e in range(indptr[r], indptr[r + 1]):
            barred[indices[e]] = closed[indices[e]]


@compiled_sums
def edge_products(left: Array, right: Array, indptr: Array, indices: Array, out: Array) -> None:
    """Write left[i] · right[j] for every stored entry, summed in float64."""
    for i in range(left.shape[0]):
        row = left[i]
        for e in range(indptr[i], indptr[i + 1]):
            other = right[indices[e]]
            total = np.float64(0)
            for q in range(row.size):
                total += np.float64(row[q]) * np.float64(other[q])
            out[e] = total

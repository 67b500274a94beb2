"""Compiled kernels of the stack: scores counted in bins, their ranks, and boosted trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled

Array = NDArray[Any]
TILE = 128  # rows that go down a tree together: their features stay in L1


@compiled
def bin_of(bits: Any) -> Any:
    """Return the upper 16 bits of a float32, in an order that is that of the numbers."""
    if bits & np.uint32(0x80000000):
        return (~bits) >> np.uint32(16)
    return (bits | np.uint32(0x80000000)) >> np.uint32(16)


@compiled
def count_bins(
    scores: Array, bits: Array, first: int, counts: Array, low: Array, high: Array
) -> None:
    """Count the pairs j > i of a block by bin, and keep the ends of what each bin holds."""
    b, p = scores.shape
    for r in range(b):
        for j in range(first + r + 1, p):
            at, score = bin_of(bits[r, j]), scores[r, j]
            counts[at] += 1
            low[at] = min(low[at], score)
            high[at] = max(high[at], score)


@compiled
def rank_features(scores: Array, bits: Array, table: Array, out: Array) -> None:
    """Write −log(rank/N), linear in the score within a bin; see `kernels.rank_features`."""
    b, p = scores.shape
    for r in range(b):
        for j in range(p):
            line, score = table[bin_of(bits[r, j])], scores[r, j]
            inside = min(max(score, line[0]), line[1])
            out[r, j] = line[2] + (inside - line[0]) * line[3]


@compiled
def add_trees(
    features: Array,
    roots: Array,
    depths: Array,
    split: Array,
    threshold: Array,
    left: Array,
    value: Array,
    out: Array,
) -> None:
    """Add the value of the leaf each row of features falls into, for every tree.

    Rows go down a tree side by side and without branches: a leaf leads to itself.
    """
    at = np.empty(TILE, np.int32)
    for begin in range(0, features.shape[0], TILE):
        size = min(TILE, features.shape[0] - begin)
        rows, total = features[begin : begin + size], out[begin : begin + size]
        for tree in range(roots.size):
            at[:size] = roots[tree]
            for _ in range(depths[tree]):
                for c in range(size):
                    node = at[c]
                    right = rows[c, split[node]] > threshold[node]
                    at[c] = left[node] + np.int32(right)
            for c in range(size):
                total[c] += value[at[c]]

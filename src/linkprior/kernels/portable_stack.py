"""Readable twins of the stack's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def bins_of(scores: Array) -> Array:
    """Return the upper 16 bits of float32 numbers, in an order that is that of the numbers."""
    bits = scores.view(np.uint32)
    negative = (bits & np.uint32(0x80000000)) != 0
    return np.where(negative, ~bits, bits | np.uint32(0x80000000)) >> np.uint32(16)


def count_bins(scores: Array, first: int, counts: Array, low: Array, high: Array) -> None:
    """Counts and ends of the bins, over the pairs j > i of a block."""
    b, p = scores.shape
    later = np.arange(p) > first + np.arange(b)[:, None]
    values, at = scores[later], bins_of(scores)[later]
    np.add.at(counts, at, 1)
    np.minimum.at(low, at, values)
    np.maximum.at(high, at, values)


def rank_features(scores: Array, table: Array, out: Array) -> None:
    """−log(rank/N), linear in the score within a bin."""
    lines = table[bins_of(scores)]
    inside = np.clip(scores, lines[..., 0], lines[..., 1])
    out[...] = lines[..., 2] + (inside - lines[..., 0]) * lines[..., 3]


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
    """The value of the leaf each row falls into, tree by tree."""
    rows = np.arange(len(features))
    for root, depth in zip(roots.tolist(), depths.tolist(), strict=True):
        node = np.full(len(features), root)
        for _ in range(depth):
            right = features[rows, split[node]] > threshold[node]
            node = left[node] + right
        out += value[node]

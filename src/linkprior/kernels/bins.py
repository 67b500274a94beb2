"""What the stack of models asks for: scores counted in bins, and ranks read from them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkprior.kernels._engine import Array, use_numba
from linkprior.kernels._jit import compiled

N_BINS = 1 << 16
ZERO = 1 << 15  # the bin of the score 0


class Bins(NamedTuple):
    """Pairs counted by the upper 16 bits of their score, with the ends of what each bin holds."""

    counts: Array
    low: Array
    high: Array

    @classmethod
    def empty(cls) -> Bins:
        """Return bins that hold nothing."""
        ends = np.full(N_BINS, np.inf, np.float32)
        return cls(np.zeros(N_BINS, np.int64), ends, -ends)

    def add(self, other: Bins) -> None:
        """Take in what other bins hold; the order does not matter."""
        self.counts[:] += other.counts
        np.minimum(self.low, other.low, out=self.low)
        np.maximum(self.high, other.high, out=self.high)


def count_bins(scores: Array, first: int) -> Bins:
    """Return the bins of the pairs j > i of a block of float32 scores with all p columns.

    Of scores that are not finite there are no bins: a `ValueError` says so.
    """
    bins, block = Bins.empty(), np.ascontiguousarray(scores, np.float32)
    b, p = block.shape
    if use_numba(p):
        finite = count_bins_numba(block, block.view(np.uint32), first, *bins)
    else:
        later = np.arange(p) > first + np.arange(b)[:, None]
        values = block[later]
        finite = bool(np.isfinite(values).all())
        if finite:
            values, at = values + np.float32(0.0), bins_of(values)
            np.add.at(bins.counts, at, 1)
            np.minimum.at(bins.low, at, values)
            np.maximum.at(bins.high, at, values)
    if not finite:
        raise ValueError("scores are not finite")
    return bins


def rank_features(scores: Array, table: Array) -> Array:
    """Return −log(rank/N) of a block of float32 scores.

    `table` has a line for each bin: the lowest and the highest score in it, the feature of the
    lowest, and the slope within the bin.
    """
    block, out = np.ascontiguousarray(scores, np.float32), np.empty(scores.shape, np.float32)
    if use_numba(block.shape[1]):
        rank_features_numba(block, block.view(np.uint32), table, out)
        return out
    lines = table[bins_of(block)]
    inside = np.clip(block, lines[..., 0], lines[..., 1])
    out[...] = lines[..., 2] + (inside - lines[..., 0]) * lines[..., 3]
    return out


def bins_of(scores: Array) -> Array:
    """Return the upper 16 bits of float32 numbers, in an order that is that of the numbers.

    −0 and 0 are the same score.
    """
    bits = (scores + np.float32(0.0)).view(np.uint32)
    negative = (bits & np.uint32(0x80000000)) != 0
    return np.where(negative, ~bits, bits | np.uint32(0x80000000)) >> np.uint32(16)


# ---------------------------------------------------------------------- compiled


@compiled
def bin_of(bits: Any) -> Any:
    """Return the upper 16 bits of a float32, in an order that is that of the numbers."""
    if bits == np.uint32(0x80000000):  # −0
        return np.uint32(ZERO)
    if bits & np.uint32(0x80000000):
        return (~bits) >> np.uint32(16)
    return (bits | np.uint32(0x80000000)) >> np.uint32(16)


@compiled
def count_bins_numba(
    scores: Array, bits: Array, first: int, counts: Array, low: Array, high: Array
) -> bool:
    """Count the pairs j > i of a block by bin, and keep the ends of what each bin holds.

    Return whether all scores are finite. Many are zero, which are counted apart.
    """
    b, p = scores.shape
    zeros, finite = 0, True
    for r in range(b):
        for j in range(first + r + 1, p):
            word, score = bits[r, j], scores[r, j]
            if score == np.float32(0.0):
                zeros += 1
                continue
            finite &= (word & np.uint32(0x7F800000)) != np.uint32(0x7F800000)
            at = bin_of(word)
            counts[at] += 1
            low[at] = min(low[at], score)
            high[at] = max(high[at], score)
    if zeros:
        counts[ZERO] += zeros
        low[ZERO] = min(low[ZERO], np.float32(0.0))
        high[ZERO] = max(high[ZERO], np.float32(0.0))
    return finite


@compiled
def rank_features_numba(scores: Array, bits: Array, table: Array, out: Array) -> None:
    """Write −log(rank/N), linear in the score within a bin; see `kernels.rank_features`."""
    b, p = scores.shape
    for r in range(b):
        for j in range(p):
            line, score = table[bin_of(bits[r, j])], scores[r, j]
            inside = min(max(score, line[0]), line[1])
            out[r, j] = line[2] + (inside - line[0]) * line[3]

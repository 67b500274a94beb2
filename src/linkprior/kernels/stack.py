"""What the stack of models asks for: scores counted in bins, ranks read from them, and trees."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.engine import engine_for

Array = NDArray[Any]
N_BINS = 1 << 16


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


class Trees(NamedTuple):
    """Boosted trees as arrays: one root and depth for each, and the nodes of all of them.

    A row whose feature `split` is above `threshold` goes to the node after `left`, else to `left`
    itself. A leaf leads to itself whatever the row, and alone has a value that counts.
    """

    roots: Array
    depths: Array
    split: Array
    threshold: Array
    left: Array
    value: Array


def count_bins(scores: Array, first: int) -> Bins:
    """Return the bins of the pairs j > i of a block of float32 scores with all p columns."""
    bins = Bins.empty()
    engine_for(scores.shape[1]).count_bins(_plain(scores), first, *bins)
    return bins


def rank_features(scores: Array, table: Array) -> Array:
    """Return −log(rank/N) of a block of float32 scores.

    `table` has a line for each bin: the lowest and the highest score in it, the feature of the
    lowest, and the slope within the bin.
    """
    out = np.empty(scores.shape, np.float32)
    engine_for(scores.shape[1]).rank_features(_plain(scores), table, out)
    return out


def add_trees(features: Array, trees: Trees, n_nodes: int) -> Array:
    """Return the sum of the leaves each row of features falls into, in float64."""
    out = np.zeros(len(features))
    engine_for(n_nodes).add_trees(np.ascontiguousarray(features, np.float32), *trees, out)
    return out


def _plain(scores: Array) -> Array:
    """Return scores as the kernels want them; −0 and 0 are the same score."""
    return np.ascontiguousarray(scores, np.float32) + np.float32(0.0)

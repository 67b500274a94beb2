"""Ranks of scores without sorting them: pairs counted in bins of the score's leading bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels import Bins

Array = NDArray[Any]
_NARROW = 1e-30  # a bin whose scores lie closer is one score


@dataclass(frozen=True)
class RankSketch:
    """How the scores of all pairs are distributed: what turns a score into −log(rank/N).

    Counting is exact and does not depend on the order of pairs. Within a bin, whose scores agree
    to one percent, ranks are taken to be spread evenly; one score alone in its bin has the middle
    rank of those who share it.

    Attributes
    ----------
    at, counts, low, high
        The bins that hold pairs, in ascending order: number, pairs, lowest and highest score.
    """

    at: Array
    counts: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, bins: Bins) -> Self:
        """Keep the bins that hold something."""
        at = np.flatnonzero(bins.counts)
        return cls(at.astype(np.int32), bins.counts[at], bins.low[at], bins.high[at])

    def arrays(self) -> dict[str, Array]:
        """Return what has to be kept."""
        return {name: getattr(self, name) for name in ("at", "counts", "low", "high")}

    def table(self) -> Array:
        """Return a line for every bin: lowest, highest score, feature of the lowest, slope."""
        from linkprior.kernels.trees import N_BINS

        counts = np.zeros(N_BINS, np.int64)
        counts[self.at] = self.counts
        above = np.cumsum(counts[::-1])[::-1] - counts
        total = max(1, int(counts.sum()))
        table = np.zeros((N_BINS, 4))
        table[:, 2] = -np.log((above + 1.0) / total)  # a score between others, in an empty bin
        table[self.at] = self._filled(above[self.at], total)
        return table.astype(np.float32)

    def _filled(self, above: Array, total: int) -> Array:
        low, high = self.low.astype(np.float64), self.high.astype(np.float64)
        best = -np.log((above + 1.0) / total)
        worst = -np.log((above + self.counts) / total)
        middle = -np.log((above + 0.5 * (self.counts + 1.0)) / total)
        wide = high - low > _NARROW
        slope = np.divide(best - worst, high - low, out=np.zeros(len(low)), where=wide)
        wide &= slope < np.finfo(np.float32).max
        slope[~wide] = 0.0
        return np.stack([low, high, np.where(wide, worst, middle), slope], axis=1)

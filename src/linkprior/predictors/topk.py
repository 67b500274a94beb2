"""The best pairs of all, from row blocks of scores, without holding the score matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels, parallel
from linkprior.network import Network
from linkprior.pairs import Ints

Rows = Callable[[int, int], NDArray[Any]]


class _Best:
    """The best k found so far; compressed only now and then, so that merging stays cheap."""

    def __init__(self, k: int) -> None:
        self.k, self.floor = k, -np.inf
        self._parts: list[tuple[Ints, Ints, NDArray[Any]]] = []
        self._waiting = 0

    def add(self, rows: Ints, cols: Ints, scores: NDArray[Any]) -> None:
        if len(rows):
            self._parts.append((rows, cols, scores))
            self._waiting += len(rows)
        if self._waiting > 2 * self.k:
            self.compress()

    def compress(self) -> tuple[Ints, Ints, NDArray[Any]]:
        if not self._parts:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
        rows, cols, scores = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        order = np.lexsort((cols, rows, -scores))[: self.k]
        best = rows[order], cols[order], scores[order]
        self._parts, self._waiting = [best], len(order)
        if len(order) == self.k:
            self.floor = float(best[2][-1])
        return best


def best_pairs(
    score_rows: Rows, net: Network, k: int, workers: int | None = None
) -> tuple[Ints, NDArray[np.float64]]:
    """Return the k best non-edges (i < j) and their scores, best first, ties by pair."""
    k = min(k, net.n_non_edges)
    if k == 0:
        return np.empty((0, 2), np.int64), np.empty(0)
    best, adjacency = _Best(k), net.adjacency

    def one_block(start: int, stop: int) -> tuple[Ints, Ints, NDArray[Any]]:
        # The floor comes from earlier rows only (results return in order), so a tie with it loses.
        return kernels.top_pairs(
            score_rows(start, stop), start, adjacency.indptr, adjacency.indices, k, best.floor
        )

    for found in parallel.map_blocks(one_block, net.n_nodes, workers):
        best.add(*found)
    rows, cols, scores = best.compress()
    return np.stack([rows, cols], axis=1), scores.astype(np.float64)

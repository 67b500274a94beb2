"""Metrics over all candidate pairs, by passes over row blocks; ties count by expectation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels, parallel, progress
from linkprior.evaluation.splits import Split
from linkprior.pairs import Ints
from linkprior.predictors.base import LinkPredictor

PERCENTS = (1, 2, 5, 10)


@dataclass(frozen=True)
class Places:
    """Where hidden edges stand: candidates above each, and tied with it (itself counted)."""

    above: Ints
    tied: Ints

    def chance_within(self, k: int) -> NDArray[np.float64]:
        """Return the chance of each hidden edge to be among the first k, ties broken at random."""
        return np.clip((k - self.above) / self.tied, 0.0, 1.0)


def places(model: LinkPredictor, split: Split) -> Places:
    """Rank the hidden edges among all candidates of the split, exactly, without a p × p array.

    The first pass reads the scores of hidden edges out of the same blocks the second pass counts
    in, so that a tie is a tie to the last bit.
    """
    with parallel.one_blas_thread(), progress.stage(total=2):
        with progress.part(1):
            scores = _hidden_scores(model, split)
        limits, which = np.unique(scores, return_inverse=True)
        above, tied = _counts(model, split, limits)
    return Places(above[which], tied[which])


def recall_at_percents(
    found: Places, split: Split, percents: Iterable[float] = PERCENTS
) -> dict[str, float]:
    """Return recall@x%: the share of hidden edges among the best x % of all pairs.

    Implements the measure of the paper's figures and of table `tbl:multiReleases`: as many pairs
    are predicted as x % of p(p−1)/2, none of them an observed edge.
    """
    shares = ((x, found.chance_within(round(x / 100.0 * split.n_pairs))) for x in percents)
    return {f"recall@{x:g}%": float(share.mean()) for x, share in shares}


def _block(model: LinkPredictor, split: Split, start: int, stop: int) -> NDArray[Any]:
    """Scores of a row block with the pairs of nodes that are no candidates at −∞."""
    block = model.score_rows(start, stop)
    barred = ~split.eligible
    if barred.any():
        block[:, barred] = -np.inf
        block[barred[start:stop]] = -np.inf
    return block


def _hidden_scores(model: LinkPredictor, split: Split) -> NDArray[np.float64]:
    rows, cols = split.hidden[:, 0], split.hidden[:, 1]

    def one_block(start: int, stop: int) -> NDArray[np.float64]:
        first, last = np.searchsorted(rows, [start, stop])
        if first == last:
            return np.empty(0)
        block = _block(model, split, start, stop)
        return block[rows[first:last] - start, cols[first:last]].astype(np.float64)

    return np.concatenate(list(parallel.map_blocks(one_block, split.train.n_nodes, stage="")))


def _counts(model: LinkPredictor, split: Split, limits: NDArray[np.float64]) -> tuple[Ints, Ints]:
    adjacency = split.train.adjacency

    def one_block(start: int, stop: int) -> tuple[Ints, Ints]:
        block = _block(model, split, start, stop)
        return kernels.count_above(block, start, adjacency.indptr, adjacency.indices, limits)

    above, tied = np.zeros(len(limits), np.int64), np.zeros(len(limits), np.int64)
    for more, equal in parallel.map_blocks(one_block, split.train.n_nodes, stage=""):
        above += more
        tied += equal
    return above, tied

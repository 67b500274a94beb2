"""The best pairs among nearby ones: found, scored and dropped in blocks of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.nearby.asking import NeighborCandidates
from linkprior.predictors.nearby.factors import FactorPartners
from linkprior.predictors.nearby.lists import Block, Lists, slices, united
from linkprior.predictors.nearby.sources import FarPartners, PathPartners
from linkprior.ranking.topk import Best, Found, first_pairs, refuse_too_many

_SCORED_AT_ONCE = 1 << 15  # pairs: models gather the factors of both ends
# Models that score a pair by itself. All others read it from a row: some partners of a node then
# cost as much as all, and are asked for by rows.
PAIRWISE = frozenset(
    [
        "tri",
        "tri-l1",
        "tri-scale",
        "tri-degree",
        "pu",
        "nuclear-degree",
        "pa",
        "cn",
        "aa",
        "ra",
        "jaccard",
        "dcsbm",
        "random",
    ]
)


def best_nearby(
    model: LinkPredictor, near: NeighborCandidates, k: int | None, threshold: float = -np.inf
) -> tuple[Ints, NDArray[np.float64]]:
    """Return the k best of the nearby pairs (i < j) and their scores, best first, ties by pair."""
    search = _Search(model, near)
    n = near.among.n_candidates
    # A pair may come from either of its ends, so twice at most.
    best = Best(2 * (n if k is None else min(k, n)))
    if best.k == 0:
        return np.empty((0, 2), np.int64), np.empty(0)
    for found in search.found(best, threshold):
        best.add(*found)
        if k is None:
            refuse_too_many(best.waiting // 2, threshold)
    rows, cols, scores = best.compress()
    pairs = np.stack([rows, cols], axis=1)
    _, at = np.unique(pr.encode(pairs, near.network.n_nodes), return_index=True)
    at = np.sort(at)[:k]
    return pairs[at], scores[at].astype(np.float64)


class _Search:
    """One pass over all nodes that have candidates."""

    def __init__(self, model: LinkPredictor, near: NeighborCandidates) -> None:
        self.model, self.near = model, near
        by_factors = near.kind == "knn"
        self.nearest = FactorPartners.of(near, model) if by_factors else PathPartners(near)
        self.remote = FarPartners(near)

    def found(self, best: Best, threshold: float) -> Iterator[Found]:
        """Yield the pairs of each block that are no worse than what is known already."""
        nodes = np.flatnonzero(self.near.among.cover)
        blocks = [Block(*one) for one in enumerate(self.nearest.blocks(nodes))]

        def one_block(block: Block) -> Found:
            # The floor may come from any rows, so a tie with it need not lose.
            floor = max(best.floor, threshold)
            lists = [source.lists(block, floor) for source in (self.nearest, self.remote)]
            partners = united(block, lists, self.near.among)
            return self._scored(block, partners, floor, best.k)

        return parallel.map_tasks(one_block, blocks, stage="ranking nearby pairs")

    def _scored(self, block: Block, lists: Lists, floor: float, k: int) -> Found:
        ends, partners = np.repeat(block.nodes, lists.counts), lists.partners.astype(np.int64)
        pairs = pr.ordered(np.stack([ends, partners], axis=1))
        scores = scores_of(self.model, ends, partners, pairs)
        kept = scores >= floor
        return first_pairs(pairs[kept, 0], pairs[kept, 1], scores[kept], k)


def scores_of(model: LinkPredictor, ends: Ints, partners: Ints, pairs: Ints) -> NDArray[Any]:
    """Return the scores of pairs that come node by node, with little memory."""
    if type(model).name in PAIRWISE:
        parts = [model._pairs(pairs[at]) for at in slices(len(pairs), _SCORED_AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty(0)
    scores = np.empty(len(pairs))
    height = parallel.blocks(model.network_.n_nodes)[0][1]
    nodes = np.unique(ends)
    for run in np.split(nodes, np.flatnonzero(np.diff(nodes) > 1) + 1):
        for start in range(int(run[0]), int(run[-1]) + 1, height) if len(run) else ():
            stop = min(start + height, int(run[-1]) + 1)
            own = slice(*np.searchsorted(ends, [start, stop]))
            scores[own] = model._rows(start, stop)[ends[own] - start, partners[own]]
    return scores

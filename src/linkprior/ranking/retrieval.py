"""The best pairs among some partners of each node: found, scored and dropped in blocks of nodes.

Partners come from short paths or from factors (`factor_index`), and from anywhere by degree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels, parallel
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.ranking.candidates import (
    ALLOWED,
    BLOCK,
    Block,
    Lists,
    NeighborCandidates,
    slices,
    united,
)
from linkprior.ranking.factor_index import FactorModel, FactorPartners
from linkprior.ranking.topk import Best, Found, first_pairs, refuse_too_many

STEPS = 1 << 17  # second and third steps of walks from a node at most: hubs are cut here
_NEAR_TO_FAR = 20  # one far partner is drawn for so many near ones


class Scorer(FactorModel, Protocol):
    """What retrieval asks of a fitted model."""

    # Whether a pair costs the same asked for alone as in a row. Where not, some partners of a node
    # cost as much as all, and are asked for by rows.
    scores_pairs_alone: ClassVar[bool]
    network_: Network

    def _rows(self, start: int, stop: int) -> NDArray[Any]: ...

    def _pairs(self, pairs: Ints) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class PathPartners:
    """The partners that most paths of length 3 lead to, weighted as by l3: Σ 1/√(k_u·k_v).

    From a node at most STEPS second steps and STEPS third steps are taken; where there are more,
    those through nodes that count most come first, so that a node costs no more, hub or not.
    """

    near: NeighborCandidates

    @cached_property
    def _weight(self) -> NDArray[np.float64]:
        return np.maximum(self.near.network.degrees, 1) ** -0.5

    def blocks(self, nodes: Ints) -> list[Ints]:
        """Cut nodes into blocks, as they come."""
        return [nodes[at] for at in slices(len(nodes), BLOCK)]

    def lists(self, block: Block, floor: float = -np.inf) -> Lists:
        """Return the partners of some nodes; their scores are not known yet."""
        a, among = self.near.network.adjacency, self.near.among
        found = kernels.l3_partners(
            (a.indptr, a.indices),
            self._weight,
            block.nodes,
            (among.barred.indptr, among.barred.indices),
            among.kinds,
            ALLOWED,
            min(self.near.partners, len(self._weight)),
            STEPS,
        )
        return Lists(*found)


@dataclass(frozen=True, eq=False)
class FarPartners:
    """Nodes anywhere, drawn by degree: one for every 20 partners, at least one.

    The nodes of the highest degrees, as many as partners are asked for, are partners of each other
    too: hubs without a short path between them would be found by luck only.
    """

    near: NeighborCandidates

    @cached_property
    def _hubs(self) -> Ints:
        most = np.argsort(-self.near.network.degrees, kind="stable")[: self.near.partners]
        return np.sort(most)

    def lists(self, block: Block, floor: float = -np.inf) -> Lists:
        """Return drawn partners of some nodes, and for hubs all hubs."""
        ends, b = self.near.network.adjacency.indices, len(block.nodes)
        rng = np.random.default_rng([self.near.seed, block.number])
        each = max(1, self.near.partners // _NEAR_TO_FAR)
        drawn = np.sort(ends[rng.integers(0, len(ends), (b, each))], axis=1)
        fresh = np.diff(drawn, axis=1, prepend=-1) != 0
        hubs = np.isin(block.nodes, self._hubs)
        counts = fresh.sum(axis=1) + len(self._hubs) * hubs
        rows = [
            np.append(row[new], self._hubs) if is_hub else row[new]
            for row, new, is_hub in zip(drawn, fresh, hubs, strict=True)
        ]
        return Lists(counts, np.concatenate(rows).astype(np.int64))


_SCORED_AT_ONCE = 1 << 15  # pairs: models gather the factors of both ends


def best_nearby(
    model: Scorer, near: NeighborCandidates, k: int | None, threshold: float = -np.inf
) -> tuple[Ints, NDArray[np.float64]]:
    """Return the k best of the nearby pairs (i < j) and their scores, best first, ties by pair."""
    by_factors = near.kind == "knn"
    nearest = FactorPartners.of(near, model) if by_factors else PathPartners(near)
    sources, among = (nearest, FarPartners(near)), near.among
    n = among.n_candidates
    # A pair may come from either of its ends, so twice at most.
    best = Best(2 * (n if k is None else min(k, n)))
    if best.k == 0:
        return np.empty((0, 2), np.int64), np.empty(0)

    def one_block(block: Block) -> Found:
        # The floor may come from any rows, so a tie with it need not lose.
        floor = max(best.floor, threshold)
        lists = united(block, [source.lists(block, floor) for source in sources], among)
        ends, partners = np.repeat(block.nodes, lists.counts), lists.partners.astype(np.int64)
        pairs = pr.ordered(np.stack([ends, partners], axis=1))
        scores = scores_of(model, ends, partners, pairs)
        kept = scores >= floor
        return first_pairs(pairs[kept, 0], pairs[kept, 1], scores[kept], best.k)

    blocks = [Block(*one) for one in enumerate(nearest.blocks(np.flatnonzero(among.cover)))]
    for found in parallel.map_tasks(one_block, blocks, stage="ranking nearby pairs"):
        best.add(*found)
        if k is None:
            refuse_too_many(best.waiting // 2, threshold)
    rows, cols, scores = best.compress()
    pairs = np.stack([rows, cols], axis=1)
    _, at = np.unique(pr.encode(pairs, near.network.n_nodes), return_index=True)
    at = np.sort(at)[:k]
    return pairs[at], scores[at].astype(np.float64)


def scores_of(model: Scorer, ends: Ints, partners: Ints, pairs: Ints) -> NDArray[Any]:
    """Return the scores of pairs that come node by node, with little memory."""
    if model.scores_pairs_alone:
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

"""Where partners come from: short paths, and far nodes drawn by degree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels
from linkprior.network.pairs import Ints
from linkprior.predictors.nearby.asking import NeighborCandidates
from linkprior.predictors.nearby.lists import BLOCK, Block, Lists, slices
from linkprior.ranking.candidates import ALLOWED

STEPS = 1 << 17  # second and third steps of walks from a node at most: hubs are cut here
_NEAR_TO_FAR = 20  # one far partner is drawn for so many near ones


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
    too: hubs without a short path between them would be asked about by chance only.
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

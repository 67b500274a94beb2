"""Peers that weigh paths of length 3 by what lies around them: L3N, CH2-L3 and MPS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkprior import kernels
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors import cost
from linkprior.predictors.base import Array, Learned
from linkprior.predictors.paths import PathPredictor, ends, reach, third_steps, walks

TIE_BREAK = 5e-7  # of a score: what the product of degrees may add at most


@dataclass(eq=False, kw_only=True)
class L3N(PathPredictor):
    """L3N′(f1): (|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)² over paths x–u–v–y.

    c counts common neighbours; U are the neighbours of x on such paths, V those of y (Yuen and
    Jansson 2023). The shares ask whether the nodes on the way have all the neighbours they would
    have if x and y belonged together.
    """

    name: ClassVar[str] = "l3n"

    def _source_rows(self, sources: Ints) -> Array:
        a = self.network_.adjacency
        return kernels.l3n_rows(a.indptr, a.indices, sources)

    def _row_effort(self, network: Network) -> float:
        per_row = cost.L3N_ROW * cost.entries(network)
        return cost.L3N_WALK * walks(network) + cost.L3N_END * ends(network) + per_row


@dataclass(eq=False, kw_only=True)
class CH2L3(PathPredictor):
    """CH2-L3: Σ √((1+i_u)(1+i_v)) / √((1+e_u)(1+e_v)) over paths x–u–v–y (Muscoloni et al. 2020).

    i counts a node's neighbours among all nodes on such paths, e those that are neither among them
    nor x or y. On an observed pair the four nodes of a path are different, too.
    """

    name: ClassVar[str] = "ch2-l3"

    def _remember(self, network: Network, learned: Learned) -> None:
        # Listed once, before threads ask for rows; not saved, as the network tells them all.
        a = network.adjacency
        self._cached_triangles = kernels.list_triangles(a.indptr, a.indices)
        super()._remember(network, learned)

    def _source_rows(self, sources: Ints) -> Array:
        a = self.network_.adjacency
        return kernels.ch2_rows(a.indptr, a.indices, self._cached_triangles, sources)

    def _row_effort(self, network: Network) -> float:
        a = network.adjacency
        starts, nodes = kernels.list_triangles(a.indptr, a.indices)
        marks = float(np.diff(starts) @ reach(network)[a.indices])
        seen = len(nodes) * third_steps(network) / max(1, len(a.indices))
        return (
            cost.CH2_WALK * walks(network)
            + cost.CH2_END * ends(network)
            + cost.CH2_ROW * cost.entries(network)
            + cost.CH2_MARK * marks
            + cost.CH2_TRIANGLE * seen
        )

    def _memory(self, network: Network, workers: int) -> float:
        a, d = network.adjacency, network.degrees
        starts, nodes = kernels.list_triangles(a.indptr, a.indices)
        beside = np.bincount(np.repeat(np.arange(len(d)), d)[np.diff(starts) > 0], minlength=1)
        per_worker = float(beside.max()) * network.n_nodes + 8.0 * len(a.indices)
        return 4.0 * len(nodes) + 8.0 * len(starts) + workers * per_worker


@dataclass(eq=False, kw_only=True)
class MPS(PathPredictor):
    """MPS(T): max_{v∈N(y)} J(N(x), N(v)) + max_{u∈N(x)} J(N(u), N(y)), J the Jaccard index.

    Is there a partner of y that x is like, and one of x that y is like? (Wang et al. 2023.) Neither
    x nor y is such a partner itself. Equal scores are ordered by k_x·k_y, which adds less than a
    millionth to each.
    """

    name: ClassVar[str] = "mps"

    def _source_rows(self, sources: Ints) -> Array:
        a, k = self.network_.adjacency, self.network_.degrees.astype(np.float64)
        rows = kernels.mps_rows(a.indptr, a.indices, sources)
        rows *= 1.0 + np.outer(TIE_BREAK / k.max() ** 2 * k[sources], k)
        return rows

    def _row_effort(self, network: Network) -> float:
        return cost.MPS_END * ends(network) + cost.MPS_ROW * cost.entries(network)

"""Peers that count paths of length 3 between the two nodes: what they share, and plain L3."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from linkprior import kernels, parallel
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors import cost
from linkprior.predictors.base import WEIGHTS, Array, Learned, LinkPredictor
from linkprior.predictors.cost import Effort
from linkprior.predictors.spaces import Space

_SPARSE = 8.0  # times as slow as the kernel are SciPy's products, which know confidences


@dataclass(eq=False, kw_only=True)
class PathPredictor(LinkPredictor):
    """Base of predictors whose rows come from one kernel, a row at a time.

    Pairs are read from the rows of their first nodes, so that they agree with rows to the last bit.
    """

    @abstractmethod
    def _source_rows(self, sources: Ints) -> Array:
        """Return the rows of some nodes, all different, as a fresh block."""

    def _fit(self, network: Network) -> Learned:
        return Learned()

    def _rows(self, start: int, stop: int) -> Array:
        return self._source_rows(np.arange(start, stop))

    def _pairs(self, pairs: Ints) -> Array:
        sources, at = np.unique(pairs[:, 0], return_inverse=True)
        order = np.argsort(at, kind="stable")
        begins = np.searchsorted(at[order], np.arange(len(sources) + 1))
        scores = np.empty(len(pairs))

        def read(block: tuple[int, int]) -> None:
            start, stop = block
            mine = order[begins[start] : begins[stop]]
            rows = self._source_rows(sources[start:stop])
            scores[mine] = rows[at[mine] - start, pairs[mine, 1]]

        height = parallel.blocks(self.network_.n_nodes)[0][1]
        for _ in parallel.map_tasks(read, parallel.blocks(len(sources), height)):
            pass
        return scores

    def _effort(self, network: Network) -> Effort:
        return Effort(0.0, self._row_effort(network) + cost.pick(network))

    @abstractmethod
    def _row_effort(self, network: Network) -> float:
        """Return the nominal work of all rows."""


def walks(network: Network) -> float:
    """Return the number of walks of length 3, in both directions."""
    d = network.degrees.astype(np.float64)
    return float(d @ (network.adjacency @ d))


def reach(network: Network) -> Array:
    """Return for each node how many are two steps away, at most."""
    two = network.adjacency @ network.degrees.astype(np.float64)
    return np.minimum(two, float(network.n_nodes))


def ends(network: Network) -> float:
    """Return how many ends walks of length 3 have, those through different first steps apart."""
    return float(network.degrees @ reach(network))


def third_steps(network: Network) -> float:
    """Return about how many steps are third ones when walks that meet go on as one.

    From each node there are as many at most as entries in the adjacency matrix.
    """
    a, d = network.adjacency, network.degrees.astype(np.float64)
    return float(np.minimum(a @ (a @ d), d.sum()).sum())


@dataclass(eq=False, kw_only=True)
class L3(PathPredictor):
    """L3: Σ 1/√(k_u·k_v) over paths i–u–v–j, i.e. A·D^-½·A·D^-½·A (Kovács et al. 2019)."""

    name: ClassVar[str] = "l3"
    summary_line: ClassVar[str] = "paths of length 3, weighted by degree (Kovács et al. 2019)"
    search_space: ClassVar[Space | None] = {}
    lighter: ClassVar[str] = "pa"
    supports: ClassVar[frozenset[str]] = WEIGHTS

    def _fit(self, network: Network) -> Learned:
        with np.errstate(divide="ignore"):
            weight = np.where(network.degrees > 0, network.strengths**-0.5, 0.0)
        return Learned({"weight": weight})

    def _source_rows(self, sources: Ints) -> Array:
        a, weight = self.network_.adjacency, self.learned_.arrays["weight"]
        if self.network_.known.weights is not None:
            return self._by_confidence(sources)
        return kernels.l3_rows(a.indptr, a.indices, weight, sources)

    def _by_confidence(self, sources: Ints) -> Array:
        """Return rows where a path counts as much as the product of its edges' confidences."""
        sure, weight = self.network_.confidence, self.learned_.arrays["weight"]
        first = sure[sources]
        first.data = first.data * weight[first.indices]
        second = sp.csr_array(first @ sure)
        second.data = second.data * weight[second.indices]
        rows: Array = sp.csr_array(second @ sure).toarray()
        return rows

    def _row_effort(self, network: Network) -> float:
        sparse = 1.0 if network.known.weights is None else _SPARSE
        return sparse * cost.WALK * third_steps(network)


TIE_BREAK = 5e-7  # of a score: what the product of degrees may add at most


@dataclass(eq=False, kw_only=True)
class L3N(PathPredictor):
    """L3N′(f1): (|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)² over paths x–u–v–y.

    c counts common neighbours; U are the neighbours of x on such paths, V those of y (Yuen and
    Jansson 2023). The shares ask whether the nodes on the way have all the neighbours they would
    have if x and y belonged together.
    """

    name: ClassVar[str] = "l3n"
    summary_line: ClassVar[str] = (
        "paths of length 3, normalized by neighbours (Yuen and Jansson 2023)"
    )
    search_space: ClassVar[Space | None] = {}

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
    summary_line: ClassVar[str] = "paths of length 3 within their community (Muscoloni et al. 2020)"
    search_space: ClassVar[Space | None] = {}

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
    summary_line: ClassVar[str] = "likeness to a partner of the other (Wang et al. 2023)"
    search_space: ClassVar[Space | None] = {}

    def _source_rows(self, sources: Ints) -> Array:
        a, k = self.network_.adjacency, self.network_.degrees.astype(np.float64)
        rows = kernels.mps_rows(a.indptr, a.indices, sources)
        rows *= 1.0 + np.outer(TIE_BREAK / k.max() ** 2 * k[sources], k)
        return rows

    def _row_effort(self, network: Network) -> float:
        return cost.MPS_END * ends(network) + cost.MPS_ROW * cost.entries(network)

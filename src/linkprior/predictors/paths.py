"""Peers that count paths of length 3 between the two nodes: what they share, and plain L3."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linkprior import kernels, parallel
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.base import WEIGHTS, Array, Learned, LinkPredictor
from linkprior.predictors.effort import Effort, amount


@dataclass(eq=False, kw_only=True)
class PathPredictor(LinkPredictor):
    """Base of predictors whose rows come from one kernel, a row at a time, or by columns.

    Pairs are read from the rows of their first nodes, so that they agree with rows to the last bit.
    """

    fit_time = {}

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


@dataclass(eq=False, kw_only=True)
class L3(PathPredictor):
    """L3: Σ 1/√(k_u·k_v) over paths i–u–v–j, i.e. A·D^-½·A·D^-½·A (Kovács et al. 2019)."""

    name = "l3"
    summary_line = "paths of length 3, weighted by degree (Kovács et al. 2019)"
    search_space = {}
    lighter = "pa"
    supports = WEIGHTS
    score_time = {"third_steps": 1.0, "entries": 1.5}

    def _fit(self, network: Network) -> Learned:
        with np.errstate(divide="ignore"):
            weight = np.where(network.degrees > 0, network.strengths**-0.5, 0.0)
        return Learned({"weight": weight})

    def _source_rows(self, sources: Ints) -> Array:
        a, weight = self.network_.adjacency, self.learned_.arrays["weight"]
        if self.network_.known.weights is None:
            return kernels.l3_rows(a.indptr, a.indices, weight, sources)
        # A path counts as much as the product of its edges' confidences.
        sure = self.network_.confidence
        first = sure[sources]
        first.data = first.data * weight[first.indices]
        second = sp.csr_array(first @ sure)
        second.data = second.data * weight[second.indices]
        rows: Array = sp.csr_array(second @ sure).toarray()
        return rows


TIE_BREAK = 5e-7  # of a score: what the product of degrees may add at most


@dataclass(eq=False, kw_only=True)
class L3N(PathPredictor):
    """L3N′(f1): (|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)² over paths x–u–v–y.

    c counts common neighbours; U are the neighbours of x on such paths, V those of y (Yuen and
    Jansson 2023). The shares ask whether the nodes on the way have all the neighbours they would
    have if x and y belonged together.
    """

    name = "l3n"
    summary_line = "paths of length 3, normalized by neighbours (Yuen and Jansson 2023)"
    search_space = {}
    score_time = {"three_steps": 2.7, "walk_ends": 3.5, "entries": 3.5}

    def _source_rows(self, sources: Ints) -> Array:
        a = self.network_.adjacency
        return kernels.l3n_rows(a.indptr, a.indices, sources)


@dataclass(eq=False, kw_only=True)
class CH2L3(PathPredictor):
    """CH2-L3: Σ √((1+i_u)(1+i_v)) / √((1+e_u)(1+e_v)) over paths x–u–v–y (Muscoloni et al. 2020).

    i counts a node's neighbours among all nodes on such paths, e those that are neither among them
    nor x or y. On an observed pair the four nodes of a path are different, too.
    """

    name = "ch2-l3"
    summary_line = "paths of length 3 within their community (Muscoloni et al. 2020)"
    search_space = {}
    score_time = {"three_steps": 3.0, "walk_ends": 7.0, "entries": 3.5}

    def _remember(self, network: Network, learned: Learned) -> None:
        # Listed once, before threads ask for rows; not saved, as the network tells them all.
        a = network.adjacency
        self._cached_triangles = kernels.list_triangles(a.indptr, a.indices)
        super()._remember(network, learned)

    def _source_rows(self, sources: Ints) -> Array:
        a = self.network_.adjacency
        return kernels.ch2_rows(a.indptr, a.indices, self._cached_triangles, sources)

    def _effort(self, network: Network) -> Effort:
        plain, a, d = super()._effort(network), network.adjacency, network.degrees
        starts, ends = kernels.list_triangles(a.indptr, a.indices)
        per_edge = np.diff(starts)
        reach = np.minimum(a @ d.astype(np.float64), float(network.n_nodes))
        seen = amount({"third_steps": len(ends) / len(a.indices)}, network)
        scores = plain.scores + 0.5 * float(per_edge @ reach[a.indices]) + 2.0 * seen
        beside = np.bincount(np.repeat(np.arange(len(d)), d)[per_edge > 0], minlength=1)
        each = float(beside.max()) * network.n_nodes + 8.0 * len(a.indices)  # for each thread
        held = 4.0 * len(ends) + 8.0 * len(starts) + parallel.current_workers() * each
        return Effort(plain.fit, scores, held)


@dataclass(eq=False, kw_only=True)
class MPS(PathPredictor):
    """MPS(T): max_{v∈N(y)} J(N(x), N(v)) + max_{u∈N(x)} J(N(u), N(y)), J the Jaccard index.

    Is there a partner of y that x is like, and one of x that y is like? (Wang et al. 2023.) Neither
    x nor y is such a partner itself. Equal scores are ordered by k_x·k_y, which adds less than a
    millionth to each.
    """

    name = "mps"
    summary_line = "likeness to a partner of the other (Wang et al. 2023)"
    search_space = {}
    score_time = {"walk_ends": 3.0, "entries": 4.5}

    def _source_rows(self, sources: Ints) -> Array:
        a, k = self.network_.adjacency, self.network_.degrees.astype(np.float64)
        rows = kernels.mps_rows(a.indptr, a.indices, sources)
        rows *= 1.0 + np.outer(TIE_BREAK / k.max() ** 2 * k[sources], k)
        return rows

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

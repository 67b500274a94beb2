"""Peers that count paths between the two nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from linkprior.network import Network
from linkprior.pairs import Ints
from linkprior.predictors import effort
from linkprior.predictors.base import Array, Learned, LinkPredictor
from linkprior.predictors.effort import Effort


@dataclass(eq=False, kw_only=True)
class L3(LinkPredictor):
    """L3: Σ 1/√(k_u·k_v) over paths i–u–v–j, i.e. A·D^-½·A·D^-½·A (Kovács et al. 2019)."""

    name: ClassVar[str] = "l3"

    def _learn(self, network: Network) -> Learned:
        with np.errstate(divide="ignore"):
            weight = np.where(network.degrees > 0, network.degrees.astype(np.float64) ** -0.5, 0.0)
        return Learned({"weight": weight})

    def _effort(self, network: Network) -> Effort:
        d, n = network.degrees.astype(np.float64), effort.entries(network)
        walks = min(float(d @ (network.adjacency @ d)), float(network.n_nodes) * d.sum())
        return Effort(n, effort.WALK * walks + effort.FORMULA * n + effort.pick(network))

    def _rows(self, start: int, stop: int) -> Array:
        a = self.network_.adjacency
        return (self._two_steps(np.arange(start, stop)) @ a).toarray()

    def _pairs(self, pairs: Ints) -> Array:
        a = self.network_.adjacency
        sources, at = np.unique(pairs[:, 0], return_inverse=True)
        half = self._two_steps(sources)
        return np.asarray(half[at].multiply(a[pairs[:, 1]]).sum(axis=1)).ravel()

    def _two_steps(self, nodes: Ints) -> sp.csr_array:
        """Rows of A·D^-½·A·D^-½."""
        a, w = self.network_.adjacency, sp.diags_array(self.learned_.arrays["weight"])
        return sp.csr_array(a[nodes] @ w @ a @ w)

"""Peers that use only the two nodes and their neighbours."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.base import WEIGHTS, Array, Learned, LinkPredictor

_AT_ONCE = 1 << 22  # neighbours looked at together when pairs are scored


@dataclass(eq=False, kw_only=True)
class PreferentialAttachment(LinkPredictor):
    """PA: kᵢ·kⱼ. What degree alone predicts; it belongs in every table."""

    name = "pa"
    summary_line = "product of the two degrees (Barabási and Albert 1999)"
    search_space = {}
    scores_pairs_alone = True
    lighter = ""
    supports = WEIGHTS

    def _fit(self, network: Network) -> Learned:
        return Learned({"degrees": network.strengths})

    def _rows(self, start: int, stop: int) -> Array:
        k = self.learned_.arrays["degrees"]
        return np.outer(k[start:stop], k)

    def _pairs(self, pairs: Ints) -> Array:
        k = self.learned_.arrays["degrees"]
        return k[pairs[:, 0]] * k[pairs[:, 1]]


@dataclass(eq=False, kw_only=True)
class SharedNeighbours(LinkPredictor):
    """Base: Σ w_z over the common neighbours z of the two nodes, i.e. A·diag(w)·A.

    Terms are added in order of z for rows and pairs alike, so both give the same bits and scores
    are symmetric to the last one. Where edges have confidences, a term counts as much as the
    product of those of its two edges, and degrees are sums of confidences.
    """

    search_space = {}
    supports = WEIGHTS
    scores_pairs_alone = True
    fit_time = {"nodes": 1.0}
    score_time = {"two_steps": 10.0, "entries": 2.2}

    @abstractmethod
    def _weights(self, degrees: Array) -> Array:
        """Return what each node counts for as a common neighbour."""

    def _score(self, shared: Array, first: Array, second: Array) -> Array:
        """Return scores from non-zero sums and the degrees of both nodes."""
        return shared

    def _fit(self, network: Network) -> Learned:
        degrees = network.strengths if self.supports else network.degrees.astype(np.float64)
        return Learned({"degrees": degrees, "weights": self._weights(degrees)})

    def _edges(self) -> sp.csr_array:
        """Return the edges with their confidences; ones for a model that ignores them."""
        return self.network_.confidence if self.supports else self.network_.adjacency

    def _rows(self, start: int, stop: int) -> Array:
        degrees, weights = (self.learned_.arrays[name] for name in ("degrees", "weights"))
        a = self._edges()
        half = a[start:stop]
        half.data = half.data * weights[half.indices]
        sums = sp.csr_array(half @ a)
        first = np.repeat(degrees[start:stop], np.diff(sums.indptr))
        sums.data = self._score(sums.data, first, degrees[sums.indices])
        return sums.toarray()

    def _pairs(self, pairs: Ints) -> Array:
        degrees, weights = (self.learned_.arrays[name] for name in ("degrees", "weights"))
        a, scores = self._edges(), np.empty(len(pairs))
        # Some pairs at a time, so that memory does not follow their number.
        reached = np.cumsum(degrees[pairs].sum(axis=1)) // _AT_ONCE
        for at in np.split(np.arange(len(pairs)), np.flatnonzero(np.diff(reached)) + 1):
            i, j = pairs[at].T
            scores[at] = a[i].multiply(a[j]).tocsr() @ weights
        some = scores > 0
        first, second = degrees[pairs[some]].T
        scores[some] = self._score(scores[some], first, second)
        return scores


@dataclass(eq=False, kw_only=True)
class CommonNeighbours(SharedNeighbours):
    """CN: the number of common neighbours (Liben-Nowell and Kleinberg 2003)."""

    name = "cn"
    summary_line = "number of common neighbours (Liben-Nowell and Kleinberg 2003)"

    def _weights(self, degrees: Array) -> Array:
        return np.ones(len(degrees))


@dataclass(eq=False, kw_only=True)
class AdamicAdar(SharedNeighbours):
    """AA: Σ 1/log k_z over common neighbours z (Adamic and Adar 2003)."""

    name = "aa"
    summary_line = "common neighbours, each 1/log of its degree (Adamic and Adar 2003)"

    def _weights(self, degrees: Array) -> Array:
        # A node with one neighbour is no common neighbour of any pair, and log 1 is 0.
        return np.where(degrees > 1, 1.0 / np.log(np.maximum(degrees, 2.0)), 0.0)


@dataclass(eq=False, kw_only=True)
class ResourceAllocation(SharedNeighbours):
    """RA: Σ 1/k_z over common neighbours z (Zhou, Lü and Zhang 2009)."""

    name = "ra"
    summary_line = "common neighbours, each 1/degree (Zhou, Lü and Zhang 2009)"

    def _weights(self, degrees: Array) -> Array:
        return 1.0 / np.maximum(degrees, 1.0)


@dataclass(eq=False, kw_only=True)
class Jaccard(CommonNeighbours):
    """Jaccard: common neighbours as a share of all neighbours of either node (Jaccard 1901)."""

    name = "jaccard"
    summary_line = "common neighbours as a share of all neighbours (Jaccard 1901)"
    supports = frozenset()  # shares of sets of neighbours

    def _score(self, shared: Array, first: Array, second: Array) -> Array:
        return shared / (first + second - shared)

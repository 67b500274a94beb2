"""Models of other libraries as predictors, to be judged on the same splits. Benchmarks only.

lp.evaluate([make_adapter("sklearn-nmf"), "pa"], net, "kfold:10", rule="all-nodes")
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior.network import Network
from linkprior.pairs import Ints
from linkprior.predictors.base import Learned, LinkPredictor

Array = NDArray[Any]


@dataclass(eq=False, kw_only=True)
class Products(LinkPredictor):
    """Scores that are ½(W·H + (W·H)ᵀ) of two factors: what a recommender makes of a network."""

    rank: int = 64
    iterations: int = 15
    seed: int = 0

    @abstractmethod
    def _factors(self, network: Network) -> tuple[Array, Array]:
        """Return W and Hᵀ, a row per node each."""

    def _learn(self, network: Network) -> Learned:
        left, right = self._factors(network)
        return Learned({"left": np.asarray(left), "right": np.asarray(right)})

    def _rows(self, start: int, stop: int) -> Array:
        left, right = self.learned_.arrays["left"], self.learned_.arrays["right"]
        return 0.5 * (left[start:stop] @ right.T + right[start:stop] @ left.T)

    def _pairs(self, pairs: Ints) -> Array:
        left, right = self.learned_.arrays["left"], self.learned_.arrays["right"]
        i, j = pairs.T
        return 0.5 * ((left[i] * right[j]).sum(axis=1) + (left[j] * right[i]).sum(axis=1))


@dataclass(eq=False, kw_only=True)
class SklearnNmf(Products):
    """scikit-learn's NMF of the adjacency matrix."""

    name: ClassVar[str] = "sklearn-nmf"
    iterations: int = 200

    def _factors(self, network: Network) -> tuple[Array, Array]:
        import warnings

        from sklearn.decomposition import NMF
        from sklearn.exceptions import ConvergenceWarning

        model = NMF(self.rank, init="nndsvda", max_iter=self.iterations, random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            left = model.fit_transform(sp.csr_matrix(network.adjacency))
        return left, model.components_.T


@dataclass(eq=False, kw_only=True)
class ImplicitAls(Products):
    """implicit's alternating least squares, edges with its usual confidence."""

    name: ClassVar[str] = "implicit-als"
    alpha: float = 40.0

    def _factors(self, network: Network) -> tuple[Array, Array]:
        from implicit.cpu.als import AlternatingLeastSquares

        model = AlternatingLeastSquares(
            factors=self.rank,
            iterations=self.iterations,
            alpha=self.alpha,
            random_state=self.seed,
            num_threads=1,
        )
        return _fitted(model, network)


@dataclass(eq=False, kw_only=True)
class ImplicitBpr(Products):
    """implicit's Bayesian personalised ranking."""

    name: ClassVar[str] = "implicit-bpr"
    iterations: int = 100

    def _factors(self, network: Network) -> tuple[Array, Array]:
        from implicit.cpu.bpr import BayesianPersonalizedRanking

        model = BayesianPersonalizedRanking(
            factors=self.rank, iterations=self.iterations, random_state=self.seed, num_threads=1
        )
        return _fitted(model, network)


def _fitted(model: Any, network: Network) -> tuple[Array, Array]:
    model.fit(sp.csr_matrix(network.adjacency).astype(np.float32), show_progress=False)
    return model.user_factors, model.item_factors


NETWORKX = {
    "networkx-jaccard": "jaccard_coefficient",
    "networkx-aa": "adamic_adar_index",
    "networkx-ra": "resource_allocation_index",
    "networkx-pa": "preferential_attachment",
}


def networkx_scores(kind: str, network: Network, pairs: Iterable[tuple[int, int]]) -> list[float]:
    """Return networkx's own scores of pairs; it gives one pair at a time."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(network.n_nodes))
    graph.add_edges_from(network.edges.tolist())
    return [score for _, _, score in getattr(nx, NETWORKX[kind])(graph, pairs)]


@dataclass(eq=False, kw_only=True)
class NetworkxIndex(LinkPredictor):
    """A neighbourhood index of networkx, pair by pair: small networks only."""

    name: ClassVar[str] = "networkx"
    kind: str = "networkx-ra"

    def _learn(self, network: Network) -> Learned:
        return Learned()

    def _pairs(self, pairs: Ints) -> Array:
        asked = [tuple(pair) for pair in pairs.tolist()]
        return np.array(networkx_scores(self.kind, self.network_, asked))

    def _rows(self, start: int, stop: int) -> Array:
        p = self.network_.n_nodes
        block = np.zeros((stop - start, p))
        for i in range(start, stop):
            others = [j for j in range(p) if j != i]
            block[i - start, others] = networkx_scores(
                self.kind, self.network_, [(i, j) for j in others]
            )
        return block


ADAPTERS = (SklearnNmf.name, ImplicitAls.name, ImplicitBpr.name, *NETWORKX)


def make_adapter(name: str, **params: Any) -> LinkPredictor:
    """Return the adapter called so."""
    if name in NETWORKX:
        return NetworkxIndex(kind=name, **params)
    adapters = {one.name: one for one in (SklearnNmf, ImplicitAls, ImplicitBpr)}
    return adapters[name](**params)

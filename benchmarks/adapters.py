"""Models of other libraries as predictors; all but networkx's are in `linkprior.experiments`.

lp.evaluate([make_adapter("sklearn-nmf"), "pa"], net, "kfold:10", rule="all-nodes")
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linkprior.experiments.models import make_peer
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.base import Learned, LinkPredictor

Array = NDArray[Any]

NETWORKX = {
    "networkx-jaccard": "jaccard_coefficient",
    "networkx-aa": "adamic_adar_index",
    "networkx-ra": "resource_allocation_index",
    "networkx-pa": "preferential_attachment",
}
ADAPTERS = ("sklearn-nmf", "implicit-als", "implicit-bpr", *NETWORKX)


def make_adapter(name: str, **params: Any) -> LinkPredictor:
    """Return the adapter called so."""
    if name in NETWORKX:
        return NetworkxIndex(kind=name, **params)
    return make_peer(name, **params)


def networkx_scores(kind: str, network: Network, pairs: Iterable[tuple[int, int]]) -> list[float]:
    """Return networkx's own scores of pairs; it gives one pair at a time."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(network.n_nodes))
    graph.add_edges_from(network.edges.tolist())
    return [score for _, _, score in getattr(nx, NETWORKX[kind])(graph, pairs)]


@dataclass(eq=False, kw_only=True)
class NetworkxIndex(LinkPredictor):
    """A neighbourhood index of networkx."""

    name: ClassVar[str] = "networkx"
    kind: str = "networkx-ra"

    def _fit(self, network: Network) -> Learned:
        return Learned()

    def _pairs(self, pairs: Ints) -> Array:
        asked = [(int(i), int(j)) for i, j in pairs.tolist()]
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

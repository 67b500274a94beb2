"""Models of other libraries as predictors; they live in `linkprior.benchmark`.

lp.evaluate([make_adapter("sklearn-nmf"), "pa"], net, "kfold:10", rule="all-nodes")
"""

from __future__ import annotations

from typing import Any

from linkprior.experiments.benchmark.external import make_peer
from linkprior.experiments.benchmark.networkx_indices import NETWORKX, NetworkxIndex
from linkprior.predictors.base import LinkPredictor

ADAPTERS = ("sklearn-nmf", "implicit-als", "implicit-bpr", *NETWORKX)


def make_adapter(name: str, **params: Any) -> LinkPredictor:
    """Return the adapter called so."""
    if name in NETWORKX:
        return NetworkxIndex(kind=name, **params)
    return make_peer(name, **params)

"""The hub promoted index (Ravasz et al. 2002), as a model that linkprior finds once installed."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkprior import LinkPredictor, Network
from linkprior.predictors.base import Learned
from linkprior.predictors.spaces import Axis


@dataclass(eq=False, kw_only=True)
class HubPromoted(LinkPredictor):
    """Shared neighbours as a share of those the node of smaller degree has.

    Parameters
    ----------
    shrink
        Added to the smaller degree; larger values trust nodes of small degree less.
    """

    name: ClassVar[str] = "hub-promoted"  # as in pyproject.toml
    search_space: ClassVar[dict[str, Axis]] = {"shrink": Axis(0.1, 10.0, (0.3, 1.0, 3.0))}
    shrink: float = 1.0

    def _fit(self, network: Network) -> Learned:
        return Learned({"degrees": network.degrees + float(self.shrink)})

    def _rows(self, start: int, stop: int) -> np.ndarray:
        a, degrees = self.network_.adjacency, self.learned_.arrays["degrees"]
        return (a[start:stop] @ a).toarray() / np.minimum.outer(degrees[start:stop], degrees)

    def _pairs(self, pairs: np.ndarray) -> np.ndarray:
        a, degrees = self.network_.adjacency, self.learned_.arrays["degrees"]
        shared = a[pairs[:, 0]].multiply(a[pairs[:, 1]]).sum(axis=1)
        return np.asarray(shared).ravel() / degrees[pairs].min(axis=1)

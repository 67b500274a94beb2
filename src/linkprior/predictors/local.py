"""Peers that look at the two nodes alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkprior.network import Network
from linkprior.pairs import Ints
from linkprior.predictors.base import Array, Learned, LinkPredictor


@dataclass(eq=False, kw_only=True)
class PreferentialAttachment(LinkPredictor):
    """PA: kᵢ·kⱼ. What degree alone predicts; it belongs in every table."""

    name: ClassVar[str] = "pa"

    def _learn(self, network: Network) -> Learned:
        return Learned({"degrees": network.degrees.astype(np.float64)})

    def _rows(self, start: int, stop: int) -> Array:
        k = self.learned_.arrays["degrees"]
        return np.outer(k[start:stop], k)

    def _pairs(self, pairs: Ints) -> Array:
        k = self.learned_.arrays["degrees"]
        return k[pairs[:, 0]] * k[pairs[:, 1]]

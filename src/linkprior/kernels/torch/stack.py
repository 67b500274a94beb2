"""The stack of `auto` on a device: products of factors, ranks of scores, and the sum of terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from linkprior.kernels.torch.ops import find_device, numpy_of


def rank_features(scores: Tensor, table: Tensor) -> Tensor:
    """Return what `kernels.rank_features` does, of float32 scores."""
    bits = (scores + 0.0).view(torch.int32)  # −0 and 0 are the same score
    at = torch.where(bits < 0, (~bits) >> 16, (bits >> 16) + (1 << 15))
    low, high, feature, slope = table[at].unbind(-1)
    return feature + (torch.minimum(torch.maximum(scores, low), high) - low) * slope


class DeviceStack:
    """Tables of all sources and `StackWeights` on a device: `kernels.stack_sums` there."""

    def __init__(self, tables: Sequence[Any], weights: Any, device: str) -> None:
        self._device = find_device(device)
        self._tables = [torch.as_tensor(table).to(self._device) for table in tables]
        self._levels, self._own, self._crossed, self._with_degrees = (
            self._put(one)
            for one in (weights.with_levels, weights.own, weights.crossed, weights.with_degrees)
        )
        self._curves, self._degrees = weights.curves.tolist(), weights.degrees.tolist()
        self._bends, self._clip = weights.bends.tolist(), float(weights.clip)
        self._right: dict[int, Tensor] = {}  # factors of all nodes, by source

    def block(
        self,
        scores: Sequence[Any],
        start: int,
        logs: Any,
        degree_terms: Callable[[Any, Any], Sequence[Any]],
    ) -> Any:
        """Return the log-odds of a block from the sources' scores (rows, p), or from their factors.

        `degree_terms` returns what is said of two nodes with these logarithms of their degrees.
        """
        features = torch.stack([
            rank_features(self._scores(at, one), table).clamp(-self._clip, self._clip)
            for at, (one, table) in enumerate(zip(scores, self._tables, strict=True))
        ])  # fmt: skip
        rows, all_logs = slice(start, start + features.shape[1]), self._put(logs)
        total = self._own[rows, None] + self._own
        terms = torch.stack(list(degree_terms(all_logs[rows, None], all_logs)))
        for term, weight in zip(terms, self._degrees, strict=True):
            total += weight * term
        for one, (weight, *above) in zip(features, self._curves, strict=True):
            total += weight * one
            for bend, bent in zip(self._bends, above, strict=True):
                total += bent * (one - bend).clamp(min=0.0)
        high = (features - self._bends[0]).clamp(min=0.0)
        for at, one in enumerate(high):
            slope = self._levels[at, rows, None] + self._levels[at]
            slope += torch.tensordot(self._with_degrees[at], terms, 1)
            if at:
                slope += torch.tensordot(self._crossed[at, :at], high[:at], 1)
            total += one * slope
        return numpy_of(total)

    def _scores(self, at: int, given: Any) -> Tensor:
        if not isinstance(given, tuple):
            return self._put(given)
        left, right = given
        if at not in self._right:
            self._right[at] = self._put(right).T
        return self._put(left) @ self._right[at]

    def _put(self, array: Any) -> Tensor:
        return torch.as_tensor(np.ascontiguousarray(array, np.float32)).to(self._device)

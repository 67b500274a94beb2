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
    """Weights of all terms and tables of all sources on a device; `auto.stack` says what they are.

    `sums` are (source, bend, weight), where bend None is the feature itself; `crossed` are (source,
    source, weight) of products above the bend `least`; `degrees` weigh what `of_degrees` returns.
    """

    def __init__(
        self,
        tables: Sequence[Any],
        sums: Sequence[tuple[int, float | None, float]],
        crossed: Sequence[tuple[int, int, float]],
        degrees: Sequence[float],
        of_degrees: Callable[[Any, Any], list[Any]],
        intercept: float,
        least: float,
        clip: float,
        device: str,
    ) -> None:
        self._device = find_device(device)
        self._tables = [torch.as_tensor(table).to(self._device) for table in tables]
        self._sums, self._crossed = sums, crossed
        self._degrees, self._of_degrees = degrees, of_degrees
        self._right: dict[int, Tensor] = {}  # factors of all nodes, by source
        self._intercept, self._least, self._clip = intercept, least, clip

    def block(self, scores: Sequence[Any], a: Any, b: Any) -> Any:
        """Return the log-odds of a block from the sources' scores (rows, p), or from their factors.

        `a` and `b` are the logarithms of the degrees of the rows' and of the columns' nodes.
        """
        features = [
            rank_features(self._scores(at, one), table).clamp(-self._clip, self._clip)
            for at, (one, table) in enumerate(zip(scores, self._tables, strict=True))
        ]
        total = torch.full_like(features[0], self._intercept)
        for at, bend, weight in self._sums:
            term = features[at] if bend is None else (features[at] - bend).clamp(min=0.0)
            total += weight * term
        high = [(one - self._least).clamp(min=0.0) for one in features]
        for one, other, weight in self._crossed:
            total += weight * (high[one] * high[other])
        rows, columns = self._put(a), self._put(b)
        terms = self._of_degrees(rows[:, None], columns[None, :])
        for term, weight in zip(terms, self._degrees, strict=True):
            total += weight * term
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

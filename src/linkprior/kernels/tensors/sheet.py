"""Scores of all pairs on a device: products of factors, less penalties read from rank tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from linkprior.kernels.tensors.lookup import pair_penalty, penalised, weights_at

_BISECTIONS = 40


@dataclass(frozen=True)
class ScoreBlocks:
    """Scores left·rightᵀ (symmetric), penalised by as many passes as there are tables.

    Attributes
    ----------
    left, right
        (p, r) factors, float32.
    scale, weights
        (p,) and (m,): the rank weights scale_i·weights_k at the knots of the tables.
    tables
        Each (p, m): descending scores of every row after the passes before.
    """

    left: torch.Tensor
    right: torch.Tensor
    scale: torch.Tensor
    weights: torch.Tensor
    tables: Sequence[torch.Tensor] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.left)

    def products(self, rows: torch.Tensor, begin: int = 0) -> torch.Tensor:
        """Return left·rightᵀ at these rows, columns from `begin` on, with −∞ on the diagonal."""
        block = self.left[rows] @ self.right[begin:].T
        here = torch.arange(len(rows), device=rows.device)
        inside = rows >= begin
        block[here[inside], rows[inside] - begin] = -torch.inf
        return block

    def block(self, rows: torch.Tensor, begin: int = 0) -> torch.Tensor:
        """Return penalised scores at these rows, columns from `begin` on."""
        base = found = self.products(rows, begin)
        for table in self.tables:
            own, others = (table[rows], self.scale[rows]), (table[begin:], self.scale[begin:])
            found = penalised(base, found, own, others, self.weights)
        return found

    def pairs(self, base: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
        """Return penalised scores of single pairs, given their products."""
        found = base
        for table in self.tables:
            found = base - pair_penalty(found, (i, j), table, self.scale, self.weights)
        return found

    def cuts(self, floor: float) -> torch.Tensor:
        """Return for each node a product that a pair must exceed if its score is to reach `floor`.

        Scores rise with products, and fall with the other node's penalty, of which the least is
        taken; so the bound is found by bisection between the least and the largest penalty.
        """
        if not self.tables:
            return torch.full_like(self.scale, floor)
        least = 0.5 * self.scale.min() * self.weights[0]
        low = floor + 0.5 * self.scale * self.weights[0] + least
        high = floor + 0.5 * (self.scale + self.scale.max()) * self.weights[-1]
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            reaches = self._at_best(middle, least) >= floor
            low, high = torch.where(reaches, low, middle), torch.where(reaches, middle, high)
        return low - 1e-6 * (low.abs() + high.abs())  # rounding

    def _at_best(self, base: torch.Tensor, least: torch.Tensor) -> torch.Tensor:
        found = base
        for table in self.tables:
            own = weights_at(found[:, None], table, self.weights)[:, 0]
            found = base - (0.5 * self.scale * own + least)
        return found

"""The best pairs by exact ranks: bounds leave a superset, whose ranks are then counted.

Score = product − ½(scale_i·h(rank of j in row i) + scale_j·h(rank of i in row j)), one pass. Knots
bound the rank of any score in its row, hence its penalty from both sides. Pairs whose upper bound
reaches the k-th best lower bound make the superset; one more pass over all products counts how many
entries of both rows lie above each of them. Scores that tie get the middle of the tie's weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from linkprior.kernels.tensors.best import Barred, Found, TopKFilter, first_floor
from linkprior.kernels.tensors.counting import counts
from linkprior.kernels.tensors.memory import block_rows, in_blocks
from linkprior.kernels.tensors.sheet import ScoreBlocks

_BYTES = 12.0  # per entry of a block
_AT_ONCE = 1 << 19
_TRIES = 4


@dataclass(frozen=True)
class Bounds:
    """What is known of ranks in every row.

    Attributes
    ----------
    values
        (p, m) descending scores.
    low, high
        (p, m) rank weights: at least `low` for a score below `values`, at most `high` for one
        above.
    first, last
        The least and the largest weight of all.
    """

    values: torch.Tensor
    low: torch.Tensor
    high: torch.Tensor
    first: float
    last: float

    def of(self, scores: torch.Tensor, nodes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the least and the largest weight that scores may have in the rows of nodes."""
        parts = [
            self._of(scores[at : at + _AT_ONCE], nodes[at : at + _AT_ONCE])
            for at in range(0, max(1, len(scores)), _AT_ONCE)
        ]
        return torch.cat([low for low, _ in parts]), torch.cat([high for _, high in parts])

    def _of(self, scores: torch.Tensor, nodes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        m, rising, asked = self.values.shape[1], -self.values[nodes], -scores[:, None]
        above = torch.searchsorted(rising, asked)
        reached = torch.searchsorted(rising, asked, right=True)
        low = self.low[nodes].gather(1, (above - 1).clamp(min=0))
        high = self.high[nodes].gather(1, reached.clamp(max=m - 1))
        low, high = (
            torch.where(above > 0, low, self.first),
            torch.where(reached < m, high, self.last),
        )
        return low[:, 0], high[:, 0]


def exact_best(
    sheet: ScoreBlocks, bounds: Bounds, profile: torch.Tensor, barred: Barred, k: int
) -> Found:
    """Return the k best candidates by exact ranks, in no order (ties with the last one stay)."""
    floor = first_floor([sheet], k)
    for _ in range(_TRIES):
        (i, j, base), reached = superset(sheet, bounds, barred, k, floor)
        if reached >= floor or floor == -math.inf:
            break
        floor = reached if reached > -math.inf else -math.inf
    weights = exact_weights(sheet, profile, torch.cat([i, j]), torch.cat([j, i]), base.repeat(2))
    penalty = 0.5 * (sheet.scale[i] * weights[: len(i)] + sheet.scale[j] * weights[len(i) :])
    sieve = TopKFilter(k, -math.inf)
    sieve.add(i, j, base - penalty)
    return sieve.sift()


def superset(
    sheet: ScoreBlocks, bounds: Bounds, barred: Barred, k: int, floor: float
) -> tuple[Found, float]:
    """Return pairs that hold the k best, with their products, and the k-th best lower bound.

    It holds them for sure if that bound is at least `floor`.
    """
    p, device = len(sheet), sheet.left.device

    def run(height: int) -> tuple[Found, float]:
        parts: list[Found] = []
        sieve = TopKFilter(k, -math.inf)
        known, cuts = math.nan, torch.empty(0)
        for begin in range(0, p, height):
            at_least = max(floor, sieve.floor)
            if at_least != known:
                known, cuts = at_least, _cuts(sheet, bounds, at_least)
            found, lower, upper = _bounded(sheet, bounds, barred, cuts, begin, height)
            kept = upper >= known
            i, j, base = (one[kept] for one in found)
            parts.append((i, j, base))
            sieve.add(i, j, lower[kept])
        lowest = sieve.sift()[2]
        reached = float(lowest.min()) if len(lowest) >= k else -math.inf
        i, j, base = (torch.cat(part) for part in zip(*parts, strict=True))
        upper = base - _penalty(sheet, bounds, (i, j), base)[0]
        kept = upper >= max(reached, floor)
        return (i[kept], j[kept], base[kept]), reached

    return in_blocks(run, block_rows(p, _BYTES, device))


def _bounded(
    sheet: ScoreBlocks, bounds: Bounds, barred: Barred, cuts: torch.Tensor, begin: int, height: int
) -> tuple[Found, torch.Tensor, torch.Tensor]:
    """Return candidates of a block that exceed the cuts, and bounds of their scores."""
    p, device = len(sheet), sheet.left.device
    rows = torch.arange(begin, min(p, begin + height), device=device)
    block = sheet.products(rows, begin)
    mask = block >= cuts[rows, None]
    mask &= block >= cuts[None, begin:]
    here = torch.arange(len(rows), device=device)
    mask[:, : len(rows)] &= here[None, :] > here[:, None]
    at, column = mask.nonzero(as_tuple=True)
    i, j, base = at + begin, column + begin, block[at, column]
    allowed = barred.allows(i, j)
    i, j, base = i[allowed], j[allowed], base[allowed]
    least, most = _penalty(sheet, bounds, (i, j), base)
    return (i, j, base), base - most, base - least


def _penalty(
    sheet: ScoreBlocks, bounds: Bounds, ends: tuple[torch.Tensor, torch.Tensor], base: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the least and the largest penalty of pairs."""
    (low_i, high_i), (low_j, high_j) = (bounds.of(base, nodes) for nodes in ends)
    gi, gj = (0.5 * sheet.scale[nodes] for nodes in ends)
    return gi * low_i + gj * low_j, gi * high_i + gj * high_j


def _cuts(sheet: ScoreBlocks, bounds: Bounds, floor: float) -> torch.Tensor:
    """Return for each node a product that a pair must reach if its upper bound is to reach floor.

    Where the weight is at least low_k, the product must be floor + penalty: the least product that
    is consistent with its own place among the knots is taken.
    """
    if floor == -math.inf:
        return torch.full_like(sheet.scale, floor)
    other = 0.5 * sheet.scale.min() * bounds.first
    weights = torch.cat([torch.full_like(bounds.low[:, :1], bounds.first), bounds.low], 1)
    needed = floor + other + 0.5 * sheet.scale[:, None] * weights  # in each gap between knots
    top = torch.cat([torch.full_like(needed[:, :1], math.inf), bounds.values], 1)
    bottom = torch.cat([bounds.values, torch.full_like(needed[:, :1], -math.inf)], 1)
    possible = torch.where(needed < top, torch.maximum(needed, bottom), math.inf)
    found = possible.min(dim=1).values
    return found - 1e-6 * (found.abs() + abs(floor))  # rounding


def exact_weights(
    sheet: ScoreBlocks,
    profile: torch.Tensor,
    nodes: torch.Tensor,
    partners: torch.Tensor,
    scores: torch.Tensor,
) -> torch.Tensor:
    """Return the weight of each partner's exact rank in its node's row."""
    order = torch.argsort(scores, descending=True, stable=True)
    order = order[torch.argsort(nodes[order], stable=True)]
    asked, lengths = torch.unique_consecutive(nodes[order], return_counts=True)
    ends = torch.cumsum(lengths, 0)
    out = torch.empty_like(scores)

    def run(height: int) -> torch.Tensor:
        for some in torch.arange(len(asked), device=nodes.device).split(height):
            begin, end = int(ends[some[0]] - lengths[some[0]]), int(ends[some[-1]])
            here = order[begin:end]
            starts = torch.cat([ends[some] - lengths[some], ends[some[-1:]]]) - begin
            block, given = sheet.products(asked[some]), scores[here]
            above, reached = counts(block, given, starts)
            row = torch.repeat_interleave(some - some[0], lengths[some])
            own = block[row, partners[here]]  # not to be counted, whatever rounding made of it
            first = above - (own > given).long()
            last = reached - (own >= given).long()
            out[here] = 0.5 * (profile[first] + profile[last.clamp(max=len(profile) - 1)])
        return out

    return in_blocks(run, block_rows(len(sheet), _BYTES, sheet.left.device))

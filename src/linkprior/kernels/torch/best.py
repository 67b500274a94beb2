"""The best pairs of all on a device, without holding more than a block of them: arrays in and out.

By scores: pairs whose product of factors cannot reach the floor are passed over; the rest, few, are
scored one by one. The floor begins where a sample of rows says, and rises.

By exact ranks: score = product − ½(scale_i·h(rank of j in row i) + scale_j·h(rank of i in row j)),
one pass. Knots bound the rank of any score in its row, hence its penalty from both sides. Pairs
whose upper bound reaches the k-th best lower bound make a superset; one more pass over all products
counts how many entries of both rows lie above each of them. Ties get the middle of their weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from linkprior.kernels.torch.ops import block_rows, find_device, in_blocks, numpy_of, require
from linkprior.kernels.torch.rank_tables import Bounds, bounds_of, counts, with_tables
from linkprior.kernels.torch.scores import ScoreBlocks

Array = NDArray[Any]
Found = tuple[Tensor, Tensor, Tensor]
Layer = tuple[Array, Array, Sequence[Array] | Array]  # left, right; rank tables over left·rightᵀ

_BLOCKS = 1e9  # bytes a block should have at least, besides what is held
_BYTES = 16.0  # per entry of a block: its product, penalised score and masks
_EXACT_BYTES = 12.0  # per entry of a block
_SAMPLED_ROWS, _SLACK = 4096, 1.5
_FULL = 4  # times as many pairs as wanted are collected before they are sifted
_TRIES = 4


def rank_tables(
    layer: Layer, scale: Array, profile: Array, ranks: Array, passes: int, device: str
) -> NDArray[np.float32]:
    """Return the tables (passes, p, knots): those the layer has, and the ones after them."""
    where = find_device(device)
    matrix = _score_blocks([layer], scale, profile[ranks], where, passes)[0]
    tables = with_tables(matrix, _put(ranks, where, torch.int64), passes)
    return np.stack([numpy_of(table) for table in tables.tables])


def best_pairs(
    layers: Sequence[Layer],
    scale: Array,
    weights: Array,
    barred: Array,
    k: int,
    threshold: float,
    device: str,
) -> tuple[Array, Array]:
    """Return the k best pairs (n, 2), i < j, and their mean scores, in no order.

    `barred` holds sorted codes i·p + j of pairs that are not candidates. More than k pairs come
    where the last ones tie.
    """
    where = find_device(device)
    matrices = _score_blocks(layers, scale, weights, where)
    never = Barred(_put(barred, where, torch.int64), len(matrices[0]))
    return _answer(best_candidates(matrices, never, k, threshold))


def exact_pairs(
    layer: Layer, scale: Array, profile: Array, ranks: Array, barred: Array, k: int, device: str
) -> tuple[Array, Array]:
    """Return the k best pairs by exact ranks, as `best_pairs` does; the layer has one table."""
    where = find_device(device)
    matrix = _score_blocks([layer], scale, profile[ranks], where, 3)[0]
    never = Barred(_put(barred, where, torch.int64), len(matrix))
    weights = _put(profile, where)
    _, bounds = bounds_of(matrix, _put(ranks, where, torch.int64), weights)
    return _answer(exact_best(matrix, bounds, weights, never, k))


def _score_blocks(
    layers: Sequence[Layer], scale: Array, weights: Array, device: torch.device, passes: int = 0
) -> list[ScoreBlocks]:
    width = sum(left.shape[1] + right.shape[1] for left, right, _ in layers)
    held = sum(max(passes, len(tables)) for *_, tables in layers) * len(weights)
    require(4.0 * len(scale) * (width + 2 * held) + _BLOCKS, "scoring all pairs", device)
    shared = _put(scale, device), _put(weights, device)
    return [
        ScoreBlocks(
            _put(left, device),
            _put(right, device),
            *shared,
            [_put(table, device) for table in tables],
        )
        for left, right, tables in layers
    ]


def _put(array: Array, device: torch.device, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.as_tensor(np.array(array), dtype=dtype, device=device)


def _answer(best: Found) -> tuple[Array, Array]:
    i, j, scores = (numpy_of(one) for one in best)
    return np.stack([i, j], axis=1).astype(np.int64), scores


@dataclass
class TopKFilter:
    """The best k pairs found so far; `floor` is what a further one has to reach."""

    k: int
    floor: float
    _parts: list[Found] = field(default_factory=list)
    _held: int = 0

    def add(self, i: Tensor, j: Tensor, scores: Tensor) -> bool:
        """Take pairs; return whether the floor rose."""
        kept = scores >= self.floor
        self._parts.append((i[kept], j[kept], scores[kept]))
        self._held += len(self._parts[-1][2])
        before = self.floor
        if self._held > _FULL * self.k:
            self.sift()
        return self.floor > before

    def sift(self) -> Found:
        """Drop what is below the k-th best, and return the rest (ties with it stay)."""
        i, j, scores = (torch.cat(part) for part in zip(*self._parts, strict=True))
        if len(scores) > self.k:
            self.floor = float(torch.topk(scores, self.k, sorted=True).values[-1])
            kept = scores >= self.floor
            i, j, scores = i[kept], j[kept], scores[kept]
        self._parts, self._held = [(i, j, scores)], len(scores)
        return i, j, scores


@dataclass(frozen=True)
class Barred:
    """Pairs i < j that are not candidates, as sorted codes i·p + j."""

    codes: Tensor
    p: int

    def allows(self, i: Tensor, j: Tensor) -> Tensor:
        """Return which pairs are candidates."""
        if not len(self.codes):
            return torch.ones_like(i, dtype=torch.bool)
        asked = i * self.p + j
        at = torch.searchsorted(self.codes, asked).clamp(max=len(self.codes) - 1)
        return self.codes[at] != asked


def best_candidates(
    matrices: Sequence[ScoreBlocks], barred: Barred, k: int, threshold: float = -math.inf
) -> Found:
    """Return the k best candidates by the mean of all matrices, ties with the last, in no order."""
    floor = first_floor(matrices, k)
    best = _sifted(matrices, barred, k, max(floor, threshold))
    if len(best[2]) < k and floor > threshold:  # the sample promised too much
        best = _sifted(matrices, barred, k, threshold)
    return best


def _sifted(matrices: Sequence[ScoreBlocks], barred: Barred, k: int, floor: float) -> Found:
    device, p = matrices[0].left.device, len(matrices[0])
    rows = block_rows(p, _BYTES + 4.0 * len(matrices), device)
    if floor == -math.inf:  # every pair is looked at: 40 bytes each
        rows = max(1, rows // 4)

    def run(height: int) -> Found:
        best = TopKFilter(k, floor)
        cuts = matrices[0].cuts(floor)
        for begin in range(0, p, height):
            if len(matrices) > 1:
                rows = torch.arange(begin, min(p, begin + height), device=device)
                block = mean_block(matrices, rows, begin)
                best.add(*_chosen(block, block >= best.floor, barred, begin))
                continue
            i, j, base = _reaching(matrices[0], cuts, barred, begin, height)
            if best.add(i, j, matrices[0].pairs(base, i, j)):
                cuts = matrices[0].cuts(best.floor)
        return best.sift()

    return in_blocks(run, rows)


def _reaching(matrix: ScoreBlocks, cuts: Tensor, barred: Barred, begin: int, height: int) -> Found:
    """Return candidates of a block whose products reach the cuts of both nodes, with these."""
    rows = torch.arange(begin, min(len(matrix), begin + height), device=matrix.left.device)
    block = matrix.products(rows, begin)
    mask = block >= cuts[rows, None]
    mask &= block >= cuts[None, begin:]
    return _chosen(block, mask, barred, begin)


def _chosen(block: Tensor, mask: Tensor, barred: Barred, begin: int) -> Found:
    """Return candidates i < j of a block where the mask says so, and what the block holds there."""
    here = torch.arange(len(block), device=block.device)
    mask[:, : len(block)] &= here[None, :] > here[:, None]
    at, column = mask.nonzero(as_tuple=True)
    i, j, scores = at + begin, column + begin, block[at, column]
    allowed = barred.allows(i, j)
    return i[allowed], j[allowed], scores[allowed]


def mean_block(matrices: Sequence[ScoreBlocks], rows: Tensor, begin: int = 0) -> Tensor:
    """Return the mean of all matrices' blocks."""
    total = matrices[0].block(rows, begin)
    for matrix in matrices[1:]:
        total += matrix.block(rows, begin)
    return total / len(matrices)


def first_floor(matrices: Sequence[ScoreBlocks], k: int) -> float:
    """Return a score that about 1.5·k pairs reach, by a sample of rows; −∞ where k is too large.

    A pair is seen from either end, so a share f of the rows shows 2·f·k of the best k.
    """
    p, device = len(matrices[0]), matrices[0].left.device
    drawn = torch.randperm(p, generator=torch.Generator().manual_seed(1))
    rows = drawn[: min(p, _SAMPLED_ROWS)].to(device)
    wanted = math.ceil(2.0 * _SLACK * k * len(rows) / p) + 16
    each = min(p - 1, 4 * math.ceil(wanted / len(rows)) + 64)
    height = max(1, block_rows(p, _BYTES + 4.0 * len(matrices), device) // 2)
    tops = [
        torch.topk(mean_block(matrices, some, 0), each, dim=1, sorted=False).values.reshape(-1)
        for some in rows.split(height)
    ]
    top_scores = torch.cat(tops)
    if wanted > len(top_scores):
        return -math.inf
    return float(torch.topk(top_scores, wanted).values[-1])


def exact_best(
    matrix: ScoreBlocks, bounds: Bounds, profile: Tensor, barred: Barred, k: int
) -> Found:
    """Return the k best candidates by exact ranks, in no order (ties with the last one stay)."""
    floor = first_floor([matrix], k)
    for _ in range(_TRIES):
        (i, j, base), reached = superset(matrix, bounds, barred, k, floor)
        if reached >= floor or floor == -math.inf:
            break
        floor = reached
    weights = exact_weights(matrix, profile, torch.cat([i, j]), torch.cat([j, i]), base.repeat(2))
    penalty = 0.5 * (matrix.scale[i] * weights[: len(i)] + matrix.scale[j] * weights[len(i) :])
    best = TopKFilter(k, -math.inf)
    best.add(i, j, base - penalty)
    return best.sift()


def superset(
    matrix: ScoreBlocks, bounds: Bounds, barred: Barred, k: int, floor: float
) -> tuple[Found, float]:
    """Return pairs that hold the k best if the second, the k-th best lower bound, reaches floor."""
    p, device = len(matrix), matrix.left.device

    def run(height: int) -> tuple[Found, float]:
        parts: list[Found] = []
        best = TopKFilter(k, -math.inf)
        cuts = _cuts(matrix, bounds, floor)
        for begin in range(0, p, height):
            i, j, base = _reaching(matrix, cuts, barred, begin, height)
            least, most = _penalty(matrix, bounds, (i, j), base)
            kept = base - least >= max(floor, best.floor)
            parts.append((i[kept], j[kept], base[kept]))
            if best.add(i[kept], j[kept], (base - most)[kept]) and best.floor > floor:
                cuts = _cuts(matrix, bounds, best.floor)
        lowest = best.sift()[2]
        reached = float(lowest.min()) if len(lowest) >= k else -math.inf
        i, j, base = (torch.cat(part) for part in zip(*parts, strict=True))
        upper = base - _penalty(matrix, bounds, (i, j), base)[0]
        kept = upper >= max(reached, floor)
        return (i[kept], j[kept], base[kept]), reached

    return in_blocks(run, block_rows(p, _EXACT_BYTES, device))


def _penalty(
    matrix: ScoreBlocks, bounds: Bounds, ends: tuple[Tensor, Tensor], base: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the least and the largest penalty of pairs."""
    (low_i, high_i), (low_j, high_j) = (bounds.of(base, nodes) for nodes in ends)
    gi, gj = (0.5 * matrix.scale[nodes] for nodes in ends)
    return gi * low_i + gj * low_j, gi * high_i + gj * high_j


def _cuts(matrix: ScoreBlocks, bounds: Bounds, floor: float) -> Tensor:
    """Return for each node a product that a pair must reach if its upper bound is to reach floor.

    Where the weight is at least low_k, the product must be floor + penalty: the least product that
    is consistent with its own place among the knots is taken.
    """
    if floor == -math.inf:
        return torch.full_like(matrix.scale, floor)
    other = 0.5 * matrix.scale.min() * bounds.first
    weights = torch.cat([torch.full_like(bounds.low[:, :1], bounds.first), bounds.low], 1)
    needed = floor + other + 0.5 * matrix.scale[:, None] * weights  # in each gap between knots
    top = torch.cat([torch.full_like(needed[:, :1], math.inf), bounds.values], 1)
    bottom = torch.cat([bounds.values, torch.full_like(needed[:, :1], -math.inf)], 1)
    possible = torch.where(needed < top, torch.maximum(needed, bottom), math.inf)
    cuts = possible.min(dim=1).values
    return cuts - 1e-6 * (cuts.abs() + abs(floor))  # rounding


def exact_weights(
    matrix: ScoreBlocks, profile: Tensor, nodes: Tensor, partners: Tensor, scores: Tensor
) -> Tensor:
    """Return the weight of each partner's exact rank in its node's row."""
    order = torch.argsort(scores, descending=True, stable=True)
    order = order[torch.argsort(nodes[order], stable=True)]
    asked, lengths = torch.unique_consecutive(nodes[order], return_counts=True)
    ends = torch.cumsum(lengths, 0)
    out = torch.empty_like(scores)

    def run(height: int) -> Tensor:
        for some in torch.arange(len(asked), device=nodes.device).split(height):
            begin, end = int(ends[some[0]] - lengths[some[0]]), int(ends[some[-1]])
            here = order[begin:end]
            starts = torch.cat([ends[some] - lengths[some], ends[some[-1:]]]) - begin
            block, given = matrix.products(asked[some]), scores[here]
            above, reached = counts(block, given, starts)
            row = torch.repeat_interleave(some - some[0], lengths[some])
            own = block[row, partners[here]]  # not to be counted, whatever rounding made of it
            first = above - (own > given).long()
            last = reached - (own >= given).long()
            out[here] = 0.5 * (profile[first] + profile[last.clamp(max=len(profile) - 1)])
        return out

    return in_blocks(run, block_rows(len(matrix), _EXACT_BYTES, matrix.left.device))

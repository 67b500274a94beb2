"""The best pairs of all by their scores on a device, without holding more than a block of them.

Pairs whose product of factors cannot reach the floor are passed over; the rest, few, are scored
one by one. The floor begins where a sample of rows says, and rises.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch

from linkprior.kernels.tensors.memory import block_rows, in_blocks
from linkprior.kernels.tensors.sheet import ScoreBlocks

Found = tuple[torch.Tensor, torch.Tensor, torch.Tensor]

_BYTES = 16.0  # per entry of a block: its product, penalised score and masks
_SAMPLED_ROWS, _SLACK = 4096, 1.5
_FULL = 4  # times as many pairs as wanted are collected before they are sifted


@dataclass
class TopKFilter:
    """The best k pairs found so far; `floor` is what a further one has to reach."""

    k: int
    floor: float
    _parts: list[Found] = field(default_factory=list)
    _held: int = 0

    def add(self, i: torch.Tensor, j: torch.Tensor, scores: torch.Tensor) -> bool:
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
    """Pairs i < j that are no candidates, as sorted codes i·p + j."""

    codes: torch.Tensor
    p: int

    def allows(self, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
        """Return which pairs are candidates."""
        if not len(self.codes):
            return torch.ones_like(i, dtype=torch.bool)
        asked = i * self.p + j
        at = torch.searchsorted(self.codes, asked).clamp(max=len(self.codes) - 1)
        return self.codes[at] != asked


def best_pairs(
    sheets: Sequence[ScoreBlocks],
    barred: Barred,
    k: int,
    threshold: float = -math.inf,
    clip: bool = False,
) -> Found:
    """Return the k best candidates i < j by the mean score of all sheets, in no order.

    Scores are at least `threshold`; more than k come where the last ones tie. `clip` sets each
    sheet's negative scores to zero.
    """
    floor = first_floor(sheets, k, clip)
    sieve = _sifted(sheets, barred, k, max(floor, threshold), clip)
    if len(sieve[2]) < k and floor > threshold:  # the sample promised too much
        sieve = _sifted(sheets, barred, k, threshold, clip)
    return sieve


def _sifted(
    sheets: Sequence[ScoreBlocks], barred: Barred, k: int, floor: float, clip: bool
) -> Found:
    device, p = sheets[0].left.device, len(sheets[0])
    rows = block_rows(p, _BYTES + 4.0 * len(sheets), device)
    if floor == -math.inf:  # every pair is looked at: 40 bytes each
        rows = max(1, rows // 4)

    def run(height: int) -> Found:
        sieve = TopKFilter(k, floor)
        for found in _candidates(sheets, sieve, height, clip):
            allowed = barred.allows(*found[:2])
            sieve.add(*(one[allowed] for one in found))
        return sieve.sift()

    return in_blocks(run, rows)


def _candidates(
    sheets: Sequence[ScoreBlocks], sieve: TopKFilter, height: int, clip: bool
) -> Iterator[Found]:
    """Yield pairs that may reach the floor, with their scores, block after block."""
    one = sheets[0] if len(sheets) == 1 and not clip else None
    device, p = sheets[0].left.device, len(sheets[0])
    known, cuts = math.nan, torch.empty(0)
    for begin in range(0, p, height):
        rows = torch.arange(begin, min(p, begin + height), device=device)
        if one is None:
            block = mean_block(sheets, rows, begin, clip)
            mask = block >= sieve.floor
        else:
            if sieve.floor != known:
                known, cuts = sieve.floor, one.cuts(sieve.floor)
            block = one.products(rows, begin)
            mask = block >= cuts[rows, None]
            mask &= block >= cuts[None, begin:]
        here = torch.arange(len(rows), device=device)
        mask[:, : len(rows)] &= here[None, :] > here[:, None]  # each pair once
        at, column = mask.nonzero(as_tuple=True)
        i, j, scores = at + begin, column + begin, block[at, column]
        yield i, j, scores if one is None else one.pairs(scores, i, j)


def mean_block(
    sheets: Sequence[ScoreBlocks], rows: torch.Tensor, begin: int = 0, clip: bool = False
) -> torch.Tensor:
    """Return the mean of all sheets' blocks."""
    total = sheets[0].block(rows, begin)
    total = total.clamp(min=0.0) if clip else total
    for sheet in sheets[1:]:
        more = sheet.block(rows, begin)
        total += more.clamp(min=0.0) if clip else more
    return total / len(sheets)


def first_floor(sheets: Sequence[ScoreBlocks], k: int, clip: bool = False) -> float:
    """Return a score that about 1.5·k pairs reach, by a sample of rows; −∞ where k is too large.

    A pair is seen from either end, so a share f of the rows shows 2·f·k of the best k.
    """
    p, device = len(sheets[0]), sheets[0].left.device
    drawn = torch.randperm(p, generator=torch.Generator().manual_seed(1))
    rows = drawn[: min(p, _SAMPLED_ROWS)].to(device)
    wanted = math.ceil(2.0 * _SLACK * k * len(rows) / p) + 16
    each = min(p - 1, 4 * math.ceil(wanted / len(rows)) + 64)
    height = max(1, block_rows(p, _BYTES + 4.0 * len(sheets), device) // 2)
    tops = [
        torch.topk(mean_block(sheets, some, 0, clip), each, dim=1, sorted=False).values.reshape(-1)
        for some in rows.split(height)
    ]
    found = torch.cat(tops)
    if wanted > len(found):
        return -math.inf
    return float(torch.topk(found, wanted).values[-1])

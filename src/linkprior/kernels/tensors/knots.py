"""Scores of rows at some ranks, and what they tell for sure about the ranks in between.

Short rows are sorted. In long ones the first ranks come from a partial sort; deeper ones from a
sample of columns, whose scores are then counted in the whole row, so that bounds hold all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from linkprior.kernels.tensors.counting import counts

SORTED = 1 << 16  # columns up to which a row is sorted
TOP = 1024  # ranks of a longer row that are found exactly
SAMPLE = 1 << 14  # columns that stand for the rest
_COUNTED = 8  # ranks up to an eighth of the row are counted; nobody asks deeper for sure


@dataclass(frozen=True)
class Knots:
    """Scores of each row, descending, and bounds for the ranks of others.

    Attributes
    ----------
    values
        (b, m) scores.
    least
        (b, m) a score below `values` has at least so many entries above it.
    most
        (b, m) of a score above `values`, at most so many entries are as large or larger.
    at
        (b, m) the rank of each value from 0 on, which may be an estimate.
    """

    values: torch.Tensor
    least: torch.Tensor
    most: torch.Tensor
    at: torch.Tensor

    def at_ranks(self, ranks: torch.Tensor) -> torch.Tensor:
        """Return scores at given ranks, linear in the logarithm of the rank between knots."""
        known = torch.log1p(self.at.float()).contiguous()
        asked = torch.log1p(ranks.float()).expand(len(known), -1).contiguous()
        upper = torch.searchsorted(known, asked).clamp(max=known.shape[1] - 1)
        lower = (upper - 1).clamp(min=0)
        x0, x1 = known.gather(1, lower), known.gather(1, upper)
        y0, y1 = self.values.gather(1, lower), self.values.gather(1, upper)
        part = torch.where(x1 > x0, (asked - x0) / (x1 - x0), 1.0).clamp(0.0, 1.0)
        return torch.where(part == 1.0, y1, y0 + part * (y1 - y0))


def row_knots(
    block: torch.Tensor, ranks: torch.Tensor, columns: torch.Tensor | None = None
) -> Knots:
    """Return the knots of a block whose diagonal is −∞, at or near the given ranks from 0 on.

    `columns` is the sample for rows that are too long to sort (None: they are sorted).
    """
    if columns is None or block.shape[1] <= SORTED:
        values = torch.sort(block, dim=1, descending=True).values[:, ranks]
        at = ranks.expand(len(block), -1)
        return Knots(values, at + 1, at, at)
    first = ranks[ranks < TOP]
    top = torch.topk(block, TOP, dim=1).values[:, first]
    at = first.expand(len(block), -1)
    deep = _deep_knots(block, ranks[ranks >= TOP], columns, top[:, -1:])
    return Knots(
        torch.cat([top, deep.values], 1),
        torch.cat([at + 1, deep.least], 1),
        torch.cat([at, deep.most], 1),
        torch.cat([at, deep.at], 1),
    )


def _deep_knots(
    block: torch.Tensor, ranks: torch.Tensor, columns: torch.Tensor, below: torch.Tensor
) -> Knots:
    """Return knots beyond the first ranks: scores of sampled columns, counted in the whole row."""
    b, n = block.shape
    sampled = torch.sort(block[:, columns], dim=1, descending=True).values
    places = (ranks.double() * len(columns) / n).round().long()
    places = places.clamp(max=len(columns) - 2)  # the last may be the row's own column, −∞
    values = torch.minimum(sampled[:, places], below)
    counted = int((ranks <= n // _COUNTED).sum())
    asked = values[:, :counted]
    starts = torch.arange(b + 1, device=block.device) * counted
    above, reached = (one.view(b, counted) for one in counts(block, asked.reshape(-1), starts))
    rest = ranks[counted:].expand(b, -1)
    sure = reached[:, -1:] if counted else torch.full_like(rest[:, :1], TOP)
    at = torch.cummax(torch.cat([above.clamp(min=TOP), rest], 1), 1).values
    least = torch.cat([reached, sure.expand(b, rest.shape[1])], 1)
    most = torch.cat([above, torch.full_like(rest, n - 1)], 1)
    return Knots(values, least, most, at)


def sampled_columns(n: int, device: torch.device, seed: int = 0) -> torch.Tensor | None:
    """Return the sample for rows of n entries, None where they are sorted."""
    if n <= SORTED:
        return None
    drawn = torch.randperm(n, generator=torch.Generator().manual_seed(seed))[:SAMPLE]
    return drawn.sort().values.to(device)

"""Rank tables of all rows on a device, pass by pass."""

from __future__ import annotations

from dataclasses import replace

import torch

from linkprior.kernels.tensors.exact import Bounds
from linkprior.kernels.tensors.knots import row_knots, sampled_columns
from linkprior.kernels.tensors.memory import block_rows, in_blocks
from linkprior.kernels.tensors.sheet import ScoreBlocks

_BYTES = 40.0  # per entry of a block while it is sorted


def next_table(sheet: ScoreBlocks, ranks: torch.Tensor) -> torch.Tensor:
    """Return the scores of every row at these ranks, after all passes of the sheet."""
    columns = sampled_columns(len(sheet), sheet.left.device)

    def run(height: int) -> torch.Tensor:
        every = torch.arange(len(sheet), device=sheet.left.device)
        return torch.cat(
            [
                row_knots(sheet.block(rows), ranks, columns).at_ranks(ranks)
                for rows in every.split(height)
            ]
        )

    return in_blocks(run, block_rows(len(sheet), _BYTES, sheet.left.device))


def with_tables(sheet: ScoreBlocks, ranks: torch.Tensor, passes: int) -> ScoreBlocks:
    """Return the sheet with as many tables as there are to be passes."""
    while len(sheet.tables) < passes:
        sheet = replace(sheet, tables=[*sheet.tables, next_table(sheet, ranks)])
    return sheet


def bounds_of(
    sheet: ScoreBlocks, ranks: torch.Tensor, profile: torch.Tensor
) -> tuple[torch.Tensor, Bounds]:
    """Return the first table, and what it tells for sure about ranks by products alone."""
    columns, most = sampled_columns(len(sheet), sheet.left.device), len(profile) - 1
    plain = replace(sheet, tables=[])

    def run(height: int) -> tuple[torch.Tensor, Bounds]:
        parts = []
        for rows in torch.arange(len(sheet), device=sheet.left.device).split(height):
            knots = row_knots(plain.block(rows), ranks, columns)
            low = profile[knots.least.clamp(max=most)]
            high = profile[(knots.most - 1).clamp(0, most)]
            parts.append((knots.at_ranks(ranks), knots.values, low, high))
        table, values, low, high = (torch.cat(part) for part in zip(*parts, strict=True))
        return table, Bounds(values, low, high, float(profile[0]), float(profile[-1]))

    return in_blocks(run, block_rows(len(sheet), _BYTES, sheet.left.device))

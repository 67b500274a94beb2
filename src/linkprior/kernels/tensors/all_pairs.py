"""All pairs on a device, arrays in, arrays out: rank tables, best pairs, exact ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from linkprior.kernels.tensors import best, exact, tables
from linkprior.kernels.tensors.memory import require
from linkprior.kernels.tensors.ops import find_device, numpy_of
from linkprior.kernels.tensors.sheet import ScoreBlocks

Array = NDArray[Any]
_BLOCKS = 1e9  # bytes a block should have at least, beside what is held


@dataclass(frozen=True)
class Layer:
    """Scores left·rightᵀ with the rank tables (passes, p, knots) over them."""

    left: Array
    right: Array
    tables: Array | Sequence[Array] = ()


def rank_tables(
    layer: Layer, scale: Array, profile: Array, ranks: Array, passes: int, device: str
) -> NDArray[np.float32]:
    """Return the tables (passes, p, knots): those the layer has, and the ones after them."""
    where = find_device(device)
    sheet = _sheets([layer], scale, profile[ranks], where, passes)[0]
    found = tables.with_tables(sheet, _put(ranks, where, torch.int64), passes)
    return np.stack([numpy_of(table) for table in found.tables])


def best_pairs(
    layers: Sequence[Layer],
    scale: Array,
    weights: Array,
    barred: Array,
    k: int,
    threshold: float,
    clip: bool,
    device: str,
) -> tuple[Array, Array]:
    """Return the k best pairs (n, 2), i < j, and their mean scores, in no order.

    `barred` holds sorted codes i·p + j of pairs that are no candidates. More than k pairs come
    where the last ones tie.
    """
    where = find_device(device)
    sheets = _sheets(layers, scale, weights, where)
    never = best.Barred(_put(barred, where, torch.int64), len(sheets[0]))
    return _answer(best.best_pairs(sheets, never, k, threshold, clip))


def exact_pairs(
    layer: Layer, scale: Array, profile: Array, ranks: Array, barred: Array, k: int, device: str
) -> tuple[Array, Array]:
    """Return the k best pairs by exact ranks, as `best_pairs` does; the layer has one table."""
    where = find_device(device)
    sheet = _sheets([layer], scale, profile[ranks], where, 3)[0]
    never = best.Barred(_put(barred, where, torch.int64), len(sheet))
    weights = _put(profile, where)
    _, bounds = tables.bounds_of(sheet, _put(ranks, where, torch.int64), weights)
    return _answer(exact.exact_best(sheet, bounds, weights, never, k))


def _sheets(
    layers: Sequence[Layer],
    scale: Array,
    weights: Array,
    device: torch.device,
    passes: int = 0,
) -> list[ScoreBlocks]:
    width = sum(one.left.shape[1] + one.right.shape[1] for one in layers)
    held = sum(max(passes, len(one.tables)) for one in layers) * len(weights)
    require(4.0 * len(scale) * (width + 2 * held) + _BLOCKS, "scoring all pairs", device)
    shared = _put(scale, device), _put(weights, device)
    return [
        ScoreBlocks(
            _put(one.left, device),
            _put(one.right, device),
            *shared,
            [_put(table, device) for table in one.tables],
        )
        for one in layers
    ]


def _put(array: Array, device: torch.device, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.as_tensor(np.array(array), dtype=dtype, device=device)


def _answer(found: best.Found) -> tuple[Array, Array]:
    i, j, scores = (numpy_of(one) for one in found)
    return np.stack([i, j], axis=1).astype(np.int64), scores

"""Keeping the best pairs: the part of `top_pairs` that every engine shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def buffer_size(n_rows: int, n_columns: int, k: int) -> int:
    """Return room for k kept pairs and as many new ones, never more than the block can offer."""
    return max(1, min(2 * k + 1024, n_rows * n_columns))


def keep_best(scores: Array, codes: Array, k: int) -> tuple[Array, Array]:
    """Keep the k best in the order they came; among equal scores the earliest stay.

    Codes come in ascending order and keep it, so that "earliest" is "smallest pair".
    """
    if scores.size <= k:
        return scores, codes
    worst = np.partition(scores, scores.size - k)[scores.size - k]
    keep = scores > worst
    tied = np.flatnonzero(scores == worst)
    keep[tied[: k - np.count_nonzero(keep)]] = True
    return scores[keep], codes[keep]


def best_first(scores: Array, codes: Array, n_columns: int) -> tuple[Array, Array, Array]:
    """Return rows, columns and scores, best first, ties by smaller pair."""
    order = np.argsort(-scores, kind="stable")
    rows, columns = np.divmod(codes[order], n_columns)
    return rows, columns, scores[order]

"""Pairs of nodes: the best candidates of a row block, and products at stored entries.

The candidates of row i are the columns j > i that are not stored: the runs between stored columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linkprior.errors import ParameterError
from linkprior.kernels._engine import Array, plain, row_block, stored_rows, use_numba
from linkprior.kernels._jit import compiled, compiled_sums

Pair = tuple[Array, Array]  # indptr and indices; scores and codes of pairs
Place = tuple[int, int]  # a row and a column
ENTRIES_AT_ONCE = 1 << 16  # stored entries whose factor rows are gathered at a time


def edge_products(left: ArrayLike, right: ArrayLike, indptr: Array, indices: Array) -> Array:
    """Return ``left[i] · right[j]`` for every stored entry (i, j) of a CSR pattern, in float64.

    For a block of rows hand in ``left[a:b]`` and ``indptr[a:b + 1]`` with the whole `indices`.
    """
    rows, others = plain(left), plain(right)
    starts = np.asarray(indptr).astype(np.int64)
    columns = np.require(np.asarray(indices)[starts[0] : starts[-1]], None, ["C", "W"])
    if starts.size != rows.shape[0] + 1 or rows.shape[1] != others.shape[1]:
        raise ParameterError(
            f"left {rows.shape}, right {others.shape} and indptr ({starts.size},) do not match"
        )
    target = np.empty(columns.shape)
    starts -= starts[0]
    if use_numba(others.shape[0]):
        edge_products_numba(rows, others, starts, columns, target)
        return target
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(starts))
    for begin in range(0, row_of.size, ENTRIES_AT_ONCE):
        some = slice(begin, begin + ENTRIES_AT_ONCE)
        own, other = rows[row_of[some]], others[columns[some]]
        target[some] = np.einsum("er,er->e", own, other, dtype=np.float64)
    return target


def top_pairs(
    scores: ArrayLike, first: int, indptr: Array, indices: Array, k: int, floor: float = -np.inf
) -> tuple[Array, Array, Array]:
    """Return the best candidate pairs of a block: j > i, not stored, score above `floor`.

    At most k of them, as rows, columns (int64, of the whole matrix) and scores; best first, ties by
    smaller (i, j), also at the boundary. The k-th best score of *earlier* rows is a valid floor,
    since later pairs lose ties; a floor from later rows must be taken one float lower. `indptr` and
    `indices` are those of the whole network, sorted. Memory grows with k and b, not with b·p.
    """
    block = row_block(scores, first, square=True)
    b, p = block.shape
    if k < 1 or b == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, block.dtype)
    pattern = stored_rows(p, first, b, indptr, indices)
    select = _select_numba if use_numba(p) else _select
    best, codes = select(block, first, pattern, int(k), np.float64(floor))
    order = np.argsort(-best, kind="stable")
    rows, columns = np.divmod(codes[order], p)
    return rows, columns, best[order]


def _select(scores: Array, first: int, pattern: Pair, k: int, floor: float) -> Pair:
    """Return scores and codes of the k best: row by row, only what beats the k best so far."""
    (b, p), (indptr, indices) = scores.shape, pattern
    best, codes = np.empty(0, scores.dtype), np.empty(0, np.int64)
    room = buffer_size(b, p, k)
    for r, row in enumerate(scores):
        free = np.arange(p) > first + r
        free[indices[indptr[r] : indptr[r + 1]]] = False
        columns = np.flatnonzero(free & (row.astype(np.float64) > floor))
        best = np.concatenate([best, row[columns]])
        codes = np.concatenate([codes, (first + r) * p + columns])
        if best.size >= room:
            best, codes = keep_best(best, codes, k)
            floor = float(best.min())
    return keep_best(best, codes, k)


def _select_numba(scores: Array, first: int, pattern: Pair, k: int, floor: float) -> Pair:
    """Do the same: a filtering pass that pauses to raise its threshold."""
    b, p = scores.shape
    room = buffer_size(b, p, k)
    out = kept_scores, kept_codes = np.empty(room, scores.dtype), np.empty(room, np.int64)
    kept, row, column = 0, 0, 0
    while True:
        kept, row, column = collect_pairs(scores, first, pattern, floor, (row, column), kept, out)
        best, codes = keep_best(kept_scores[:kept], kept_codes[:kept], k)
        if row == b:
            return best, codes
        # Later pairs lose ties, so from here on only strictly better ones matter.
        kept, floor = best.size, float(best.min())
        kept_scores[:kept], kept_codes[:kept] = best, codes


def buffer_size(n_rows: int, n_columns: int, k: int) -> int:
    """Return room for k kept pairs and as many new ones, never more than the block can offer."""
    return max(1, min(2 * k + 1024, n_rows * n_columns))


def keep_best(scores: Array, codes: Array, k: int) -> tuple[Array, Array]:
    """Keep the k best in the order they came; of equal scores the earliest: the smallest pairs."""
    if scores.size <= k:
        return scores, codes
    worst = np.partition(scores, scores.size - k)[scores.size - k]
    keep = scores > worst
    tied = np.flatnonzero(scores == worst)
    keep[tied[: k - np.count_nonzero(keep)]] = True
    return scores[keep], codes[keep]


# ---------------------------------------------------------------------- compiled


@compiled
def collect_pairs(
    scores: Array, first: int, pattern: Pair, floor: float, at: Place, kept: int, out: Pair
) -> tuple[int, int, int]:
    """Append candidates above `floor` until `out` is full; return how many, and where to go on."""
    (indptr, indices), (kept_scores, kept_codes), (b, p) = pattern, out, scores.shape
    for r in range(at[0], b):
        row = scores[r]
        begin = max(first + r + 1, at[1] if r == at[0] else 0)
        for e in range(indptr[r], indptr[r + 1] + 1):
            stop = indices[e] if e < indptr[r + 1] else p
            for j in range(begin, stop):
                if row[j] > floor:
                    if kept == kept_codes.size:
                        return kept, r, j
                    kept_scores[kept] = row[j]
                    kept_codes[kept] = (first + r) * p + j
                    kept += 1
            begin = max(begin, stop + 1)
    return kept, b, 0


@compiled_sums
def edge_products_numba(
    left: Array, right: Array, indptr: Array, indices: Array, out: Array
) -> None:
    """Write left[i] · right[j] for every stored entry, summed in float64."""
    for i in range(left.shape[0]):
        row = left[i]
        for e in range(indptr[i], indptr[i + 1]):
            other = right[indices[e]]
            total = np.float64(0)
            for q in range(row.size):
                total += np.float64(row[q]) * np.float64(other[q])
            out[e] = total

"""The compiled engine: the names of `portable`, each releasing the GIL over one row block."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels import (
    numba_admm,
    numba_blocks,
    numba_community,
    numba_least_squares,
    numba_lookup,
    numba_pairs,
    numba_partners,
    numba_paths,
    numba_sort,
    numba_stack,
    selection,
)

Array = NDArray[Any]


def _bits(values: Array) -> tuple[Array, Any]:
    """Return the bit patterns of floats, and the mask of all bits but the sign."""
    kind = np.uint32 if values.dtype == np.float32 else np.uint64
    return values.view(kind), kind(np.iinfo(kind).max // 2)


def argsort_rows(keys: Array, first: int) -> Array:
    """Columns of each row, best first."""
    b, p = keys.shape
    out = np.empty((b, p - 1 if first >= 0 else p), np.int32)
    numba_sort.argsort_rows(keys, *_bits(keys), first, out)
    return out


def rank_penalty(keys: Array, scale: Array, profile: Array, first: int, out: Array) -> None:
    """Scale times profile at each entry's rank."""
    numba_sort.rank_penalty(keys, *_bits(keys), scale, profile, first, out)


def prox_rows(
    values: Array, scale: Array, profile: Array, first: int, clip: bool, out: Array
) -> None:
    """Values minus their rank penalty."""
    numba_sort.prox_rows(values, *_bits(values), scale, profile, first, clip, out)


def row_quantiles(keys: Array, first: int, ranks: Array) -> Array:
    """Keys at given ranks of each row."""
    out = np.empty((keys.shape[0], ranks.size), keys.dtype)
    numba_sort.row_quantiles(keys, *_bits(keys), first, ranks, out)
    return out


def edge_products(left: Array, right: Array, indptr: Array, indices: Array, out: Array) -> None:
    """Inner products at stored entries."""
    numba_pairs.edge_products(left, right, indptr, indices, out)


def top_pairs(
    scores: Array, first: int, indptr: Array, indices: Array, k: int, floor: float
) -> tuple[Array, Array, Array]:
    """Best candidate pairs: a filtering pass that pauses to raise its threshold."""
    b, p = scores.shape
    room = selection.buffer_size(b, p, k)
    kept_scores, kept_codes = np.empty(room, scores.dtype), np.empty(room, np.int64)
    kept, row, column = 0, 0, 0
    while True:
        kept, row, column = numba_pairs.collect_pairs(
            scores, first, indptr, indices, floor, (row, column), kept, kept_scores, kept_codes
        )
        best, codes = selection.keep_best(kept_scores[:kept], kept_codes[:kept], k)
        if row == b:
            return selection.best_first(best, codes, p)
        # Later pairs lose ties, so from here on only strictly better ones matter.
        kept, floor = best.size, float(best.min())
        kept_scores[:kept], kept_codes[:kept] = best, codes


def tally(
    scores: Array,
    first: int,
    indptr: Array,
    indices: Array,
    closed: Array,
    limits: Array,
    kinds: Array,
    table: Array,
) -> Array:
    """Sums over candidates by the bin of their score."""
    bins = np.zeros((2 * limits.size + 1, table.shape[2]))
    numba_pairs.tally(scores, first, indptr, indices, closed, limits, kinds, table, bins)
    return bins


def tally_nodes(
    scores: Array,
    first: int,
    indptr: Array,
    indices: Array,
    closed: Array,
    starts: Array,
    limits: Array,
) -> Array:
    """Counts of each node's candidates by the bin of their score."""
    bins = np.zeros(2 * limits.size + starts.size - 1, np.int64)
    numba_pairs.tally_nodes(scores, first, indptr, indices, closed, starts, limits, bins)
    return bins


def lookup_penalty(
    scores: Array, first: int, tables: Array, scale: Array, weights: Array, out: Array
) -> None:
    """Penalty read from rank tables."""
    numba_lookup.lookup_penalty(scores, first, tables, scale, weights, out)


def sketch_above(
    bases: Array,
    first: int,
    tables: Array,
    scale: Array,
    weights: Array,
    clip: bool,
    floor: float,
    out: Array,
) -> None:
    """Scores after all lookups, where they are above a floor."""
    numba_lookup.sketch_above(bases, first, tables, scale, weights, clip, floor, out)


def split_rows(fitted: Array, G: Array, Q: Array, Y: Array) -> Array:
    """One block of ADMM's X and Z steps."""
    squares = np.zeros(5)
    numba_admm.split_rows(fitted, G, Q, Y, squares)
    return squares


def linearise_rows(B: Array, Q: Array, scale: Array, start: int, stop: int, G: Array) -> Array:
    """One block of the linearised prior."""
    row_sums = np.empty(stop - start)
    numba_admm.linearise_rows(B, Q, scale, start, stop, G, row_sums)
    return row_sums


def move_nodes(
    pattern: tuple[Array, Array],
    order: Array,
    group: Array,
    sizes: Array,
    counts: Array,
    xlogx: Array,
    slack: float,
) -> int:
    """One sweep of nodes to their best blocks."""
    return int(numba_blocks.move_nodes(*pattern, order, group, sizes, counts, xlogx, slack))


def merge_losses(counts: Array, xlogx: Array) -> Array:
    """Losses of merging each two blocks."""
    losses = np.full(counts.shape, np.inf)
    numba_blocks.merge_losses(counts, xlogx, losses)
    return losses


# These take what they need as it is, and write rows of scores.
l3_rows, l3n_rows, mps_rows = numba_paths.l3_rows, numba_paths.l3n_rows, numba_paths.mps_rows
ch2_rows, list_triangles = numba_community.ch2_rows, numba_community.list_triangles
l3_partners = numba_partners.l3_partners


def count_bins(scores: Array, first: int, counts: Array, low: Array, high: Array) -> None:
    """Counts and ends of the bins, over the pairs j > i of a block."""
    numba_stack.count_bins(scores, scores.view(np.uint32), first, counts, low, high)


def rank_features(scores: Array, table: Array, out: Array) -> None:
    """−log(rank/N), linear in the score within a bin."""
    numba_stack.rank_features(scores, scores.view(np.uint32), table, out)


add_trees = numba_stack.add_trees
descend_rows = numba_least_squares.descend_rows

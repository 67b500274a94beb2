"""The readable engine: plain NumPy, the oracle for the compiled one, used for small networks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels import portable_partners, portable_paths, selection
from linkprior.kernels.portable_blocks import merge_losses, move_nodes  # noqa: F401
from linkprior.kernels.portable_least_squares import descend_rows, edge_products  # noqa: F401
from linkprior.kernels.portable_stack import (  # noqa: F401
    add_trees,
    count_bins,
    rank_features,
)

Array = NDArray[Any]


def _diagonal(keys: Array, first: int) -> Array:
    """Return the column of each row's diagonal, as a column vector."""
    return first + np.arange(keys.shape[0])[:, None]


def argsort_rows(keys: Array, first: int) -> Array:
    """Columns of each row, best first."""
    if first < 0:
        return np.argsort(-keys, axis=1, kind="stable").astype(np.int32)
    b, p = keys.shape
    diagonal = _diagonal(keys, first)
    others = keys[np.arange(p) != diagonal].reshape(b, p - 1)
    order = np.argsort(-others, axis=1, kind="stable")
    return (order + (order >= diagonal)).astype(np.int32)


def rank_penalty(keys: Array, scale: Array, profile: Array, first: int, out: Array) -> None:
    """Scale times profile at each entry's rank."""
    order = argsort_rows(keys, first)
    out[:] = 0
    np.put_along_axis(out, order, scale[:, None] * profile, axis=1)


def prox_rows(
    values: Array, scale: Array, profile: Array, first: int, clip: bool, out: Array
) -> None:
    """Values minus their rank penalty."""
    penalty = np.empty_like(values)
    rank_penalty(values, scale, profile, first, penalty)
    np.subtract(values, penalty, out=out)
    if clip:
        np.copyto(out, 0, where=~(out > 0))


def row_quantiles(keys: Array, first: int, ranks: Array) -> Array:
    """Keys at given ranks of each row."""
    return np.take_along_axis(keys, argsort_rows(keys, first)[:, ranks], axis=1)


def _candidates(
    scores: Array, first: int, indptr: Array, indices: Array
) -> Iterator[tuple[int, Array]]:
    """Yield each row's node and its candidate columns: j > i, not stored."""
    for r in range(scores.shape[0]):
        i = first + r
        free = np.arange(scores.shape[1]) > i
        free[indices[indptr[r] : indptr[r + 1]]] = False
        yield i, np.flatnonzero(free)


def top_pairs(
    scores: Array, first: int, indptr: Array, indices: Array, k: int, floor: float
) -> tuple[Array, Array, Array]:
    """Best candidate pairs: row by row, only what beats the k best so far is kept."""
    b, p = scores.shape
    best, codes = np.empty(0, scores.dtype), np.empty(0, np.int64)
    room = selection.buffer_size(b, p, k)
    for i, columns in _candidates(scores, first, indptr, indices):
        row = scores[i - first, columns]
        better = row.astype(np.float64) > floor
        best = np.concatenate([best, row[better]])
        codes = np.concatenate([codes, i * p + columns[better]])
        if best.size >= room:
            best, codes = selection.keep_best(best, codes, k)
            floor = float(best.min())
    return selection.best_first(*selection.keep_best(best, codes, k), p)


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
    for i, columns, row in _open_pairs(scores, first, indptr, indices, closed):
        np.add.at(bins, _bins_of(row, limits), table[kinds[i], kinds[columns]])
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
    met: list[list[Array]] = [[] for _ in closed]
    for i, columns, row in _open_pairs(scores, first, indptr, indices, closed):
        met[i].append(row)
        for j, score in zip(columns.tolist(), row[:, None], strict=True):
            met[j].append(score)
    for node, found in enumerate(met):
        if found:
            own = _bins_of(np.concatenate(found), limits[starts[node] : starts[node + 1]])
            np.add.at(bins, 2 * starts[node] + node + own, 1)
    return bins


def _bins_of(scores: Array, limits: Array) -> Array:
    """2a between limits a − 1 and a, 2a + 1 at limit a."""
    below, reached = (np.searchsorted(limits, scores, side) for side in ("left", "right"))
    return below + reached


def _open_pairs(
    scores: Array, first: int, indptr: Array, indices: Array, closed: Array
) -> Iterator[tuple[int, Array, Array]]:
    """Yield each open row with its candidates and their scores as float64."""
    for r, row in enumerate(scores):
        free = closed == 0
        if free[first + r]:
            free[: first + r + 1] = False
            free[indices[indptr[r] : indptr[r + 1]]] = False
            columns = np.flatnonzero(free)
            yield first + r, columns, row[columns - first].astype(np.float64)


def weights_at(scores: Array, tables: Array, weights: Array) -> Array:
    """Interpolate weights in descending tables, whose last axis runs over the knots."""
    last = weights.size - 1
    # Counted in as few bytes as the knots need: large blocks take a third less time.
    above, reached = np.zeros((2, *scores.shape), np.min_scalar_type(-weights.size - 1))
    for knot in range(weights.size):
        above += tables[..., knot] > scores
        reached += tables[..., knot] >= scores
    lower, upper = np.minimum(above, last), np.maximum(above - 1, 0)
    every = np.broadcast_to(tables, (*scores.shape, weights.size))
    high = np.take_along_axis(every, upper[..., None], axis=-1)[..., 0].astype(np.float64)
    low = np.take_along_axis(every, lower[..., None], axis=-1)[..., 0].astype(np.float64)
    inside = (above > 0) & (above <= last)
    part = np.divide(high - scores, high - low, out=np.zeros(scores.shape), where=inside)
    start = np.where(inside, weights[upper], weights[lower])
    between = start + part * (weights[lower] - start)
    # Scores that tie share their ranks: each gets the middle of the weights of the tie.
    middle = 0.5 * (weights[lower] + weights[np.maximum(reached - 1, 0)])
    return np.where(reached > above, middle, between)


def lookup_penalty(
    scores: Array, first: int, tables: Array, scale: Array, weights: Array, out: Array
) -> None:
    """Penalty read from rank tables."""
    block = slice(first, first + scores.shape[0])
    own = scale[block, None] * weights_at(scores, tables[block, None, :], weights)
    other = scale * weights_at(scores, tables[None, :, :], weights)
    out[:] = 0.5 * (own + other)
    np.put_along_axis(out, _diagonal(scores, first), 0, axis=1)


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
    """Scores after all lookups; those above the floor are among them."""
    penalty = np.empty(out.shape, out.dtype)
    out[:] = 0
    for base, passes in zip(bases, tables, strict=True):
        score = base
        for table in passes:
            lookup_penalty(score, first, table, scale, weights, penalty)
            score = base - penalty
        out += np.maximum(score, 0) if clip else score
    out /= out.dtype.type(len(bases))


def split_rows(fitted: Array, G: Array, Q: Array, Y: Array) -> Array:
    """One block of ADMM's X and Z steps."""
    before = np.maximum(Q, 0)
    A = fitted + (before - Y)
    np.subtract(A, G, out=Q)
    X = np.maximum(Q, 0)
    np.subtract(X, A - X, out=Y)
    terms = (fitted - X, X - before, fitted, X, Y)
    return np.array([np.sum(term * term, dtype=np.float64) for term in terms])


def linearise_rows(B: Array, Q: Array, scale: Array, start: int, stop: int, G: Array) -> Array:
    """One block of the linearised prior."""
    rows = slice(start, stop)
    G[rows] = (scale[rows, None] * B[rows] + scale * B[:, rows].T) * G.dtype.type(0.5)
    return np.asarray(np.sum(B[rows] * np.maximum(Q[rows], 0), axis=1, dtype=np.float64))


# Scores by paths are written in a file of their own.
ch2_rows, list_triangles = portable_paths.ch2_rows, portable_paths.list_triangles
l3_rows, l3n_rows = portable_paths.l3_rows, portable_paths.l3n_rows
mps_rows = portable_paths.mps_rows
l3_partners = portable_partners.l3_partners

"""Rank weights read from tables: for a block of scores, or for those that may be high.

A row's ranks are spread evenly and its knots geometrically, so half of all scores lie among the
last few knots and 31 of 32 among the last twenty. Compiled, these are compared side by side; the
others are searched for one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkprior.errors import ParameterError
from linkprior.kernels._engine import Array, plain, row_block, target_for, use_numba, vector_of
from linkprior.kernels._jit import compiled

TILE = 64  # columns handled side by side: wide enough for SIMD, few enough for L1
TAIL = 20  # knots at the end of a table that are compared side by side
SLACK = 1.0 - 1e-12  # interpolated weights may step back by an ulp from knot to knot


def lookup_penalty(
    scores: ArrayLike,
    first: int,
    tables: ArrayLike,
    scale: ArrayLike,
    weights_at_knots: ArrayLike,
    out: Array | None = None,
) -> Array:
    """Write ``½(scale_i w_i(s) + scale_j w_j(s))`` with weights read from rank tables; diagonal 0.

    `tables` (p, m) hold the descending scores of every row at m knots, as from `row_quantiles`, and
    `weights_at_knots` the non-decreasing rank profile there. w_i(s) is linear in s between
    neighbouring knots; above the first knot it is the first weight, below the last knot the last.
    Where several knots share the score it is the middle of their weights: what ties broken at
    random would give, and without it nodes whose scores all tie (no observed edge) would look as if
    every partner ranked first.
    """
    block = row_block(scores, first, square=True)
    knots, (b, p) = plain(tables, block.dtype), block.shape
    weights = plain(weights_at_knots, np.float64)
    if weights.ndim != 1 or weights.size == 0 or knots.shape != (p, weights.size):
        raise ParameterError(
            f"tables must have shape ({p}, number of knots), got {knots.shape} "
            f"for weights of shape {weights.shape}"
        )
    target = target_for(out, block.shape, block.dtype)
    factors = vector_of("scale", scale, p, np.float64)
    if use_numba(p):
        lookup_penalty_numba(block, first, knots, factors, weights, target)
        return target
    rows = slice(first, first + b)
    own = factors[rows, None] * weights_at(block, knots[rows, None, :], weights)
    other = factors * weights_at(block, knots[None, :, :], weights)
    target[:] = 0.5 * (own + other)
    np.put_along_axis(target, first + np.arange(b)[:, None], 0, axis=1)
    return target


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


def sketch_above(
    bases: ArrayLike,
    first: int,
    tables: ArrayLike,
    scale: ArrayLike,
    weights_at_knots: ArrayLike,
    floor: float,
) -> Array:
    """Return the mean over layers of scores after all passes of `lookup_penalty`, where high.

    `bases` (layers, b, p) are scores before the first pass; the score after a pass is the base less
    the penalty that the pass's table, of (layers, passes, p, m), holds for the score before. Scores
    of pairs j > i above `floor` are exact; all others are at most it, or their own value.
    """
    blocks = np.ascontiguousarray(bases)
    knots, (_, b, p) = plain(tables, blocks.dtype), blocks.shape
    weights = plain(weights_at_knots, np.float64)
    if knots.shape != (len(blocks), *knots.shape[1:2], p, weights.size) or knots.size == 0:
        raise ParameterError(
            f"tables must have shape ({len(blocks)}, passes, {p}, {weights.size}), got "
            f"{knots.shape}"
        )
    out, factors = np.zeros((b, p), blocks.dtype), vector_of("scale", scale, p, np.float64)
    if use_numba(p):
        sketch_above_numba(blocks, first, knots, factors, weights, np.float64(floor), out)
        return out
    for base, passes in zip(blocks, knots, strict=True):
        score = base
        for table in passes:
            score = base - lookup_penalty(score, first, table, factors, weights)
        out += score
    out /= out.dtype.type(len(blocks))
    return out


# ---------------------------------------------------------------------- compiled


@compiled
def tails_above(row: Array, own: Array, knots: Array, above: Array, others: Array) -> None:
    """Count the knots above each score: of the row's own, and of each column's (knots[k, c]).

    Four at a time, so that counts are loaded and stored less often than knots are compared.
    """
    above[:] = 0
    others[:] = 0
    whole = own.size // 4 * 4
    for k in range(0, whole, 4):
        a, b, c, d = own[k], own[k + 1], own[k + 2], own[k + 3]
        e, f, g, h = knots[k], knots[k + 1], knots[k + 2], knots[k + 3]
        for j in range(row.size):
            s = row[j]
            above[j] += np.int32(a > s) + np.int32(b > s) + np.int32(c > s) + np.int32(d > s)
            others[j] += (
                np.int32(e[j] > s) + np.int32(f[j] > s) + np.int32(g[j] > s) + np.int32(h[j] > s)
            )
    for k in range(whole, own.size):
        for j in range(row.size):
            above[j] += np.int32(own[k] > row[j])
            others[j] += np.int32(knots[k, j] > row[j])


@compiled
def walk_up(score: Any, table: Array, above: Any) -> Any:
    """Return how many of the first `above` knots are above a score, most likely nearly all."""
    while above > 0 and table[above - 1] <= score:
        above -= 1
    return above


@compiled
def count_above(score: Any, table: Array) -> int:
    """Count the knots above one score."""
    low, high = 0, table.size
    while low < high:
        middle = (low + high) // 2
        if table[middle] > score:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def weight_at(score: Any, table: Array, above: int, weights: Array) -> Any:
    """Interpolate the weight of a score that has `above` knots of its table above it."""
    if above < table.size and table[above] == score:
        last = above
        while last + 1 < table.size and table[last + 1] == score:
            last += 1
        return 0.5 * (weights[above] + weights[last])
    if above in (0, table.size):
        return weights[min(above, table.size - 1)]
    high, low = np.float64(table[above - 1]), np.float64(table[above])
    part = (high - np.float64(score)) / (high - low)
    return weights[above - 1] + part * (weights[above] - weights[above - 1])


@compiled
def lookup_penalty_numba(
    scores: Array, first: int, tables: Array, scale: Array, weights: Array, out: Array
) -> None:
    """Write ½(scale_i w_i(s) + scale_j w_j(s)), tile by tile so that tables stay in cache."""
    b, p = scores.shape
    head = np.int32(tables.shape[1] - min(TAIL, tables.shape[1]))
    above, others = np.empty(TILE, np.int32), np.empty(TILE, np.int32)
    for begin in range(0, p, TILE):
        end = min(begin + TILE, p)
        theirs = tables[begin:end]
        tails = theirs[:, head:].T.copy()
        for r in range(b):
            i, row, target = first + r, scores[r, begin:end], out[r, begin:end]
            mine = tables[i]
            tails_above(row, mine[head:], tails, above, others)
            for c in range(row.size):
                u = head + above[c] if above[c] > 0 else walk_up(row[c], mine, head)
                v = head + others[c] if others[c] > 0 else walk_up(row[c], theirs[c], head)
                own = scale[i] * weight_at(row[c], mine, u, weights)
                other = scale[begin + c] * weight_at(row[c], theirs[c], v, weights)
                target[c] = 0.5 * (own + other)
            if begin <= i < end:
                target[i - begin] = 0


@compiled
def penalty_at(
    score: Any, i: int, j: int, tables: Array, scale: Array, weights: Array, slack: float
) -> Any:
    """Return the penalty of one pair in the type of scores, or with slack a little less."""
    own = count_above(score, tables[i])
    other = count_above(score, tables[j])
    mine = scale[i] * weight_at(score, tables[i], own, weights)
    theirs = scale[j] * weight_at(score, tables[j], other, weights)
    return tables.dtype.type(slack * (0.5 * (mine + theirs)))


@compiled
def sketch_above_numba(
    bases: Array, first: int, tables: Array, scale: Array, weights: Array, floor: float, out: Array
) -> None:
    """Write the scores of pairs j > i that are above `floor`; −∞ wherever they cannot be."""
    (layers, b, p), passes, zero = bases.shape, tables.shape[1], bases.dtype.type(0)
    least, count = np.empty(p, bases.dtype), bases.dtype.type(layers)
    for r in range(b):
        i = first + r
        out[r] = -np.inf
        for j in range(i + 1, p):  # what the pair is charged at the first rank: less cannot be
            least[j] = 0.5 * (scale[i] * weights[0] + scale[j] * weights[0])
        for j in range(i + 1, p):
            highest = zero
            for layer in range(layers):
                highest += bases[layer, r, j] - least[j]
            if np.float64(highest / count) <= floor:
                continue
            bound = zero  # that the mean cannot exceed: one look into each layer
            for layer in range(layers):
                base, last = bases[layer, r, j], tables[layer, passes - 1]
                highest = base - (least[j] if passes > 1 else zero)
                bound += base - penalty_at(highest, i, j, last, scale, weights, SLACK)
            if np.float64(bound / count) <= floor:
                continue
            total = zero
            for layer in range(layers):
                base = bases[layer, r, j]
                score = base
                for table in tables[layer]:
                    score = base - penalty_at(score, i, j, table, scale, weights, 1.0)
                total += score
            out[r, j] = total / count

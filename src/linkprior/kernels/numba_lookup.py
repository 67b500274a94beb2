"""Compiled kernels that read rank weights from tables: a block at a time, or what may be high.

A row's ranks are spread evenly and its knots geometrically, so half of all scores lie among the
last few knots and 31 of 32 among the last twenty. These are compared side by side; the others are
searched for one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled

Array = NDArray[Any]
TILE = 64  # columns handled side by side: wide enough for SIMD, few enough for L1
TAIL = 20  # knots at the end of a table that are compared side by side
SLACK = 1.0 - 1e-12  # interpolated weights may step back by an ulp from knot to knot


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
def lookup_penalty(
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
def least_penalties(i: int, start: int, scale: Array, weights: Array, least: Array) -> None:
    """Write what pairs (i, start …) are charged at the first rank: less is not possible."""
    mine = scale[i] * weights[0]
    for j in range(start, scale.size):
        least[j] = 0.5 * (mine + scale[j] * weights[0])


@compiled
def clipped(value: Any, clip: bool) -> Any:
    """Return a score of one layer as it counts."""
    return value if value > 0 or not clip else value - value


@compiled
def bound_at(
    bases: Array,
    r: int,
    i: int,
    j: int,
    least: Any,
    tables: Array,
    scale: Array,
    weights: Array,
    clip: bool,
) -> Any:
    """Return a number that the mean of a pair's scores cannot exceed: one look into each layer."""
    total, passes = bases.dtype.type(0), tables.shape[1]
    for layer in range(bases.shape[0]):
        highest = bases[layer, r, j] - (least if passes > 1 else bases.dtype.type(0))
        last = tables[layer, passes - 1]
        penalty = penalty_at(highest, i, j, last, scale, weights, SLACK)
        total += clipped(bases[layer, r, j] - penalty, clip)
    return total / bases.dtype.type(bases.shape[0])


@compiled
def score_at(
    bases: Array, r: int, i: int, j: int, tables: Array, scale: Array, weights: Array, clip: bool
) -> Any:
    """Return the mean of a pair's scores, each layer after all its passes."""
    total = bases.dtype.type(0)
    for layer in range(bases.shape[0]):
        base = bases[layer, r, j]
        score = base
        for number in range(tables.shape[1]):
            score = base - penalty_at(score, i, j, tables[layer, number], scale, weights, 1.0)
        total += clipped(score, clip)
    return total / bases.dtype.type(bases.shape[0])


@compiled
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
    """Write the scores of pairs j > i that are above `floor`; −∞ wherever they cannot be."""
    layers, b, p = bases.shape
    least, count = np.empty(p, bases.dtype), bases.dtype.type(layers)
    for r in range(b):
        i = first + r
        out[r] = -np.inf
        least_penalties(i, i + 1, scale, weights, least)
        for j in range(i + 1, p):
            highest = bases.dtype.type(0)
            for layer in range(layers):
                highest += clipped(bases[layer, r, j] - least[j], clip)
            if np.float64(highest / count) <= floor:
                continue
            bound = bound_at(bases, r, i, j, least[j], tables, scale, weights, clip)
            if np.float64(bound) > floor:
                out[r, j] = score_at(bases, r, i, j, tables, scale, weights, clip)

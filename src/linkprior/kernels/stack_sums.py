"""The sum of terms that gives every pair of a block its log-odds by the stack of `auto`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkprior.kernels._engine import Array, use_numba
from linkprior.kernels._jit import compiled

TILE = 128  # columns handled side by side, whose features stay in L1


class StackWeights(NamedTuple):
    """Weights of the terms, all float32; sources come in the order of the features."""

    curves: Array  # (sources, 1 + bends): of the feature, and of what of it is above each bend
    bends: Array
    crossed: Array  # (sources, sources): of products of what is above the first bend, [i, j], i > j
    with_degrees: Array  # (sources, degree terms): of its products with what degrees say
    degrees: Array  # of the degree terms alone
    with_levels: Array  # (sources, nodes): of its products, added over both nodes
    own: Array  # (nodes,): what a node adds to all its pairs; half of the intercept is in it
    clip: np.float32  # features beyond which nothing changes


def stack_sums(features: Array, degree_terms: Array, start: int, weights: StackWeights) -> Array:
    """Return the log-odds (rows, columns) of a block of pairs.

    `features` (sources, rows, columns) and `degree_terms` (terms, rows, columns) are of the nodes
    `start`, `start + 1`, … with the last nodes, as many as there are columns.
    """
    _, n_rows, n_columns = features.shape
    p = len(weights.own)
    rows, columns = slice(start, start + n_rows), slice(p - n_columns, p)
    own = weights.own[rows], weights.own[columns]
    levels = weights.with_levels[:, rows], weights.with_levels[:, columns]
    out = own[0][:, None] + own[1]
    if use_numba(p):
        of_rows, of_columns = (np.ascontiguousarray(one) for one in levels)
        stack_sums_numba(
            *(features, degree_terms, of_rows, of_columns, weights.curves, weights.bends),
            *(weights.crossed, weights.with_degrees, weights.degrees, weights.clip, out),
        )
        return out
    u = np.clip(features, -weights.clip, weights.clip)
    high = np.maximum(u - weights.bends[0], 0)
    for term, weight in zip(degree_terms, weights.degrees, strict=True):
        out += weight * term
    for at, one in enumerate(u):
        out += weights.curves[at, 0] * one
        for bend, weight in zip(weights.bends, weights.curves[at, 1:], strict=True):
            out += weight * np.maximum(one - bend, 0)
        slope = levels[0][at][:, None] + levels[1][at]
        for term, weight in zip(degree_terms, weights.with_degrees[at], strict=True):
            slope += weight * term
        for other in range(at):
            slope += weights.crossed[at, other] * high[other]
        out += high[at] * slope
    return out


@compiled
def add_term(weight: np.float32, term: Array, total: Array) -> None:
    """Add a term to the sums of a tile."""
    for c in range(total.size):
        total[c] += weight * term[c]


@compiled
def add_curve(
    feature: Array, curve: Array, bends: Array, clip: Any, high: Array, out: Array
) -> bool:
    """Add what the weights of one source's bends give; write what of it is above the first.

    Return whether any is.
    """
    top = -clip
    for c in range(out.size):
        u = min(max(feature[c], -clip), clip)
        out[c] += curve[0] * u
        high[c] = u
    for c in range(out.size):
        top = max(top, high[c])
    for b in range(bends.size):
        weight, bend = curve[1 + b], bends[b]
        if weight != np.float32(0.0) and top > bend:
            for c in range(out.size):
                out[c] += weight * max(high[c] - bend, np.float32(0.0))
    for c in range(out.size):
        high[c] = max(high[c] - bends[0], np.float32(0.0))
    return top > bends[0]


@compiled
def stack_sums_numba(
    features: Array,
    degree_terms: Array,
    row_levels: Array,
    column_levels: Array,
    curves: Array,
    bends: Array,
    crossed: Array,
    with_degrees: Array,
    degrees: Array,
    clip: np.float32,
    out: Array,
) -> None:
    """Add all terms to `out`; most features lie below the first bend, so most products are 0."""
    n_sources, n_rows, n_columns = features.shape
    n_degrees, above = degrees.size, np.empty(n_sources, np.bool_)
    high, slopes = np.empty((n_sources, TILE), np.float32), np.empty(TILE, np.float32)
    for r in range(n_rows):
        for first in range(0, n_columns, TILE):
            end = min(first + TILE, n_columns)
            n, total = end - first, out[r, first:end]
            for m in range(n_degrees):
                add_term(degrees[m], degree_terms[m, r, first:end], total)
            for at in range(n_sources):
                feature = features[at, r, first:end]
                above[at] = add_curve(feature, curves[at], bends, clip, high[at, :n], total)
            for at in range(n_sources):
                if not above[at]:
                    continue
                slope, shift = slopes[:n], row_levels[at, r]
                for c in range(n):
                    slope[c] = shift + column_levels[at, first + c]
                for m in range(n_degrees):
                    add_term(with_degrees[at, m], degree_terms[m, r, first:end], slope)
                for other in range(at):
                    if above[other]:
                        add_term(crossed[at, other], high[other, :n], slope)
                for c in range(n):
                    total[c] += high[at, c] * slope[c]

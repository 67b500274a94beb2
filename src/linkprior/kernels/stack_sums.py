"""The sum of terms that gives every pair of a block its log-odds by the stack of `auto`."""

from __future__ import annotations

from typing import NamedTuple

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
        given = (np.ascontiguousarray(one) for one in levels)
        stack_sums_numba(features, degree_terms, *given, *weights[:5], weights.clip, out)
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
    """Add all terms to `out`; most features lie below the first bend, so that most products are 0."""
    n_sources, n_rows, n_columns = features.shape
    high = np.empty((n_sources, TILE), np.float32)
    slope = np.empty(TILE, np.float32)
    above = np.empty(n_sources, np.bool_)
    for r in range(n_rows):
        for first in range(0, n_columns, TILE):
            n = min(TILE, n_columns - first)
            total = out[r, first : first + n]
            for m in range(len(degrees)):
                weight, term = degrees[m], degree_terms[m, r, first : first + n]
                for c in range(n):
                    total[c] += weight * term[c]
            for at in range(n_sources):
                feature, own, top = features[at, r, first : first + n], high[at], -clip
                weight = curves[at, 0]
                for c in range(n):
                    u = min(max(feature[c], -clip), clip)
                    total[c] += weight * u
                    own[c] = u
                for c in range(n):
                    top = max(top, own[c])
                for b in range(len(bends)):
                    weight, bend = curves[at, 1 + b], bends[b]
                    if weight != np.float32(0.0) and top > bend:
                        for c in range(n):
                            total[c] += weight * max(own[c] - bend, np.float32(0.0))
                above[at] = top > bends[0]
                for c in range(n):
                    own[c] = max(own[c] - bends[0], np.float32(0.0))
            for at in range(n_sources):
                if not above[at]:
                    continue
                own, shift = high[at], row_levels[at, r]
                levels = column_levels[at, first : first + n]
                for c in range(n):
                    slope[c] = shift + levels[c]
                for m in range(len(degrees)):
                    weight, term = with_degrees[at, m], degree_terms[m, r, first : first + n]
                    for c in range(n):
                        slope[c] += weight * term[c]
                for other in range(at):
                    if above[other]:
                        weight, another = crossed[at, other], high[other]
                        for c in range(n):
                            slope[c] += weight * another[c]
                for c in range(n):
                    total[c] += own[c] * slope[c]

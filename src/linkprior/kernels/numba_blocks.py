"""Compiled kernels of the block model: moving a node, merging two blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled

Array = NDArray[Any]


@compiled
def count_links(others: Array, group: Array, links: Array, touched: Array) -> int:
    """Count a node's links into each block, and list the blocks that have any."""
    n_touched = 0
    for other in others:
        t = group[other]
        if links[t] == 0:
            touched[n_touched] = t
            n_touched += 1
        links[t] += 1
    return n_touched


@compiled
def block_gains(
    r: int,
    k: int,
    links: Array,
    touched: Array,
    counts: Array,
    totals: Array,
    f: Array,
    gains: Array,
) -> None:
    """Write what a node of block r and degree k gains in each block; −∞ in its own."""
    leaving = 0.0
    gains[:] = 0.0
    for t in touched:
        if t != r:
            row, d = counts[t], links[t]
            leaving += f[row[r] - d] - f[row[r]]
            for s in range(gains.size):
                gains[s] += f[row[s] + d] - f[row[s]]
    inside = 0.5 * (f[counts[r, r] - 2 * links[r]] - f[counts[r, r]])
    inside -= f[totals[r] - k] - f[totals[r]]
    for s in range(gains.size):
        if s == r:
            gains[s] = -np.inf
            continue
        gain, d, between, own = gains[s] + leaving + inside, links[s], counts[r, s], counts[s, s]
        if d > 0:  # its links into s come from between r and s, and end within s
            gain -= f[own + d] - f[own] + f[between - d] - f[between]
            gain += 0.5 * (f[own + 2 * d] - f[own])
        gain += f[between + links[r] - d] - f[between]
        gains[s] = gain - (f[totals[s] + k] - f[totals[s]])


@compiled
def first_best(gains: Array, slack: float) -> int:
    """Return the first block whose gain is the largest, up to rounding."""
    least = gains.max() - slack
    for s in range(gains.size):
        if gains[s] >= least:
            return s
    return 0


@compiled
def move_nodes(
    indptr: Array,
    indices: Array,
    order: Array,
    group: Array,
    sizes: Array,
    counts: Array,
    xlogx: Array,
    slack: float,
) -> int:
    """Move each node where it gains most, one after the other."""
    n_blocks, moved = sizes.size, 0
    totals = counts.sum(axis=1)
    links, touched = np.zeros(n_blocks, np.int64), np.empty(n_blocks, np.int64)
    gains = np.empty(n_blocks)
    for node in order:
        r = group[node]
        if sizes[r] == 1:
            continue
        k = indptr[node + 1] - indptr[node]
        some = touched[
            : count_links(indices[indptr[node] : indptr[node + 1]], group, links, touched)
        ]
        block_gains(r, k, links, some, counts, totals, xlogx, gains)
        s = first_best(gains, slack)
        if gains[s] > slack:
            for t in some:
                counts[r, t] -= links[t]
                counts[t, r] -= links[t]
            for t in some:
                counts[s, t] += links[t]
                counts[t, s] += links[t]
            totals[r] -= k
            totals[s] += k
            sizes[r] -= 1
            sizes[s] += 1
            group[node] = s
            moved += 1
        links[some] = 0
    return moved


@compiled
def merge_losses(counts: Array, f: Array, losses: Array) -> None:
    """Write what merging each two blocks loses."""
    n_blocks = len(counts)
    totals = counts.sum(axis=1)
    for r in range(n_blocks):
        for s in range(r):
            one, other = counts[r], counts[s]
            loss = 0.0
            for t in range(n_blocks):
                if t not in (r, s):
                    loss += f[one[t]] + f[other[t]] - f[one[t] + other[t]]
            within = one[r] + other[s] + 2 * one[s]
            loss += 0.5 * (f[one[r]] + f[other[s]] + 2.0 * f[one[s]] - f[within])
            loss -= f[totals[r]] + f[totals[s]] - f[totals[r] + totals[s]]
            losses[r, s] = losses[s, r] = loss

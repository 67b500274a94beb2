"""Kernels of the block model: its search (`linkprior.solvers.sbm_search`), and rows of its scores.

`counts` holds the edges between each two blocks, twice those within one on its diagonal; `xlogx`
is x·log x for x = 0 … 2·edges. All of them run serially and release the GIL.
"""

from __future__ import annotations

import numpy as np

from linkprior.kernels._engine import Array, use_numba
from linkprior.kernels._jit import compiled

Pattern = tuple[Array, Array]  # indptr and indices
WEIGHT = 8  # a search visits every node hundreds of times: compiled code pays much sooner here


def move_nodes(
    pattern: Pattern, order: Array, group: Array, sizes: Array, counts: Array, xlogx: Array
) -> int:
    """Move each node, in this order, to the block that raises ½Σ f(m_rs) − Σ f(κ_r) most.

    `pattern` is that of a network without self-loops; `group` (the block of each node), `sizes` and
    `counts` are written over, all int64. A block is never left empty. Gains that differ by rounding
    alone are equal, and the first block wins. Returns the number of nodes moved.
    """
    slack = 1e-9 + 1e-13 * float(xlogx[-1])
    indptr, indices = pattern
    if use_numba(WEIGHT * len(group)):
        return int(move_nodes_numba(pattern, order, (group, sizes, counts), xlogx, slack))
    moved = 0
    for node in order.tolist():
        r = int(group[node])
        if sizes[r] == 1:
            continue
        links = np.bincount(group[indices[indptr[node] : indptr[node + 1]]], minlength=len(sizes))
        gains = _gains(r, links, counts, xlogx)
        s = int(np.argmax(gains >= gains.max() - slack))
        if gains[s] > slack:
            for block, sign in ((r, -1), (s, 1)):
                counts[block] += sign * links
                counts[:, block] += sign * links
                sizes[block] += sign
            group[node] = s
            moved += 1
    return moved


def _gains(r: int, links: Array, counts: Array, xlogx: Array) -> Array:
    """Return what a node of block r gains in each block; −∞ in its own."""
    k, totals, diagonal = links.sum(), counts.sum(axis=1), counts.diagonal()

    def f(x: Array) -> Array:
        return xlogx.take(x, mode="clip")  # column r is of no use, and may be out of range

    # All but the blocks r and s themselves: links go from row r to row s.
    others = np.flatnonzero(links)
    others = others[others != r]
    rows, d = counts[others], links[others, None]
    change = f(rows + d) - f(rows) + f(rows[:, [r]] - d) - f(rows[:, [r]])
    change[np.arange(len(others)), others] = 0.0
    gains = change.sum(axis=0)
    gains += (f(diagonal + 2 * links) - f(diagonal)) / 2.0
    gains += (f(counts[r, r] - 2 * links[r]) - f(counts[r, r])) / 2.0
    gains += f(counts[r] + links[r] - links) - f(counts[r])
    gains -= f(totals + k) - f(totals)
    gains -= f(totals[r] - k) - f(totals[r])
    gains[r] = -np.inf
    return gains


def merge_losses(counts: Array, xlogx: Array, n_nodes: int) -> Array:
    """Return how much less ½Σ f(m_rs) − Σ f(κ_r) is when two blocks are one; ∞ on the diagonal."""
    losses = np.full(counts.shape, np.inf)
    if use_numba(WEIGHT * n_nodes):
        merge_losses_numba(counts, xlogx, losses)
        return losses
    totals, diagonal = counts.sum(axis=1), counts.diagonal()

    def apart(one: Array, other: Array) -> Array:
        f = xlogx[one] + xlogx[other]
        return f - xlogx.take(one + other, mode="clip")  # a block and itself may be out of range

    for r in range(len(counts)):
        rows = apart(counts[r], counts)
        losses[r] = rows.sum(axis=1) - rows[:, r] - rows.diagonal()
        within = xlogx.take(diagonal[r] + diagonal + 2 * counts[r], mode="clip")
        parts = xlogx[diagonal[r]] + xlogx[diagonal] + 2.0 * xlogx[counts[r]]
        losses[r] += (parts - within) / 2.0 - apart(totals[r], totals)
    np.fill_diagonal(losses, np.inf)
    return losses


def mean_rates(groups: Array, rates: Array, start: int, stop: int) -> Array:
    """Return the mean over partitions of the rates between nodes start…stop and all nodes.

    `groups` (int64) has a row for each partition, the block of each node; `rates` a table of blocks
    × blocks for each, float64.
    """
    out = np.zeros((stop - start, groups.shape[1]))
    if use_numba(groups.shape[1]):
        add_rates_numba(groups, rates, start, out)
    else:
        for group, table in zip(groups, rates, strict=True):
            out += table[group[start:stop]][:, group]
    out /= len(groups)
    return out


# ---------------------------------------------------------------------- compiled


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
def move_nodes_numba(
    pattern: Pattern, order: Array, blocks: tuple[Array, Array, Array], xlogx: Array, slack: float
) -> int:
    """Move each node where it gains most, one after the other."""
    (indptr, indices), (group, sizes, counts) = pattern, blocks
    n_blocks, moved = sizes.size, 0
    totals = counts.sum(axis=1)
    links, touched = np.zeros(n_blocks, np.int64), np.empty(n_blocks, np.int64)
    gains = np.empty(n_blocks)
    for node in order:
        r = group[node]
        if sizes[r] == 1:
            continue
        n_touched = 0
        for other in indices[indptr[node] : indptr[node + 1]]:
            t = group[other]
            if links[t] == 0:
                touched[n_touched] = t
                n_touched += 1
            links[t] += 1
        some, k, s = touched[:n_touched], indptr[node + 1] - indptr[node], 0
        block_gains(r, k, links, some, counts, totals, xlogx, gains)
        least = gains.max() - slack
        while gains[s] < least:  # the first of the largest, up to rounding
            s += 1
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
def merge_losses_numba(counts: Array, f: Array, losses: Array) -> None:
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


@compiled
def add_rates_numba(groups: Array, rates: Array, start: int, out: Array) -> None:
    """Add up the rates of each partition, two at a time: a row of their tables stays in cache."""
    n = len(groups)
    for r in range(out.shape[0]):
        row, at = out[r], start + r
        for s in range(0, n - 1, 2):
            one, other = groups[s], groups[s + 1]
            first, second = rates[s, one[at]], rates[s + 1, other[at]]
            for y in range(row.size):
                row[y] = (row[y] + first[one[y]]) + second[other[y]]
        if n % 2:
            last = groups[n - 1]
            table = rates[n - 1, last[at]]
            for y in range(row.size):
                row[y] += table[last[y]]

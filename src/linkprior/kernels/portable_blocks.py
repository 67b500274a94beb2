"""Blocks of nodes, readably: moving a node, merging two blocks (see `linkprior.model.sbm`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def move_nodes(
    pattern: tuple[Array, Array],
    order: Array,
    group: Array,
    sizes: Array,
    counts: Array,
    xlogx: Array,
    slack: float,
) -> int:
    """Move each node where it gains most; all but `order` and `xlogx` are written over."""
    indptr, indices = pattern
    moved = 0
    for node in order.tolist():
        r = int(group[node])
        if sizes[r] == 1:
            continue
        others = indices[indptr[node] : indptr[node + 1]]
        links = np.bincount(group[others], minlength=len(sizes))
        gains = _gains(r, links, counts, xlogx)
        s = int(np.argmax(gains >= gains.max() - slack))
        if gains[s] > slack:
            _move(node, s, links, group, sizes, counts)
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


def _move(node: int, s: int, links: Array, group: Array, sizes: Array, counts: Array) -> None:
    r = int(group[node])
    for block, sign in ((r, -1), (s, 1)):
        counts[block] += sign * links
        counts[:, block] += sign * links
        sizes[block] += sign
    group[node] = s


def merge_losses(counts: Array, xlogx: Array) -> Array:
    """What merging each two blocks loses; ∞ on the diagonal."""
    totals, diagonal = counts.sum(axis=1), counts.diagonal()
    losses = np.empty(counts.shape)

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

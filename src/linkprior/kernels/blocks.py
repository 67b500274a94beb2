"""Kernels of the block model: the two steps of its search, on the engine for the network's size.

`counts` holds the edges between each two blocks, twice those within one on its diagonal; `xlogx`
is x·log x for x = 0 … 2·edges. All of them run serially and release the GIL.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.engine import engine_for

Array = NDArray[Any]
WEIGHT = 8  # a search visits every node hundreds of times: compiled code pays much sooner here


def move_nodes(
    pattern: tuple[Array, Array],
    order: Array,
    group: Array,
    sizes: Array,
    counts: Array,
    xlogx: Array,
) -> int:
    """Move each node, in this order, to the block that raises ½Σ f(m_rs) − Σ f(κ_r) most.

    Parameters
    ----------
    pattern : indptr and indices (int64) of a network without self-loops.
    group, sizes, counts : block of each node, nodes of each block, edges between blocks; int64,
        written over. A block is never left empty.

    Returns
    -------
    The number of nodes moved. Gains that differ by rounding alone are equal; the first block wins.
    """
    slack = 1e-9 + 1e-13 * float(xlogx[-1])
    engine = engine_for(WEIGHT * len(group))
    moved: int = engine.move_nodes(pattern, order, group, sizes, counts, xlogx, slack)
    return moved


def merge_losses(counts: Array, xlogx: Array, n_nodes: int) -> Array:
    """Return how much less ½Σ f(m_rs) − Σ f(κ_r) is when two blocks are one; ∞ on the diagonal."""
    losses: Array = engine_for(WEIGHT * n_nodes).merge_losses(counts, xlogx)
    assert losses.dtype == np.float64
    return losses

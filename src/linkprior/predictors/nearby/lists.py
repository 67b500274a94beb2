"""Lists of partners for a block of nodes, and how lists are united."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.ranking.candidates import ALLOWED, Candidates

BLOCK = 256  # nodes whose partners are found, scored and dropped together; fixed, like all blocks


class Block(NamedTuple):
    """Some nodes, and which block it is (for what is drawn)."""

    number: int
    nodes: Ints


class Lists(NamedTuple):
    """Partners of each node of a block: how many, and these, node after node."""

    counts: Ints
    partners: NDArray[np.integer[Any]]


def slices(n: int, size: int) -> list[slice]:
    """Cut n things into runs of at most `size`."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def united(block: Block, lists: Sequence[Lists], among: Candidates) -> Lists:
    """Return all partners that are candidates, each once, ascending."""
    p, b = among.network.n_nodes, len(block.nodes)
    codes = pr.distinct(
        np.concatenate([np.repeat(np.arange(b), one.counts) * p + one.partners for one in lists])
    )
    rows, partners = np.divmod(codes, p)
    kept = _open(block.nodes, rows, partners, among)
    return Lists(np.bincount(rows[kept], minlength=b), partners[kept])


def _open(nodes: Ints, rows: Ints, partners: Ints, among: Candidates) -> NDArray[np.bool_]:
    """Return which pairs are candidates: no self-pair, not barred, of nodes that may pair."""
    p, ends = among.network.n_nodes, nodes[rows]
    allowed = ALLOWED[among.kinds[ends], among.kinds[partners]] & (ends != partners)
    indptr, indices = among.barred.indptr.astype(np.int64), among.barred.indices
    taken = [indices[indptr[i] : indptr[i + 1]] for i in nodes.tolist()]
    owner = np.repeat(np.arange(len(nodes)), [len(part) for part in taken])
    barred = owner * p + np.concatenate(taken)
    if not len(barred):
        return allowed
    codes = rows * p + partners
    at = np.minimum(np.searchsorted(barred, codes), len(barred) - 1)
    return allowed & (barred[at] != codes)

"""Partners by paths: for some nodes, the others that most paths of length 3 lead to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.kernels.arguments import plain, vector_of
from linkprior.kernels.engine import engine_for

Array = NDArray[Any]
Pattern = tuple[Array, Array]


def l3_partners(
    pattern: Pattern,
    weight: ArrayLike,
    sources: ArrayLike,
    barred: Pattern,
    kinds: ArrayLike,
    allowed: ArrayLike,
    most: int,
    budget: int,
) -> tuple[Array, Array]:
    """Return how many partners each source has, and these, ascending, source by source.

    Parameters
    ----------
    pattern : indptr and indices of the whole network, symmetric, sorted, without a diagonal.
    weight : Σ weight[u]·weight[v] over walks x–u–v–y is what ranks the partners y of a source x.
    sources : nodes.
    barred : CSR pattern of the pairs that are no candidates.
    kinds, allowed : a number per node, and a table: whether nodes of two such kinds may pair.
    most : how many partners at most; ties go to the smaller node.
    budget : how many second steps, and how many third steps, are taken from a source at most.
        Where there are more, those from the nodes that count most are taken (first steps: the
        largest weight; second steps: the largest sum so far times weight).

    Returns
    -------
    int64 counts and int32 partners. A source does not depend on which others are asked for with it.
    """
    indptr, indices = plain(pattern[0], np.int64), plain(pattern[1], np.int32)
    p, nodes = len(indptr) - 1, plain(sources, np.int64)
    out, counts = np.empty((nodes.size, most), np.int32), np.zeros(nodes.size, np.int64)
    engine_for(p).l3_partners(
        indptr,
        indices,
        vector_of("weight", weight, p, np.float64),
        nodes,
        (plain(barred[0], np.int64), plain(barred[1], np.int32)),
        vector_of("kinds", kinds, p, np.uint8),
        plain(allowed, np.bool_),
        budget,
        out,
        counts,
    )
    return counts, out[np.arange(most) < counts[:, None]]

"""The nodes that most paths of length 3 lead to, in NumPy: one source at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]


def _go_first(degrees: Array, nodes: Array, worth: Array, budget: int) -> Array:
    """Return the nodes, or as many of those worth most as have `budget` neighbours in all."""
    if degrees[nodes].sum() <= budget:
        return nodes
    best = nodes[np.lexsort((nodes, -worth[nodes]))]
    return best[np.cumsum(degrees[best]) <= budget]


def l3_partners(
    indptr: Array,
    indices: Array,
    weight: Array,
    sources: Array,
    barred: tuple[Array, Array],
    kinds: Array,
    allowed: Array,
    budget: int,
    out: Array,
    counts: Array,
) -> None:
    """Write each source's partners of the largest Σ weight[u]·weight[v] over walks x–u–v–y."""
    p, degrees = len(indptr) - 1, np.diff(indptr)
    a = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(p, p))
    for r, x in enumerate(sources):
        near = indices[indptr[x] : indptr[x + 1]]
        first = _go_first(degrees, near, weight, budget)
        amounts = (weight[first] @ a[first]) * weight
        second = _go_first(degrees, np.flatnonzero(amounts), amounts, budget)
        sums = amounts[second] @ a[second]
        sums[x] = 0
        sums[barred[1][barred[0][x] : barred[0][x + 1]]] = 0
        sums[~allowed[kinds[x], kinds]] = 0
        some = np.flatnonzero(sums)
        best = some[np.argsort(-sums[some], kind="stable")][: out.shape[1]]
        counts[r] = len(best)
        out[r, : len(best)] = np.sort(best)

"""Compiled: the nodes that most paths of length 3 lead to, with a bound on the work for each node.

Sums are gathered in arrays of the network's length that all sources share and that are cleared
node by node, so that a source costs the walks from it and no pass over all nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled

Array = NDArray[Any]


@compiled
def go_first(indptr: Array, nodes: Array, worth: Array, budget: int) -> Array:
    """Return the nodes, or as many of those worth most as have `budget` neighbours in all."""
    total = 0
    for u in nodes:
        total += indptr[u + 1] - indptr[u]
    if total <= budget:
        return nodes
    nodes = np.sort(nodes)  # ties by node, however they were found
    order = np.argsort(-worth[nodes], kind="mergesort")
    kept, total = 0, 0
    for u in nodes[order]:
        total += indptr[u + 1] - indptr[u]
        if total > budget:
            break
        kept += 1
    return nodes[order[:kept]]


@compiled
def step(
    indptr: Array, indices: Array, origins: Array, amounts: Array, sums: Array, reached: Array
) -> int:
    """Add each origin's amount to its neighbours; list the nodes reached, return how many."""
    n = 0
    for u in origins:
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if sums[v] == 0:
                reached[n] = v
                n += 1
            sums[v] += amounts[u]
    return n


@compiled
def strongest(nodes: Array, values: Array, out: Array) -> int:
    """Write the nodes of the largest values, ties by smaller node, ascending; return how many."""
    n, most = nodes.size, out.size
    if n <= most:
        out[:n] = np.sort(nodes)
        return n
    worst = np.partition(values, n - most)[n - most]
    best = nodes[values > worst]
    out[: best.size] = best
    out[best.size :] = np.sort(nodes[values == worst])[: most - best.size]
    out.sort()
    return most


@compiled
def take_sums(
    x: int,
    reached: Array,
    sums: Array,
    barred: tuple[Array, Array],
    kinds: Array,
    allowed: Array,
    values: Array,
) -> int:
    """Move the partners of x to the front, with their sums; clear all sums; return how many."""
    sums[x] = 0
    for e in range(barred[0][x], barred[0][x + 1]):
        sums[barred[1][e]] = 0
    n, may = 0, allowed[kinds[x]]
    for y in reached:
        if sums[y] > 0 and may[kinds[y]]:
            reached[n], values[n] = y, sums[y]
            n += 1
        sums[y] = 0
    return n


@compiled
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
    p = indptr.size - 1
    half, amounts, sums, values = np.zeros(p), np.zeros(p), np.zeros(p), np.empty(p)
    second, third = np.empty(p, np.int32), np.empty(p, np.int32)
    for r in range(sources.size):
        x = sources[r]
        first = go_first(indptr, indices[indptr[x] : indptr[x + 1]], weight, budget)
        n = step(indptr, indices, first, weight, half, second)
        for v in second[:n]:
            amounts[v] = half[v] * weight[v]
            half[v] = 0
        nodes = go_first(indptr, second[:n], amounts, budget)
        m = step(indptr, indices, nodes, amounts, sums, third)
        m = take_sums(x, third[:m], sums, barred, kinds, allowed, values)
        counts[r] = strongest(third[:m], values[:m], out[r])

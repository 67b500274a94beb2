"""Compiled scores by paths of length 3, one row per source: two steps out, then one more.

For a source x everything is counted by walking x–u–v–y along stored neighbours, so that a row costs
the walks from its node and a few arrays of the network's length, and no product A² is ever held.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled

Array = NDArray[Any]


@compiled
def count_walks(indptr: Array, indices: Array, source: int, counts: Array, reached: Array) -> int:
    """Count the walks of length 2 to every node; list the nodes reached, return how many."""
    n = 0
    for a in range(indptr[source], indptr[source + 1]):
        u = indices[a]
        for b in range(indptr[u], indptr[u + 1]):
            v = indices[b]
            if counts[v] == 0:
                reached[n] = v
                n += 1
            counts[v] += 1
    return n


@compiled
def l3_rows(indptr: Array, indices: Array, weight: Array, sources: Array, out: Array) -> None:
    """Write Σ weight[u]·weight[v] over walks x–u–v–y; two steps are summed up before the third."""
    p = indptr.size - 1
    half, reached = np.zeros(p), np.empty(p, np.int32)
    for r in range(sources.size):
        row, n = out[r], 0
        row[:] = 0
        for a in range(indptr[sources[r]], indptr[sources[r] + 1]):
            u = indices[a]
            for b in range(indptr[u], indptr[u + 1]):
                v = indices[b]
                if half[v] == 0:
                    reached[n] = v
                    n += 1
                half[v] += weight[u]
        for t in range(n):
            v = reached[t]
            amount = half[v] * weight[v]
            half[v] = 0
            for e in range(indptr[v], indptr[v + 1]):
                row[indices[e]] += amount


@compiled
def walk_on(
    indptr: Array, indices: Array, u: int, ratio: Array, walks: Array, touched: Array
) -> int:
    """Add up walks u–v–y and the ratio of their v, for every y; list these y."""
    m = 0
    for b in range(indptr[u], indptr[u + 1]):
        v = indices[b]
        amount = ratio[v]
        for e in range(indptr[v], indptr[v + 1]):
            y = indices[e]
            if walks[y, 0] == 0:
                touched[m] = y
                m += 1
            walks[y, 0] += 1
            walks[y, 1] += amount
    return m


@compiled
def prepare_ends(
    indptr: Array, indices: Array, source: int, work: tuple[Array, Array], ratio: Array, ends: Array
) -> None:
    """Write (c_vx/k_v)² for the nodes v two steps from x, and how many of them each y has near."""
    counts, reached = work
    ends[:] = 0
    n = count_walks(indptr, indices, source, counts, reached)
    for t in range(n):
        v = reached[t]
        share = counts[v] / (indptr[v + 1] - indptr[v])
        ratio[v] = share * share
        counts[v] = 0
        for e in range(indptr[v], indptr[v + 1]):
            ends[indices[e]] += 1


@compiled
def l3n_rows(indptr: Array, indices: Array, sources: Array, out: Array) -> None:
    """Write (|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)²."""
    p = indptr.size - 1
    work = np.zeros(p, np.int32), np.empty(p, np.int32)
    ratio, walks, touched = np.empty(p), np.zeros((p, 2)), np.empty(p, np.int32)
    starts, ends = np.empty(p, np.int32), np.empty(p, np.int32)
    for r in range(sources.size):
        row, x = out[r], sources[r]
        row[:] = 0
        starts[:] = 0
        prepare_ends(indptr, indices, x, work, ratio, ends)
        for a in range(indptr[x], indptr[x + 1]):
            u = indices[a]
            degree = indptr[u + 1] - indptr[u]
            for t in range(walk_on(indptr, indices, u, ratio, walks, touched)):
                y = touched[t]
                share = walks[y, 0] / degree
                row[y] += walks[y, 1] * (share * share)
                starts[y] += 1
                walks[y, 0] = 0
                walks[y, 1] = 0
        for y in range(p):
            if starts[y] > 0:
                parts = np.float64(starts[y]) * np.float64(ends[y])
                row[y] *= parts / ((indptr[x + 1] - indptr[x]) * (indptr[y + 1] - indptr[y]))


@compiled
def similarities(
    indptr: Array, indices: Array, node: int, counts: Array, reached: Array, similar: Array
) -> int:
    """Write the Jaccard index of a node's neighbours with those of all nodes reached; itself 0."""
    n = count_walks(indptr, indices, node, counts, reached)
    own = indptr[node + 1] - indptr[node]
    for t in range(n):
        y = reached[t]
        shared = counts[y]
        similar[t] = shared / (own + (indptr[y + 1] - indptr[y]) - shared)
        if y == node:
            similar[t] = 0
        counts[y] = 0
    return n


@compiled
def most_similar_partner(
    indptr: Array, indices: Array, sources: Array, work: tuple[Array, Array, Array], out: Array
) -> None:
    """Write for every x and y the highest similarity of x with a neighbour of y."""
    counts, reached, similar = work
    for r in range(sources.size):
        row = out[r]
        row[:] = 0
        for t in range(similarities(indptr, indices, sources[r], counts, reached, similar)):
            v = reached[t]
            for e in range(indptr[v], indptr[v + 1]):
                row[indices[e]] = max(row[indices[e]], similar[t])


@compiled
def best_of_neighbours(
    indptr: Array, indices: Array, sources: Array, work: tuple[Array, Array, Array], out: Array
) -> None:
    """Write for every x and y the highest similarity of a neighbour of x with y.

    Neighbours are taken one by one for all sources together, which are therefore all different:
    hubs are neighbours of many.
    """
    counts, reached, similar = work
    p = indptr.size - 1
    place, wanted = np.full(p, -1, np.int32), np.zeros(p, np.bool_)
    out[:] = 0
    for r in range(sources.size):
        place[sources[r]] = r
        for a in range(indptr[sources[r]], indptr[sources[r] + 1]):
            wanted[indices[a]] = True
    for u in range(p):
        if wanted[u]:
            n = similarities(indptr, indices, u, counts, reached, similar)
            for a in range(indptr[u], indptr[u + 1]):
                r = place[indices[a]]
                if r >= 0:
                    for t in range(n):
                        out[r, reached[t]] = max(out[r, reached[t]], similar[t])


@compiled
def mps_rows(indptr: Array, indices: Array, sources: Array, out: Array) -> None:
    """Write max_{v∈N(y)} J(N(x), N(v)) + max_{u∈N(x)} J(N(u), N(y)), with v ≠ x and u ≠ y."""
    p, other = indptr.size - 1, np.empty_like(out)
    work = np.zeros(p, np.int32), np.empty(p, np.int32), np.empty(p)
    most_similar_partner(indptr, indices, sources, work, out)
    best_of_neighbours(indptr, indices, sources, work, other)
    for r in range(sources.size):
        for y in range(p):
            out[r, y] += other[r, y]

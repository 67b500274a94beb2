"""Compiled CH2-L3: paths of length 3, weighed by how their nodes hang together.

The community of x and y is U ∪ V: U the neighbours of x on paths x–u–v–y, V those of y. All v of V
next to a u of U are c_uy, so that u has i_u = c_uy + |{w ∈ N(u) ∩ N(x): w ∈ U, w ∉ N(y)}| of its
neighbours inside; likewise for v with x and y exchanged. The second number needs triangles only,
which are few beside the walks. On an observed pair x and y are never on the way themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.numba_jit import compiled

Array = NDArray[Any]
Triangles = tuple[Array, Array]  # where each stored entry's third nodes begin, and the nodes


@compiled
def fill_triangles(indptr: Array, indices: Array, starts: Array, nodes: Array) -> None:
    """Write the common neighbours of every stored pair; with no room for them only count."""
    n = 0
    for i in range(indptr.size - 1):
        for e in range(indptr[i], indptr[i + 1]):
            a, b = indptr[i], indptr[indices[e]]
            end_a, end_b = indptr[i + 1], indptr[indices[e] + 1]
            starts[e] = n
            while a < end_a and b < end_b:
                mine, theirs = indices[a], indices[b]
                if mine == theirs:
                    if nodes.size > 0:
                        nodes[n] = mine
                    n += 1
                a += mine <= theirs
                b += theirs <= mine
    starts[indices.size] = n


@compiled
def list_triangles(indptr: Array, indices: Array) -> Triangles:
    """Return the common neighbours of every stored pair, and where each pair's begin."""
    starts = np.empty(indices.size + 1, np.int64)
    fill_triangles(indptr, indices, starts, np.empty(0, np.int32))
    nodes = np.empty(starts[indices.size], np.int32)
    fill_triangles(indptr, indices, starts, nodes)
    return starts, nodes


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
def strength(degree: Any, inside: Any, linked: Any) -> Any:
    """Return √((1 + i)/(1 + e)) of a node next to one end, and to the other where `linked`."""
    return np.sqrt((1 + inside) / np.float64(degree - inside - linked))


@compiled
def weigh_entries(
    indptr: Array,
    indices: Array,
    triangles: Triangles,
    v: int,
    walks: int,
    ends: tuple[int, Array, Array],
    far: Array,
) -> None:
    """Write at every stored (v, y) the strength of v between x and y; 0 where it is on no path.

    `ends` is x, whether nodes are next to it, and the walks of length 2 from it to all others.
    """
    source, near, beyond = ends
    starts, nodes = triangles
    degree = indptr[v + 1] - indptr[v]
    alone = strength(degree, walks, near[v]) if walks + near[v] < degree else 0.0
    for e in range(indptr[v], indptr[v + 1]):
        y = indices[e]
        inside = walks - near[y]  # y is next to v, and not on its own way
        for a in range(starts[e], starts[e + 1]):
            inside += beyond[nodes[a]] > near[y]
        if y == source or walks == near[y]:
            far[e] = 0
        elif inside == walks:
            far[e] = alone
        else:
            far[e] = strength(degree, inside, near[v])


@compiled
def weigh_far_nodes(
    indptr: Array,
    indices: Array,
    triangles: Triangles,
    source: int,
    near: Array,
    work: tuple[Array, Array, Array],
    far: Array,
) -> None:
    """Write the strengths of all nodes v that are two steps from x."""
    counts, reached, beyond = work
    n = count_walks(indptr, indices, source, counts, reached)
    for t in range(n):
        v = reached[t]
        beyond[v] = 0 if v == source or near[v] else counts[v]
    for t in range(n):
        v = reached[t]
        if v != source:
            ends = source, near, beyond
            weigh_entries(indptr, indices, triangles, v, counts[v], ends, far)
    for t in range(n):
        counts[reached[t]] = 0
        beyond[reached[t]] = 0


@compiled
def mark_reached(
    indptr: Array,
    indices: Array,
    node: int,
    near: Array,
    counts: Array,
    reached: Array,
    mark: Array,
) -> None:
    """Mark the y to which a neighbour of x has a path of length 2 that avoids x, and no edge."""
    mark[:] = 0
    for t in range(count_walks(indptr, indices, node, counts, reached)):
        y = reached[t]
        mark[y] = counts[y] > near[y]
        counts[y] = 0
    mark[node] = 0
    for e in range(indptr[node], indptr[node + 1]):
        mark[indices[e]] = 0


@compiled
def walk_on(
    indptr: Array, indices: Array, u: Any, source: int, far: Array, walks: Array, touched: Array
) -> int:
    """Add up walks u–v–y that avoid x, and the strengths of their v, for every y; list these y."""
    m = 0
    for b in range(indptr[u], indptr[u + 1]):
        v = indices[b]
        if v != source:
            for e in range(indptr[v], indptr[v + 1]):
                y = indices[e]
                if walks[y, 0] == 0:
                    touched[m] = y
                    m += 1
                walks[y, 0] += 1
                walks[y, 1] += far[e]
    return m


@compiled
def add_paths(
    indptr: Array,
    indices: Array,
    u: Any,
    source: int,
    touched: Array,
    beside: Array,
    next_to: Array,
    walks: Array,
    row: Array,
) -> None:
    """Add the paths through u to the row of x: `beside` more of u's neighbours are inside."""
    first, last = indptr[u], indptr[u + 1]
    for e in range(first, last):
        next_to[indices[e]] = 1
    for t in range(touched.size):
        y = np.int64(touched[t])
        if y not in (u, source):
            inside = np.int64(walks[y, 0]) + beside[t]
            row[y] += walks[y, 1] * strength(last - first, inside, next_to[y])
        walks[y, 0] = 0
        walks[y, 1] = 0
    for e in range(first, last):
        next_to[indices[e]] = 0


@compiled
def most_marks(indptr: Array, triangles: Triangles, sources: Array) -> int:
    """Return how many neighbours of a source are in triangles with it, at most."""
    most = 0
    for r in range(sources.size):
        n = 0
        for a in range(indptr[sources[r]], indptr[sources[r] + 1]):
            n += triangles[0][a + 1] > triangles[0][a]
        most = max(most, n)
    return most


@compiled
def fill_marks(
    indptr: Array,
    indices: Array,
    triangles: Triangles,
    source: int,
    near: Array,
    work: tuple[Array, Array, Array],
    slot: Array,
    marks: Array,
) -> None:
    """Mark what the neighbours of x reach, each in a slot, where a triangle will ask for it."""
    n = 0
    for a in range(indptr[source], indptr[source + 1]):
        if triangles[0][a + 1] > triangles[0][a]:
            w = indices[a]
            slot[w] = n
            mark_reached(indptr, indices, w, near, work[0], work[1], marks[n])
            n += 1


@compiled
def ch2_rows(
    indptr: Array, indices: Array, starts: Array, nodes: Array, sources: Array, out: Array
) -> None:
    """Write Σ √((1+i_u)(1+i_v)) / √((1+e_u)(1+e_v)) over paths x–u–v–y."""
    p, triangles = indptr.size - 1, (starts, nodes)
    work = np.zeros(p, np.int32), np.empty(p, np.int32), np.zeros(p, np.int32)
    near, slot, far = np.zeros(p, np.int32), np.empty(p, np.int32), np.empty(indices.size)
    walks, touched, beside = np.zeros((p, 2)), np.empty(p, np.int32), np.empty(p, np.int32)
    next_to = np.zeros(p, np.int32)
    marks = np.empty((most_marks(indptr, triangles, sources), p), np.uint8)
    for r in range(sources.size):
        x, row = sources[r], out[r]
        row[:] = 0
        near[indices[indptr[x] : indptr[x + 1]]] = 1
        weigh_far_nodes(indptr, indices, triangles, x, near, work, far)
        fill_marks(indptr, indices, triangles, x, near, work, slot, marks)
        for a in range(indptr[x], indptr[x + 1]):
            u = np.int64(indices[a])
            m = walk_on(indptr, indices, u, x, far, walks, touched)
            beside[:m] = 0
            for b in range(starts[a], starts[a + 1]):
                mark = marks[slot[nodes[b]]]
                for t in range(m):
                    beside[t] += mark[touched[t]]
            add_paths(indptr, indices, u, x, touched[:m], beside, next_to, walks, row)
        near[indices[indptr[x] : indptr[x + 1]]] = 0

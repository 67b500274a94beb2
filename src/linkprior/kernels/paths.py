"""Scores by paths of length 3: rows of sources against all nodes, and the best partners by them.

`indptr` and `indices` are the whole network's CSR pattern, symmetric, sorted, without a diagonal;
`sources` are different nodes, in any order. The `…_rows` return a new float64 array of shape
(number of sources, number of nodes) whose diagonal entries mean nothing. A row does not depend on
which others are asked for with it.

In NumPy one source and some y are taken at a time, as the formulas say: arrays of shape (number of
y, p) hold one number per y and node on the way. Compiled, everything is counted by walking x–u–v–y
along stored neighbours, so that a row costs the walks from its node and a few arrays of the
network's length, and no product A² is ever held.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from linkprior.errors import ParameterError
from linkprior.kernels._engine import Array, plain, use_numba, vector_of
from linkprior.kernels._jit import compiled

Pattern = tuple[Array, Array]
Work = tuple[Array, Array, Array]
TARGETS_AT_ONCE = 256  # the y that are looked at together in NumPy


def l3_rows(indptr: ArrayLike, indices: ArrayLike, weight: ArrayLike, sources: ArrayLike) -> Array:
    """Return Σ weight[u]·weight[v] over walks x–u–v–y; weights are positive where edges are."""
    pattern, nodes, out = _arguments(indptr, indices, sources)
    weights = vector_of("weight", weight, out.shape[1], np.float64)
    if use_numba(out.shape[1]):
        l3_rows_numba(pattern, weights, nodes, out)
        return out
    a, w = _adjacency(*pattern), sp.diags_array(weights)
    out[:] = (a[nodes] @ w @ a @ w @ a).toarray()
    return out


def l3n_rows(indptr: ArrayLike, indices: ArrayLike, sources: ArrayLike) -> Array:
    """Return (|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)² over walks x–u–v–y."""
    pattern, nodes, out = _arguments(indptr, indices, sources)
    if use_numba(out.shape[1]):
        l3n_rows_numba(pattern, nodes, out)
        return out
    a, k = _adjacency(*pattern), np.diff(pattern[0])
    near, counts = a[nodes].toarray(), (a[nodes] @ a).toarray()
    for targets, near_y in _targets(a):
        c_y = near_y @ a
        for x, near_x, c_x, row in zip(nodes, near, counts, out, strict=True):
            U, V = near_x * (c_y > 0), near_y * (c_x > 0)
            total = (((U * _per(c_y, k) ** 2) @ a) * (V * _per(c_x, k) ** 2)).sum(axis=1)
            shares = _per(U.sum(axis=1), k[x]) * _per(V.sum(axis=1), k[targets])
            row[targets] = shares * total
    return out


def ch2_rows(
    indptr: ArrayLike, indices: ArrayLike, triangles: Pattern, sources: ArrayLike
) -> Array:
    """Return Σ √((1+i_u)(1+i_v)) / √((1+e_u)(1+e_v)) over paths x–u–v–y of four nodes.

    The community of x and y is U ∪ V: U the neighbours of x on such paths, V those of y; i and e
    count the neighbours of a node inside it, and outside apart from x and y. `triangles` is what
    `list_triangles` found in the network; the definition itself, in NumPy, needs no such list.
    """
    pattern, nodes, out = _arguments(indptr, indices, sources)
    if use_numba(out.shape[1]):
        ch2_rows_numba(pattern, triangles, nodes, out)
        return out
    a, k = _adjacency(*pattern), np.diff(pattern[0])
    near = a[nodes].toarray()
    for targets, near_y in _targets(a):
        ys = np.arange(len(near_y))
        for x, near_x, row in zip(nodes, near, out, strict=True):
            u, v = np.tile(near_x, (len(ys), 1)), near_y.copy()
            u[ys, targets.start + ys] = 0
            v[:, x] = 0
            U, V = u * ((v @ a) > 0), v * ((u @ a) > 0)
            community = (U + V) > 0
            inside = community @ a
            # Below 0 for nodes outside the community and on the diagonal only: both mean nothing.
            outside = np.maximum(k - inside - near_x - near_y, 0)
            strengths = np.sqrt((1 + inside) / (1 + outside))
            row[targets] = (((U * strengths) @ a) * (V * strengths)).sum(axis=1)
    return out


def mps_rows(indptr: ArrayLike, indices: ArrayLike, sources: ArrayLike) -> Array:
    """Return max_{v∈N(y)} J(N(x), N(v)) + max_{u∈N(x)} J(N(u), N(y)), with v ≠ x and u ≠ y."""
    pattern, nodes, out = _arguments(indptr, indices, sources)
    if use_numba(out.shape[1]):
        mps_rows_numba(pattern, nodes, out)
        return out
    a, k = _adjacency(*pattern), np.diff(pattern[0])
    near, counts = a[nodes].toarray(), (a[nodes] @ a).toarray()
    for targets, near_y in _targets(a):
        to_y = _jaccard(near_y @ a, k[targets, None], k)
        to_y[np.arange(len(to_y)), targets.start + np.arange(len(to_y))] = 0
        for x, near_x, c_x, row in zip(nodes, near, counts, out, strict=True):
            to_x = _jaccard(c_x, k[x], k)
            to_x[x] = 0
            row[targets] = (near_y * to_x).max(axis=1) + (near_x * to_y).max(axis=1)
    return out


def list_triangles(indptr: ArrayLike, indices: ArrayLike) -> Pattern:
    """Return for every stored pair where its common neighbours begin (int64), and these (int32)."""
    begins, columns = plain(indptr, np.int64), plain(indices, np.int32)
    if use_numba(len(begins) - 1):
        return list_triangles_numba((begins, columns))
    near = [columns[begin:end] for begin, end in pairwise(begins)]
    thirds = [
        np.intersect1d(mine, near[j], assume_unique=True).astype(np.int32)
        for mine in near
        for j in mine
    ]
    starts = np.concatenate([[0], np.cumsum([len(third) for third in thirds])])
    return starts.astype(np.int64), np.concatenate([np.empty(0, np.int32), *thirds])


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
    """Return how many partners each source has (int64), and these, ascending, source by source.

    Σ weight[u]·weight[v] over walks x–u–v–y ranks the partners y of a source x, at most `most`,
    ties to the smaller node. `barred` is the pattern of pairs that are not candidates, `kinds` a
    number per node, and the table `allowed` holds whether nodes of two kinds may pair. Second
    steps, and third ones, are taken from a source up to a `budget`: where there are more, those
    from the nodes that count most (first steps: the largest weight; second steps: the largest sum
    so far times weight). A source does not depend on which others are asked for with it.
    """
    indptr, indices = plain(pattern[0], np.int64), plain(pattern[1], np.int32)
    p, nodes = len(indptr) - 1, plain(sources, np.int64)
    weights = vector_of("weight", weight, p, np.float64)
    never = plain(barred[0], np.int64), plain(barred[1], np.int32)
    kind, may = vector_of("kinds", kinds, p, np.uint8), plain(allowed, np.bool_)
    out, counts = np.empty((nodes.size, most), np.int32), np.zeros(nodes.size, np.int64)
    if use_numba(p):
        l3_partners_numba((indptr, indices), weights, nodes, never, kind, may, budget, out, counts)
        return counts, out[np.arange(most) < counts[:, None]]
    degrees, a = np.diff(indptr), _adjacency(indptr, indices)
    for r, x in enumerate(nodes):
        first = _go_first(degrees, indices[indptr[x] : indptr[x + 1]], weights, budget)
        amounts = (weights[first] @ a[first]) * weights
        second = _go_first(degrees, np.flatnonzero(amounts), amounts, budget)
        sums = amounts[second] @ a[second]
        sums[x] = 0
        sums[never[1][never[0][x] : never[0][x + 1]]] = 0
        sums[~may[kind[x], kind]] = 0
        some = np.flatnonzero(sums)
        best = some[np.argsort(-sums[some], kind="stable")][:most]
        counts[r] = len(best)
        out[r, : len(best)] = np.sort(best)
    return counts, out[np.arange(most) < counts[:, None]]


def _arguments(
    indptr: ArrayLike, indices: ArrayLike, sources: ArrayLike
) -> tuple[Pattern, Array, Array]:
    """Return the pattern, the sources, and room for their rows."""
    pattern = plain(indptr, np.int64), plain(indices, np.int32)
    nodes, p = plain(sources, np.int64), len(pattern[0]) - 1
    if nodes.ndim != 1 or ((nodes < 0) | (nodes >= p)).any() or len(np.unique(nodes)) < nodes.size:
        raise ParameterError(f"sources must be different nodes of 0…{p - 1}, got {sources!r}")
    return pattern, nodes, np.empty((nodes.size, p))


def _adjacency(indptr: Array, indices: Array) -> sp.csr_array:
    p = len(indptr) - 1
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(p, p))


def _targets(a: sp.csr_array) -> Iterator[tuple[slice, Array]]:
    """Yield runs of nodes y with their neighbours, as ones in rows."""
    for begin in range(0, a.shape[0], TARGETS_AT_ONCE):
        targets = slice(begin, begin + TARGETS_AT_ONCE)
        yield targets, a[targets].toarray()


def _per(values: Array, degrees: Array) -> Array:
    """Return values divided by degrees, which are 0 only where the values are."""
    return values / np.maximum(degrees, 1)


def _jaccard(shared: Array, own: Array, others: Array) -> Array:
    """Return shared/(own + others − shared), 0 where nothing is shared."""
    return _per(shared, own + others - shared)


def _go_first(degrees: Array, nodes: Array, worth: Array, budget: int) -> Array:
    """Return the nodes, or as many of those worth most as have `budget` neighbours in all."""
    if degrees[nodes].sum() <= budget:
        return nodes
    best = nodes[np.lexsort((nodes, -worth[nodes]))]
    return best[np.cumsum(degrees[best]) <= budget]


# ---------------------------------------------------------------------- compiled


@compiled
def step(pattern: Pattern, origins: Array, amounts: Array, sums: Array, reached: Array) -> int:
    """Add each origin's amount to its neighbours; list the nodes reached, return how many."""
    indptr, indices = pattern
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
def count_walks(pattern: Pattern, source: int, counts: Array, reached: Array) -> int:
    """Count the walks of length 2 to every node; list the nodes reached, return how many."""
    indptr, indices = pattern
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
def l3_rows_numba(pattern: Pattern, weight: Array, sources: Array, out: Array) -> None:
    """Write Σ weight[u]·weight[v] over walks x–u–v–y; two steps are summed up before the third."""
    indptr, indices = pattern
    half, reached = np.zeros(weight.size), np.empty(weight.size, np.int32)
    for r in range(sources.size):
        row, x = out[r], sources[r]
        row[:] = 0
        n = step(pattern, indices[indptr[x] : indptr[x + 1]], weight, half, reached)
        for v in reached[:n]:
            amount = half[v] * weight[v]
            half[v] = 0
            for e in range(indptr[v], indptr[v + 1]):
                row[indices[e]] += amount


@compiled
def walk_on(pattern: Pattern, u: int, ratio: Array, walks: Array, touched: Array) -> int:
    """Add up walks u–v–y and the ratio of their v, for every y; list these y."""
    indptr, indices = pattern
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
def l3n_rows_numba(pattern: Pattern, sources: Array, out: Array) -> None:
    """Write (|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)²."""
    indptr, indices = pattern
    p = indptr.size - 1
    counts, reached = np.zeros(p, np.int32), np.empty(p, np.int32)
    ratio, walks, touched = np.empty(p), np.zeros((p, 2)), np.empty(p, np.int32)
    starts, ends = np.empty(p, np.int32), np.empty(p, np.int32)  # |U| and |V| of each y
    for r in range(sources.size):
        row, x = out[r], sources[r]
        row[:] = 0
        starts[:] = 0
        ends[:] = 0
        for v in reached[: count_walks(pattern, x, counts, reached)]:
            share = counts[v] / (indptr[v + 1] - indptr[v])
            ratio[v] = share * share
            counts[v] = 0
            for e in range(indptr[v], indptr[v + 1]):
                ends[indices[e]] += 1
        for a in range(indptr[x], indptr[x + 1]):
            u = indices[a]
            degree = indptr[u + 1] - indptr[u]
            for y in touched[: walk_on(pattern, u, ratio, walks, touched)]:
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
def similarities(pattern: Pattern, node: Any, counts: Array, reached: Array, similar: Array) -> int:
    """Write the Jaccard index of a node's neighbours with those of all nodes reached; itself 0."""
    indptr, _ = pattern
    n = count_walks(pattern, node, counts, reached)
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
def mps_rows_numba(pattern: Pattern, sources: Array, out: Array) -> None:
    """Write max_{v∈N(y)} J(N(x), N(v)) + max_{u∈N(x)} J(N(u), N(y)), with v ≠ x and u ≠ y.

    For the second, neighbours u are taken one by one for all sources together, which are therefore
    all different: hubs are neighbours of many.
    """
    indptr, indices = pattern
    p, best = indptr.size - 1, np.zeros_like(out)
    counts, reached, similar = np.zeros(p, np.int32), np.empty(p, np.int32), np.empty(p)
    place, wanted = np.full(p, -1, np.int32), np.zeros(p, np.bool_)
    out[:] = 0
    for r in range(sources.size):
        row = out[r]
        for t in range(similarities(pattern, sources[r], counts, reached, similar)):
            v = reached[t]
            for e in range(indptr[v], indptr[v + 1]):
                row[indices[e]] = max(row[indices[e]], similar[t])
        place[sources[r]] = r
        for a in range(indptr[sources[r]], indptr[sources[r] + 1]):
            wanted[indices[a]] = True
    for u in range(p):
        if wanted[u]:
            n = similarities(pattern, u, counts, reached, similar)
            for a in range(indptr[u], indptr[u + 1]):
                r = place[indices[a]]
                if r >= 0:
                    for t in range(n):
                        best[r, reached[t]] = max(best[r, reached[t]], similar[t])
    for r in range(sources.size):
        for y in range(p):
            out[r, y] += best[r, y]


# CH2-L3. All v of V next to a u of U are c_uy, so that u has
# i_u = c_uy + |{w ∈ N(u) ∩ N(x): w ∈ U, w ∉ N(y)}| of its neighbours inside; likewise for v with x
# and y exchanged. The second number needs triangles only, which are few against the walks. On an
# observed pair x and y are never on the way themselves.


@compiled
def list_triangles_numba(pattern: Pattern) -> Pattern:
    """Return where the common neighbours of every stored pair begin, and these."""
    indptr, indices = pattern
    starts, nodes = np.empty(indices.size + 1, np.int64), np.empty(0, np.int32)
    for counted in (False, True):  # with no room for them only count
        n = 0
        for i in range(indptr.size - 1):
            for e in range(indptr[i], indptr[i + 1]):
                a, b = indptr[i], indptr[indices[e]]
                end_a, end_b = indptr[i + 1], indptr[indices[e] + 1]
                starts[e] = n
                while a < end_a and b < end_b:
                    mine, theirs = indices[a], indices[b]
                    if mine == theirs:
                        if counted:
                            nodes[n] = mine
                        n += 1
                    a += mine <= theirs
                    b += theirs <= mine
        starts[indices.size] = n
        if not counted:
            nodes = np.empty(n, np.int32)
    return starts, nodes


@compiled
def strength(degree: Any, inside: Any, linked: Any) -> Any:
    """Return √((1 + i)/(1 + e)) of a node next to one end, and to the other where `linked`."""
    return np.sqrt((1 + inside) / np.float64(degree - inside - linked))


@compiled
def strengths_of(pattern: Pattern, node: Any, strengths: tuple[Array, Array]) -> Array:
    """Return a node's strengths by whether it is linked to the other end, and i."""
    indptr, _ = pattern
    known, table = strengths
    degree, at = indptr[node + 1] - indptr[node], 2 * (indptr[node] + node)
    own = table[at : at + 2 * (degree + 1)].reshape(2, degree + 1)
    if not known[node]:
        known[node] = True
        for linked in range(2):
            for inside in range(degree - linked):
                own[linked, inside] = strength(degree, inside, linked)
    return own


@compiled
def add_up_inside(triangles: Pattern, first: int, last: int, beyond: Array, inside: Array) -> None:
    """Write how many of the triangles' third nodes are two steps from x, up to each of them."""
    starts, nodes = triangles
    n, total = starts[first], 0
    for a in range(n, starts[last]):
        inside[a - n] = total
        total += beyond[nodes[a]] > 0
    inside[starts[last] - n] = total


@compiled
def weigh_entries(
    pattern: Pattern,
    triangles: Pattern,
    x: int,
    v: int,
    walks: int,
    near: Array,
    beyond: Array,
    strengths: Array,
    sums: Array,
    far: Array,
) -> None:
    """Write at every stored (v, y) the strength of v between x and y; 0 where it is on no path."""
    # `near` marks the neighbours of x, `beyond` holds the walks of length 2 from x to all others.
    # Third nodes are counted by differences of sums: loops of a few steps are slow to begin.
    indptr, indices = pattern
    starts, nodes = triangles
    n, own = starts[indptr[v]], strengths[near[v]]
    add_up_inside(triangles, indptr[v], indptr[v + 1], beyond, sums)
    for e in range(indptr[v], indptr[v + 1]):
        y = indices[e]
        if near[y] == 0:
            inside = walks + sums[starts[e + 1] - n] - sums[starts[e] - n]
            far[e] = own[inside] if y != x else 0.0
        elif walks == 1:
            far[e] = 0
        else:
            inside = walks - 1  # y is next to v, and not on its own way
            for a in range(starts[e], starts[e + 1]):
                inside += beyond[nodes[a]] > 1
            far[e] = own[inside]


@compiled
def weigh_far_nodes(
    pattern: Pattern,
    triangles: Pattern,
    x: int,
    near: Array,
    work: Work,
    strengths: tuple[Array, Array],
    sums: Array,
    far: Array,
) -> None:
    """Write the strengths of all nodes v that are two steps from x."""
    counts, reached, beyond = work
    some = reached[: count_walks(pattern, x, counts, reached)]
    for v in some:
        beyond[v] = 0 if v == x or near[v] else counts[v]
    for v in some:
        if v != x:
            own, walks = strengths_of(pattern, v, strengths), counts[v]
            weigh_entries(pattern, triangles, x, v, walks, near, beyond, own, sums, far)
    for v in some:
        counts[v] = 0
        beyond[v] = 0


@compiled
def mark_reached(pattern: Pattern, node: int, x: int, mark: Array) -> None:
    """Mark the y to which a neighbour of x has a path of length 2 that avoids x, and no edge."""
    indptr, indices = pattern
    own = indices[indptr[node] : indptr[node + 1]]
    mark[:] = 0
    for v in own:
        if v != x:
            for e in range(indptr[v], indptr[v + 1]):
                mark[indices[e]] = 1
    mark[node] = 0
    for v in own:
        mark[v] = 0


@compiled
def walk_past(pattern: Pattern, u: Any, x: int, far: Array, walks: Array, touched: Array) -> int:
    """Add up walks u–v–y that avoid x, and the strengths of their v, for every y; list these y."""
    indptr, indices = pattern
    m = 0
    for b in range(indptr[u], indptr[u + 1]):
        v = indices[b]
        if v != x:
            for e in range(indptr[v], indptr[v + 1]):
                y = indices[e]
                if walks[y, 0] == 0:
                    touched[m] = y
                    m += 1
                walks[y, 0] += 1
                walks[y, 1] += far[e]
    return m


@compiled
def add_marks(mark: Array, touched: Array, everywhere: bool, beside: Array) -> None:
    """Count one more of u's neighbours inside for each y that is marked, of all or those touched.

    All of them at a time are added sooner than the sixteenth part one by one.
    """
    if everywhere:
        for y in range(beside.size):
            beside[y] += mark[y]
    else:
        for y in touched:
            beside[y] += mark[y]


@compiled
def ch2_rows_numba(pattern: Pattern, triangles: Pattern, sources: Array, out: Array) -> None:
    """Write Σ √((1+i_u)(1+i_v)) / √((1+e_u)(1+e_v)) over paths x–u–v–y."""
    indptr, indices = pattern
    starts, nodes = triangles
    p, most = indptr.size - 1, 0
    for x in sources:  # what neighbours of x reach is marked where a triangle will ask for it
        most = max(most, (np.diff(starts[indptr[x] : indptr[x + 1] + 1]) > 0).sum())
    marks, slot = np.empty((most, p), np.uint8), np.empty(p, np.int32)
    work = np.zeros(p, np.int32), np.empty(p, np.int32), np.zeros(p, np.int32)
    near, next_to, far = np.zeros(p, np.int32), np.zeros(p, np.int32), np.empty(indices.size)
    walks, touched, beside = np.zeros((p, 2)), np.empty(p, np.int32), np.zeros(p, np.uint32)
    strengths = np.zeros(p, np.bool_), np.empty(2 * (indices.size + p))
    longest = 0
    for v in range(p):
        longest = max(longest, starts[indptr[v + 1]] - starts[indptr[v]])
    sums = np.empty(longest + 1, np.int32)
    for r in range(sources.size):
        x, row, n = sources[r], out[r], 0
        row[:] = 0
        near[indices[indptr[x] : indptr[x + 1]]] = 1
        weigh_far_nodes(pattern, triangles, x, near, work, strengths, sums, far)
        for a in range(indptr[x], indptr[x + 1]):
            if starts[a + 1] > starts[a]:
                slot[indices[a]] = n
                mark_reached(pattern, indices[a], x, marks[n])
                n += 1
        for a in range(indptr[x], indptr[x + 1]):
            u = np.int64(indices[a])
            m = walk_past(pattern, u, x, far, walks, touched)
            everywhere = 16 * m > p
            for b in range(starts[a], starts[a + 1]):
                add_marks(marks[slot[nodes[b]]], touched[:m], everywhere, beside)
            table = strengths_of(pattern, u, strengths)
            next_to[indices[indptr[u] : indptr[u + 1]]] = 1
            for t in range(m):
                y = np.int64(touched[t])
                if y not in (u, x):
                    inside = np.int64(walks[y, 0]) + np.int64(beside[y])
                    row[y] += walks[y, 1] * table[next_to[y], inside]
                walks[y, 0] = 0
                walks[y, 1] = 0
                beside[y] = 0
            next_to[indices[indptr[u] : indptr[u + 1]]] = 0
            if everywhere and starts[a + 1] > starts[a]:
                beside[:] = 0
        near[indices[indptr[x] : indptr[x + 1]]] = 0


# Partners. Sums are gathered in arrays of the network's length that all sources share and that are
# cleared node by node, so that a source costs the walks from it and no pass over all nodes.


@compiled
def go_first(indptr: Array, nodes: Array, worth: Array, budget: int) -> Array:
    """Return the nodes, or as many of those worth most as have `budget` neighbours in all."""
    if (indptr[nodes + 1] - indptr[nodes]).sum() <= budget:
        return nodes
    nodes = np.sort(nodes)  # ties by node, however they were found
    best = nodes[np.argsort(-worth[nodes], kind="mergesort")]
    return best[np.cumsum(indptr[best + 1] - indptr[best]) <= budget]


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
def l3_partners_numba(
    pattern: Pattern,
    weight: Array,
    sources: Array,
    barred: Pattern,
    kinds: Array,
    allowed: Array,
    budget: int,
    out: Array,
    counts: Array,
) -> None:
    """Write each source's partners of the largest Σ weight[u]·weight[v] over walks x–u–v–y."""
    indptr, indices = pattern
    p = indptr.size - 1
    half, amounts, sums, values = np.zeros(p), np.zeros(p), np.zeros(p), np.empty(p)
    second, third = np.empty(p, np.int32), np.empty(p, np.int32)
    for r in range(sources.size):
        x = sources[r]
        first = go_first(indptr, indices[indptr[x] : indptr[x + 1]], weight, budget)
        n = step(pattern, first, weight, half, second)
        for v in second[:n]:
            amounts[v] = half[v] * weight[v]
            half[v] = 0
        nodes = go_first(indptr, second[:n], amounts, budget)
        m = step(pattern, nodes, amounts, sums, third)
        sums[x] = 0
        sums[barred[1][barred[0][x] : barred[0][x + 1]]] = 0
        n, may = 0, allowed[kinds[x]]
        for y in third[:m]:  # partners move to the front
            if sums[y] > 0 and may[kinds[y]]:
                third[n], values[n] = y, sums[y]
                n += 1
            sums[y] = 0
        counts[r] = strongest(third[:n], values[:n], out[r])

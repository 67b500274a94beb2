"""Scores by paths of length 3 as their formulas say: for one source x and some y at a time.

Arrays of shape (number of y, p) hold one number per y and node on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]
TARGETS_AT_ONCE = 256  # the y that are looked at together


def _pattern(indptr: Array, indices: Array) -> sp.csr_array:
    p = len(indptr) - 1
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(p, p))


def _pieces(a: sp.csr_array) -> Iterator[tuple[slice, Array]]:
    """Yield runs of nodes y with their neighbours, as ones in rows."""
    for begin in range(0, a.shape[0], TARGETS_AT_ONCE):
        targets = slice(begin, begin + TARGETS_AT_ONCE)
        yield targets, a[targets].toarray()


def _per(values: Array, degrees: Array) -> Array:
    """Return values divided by degrees, which are 0 only where the values are."""
    ratio: Array = values / np.maximum(degrees, 1)
    return ratio


def l3_rows(indptr: Array, indices: Array, weight: Array, sources: Array, out: Array) -> None:
    """A·W·A·W·A for some rows."""
    a, w = _pattern(indptr, indices), sp.diags_array(weight)
    out[:] = (a[sources] @ w @ a @ w @ a).toarray()


def l3n_rows(indptr: Array, indices: Array, sources: Array, out: Array) -> None:
    """(|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)² over edges u–v, u ∈ U, v ∈ V."""
    a, k = _pattern(indptr, indices), np.diff(indptr)
    near, counts = a[sources].toarray(), (a[sources] @ a).toarray()
    for targets, near_y in _pieces(a):
        c_y = near_y @ a
        for x, near_x, c_x, row in zip(sources, near, counts, out, strict=True):
            U, V = near_x * (c_y > 0), near_y * (c_x > 0)
            total = (((U * _per(c_y, k) ** 2) @ a) * (V * _per(c_x, k) ** 2)).sum(axis=1)
            shares = _per(U.sum(axis=1), k[x]) * _per(V.sum(axis=1), k[targets])
            row[targets] = shares * total


def _jaccard(shared: Array, own: Array, others: Array) -> Array:
    """Return shared/(own + others − shared), 0 where nothing is shared."""
    union = np.maximum(own + others - shared, 1)
    return shared / union


def mps_rows(indptr: Array, indices: Array, sources: Array, out: Array) -> None:
    """max_{v∈N(y)} J(N(x), N(v)) + max_{u∈N(x)} J(N(u), N(y)), with v ≠ x and u ≠ y."""
    a, k = _pattern(indptr, indices), np.diff(indptr)
    near, counts = a[sources].toarray(), (a[sources] @ a).toarray()
    for targets, near_y in _pieces(a):
        to_y = _jaccard(near_y @ a, k[targets, None], k)
        to_y[np.arange(len(to_y)), targets.start + np.arange(len(to_y))] = 0
        for x, near_x, c_x, row in zip(sources, near, counts, out, strict=True):
            to_x = _jaccard(c_x, k[x], k)
            to_x[x] = 0
            row[targets] = (near_y * to_x).max(axis=1) + (near_x * to_y).max(axis=1)


def ch2_rows(
    indptr: Array, indices: Array, starts: Array, nodes: Array, sources: Array, out: Array
) -> None:
    """Σ √((1+i_u)(1+i_v)) / √((1+e_u)(1+e_v)); the definition needs no list of triangles."""
    a, k = _pattern(indptr, indices), np.diff(indptr)
    near = a[sources].toarray()
    for targets, near_y in _pieces(a):
        ys = np.arange(len(near_y))
        for x, near_x, row in zip(sources, near, out, strict=True):
            u, v = np.tile(near_x, (len(ys), 1)), near_y.copy()
            u[ys, targets.start + ys] = 0
            v[:, x] = 0
            U, V = u * ((v @ a) > 0), v * ((u @ a) > 0)
            community = (U + V) > 0
            inside = community @ a
            # Below 0 for nodes outside the community and on the diagonal only: both mean nothing.
            outside = np.maximum(k - inside - near_x - near_y, 0)
            strength = np.sqrt((1 + inside) / (1 + outside))
            row[targets] = (((U * strength) @ a) * (V * strength)).sum(axis=1)


def list_triangles(indptr: Array, indices: Array) -> tuple[Array, Array]:
    """Common neighbours of every stored pair, ascending, one pair after the other."""
    near = [indices[begin:end] for begin, end in pairwise(indptr)]
    found = [
        np.intersect1d(mine, near[j], assume_unique=True).astype(np.int32)
        for mine in near
        for j in mine
    ]
    starts = np.concatenate([[0], np.cumsum([len(third) for third in found])])
    return starts.astype(np.int64), np.concatenate([np.empty(0, np.int32), *found])

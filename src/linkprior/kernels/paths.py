"""Scores by paths of length 3: rows of sources against all nodes, from the network's pattern.

`indptr` and `indices` are the whole network's CSR pattern, symmetric, sorted, without a diagonal;
`sources` are different nodes, in any order. Each function returns a new float64 array of shape
(number of sources, number of nodes) whose diagonal entries mean nothing. A row does not depend on
which others are asked for with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import ParameterError
from linkprior.kernels.arguments import plain, vector_of
from linkprior.kernels.engine import engine_for

Array = NDArray[Any]
Pattern = tuple[Array, Array]


def l3_rows(indptr: ArrayLike, indices: ArrayLike, weight: ArrayLike, sources: ArrayLike) -> Array:
    """Return Σ weight[u]·weight[v] over walks x–u–v–y; weights are positive where edges are."""
    pattern, nodes, out = _arguments(indptr, indices, sources)
    weights = vector_of("weight", weight, out.shape[1], np.float64)
    engine_for(out.shape[1]).l3_rows(*pattern, weights, nodes, out)
    return out


def l3n_rows(indptr: ArrayLike, indices: ArrayLike, sources: ArrayLike) -> Array:
    """Return (|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)² over walks x–u–v–y."""
    pattern, nodes, out = _arguments(indptr, indices, sources)
    engine_for(out.shape[1]).l3n_rows(*pattern, nodes, out)
    return out


def ch2_rows(
    indptr: ArrayLike, indices: ArrayLike, triangles: Pattern, sources: ArrayLike
) -> Array:
    """Return Σ √((1+i_u)(1+i_v)) / √((1+e_u)(1+e_v)) over paths x–u–v–y of four nodes.

    `triangles` is what `list_triangles` found in the network.
    """
    pattern, nodes, out = _arguments(indptr, indices, sources)
    engine_for(out.shape[1]).ch2_rows(*pattern, *triangles, nodes, out)
    return out


def mps_rows(indptr: ArrayLike, indices: ArrayLike, sources: ArrayLike) -> Array:
    """Return max_{v∈N(y)} J(N(x), N(v)) + max_{u∈N(x)} J(N(u), N(y)), with v ≠ x and u ≠ y."""
    pattern, nodes, out = _arguments(indptr, indices, sources)
    engine_for(out.shape[1]).mps_rows(*pattern, nodes, out)
    return out


def list_triangles(indptr: ArrayLike, indices: ArrayLike) -> Pattern:
    """Return for every stored pair where its common neighbours begin (int64), and these (int32)."""
    pattern = plain(indptr, np.int64), plain(indices, np.int32)
    found: Pattern = engine_for(len(pattern[0]) - 1).list_triangles(*pattern)
    return found


def _arguments(
    indptr: ArrayLike, indices: ArrayLike, sources: ArrayLike
) -> tuple[Pattern, Array, Array]:
    """Return the pattern, the sources, and room for their rows."""
    pattern = plain(indptr, np.int64), plain(indices, np.int32)
    nodes, p = plain(sources, np.int64), len(pattern[0]) - 1
    if nodes.ndim != 1 or ((nodes < 0) | (nodes >= p)).any() or len(np.unique(nodes)) < nodes.size:
        raise ParameterError(f"sources must be different nodes of 0…{p - 1}, got {sources!r}")
    return pattern, nodes, np.empty((nodes.size, p))

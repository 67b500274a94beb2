"""Filters and perturbations of a network's eigenvalues, as dense matrices of all pairs.

Eigenvectors of equal eigenvalues are any basis of their space. All that is made here depends on
the spaces alone, so it does not change with the basis a library happens to return.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from linkprior import parallel
from linkprior.network.pairs import Ints, n_pairs

Array = NDArray[Any]

_NOISE = {4: 1e-6, 8: 1e-9}  # of the largest eigenvalue, by bytes per number: equal below it
_TIES_AT_ONCE = 1 << 20  # groups of equal entries ranked at a time
_AT_ONCE = 512  # rows of a product: fewer would slow BLAS, more would leave threads idle


def eigenpairs(adjacency: sp.csr_array, dtype: type) -> tuple[Array, Array]:
    """Return all eigenvalues and eigenvectors (columns), component by component, unordered."""
    p, numbers = adjacency.shape[0], adjacency.astype(dtype)
    values: Array = np.zeros(p, dtype)
    vectors: Array = np.zeros((p, p), dtype)
    done = 0
    count, label = connected_components(adjacency, directed=False)
    order = np.argsort(label, kind="stable")
    for nodes in np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1]):
        columns = slice(done, done + len(nodes))
        part: Array = numbers[nodes][:, nodes].toarray()
        # NumPy's, as SciPy's would hold the GIL, and with it Ctrl-C, for as long as it takes.
        values[columns], vectors[nodes, columns] = np.linalg.eigh(part)
        done += len(nodes)
    return values, vectors


def eigenspaces(values: Array) -> list[Ints]:
    """Return the places of the eigenvalues that are equal up to rounding, space by space."""
    order = np.argsort(values, kind="stable")
    noise = _NOISE[values.dtype.itemsize] * np.abs(values).max()
    return np.split(order, np.flatnonzero(np.diff(values[order]) > noise) + 1)


def product(left: Array, right: Array) -> Array:
    """Return left · rightᵀ, row block by row block in threads."""
    out = np.empty((len(left), len(right)), left.dtype)

    def one_block(start: int, stop: int) -> None:
        np.matmul(left[start:stop], right.T, out=out[start:stop])

    for _ in parallel.map_blocks(one_block, len(left), most=_AT_ONCE):
        pass
    return out


def filtered(values: Array, vectors: Array, threshold: float) -> Array:
    """Return the matrix with eigenvalues l³/(l² + M²), M = threshold · the largest l."""
    M = values.dtype.type(threshold) * values.max()
    return product(vectors * (values**3 / (values**2 + M**2)), vectors)


def wiener(
    adjacency: sp.csr_array, values: Array, vectors: Array, degrees: Array, noise: float
) -> Array:
    """Return R A Rᵀ with R = S(S + N)⁻¹, S = |A| and N = noise · diag(k^⅓)."""
    S = product(vectors * np.abs(values), vectors)
    # A node without edges has no signal either: any noise gives it R = 0.
    N = noise * np.cbrt(np.maximum(degrees, 1)).astype(S.dtype)
    noisy = S.copy()
    noisy[np.diag_indices(len(S))] += N
    turned = np.linalg.solve(noisy, S)  # (S + N)⁻¹ S = Rᵀ
    del noisy, S
    through = adjacency.astype(turned.dtype) @ turned
    return product(np.ascontiguousarray(turned.T), np.ascontiguousarray(through.T))


def perturbed(kept: sp.csr_array, dropped: sp.csr_array, dtype: type) -> Array:
    """Return Σ (λ + Δλ) x xᵀ over the eigenpairs of `kept`, Δλ = xᵀ·dropped·x to first order.

    Where eigenvalues are equal, x are the vectors of their space that `dropped` does not mix, as
    first-order perturbation theory has it: each space adds P·dropped·P, P its projection.
    """
    values, vectors = eigenpairs(kept, dtype)
    shaken = dropped.astype(dtype) @ vectors
    turned = vectors * np.einsum("ik,ik->k", vectors, shaken)
    for space in eigenspaces(values):
        if len(space) > 1:
            own = vectors[:, space]
            turned[:, space] = own @ (own.T @ shaken[:, space])
    out = product(turned, vectors)
    out += out.T.copy()
    out *= dtype(0.5)
    edges = kept.tocoo()
    out[edges.coords] += edges.data.astype(dtype)
    return out


def upper(row_blocks: Iterable[Array], n_nodes: int) -> Array:
    """Return the entries i < j of a symmetric matrix, row by row, from its row blocks."""
    out = np.empty(n_pairs(n_nodes))
    done = i = 0
    for block in row_blocks:
        for row in block:
            out[done : done + n_nodes - 1 - i] = row[i + 1 :]
            done += n_nodes - 1 - i
            i += 1
    return out


def symmetric(entries: Array, n_nodes: int, dtype: type) -> Array:
    """Undo `upper`: return the symmetric matrix, with a diagonal of zeros."""
    out: Array = np.zeros((n_nodes, n_nodes), dtype)
    done = 0
    for i in range(n_nodes - 1):
        out[i, i + 1 :] = entries[done : done + n_nodes - 1 - i]
        done += n_nodes - 1 - i
    for start, stop in parallel.blocks(n_nodes):
        out[start:stop, :start] = out[:start, start:stop].T
        corner = out[start:stop, start:stop]
        corner += np.triu(corner, 1).T
    return out


def descending_ranks(entries: Array, noise: float) -> Array:
    """Return the rank of each entry, 1 the largest; ties share the mean of their ranks.

    Entries count as equal where they agree to `noise` of the largest in modulus: what is equal by
    the formula must not be separated by rounding. `entries` is written over, to save memory.
    """
    step = noise * max(entries.max(initial=0.0), -entries.min(initial=0.0))
    np.rint(np.divide(entries, -step if step > 0 else -1.0, out=entries), out=entries)
    order = np.argsort(entries)
    ranked = entries[order]
    first = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    del ranked
    bounds = np.append(first, len(entries))
    for start in range(0, len(first), _TIES_AT_ONCE):
        own = bounds[start : start + _TIES_AT_ONCE + 1]
        means = (own[:-1] + 1 + own[1:]) / 2.0
        entries[order[own[0] : own[-1]]] = np.repeat(means, np.diff(own))
    return entries

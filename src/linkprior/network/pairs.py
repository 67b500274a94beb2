"""Pairs of nodes: the only place that knows i < j and how a pair becomes one number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import InputError

Ints = NDArray[np.int64]


def n_pairs(n_nodes: int) -> int:
    """Number of unordered pairs of distinct nodes, p(p−1)/2."""
    return n_nodes * (n_nodes - 1) // 2


def as_pairs(pairs: ArrayLike, n_nodes: int) -> Ints:
    """Return an (m, 2) array of node numbers, checked against the number of nodes."""
    a: NDArray[Any] = np.asarray(pairs)
    if a.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if a.ndim != 2 or a.shape[1] != 2 or a.dtype.kind not in "iu":
        raise InputError(
            f"pairs must be node numbers of shape (m, 2), got shape {a.shape} of {a.dtype}"
        )
    if a.min() < 0 or a.max() >= n_nodes:
        bad = int(a.min()) if a.min() < 0 else int(a.max())
        raise InputError(f"pairs must hold node numbers 0…{n_nodes - 1}, got {bad}")
    return a.astype(np.int64)


def ordered(pairs: Ints) -> Ints:
    """Return the same pairs with the smaller node first."""
    return np.sort(pairs, axis=1)


def moved(pairs: Ints, to: Ints) -> Ints:
    """Return pairs once node n is called `to[n]`: i < j, in order of pair."""
    p = len(to)
    return decode(np.sort(encode(ordered(to[pairs]), p)), p)


def encode(pairs: Ints, n_nodes: int) -> Ints:
    """Number each pair i·p + j: equal pairs have equal codes, and codes sort like pairs."""
    return pairs[:, 0] * np.int64(n_nodes) + pairs[:, 1]


def decode(codes: Ints, n_nodes: int) -> Ints:
    """Undo `encode`."""
    return np.stack(np.divmod(codes, np.int64(n_nodes)), axis=1)


def distinct(codes: Ints) -> Ints:
    """Return each code once, in order. A sort is several times as fast as NumPy's hashing here."""
    ranked = np.sort(codes)
    return ranked[np.concatenate([[True], ranked[1:] != ranked[:-1]])] if len(ranked) else ranked

"""Factors: X = U S Uᵀ without ever forming X; products at the stored entries of a network."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.kernels.ops import ops_of
from linkprior.network import Network
from linkprior.network.pairs import Ints

Array = NDArray[Any]
_ENTRIES = 400_000  # of a task over stored entries; fewer are done before a thread has begun


@dataclass(frozen=True)
class Factors:
    """A non-negative symmetric tri-factorization X = U S Uᵀ, of NumPy arrays or torch tensors."""

    U: Array  # p × r, each node's share in r groups
    S: Array  # r × r, symmetric: how strongly two groups connect

    def __reduce__(self) -> tuple[type[Factors], tuple[Array, Array]]:
        return Factors, (self.U, self.S)  # what follows from them is not sent along

    @cached_property
    def US(self) -> Array:
        return self.U @ self.S

    @cached_property
    def gram(self) -> Array:
        """UᵀU."""
        return self.U.T @ self.U

    @cached_property
    def diagonal(self) -> Array:
        """diag(X)."""
        return ops_of(self.U).einsum("ia,ia->i", self.US, self.U)

    @cached_property
    def square_norm(self) -> float:
        """‖X‖²_F = tr(S·UᵀU·S·UᵀU), in O(p·r²)."""
        sg = self.S @ self.gram
        return float(ops_of(sg).einsum("ab,ba->", sg, sg))

    def rows(self, start: int, stop: int) -> Array:
        """Return rows start…stop of X."""
        return self.US[start:stop] @ self.U.T

    def at(self, pairs: Ints) -> Array:
        """Return X at the given pairs."""
        return np.asarray(np.einsum("ia,ia->i", self.US[pairs[:, 0]], self.U[pairs[:, 1]]))

    def on_evidence(self, net: Network) -> Array:
        """Return X at edges and known non-edges, in the order of the evidence's CSR array."""
        cached = self.__dict__.get("_on_evidence")  # a sweep and its measure ask several times
        if cached is None or cached[0] is not net:
            cached = net, edge_products(self.US, self.U, net)
            self.__dict__["_on_evidence"] = cached
        return cached[1]

    def row_sums(self) -> Array:
        """Σ_{j≠i} Xᵢⱼ."""
        return self.US @ self.U.sum(axis=0) - self.diagonal


def random_factors(n_nodes: int, rank: int, density: float, rng: np.random.Generator) -> Factors:
    """Draw a start whose X has the given mean, so that the first updates do not jump in scale.

    S is drawn like U, without a stronger diagonal: groups that link to other groups rather than
    to themselves (regulators and their genes) must be as easy to find as communities.
    """
    U = rng.uniform(0.0, 1.0, (n_nodes, rank))
    S = rng.uniform(0.0, 1.0, (rank, rank))
    S = (S + S.T) / 2.0
    mean = float(np.einsum("a,ab,b->", U.mean(0), S, U.mean(0)))
    return Factors(U, S * (density / mean))


def edge_products(left: Array, right: Array, net: Network) -> Array:
    """Return left[i]·right[j] at every entry (i, j) of the evidence."""
    ops = ops_of(left)
    return _in_parts(lambda rows: ops.edge_products(left, right, net, rows), left, net)


def evidence_times(net: Network, values: Array, V: Array) -> Array:
    """Return the sparse matrix with these values on the evidence, times V."""
    ops = ops_of(V)
    return _in_parts(lambda rows: ops.evidence_times(net, values, V, rows), V, net)


def _in_parts(work: Callable[[slice], Array], like: Array, net: Network) -> Array:
    """Return work(rows) for all rows: each row is worked out alone, so parts change nothing."""
    every = slice(0, net.n_nodes)
    if not isinstance(like, np.ndarray):
        return work(every)
    ends = net.evidence.pattern.indptr
    count = int(ends[-1]) // _ENTRIES
    if count < 2 or parallel.current_workers() < 2:
        return work(every)
    cuts = np.searchsorted(ends, np.linspace(0, ends[-1], count + 1)[1:-1])
    starts = np.unique(np.concatenate([[0], cuts, [net.n_nodes]])).tolist()
    parts = [slice(*pair) for pair in itertools.pairwise(starts)]
    return np.concatenate(list(parallel.map_tasks(work, parts)))

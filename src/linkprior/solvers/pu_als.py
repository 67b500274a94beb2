"""Biased matrix completion by weighted alternating least squares (Hsieh et al. 2015; the PU peer).

    min over W, H of  Σ_{i≠j} M_ij (Ω_ij − w_i·h_j)² + λ(‖W‖² + ‖H‖²)

With H fixed every row of W is a small least squares problem of its own, N_i w_i = (1−ρ/2) Σ_j h_j:

    N_i = C + (1−ρ) Σ_{j∈N(i)} h_j h_jᵀ − ρ/2·h_i h_iᵀ,    C = ρ/2·HᵀH + λI  (shared by all rows)

since the weights M are sparse + constant and the diagonal is not data. `exact_half_sweep` solves
these systems as they stand; `PuAlsSolver` takes a few conjugate gradient steps on every row
(`kernels.descend_rows`). In the coordinates where C = I (w̃ = Lᵀw, h̃ = L⁻¹h, C = LLᵀ) inner
products stay and nothing dense is left in a step: it costs O(nnz·r), with the preconditioner
built in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior import kernels, parallel
from linkprior.network import Network
from linkprior.network.pairs import n_pairs
from linkprior.solvers.base import Measure
from linkprior.solvers.nonnegative import gram, leading_vectors

Array = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]
Result = TypeVar("Result")

_DRAWN = 0.03  # of a start near the eigenvectors: how much of it is drawn
BLOCK_ROWS = 1024  # their step vectors stay in a core's cache; fixed, so that sums never regroup


@dataclass(frozen=True)
class PuState:
    """Both factors, with what a measure and the next step share."""

    W: Array
    H: Array
    W_gram: Floats  # WᵀW
    H_gram: Floats
    stored: Floats  # w_i·h_j at the stored entries: the observed edges and the diagonal


class RowBlock(NamedTuple):
    """Some rows of a pattern: which rows, which stored entries, and these as (indptr, indices)."""

    rows: slice
    entries: slice
    pattern: tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class PuAlsSolver:
    """Weighted alternating least squares; one step is a sweep, first W, then H.

    `cg_steps` conjugate gradient steps are taken per half sweep, from where the last sweep ended;
    None solves the rows exactly instead, and then the objective never rises.
    """

    net: Network
    rank: int
    rho: float
    lam: float
    cg_steps: int | None = 3
    dtype: Any = np.float32  # of the factors; products at stored entries are float64 always
    workers: int | None = None
    spectral: bool = False  # whether H begins near the leading eigenvectors, or anywhere

    def init(self, rng: np.random.Generator) -> PuState:
        """Draw H on the scale the answer has; W is whatever fits it best, so it starts at zero."""
        shape = (self.net.n_nodes, self.rank)
        density = self.net.n_edges / n_pairs(self.net.n_nodes)
        H = rng.standard_normal(shape) * np.sqrt(density / self.rank)
        if self.spectral:
            H = self._vectors + _DRAWN * _size(self._vectors) / _size(H) * H
        return self.state(np.zeros(shape, self.dtype), H.astype(self.dtype))

    def step(self, state: PuState) -> PuState:
        W, stored = self._half_sweep(state.W, state.H, state.H_gram, state.stored)
        # Ω is symmetric, so the same pattern serves H, with the roles of the factors exchanged.
        W_gram, mirror = self._gram(W), self._mirror
        H, stored = self._half_sweep(state.H, W, W_gram, stored[mirror])
        return PuState(W, H, W_gram, self._gram(H), stored[mirror])

    def measure(self, state: PuState) -> Measure:
        x = state.stored
        everywhere = self.rho / 2.0 * np.sum(state.W_gram * state.H_gram)
        stored = np.sum(self._curve * x**2 - 2.0 * self._pull * x + self._pull)
        ridge = self.lam * (np.trace(state.W_gram) + np.trace(state.H_gram))
        return Measure(float(everywhere + stored + ridge))

    def state(self, W: Array, H: Array) -> PuState:
        """Return the state of any two factors."""
        return PuState(W, H, self._gram(W), self._gram(H), self._products(W, H))

    def _half_sweep(
        self, W: Array, H: Array, H_gram: Floats, stored: Floats
    ) -> tuple[Array, Floats]:
        """Improve W for fixed H (or H for fixed W); return it and its products with H."""
        steps = self.cg_steps
        if steps is None:
            W = exact_half_sweep(self.net, H, self.rho, self.lam).astype(self.dtype)
            return W, self._products(W, H)
        root, inverse = whitening(H_gram, self.rho, self.lam, self.dtype)
        others = np.concatenate(self._map(lambda block: H[block.rows] @ inverse.T))

        def one_block(block: RowBlock) -> tuple[Array, Floats]:
            own, start = block.entries, W[block.rows] @ root
            given = block.pattern, self._curve[own], self._pull[own], steps
            X, x = kernels.descend_rows(start, stored[own], others, *given)
            return X @ inverse, x

        solved = self._map(one_block)
        return np.concatenate([X for X, _ in solved]), np.concatenate([x for _, x in solved])

    def _products(self, W: Array, H: Array) -> Floats:
        """Return w_i·h_j at the stored entries."""
        return np.concatenate(
            self._map(lambda block: kernels.edge_products(W[block.rows], H, *block.pattern))
        )

    def _gram(self, H: Array) -> Floats:
        """Return HᵀH, block by block; their sum is taken in order."""
        parts = self._map(lambda block: gram(H[block.rows]))
        return np.asarray(np.sum(parts, axis=0))

    def _map(self, task: Callable[[RowBlock], Result]) -> list[Result]:
        return list(parallel.map_tasks(task, self._blocks, self.workers))

    @cached_property
    def _vectors(self) -> Floats:
        """V |Λ|^½ of the leading eigenvectors; columns of zeros where there are no more."""
        values, V = leading_vectors(self.net.confidence.astype(np.float32), self.rank)
        scaled = V * np.sqrt(np.abs(values))
        return np.pad(scaled, ((0, 0), (0, self.rank - len(values))))

    @cached_property
    def _pattern(self) -> sp.csr_array:
        """The evidence and the diagonal: what M adds to ρ/2 everywhere.

        Entries number those of the evidence from 1 on; the diagonal has the number after the last.
        """
        a = self.net.evidence.pattern
        numbers = np.arange(1.0, a.nnz + 1.0)
        numbered = sp.csr_array((numbers, a.indices, a.indptr), shape=a.shape)
        pattern = sp.csr_array(numbered + (a.nnz + 1.0) * sp.eye_array(self.net.n_nodes))
        pattern.sort_indices()
        return pattern

    def _at_entries(self, evidence: Floats, diagonal: float) -> Floats:
        """Return numbers of the evidence, and one for the diagonal, in the order of the pattern."""
        return np.append(evidence, diagonal)[self._pattern.data.astype(np.intp) - 1]

    @cached_property
    def _curve(self) -> Floats:
        """Weight of x² at a stored entry, beyond ρ/2 everywhere; the diagonal's takes ρ/2 back."""
        return self._at_entries((1.0 - self.rho) * self.net.evidence.weight, -self.rho / 2.0)

    @cached_property
    def _pull(self) -> Floats:
        """Half the weight of −x at a stored entry."""
        known = self.net.evidence
        return self._at_entries((1.0 - self.rho / 2.0) * known.weight * known.target, 0.0)

    @cached_property
    def _mirror(self) -> NDArray[np.intp]:
        """Where the stored entry (j, i) is, for every stored entry (i, j)."""
        pattern = self._pattern
        numbers = np.arange(pattern.nnz)
        numbered = sp.csr_array((numbers, pattern.indices, pattern.indptr), shape=pattern.shape)
        return numbered.T.tocsr().data

    @cached_property
    def _blocks(self) -> list[RowBlock]:
        blocks = []
        for start, stop in parallel.blocks(self.net.n_nodes, BLOCK_ROWS):
            indptr = self._pattern.indptr[start : stop + 1]
            entries = slice(int(indptr[0]), int(indptr[-1]))
            own = indptr - indptr[0], self._pattern.indices[entries]
            blocks.append(RowBlock(slice(start, stop), entries, own))
        return blocks


def _size(H: Array) -> float:
    return max(float(np.linalg.norm(H)), float(np.finfo(np.float32).tiny))


def whitening(
    H_gram: Floats, rho: float, lam: float, dtype: Any = np.float64
) -> tuple[Array, Array]:
    """Return L and L⁻¹ with C = ρ/2·HᵀH + λI = LLᵀ."""
    C = rho / 2.0 * H_gram
    # The last term is far below any λ of use; it lets L exist where λ is next to nothing.
    np.fill_diagonal(C, np.diagonal(C) + lam + np.finfo(np.float64).eps * np.trace(C))
    L = la.cholesky(C, lower=True)
    inverse = la.solve_triangular(L, np.eye(len(L)), lower=True)
    return L.astype(dtype), inverse.astype(dtype)


def exact_half_sweep(net: Network, H: Array, rho: float, lam: float) -> Floats:
    """Return the W that is best for H: one dense solve per row, O(nnz·r² + p·r³)."""
    wide = H.astype(np.float64)
    C = rho / 2.0 * (wide.T @ wide) + lam * np.eye(H.shape[1])
    evidence = net.evidence
    indptr, indices = evidence.pattern.indptr, evidence.pattern.indices
    W = np.empty_like(wide)
    for i in range(net.n_nodes):
        part = slice(indptr[i], indptr[i + 1])
        near, weight, target = wide[indices[part]], evidence.weight[part], evidence.target[part]
        curve = (1.0 - rho) * (weight[:, None] * near).T @ near
        normal = C + curve - rho / 2.0 * np.outer(wide[i], wide[i])
        W[i] = np.linalg.solve(normal, (1.0 - rho / 2.0) * (weight * target) @ near)
    return W

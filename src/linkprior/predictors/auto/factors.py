"""Sources that are no models of their own: non-negative factors, and leading eigenvectors.

Both explain the observed matrix as it is, unobserved pairs as zeros, which makes them sharp at the
top of the list where the positive-unlabelled models are broad.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors import cost
from linkprior.predictors.base import Array, Learned, LinkPredictor
from linkprior.predictors.cost import Effort

_DENSE_BELOW = 500  # nodes up to which all eigenvectors cost next to nothing
_NOISE = 1e-10  # of the largest eigenvalue: what is smaller is zero
_STEP = 6.0  # nominal nanoseconds of an iteration, per edge entry and column


@contextmanager
def no_word_of_convergence() -> Iterator[None]:
    """Stop early on purpose, without a warning about it."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@dataclass(eq=False, kw_only=True)
class Factored(LinkPredictor):
    """Base: scores ½(L Rᵀ + R Lᵀ)."""

    rank: int = 64
    max_iter: int = 60

    @abstractmethod
    def _factorise(self, network: Network, rank: int) -> tuple[Array, Array]:
        """Return L and R."""

    def _fit(self, network: Network) -> Learned:
        left, right = self._factorise(network, min(self.rank, network.n_nodes - 1))
        return Learned({"L": left.astype(np.float32), "R": right.astype(np.float32)})

    def _rows(self, start: int, stop: int) -> Array:
        L, R = (self.learned_.arrays[name] for name in "LR")
        return np.float32(0.5) * (L[start:stop] @ R.T + R[start:stop] @ L.T)

    def _pairs(self, pairs: Ints) -> Array:
        L, R = (self.learned_.arrays[name] for name in "LR")
        i, j = pairs.T
        return 0.5 * ((L[i] * R[j]).sum(axis=1) + (R[i] * L[j]).sum(axis=1))

    def _effort(self, network: Network) -> Effort:
        once = (2.0 * network.n_edges + network.n_nodes * self.rank) * self.rank
        return Effort(_STEP * self.max_iter * once, cost.factor_scores(network, 2 * self.rank))


@dataclass(eq=False, kw_only=True)
class NonNegative(Factored):
    """W H ≈ A with W, H ≥ 0, by scikit-learn's coordinate descent from a fixed start."""

    name: ClassVar[str] = "nmf"

    def _factorise(self, network: Network, rank: int) -> tuple[Array, Array]:
        from sklearn.decomposition import NMF

        model = NMF(rank, init="nndsvda", max_iter=self.max_iter, random_state=0)
        with no_word_of_convergence():
            W = model.fit_transform(network.confidence.astype(np.float64))
        return W, model.components_.T


@dataclass(eq=False, kw_only=True)
class Eigenvectors(Factored):
    """D^¼ V Λ Vᵀ D^¼ from the eigenvectors of D^-¼ A D^-¼ whose eigenvalues are largest."""

    name: ClassVar[str] = "eigen"

    def _factorise(self, network: Network, rank: int) -> tuple[Array, Array]:
        root = np.where(network.degrees > 0, network.strengths, 1.0) ** 0.25
        scaled = sp.diags_array(1.0 / root) @ network.confidence.astype(np.float64)
        values, V = _leading(sp.csr_array(scaled @ sp.diags_array(1.0 / root)), rank)
        # What is rounding noise around zero would rank pairs that have nothing in common.
        values = np.where(np.abs(values) > _NOISE * np.abs(values).max(), values, 0.0)
        V = V * root[:, None]
        return V * values, V


def _leading(matrix: sp.csr_array, rank: int) -> tuple[Array, Array]:
    """Return the eigenvalues largest in modulus and their vectors, the same at every call."""
    from scipy.sparse.linalg import ArpackError, eigsh

    if matrix.shape[0] >= _DENSE_BELOW:
        # A start with some of every vector: from all ones a regular network is never left. Where
        # it is used up all the same, ARPACK draws another; older ones cannot be given a seed.
        v0 = np.random.default_rng(0).standard_normal(matrix.shape[0])
        seeded: dict[str, Any] = {"rng": 0} if "rng" in signature(eigsh).parameters else {}
        with suppress(ArpackError):
            return eigsh(matrix, k=rank, v0=v0, **seeded)
    values, vectors = np.linalg.eigh(matrix.toarray())
    order = np.argsort(-np.abs(values), kind="stable")[:rank]
    return values[order], vectors[:, order]

"""Losses F_ρ over observed and unobserved pairs, as sparse + low rank: no p × p array.

A loss tells a solver three non-negative matrices at the current X with ½∇F = curve + push − pull.
They act on thin matrices only, so each is held as a sparse part on the observed edges, a multiple
of X itself, and a constant. The diagonal is not data: every part leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linkprior.checks import real_matrix, real_number
from linkprior.errors import ParameterError
from linkprior.model.factors import Factors
from linkprior.network import Network

Array = NDArray[np.float64]

_TINY = 1e-12  # keeps log and division away from an exact zero


@dataclass(frozen=True)
class SparseLowRank:
    """sparse (on the observed edges) + low_rank·(X − diag X) + constant·(11ᵀ − I)."""

    net: Network
    sparse: Array | None = None
    low_rank: float = 0.0
    constant: float = 0.0

    def times(self, V: Array, factors: Factors) -> Array:
        """Return this matrix times a thin matrix V ≥ 0 in O(nnz·r + p·r²)."""
        out = np.zeros_like(V)
        if self.sparse is not None:
            a = self.net.adjacency
            matrix = sp.csr_array((self.sparse, a.indices, a.indptr), shape=a.shape)
            out += np.asarray(matrix @ V)
        if self.low_rank:
            full = self.low_rank * factors.US @ (factors.U.T @ V)
            # Non-negative by its nature, but taking the diagonal out may cancel to below zero;
            # a floor at rounding level keeps later square roots and ratios sound.
            own = self.low_rank * factors.diagonal[:, None] * V
            out += np.maximum(full - own, 1e-13 * full)
        if self.constant:
            out += self.constant * (V.sum(axis=0) - V)
        return out


@dataclass(frozen=True)
class HalfGradient:
    """½∇F = curve + push − pull, each part non-negative.

    curve is linear in X (quadratic loss), push is constant in X or bounded by its tangent,
    pull is what draws entries up.
    """

    curve: SparseLowRank
    push: SparseLowRank
    pull: SparseLowRank


class Loss(Protocol):
    """What a solver asks of a loss."""

    @property
    def log_pull(self) -> bool:
        """True when the pull comes from a −log X term: then a curved S step must be damped."""

    def value(self, net: Network, factors: Factors) -> float:
        """Return F_ρ(X) over ordered off-diagonal pairs."""

    def half_gradient(self, net: Network, factors: Factors) -> HalfGradient:
        """Return ½∇F at X, split by sign."""


@dataclass(frozen=True)
class SquaredLoss:
    """Positive-unlabelled squared loss, Eq. `e:obj`: weight 1 − ρ/2 on edges, ρ/2 elsewhere."""

    rho: float
    log_pull: ClassVar[bool] = False

    def value(self, net: Network, factors: Factors) -> float:
        x = factors.on_edges(net)
        everywhere = factors.square_norm - factors.diagonal @ factors.diagonal
        on_edges = (1.0 - self.rho / 2.0) * (x - 1.0) ** 2 - self.rho / 2.0 * x**2
        return float(self.rho / 2.0 * everywhere + on_edges.sum())

    def half_gradient(self, net: Network, factors: Factors) -> HalfGradient:
        x = factors.on_edges(net)
        ones = np.full(len(x), 1.0 - self.rho / 2.0)
        curve = SparseLowRank(net, (1.0 - self.rho) * x, low_rank=self.rho / 2.0)
        return HalfGradient(curve, SparseLowRank(net), SparseLowRank(net, ones))


@dataclass(frozen=True)
class PoissonLoss:
    """Positive-unlabelled Poisson loss Σ Mᵢⱼ(Xᵢⱼ − Ωᵢⱼ log Xᵢⱼ): entries are expected counts.

    It shares the weights M of the squared loss and shows that loss, prior and solver are separate
    choices; its gradient is again sparse + constant.
    """

    rho: float
    log_pull: ClassVar[bool] = True

    def value(self, net: Network, factors: Factors) -> float:
        x = np.maximum(factors.on_edges(net), _TINY)
        everywhere = float(factors.row_sums().sum())
        on_edges = (1.0 - self.rho / 2.0) * (x - np.log(x)) - self.rho / 2.0 * x
        return float(self.rho / 2.0 * everywhere + on_edges.sum())

    def half_gradient(self, net: Network, factors: Factors) -> HalfGradient:
        x = np.maximum(factors.on_edges(net), _TINY)
        # ½∇ so that every loss speaks the same units as the solvers' other terms.
        push = SparseLowRank(net, np.full(len(x), (1.0 - self.rho) / 2.0), constant=self.rho / 4.0)
        pull = SparseLowRank(net, (1.0 - self.rho / 2.0) / (2.0 * x))
        return HalfGradient(SparseLowRank(net), push, pull)


LOSSES: dict[str, Callable[[float], Loss]] = {"squared": SquaredLoss, "poisson": PoissonLoss}


def pu_loss(X: ArrayLike, net: Network, rho: float) -> float:
    """Return L(X; Ω), Eq. `e:obj`, over ordered off-diagonal pairs, from a dense X."""
    residual, weight = _dense_parts(X, net, rho)
    return float((weight * residual**2).sum())


def pu_gradient(X: ArrayLike, net: Network, rho: float) -> Array:
    """Return ∇L(X; Ω) = 2·M∘(X − Ω) from a dense X; zero on the diagonal."""
    residual, weight = _dense_parts(X, net, rho)
    return 2.0 * weight * residual


def _dense_parts(X: ArrayLike, net: Network, rho: float) -> tuple[Array, Array]:
    x = real_matrix("X", X, square=True)
    if not isinstance(net, Network):
        raise ParameterError(f"net must be a linkprior Network, got {type(net).__name__}")
    if len(x) != net.n_nodes:
        raise ParameterError(f"X must be {net.n_nodes} × {net.n_nodes}, got shape {x.shape}")
    rho = real_number("rho", rho, 0.0, 1.0)
    omega = net.adjacency.toarray()
    weight = rho / 2.0 + (1.0 - rho) * omega
    np.fill_diagonal(weight, 0.0)
    return x - omega, weight

"""Losses F_ρ over observed and unobserved pairs, as sparse + low rank: no p × p array.

A loss gives a solver three non-negative matrices at the current X with ½∇F = curve + push − pull.
They act on thin matrices only, so each is held as a sparse part on the observed edges, a multiple
of X itself, and a constant. The diagonal is not data: every part leaves it out.

An edge of confidence w counts w times as an edge and 1 − w times as an unobserved pair;
a known non-edge has the target 0 and counts NON_EDGE_WEIGHT times as much as an edge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linkprior._validation import real_matrix, real_number
from linkprior.errors import ParameterError
from linkprior.kernels.ops import ops_of
from linkprior.model.factors import Factors, evidence_times
from linkprior.network import Network

Array = NDArray[np.float64]

_TINY = 1e-12  # keeps log and division away from an exact zero


@dataclass(frozen=True)
class SparseLowRank:
    """sparse (on the evidence of `net`) + low_rank·(X − diag X) + constant·(11ᵀ − I)."""

    net: Network
    sparse: Array | None = None
    low_rank: float = 0.0
    constant: float = 0.0

    def times(self, V: Array, factors: Factors) -> Array:
        """Return this matrix times a thin matrix V ≥ 0 in O(nnz·r + p·r²)."""
        ops = ops_of(V)
        out = ops.zeros_like(V)
        if self.sparse is not None:
            out += evidence_times(self.net, self.sparse, V)
        if self.low_rank:
            full = self.low_rank * factors.US @ (factors.U.T @ V)
            # Non-negative by its nature, but taking the diagonal out may cancel to below zero;
            # a floor at rounding level keeps later square roots and ratios sound.
            on_diagonal = self.low_rank * factors.diagonal[:, None] * V
            out += ops.maximum(full - on_diagonal, 1e-13 * full)
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
        """True for a pull from a −log X term: it changes with X, and a curved S step is damped."""

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
        x, evidence = factors.on_evidence(net), ops_of(factors.U).evidence(net)
        everywhere = factors.square_norm - factors.diagonal @ factors.diagonal
        seen = (1.0 - self.rho / 2.0) * (x - evidence.target) ** 2 - self.rho / 2.0 * x**2
        return float(self.rho / 2.0 * everywhere + (evidence.weight * seen).sum())

    def half_gradient(self, net: Network, factors: Factors) -> HalfGradient:
        x, evidence = factors.on_evidence(net), ops_of(factors.U).evidence(net)
        pull = (1.0 - self.rho / 2.0) * evidence.weight * evidence.target
        curve = SparseLowRank(net, (1.0 - self.rho) * evidence.weight * x, low_rank=self.rho / 2.0)
        return HalfGradient(curve, SparseLowRank(net), SparseLowRank(net, pull))


@dataclass(frozen=True)
class PoissonLoss:
    """Positive-unlabelled Poisson loss Σ Mᵢⱼ(Xᵢⱼ − Ωᵢⱼ log Xᵢⱼ): entries are expected counts.

    It shares the weights M of the squared loss and shows that loss, prior and solver are separate
    choices; its gradient is again sparse + constant.
    """

    rho: float
    log_pull: ClassVar[bool] = True

    def value(self, net: Network, factors: Factors) -> float:
        ops = ops_of(factors.U)
        x, evidence = ops.maximum(factors.on_evidence(net), _TINY), ops.evidence(net)
        everywhere = float(factors.row_sums().sum())
        seen = (1.0 - self.rho / 2.0) * (x - evidence.target * ops.log(x)) - self.rho / 2.0 * x
        return float(self.rho / 2.0 * everywhere + (evidence.weight * seen).sum())

    def half_gradient(self, net: Network, factors: Factors) -> HalfGradient:
        ops = ops_of(factors.U)
        x, evidence = ops.maximum(factors.on_evidence(net), _TINY), ops.evidence(net)
        # ½∇, so that every loss has the units of the solvers' other terms.
        seen = (1.0 - self.rho) / 2.0 * evidence.weight
        push = SparseLowRank(net, seen, constant=self.rho / 4.0)
        pull = (1.0 - self.rho / 2.0) * evidence.weight * evidence.target / (2.0 * x)
        return HalfGradient(SparseLowRank(net), push, SparseLowRank(net, pull))


LOSSES: dict[str, Callable[[float], Loss]] = {"squared": SquaredLoss, "poisson": PoissonLoss}


def pu_loss(X: ArrayLike, net: Network, rho: float) -> float:
    """Return L(X; Ω), Eq. `e:obj`, over ordered off-diagonal pairs, from a dense X.

    Parameters
    ----------
    X : (p, p) array
        Scores of all pairs.
    net : Network
        The observed edges Ω.
    rho : float
        Share of edges seen, in (0, 1).

    Returns
    -------
    float
        The loss.

    Examples
    --------
    >>> import numpy as np
    >>> import linkprior as lp
    >>> net = lp.Network.from_edges([("a", "b"), ("b", "c")])
    >>> round(lp.theory.pu_loss(np.zeros((3, 3)), net, rho=0.5), 6)
    3.0
    """
    x, rho = _checked(X, net, rho)
    sure, target = _dense_evidence(net)
    off_diagonal = 1.0 - np.eye(len(x))
    unlabelled = rho / 2.0 * (1.0 - sure) * x**2
    return float((off_diagonal * (unlabelled + (1.0 - rho / 2.0) * sure * (x - target) ** 2)).sum())


def pu_gradient(X: ArrayLike, net: Network, rho: float) -> Array:
    """Return ∇L(X; Ω) = 2·M∘(X − Ω) from a dense X; zero on the diagonal.

    Parameters
    ----------
    X : (p, p) array
        Scores of all pairs.
    net : Network
        The observed edges Ω.
    rho : float
        Share of edges seen, in (0, 1).

    Returns
    -------
    (p, p) array
        The gradient of `pu_loss`.

    Examples
    --------
    >>> import numpy as np
    >>> import linkprior as lp
    >>> net = lp.Network.from_edges([("a", "b"), ("b", "c")])
    >>> lp.theory.pu_gradient(np.zeros((3, 3)), net, rho=0.5).tolist()
    [[0.0, -1.5, 0.0], [-1.5, 0.0, -1.5], [0.0, -1.5, 0.0]]
    """
    x, rho = _checked(X, net, rho)
    weight, best = quadratic_parts(net, rho)
    return 2.0 * weight * (x - best)


def quadratic_parts(net: Network, rho: float, dtype: Any = np.float64) -> tuple[Any, Any]:
    """Return M and the best X, entry by entry: L(X; Ω) = Σ M∘(X − best)² up to a constant.

    Where all edges are certain and no non-edge is known, M is 1 − ρ/2 on edges and ρ/2 elsewhere,
    and the best X is Ω. The diagonal is empty: it is not data.
    """
    sure, best = (one.astype(dtype, copy=False) for one in _dense_evidence(net))
    weight = sure * dtype(1.0 - rho) + dtype(rho / 2.0)
    np.fill_diagonal(weight, 0.0)
    unsure = (sure < 1.0) & (best > 0.0)
    best[unsure] = (1.0 - rho / 2.0) * sure[unsure] / weight[unsure]
    return weight, best


def _dense_evidence(net: Network) -> tuple[Array, Array]:
    evidence, a = net.evidence, net.evidence.pattern
    sure, target = (
        sp.csr_array((values, a.indices, a.indptr), shape=a.shape).toarray()
        for values in (evidence.weight, evidence.target)
    )
    return sure, target


def _checked(X: ArrayLike, net: Network, rho: float) -> tuple[Array, float]:
    x = real_matrix("X", X, square=True)
    if not isinstance(net, Network):
        raise ParameterError(f"net must be a linkprior Network, got {type(net).__name__}")
    if len(x) != net.n_nodes:
        raise ParameterError(f"X must be {net.n_nodes} × {net.n_nodes}, got shape {x.shape}")
    return np.asarray(x, np.float64), real_number("rho", rho, 0.0, 1.0)

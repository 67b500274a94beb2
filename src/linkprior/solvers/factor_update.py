"""Weighted symmetric tri-factorization: multiplicative updates of U, S ≥ 0 that never rise.

The function minimised in one sweep is  F(X) + ridge·‖X‖² + 2·⟨push − pull, X⟩  at X = U S Uᵀ,
with ½∇F = curve + push − pull split by sign (negative targets sit in `push`). Per coordinate the
function is bounded above by  a·z⁴/4·… + n·z²/2·… − m·log z  in the ratio z = new/old, where
a, n, m are curve, push and pull times U S; its minimum is

    z = √((−n + √(n² + 4am)) / (2a)) = √(2m / (n + √(n² + 4am))),

which with n = 0 is the known exponent ¼. X is linear in S, so there the exponent is not halved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkprior.kernels.ops import ops_of
from linkprior.model.factors import Factors
from linkprior.model.losses import Loss
from linkprior.network import Network

Array = NDArray[np.float64]

_TINY = 1e-30


@dataclass(frozen=True)
class Extra:
    """What joins the loss in a sweep: a ridge on X and matrices already multiplied by U.

    `value` gives the extra part of the objective at new factors; where it is None (it would cost
    a pass over all pairs) only the provably monotone step is taken.
    """

    ridge: float = 0.0
    push_U: Array | None = None
    pull_U: Array | None = None
    value: Callable[[Factors], float] | None = None


def sweep(net: Network, loss: Loss, factors: Factors, extra: Extra) -> Factors:
    """Update S, then U. S first: both then share one product of the dense parts with U."""
    parts = _parts_times_U(net, loss, factors, extra)
    a, n, m = (factors.U.T @ part for part in parts)
    S = factors.S * (_damped_ratio(a, n, m) if loss.log_pull else m / (a + n + _TINY))
    factors = Factors(factors.U, (S + S.T) / 2.0)
    pull_U = None if loss.log_pull else parts[2]  # neither U nor the pull changes with S
    a, n, m = (part @ factors.S for part in _parts_times_U(net, loss, factors, extra, pull_U))
    if extra.value is not None:
        # Exponent ½ is faster but may rise: keep it only where it does not.
        bold = Factors(factors.U * ops_of(m).sqrt(m / (a + n + _TINY)), factors.S)
        before = loss.value(net, factors) + extra.value(factors)
        if loss.value(net, bold) + extra.value(bold) <= before:
            return bold
    return Factors(factors.U * ops_of(m).sqrt(_damped_ratio(a, n, m)), factors.S)


def _damped_ratio(a: Array, n: Array, m: Array) -> Array:
    return 2.0 * m / (n + ops_of(m).sqrt(n * n + 4.0 * a * m) + _TINY)


def _parts_times_U(
    net: Network, loss: Loss, factors: Factors, extra: Extra, pull_U: Array | None = None
) -> tuple[Array, Array, Array]:
    """Return (curve·U, push·U, pull·U), loss and extra together; the last may be known already."""
    U = factors.U
    half = loss.half_gradient(net, factors)
    curve, push = (part.times(U, factors) for part in (half.curve, half.push))
    pull = half.pull.times(U, factors) if pull_U is None else pull_U
    if extra.ridge:
        curve += extra.ridge * factors.US @ factors.gram
    if extra.push_U is not None:
        push += extra.push_U
    if extra.pull_U is not None and pull_U is None:
        pull += extra.pull_U
    return curve, push, pull

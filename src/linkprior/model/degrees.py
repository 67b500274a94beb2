"""Node degrees the prior aims at, learned from the observed edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from linkprior.checks import choice, degree_vector, real_number, whole_number
from linkprior.errors import InputError, ParameterError
from linkprior.pairs import Ints, n_pairs


class HasDegrees(Protocol):
    """What degree estimation needs to know of a network."""

    @property
    def degrees(self) -> Ints: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_edges(self) -> int: ...


def estimate_degrees(net: HasDegrees, n_edges: int | None = None, c: float = 1.0) -> Ints:
    """Estimate d′ᵢ = min(⌈c·⌈2·oᵢ·K/Σo⌉⌉, p−1), at least 1.

    Implements the estimate of d and of d′ in "Learning Node Degree via Cross Validation".

    Parameters
    ----------
    net
        The network whose observed degrees are oᵢ; where edges have confidences, their sums.
    n_edges
        K, the number of edges the completed network is thought to have; None means the
        number observed, and then d = o.
    c
        Amplification factor.
    """
    if not hasattr(net, "degrees"):
        raise ParameterError(f"net must be a linkprior Network, got {type(net).__name__}")
    total = int(net.degrees.sum())
    if total == 0:
        raise InputError("degrees cannot be estimated from a network without edges")
    k = net.n_edges if n_edges is None else n_edges
    k = whole_number("n_edges", k, 1, n_pairs(net.n_nodes))
    c = real_number("c", c, 0.0)
    sure = getattr(net, "strengths", None)
    if sure is None or not (sure != net.degrees).any():
        # In integers: in floats K = |Ω| would give o + 1 now and then.
        d = -(-2 * net.degrees * k // total)
    else:
        d = np.ceil(2.0 * sure * k / sure.sum() - 1e-9).astype(np.int64)
    return clamp_degrees(d, c, net.n_nodes - 1)


def prior_degrees(
    net: HasDegrees,
    n_edges: int | None = None,
    c: float = 1.0,
    given: str | Sequence[int] = "observed",
    seed: int = 0,
) -> Ints:
    """Return the degrees d′ a prior aims at: estimated, estimated and shuffled, or given.

    "observed" is `estimate_degrees`. "shuffled" gives every node the estimate of another, drawn
    by `seed`: the degrees are right as a whole and wrong for each node, which shows what it is
    worth that the prior is node-specific. A vector is taken for d itself; only c is applied.
    """
    if isinstance(given, str):
        d = estimate_degrees(net, n_edges, c)
        if choice("degrees", given, ["observed", "shuffled"]) == "shuffled":
            return np.random.default_rng(seed).permutation(d)
        return d
    d = degree_vector("degrees", given, net.n_nodes)
    return clamp_degrees(d, real_number("c", c, 0.0), net.n_nodes - 1)


def clamp_degrees(degrees: Ints, c: float, highest: int) -> Ints:
    """Return max(1, min(⌈c·d⌉, highest)); 1 is the floor since log(0 + 1) = 0 divides."""
    amplified = np.ceil(min(c, float(highest)) * degrees - 1e-9)
    return np.clip(amplified, 1, highest).astype(np.int64)

"""Node degrees the prior aims at, learned from the observed edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkprior._validation import choice, degree_vector, real_number, whole_number
from linkprior.errors import InputError, ParameterError
from linkprior.network import Network
from linkprior.network.pairs import Ints, n_pairs

Edges = int | str | None  # how many there are in all: a number, "observed" (also None), "list"
Degrees = str | Sequence[float] | Mapping[str, float]  # "observed", "shuffled", by node, by name

LIST_SIZE = 100  # links a list is assumed to have where nothing else is given


def estimate_degrees(net: Network, n_edges: int | None = None, c: float = 1.0) -> Ints:
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

    Returns
    -------
    (p,) array of int
        The estimated degrees d′.

    Examples
    --------
    >>> import linkprior as lp
    >>> net = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    >>> lp.theory.estimate_degrees(net, n_edges=5).tolist()
    [2, 3, 3, 2]
    """
    if not isinstance(net, Network):
        raise ParameterError(f"net must be a linkprior Network, got {type(net).__name__}")
    total = int(net.degrees.sum())
    if total == 0:
        raise InputError("degrees cannot be estimated from a network without edges")
    k = net.n_edges if n_edges is None else n_edges
    k = whole_number("n_edges", k, 1, n_pairs(net.n_nodes))
    c = real_number("c", c, 0.0)
    sure = net.strengths
    if (sure != net.degrees).any():
        d = np.ceil(2.0 * sure * k / sure.sum() - 1e-9).astype(np.int64)
    else:  # in integers: in floats K = |Ω| would give o + 1 now and then
        d = -(-2 * net.degrees * k // total)
    return clamp_degrees(d, c, net.n_nodes - 1)


def edges_in_all(net: Network, n_edges: Edges = None, list_size: int = LIST_SIZE) -> int:
    """Return K, the edges the completed network is thought to have.

    "observed" or None: as many as observed; "list": those and `list_size` links asked for, as in
    the paper, where the K best entries of X, observed edges among them, are predicted.
    """
    size = whole_number("list_size", list_size, 1)
    if isinstance(n_edges, str):
        if choice("n_edges", n_edges, ["observed", "list"]) == "list":
            return min(net.n_edges + size, n_pairs(net.n_nodes))
        return net.n_edges
    k = net.n_edges if n_edges is None else n_edges
    return whole_number("n_edges", k, 1, n_pairs(net.n_nodes))


def prior_degrees(
    net: Network,
    n_edges: Edges = None,
    c: float = 1.0,
    given: Degrees = "observed",
    seed: int = 0,
    list_size: int = LIST_SIZE,
) -> Ints:
    """Return the degrees d′ a prior aims at: estimated, estimated and shuffled, or given.

    "observed" is `estimate_degrees`. "shuffled" gives every node the estimate of another, drawn
    by `seed`: the degrees are right as a whole and wrong for each node, which shows what it is
    worth that the prior is node-specific. Given degrees, in the order of the nodes or by name, are
    taken for d itself; only c is applied.
    """
    k = edges_in_all(net, n_edges, list_size)
    if isinstance(given, str):
        d = estimate_degrees(net, k, c)
        if choice("degrees", given, ["observed", "shuffled"]) == "shuffled":
            return np.random.default_rng(seed).permutation(d)
        return d
    if isinstance(given, Mapping):
        missing = [name for name in net.names if name not in given]
        if missing:
            some = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
            raise ParameterError(
                f"degrees are missing for {len(missing)} of {net.n_nodes} nodes: {some}"
            )
        given = [given[name] for name in net.names]
    d = degree_vector("degrees", given, net.n_nodes)
    return clamp_degrees(d, real_number("c", c, 0.0), net.n_nodes - 1)


def clamp_degrees(degrees: Ints, c: float, highest: int) -> Ints:
    """Return max(1, min(⌈c·d⌉, highest)); 1 is the floor since log(0 + 1) = 0 divides."""
    amplified = np.ceil(min(c, float(highest)) * degrees - 1e-9)
    return np.clip(amplified, 1, highest).astype(np.int64)

"""Splits: a training network, the edges to find, and which pairs count as candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkprior import pairs as pr
from linkprior.checks import choice, real_number, whole_number
from linkprior.errors import InputError, ParameterError
from linkprior.network import Network

RULES = ("connected", "all-nodes")


@dataclass(frozen=True)
class Split:
    """One way to judge: fit on `train`, find `hidden` among the candidates.

    Attributes
    ----------
    train
        The network a model may see; its nodes are fixed before anything is hidden.
    hidden
        (m, 2) pairs to be found, i < j, none of them in `train`.
    rule
        "connected": only pairs of nodes that keep an edge in training are candidates. "all-nodes":
        every pair is (the paper's rule; a node left without edges then gives itself away, since
        every node of the file had one).
    label
        Names protocol and seed.
    outside
        Pairs that could not be asked for (a node is missing in `train`, or, under "connected",
        has no edge there).
    """

    train: Network
    hidden: pr.Ints
    rule: str
    label: str
    outside: int = 0

    @property
    def eligible(self) -> NDArray[np.bool_]:
        """Nodes whose pairs are candidates."""
        if self.rule == "all-nodes":
            return np.ones(self.train.n_nodes, dtype=bool)
        return self.train.degrees > 0

    @property
    def n_pairs(self) -> int:
        """Number of pairs of eligible nodes, observed or not: 100 % of recall@x%."""
        return pr.n_pairs(int(self.eligible.sum()))


def uniform(net: Network, rate: float, seed: int = 0, rule: str = "connected") -> Split:
    """Keep a share `rate` of the edges, drawn uniformly; hide the others.

    Implements "Uniform sampling" of the paper's section on the gene expression network.
    """
    rate = real_number("rate", rate, 0.0, 1.0)
    kept = round(rate * net.n_edges)
    if kept < 1 or kept >= net.n_edges:
        raise ParameterError(
            f"rate {rate:g} of {net.n_edges} edges would keep {kept}: nothing to learn or to find"
        )
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    hidden = net.edges[np.sort(rng.permutation(net.n_edges)[kept:])]
    return _split(net.hide(hidden), hidden, rule, f"uniform:{rate:g} seed {seed}")


def release(older: Network, newer: Network, rule: str = "connected") -> Split:
    """Train on an older release; find the edges new in a later one between nodes already there.

    Nodes are matched by name. Edges with a node the older release does not have cannot be asked
    for and are counted in `outside`.
    """
    number_of = {name: i for i, name in enumerate(older.names)}
    to_older = np.array([number_of.get(name, -1) for name in newer.names], dtype=np.int64)
    if (to_older < 0).all():
        raise InputError("the two releases share no node name: do they use the same identifiers?")
    moved = to_older[newer.edges]
    both = (moved >= 0).all(axis=1)
    pairs = pr.ordered(moved[both])
    p = older.n_nodes
    known = np.isin(pr.encode(pairs, p), pr.encode(older.edges, p))
    hidden = pr.decode(np.sort(pr.encode(pairs[~known], p)), p)
    if len(hidden) == 0:
        raise InputError("the newer release has no new edge between nodes of the older one")
    return _split(older, hidden, rule, "release", outside=int((~both).sum()))


def _split(train: Network, hidden: pr.Ints, rule: str, label: str, outside: int = 0) -> Split:
    split = Split(train, hidden, choice("rule", rule, RULES), label, outside)
    asked = split.eligible[hidden].all(axis=1)
    if not asked.any():
        raise InputError(f"{label}: no hidden edge joins two nodes that keep an edge in training")
    return Split(train, hidden[asked], rule, label, outside + int((~asked).sum()))

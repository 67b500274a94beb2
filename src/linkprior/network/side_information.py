"""Side information of a network: confidences, known non-edges, earlier releases.

Below: weights as users give them, and which one an edge listed twice has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import InputError
from linkprior.network import pairs as pr

if TYPE_CHECKING:
    from linkprior.network.network import Network

Floats = NDArray[np.float64]

# The weight of a known non-edge in a loss, relative to an edge. An unobserved pair is almost
# surely not an edge, so that knowing it adds little: on generated networks a tenth helps `tri` (by
# 3 % of AUPRC) and nearly leaves `pu` as it is, while the weight of an edge costs `pu` a tenth.
NON_EDGE_WEIGHT = 0.1

_SHOWN = 5  # pairs that a message names

# Of the largest weight, what any other counts at least: no confidence is that low, and an edge of
# no weight at all would leave nodes without any.
LEAST_WEIGHT = 1e-12

_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")
_MISSING = {"", "-", "none", "nan", "na", "n/a", "null", "<na>", "nat", "?"}


@dataclass(frozen=True, eq=False)
class History:
    """Two releases: the older one, and the pairs of its nodes that are edges in the newer one.

    `elsewhere` counts new edges with a node that the older release does not have.
    """

    older: Network
    found: pr.Ints
    elsewhere: int = 0
    new_nodes: int = 0

    @classmethod
    def between(cls, older: Network, newer: Network) -> History:
        """Return what a newer release found; nodes are matched by name."""
        number_of = {name: i for i, name in enumerate(older.names)}
        to_older = np.array([number_of.get(name, -1) for name in newer.names], dtype=np.int64)
        if (to_older < 0).all():
            raise InputError(
                "the two releases share no node name: do they use the same identifiers?"
            )
        moved = to_older[newer.edges]
        both = (moved >= 0).all(axis=1)
        p, pairs = older.n_nodes, pr.ordered(moved[both])
        is_old = np.isin(pr.encode(pairs, p), pr.encode(older.edges, p))
        new_edges = pr.decode(np.sort(pr.encode(pairs[~is_old], p)), p)
        if len(new_edges) == 0:
            raise InputError(
                "the newer release has no new edge between nodes of the older one; are they the "
                "same, or the other way round?"
            )
        return cls(older, new_edges, int((~both).sum()), int((to_older < 0).sum()))

    def sorted(self) -> History:
        """Return the history with the nodes of the older release sorted by name."""
        older = self.older.sorted()
        if older is self.older:
            return self
        return replace(self, older=older, found=pr.moved(self.found, self.older.places))

    def without(self, hidden: set[tuple[str, str]]) -> History | None:
        """Return the history without some pairs, so that a hidden edge is hidden here, too."""
        names = self.older.names
        is_hidden = np.array(
            [_key(names[i], names[j]) in hidden for i, j in self.found.tolist()], bool
        )
        seen = [
            pair for pair in self.older.edges.tolist() if _key(*(names[n] for n in pair)) in hidden
        ]
        if not is_hidden.any() and not seen:
            return self
        older = self.older.hide(np.array(seen)) if seen else self.older
        remaining = self.found[~is_hidden]
        return replace(self, older=older, found=remaining) if len(remaining) else None


@dataclass(frozen=True, eq=False)
class SideInformation:
    """Side information: what is known besides the edges.

    Attributes
    ----------
    weights
        Confidence of each edge, 0 to 1, in the order of the network's edges; None: all equal.
    negatives
        Pairs i < j that are known not to be links, in order of pair.
    history
        Two releases that show what newly found links look like.
    """

    weights: Floats | None = None
    negatives: pr.Ints | None = None
    history: History | None = None

    def __post_init__(self) -> None:
        new_edges = None if self.history is None else self.history.found
        for part in (self.weights, self.negatives, new_edges):
            if part is not None:
                part.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # pickled arrays come back writable

    def with_weights(
        self, weights: ArrayLike, n_edges: int, relative: bool = True
    ) -> SideInformation:
        """Return the same with a confidence for every edge.

        With `relative` weights count by their ratio to the largest, else as they are.
        """
        try:
            values: Floats = np.array(weights, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError("weights must be numbers") from None
        if values.shape != (n_edges,):
            raise InputError(
                f"expected one weight for each of {n_edges} edges, got shape {values.shape}"
            )
        bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
        if len(bad):
            raise InputError(
                f"weights must be above 0, but edge {bad[0]} has {values[bad[0]]:g}"
                f"{f' (and {len(bad) - 1} more)' if len(bad) > 1 else ''}"
            )
        if relative and len(values):
            values = np.maximum(values / values.max(), LEAST_WEIGHT)
        return replace(self, weights=values)

    def with_negatives(self, pairs: pr.Ints, network: Network, force: bool) -> SideInformation:
        """Return the same with pairs that are not links; observed edges among them are refused."""
        p = network.n_nodes
        codes = pr.distinct(pr.encode(pairs[pairs[:, 0] != pairs[:, 1]], p))
        observed = np.isin(codes, pr.encode(network.edges, p))
        if observed.any() and not force:
            n, first = int(observed.sum()), pr.decode(codes[observed][:_SHOWN], p)
            shown = ", ".join(f"{network.names[i]} – {network.names[j]}" for i, j in first)
            more = f" and {n - _SHOWN} more" if n > _SHOWN else ""
            raise InputError(
                f"{n} of {len(codes)} known non-edges {'is an' if n == 1 else 'are'} observed "
                f"edge{'s' * (n != 1)}: {shown}{more}"
            )
        negatives = pr.decode(codes[~observed], p)
        return replace(self, negatives=negatives if len(negatives) else None)

    def without(self, hidden: pr.Ints, codes: pr.Ints, names: tuple[str, ...]) -> SideInformation:
        """Return what is known once some edges are hidden; all are given by their codes."""
        weights, history = self.weights, self.history
        if weights is not None:
            weights = weights[~np.isin(codes, hidden)]
        if history is not None:
            pairs = pr.decode(hidden, len(names)).tolist()
            history = history.without({_key(names[i], names[j]) for i, j in pairs})
        return SideInformation(weights, self.negatives, history)

    def renumbered(self, kept: NDArray[np.bool_]) -> SideInformation:
        """Return the same once only some nodes are kept; all edges are."""
        negatives = self.negatives
        if negatives is not None:
            left = negatives[kept[negatives].all(axis=1)]
            negatives = (np.cumsum(kept) - 1)[left] if len(left) else None
        return replace(self, negatives=negatives)

    def arranged(self, network: Network, to: pr.Ints) -> SideInformation:
        """Return the same once node n of a network is its node `to[n]`."""
        weights, negatives = self.weights, self.negatives
        if weights is not None:  # they come in the order of the edges
            weights = weights[np.argsort(pr.encode(pr.ordered(to[network.edges]), len(to)))]
        if negatives is not None:
            negatives = pr.moved(negatives, to)
        return replace(self, weights=weights, negatives=negatives)

    def renamed(self, new_of: Mapping[str, str]) -> SideInformation:
        """Return the same under new node names: releases are matched by name."""
        if self.history is None:
            return self
        older = self.history.older
        names = [new_of.get(name, name) for name in older.names]
        return replace(self, history=replace(self.history, older=older.rename(names)))

    def add_to(self, digest: Any) -> None:
        """Add it to the digest of a network; nothing where nothing is known."""
        if self.weights is not None:
            digest.update(b"weights" + self.weights.astype("<f8").tobytes())
        if self.negatives is not None:
            digest.update(b"negatives" + self.negatives.astype("<i8").tobytes())
        if self.history is not None:
            digest.update(b"history" + self.history.older.digest.encode())
            digest.update(self.history.found.astype("<i8").tobytes())


@dataclass(frozen=True, eq=False)
class Observations:
    """What a loss looks at pair by pair: all edges and known non-edges.

    Attributes
    ----------
    pattern
        CSR array of ones at edges and known non-edges, both ways round.
    weight
        Confidence of each edge, 0 to 1; NON_EDGE_WEIGHT at known non-edges.
    target
        1 at edges, 0 at known non-edges.
    """

    pattern: sp.csr_array
    weight: Floats
    target: Floats

    @classmethod
    def of(cls, network: Network) -> Observations:
        """Gather the evidence of a network, in the order of its CSR arrays."""
        sure, negatives = network.confidence, network.known.negatives
        if negatives is None:
            return cls(network.adjacency, sure.data, network.adjacency.data)
        i, j = negatives.T
        rows, cols = np.concatenate([i, j]), np.concatenate([j, i])
        zeros = sp.coo_array((np.full(len(rows), -1.0), (rows, cols)), shape=sure.shape)
        both = sp.csr_array(sure + zeros.tocsr())  # no pair is both: signs distinguish them
        both.sort_indices()
        pattern = sp.csr_array((np.ones(both.nnz), both.indices, both.indptr), shape=sure.shape)
        edge = both.data > 0
        return cls(pattern, np.where(edge, both.data, NON_EDGE_WEIGHT), edge.astype(np.float64))


NOTHING = SideInformation()


def _key(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)


# ---------------------------------------------------------------------- weights of any source


def weight_numbers(values: Any, where: Callable[[int], str], hint: str = "") -> Floats:
    """Return weights as numbers of 0 or more; of the first that is none, say where it is."""
    numbers: Floats
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
    else:
        values = values.tolist() if isinstance(values, np.ndarray) else values
        numbers = np.fromiter(map(_number, values), dtype=np.float64, count=len(values))
    bad = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
    if len(bad):
        value = values[bad[0]]
        missing = str(value).strip().lower() in _MISSING
        got = "none" if missing else repr(value.item() if hasattr(value, "item") else value)[:40]
        raise InputError(
            f"{where(int(bad[0]))}: expected a weight, a plain number of 0 or more, got {got}; "
            f"{hint or 'correct it, or leave the edge out'}"
        )
    return numbers


def _number(value: Any) -> float:
    """Return the number a cell holds, with a point or a comma; NaN where it holds none."""
    try:
        if isinstance(value, str):
            # 1,234: is that more than a thousand, or little? And 1_000 is a number of Python alone.
            if "_" in value or ("," in value and _THOUSANDS.fullmatch(value.strip())):
                return math.nan
            value = value.replace(",", ".")
        return float(value)
    except (TypeError, ValueError):
        return math.nan
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf


def by_pair(pairs: pr.Ints, weights: Floats, n_nodes: int) -> tuple[Floats, pr.Ints, int]:
    """Return the largest weight of each pair in order, which pair each row is, how many differ."""
    codes = pr.encode(pr.ordered(pairs), n_nodes)
    distinct, which = np.unique(codes, return_inverse=True)
    largest, least = np.zeros(len(distinct)), np.full(len(distinct), np.inf)
    np.maximum.at(largest, which, weights)
    np.minimum.at(least, which, weights)
    return largest, which, int((least < largest).sum())


def edge_weights(pairs: pr.Ints, weights: Floats, n_nodes: int) -> tuple[Floats, int]:
    """Return the largest weight of every edge, in order of pair, and how many have several."""
    proper = pairs[:, 0] != pairs[:, 1]
    largest, _, differing = by_pair(pairs[proper], weights[proper], n_nodes)
    return largest, differing


def weighted(network: Network, pairs: pr.Ints, weights: Floats) -> Network:
    """Return the network with the weights of the rows it was made of."""
    return network.with_weights(edge_weights(pairs, weights, network.n_nodes)[0])

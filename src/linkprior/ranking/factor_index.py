"""Nearest partners in factor space: the largest products of one node's query with others' keys.

Up to EXACT_UP_TO nodes every product is looked at. Beyond that nodes are grouped by the direction
of their queries (spherical k-means, about √p groups); the best keys of each group's mean query make
a pool of POOL times as many nodes as partners are wanted, and a node looks for its partners in the
pool of its group: O(p^1.5·r + p·pool·r) in place of O(p²·r).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from linkprior import parallel
from linkprior.errors import ParameterError
from linkprior.network.pairs import Ints
from linkprior.ranking.candidates import (
    ALLOWED,
    BLOCK,
    Block,
    Bools,
    Lists,
    NeighborCandidates,
    barred_of,
    slices,
)

Floats = NDArray[np.float32]

EXACT_UP_TO = 20_000
POOL = 4
_ROUNDS = 5  # of k-means
_DRAWN = 64  # queries per group that k-means looks at
_AT_ONCE = 2048  # nodes that are brought to their groups together
_ROUNDING = 1e-5  # of a float32 product, beside the lengths of both vectors


@dataclass(frozen=True)
class FactorPair:
    """Queries and keys (p, r) of a fitted model: their products are its scores before any prior.

    `exact` says that they are the scores themselves, rounding aside.
    """

    queries: NDArray[Any]
    keys: NDArray[Any]
    exact: bool = False


class FactorModel(Protocol):
    """What is asked of a model of factors."""

    name: ClassVar[str]
    has_factors: ClassVar[bool]

    def _factor_pair(self) -> FactorPair: ...


def refuse_without_factors(model: FactorModel) -> None:
    """Raise an error for a model in whose space nodes have no place."""
    if not model.has_factors:
        raise ParameterError(
            "candidates 'knn' are nearest by factors, for tri, tri-l1, tri-scale, tri-degree and "
            f"pu; {model.name} has no factors: take paths3"
        )


@dataclass(frozen=True, eq=False)
class FactorPartners:
    """The partners of the highest products of factors.

    Attributes
    ----------
    exact_scores
        Whether products are the scores, rounding aside: then those below a floor can be left out.
    """

    near: NeighborCandidates
    queries: Floats
    keys: Floats
    exact_scores: bool = False

    @classmethod
    def of(cls, near: NeighborCandidates, model: FactorModel) -> FactorPartners:
        """Take the factors of a fitted model."""
        refuse_without_factors(model)
        pair = model._factor_pair()
        queries, keys = pair.queries.astype(np.float32), pair.keys.astype(np.float32)
        return cls(near, queries, keys, pair.exact)

    @cached_property
    def _open(self) -> Ints:
        """Nodes that may be a partner of some node."""
        kinds = self.near.among.kinds
        some: Bools = np.logical_or.reduce(ALLOWED[:, np.unique(kinds)], axis=1)
        return np.flatnonzero(some[kinds])

    @cached_property
    def _grouped(self) -> tuple[Ints, NDArray[np.int32]]:
        """The group of each node, and the pool of each group; one group of all where exact."""
        size = POOL * self.near.partners
        if len(self.queries) <= EXACT_UP_TO or len(self._open) <= size:
            return np.zeros(len(self.queries), np.int64), self._open[None, :].astype(np.int32)
        means = _group_means(self.queries, self.near.seed)
        pools = parallel.map_tasks(lambda mean: self._pool(mean, size), list(means))
        return _groups(self.queries, means), np.stack(list(pools))

    def _pool(self, mean: Floats, size: int) -> NDArray[np.int32]:
        """Return the nodes whose keys have the highest products with one query, in order."""
        products = (self.keys @ mean)[self._open]
        best = np.argpartition(products, len(products) - size)[len(products) - size :]
        return np.sort(self._open[best]).astype(np.int32)

    def blocks(self, nodes: Ints) -> list[Ints]:
        """Cut nodes into blocks whose members look for partners in the same pool."""
        group = self._grouped[0][nodes]
        order = np.argsort(group, kind="stable")
        cuts = np.flatnonzero(np.diff(group[order])) + 1
        return [
            part[at] for part in np.split(nodes[order], cuts) for at in slices(len(part), BLOCK)
        ]

    @cached_property
    def _slack(self) -> Floats:
        """How far rounding may put any product of each query off."""
        longest = float(np.linalg.norm(self.keys, axis=1).max())
        slack: Floats = _ROUNDING * longest * np.linalg.norm(self.queries, axis=1)
        return slack

    def lists(self, block: Block, floor: float = -np.inf) -> Lists:
        """Return the partners of nodes that share a pool, less those that score below the floor."""
        group, pools = self._grouped
        pool = pools[group[block.nodes[0]]]
        products = self.queries[block.nodes] @ self.keys[pool].T
        self._bar(products, block.nodes, pool)
        kept: Bools = products > -np.inf
        if self.exact_scores and np.isfinite(floor):
            kept = products >= np.float32(floor) - self._slack[block.nodes, None]
        crowded = np.flatnonzero(kept.sum(axis=1) > self.near.partners)
        if len(crowded):
            cut = len(pool) - self.near.partners
            weak = np.argpartition(products[crowded], cut, axis=1)[:, :cut]
            kept[crowded[:, None], weak] = False
        return Lists(kept.sum(axis=1), pool[np.nonzero(kept)[1]])

    def _bar(self, products: Floats, nodes: Ints, pool: NDArray[np.int32]) -> None:
        """Write −∞ where a pair is no candidate."""
        among = self.near.among
        if among.restricted:
            products[~ALLOWED[among.kinds[nodes]][:, among.kinds[pool]]] = -np.inf
        rows, columns = barred_of(nodes, among)
        rows = np.append(rows, np.arange(len(nodes)))  # a node is no partner of its own
        columns = np.append(columns, nodes)
        at = np.minimum(np.searchsorted(pool, columns), len(pool) - 1)
        there = pool[at] == columns
        products[rows[there], at[there]] = -np.inf


def _group_means(queries: Floats, seed: int) -> Floats:
    """Return about √p mean directions of the queries."""
    rng = np.random.default_rng(seed)
    n = int(np.sqrt(len(queries)))
    drawn = _directions(queries[rng.choice(len(queries), min(len(queries), _DRAWN * n), False)])
    means = drawn[:n].copy()
    for _ in range(_ROUNDS):
        nearest = _groups(drawn, means)
        sums = np.zeros_like(means)
        np.add.at(sums, nearest, drawn)
        filled = np.bincount(nearest, minlength=n) > 0
        means[filled] = _directions(sums[filled])
    return means


def _groups(queries: Floats, means: Floats) -> Ints:
    """Return the mean direction nearest to each query; its length does not matter."""
    parts = slices(len(queries), _AT_ONCE)
    found = parallel.map_tasks(lambda at: np.argmax(queries[at] @ means.T, axis=1), parts)
    return np.concatenate(list(found))


def _directions(vectors: Any) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions: Floats = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return directions

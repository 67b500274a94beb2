"""The best pairs among some partners of each node: found, scored and dropped in blocks of nodes.

Partners come from short paths, from factors, and from anywhere by degree. The nearest by factors
are the largest products of one node's query with others' keys. Up to EXACT_UP_TO nodes every
product is looked at. Beyond that nodes are grouped by the direction of their queries (spherical
k-means, about √p groups); the best keys of each group's mean query make a pool of POOL times as
many nodes as partners are wanted, and a node looks for its partners in the pool of its group:
O(p^1.5·r + p·pool·r) in place of O(p²·r).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels, parallel
from linkprior.errors import ParameterError
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.ranking.candidates import ALLOWED, Bools, Candidates, NeighborCandidates
from linkprior.ranking.topk import Best, Found, first_pairs, refuse_too_many

Floats = NDArray[np.float32]

ALL_UP_TO = 50_000  # nodes up to which all pairs are asked about unless specified otherwise
BLOCK = 256  # nodes whose partners are found, scored and dropped together; fixed, like all blocks
_SCORED_AT_ONCE = 1 << 15  # pairs: models gather the factors of both ends
STEPS = 1 << 17  # second and third steps of walks from a node at most: hubs are cut here
_NEAR_TO_FAR = 20  # one far partner is drawn for so many near ones
EXACT_UP_TO = 20_000
POOL = 4
_ROUNDS = 5  # of k-means
_DRAWN = 64  # queries per group that k-means looks at
_AT_ONCE = 2048  # nodes that are brought to their groups together
_ROUNDING = 1e-5  # of a float32 product, relative to the lengths of both vectors


@dataclass(frozen=True)
class FactorPair:
    """Queries and keys (p, r) of a fitted model: their products are its scores before any prior.

    `exact` says that they are the scores themselves, rounding aside.
    """

    queries: NDArray[Any]
    keys: NDArray[Any]
    exact: bool = False


class Scorer(Protocol):
    """What retrieval asks of a fitted model, in the order of nodes it was fitted in."""

    name: ClassVar[str]
    has_factors: ClassVar[bool]
    # Whether a pair costs the same asked for alone as in a row. Where not, some partners of a node
    # cost as much as all, and are asked for by rows.
    scores_pairs_alone: ClassVar[bool]
    network_: Network

    def _in_order(self) -> Self: ...

    def _inward(self, pairs: Ints) -> Ints: ...

    def _factor_pair(self) -> FactorPair: ...

    def _rows(self, start: int, stop: int) -> NDArray[Any]: ...

    def _pairs(self, pairs: Ints) -> NDArray[Any]: ...


def default_kind(model: Scorer, among: Candidates) -> str:
    """Return which pairs are asked about where the user does not say.

    All pairs of up to `ALL_UP_TO` nodes, or as many scores where only some nodes are asked about;
    beyond that nearest partners by factors, or by paths for models without factors.
    """
    rows = int(among.cover.sum()) if among.restricted else among.network.n_nodes
    if rows * among.network.n_nodes <= ALL_UP_TO**2:
        return "all"
    return "knn" if model.has_factors else "paths3"


class Block(NamedTuple):
    """Some nodes, and which block it is (for what is drawn)."""

    number: int
    nodes: Ints


class Lists(NamedTuple):
    """Partners of each node of a block: how many, and these, node after node."""

    counts: Ints
    partners: NDArray[np.integer[Any]]


def slices(n: int, size: int) -> list[slice]:
    """Cut n things into runs of at most `size`."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def barred_of(nodes: Ints, among: Candidates) -> tuple[Ints, Ints]:
    """Return the barred partners of some nodes, ascending for each: the node's place, partner."""
    rows = among.barred[nodes]
    return np.repeat(np.arange(len(nodes)), np.diff(rows.indptr)), rows.indices.astype(np.int64)


def is_listed(codes: Ints, ascending: Ints) -> Bools:
    """Return which codes are in an ascending list."""
    if not len(ascending):
        return np.zeros(len(codes), dtype=bool)
    at = np.minimum(np.searchsorted(ascending, codes), len(ascending) - 1)
    return ascending[at] == codes


def united(block: Block, lists: Sequence[Lists], among: Candidates) -> Lists:
    """Return all partners that are candidates, each once, ascending."""
    p, b = among.network.n_nodes, len(block.nodes)
    codes = pr.distinct(
        np.concatenate([np.repeat(np.arange(b), one.counts) * p + one.partners for one in lists])
    )
    rows, partners = np.divmod(codes, p)
    ends, (owner, barred) = block.nodes[rows], barred_of(block.nodes, among)
    kept = ALLOWED[among.kinds[ends], among.kinds[partners]] & (ends != partners)
    kept &= ~is_listed(codes, owner * p + barred)
    return Lists(np.bincount(rows[kept], minlength=b), partners[kept])


@dataclass(frozen=True, eq=False)
class PathPartners:
    """The partners that most paths of length 3 lead to, weighted as by l3: Σ 1/√(k_u·k_v).

    From a node at most STEPS second steps and STEPS third steps are taken; where there are more,
    those through nodes that count most come first, so that a node costs no more, hub or not.
    """

    near: NeighborCandidates

    @cached_property
    def _weight(self) -> NDArray[np.float64]:
        return np.maximum(self.near.network.degrees, 1) ** -0.5

    def blocks(self, nodes: Ints) -> list[Ints]:
        """Cut nodes into blocks, as they come."""
        return [nodes[at] for at in slices(len(nodes), BLOCK)]

    def lists(self, block: Block, floor: float = -np.inf) -> Lists:
        """Return the partners of some nodes; their scores are not known yet."""
        a, among = self.near.network.adjacency, self.near.among
        found = kernels.l3_partners(
            (a.indptr, a.indices),
            self._weight,
            block.nodes,
            (among.barred.indptr, among.barred.indices),
            among.kinds,
            ALLOWED,
            min(self.near.partners, len(self._weight)),
            STEPS,
        )
        return Lists(*found)


@dataclass(frozen=True, eq=False)
class FarPartners:
    """Nodes anywhere, drawn by degree: one for every 20 partners, at least one.

    The nodes of the highest degrees, as many as partners are asked for, are partners of each other
    too: hubs without a short path between them would be found by luck only.
    """

    near: NeighborCandidates

    @cached_property
    def _hubs(self) -> Ints:
        most = np.argsort(-self.near.network.degrees, kind="stable")[: self.near.partners]
        return np.sort(most)

    def lists(self, block: Block, floor: float = -np.inf) -> Lists:
        """Return drawn partners of some nodes, and for hubs all hubs."""
        ends, b = self.near.network.adjacency.indices, len(block.nodes)
        rng = np.random.default_rng([self.near.seed, block.number])
        each = max(1, self.near.partners // _NEAR_TO_FAR)
        drawn = np.sort(ends[rng.integers(0, len(ends), (b, each))], axis=1)
        fresh = np.diff(drawn, axis=1, prepend=-1) != 0
        hubs = np.isin(block.nodes, self._hubs)
        counts = fresh.sum(axis=1) + len(self._hubs) * hubs
        rows = [
            np.append(row[new], self._hubs) if is_hub else row[new]
            for row, new, is_hub in zip(drawn, fresh, hubs, strict=True)
        ]
        return Lists(counts, np.concatenate(rows).astype(np.int64))


def refuse_without_factors(model: Scorer) -> None:
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
    def of(cls, near: NeighborCandidates, model: Scorer) -> FactorPartners:
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
        return _ROUNDING * longest * np.linalg.norm(self.queries, axis=1)

    def lists(self, block: Block, floor: float = -np.inf) -> Lists:
        """Return the partners of nodes that share a pool, less those that score below the floor."""
        (group, pools), nodes, among = self._grouped, block.nodes, self.near.among
        pool = pools[group[nodes[0]]]
        products = self.queries[nodes] @ self.keys[pool].T
        if among.restricted:
            products[~ALLOWED[among.kinds[nodes]][:, among.kinds[pool]]] = -np.inf
        rows, columns = barred_of(nodes, among)
        rows = np.append(rows, np.arange(len(nodes)))  # a node is not its own partner
        columns = np.append(columns, nodes)
        at = np.minimum(np.searchsorted(pool, columns), len(pool) - 1)
        there = pool[at] == columns
        products[rows[there], at[there]] = -np.inf
        kept: Bools = products > -np.inf
        if self.exact_scores and np.isfinite(floor):
            kept = products >= np.float32(floor) - self._slack[nodes, None]
        crowded = np.flatnonzero(kept.sum(axis=1) > self.near.partners)
        if len(crowded):
            cut = len(pool) - self.near.partners
            weak = np.argpartition(products[crowded], cut, axis=1)[:, :cut]
            kept[crowded[:, None], weak] = False
        return Lists(kept.sum(axis=1), pool[np.nonzero(kept)[1]])


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
    nearest = parallel.map_tasks(lambda at: np.argmax(queries[at] @ means.T, axis=1), parts)
    return np.concatenate(list(nearest))


def _directions(vectors: Any) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, np.finfo(np.float32).tiny)


def best_nearby(
    model: Scorer, near: NeighborCandidates, k: int | None, threshold: float = -np.inf
) -> tuple[Ints, NDArray[np.float64]]:
    """Return the k best of the nearby pairs (i < j) and their scores, best first, ties by pair."""
    by_factors = near.kind == "knn"
    nearest = FactorPartners.of(near, model) if by_factors else PathPartners(near)
    sources, among = (nearest, FarPartners(near)), near.among
    n = among.n_candidates
    # A pair may come from either of its ends, so twice at most.
    best = Best(2 * (n if k is None else min(k, n)))
    if best.k == 0:
        return np.empty((0, 2), np.int64), np.empty(0)

    def one_block(block: Block) -> Found:
        # The floor may come from any rows, so a tie with it need not lose.
        floor = max(best.floor, threshold)
        lists = united(block, [source.lists(block, floor) for source in sources], among)
        ends, partners = np.repeat(block.nodes, lists.counts), lists.partners.astype(np.int64)
        pairs = pr.ordered(np.stack([ends, partners], axis=1))
        scores = scores_of(model, ends, partners, pairs)
        kept = scores >= floor
        return first_pairs(pairs[kept, 0], pairs[kept, 1], scores[kept], best.k)

    blocks = [Block(*one) for one in enumerate(nearest.blocks(np.flatnonzero(among.cover)))]
    for part in parallel.map_tasks(one_block, blocks, stage="ranking candidate pairs"):
        best.add(*part)
        if k is None:
            refuse_too_many(best.waiting // 2, threshold)
    rows, cols, scores = best.compress()
    pairs = np.stack([rows, cols], axis=1)
    _, at = np.unique(pr.encode(pairs, near.network.n_nodes), return_index=True)
    at = np.sort(at)[:k]
    return pairs[at], scores[at].astype(np.float64)


def scores_of(model: Scorer, ends: Ints, partners: Ints, pairs: Ints) -> NDArray[Any]:
    """Return the scores of pairs that come node by node, with little memory."""
    if model.scores_pairs_alone:
        parts = [model._pairs(pairs[at]) for at in slices(len(pairs), _SCORED_AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty(0)
    scores = np.empty(len(pairs))
    height = parallel.blocks(model.network_.n_nodes)[0][1]
    nodes = np.unique(ends)
    for run in np.split(nodes, np.flatnonzero(np.diff(nodes) > 1) + 1):
        for start in range(int(run[0]), int(run[-1]) + 1, height) if len(run) else ():
            stop = min(start + height, int(run[-1]) + 1)
            part = slice(*np.searchsorted(ends, [start, stop]))
            scores[part] = model._rows(start, stop)[ends[part] - start, partners[part]]
    return scores

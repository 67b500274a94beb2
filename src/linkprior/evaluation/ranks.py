"""Ranks of hidden edges among all candidates: counted in row blocks, without sorting them all.

Scores are compared with *limits*: the scores of the hidden edges and those of some random pairs.
One pass reads the limits out of the blocks, a second one counts how many candidates lie between
and at them. What lies above a hidden edge, and what ties with it, is then known exactly, whatever
the number of candidates, and every metric follows from that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from linkprior import _progress as progress
from linkprior import kernels, parallel
from linkprior.errors import LinkpriorError
from linkprior.evaluation.splits import Split
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.predictors.base import LinkPredictor

Floats = NDArray[np.float64]

SAMPLED = 8192  # random pairs whose scores are limits too; with fewer pairs than that, all of them
KEPT = 1 << 29  # bytes of scores that are kept rather than computed a second time


class Scorer(Protocol):
    """Whatever gives rows of scores."""

    def score_rows(self, start: int, stop: int) -> NDArray[Any]:
        """Return scores of nodes start…stop against all nodes."""


class Places(NamedTuple):
    """How many are above each item, and at the same score (the item itself included)."""

    above: Floats
    tied: Floats

    def probability_within(self, k: float) -> Floats:
        """Return the probability of each to be among the first k, ties broken at random."""
        return np.clip((k - self.above) / self.tied, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class HiddenEdgeRanks:
    """All that the metrics of one model on one split are made of: places of the hidden edges."""

    split: Split
    degrees: DegreeTable
    places: Places  # among all candidates
    weighted: Places  # the same with candidates counted by the product of their degrees
    low: Places  # among pairs of two nodes of low degree; only of hidden edges that are such
    node_places: Places  # among the candidates of its first node, then of its second node
    spearman: float  # of scores and products of degrees, over all candidates

    @classmethod
    def of_random(cls, split: Split) -> HiddenEdgeRanks:
        """Return the ranks when all candidates tie: the random baseline."""
        table = DegreeTable.of(split)
        m, n_low = len(split.hidden), int(table.is_low(split.hidden).sum())

        def all_tied(n: int, of: Any) -> Places:
            return Places(np.zeros(n), np.broadcast_to(np.asarray(of, dtype=np.float64), n))

        open_pairs = table.candidates_per_node[split.hidden.T.ravel()]
        return cls(
            split,
            table,
            all_tied(m, table.n_candidates),
            all_tied(m, table.weight),
            all_tied(n_low, table.n_low),
            all_tied(2 * m, open_pairs),
            0.0,
        )


def rank_hidden_edges(
    model: Scorer, split: Split, scored: Callable[[], None] = lambda: None
) -> HiddenEdgeRanks:
    """Rank the hidden edges of a split exactly; `scored` is called once all scores were made.

    The first pass reads the scores of hidden edges out of the same blocks the second pass counts
    in, so that a tie is a tie to the last bit.
    """
    model, split = _in_order(model, split)
    table, blocks = DegreeTable.of(split), _Blocks(model, split.train.n_nodes)
    sample = _sample(split)
    with parallel.one_blas_thread(), progress.stage(total=3):
        with progress.part(2):
            read = blocks.read(np.concatenate([split.hidden, sample]))
        scored()
        hidden = read[: len(split.hidden)]
        if not np.isfinite(read).all():
            raise LinkpriorError(f"{split.label}: the model gave scores that are not finite")
        nodes, limits = _NodeLimits.of(split, hidden), np.unique(read)
        bins, node_bins = _count(blocks, split, table, limits, nodes)
    at = np.searchsorted(limits, hidden)
    above, equal = kernels.above_and_equal(bins)
    low = table.is_low(split.hidden)
    return HiddenEdgeRanks(
        split,
        table,
        Places(above[at, 0], equal[at, 0]),
        Places(above[at, 1], equal[at, 1]),
        Places(above[at[low], 2], equal[at[low], 2]),
        nodes.places(node_bins),
        table.spearman(bins[:, 0], bins[:, 3]),
    )


def _in_order(model: Scorer, split: Split) -> tuple[Scorer, Split]:
    """Return both in the order of nodes the model was fitted in: it gives whole blocks fastest."""
    if not isinstance(model, LinkPredictor):
        return model, split
    ordered, other_nodes = model._in_order(), model.network_.names != split.train.names
    return (model, split) if ordered is model or other_nodes else (ordered, split.sorted())


class _Blocks:
    """Row blocks of scores from the diagonal on, made once and kept where they fit in memory."""

    def __init__(self, model: Scorer, n_nodes: int) -> None:
        self.model, self.n_nodes = model, n_nodes
        self.keep = 4 * n_nodes * n_nodes <= KEPT  # half a matrix of float64
        self.kept: dict[int, NDArray[Any]] = {}

    def block(self, start: int, stop: int) -> NDArray[Any]:
        if start in self.kept:
            return self.kept[start]
        made = np.ascontiguousarray(self.model.score_rows(start, stop)[:, start:])
        if self.keep:
            self.kept[start] = made
        return made

    def read(self, pairs: Ints) -> Floats:
        """Return the scores of pairs i < j in any order."""
        order = np.argsort(pairs[:, 0], kind="stable")
        rows, cols = pairs[order].T

        def one_block(start: int, stop: int) -> Floats:
            first, last = np.searchsorted(rows, [start, stop])
            if first == last and not self.keep:
                return np.empty(0)
            at = rows[first:last] - start, cols[first:last] - start
            return self.block(start, stop)[at].astype(np.float64)

        read = np.empty(len(pairs))
        read[order] = np.concatenate(list(parallel.map_blocks(one_block, self.n_nodes, stage="")))
        return read


@dataclass(frozen=True)
class _NodeLimits:
    """The distinct scores of each node's hidden edges; `which` leads from edge ends to limits."""

    starts: Ints
    limits: Floats
    which: Ints

    @classmethod
    def of(cls, split: Split, hidden: Floats) -> _NodeLimits:
        nodes, scores = split.hidden.T.ravel(), np.tile(hidden, 2)
        order = np.lexsort((scores, nodes))
        n, s = nodes[order], scores[order]
        first = np.concatenate([[True], (n[1:] != n[:-1]) | (s[1:] != s[:-1])])
        which = np.empty(len(nodes), np.int64)
        which[order] = np.cumsum(first) - 1
        starts = np.searchsorted(n[first], np.arange(split.train.n_nodes + 1))
        return cls(starts, s[first], which)

    def places(self, bins: Ints) -> Places:
        """Read the counts of `kernels.tally_nodes`."""
        node = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        at = 2 * np.arange(len(self.limits)) + node + 1  # the bin of scores equal to the limit
        up_to = np.cumsum(bins)
        last = 2 * self.starts[1:] + np.arange(len(self.starts) - 1)  # the node's last bin
        above = up_to[last[node]] - up_to[at]
        return Places(above[self.which].astype(np.float64), bins[at][self.which].astype(np.float64))


def _sample(split: Split) -> Ints:
    """Return random pairs of eligible nodes, all of them where they are few."""
    nodes = np.flatnonzero(split.eligible)
    if pr.n_pairs(len(nodes)) <= SAMPLED:
        i, j = np.triu_indices(len(nodes), 1)
    else:
        rng = np.random.default_rng(0)
        i, j = rng.integers(0, len(nodes), (2, SAMPLED))
    pairs = np.stack([nodes[i], nodes[j]], axis=1)
    return pr.ordered(pairs[pairs[:, 0] != pairs[:, 1]])


def _count(
    blocks: _Blocks, split: Split, table: DegreeTable, limits: Floats, nodes: _NodeLimits
) -> tuple[Floats, Ints]:
    pattern = split.taken.indptr, split.taken.indices
    closed = (~split.eligible).astype(np.uint8)

    def one_block(start: int, stop: int) -> tuple[Floats, Ints]:
        rows = blocks.block(start, stop)
        blocks.kept.pop(start, None)  # not needed any more
        by_limit = kernels.tally(rows, start, *pattern, closed, limits, table.kinds, table.worth)
        own = kernels.tally_nodes(rows, start, *pattern, closed, nodes.starts, nodes.limits)
        return by_limit, own

    bins = np.zeros((2 * len(limits) + 1, table.worth.shape[2]))
    own = np.zeros(2 * len(nodes.limits) + split.train.n_nodes, np.int64)
    for more, more_own in parallel.map_blocks(one_block, split.train.n_nodes, stage=""):
        bins += more
        own += more_own
    return bins, own


@dataclass(frozen=True, eq=False)
class DegreeTable:
    """Degrees as kinds of nodes, and for every two kinds what their candidates count."""

    degrees: Ints  # training degree of every node
    kinds: Ints  # number of the node's degree among the distinct degrees
    # (kinds, kinds, 4): 1, the product of degrees, 1 for two low degrees, the rank of the product
    # among all candidates (the mean rank where products tie).
    worth: Floats
    counts: Floats  # (kinds, kinds) number of candidates, each pair of kinds once (upper triangle)
    low: float  # degrees up to this one (the median of the eligible nodes) are low
    candidates_per_node: Ints

    @classmethod
    def of(cls, split: Split) -> DegreeTable:
        """Count the candidates of a split by the degrees of their nodes."""
        degrees, eligible = split.train.degrees, split.eligible
        values, kinds = np.unique(degrees, return_inverse=True)
        low = float(np.median(degrees[eligible]))
        counts = _candidates(split, kinds, len(values))
        products = np.outer(values, values).astype(np.float64)
        both_low = np.outer(values <= low, values <= low)
        # The mean rank (1 for the smallest) of each product among all candidates.
        _, which = np.unique(products, return_inverse=True)
        each = np.bincount(which.ravel(), weights=counts.ravel())
        mean_ranks = np.cumsum(each) - each / 2.0 + 0.5
        ranks: Floats = mean_ranks[which].reshape(products.shape)
        worth = np.stack([np.ones_like(products), products, both_low, ranks], axis=2)
        open_to = eligible * (eligible.sum() - 1 - split.taken.astype(np.int64) @ eligible)
        return cls(degrees, kinds.ravel(), worth, counts, low, open_to)

    def is_low(self, pairs: Ints) -> NDArray[np.bool_]:
        """Return which pairs join two nodes of low degree."""
        low: NDArray[np.bool_] = self.degrees <= self.low
        return low[pairs[:, 0]] & low[pairs[:, 1]]

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return int(self.counts.sum())

    @property
    def weight(self) -> float:
        """Sum of the products of degrees over all candidates."""
        return float((self.counts * self.worth[:, :, 1]).sum())

    @property
    def n_low(self) -> int:
        """Number of candidates of two nodes of low degree."""
        return int((self.counts * self.worth[:, :, 2]).sum())

    def spearman(self, counts: Floats, rank_sums: Floats) -> float:
        """Correlate score ranks with product ranks, given both by bins of ascending scores.

        What lies between two neighbouring limits counts as tied, which changes the result by about
        one over the square of their number. Without any spread there is no correlation: NaN.
        """
        n, ranks = counts.sum(), self.worth[:, :, 3]
        middle = np.cumsum(counts) - counts / 2.0 + 0.5
        mean = (n + 1.0) / 2.0
        covariance = middle @ rank_sums - mean * rank_sums.sum()
        spread_scores = counts @ (middle - mean) ** 2
        spread_products = (self.counts * (ranks - mean) ** 2).sum()
        if spread_scores * spread_products == 0.0:
            return float("nan")
        return float(covariance / np.sqrt(spread_scores * spread_products))


def _candidates(split: Split, kinds: Ints, n_kinds: int) -> Floats:
    """Count candidates by the kinds of their nodes: all pairs less those that are taken."""
    of_kind = np.bincount(kinds[split.eligible], minlength=n_kinds).astype(np.float64)
    pairs = np.triu(np.outer(of_kind, of_kind))
    np.fill_diagonal(pairs, of_kind * (of_kind - 1.0) / 2.0)
    rows, cols = split.taken.tocoo().coords
    once = (rows < cols) & split.eligible[rows] & split.eligible[cols]
    a, b = np.sort(np.stack([kinds[rows[once]], kinds[cols[once]]]), axis=0)
    np.subtract.at(pairs, (a, b), 1.0)
    return pairs

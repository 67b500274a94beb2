"""What depends on the training degrees of a pair alone: product, rank, whether it is low."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkprior.evaluation.splits import Split
from linkprior.network.pairs import Ints

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DegreeTable:
    """Degrees as kinds of nodes, and for every two kinds what their candidates count.

    Attributes
    ----------
    degrees
        Training degree of every node.
    kinds
        Number of the node's degree among the distinct degrees.
    worth
        (kinds, kinds, 4): 1, the product of degrees, 1 for two low degrees, the rank of the product
        among all candidates (the mean rank where products tie).
    counts
        (kinds, kinds) number of candidates, each pair of kinds once (upper triangle).
    low
        Degrees up to this one (the median of the eligible nodes) are low.
    candidates_per_node
        Number of candidates each node is in.
    """

    degrees: Ints
    kinds: Ints
    worth: Floats
    counts: Floats
    low: float
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
        ranks = _mean_ranks(products, counts)
        worth = np.stack([np.ones_like(products), products, both_low, ranks], axis=2)
        open_to = eligible * (eligible.sum() - 1 - split.taken.astype(np.int64) @ eligible)
        return cls(degrees, kinds.ravel(), worth, counts, low, open_to)

    def is_low(self, pairs: Ints) -> NDArray[np.bool_]:
        """Tell which pairs join two nodes of low degree."""
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


def _mean_ranks(products: Floats, counts: Floats) -> Floats:
    """Return the mean rank (1 for the smallest) of each product among all candidates."""
    _, which = np.unique(products, return_inverse=True)
    each = np.bincount(which.ravel(), weights=counts.ravel())
    ranks = np.cumsum(each) - each / 2.0 + 0.5
    return ranks[which].reshape(products.shape)

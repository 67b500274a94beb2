"""The degree-corrected block model (Karrer & Newman 2011): its likelihood and description length.

Nodes fall into B blocks; m_rs counts the edges between blocks r and s (twice those within one) and
κ_r = Σ_s m_rs. Up to terms that no partition changes, the likelihood at its best parameters is

    L = ½ Σ_rs m_rs log(m_rs / (κ_r κ_s)) = ½ Σ_rs f(m_rs) − Σ_r f(κ_r),   f(x) = x log x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from linkprior.network.pairs import Ints

Array = NDArray[Any]


@dataclass
class Partition:
    """Nodes in blocks, none of them empty; moves and merges write over it."""

    group: Ints  # block of each node
    sizes: Ints  # nodes of each block
    counts: Ints  # edges between blocks, twice those within one

    @classmethod
    def of(cls, adjacency: sp.csr_array, labels: Ints) -> Partition:
        """Return the partition of a network by any labels of its nodes."""
        names, group = np.unique(labels, return_inverse=True)
        n = len(names)
        rows = np.repeat(group, np.diff(adjacency.indptr))
        counts = np.bincount(rows * n + group[adjacency.indices], minlength=n * n)
        return cls(group.astype(np.int64), np.bincount(group), counts.reshape(n, n))

    @property
    def n_blocks(self) -> int:
        return len(self.sizes)

    def log_likelihood(self) -> float:
        """Return L."""
        m, totals = self.counts, self.counts.sum(axis=1)
        return float(xlogy(m, m).sum() / 2.0 - xlogy(totals, totals).sum())

    def description_length(self) -> float:
        """Return the description length in nats of the network by these blocks; less is better.

        −L, the edges between blocks (any counts that add up to E are as likely), and the
        partition (any number of blocks, any sizes, any nodes in them), after Peixoto (2013, 2017).
        """
        B, N, E = self.n_blocks, len(self.group), self.counts.sum() / 2.0
        pairs = B * (B + 1) / 2.0
        edges = _log_binomial(pairs + E - 1.0, E)
        sizes = np.log(N) + _log_binomial(N - 1.0, B - 1.0)
        nodes = gammaln(N + 1.0) - gammaln(self.sizes + 1.0).sum()
        return float(-self.log_likelihood() + edges + sizes + nodes)

    def rates(self) -> Array:
        """Return w_rs = m_rs / (κ_r κ_s): k_i·k_j·w is the expected number of edges i–j."""
        totals = self.counts.sum(axis=1).astype(np.float64)
        return self.counts / np.outer(totals, totals)


def _log_binomial(n: float, k: float) -> float:
    return float(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def xlogx_table(n_edges: int) -> Array:
    """Return f(0) … f(2·n_edges): all that moves and merges ever ask for."""
    x = np.arange(2 * n_edges + 1, dtype=np.float64)
    return xlogy(x, x)

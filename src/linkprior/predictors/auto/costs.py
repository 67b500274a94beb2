"""What auto takes, in the nominal nanoseconds of one core (see `predictors.effort`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors.auto.features import work_of
from linkprior.predictors.auto.learners import N_TREES
from linkprior.predictors.auto.sampling import MOST_TOP, TOP_SHARE
from linkprior.predictors.auto.sources import Source
from linkprior.predictors.cost import effort_of

RANK, PENALTY = 6.0, 25.0  # per entry of a matrix of all nodes and source: a look at its features
LEAF = 10.0  # to take a pair down a tree
GROW = 5.0  # to grow a tree, per pair and feature
SPREAD = 6.0  # tops of different models: so many times the pairs near one of them


@dataclass(frozen=True)
class Costs:
    """Work on one network, part by part."""

    network: Network
    sources: Sequence[Source]
    prior: bool
    rounds: int

    @property
    def listening(self) -> float:
        """Fit all models to one network and count their scores."""
        return sum(work_of(source, self.network, self.prior) for source in self.sources)

    @property
    def looking(self) -> float:
        """Make the features of all pairs once."""
        entries, n = float(self.network.n_nodes) ** 2, self.network.n_nodes
        rows = sum(effort_of(s.make(0, n), self.network).scores for s in self.sources)
        with_prior = self.prior * sum(source.with_prior for source in self.sources)
        return rows + entries * (RANK * len(self.sources) + PENALTY * with_prior)

    @property
    def learning(self) -> float:
        """Grow trees: two kinds, for the top and for all, on both halves and on the whole."""
        n_pairs = pr.n_pairs(self.network.n_nodes)
        top = SPREAD * min(max(TOP_SHARE * n_pairs, self.network.n_edges), MOST_TOP)
        rows = self.rounds * min(top, n_pairs) + min(1e5, self.rounds * n_pairs)
        return 4.0 * GROW * N_TREES * rows * 1.4 * len(self.sources)

    @property
    def scoring(self) -> float:
        """Make all features and take every pair down the trees."""
        return self.looking + LEAF * N_TREES * 2.0 * pr.n_pairs(self.network.n_nodes)

    @property
    def fitting(self) -> float:
        """Do everything up to the scores."""
        return self.rounds * (self.listening + self.looking) + self.listening + self.learning

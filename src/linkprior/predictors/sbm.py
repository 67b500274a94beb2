"""A peer that sorts nodes into blocks: the degree-corrected stochastic block model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import choice, real_number, whole_number
from linkprior.kernels.sbm import mean_rates
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.base import Array, Learned, LinkPredictor
from linkprior.predictors.cost import PICK, Cost, amount
from linkprior.predictors.multistart import MOST_STARTS, idle_factor, run_starts
from linkprior.predictors.spaces import Axis
from linkprior.solvers.sbm_search import MERGED_SHARE, BlockSearch, Partition, levels

MOST_BLOCKS = 256  # to begin with, unless asked for more; above, a sweep gets slow
_MOVE = 3.5  # nanoseconds per edge and block, for each sweep
_SWEEPS = 9  # at one number of blocks before no node moves, mostly
_COUNTS = 6.0  # arrays of blocks × blocks, for each thread


def _half_the_nodes(network: Network) -> float:
    return max(1, network.n_nodes // 2)  # some lose all edges in a split, and are in no block


@dataclass(eq=False, kw_only=True)
class BlockModel(LinkPredictor):
    """DC-SBM: k_i·k_j·w_rs, r and s the blocks of i and j (Karrer & Newman 2011).

    w_rs = m_rs/(κ_r κ_s), m_rs the edges between the blocks and κ their degrees: the number of
    edges the degree-corrected block model expects between the two nodes. The number of blocks is
    the one of the least description length (Peixoto 2013), the best of several starts.

    Parameters
    ----------
    n_blocks
        Number of blocks; None means the least description length decides.
    max_blocks
        Number of blocks the search begins with; None means twice the square root of the number of
        nodes, at most 256.
    n_starts
        Random starts, of which the best is kept.
    combine
        "best": the partition of the least description length; "mean": the mean of the expected
        edges over all starts, of each over the two shortest partitions on its way down. The mean
        finds more hidden edges, moves less with the seed, and needs no more than a quick search.
    merged
        Share of the blocks that are merged between two rounds of moves.
    max_iter
        Sweeps over all nodes at most, for each number of blocks.
    seed
        Same seed, same bytes.
    """

    name = "dcsbm"
    summary_line = "degree-corrected block model (Karrer and Newman 2011)"
    search_space = {"n_blocks": Axis(2, 128, (4, 8, 16, 32, 64), whole=True, most=_half_the_nodes)}
    scores_pairs_alone = True
    n_blocks: int | None = None
    max_blocks: int | None = None
    n_starts: int = 4
    combine: str = "best"
    merged: float = MERGED_SHARE
    max_iter: int = 20
    seed: int = 0

    def _fit(self, network: Network) -> Learned:
        search = self._search(network)
        n_starts = whole_number("n_starts", self.n_starts, 1, MOST_STARTS)
        mean = choice("combine", self.combine, ["best", "mean"]) == "mean"
        one_start = search.several if mean else lambda rng: [search.run(rng)]
        with progress.stage("fitting dcsbm", n_starts):
            search.picture  # noqa: B018 – once, before starts ask for it side by side
            starts = run_starts(self.seed, n_starts, lambda rng, _: one_start(rng))
        partitions = [part for found in starts for part in found]
        shortest = min(partitions, key=Partition.description_length)
        facts = {
            "n_blocks": shortest.n_blocks,
            "description_length": shortest.description_length(),
            "starts": [found[0].description_length() for found in starts],
        }
        return Learned(self._arrays(network, partitions if mean else [shortest]), facts)

    def _arrays(self, network: Network, partitions: list[Partition]) -> dict[str, Array]:
        """Return the blocks of all nodes and the rates between blocks, a row for each partition."""
        most = max(part.n_blocks for part in partitions)
        # Nodes without edges may be in any block: their degree makes the score 0.
        groups = np.zeros((len(partitions), network.n_nodes), dtype=np.int64)
        rates = np.zeros((len(partitions), most, most))
        for group, table, part in zip(groups, rates, partitions, strict=True):
            group[network.degrees > 0] = part.group
            table[: part.n_blocks, : part.n_blocks] = part.rates()
        if self.combine == "best":
            groups, rates = groups[0], rates[0]
        return {"group": groups, "rates": rates, "degrees": network.degrees.astype(float)}

    def _search(self, network: Network) -> BlockSearch:
        """Check the parameters; leave out nodes without edges, of which nothing is known."""
        linked = np.flatnonzero(network.degrees > 0)
        wanted = self.n_blocks
        if wanted is not None:
            wanted = whole_number("n_blocks", wanted, 1, len(linked))
        most = min(MOST_BLOCKS, int(2.0 * np.sqrt(len(linked))))
        if self.max_blocks is not None:
            most = whole_number("max_blocks", self.max_blocks, 1)
        most = min(len(linked), max(most, 2 * (wanted or 0)))
        max_iter = whole_number("max_iter", self.max_iter, 1)
        merged = real_number("merged", self.merged, 0.0, 1.0)
        return BlockSearch(network.adjacency[linked][:, linked], most, wanted, max_iter, merged)

    def _cost(self, network: Network) -> Cost:
        search = self._search(network)
        n_starts = whole_number("n_starts", self.n_starts, 1, MOST_STARTS)
        passed = sum(levels(search.most, search.n_blocks or 1, search.merged))
        sweeps = min(search.max_iter, _SWEEPS)
        fit = n_starts * idle_factor(n_starts) * _MOVE * network.n_edges * passed * sweeps
        groups = 8.0 * network.n_nodes * 2.0 * len(levels(search.most)) * n_starts
        counts = 8.0 * _COUNTS * search.most**2 * min(parallel.current_workers(), n_starts)
        return Cost(fit, amount({"entries": 2.0 + PICK}, network), groups + counts)

    def _rows(self, start: int, stop: int) -> Array:
        k, group, rates = (self.learned_.arrays[name] for name in ("degrees", "group", "rates"))
        if group.ndim == 1:
            block = rates[group[start:stop]][:, group]
        else:
            block = mean_rates(group, rates, start, stop)
        block *= k[start:stop, None]
        block *= k
        return block

    def _pairs(self, pairs: Ints) -> Array:
        k, group, rates = (self.learned_.arrays[name] for name in ("degrees", "group", "rates"))
        i, j = pairs[:, 0], pairs[:, 1]
        if group.ndim == 1:
            return rates[group[i], group[j]] * k[i] * k[j]
        mean = np.zeros(len(pairs))
        for one, table in zip(group, rates, strict=True):  # in the order of the rows
            mean += table[one[i], one[j]]
        return mean / len(group) * k[i] * k[j]

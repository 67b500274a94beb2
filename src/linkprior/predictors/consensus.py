"""consensus:NAME: the mean of a model's scores over random starts or resampled edges."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import real_number, whole_number
from linkprior.errors import ParameterError
from linkprior.kernels.pairs import keep_best
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.base import Array, Learned, LinkPredictor
from linkprior.predictors.cost import Cost, cost_of, entries
from linkprior.predictors.meta import Wrapped, prefixed, under
from linkprior.predictors.multistart import SEED_LIMIT, threads
from linkprior.predictors.tri import DENSE_LIMIT

MOST_MEMBERS = 10_000
_COMPARED_BYTES = 40.0  # per score that is compared: the sum, those in order, and their places


class _Draw(NamedTuple):
    """What is random about one member: its seed, and which edges it does not see."""

    seed: int
    hidden: NDArray[np.bool_]

    def network(self, whole: Network) -> Network:
        """Return the network as the member sees it, all nodes in it."""
        if not self.hidden.any():
            return whole
        return Network.from_indices(whole.edges[~self.hidden], whole.names)


@dataclass(eq=False, kw_only=True)
class Consensus(Wrapped):
    """The mean of another model's scores over members that differ at random.

    Members are added until the best pairs of the mean stay: as many non-edges as there are edges
    are compared before and after each new member. Above 3,000 nodes they are compared on rows
    spread evenly over the network. `spread` is how far the members disagree on a pair.

    Parameters
    ----------
    most, least
        Members at most; and how many there are at least, where `most` allows it.
    settled
        No more are added once this share of the best pairs is the same before and after.
    resample
        Share of the edges hidden from each member, at random; each node keeps one of its edges at
        least, so fewer may be hidden. Above 0 the model needs no seed of its own.
    seed
        Chooses the seeds of all members. Same seed, same bytes.
    n_starts
        Where the model has it: starts of each member. A member is one start by default.
    """

    kind = "consensus"
    summary_line = "mean over random starts or resampled edges, until it is stable"
    changed = {"n_starts": 1}
    shared = frozenset({"seed"})
    most: int = 10
    least: int = 3
    settled: float = 0.95
    resample: float = 0.0
    seed: int = 0

    def spread(self, pairs: ArrayLike, by: str | None = None) -> Array:
        """Return how far the members disagree on pairs.

        Parameters
        ----------
        pairs, by
            As in `score_pairs`.

        Returns
        -------
        ndarray
            The sd of each pair's score over the members; 0 where there is but one.

        Examples
        --------
        >>> import linkprior as lp
        >>> model = lp.make("consensus:cn", resample=0.1, most=3)
        >>> model.fit(lp.planted_network(30, seed=0)).spread([(0, 1), (0, 2)]).shape
        (2,)
        """
        proper = self._proper(pairs, by)
        with parallel.one_blas_thread():
            scores = [member._pairs(proper) for member in self._in_order()._cached_members]
        return np.std(np.array(scores, dtype=np.float64), axis=0, ddof=int(len(scores) > 1))

    # ------------------------------------------------------------------ learning

    def _fit(self, network: Network) -> Learned:
        self._check(network)
        draws: list[_Draw] = []
        # More members leave the first as they are.
        for member_seed in np.random.SeedSequence(self.seed).spawn(self.most):
            rng = np.random.default_rng(member_seed)
            draws.append(_Draw(int(rng.integers(SEED_LIMIT)), _hidden(network, self.resample, rng)))
        best = _BestPairs(network)
        members: list[LinkPredictor] = []
        overlaps: list[float] = []
        fitting = progress.stage(f"fitting {self.name}", self.most)
        with fitting, closing(self._fits(network, draws)) as fits:
            for member in fits:
                overlaps += best.overlap_with(member)
                members.append(member)
                if len(members) >= self.least and overlaps and overlaps[-1] >= self.settled:
                    break
        return self._result(members, draws, overlaps)

    def _fits(self, network: Network, draws: list[_Draw]) -> Generator[LinkPredictor, None, None]:
        """Yield fitted members in order; some are fitted side by side, ahead of being asked for."""
        outer, inner = threads(len(draws))

        def fit(draw: _Draw) -> LinkPredictor:
            own_threads = min(inner, parallel.current_workers())
            with progress.part(1.0), parallel.use_workers(own_threads):
                return self._new(seed=draw.seed).fit(draw.network(network))

        yield from parallel.map_tasks(fit, draws, outer, remote=True)

    def _result(
        self, members: list[LinkPredictor], draws: list[_Draw], overlaps: list[float]
    ) -> Learned:
        n = len(members)
        arrays: dict[str, Array] = {}
        facts: dict[str, Any] = {
            "members": n,
            "seeds": [draw.seed for draw in draws[:n]],
            "overlap": overlaps,
            "settled": bool(overlaps) and overlaps[-1] >= self.settled,
        }
        for number, member in enumerate(members):
            arrays |= prefixed(str(number), member.learned_.arrays)
            facts[str(number)] = dict(member.learned_.facts)
        if self.resample > 0:
            arrays["hidden"] = np.stack([draw.hidden for draw in draws[:n]])
        return Learned(arrays, facts)

    def _check(self, network: Network) -> None:
        whole_number("most", self.most, 1, MOST_MEMBERS)
        whole_number("least", self.least, 1)
        real_number("settled", self.settled, 0.0, 1.0, high_open=False)
        real_number("resample", self.resample, 0.0, 1.0, low_open=False)
        whole_number("seed", self.seed, 0, SEED_LIMIT)
        if self.resample == 0 and "seed" not in self.wrapped.parameter_names():
            raise ParameterError(
                f"{self.name}: {self.wrapped.name} has no seed, so there is nothing random to "
                "average; hide some edges from each member, as with resample=0.1"
            )

    # ------------------------------------------------------------------ scoring

    def _rebuilt(self) -> list[LinkPredictor]:
        network, learned = self._state()
        none = np.zeros(network.n_edges, dtype=bool)
        members = []
        for number, seed in enumerate(learned.facts["seeds"]):
            hidden = learned.arrays["hidden"][number] if "hidden" in learned.arrays else none
            member = self._new(seed=seed)
            seen = _Draw(seed, hidden.astype(bool)).network(network)
            member._remember(seen, under(str(number), learned))
            members.append(member)
        return members

    def _rows(self, start: int, stop: int) -> Array:
        return self._mean(member._rows(start, stop) for member in self._cached_members)

    def _pairs(self, pairs: Ints) -> Array:
        return self._mean(member._pairs(pairs) for member in self._cached_members)

    def _base(self, pairs: Ints) -> Array:
        return self._mean(member._base(pairs) for member in self._cached_members)

    def _mean(self, scores: Iterator[Array]) -> Array:
        """Return the mean in double precision, added in the order of members."""
        total: Any = sum((one.astype(np.float64) for one in scores), 0.0)
        return np.asarray(total / len(self._cached_members))

    # ------------------------------------------------------------------ how long it takes

    def _cost(self, network: Network) -> Cost:
        """Return the work of all members, though it may settle with fewer."""
        self._check(network)
        one, compared = cost_of(self._new(), network), min(entries(network), DENSE_LIMIT**2)
        fit = one.fit + compared / entries(network) * one.scores
        held = _COMPARED_BYTES * compared + self.most * one.memory
        return Cost(self.most * fit, self.most * one.scores, held)


def _hidden(network: Network, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which edges to hide: a share of all, though never a node's first in random order."""
    hidden = np.zeros(network.n_edges, dtype=bool)
    if share == 0:
        return hidden
    order = rng.permutation(network.n_edges)
    _, first = np.unique(network.edges[order].ravel(), return_index=True)
    free = np.ones(len(order), dtype=bool)
    free[first // 2] = False
    hidden[order[free][: max(1, round(share * len(order)))]] = True
    return hidden


class _BestPairs:
    """The best non-edges of the mean over members, as these are added one by one."""

    def __init__(self, network: Network) -> None:
        p = network.n_nodes
        blocks = parallel.blocks(p)
        self.blocks = blocks[:: max(1, -(-(p**2) // DENSE_LIMIT**2))]
        self.rows = rows = np.concatenate([np.arange(*block) for block in self.blocks])
        # Where these rows hold non-edges, each pair once.
        twice = np.isin(np.arange(p), rows) & (np.arange(p) <= rows[:, None])
        self.open = ~twice & (network.adjacency[rows].toarray() == 0)
        self.sums = np.zeros(int(self.open.sum()))
        edges = int(np.isin(network.edges, self.rows).any(axis=1).sum())
        self.n_best = min(max(1, edges), len(self.sums))
        self.best: Ints | None = None

    def overlap_with(self, member: LinkPredictor) -> list[float]:
        """Add a member; return the share of the best pairs that stay, nothing for the first."""
        scored = parallel.map_tasks(lambda block: member._rows(*block), self.blocks)
        at, parts = 0, []
        for block in scored:
            parts.append(block[self.open[at : at + len(block)]])
            at += len(block)
        self.sums += np.concatenate(parts)
        before, places = self.best, np.arange(len(self.sums))
        _, self.best = keep_best(self.sums, places, self.n_best)
        if before is None:
            return []
        stay = len(np.intersect1d(before, self.best, assume_unique=True))
        return [stay / self.n_best if self.n_best else 1.0]

"""The degree prior with rank weights learned on edges hidden from the training network.

Some edges are hidden, the base model is fitted to the rest, and a small logistic regression
(`model.learned_weights`) separates hidden edges from non-edges by score, ranks in both rows and
degrees. Its log-odds then rank the pairs of the whole network, by ranks and degrees there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkprior import _progress as progress
from linkprior import kernels, parallel
from linkprior._validation import choice, shown
from linkprior.errors import ParameterError
from linkprior.model.learned_weights import (
    IsolatedOdds,
    LearnedWeights,
    Sample,
    degree_levels,
    learn_isolated,
    learn_weights,
    log_ratio,
    missing_share,
    rank_profile,
    soft_log,
)
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.predictors.base import Array, Learned, LinkPredictor
from linkprior.predictors.cost import PICK, Cost, cost_of, entries
from linkprior.predictors.scores import (
    exact_scores,
    exact_unit,
    knots,
    lookup_pairs,
    make_tables,
    unit_of,
    weights_in_rows,
)

HOLDOUTS = 3
SHARE = 0.1  # of the edges hidden in each
FEWEST = 30  # hidden edges below which the paper's weights are the safer guess
FEWEST_ISOLATED = 10
_NON_EDGES = 20_000  # drawn from each hold-out
_CURVE_RANKS, _CURVE_DEGREES = 13, (1, 3, 10, 30, 100)
_SCORING = 40.0  # nominal nanoseconds per entry
_LOOKUP = 16.0  # and to find a rank in a table, thrice for a score
_BYTES = 40.0  # per entry, up to the size at which matrices are held


@dataclass(frozen=True)
class Ranked:
    """A fitted model's scores and ranks: as matrices, or with ranks read from a table."""

    model: LinkPredictor
    network: Network
    unit: float  # what scores are measured in
    median: float  # and from where
    A: Array | None = None  # all scores; None where `table` stands for them
    X: Array | None = None  # the x of all ranks
    table: Array | None = None  # (1, p, knots) scores of every row at the knots' ranks

    @classmethod
    def of(cls, model: LinkPredictor, network: Network, dense: bool) -> Ranked:
        """Rank all pairs of a fitted model."""
        p = network.n_nodes
        if dense:
            A, profile = exact_scores(model._rows, p), rank_profile(p)
            keys = A.astype(np.float32)

            def one_block(start: int, stop: int) -> Array:
                return weights_in_rows(keys[start:stop], start, profile).astype(np.float32)

            X = np.concatenate(list(parallel.map_blocks(one_block, p, stage="")))
            return cls(model, network, *exact_unit(A, network.n_edges), A, X)
        table = make_tables(model._rows, p, np.zeros(p), rank_profile(p))
        return cls(model, network, *unit_of(table[0], p - 1, network.n_edges), table=table)

    def sample(self, pairs: Ints, hidden: Array, share: float) -> Sample:
        """Return pairs as the regression sees them."""
        y = degree_levels(self.network.degrees, self.network.n_nodes)[pairs]
        if self.table is not None:
            scores = self.model._pairs(pairs)
            keys, at_knots = scores.astype(np.float32), x_at_knots(self.network.n_nodes)
            ends = [kernels.weights_at(keys, self.table[0][end], at_knots) for end in pairs.T]
            x = np.stack(ends, axis=1)
        else:
            assert self.A is not None
            assert self.X is not None
            i, j = pairs.T
            scores, x = self.A[i, j], np.stack([self.X[i, j], self.X[j, i]], axis=1)
        f = soft_log(scores.astype(np.float64), self.median, self.unit)
        return Sample(f, x.astype(np.float64), y, hidden, share)


def x_at_knots(n_nodes: int) -> Array:
    """Return x at the ranks that tables hold."""
    return rank_profile(n_nodes)[knots(n_nodes - 1)]


# ---------------------------------------------------------------------- learning


def wanted(model: Any) -> bool:
    """Check the parameters of a model with the prior; return whether weights are to be learned."""
    if not isinstance(model.isolated, bool | np.bool_):
        raise ParameterError(f"isolated must be True or False, got {shown(model.isolated)}")
    if choice("weights", model.weights, ["paper", "learned"]) != "learned":
        return False
    if not (isinstance(model.degrees, str) and model.degrees == "observed"):
        raise ParameterError(
            "weights='learned' learns from the observed degrees: leave degrees (--degrees) out"
        )
    return True


def too_few(network: Network) -> bool:
    """Whether hold-outs would hide too few edges to learn from."""
    return HOLDOUTS * round(SHARE * network.n_edges) < FEWEST


def learns(model: Any, network: Network) -> bool:
    """Whether a model with the prior is to learn its weights, and there are edges enough."""
    return model.weights == "learned" and not too_few(network)


def _connected(ranked: Ranked, network: Network, hidden: Ints, rng: np.random.Generator) -> Sample:
    """Return hidden edges and non-edges between nodes that keep an edge."""
    kept = np.flatnonzero(ranked.network.degrees > 0)
    ends = kept[rng.integers(0, len(kept), (2 * _NON_EDGES, 2))]
    n_edges = int(np.isin(network.edges, kept).all(axis=1).sum())
    asked = hidden[np.isin(hidden, kept).all(axis=1)]
    return _sample(ranked, network, asked, ends, pr.n_pairs(len(kept)) - n_edges, rng)


def _isolated(
    ranked: Ranked, network: Network, hidden: Ints, rng: np.random.Generator
) -> list[Sample]:
    """Return the same for pairs with a node that lost all its edges, where there is one.

    Nodes that had none before are left out: their edges, if there are any, are not known.
    """
    had = network.degrees > 0
    lost, others = np.flatnonzero(had & (ranked.network.degrees == 0)), np.flatnonzero(had)
    if not len(lost):
        return []
    size = 2 * _NON_EDGES
    ends = np.stack([rng.choice(lost, size), rng.choice(others, size)], axis=1)
    asked = hidden[np.isin(hidden, lost).any(axis=1)]
    n_pairs = pr.n_pairs(len(lost)) + len(lost) * (len(others) - len(lost))
    return [_sample(ranked, network, asked, ends, n_pairs - len(asked), rng)]


def _sample(
    ranked: Ranked,
    network: Network,
    asked: Ints,
    ends: Ints,
    n_non_edges: int,
    rng: np.random.Generator,
) -> Sample:
    """Return hidden edges, and the non-edges among the pairs drawn, each once, not too many."""
    p = network.n_nodes
    codes = np.unique(pr.encode(pr.ordered(ends[ends[:, 0] != ends[:, 1]]), p))
    free = codes[~np.isin(codes, pr.encode(network.edges, p))]
    drawn = rng.permutation(free)[:_NON_EDGES]
    pairs = np.concatenate([asked, pr.decode(drawn, p)])
    hidden = np.arange(len(pairs)) < len(asked)
    return ranked.sample(pairs, hidden, max(len(drawn), 1) / max(n_non_edges, 1))


# ---------------------------------------------------------------------- scoring


@dataclass(frozen=True)
class LogOdds:
    """Log-odds of pairs, from scores and what ranks cost."""

    weights: LearnedWeights
    isolated: IsolatedOdds | None  # None where pairs with an isolated end go by the others' formula
    unit: float
    median: float
    degrees: Ints

    @cached_property
    def y(self) -> Array:
        """The levels of all degrees."""
        return degree_levels(self.degrees, len(self.degrees))

    @cached_property
    def slopes(self) -> Array:
        """What x costs at each node."""
        return self.weights.slopes(self.y)

    def of(self, scores: Array, ends: tuple[Any, Any], sloped: Array, product: Array) -> Array:
        """Return log-odds in single precision; `ends` are nodes that broadcast to the scores."""
        i, j = ends
        y = self.y[i], self.y[j]
        f = soft_log(scores.astype(np.float64), self.median, self.unit)
        log_odds = self.weights.log_odds(f, y, sloped, product)
        if self.isolated is not None:
            alone = (self.degrees[i] == 0) | (self.degrees[j] == 0)
            log_odds = np.where(alone, self.isolated.log_odds(y), log_odds)
        return log_odds.astype(np.float32)

    def base(self, scores: Array) -> Array:
        """Return the part of the log-odds that is the score's alone."""
        f = soft_log(scores.astype(np.float64), self.median, self.unit)
        base: Array = self.weights.constant + self.weights.score * f
        return base


@dataclass(frozen=True)
class LearnedScores:
    """Log-odds over a base's scores, with ranks read from a table."""

    rows_of: Callable[[int, int], Array]
    pairs_of: Callable[[Ints], Array]
    table: Array
    odds: LogOdds

    @cached_property
    def knots(self) -> Array:
        """The x at the ranks of the table."""
        return x_at_knots(len(self.odds.degrees))

    def rows(self, start: int, stop: int) -> Array:
        """Return a block of log-odds."""
        block = self.rows_of(start, stop)
        keys, table = block.astype(np.float32), self._own_table

        def half_sum(scale: Array, weights: Array) -> Array:
            return kernels.lookup_penalty(keys, start, table, scale, weights)

        ends = np.arange(start, stop)[:, None], np.arange(len(self.odds.degrees))[None]
        return self.odds.of(block, ends, *self._costs(half_sum))

    def at(self, pairs: Ints) -> Array:
        """Return the log-odds of pairs."""
        scores = self.pairs_of(pairs)
        keys = scores.astype(np.float32)

        def half_sum(scale: Array, weights: Array) -> Array:
            found = lookup_pairs(keys, pairs, self._own_table, scale, weights)
            return found.astype(np.float32)  # as in blocks: a tie must stay a tie

        ends = pairs[:, 0], pairs[:, 1]
        return self.odds.of(scores, ends, *self._costs(half_sum)).astype(np.float64)

    def _costs(self, half_sum: Callable[[Array, Array], Array]) -> tuple[Array, Array]:
        """Return ½Σ slope·x and x_i·x_j, the latter from the sums of x and of x²."""
        ones = np.ones(len(self.odds.degrees))
        sloped, mean = half_sum(self.odds.slopes, self.knots), half_sum(ones, self.knots)
        squares = half_sum(ones, self.knots**2)
        return sloped, np.maximum(2.0 * mean.astype(np.float64) ** 2 - squares, 0.0)

    @cached_property
    def _own_table(self) -> Array:
        """The table as kernels take it: a model that was read has arrays not to be written."""
        return np.require(self.table, np.float32, ["C", "W"])


def dense_log_odds(ranked: Ranked, odds: LogOdds) -> Array:
    """Return the symmetric matrix of log-odds by exact ranks."""
    A, X = ranked.A, ranked.X
    assert A is not None
    assert X is not None
    slopes, every = odds.slopes, np.arange(len(A))[None]

    def one_block(start: int, stop: int) -> Array:
        x, other = X[start:stop].astype(np.float64), X[:, start:stop].T.astype(np.float64)
        sloped = 0.5 * (slopes[start:stop, None] * x + slopes[None] * other)
        ends = np.arange(start, stop)[:, None], every
        return odds.of(A[start:stop], ends, sloped, x * other)

    return np.concatenate(list(parallel.map_blocks(one_block, len(A), stage="")))


# ---------------------------------------------------------------------- for predictors


def learned_ranking(
    model: Any,
    network: Network,
    base: LinkPredictor,
    make: Callable[[], LinkPredictor],
    dense: bool,
) -> tuple[dict[str, Array], dict[str, Any]] | None:
    """Return arrays and facts of the prior learned on hold-outs over a base; None: too few edges.

    Of `model` seed and `isolated` count, and `alpha`, the paper's, for the curve next to the
    learned one. `base` is fitted to the network, `make` makes another one. `dense` holds matrices.
    """
    if too_few(network):
        return None
    samples: list[Sample] = []
    isolated: list[Sample] = []  # of pairs with a node that lost all its edges
    for number in range(HOLDOUTS):
        rng = np.random.default_rng([getattr(model, "seed", 0), number])
        drawn = rng.permutation(network.n_edges)[: round(SHARE * network.n_edges)]
        hidden = network.edges[np.sort(drawn)]
        rest = network.hide(hidden)
        with progress.part(_round(make(), network)):
            ranked = Ranked.of(make().fit(rest), rest, dense)
        samples.append(_connected(ranked, network, hidden, rng))
        isolated += _isolated(ranked, network, hidden, rng)
    counts = {
        "holdouts": HOLDOUTS,
        "hidden": sum(int(sample.hidden.sum()) for sample in samples),
        "hidden_isolated": sum(int(sample.hidden.sum()) for sample in isolated),
    }
    some = any(not sample.hidden.all() for sample in samples)  # a complete network has no non-edge
    if counts["hidden"] < FEWEST or not some:
        return None
    weights, alone = learn_weights(samples), None
    enough = counts["hidden_isolated"] >= FEWEST_ISOLATED
    if enough and any(not sample.hidden.all() for sample in isolated):
        alone = learn_isolated(isolated)
    share = missing_share(network.degrees)
    if alone is not None:
        # Odds of the others grow with the edges missing, theirs do not: a node lost all it had.
        alone = alone.shifted(-log_ratio(share, SHARE))
    with progress.part(_round(make(), network, fitted=True)):
        ranked = Ranked.of(base, network, dense)
    facts: dict[str, Any] = {
        "kind": "learned",
        **counts,
        "coefficients": weights.as_facts(),
        "isolated": alone.as_facts() if alone is not None and model.isolated else None,
        "missing_share": share,
        "unit": ranked.unit,
        "median": ranked.median,
        "curve": curves(weights, network, model.alpha),
    }
    if not dense:
        assert ranked.table is not None
        return {"rank_table": ranked.table[0]}, facts
    return {"Q": dense_log_odds(ranked, log_odds(facts, network))}, facts


def log_odds(facts: Mapping[str, Any], network: Network) -> LogOdds:
    """Return the log-odds stored in facts."""
    alone = facts["isolated"]
    return LogOdds(
        LearnedWeights.from_facts(facts["coefficients"]),
        None if alone is None else IsolatedOdds.from_facts(alone),
        float(facts["unit"]),
        float(facts["median"]),
        network.degrees,
    )


def odds_of(learned: Learned, network: Network) -> LogOdds | None:
    """Return the log-odds a fit has learned; None where it has the paper's weights."""
    facts = learned.facts.get("weights", {})
    return log_odds(facts, network) if facts.get("kind") == "learned" else None


def paper_facts(network: Network) -> dict[str, Any]:
    """Return that the paper's weights are used, and why."""
    few = f"{network.n_edges} edges are too few to hide some and learn from them"
    why = few if too_few(network) else "edges hidden from it teach nothing between other nodes"
    return {"kind": "paper", "why": why}


def learned_words(learned: Learned) -> list[str]:
    """Return in a line whose rank weights a fit has, where they were to be learned."""
    facts = learned.facts.get("weights")
    if facts is None:
        return []
    if facts["kind"] == "paper":
        return [f"Rank weights: the paper's, since {facts['why']}."]
    hidden, rounds = facts["hidden"], facts["holdouts"]
    return [f"Rank weights: learned on {hidden:,} edges hidden in {rounds} rounds."]


def curves(weights: LearnedWeights, network: Network, alpha: float) -> dict[str, Any]:
    """Return b(k, d) as learned and as the paper has it, on a small grid."""
    p = network.n_nodes
    ranks = np.unique(np.rint(np.geomspace(1, p - 1, _CURVE_RANKS)).astype(np.int64)).tolist()
    most = int(network.degrees.max())
    degrees = [d for d in _CURVE_DEGREES if d < most] + [most]
    paper = (np.log1p(ranks)[None] / np.log1p(degrees)[:, None]) ** alpha
    learned = weights.curve(ranks, degrees, p)
    return {
        "ranks": ranks,
        "degrees": degrees,
        "learned": learned.round(6).tolist(),
        "paper": paper.round(6).tolist(),
    }


def cost(base: LinkPredictor, network: Network, dense_limit: int) -> Cost:
    """Return what learning over a base takes, fitting the base itself counted."""
    work, p = cost_of(base, network), network.n_nodes
    again = HOLDOUTS * _round(base, network) + _round(base, network, fitted=True)
    if p <= dense_limit:
        held, scores = _BYTES * entries(network), PICK * entries(network)
    else:
        held = 8.0 * p * len(knots(p - 1))
        scores = work.scores + 3 * _LOOKUP * entries(network)
    return Cost(work.fit + again, scores, work.memory + held)


def _round(model: LinkPredictor, network: Network, fitted: bool = False) -> float:
    """Return the work of fitting a base, unless it is fitted, and of ranking by it."""
    work = cost_of(model, network)
    return (0.0 if fitted else work.fit) + work.scores + _SCORING * entries(network)

"""degree:NAME: the degree prior over the scores of any model.

Score = A_ij − τ·unit·½(b_i(rank of j in row i) + b_j(rank of i in row j)), b_i(k) = (H_k/H_d′i)^α:
passes of the prior's prox over the base scores A, as tri-degree ranks by it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkprior import _progress as progress
from linkprior._validation import choice, real_number, whole_number
from linkprior.errors import ParameterError
from linkprior.kernels._engine import current_device
from linkprior.model.degrees import LIST_SIZE, Degrees, Edges, edges_in_all
from linkprior.model.priors import H_Like
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors import learned_prior, on_device
from linkprior.predictors.base import ISOLATED, WEIGHTS, Array, Learned, LinkPredictor
from linkprior.predictors.cost import Cost, cost_of, entries
from linkprior.predictors.meta import Wrapped, prefixed, under
from linkprior.predictors.on_device import Form
from linkprior.predictors.scores import (
    Combine,
    DenseScores,
    Scores,
    adjust,
    adjust_pairs,
    exact_penalty,
    exact_scores,
    exact_unit,
    knots,
    make_tables,
    prior_of,
    subtract,
    unit_of,
)
from linkprior.predictors.spaces import ALPHA, TAU, C, Space, without_learned
from linkprior.predictors.tri import DENSE_LIMIT
from linkprior.ranking.candidates import Candidates

LARGEST_TAU = 1e6  # beyond it nothing is left of the base scores in float32, as with inf
MOST_PASSES = 100
_TIE_BREAK = 1e-9  # what base scores count relative to ranks with τ = inf; penalties are float32
_RANKING, _LOOKUP, _EXACT = 12.0, 16.0, 60.0  # nominal nanoseconds per entry and pass
_EXACT_BYTES = 36.0  # per entry: base scores, their ranks' weights, and penalties


@dataclass(eq=False, kw_only=True)
class DegreeOver(Wrapped):
    """The degree prior over the scores A of another model: A − τ·unit·½(b_i(rank) + b_j(rank)).

    b_i(k) = (H_k/H_d′i)^α weighs the k-th best partner of node i. The unit is the
    score of the K-th best of all pairs less the median score, so that τ means the same for every
    base; K is `n_edges`. Ranks are exact up to 3,000 nodes, beyond that read from tables; scores
    that tie in a row get the middle of the tie's first and last weight.

    Parameters
    ----------
    alpha, c, n_edges, list_size
        The prior's α, and the degrees d′ = c·d with d from the observed degrees for a network of
        K edges: `n_edges`, or as many as observed ("observed", also None), or those and
        `list_size` more ("list"), which `predict` takes from the list it is asked for.
    H
        The sequence H: "log", "sqrt", "linear", "loglog", its values, or a function of ranks.
    degrees
        "observed": d as above. Known or desired degrees: a number for each node, or by name. For
        experiments "shuffled" gives each node the degree of another.
    tau
        Strength of the prior. With inf pairs go by their weighted ranks alone, and base scores
        only break ties; it is kept as the word, since JSON has no such number.
    passes
        How often ranks are taken: 1 takes those of the base scores, more take them again from the
        scores as the pass before left them. Of edges hidden inside training networks, two found
        as many or more in the first percents as one, with few exceptions.
    ranks
        "auto": exact up to 3,000 nodes, beyond that read from tables. "exact": beyond that, too,
        the ranks of the best pairs are counted, by PyTorch; for one pass over a model of factors
        (tri, pu, …). Single scores are then still read from tables.
    weights
        "paper": b as above. "learned": weights learned on edges hidden from the network, with the
        base fitted to the rest; scores are then log-odds, and α, c, τ and n_edges have no part.
    isolated
        Whether learned weights score pairs with an edgeless node by what became of nodes that lost
        all edges when some were hidden. False: by the formula of all others.

    Examples
    --------
    >>> import linkprior as lp
    >>> lp.make("degree:l3", tau=2.0).fit(lp.planted_network(40, seed=0)).predict_edges(3)
    Ranking(3 pairs)
    """

    kind = "degree"
    summary_line = "the degree prior over the scores of any model"
    own_space = {"alpha": ALPHA, "c": C, "tau": TAU}
    alpha: float = 0.5
    c: float = 1.0
    tau: float | str = 1.0
    n_edges: Edges = None
    list_size: int = LIST_SIZE
    H: H_Like = "log"
    degrees: Degrees = "observed"
    passes: int = 2
    ranks: str = "auto"
    weights: str = "paper"
    isolated: bool = True

    @classmethod
    def supported(cls) -> frozenset[str]:
        return super().supported() | WEIGHTS | ISOLATED

    @classmethod
    def _refuse(cls, base: type[LinkPredictor]) -> None:
        if {"alpha", "c"} <= set(base.parameter_names()):
            raise ParameterError(
                f"degree:{base.name}: {base.name} has the degree prior already; set its own "
                "alpha and c, or put degree: over another model"
            )
        super()._refuse(base)

    def _axes(self) -> Space:
        return without_learned(super()._axes(), self.weights)

    def get_params(self, deep: bool = True) -> dict[str, object]:
        given = super().get_params(deep)
        return given | ({"tau": "inf"} if self._pure_ranks else {})

    def summary(self) -> list[str]:
        _, learned = self._state()
        return [*self._cached_members[0].summary(), *learned_prior.learned_words(learned)]

    def without_prior(self) -> LinkPredictor:
        return self._new()

    @property
    def _pure_ranks(self) -> bool:
        return self.tau == "inf" or (isinstance(self.tau, float) and self.tau == math.inf)

    # ------------------------------------------------------------------ learning

    def _fit(self, network: Network) -> Learned:
        self._prior(network)
        base, work = self._new(), self._cost(network)
        with progress.stage(f"fitting {self.name}", work.fit):
            with progress.part(cost_of(base, network).fit):
                base.fit(network)
            learned = None
            if learned_prior.learns(self, network):
                dense = network.n_nodes <= DENSE_LIMIT
                learned = learned_prior.learned_ranking(self, network, base, self._new, dense)
            if learned is None:
                arrays, facts = self._ranked(network, base)
            else:
                arrays, weights = learned
                facts = {"unit": weights["unit"], "median": weights["median"], "weights": weights}
        all_arrays = {**prefixed("base", base.learned_.arrays), **arrays}
        return Learned(all_arrays, {"base": dict(base.learned_.facts), **facts})

    def _ranked(
        self, network: Network, base: LinkPredictor
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return the penalties, as a matrix or as tables, and what they are measured in."""
        p, aim = network.n_nodes, edges_in_all(network, self.n_edges, self.list_size)
        scale, profile = self._prior(network)
        if p <= DENSE_LIMIT:
            A = exact_scores(base._rows, p)
            unit, median = exact_unit(A, aim)
            combine = self._combine(unit, median)
            arrays = {"penalty": exact_penalty(A, scale, profile, self.passes, combine)}
        else:
            away = self._base_form(base)
            if away is None:
                ranked = (base._rows, p, scale, profile)
                first = make_tables(*ranked)
                unit, median = unit_of(first[0], p - 1, aim)
                tables = make_tables(*ranked, self.passes, self._combine(unit, median), first)
            else:
                factors = away.layers[0][:2]
                first = on_device.tables(*factors, scale, profile, 1)
                unit, median = unit_of(first[0], p - 1, aim)
                scale = self._strength(unit) * scale
                tables = on_device.tables(*factors, scale, profile, self.passes, first)
            arrays = {"tables": tables}
        facts: dict[str, Any] = {"unit": unit, "median": median}
        if self.weights == "learned":
            facts["weights"] = learned_prior.paper_facts(network)
        return arrays, facts

    def _base_form(self, base: LinkPredictor) -> Form | None:
        """Return the base's scores for the device in use; None where the CPU has to do it."""
        away = current_device() != "cpu" or self.ranks == "exact"
        if self._pure_ranks or not away:
            return None
        form = base._factor_form()
        return form if form is not None and form.is_plain else None

    def _prior(self, network: Network) -> tuple[Array, Array]:
        """Check the parameters, and return the rank weights g_i and h_k."""
        whole_number("passes", self.passes, 1, MOST_PASSES)
        exact = choice("ranks", self.ranks, ["auto", "exact"]) == "exact"
        if exact and network.n_nodes > DENSE_LIMIT:
            beyond = f"ranks='exact' beyond {DENSE_LIMIT:,} nodes"
            if self.passes != 1 or self._pure_ranks:
                raise ParameterError(f"{beyond} counts ranks once, for a finite tau: set passes=1")
            if self.wrapped._factor_form is LinkPredictor._factor_form:
                raise ParameterError(
                    f"{beyond} is for models of factors (tri, pu), not for {self.wrapped.name}: "
                    "take ranks='auto'"
                )
        if learned_prior.wanted(self) and self.ranks != "auto":
            raise ParameterError("weights='learned' ranks in its own way: leave ranks='auto'")
        if not self._pure_ranks:
            real_number("tau", self.tau, 0.0, LARGEST_TAU, low_open=False, high_open=False)
        prior, p = prior_of(self, network), network.n_nodes
        if p > DENSE_LIMIT and prior.steep:
            raise ParameterError(
                f"alpha={self.alpha:g} with this H is too steep for tables of ranks, which more "
                f"than {DENSE_LIMIT:,} nodes need: choose a smaller alpha"
            )
        return prior.scale(np.zeros(p)), prior.profile(p - 1)

    def _combine(self, unit: float, median: float) -> Combine:
        """Return how penalties, in units of the weights, change scores."""
        if not self._pure_ranks:
            strength = self._strength(unit)
            return lambda scores, penalty: subtract(scores, strength * penalty)

        def ranks_alone(scores: Array, penalty: Array) -> Array:
            above = scores.astype(np.float64) - median
            return _TIE_BREAK * above / (np.abs(above) + unit) - penalty

        return ranks_alone

    def _strength(self, unit: float) -> np.float32:
        return np.float32(float(self.tau) * unit)

    # ------------------------------------------------------------------ scoring

    def _factor_form(self) -> Form | None:
        arrays, away = self.learned_.arrays, self._base_form(self._cached_members[0])
        if away is None or "tables" not in arrays:
            return None
        (left, right, _), (scale, weights) = away.layers[0], self._cached_weights
        strength = self._strength(self.learned_.facts["unit"])
        return Form([(left, right, arrays["tables"])], strength * scale, weights)

    def _best_on_device(
        self, candidates: Candidates | None, k: int | None, threshold: float
    ) -> tuple[Ints, Array] | None:
        """Return the best pairs by exact ranks where these are asked for and not yet had."""
        form = self._factor_form() if self.ranks == "exact" else None
        if form is None:
            return super()._best_on_device(candidates, k, threshold)
        net, _ = self._state()
        asked = Candidates.of(net) if candidates is None else candidates
        if asked.restricted or k is None:
            raise ParameterError(
                "ranks='exact' beyond 3,000 nodes finds a number of pairs (--top) among all of "
                "them; take ranks='auto' for chosen nodes, or without a number"
            )
        best = on_device.exact_best(form, self._prior(net)[1], asked, k)
        kept = best[1] >= threshold
        return best[0][kept], best[1][kept]

    def _rebuilt(self) -> list[LinkPredictor]:
        network, learned = self._state()
        base = self._new()
        base._remember(network, under("base", learned))
        self._cached_combine = self._combine(learned.facts["unit"], learned.facts["median"])
        scale, profile = self._prior(network)
        self._cached_weights = scale, profile[knots(len(profile))]
        self._cached_odds = learned_prior.odds_of(learned, network)
        self._cached_learned: Scores | None = None
        if "Q" in learned.arrays:
            self._cached_learned = DenseScores(learned.arrays["Q"])
        elif self._cached_odds is not None:
            table = learned.arrays["rank_table"]
            self._cached_learned = learned_prior.LearnedScores(
                base._rows, base._pairs, table, self._cached_odds
            )
        return [base]

    def _rows(self, start: int, stop: int) -> Array:
        if self._cached_learned is not None:
            return self._cached_learned.rows(start, stop)
        arrays, block = self.learned_.arrays, self._cached_members[0]._rows(start, stop)
        if "penalty" in arrays:
            return self._cached_combine(block, arrays["penalty"][start:stop])
        ranked = arrays["tables"], *self._cached_weights
        return adjust(block, start, *ranked, self._cached_combine)

    def _pairs(self, pairs: Ints) -> Array:
        if self._cached_learned is not None:
            return self._cached_learned.at(pairs)
        arrays, scores = self.learned_.arrays, self._base(pairs)
        if "penalty" in arrays:
            return self._cached_combine(scores, arrays["penalty"][pairs[:, 0], pairs[:, 1]])
        ranked = arrays["tables"], *self._cached_weights
        return adjust_pairs(scores, pairs, *ranked, self._cached_combine)

    def _base(self, pairs: Ints) -> Array:
        scores = self._cached_members[0]._pairs(pairs)
        return scores if self._cached_odds is None else self._cached_odds.base(scores)

    # ------------------------------------------------------------------ how long it takes

    def _cost(self, network: Network) -> Cost:
        self._prior(network)
        if learned_prior.learns(self, network):
            return learned_prior.cost(self._new(), network, DENSE_LIMIT)
        base, n, passes = cost_of(self._new(), network), entries(network), self.passes
        if network.n_nodes <= DENSE_LIMIT:
            fit = base.fit + base.scores + passes * _EXACT * n
            return Cost(fit, base.scores, base.memory + _EXACT_BYTES * n)
        looks = passes * (passes - 1) / 2
        tables = passes * (base.scores + _RANKING * n) + looks * _LOOKUP * n
        held = 8.0 * passes * network.n_nodes * len(knots(network.n_nodes - 1))
        scores = base.scores + passes * _LOOKUP * n
        return Cost(base.fit + tables, scores, base.memory + held)

"""Tri+Degree: tri-factorization with the node-specific degree prior, ranked by its prox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkprior import progress
from linkprior.checks import choice, real_number, whole_number
from linkprior.errors import ParameterError
from linkprior.model.degrees import prior_degrees
from linkprior.model.factors import Factors
from linkprior.model.priors import DegreePrior, Prior
from linkprior.network import Network
from linkprior.pairs import Ints
from linkprior.predictors import effort, learned_prior, on_device
from linkprior.predictors.base import ISOLATED, NEGATIVES, WEIGHTS, Learned
from linkprior.predictors.effort import Effort
from linkprior.predictors.scores import (
    PASSES,
    DenseScores,
    Scores,
    SketchScores,
    build_tables,
    dense_prox,
    knots,
    mean_matrix,
    merge,
)
from linkprior.predictors.starts import MOST_STARTS, threads
from linkprior.predictors.tri import Array, Penalised, Run, Tri

DENSE_LIMIT = 3000  # nodes up to which p × p arrays are taken for granted
LEARNED_STARTS = 4  # times `n_starts` plain starts under learned weights; each is cheap


@dataclass(eq=False, kw_only=True)
class TriDegree(Penalised):
    """Tri+Degree: the node-specific degree prior, the paper's method.

    Each start runs `warmup` plain sweeps, then `max_iter` steps with the prior, and pairs are
    ranked by the prox of the prior over the fitted scores.

    Parameters
    ----------
    alpha, c, n_edges
        The prior S_H(X, c·d, α); d from the observed degrees for a network of `n_edges` edges
        (None: as many as observed).
    degrees
        "observed": d as above. For experiments: "shuffled" gives each node the degree of another,
        and a vector is taken for d.
    rank_by
        "q": the prox before clipping (default), "x": clipped at zero, "factors": U S Uᵀ.
    average
        "q": the mean of each start's Q; "scores": the prox of the mean of all starts' scores.
    warmup
        Sweeps without prior at the beginning of each start.
    weights
        "paper": rank weights (H_k/H_d′)^α with strength λ/η. "learned": weights learned on edges
        hidden from the network, over four times `n_starts` plain starts; scores are then log-odds,
        and α, c, n_edges, λ and η have no part in them.
    isolated
        Whether learned weights score pairs with an edgeless node by what became of nodes that lost
        all edges when some were hidden. False: by the formula of all others.
    """

    name: ClassVar[str] = "tri-degree"
    heeds: ClassVar[frozenset[str]] = WEIGHTS | NEGATIVES | ISOLATED
    alpha: float = 0.5
    c: float = 1.0
    n_edges: int | None = None
    degrees: str | Sequence[int] = "observed"
    rank_by: str = "q"
    average: str = "q"
    warmup: int = 70
    max_iter: int = 10
    weights: str = "paper"
    isolated: bool = True

    def _check(self, network: Network) -> None:
        super()._check(network)
        choice("rank_by", self.rank_by, ["q", "x", "factors"])
        choice("average", self.average, ["q", "scores"])
        whole_number("warmup", self.warmup, 0)
        self._prior(network)
        if learned_prior.wanted(self.weights, self.isolated):
            self._refuse_misfits()

    def _refuse_misfits(self) -> None:
        """Refuse what learned weights have no use for, though a user would think they had."""
        if self.rank_by != "q":
            raise ParameterError("weights='learned' ranks by its own log-odds: leave rank_by='q'")
        if not (isinstance(self.degrees, str) and self.degrees == "observed"):
            raise ParameterError(
                "weights='learned' learns from the observed degrees: leave degrees='observed'"
            )

    def _prior(self, network: Network) -> Prior:
        alpha = real_number("alpha", self.alpha, 0.0)
        aim = prior_degrees(network, self.n_edges, self.c, self.degrees, self.seed)
        return DegreePrior(aim, alpha)

    def without_prior(self) -> Tri:
        """Return the same model with the prior taken away: as many plain sweeps as steps in all."""
        names = ("rank", "rho", "loss", "n_starts", "tol", "seed")
        same = {name: getattr(self, name) for name in names}
        return Tri(**same, max_iter=self.warmup + self.max_iter)

    def _solver_name(self, network: Network) -> str:
        if self.solver != "auto":
            return self.solver
        return "admm" if network.n_nodes <= DENSE_LIMIT else "streaming"

    def _fit_start(self, network: Network, rng: np.random.Generator, workers: int) -> Run:
        with progress.stage(total=self._start_effort(network)):
            start = self._warm_up(network, rng) if self.warmup else None
            return self._fit_from(network, start, rng, workers)

    def _warm_up(self, network: Network, rng: np.random.Generator) -> Factors:
        with progress.part(self._warmup_effort(network)):
            warm: Factors = self._plain(network, rng, self.warmup).state.factors
        return warm

    def _learns(self, network: Network) -> bool:
        """Whether weights are to be learned, and there are edges enough."""
        return self.weights == "learned" and not learned_prior.too_few(network)

    def _plain_base(self) -> Tri:
        """Return the plain model under learned weights."""
        plain = self.without_prior()
        return plain.set_params(n_starts=min(LEARNED_STARTS * self.n_starts, MOST_STARTS))

    def _learned_run(self, network: Network) -> Learned | None:
        """Return plain factors and the learned prior over them; None: too few edges."""
        work = self._plain_base()._effort(network)
        with progress.part(work.fit):
            base = self._plain_base().fit(network)
        found = learned_prior.learned_ranking(
            network,
            base,
            self._plain_base,
            seed=self.seed,
            dense=network.n_nodes <= DENSE_LIMIT,
            isolated=self.isolated,
            alpha=self.alpha,
        )
        if found is None:
            return None
        arrays, facts = found
        return Learned(
            {**base.learned_.arrays, **arrays}, {**base.learned_.facts, "weights": facts}
        )

    def _run(self, network: Network) -> Learned:
        if self._learns(network) and (found := self._learned_run(network)) is not None:
            return found
        learned = self._paper_run(network)
        if self.weights == "paper":
            return learned
        facts = {**learned.facts, "weights": learned_prior.paper_facts(network)}
        return Learned(learned.arrays, facts)

    def _paper_run(self, network: Network) -> Learned:
        learned = super()._run(network)
        if self.rank_by == "factors":
            return learned
        dense = self._solver_name(network) == "admm"
        weights, units = self._rank_weights(network), self._layer_effort(network).fit
        on_disk = self._on_disk(network)

        def one_layer(factors: Factors) -> Array:
            with progress.part(units):
                if dense:
                    return dense_prox(factors, *weights, on_disk)
                if on_device.in_use():
                    return on_device.tables(factors.US, factors.U, *weights, PASSES)
                return build_tables(factors, *weights)

        layers = map(one_layer, self._layers(learned))
        if dense:
            ranked = {"Q": mean_matrix(layers, network.n_nodes, self.rank_by == "x", on_disk)}
        else:
            ranked = {"tables": np.stack(list(layers))}
        return Learned({**learned.arrays, **ranked}, learned.facts)

    def _fit_effort(self, network: Network) -> float:
        if self._learns(network):
            plain = self._plain_base()
            return plain._effort(network).fit + learned_prior.effort(plain, network)
        return self._starts_effort(network) + self._n_layers * self._layer_effort(network).fit

    def _score_effort(self, network: Network) -> float:
        if self.rank_by == "factors" or self._learns(network):
            return super()._score_effort(network)
        return effort.pick(network) + self._n_layers * self._layer_effort(network).scores

    @property
    def _n_layers(self) -> int:
        if self.rank_by == "factors":
            return 0
        return self.n_starts if self.average == "q" else 1

    def _start_effort(self, network: Network) -> float:
        return self._warmup_effort(network) + super()._start_effort(network)

    def _warmup_effort(self, network: Network) -> float:
        _, inner = threads(self.n_starts)  # a plain sweep keeps one of a start's threads busy
        return inner * (self.warmup + 1) * effort.sweep(network, self._rank(network))

    def _layer_effort(self, network: Network) -> Effort:
        """Return the work of ranking one layer's pairs by the prox, and of its scores then."""
        n = effort.entries(network)
        if self._solver_name(network) == "admm":
            return Effort(effort.DENSE_PROX * n, 0.0)
        return Effort(effort.TABLES * n, effort.TABLE_SCORES * n)

    def _memory(self, network: Network, workers: int) -> float:
        if self._learns(network):
            return self._plain_base()._memory(network, workers) + learned_prior.memory(
                network.n_nodes, network.n_nodes <= DENSE_LIMIT
            )
        factors = super()._memory(network, workers)
        if self._solver_name(network) == "admm":
            return factors
        n_layers = self.n_starts if self.average == "q" else 1
        table = 4.0 * PASSES * network.n_nodes * len(knots(network.n_nodes - 1))
        return factors + 2.0 * n_layers * table  # one after the other, then stacked

    def _matrix_bytes(self, network: Network, workers: int) -> float:
        fitting = super()._matrix_bytes(network, workers)
        return max(fitting, effort.PROX_BYTES * effort.entries(network)) if fitting else 0.0

    def _layers(self, learned: Learned) -> list[Factors]:
        pairs = zip(learned.arrays["U"], learned.arrays["S"], strict=True)
        layers = [Factors(U, S) for U, S in pairs]
        return layers if self.average == "q" else [merge(layers)]

    def _rank_weights(self, network: Network) -> tuple[Array, Array]:
        """Return τ·g and h, the rank weights scaled by τ = λ/η."""
        prior = self._prior(network)
        p = network.n_nodes
        return self._lam() / self._eta() * prior.scale(np.zeros(p)), prior.profile(p - 1)

    def _make_scores(self) -> Scores:
        network, learned = self._state()
        if (odds := self._odds()) is not None:
            plain = self._factor_scores()
            return learned_prior.learned_scores(learned.arrays, odds, plain.rows, plain.at)
        if "Q" in learned.arrays:
            return DenseScores(learned.arrays["Q"])
        if "tables" not in learned.arrays:
            return self._factor_scores()
        scale, profile = self._rank_weights(network)
        weights = profile[knots(len(profile))]
        tables = learned.arrays["tables"]
        return SketchScores(self._layers(learned), tables, scale, weights, self.rank_by == "x")

    def _odds(self) -> learned_prior.LogOdds | None:
        network, learned = self._state()
        return learned_prior.odds_of(learned, network)

    def _base(self, pairs: Ints) -> Array:
        scores, odds = super()._base(pairs), self._odds()
        return scores if odds is None else odds.base(scores)

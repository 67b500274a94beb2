"""Tri+Degree: tri-factorization with the node-specific degree prior, ranked by its prox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import choice, whole_number
from linkprior.errors import ParameterError
from linkprior.kernels._engine import current_device
from linkprior.model.degrees import LIST_SIZE, Degrees, Edges
from linkprior.model.factors import Factors
from linkprior.model.priors import DegreePrior, H_Like, Prior
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors import learned_prior, on_device
from linkprior.predictors.base import ISOLATED, NEGATIVES, WEIGHTS, Array, Learned, takes_presets
from linkprior.predictors.cost import PICK, Cost, entries
from linkprior.predictors.multistart import MOST_STARTS
from linkprior.predictors.scores import (
    PASSES,
    DenseScores,
    FactorScores,
    Scores,
    SketchScores,
    build_tables,
    dense_prox,
    knots,
    mean_matrix,
    prior_of,
)
from linkprior.predictors.spaces import ALPHA, Axis, C, Space, without_learned
from linkprior.predictors.tri import ADMM_STEP, DENSE_LIMIT, SPACE, Penalised, Tri

# Nominal nanoseconds per entry: one iteration of dual decomposition, all passes of the prox for one
# layer, the same as tables of ranks, and scores of one layer from its tables.
DUAL_STEP, DENSE_PROX, TABLES, TABLE_SCORES = 45.0, 55.0, 155.0, 60.0
PROX_BYTES, DUAL_BYTES = 17.0, 48.0  # the latter in addition to ADMM's arrays
LEARNED_STARTS = 4  # times `n_starts` plain starts under learned weights; each is cheap

# The paper as printed. It chooses rho, lam, c and alpha by cross-validation (`--tune`); it does not
# say its rank, its η, or when a step counts as done.
PAPER = {
    "solver": "admm",
    "prox": "dual",
    "sweeps": 5,
    "passes": 2,
    "warmup": 0,
    "max_iter": 40,
    "tol": 1e-3,
    "rank_by": "x",
    "n_edges": "list",
    "degrees": "observed",
    "H": "log",
    "n_starts": 1,
    "lam": 0.0003,
    "eta": 0.003,
}

# What the paper chooses by cross-validation, and nothing else; λ/η from .01, where ADMM settles.
PAPER_SPACE = {
    "rho": SPACE["rho"],
    "lam": Axis(3e-5, 3e-3, (3e-5, 1e-4, 3e-4, 1e-3)),
    "c": C,
    "alpha": ALPHA,
}


@takes_presets
@dataclass(eq=False, kw_only=True)
class TriDegree(Penalised):
    """Tri+Degree: the node-specific degree prior, the paper's method.

    Each start runs `warmup` plain sweeps, then `max_iter` steps with the prior, and pairs are
    ranked by the prox of the prior over the fitted scores. `preset="paper"` is the paper as
    printed; docs/reproduction.md shows what each of the differences is worth.

    Parameters
    ----------
    preset
        "paper": Step_Two by dual decomposition, no warm-up, one start, X ranked, K = observed edges
        and those asked for (`PAPER` in this module has all of it). Other parameters that are given
        count in its place.
    alpha, c, n_edges, list_size
        The prior S_H(X, c·d, α), α from 0 (the ℓ1 norm) to 1000; d from the observed degrees for a
        network of K edges. `n_edges` is K, or "observed" (also None): as many as observed, or
        "list": those and `list_size` more, which `predict` takes from the list it is asked for.
    H
        The sequence H of the prior: "log" (the paper), "sqrt", "linear", "loglog"; or its values
        H_1, H_2, …; or a function of an array of ranks. It must increase.
    degrees
        "observed": d as above. Known or desired degrees: a number for each node, or by name. For
        experiments "shuffled" gives each node the degree of another.
    prox
        How ADMM does Step_Two: "mm" (majorise–minimise) or "dual" (the paper's dual decomposition,
        on the CPU).
    passes
        Passes of "mm", or iterations of "dual", in each Step_Two; None: 1 and 3.
    rank_by
        "q": the prox over the fitted factors, before clipping (default); "x": the X of ADMM;
        "factors": U S Uᵀ. Each is the mean over starts.
    average
        "q": the mean of each start's Q; "scores": the prox of the mean of all starts' scores.
    weights
        "paper": rank weights (H_k/H_d′)^α with strength λ/η. "learned": weights learned on edges
        hidden from the network, over four times `n_starts` plain starts; scores are then log-odds,
        and α, c, n_edges, λ and η have no part in them.
    isolated
        Whether learned weights score pairs with an edgeless node by what became of nodes that lost
        all edges when some were hidden. False: by the formula of all others.
    """

    name = "tri-degree"
    summary_line = "tri-factorization with the node-specific degree prior (the paper)"
    search_space = {
        **SPACE,
        "lam": Axis(3e-4, 0.03, (0.001, 0.003, 0.01)),
        "c": C,
        "alpha": ALPHA,
        "warmup": Axis(20, 200, whole=True),
    }
    supports = WEIGHTS | NEGATIVES | ISOLATED
    presets = {"paper": PAPER}
    _rankings = ("q", "x", "factors")

    preset: str | None = None
    alpha: float = 0.5
    c: float = 1.0
    n_edges: Edges = None
    list_size: int = LIST_SIZE
    H: H_Like = "log"
    degrees: Degrees = "observed"
    prox: str = "mm"
    passes: int | None = None
    rank_by: str = "q"
    average: str = "q"
    warmup: int = 70
    max_iter: int = 10
    weights: str = "paper"
    isolated: bool = True

    def _axes(self) -> Space:
        axes = PAPER_SPACE if self.preset == "paper" else super()._axes()
        return without_learned(axes, self.weights)

    def _check(self, network: Network) -> None:
        choice("prox", self.prox, ["mm", "dual"])
        if self.passes is not None:
            whole_number("passes", self.passes, 1)
        super()._check(network)
        choice("average", self.average, ["q", "scores"])
        if self.preset is not None:
            choice("preset", self.preset, self.presets)
        prior, dense = self._prior(network), self._solver_name(network) == "admm"
        if self.prox == "dual" and current_device() != "cpu":
            raise ParameterError("prox='dual' runs on the CPU: take device cpu, or prox='mm'")
        steep = isinstance(prior, DegreePrior) and prior.steep  # another prior need not say
        if steep and not (dense and current_device() == "cpu"):
            raise ParameterError(
                f"alpha={self.alpha:g} with this H is too steep for tables of ranks and for a "
                "device: take a smaller alpha, or solver='admm' on the CPU"
            )
        if not learned_prior.wanted(self):
            return
        if self.rank_by != "q":
            given = "preset" if self.preset else "rank_by"
            raise ParameterError(
                f"weights='learned' ranks by its own log-odds: leave {given} out (rank_by='q')"
            )
        for name in self._admm_only():
            raise ParameterError(
                f"weights='learned' works on plain factors, without ADMM: leave {name} out"
            )

    def _prior(self, network: Network) -> Prior:
        return prior_of(self, network)

    def _admm_only(self) -> dict[str, str]:
        asked = super()._admm_only()
        if self.prox != "mm":
            asked["prox"] = "is for Step_Two of ADMM"
        if self.passes not in (None, 1):
            asked["passes"] = "is for Step_Two of ADMM"
        return asked

    def _step_options(self) -> dict[str, Any]:
        return {**super()._step_options(), "prox": self.prox, "passes": self._passes}

    @property
    def _passes(self) -> int:
        return self.passes or {"mm": 1, "dual": 3}[self.prox]

    def summary(self) -> list[str]:
        _, learned = self._state()
        return [*super().summary(), *learned_prior.learned_words(learned)]

    def without_prior(self) -> Tri:
        names = ("rank", "rho", "loss", "n_starts", "tol", "seed")
        same = {name: getattr(self, name) for name in names}
        return Tri(**same, max_iter=self.warmup + self.sweeps * self.max_iter)

    def _solver_name(self, network: Network) -> str:
        if self.solver != "auto":
            return self.solver
        return "admm" if network.n_nodes <= DENSE_LIMIT else "streaming"

    def _step_time(self, network: Network) -> float:
        plain = super()._step_time(network)
        per_pass = DUAL_STEP if self.prox == "dual" else ADMM_STEP
        more = self._passes - (self.prox == "mm")  # one pass is in the step itself
        return plain + more * per_pass * entries(network)

    def _plain_base(self) -> Tri:
        """Return the plain model under learned weights."""
        plain = self.without_prior()
        return plain.set_params(n_starts=min(LEARNED_STARTS * self.n_starts, MOST_STARTS))

    def _run(self, network: Network) -> Learned:
        """Return plain factors and the learned prior over them; or else what the paper has."""
        if learned_prior.learns(self, network):
            with progress.part(self._plain_base()._cost(network).fit):
                base = self._plain_base().fit(network)
            dense = network.n_nodes <= DENSE_LIMIT
            ranked = learned_prior.learned_ranking(self, network, base, self._plain_base, dense)
            if ranked is not None:
                facts = {**base.learned_.facts, "weights": ranked[1]}
                return Learned({**base.learned_.arrays, **ranked[0]}, facts)
        learned = self._paper_run(network)
        if self.weights == "paper":
            return learned
        facts = {**learned.facts, "weights": learned_prior.paper_facts(network)}
        return Learned(learned.arrays, facts)

    def _paper_run(self, network: Network) -> Learned:
        learned = super()._run(network)
        if self.rank_by != "q":
            return learned
        dense = self._solver_name(network) == "admm"
        weights, units = self._rank_weights(network), self._layer_times(network)[0]
        on_disk = self._on_disk(network)

        def one_layer(factors: Factors) -> Array:
            with progress.part(units):
                if dense:
                    return dense_prox(factors, *weights, on_disk)
                if current_device() != "cpu":
                    return on_device.tables(factors.US, factors.U, *weights, PASSES)
                return build_tables(factors, *weights)

        layers = map(one_layer, self._layers(learned))
        if dense:
            ranked = {"Q": mean_matrix(layers, network.n_nodes, on_disk)}
        else:
            ranked = {"tables": np.stack(list(layers))}
        return Learned({**learned.arrays, **ranked}, learned.facts)

    def _layer_times(self, network: Network) -> tuple[float, float]:
        """Return the work of ranking one layer's pairs by the prox, and of its scores then."""
        n, dense = entries(network), self._solver_name(network) == "admm"
        return (DENSE_PROX * n, 0.0) if dense else (TABLES * n, TABLE_SCORES * n)

    def _cost(self, network: Network) -> Cost:
        fitted = super()._cost(network)
        if learned_prior.learns(self, network):
            return learned_prior.cost(self._plain_base(), network, DENSE_LIMIT)
        if self.rank_by == "factors":
            return fitted
        layers = (self.n_starts if self.average == "q" else 1) if self.rank_by == "q" else 0
        ranking, scoring = (layers * time for time in self._layer_times(network))
        memory = fitted.memory
        if self._solver_name(network) != "admm":  # one table after the other, then stacked
            table = 4.0 * PASSES * network.n_nodes * len(knots(network.n_nodes - 1))
            memory += 2.0 * layers * table
        return Cost(fitted.fit + ranking, PICK * entries(network) + scoring, memory, fitted.disk)

    def _matrix_bytes(self, network: Network) -> float:
        fitting = super()._matrix_bytes(network)
        if self.prox == "dual":
            at_once = min(parallel.current_workers(), self.n_starts)
            fitting += DUAL_BYTES * at_once * entries(network)
        return max(fitting, PROX_BYTES * entries(network)) if fitting else 0.0

    def _on_disk(self, network: Network) -> bool:
        return self.prox == "mm" and super()._on_disk(network)  # dual decomposition is in memory

    def _layers(self, learned: Learned) -> list[Factors]:
        factors = FactorScores(learned.arrays["U"], learned.arrays["S"])
        return factors.layers if self.average == "q" else [factors.mean]

    def _rank_weights(self, network: Network) -> tuple[Array, Array]:
        """Return τ·g and h, the rank weights scaled by τ = λ/η."""
        prior, p = self._prior(network), network.n_nodes
        return float(self.lam) / float(self.eta) * prior.scale(np.zeros(p)), prior.profile(p - 1)

    def _make_scores(self) -> Scores:
        network, learned = self._state()
        if self.rank_by != "q":
            return super()._make_scores()
        if "Q" in learned.arrays:
            return DenseScores(learned.arrays["Q"])
        odds = learned_prior.odds_of(learned, network)
        if odds is not None:
            plain, table = self._factor_scores(), learned.arrays["rank_table"]
            return learned_prior.LearnedScores(plain.rows, plain.at, table, odds)
        scale, profile = self._rank_weights(network)
        weights, tables = profile[knots(len(profile))], learned.arrays["tables"]
        return SketchScores(self._layers(learned), tables, scale, weights)

    def _base(self, pairs: Ints) -> Array:
        scores, odds = super()._base(pairs), learned_prior.odds_of(self.learned_, self.network_)
        return scores if odds is None else odds.base(scores)

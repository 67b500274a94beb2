"""auto: all models together, weighted by how well they find edges hidden from this very network."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import choice, real_number, shown, whole_number
from linkprior.errors import ParameterError
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.predictors.auto.calibration import Calibration, expected_hits
from linkprior.predictors.auto.features import (
    CONSTANT,
    PRIOR,
    Features,
    SourcesFailedError,
    fit_sources,
    restored,
    work_of,
)
from linkprior.predictors.auto.holdout import (
    FEW_HIDDEN,
    MOST_JOINING,
    MOST_TOP,
    OBJECTIVES,
    TOP_SHARE,
    HoldOut,
    Sample,
    TrainingSamples,
    draw,
    enough_found,
    hide,
    joining_share,
    n_drawn,
    n_found,
    n_hidden,
    temporal_samples,
    top_columns,
    top_feature,
)
from linkprior.predictors.auto.learners import N_TREES
from linkprior.predictors.auto.sources import EFFORTS, Choice, choose, for_tree
from linkprior.predictors.auto.stack import (
    FEWEST_TO_CHOOSE,
    Stack,
    Trained,
    Trainer,
    carried,
    stack_from,
)
from linkprior.predictors.base import NEGATIVES, WEIGHTS, Array, Learned, LinkPredictor
from linkprior.predictors.cost import Cost, cost_of, entries
from linkprior.predictors.meta import arrays_under, prefixed
from linkprior.predictors.multistart import SEED_LIMIT

MATCHED = {"auprc": 0.0, "recall": 0.0, "dc_auroc": 1.0}  # share of other pairs drawn by degree
OTHERS = 40  # pairs drawn at random for each hidden edge
FEWEST_OTHERS, MOST_OTHERS = 60_000, 400_000  # of them, in all hold-outs together
HOLD_OUTS = {"fast": (3, 2), "normal": (5, 2), "thorough": (8, 4)}  # small networks, large ones
LARGE = 4000  # nodes from which on hold-outs are fewer, each having more edges
ENOUGH = 1500  # hidden edges to learn from, if so many hold-outs find them:
MOST_HOLD_OUTS = {"fast": 3, "normal": 10, "thorough": 20}
_STORED_CALIBRATION = "chance"  # the calibration's name in saved models

# Nominal nanoseconds, for progress.
RANK, PENALTY = 6.0, 25.0  # per entry of a matrix of all nodes and source: a look at its features
LEAF = 10.0  # to take a pair down a tree
GROW = 5.0  # to grow a tree, per pair and feature
SPREAD = 6.0  # tops of different models: so many times the pairs near one of them

_MEASURES = {
    "auprc": "AUPRC",
    "recall": "recall at 5 %",
    "dc_auroc": "AUROC against pairs of similar degree",
}
_COMMON = {
    "fusion": "the plain fusion of all ranks",
    "prior": "the prior-weighted ranks of all models",
}
_SHOWN = 5
NO_PROBABILITIES = "too few hidden edges were found to give probabilities: links have scores only"

_log = logging.getLogger("linkprior")
_one_at_a_time = threading.Lock()


class Costs(NamedTuple):
    """Nominal work on one network, part by part."""

    sources: float  # to fit all models to one network and count their scores
    looking: float  # to make the features of all pairs once
    learning: float


@dataclass(eq=False, kw_only=True)
class Auto(LinkPredictor):
    """Auto: the combination of all models that finds hidden edges of this network best.

    Some edges are hidden a few times, so that every node keeps one. Models of every family
    (degree, neighbours, paths, spectra, factors) score the rest; what the stack learns from is how
    high the hidden edges rank, by each model and as the degree prior weighs it. Learned weights are
    then applied to the models fitted on all edges.

    Parameters
    ----------
    effort
        "fast", "normal" or "thorough": which models are asked, and how often edges are hidden.
    objective
        "auprc": real links first; "recall": as many as can be among the best 5 % of pairs;
        "dc_auroc": links that degrees alone do not predict.
    hidden
        Share of the edges hidden at a time.
    missing
        Share of all links, observed or not, that probabilities take to be missing.
    holdouts
        How often edges are hidden; None: by the size of the network and the number of its edges.
    prior
        Whether models are also asked as the degree prior weighs their ranks.
    seed
        Which edges are hidden, and the random starts of the models.

    Examples
    --------
    >>> import linkprior as lp
    >>> model = lp.make("auto", effort="fast", holdouts=1).fit(lp.planted_network(40, seed=0))
    >>> model.predict_edges(3)
    Ranking(3 pairs)
    """

    name = "auto"
    summary_line = "all models together, weighted by how well they find hidden edges"
    search_space = {}
    renamed_parameters = {"exercises": "holdouts"}
    combines_models = True
    _held_up_to = 16_000  # 1 GB
    supports = WEIGHTS | NEGATIVES
    effort: str = "normal"
    objective: str = "auprc"
    hidden: float = 0.1
    missing: float = 0.1
    holdouts: int | None = None
    prior: bool = True
    seed: int = 0

    def without_prior(self) -> Auto:
        return Auto(**{**self.get_params(), "prior": False})

    # ------------------------------------------------------------------ learning

    def _fit(self, network: Network) -> Learned:
        chosen = self._choose(network)
        holdouts, joining = self._hold_outs(network), None
        share = joining_share(holdouts)
        if share > MOST_JOINING:
            chosen, holdouts, joining = for_tree(network), [], share
        with progress.stage(f"fitting {self.name}", self._cost(network).fit):
            while True:
                try:
                    return self._learn(network, chosen, holdouts, joining)
                except SourcesFailedError as failed:
                    _log.info("auto goes on without some base models: %s", failed)
                    chosen = chosen.without(failed.reasons, CONSTANT)

    def _learn(
        self, network: Network, chosen: Choice, holdouts: list[HoldOut], joining: float | None
    ) -> Learned:
        """Learn from hold-outs, and apply it to the base models fitted on all edges."""
        costs = self._costs(network, chosen)
        learned_from = self._training_samples(network, chosen, holdouts, costs)
        with progress.part(costs.sources, "fitting the base models on all edges"):
            features = fit_sources(network, chosen.sources, self.seed, self.prior)
        with progress.part(costs.learning, "training the stack"):
            labels = tuple(features.labels)
            samples, apart = learned_from.samples, learned_from.apart
            trainer = Trainer(samples, labels, self.objective, network.n_nodes, apart)
            if joining is None:
                trained = trainer.train(
                    columns=tuple(top_columns(labels)),
                    floor=top_feature(features),
                    n_pairs=pr.n_pairs(network.n_nodes),
                )
            else:  # by the one base model, as the prior weights its ranks where that is a feature
                trained = Trained(Stack("source", labels, column=len(labels) - 1), {}, [])
        return self._result(features, trained, chosen, samples, joining)

    def _choose(self, network: Network) -> Choice:
        """Check the parameters, and return the base models for this network."""
        choice("effort", self.effort, EFFORTS)
        choice("objective", self.objective, OBJECTIVES)
        real_number("hidden", self.hidden, 0.0, 0.9)
        real_number("missing", self.missing, 0.0, 1.0)
        if self.holdouts is not None:
            whole_number("holdouts", self.holdouts, 0, 100)
        whole_number("seed", self.seed, 0, SEED_LIMIT)
        if not isinstance(self.prior, bool | np.bool_):
            raise ParameterError(f"prior must be True or False, got {shown(self.prior)}")
        history = network.known.history
        if history is not None and enough_found(history):  # models are asked about both
            return choose(max(network, history.older, key=lambda one: one.n_nodes), self.effort)
        return choose(network, self.effort)

    def _rounds(self, network: Network) -> int:
        if enough_found(network.known.history):
            return 1
        if self.holdouts is not None:
            return self.holdouts
        wanted = np.ceil(ENOUGH / n_hidden(network, self.hidden))
        least = HOLD_OUTS[self.effort][network.n_nodes >= LARGE]
        return int(np.clip(wanted, least, MOST_HOLD_OUTS[self.effort]))

    def _hold_outs(self, network: Network) -> list[HoldOut]:
        """Hide edges as often as is wanted; none where releases have links to learn from."""
        if enough_found(network.known.history):
            return []
        bare = network.without_history()
        rng = np.random.default_rng  # the same for all: no edge is hidden twice
        rounds = range(self._rounds(bare))
        made = [hide(bare, self.hidden, rng(self.seed), number) for number in rounds]
        return [holdout for holdout in made if len(holdout.hidden)]

    def _training_samples(
        self, network: Network, chosen: Choice, holdouts: list[HoldOut], costs: Costs
    ) -> TrainingSamples:
        """Return what to learn from: newly found edges where releases have some, else hidden."""
        history = network.known.history
        if history is None or not enough_found(history):
            ended = parallel.map_as_they_end(
                lambda number: self._sample(holdouts, number, chosen, costs), range(len(holdouts))
            )
            samples = [sample for _, sample in sorted(ended, key=lambda one: one[0])]
            return TrainingSamples(samples, [])
        with progress.part(costs.sources + costs.looking, "what the newer release found"):
            others = int(np.clip(OTHERS * len(history.found), FEWEST_OTHERS, MOST_OTHERS))
            matched = MATCHED[self.objective]
            return temporal_samples(history, chosen.sources, others, self.seed, self.prior, matched)

    def _sample(self, holdouts: list[HoldOut], number: int, chosen: Choice, costs: Costs) -> Sample:
        """Fit the models to what a hold-out left, and return pairs to learn from."""
        holdout, rounds = holdouts[number], len(holdouts)
        name = f"hiding edges, round {number + 1} of {rounds}"
        with progress.part(costs.sources + costs.looking, name):
            others = int(np.clip(OTHERS * rounds * len(holdout.hidden), FEWEST_OTHERS, MOST_OTHERS))
            with progress.stage(total=costs.sources + costs.looking):
                with progress.part(costs.sources):
                    features = fit_sources(holdout.train, chosen.sources, self.seed, self.prior)
                with progress.part(costs.looking):
                    seeds = [self.seed, number, 1]
                    matched = MATCHED[self.objective]
                    return draw(features, holdout, others // rounds, seeds, matched)

    def _result(
        self,
        features: Features,
        trained: Trained,
        chosen: Choice,
        samples: list[Sample],
        joining: float | None,
    ) -> Learned:
        """Gather what scores, probabilities and the summary are made from."""
        network, history = features.network, features.network.known.history
        learned_from_it, ratio = enough_found(history), None
        if not learned_from_it:
            # How many edges are missing for each one that a hold-out hides. Edges whose node has no
            # other were drawn but not hidden; as many of the missing ones are at nodes without an
            # edge, and are not predicted either.
            missing = self.missing / (1.0 - self.missing) * network.n_edges
            ratio = missing / n_drawn(network, self.hidden)
        calibration = Calibration.learn(trained.evaluated, ratio)
        arrays, model_facts = features.state()
        arrays = prefixed("source", arrays) | prefixed("stack", trained.stack.arrays())
        if calibration is not None:
            arrays |= prefixed(_STORED_CALIBRATION, calibration.arrays())
        near_top = [sample.X[sample.top] for sample in samples]
        facts = {
            "sources": model_facts,
            "left_out": chosen.left_out,
            "hidden": [int(sample.y.sum()) for sample in samples],
            "joining": joining,
            "found": None if history is None else n_found(history),
            "from_history": learned_from_it,
            "validation": trained.validation,
            "carried": carried(trained.stack, np.concatenate(near_top)) if near_top else {},
            "stack": trained.stack.facts(),
        }
        return Learned(arrays, facts)

    # ------------------------------------------------------------------ scoring

    def _remember(self, network: Network, learned: Learned) -> None:
        super()._remember(network, learned)
        facts = learned.facts
        self._cached_features = restored(
            network, arrays_under("source", learned.arrays), facts["sources"], self.seed
        )
        self._cached_stack: Stack = stack_from(
            arrays_under("stack", learned.arrays), facts["stack"]
        )
        arrays = arrays_under(_STORED_CALIBRATION, learned.arrays)
        self._cached_calibration = Calibration.restored(arrays) if arrays else None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again: tables and scores are many times the rest."""
        return {k: v for k, v in self.__dict__.items() if not k.startswith("_cached_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._revive()

    def _computed(self, start: int, stop: int, whole: bool = False) -> Array:
        """Return a block of scores from features; without `whole`, of the pairs j > i only."""
        p = self.network_.n_nodes
        block = self._cached_features.block(start, stop)
        wanted = np.arange(p) > np.arange(start, stop)[:, None]
        if whole:
            wanted[:] = True
        scores = np.zeros(wanted.shape, np.float32)
        scores[wanted] = self._cached_stack.scores(block[wanted], p)
        return scores

    def _matrix(self) -> Array:
        """Return all scores, made once; the two halves are equal to the last bit."""
        with _one_at_a_time:  # rows are asked for by several threads
            if "_cached_matrix" not in self.__dict__:
                p = self.network_.n_nodes
                scores = np.zeros((p, p), np.float32)
                blocks = parallel.map_blocks(
                    self._computed, p, stage="scoring all pairs", remote=True
                )
                for (start, stop), block in zip(parallel.blocks(p), blocks, strict=True):
                    scores[start:stop] = block
                for start, stop in parallel.blocks(p):  # in pieces, so as not to hold it twice
                    scores[start:, start:stop] += np.tril(scores[start:stop, start:].T, -1)
                self._cached_matrix = scores
        return self._cached_matrix

    def _rows(self, start: int, stop: int) -> Array:
        if self.network_.n_nodes > self._held_up_to:
            return self._computed(start, stop, whole=True)
        return self._matrix()[start:stop].copy()

    def _pairs(self, pairs: Ints) -> Array:
        if "_cached_matrix" in self.__dict__:
            return self._cached_matrix[pairs[:, 0], pairs[:, 1]].astype(np.float64)
        scores = np.empty(len(pairs))
        for start, stop in parallel.blocks(self.network_.n_nodes):
            inside = np.flatnonzero((pairs[:, 0] >= start) & (pairs[:, 0] < stop))
            if len(inside):
                block = self._computed(start, stop)
                scores[inside] = block[pairs[inside, 0] - start, pairs[inside, 1]]
        return scores

    # ------------------------------------------------------------------ what to expect

    @property
    def _calibration(self) -> Calibration | None:
        self._state()  # refuses a model that is not fitted
        return self._cached_calibration

    def probabilities(self, scores: Array) -> Array | None:
        calibration = self._calibration
        return None if calibration is None else calibration.probability(np.asarray(scores))

    def score_threshold(self, probability: float) -> float:
        calibration = self._calibration
        return probability if calibration is None else calibration.score_threshold(probability)

    def expected_hits(self, scores: Array) -> tuple[Array, Array, Array] | None:
        calibration = self._calibration
        return (
            None
            if calibration is None
            else expected_hits(calibration.probability(scores), calibration.spread)
        )

    def assumption(self) -> str:
        if self._state()[1].facts["from_history"]:
            return "if the next release finds links as the newer one did after the older"
        return (
            f"if {100 * self.missing:g} % of all links are missing and look like the observed ones"
        )

    def summary(self) -> list[str]:
        lines = _lines(self._state()[1].facts, self.objective)
        without = [NO_PROBABILITIES] * (self._cached_calibration is None)
        return [*lines, *without]

    # ------------------------------------------------------------------ how long it takes

    def _cost(self, network: Network) -> Cost:
        costs = self._costs(network, self._choose(network))
        fit = self._rounds(network) * (costs.sources + costs.looking)
        leaves = LEAF * N_TREES * 2.0 * pr.n_pairs(network.n_nodes)
        height = parallel.blocks(network.n_nodes)[0][1]
        workers = parallel.current_workers()
        block = 4.0 * 26 * height * network.n_nodes * (2 * workers + 1)
        held = 4.0 * entries(network) if network.n_nodes <= self._held_up_to else 0.0
        return Cost(
            fit + costs.sources + costs.learning, costs.looking + leaves, 4e8 + held + 2.0 * block
        )

    def _costs(self, network: Network, chosen: Choice) -> Costs:
        sources, n, rounds = chosen.sources, network.n_nodes, self._rounds(network)
        fitting = sum(work_of(source, network, self.prior) for source in sources)
        rows = sum(cost_of(source.make(0, n), network).scores for source in sources)
        with_prior = self.prior * sum(source.with_prior for source in sources)
        looking = rows + entries(network) * (RANK * len(sources) + PENALTY * with_prior)
        # Two kinds of trees, for the top and for all, on both halves and on the whole.
        n_pairs = pr.n_pairs(n)
        top = SPREAD * min(max(TOP_SHARE * n_pairs, network.n_edges), MOST_TOP)
        drawn = rounds * min(top, n_pairs) + min(1e5, rounds * n_pairs)
        return Costs(fitting, looking, 4.0 * GROW * N_TREES * drawn * 1.4 * len(sources))


def _lines(facts: Mapping[str, Any], objective: str) -> list[str]:
    """Return some lines: how it was learned, feature importance, what was left out."""
    hidden, validation = facts["hidden"], facts["validation"]
    summary = []
    if facts["from_history"]:
        summary.append(
            f"auto learned from the {facts['found']:,} links that the newer release found between "
            f"nodes of the older one, and fitted {len(facts['sources'])} base models"
        )
    elif facts["found"] is not None:
        links = f"{facts['found']} link{'s' * (facts['found'] != 1)}"
        summary.append(
            f"the two releases differ by {links} only, too few to learn from: edges were hidden "
            "instead"
        )
    if hidden and not facts["from_history"]:
        low, high = min(hidden), max(hidden)
        span = f"{low}" if low == high else f"{low}–{high}"
        summary.append(
            f"auto hid {span} edge{'s' * (max(hidden) != 1)} {len(hidden)} "
            f"time{'s' * (len(hidden) != 1)} and fitted {len(facts['sources'])} base models"
        )
    summary.append(_chosen(facts, validation, objective))
    if facts["carried"]:
        shares = facts["carried"].items()
        parts = [f"{_called(label)} {share:.0%}" for label, share in shares if share > 0]
        where = " at the top of the list" * ("top" in facts["stack"].get("parts", {}))
        summary.append(f"feature importance{where}: {', '.join(parts[:_SHOWN])}")
    if facts["left_out"]:
        left = "; ".join(f"{name}: {why}" for name, why in facts["left_out"].items())
        summary.append(f"left out: {left}")
    return summary


def _chosen(facts: Mapping[str, Any], validation: Mapping[str, float], objective: str) -> str:
    measure, stack = _MEASURES[objective], facts["stack"]
    singles = {k: v for k, v in validation.items() if k not in ("stack", "fusion")}
    best = next(iter(singles), None)
    edges = "newly found links" if facts["from_history"] else "hidden edges"
    if stack["kind"] == "stack" and best is not None:
        few = objective == "auprc" and min(facts["hidden"]) < FEW_HIDDEN
        as_if = f", counted as if {FEW_HIDDEN} had been hidden at a time" * few
        reached, alone = f"{measure} {validation['stack']:.3g}", f"{singles[best]:.3g}{as_if}"
        if "single" in stack["parts"].get("top", [[]])[0]:
            return (
                f"no learned combination ranked the top of the list better than {_called(best)}, "
                f"which ranks it; all models together rank the rest (on {edges} {reached}, "
                f"{_called(best)} alone {alone})"
            )
        return (
            f"on {edges} the learned combination reached {reached}, the best model alone "
            f"({_called(best)}) {alone}"
        )
    name = _called(stack["labels"][stack["column"]]) if stack["kind"] == "source" else ""
    what = f"{name} alone" if name else _COMMON[stack["kind"]]
    if not facts["hidden"]:
        why = "no edge was hidden, so nothing could be learned"
        if joining := facts.get("joining"):
            why = (
                f"of the edges that can be hidden {joining:.0%} join two parts of the network, as "
                "in a tree, while missing links close cycles, so nothing could be learned"
            )
        return f"{why}: ranked by {what}"
    if sum(facts["hidden"]) < FEWEST_TO_CHOOSE:
        return f"too few {edges} to choose by: ranked by {what}"
    if "stack" not in validation:
        return f"too little to learn from: ranked by {what}, best at finding {edges}"
    return f"no learned combination did better on {edges} than {what}, which is used instead"


def _called(label: str) -> str:
    plain = label.removeprefix(PRIOR)
    return f"{plain} with the degree prior" if label != plain else plain

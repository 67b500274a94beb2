"""auto: all models together, weighted by how well they find edges hidden from this very network."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from linkprior import _progress as progress
from linkprior import kernels, parallel
from linkprior._validation import choice, real_number, whole_number
from linkprior.errors import LinkpriorError
from linkprior.kernels._engine import current_device
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.pairs import Ints
from linkprior.predictors.auto.calibration import (
    LEVEL,
    Calibration,
    expected_hits,
    probability_of,
    score_of,
)
from linkprior.predictors.auto.features import (
    CONSTANT,
    HELD_BYTES,
    Deadline,
    Features,
    fit_sources,
    restored,
    some_blocks,
    work_of,
)
from linkprior.predictors.auto.holdout import (
    MOST_JOINING,
    OBJECTIVES,
    HoldOut,
    Sample,
    degree_terms,
    draw,
    enough_found,
    hold_out,
    joining_share,
    log_degrees,
    n_drawn,
    n_found,
)
from linkprior.predictors.auto.sources import BY_LABEL, EFFORTS, Choice, Source, choose, for_tree
from linkprior.predictors.auto.stack import Described, Stack, columns, learn, prior_for, terms
from linkprior.predictors.auto.stack import Learned as LearnedStack
from linkprior.predictors.base import NEGATIVES, WEIGHTS, Array, Learned, LinkPredictor
from linkprior.predictors.cost import Cost, cost_of, entries
from linkprior.predictors.meta import arrays_under, prefixed
from linkprior.predictors.multistart import SEED_LIMIT

OTHERS = 3_000  # pairs drawn at random in each hold-out, near no top
LARGE = 4000  # nodes from which on hold-outs are fewer, each having more edges
# Hold-outs at least and at most, in small networks and in large ones.
HOLD_OUTS = {
    "fast": ((5, 10), (2, 3)),
    "normal": ((10, 20), (6, 10)),
    "thorough": ((20, 60), (8, 16)),
}
MORE = 4  # hold-outs at a time, until the list holds still
PAIRS = {"fast": 4e6, "normal": 6e6, "thorough": 4e7}  # looked at in a hold-out, about
FIRST = 100  # pairs of the list that must hold still
# Share of them that stay when a fifth of the hold-outs is left out, for the list to have settled:
# from other hold-outs, some 93 of 100 are then the same.
KEPT = 0.95
FIT, LEARN = 0.4, 0.8  # shares of a time limit by which sources are fitted, and hold-outs end

# Nominal nanoseconds, for progress.
RANK = 6.0  # per entry of a matrix of all nodes and source: to look up its rank
STEP = 0.5  # per pair learned from and pair of terms: a step of Newton's method
SCORE = 30.0  # per entry of a matrix of all nodes: the sum of all terms

_MEASURES = {
    "auprc": "AUPRC",
    "recall": "recall at 5 %",
    "dc_auroc": "AUROC against pairs of similar degree",
}
_SHOWN = 5
SHOWN_FROM = 3  # hold-outs from whose pairs the importance of models is read
NO_PROBABILITIES = "too few hidden edges were found to give probabilities: links have scores only"

_one_at_a_time, _one_at_a_time_there = threading.Lock(), threading.Lock()


class Costs(NamedTuple):
    """Nominal work on one network, part by part."""

    sources: float  # to fit all models to one network and count their scores
    looking: float  # to look at the pairs of a hold-out again
    learning: float


@dataclass(eq=False, kw_only=True)
class Auto(LinkPredictor):
    """Auto: the combination of all models that finds hidden edges of this network best.

    Each edge is hidden once or more, some at a time, so that every node keeps one. Models of every
    family (degree, neighbours, paths, spectra, factors, blocks) score the rest; what the stack
    learns from is how high each of them ranks the hidden edges. Where few edges can be hidden, its
    weights stay close to those learned on many other networks. They are then applied to the models
    fitted on all edges.

    Parameters
    ----------
    effort
        "fast", "normal" or "thorough": which models are asked, and how often edges are hidden.
    objective
        "auprc": real links first; "recall": as many as can be among the best 5 % of pairs, which
        is learned in the same way; "dc_auroc": links that degrees alone do not predict.
    hidden
        Share of the edges hidden at a time.
    missing
        Share of all links, observed or not, that probabilities take to be missing.
    holdouts
        How often edges are hidden; None: until the top of the list holds still.
    time_limit
        Seconds a fit may take, about; None: no limit. Models not fitted by then are left out, and
        no more edges are hidden.
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
    _held_up_to = 16_000  # 1 GB
    supports = WEIGHTS | NEGATIVES
    effort: str = "normal"
    objective: str = "auprc"
    hidden: float = 0.1
    missing: float = 0.1
    holdouts: int | None = None
    time_limit: float | None = None
    seed: int = 0

    # ------------------------------------------------------------------ learning

    def _fit(self, network: Network) -> Learned:
        deadline = Deadline(self.time_limit)
        chosen = self._choose(network)
        share = self._joining(network)
        if share > MOST_JOINING:
            return self._fit_tree(network, share)
        with progress.stage(f"fitting {self.name}", self._cost(network).fit):
            costs = self._costs(network, chosen)
            with progress.part(costs.sources, "fitting the base models on all edges"):
                every = parallel.blocks(network.n_nodes)
                features, chosen = self._fitted(network, chosen, every, deadline)
                pool = self._pool(features)
            history = network.known.history
            if history is not None and enough_found(history):
                with progress.part(costs.sources + costs.looking, "what the newer release found"):
                    learned, samples, settled = self._from_releases(network, features)
            else:
                learned, samples, settled = self._from_holdouts(features, pool, costs, deadline)
        gone = [at for at, x in enumerate(features.labels) if x not in learned.stack.labels]
        features = features.without([features.labels[at] for at in gone])
        levels = pool.without(gone).levels
        return self._result(features, learned, samples, chosen, {**settled, "levels": levels})

    def _choose(self, network: Network) -> Choice:
        """Check the parameters, and return the base models for this network."""
        choice("effort", self.effort, EFFORTS)
        choice("objective", self.objective, OBJECTIVES)
        real_number("hidden", self.hidden, 0.0, 0.9)
        real_number("missing", self.missing, 0.0, 1.0)
        if self.holdouts is not None:
            whole_number("holdouts", self.holdouts, 0, 1000)
        if self.time_limit is not None:
            real_number("time_limit", self.time_limit, 0.0)
        whole_number("seed", self.seed, 0, SEED_LIMIT)
        history = network.known.history
        if history is not None and enough_found(history):  # models are asked about both
            return choose(max(network, history.older, key=lambda one: one.n_nodes), self.effort)
        return choose(network, self.effort)

    def _range(self, network: Network) -> tuple[int, int]:
        """Return the fewest hold-outs, and the most."""
        if enough_found(network.known.history):
            return 0, 0
        if self.holdouts is not None:
            return self.holdouts, self.holdouts
        return HOLD_OUTS[self.effort][network.n_nodes >= LARGE]

    def _joining(self, network: Network) -> float:
        """Return the share of the edges that can be hidden which join two components without."""
        if enough_found(network.known.history) or self.holdouts == 0:
            return 0.0
        n_parts = connected_components(network.adjacency, directed=False)[0]
        if network.n_edges == network.n_nodes - n_parts:  # without a cycle
            return 1.0
        some = range(10 if network.n_nodes < LARGE else 3)
        bare = network.without_history()
        return joining_share([hold_out(bare, self.hidden, self.seed, at) for at in some])

    def _fitted(
        self, network: Network, chosen: Choice, blocks: Any, deadline: Deadline
    ) -> tuple[Features, Choice]:
        """Fit the sources to all edges, and leave out those that are of no use."""
        features, reasons = fit_sources(
            *(network, chosen.sources, self.seed, blocks),
            hold=network.n_nodes <= self._held_up_to,
            late=lambda: deadline.passed(FIT),
        )
        chosen = chosen.without(reasons, CONSTANT)
        labels = {source.label for source in chosen.sources}
        if not labels & {*features.labels}:
            why = _by_reason(chosen.left_out)
            raise LinkpriorError(f"auto: no base model can be used on this network ({why})")
        return features.without([x for x in features.labels if x not in labels]), chosen

    def _from_holdouts(
        self, features: Features, pool: Sample, costs: Costs, deadline: Deadline
    ) -> tuple[LearnedStack, list[Sample], dict[str, Any]]:
        """Hide edges until the top of the list holds still, and learn how to rank them."""
        network = features.network.without_history()
        least, most = self._range(network)
        labels, failed = list(features.labels), dict[str, str]()
        samples: list[Sample] = []
        learned, settled = self._learned(network, [], labels), None
        while len(samples) < most and not deadline.passed(LEARN):
            end = min(most, len(samples) + MORE) if samples else least
            given = [by for by in (one.source for one in features.fitted) if by.label in labels]

            def one(
                number: int, given: Sequence[Source] = given
            ) -> tuple[Sample | None, list[str], dict[str, str]]:
                return self._sample(network, number, given, costs, deadline)

            for sample, used, reasons in parallel.map_side_by_side(one, range(len(samples), end)):
                failed |= reasons
                samples, pool, labels = _agree([*samples, sample], pool, labels, used)
            with progress.part(costs.learning, "training the stack"):
                learned = self._learned(network, samples, labels)
            still = learned.others and len(pool.y) > 1 and self._kept(learned, pool) >= KEPT
            if still and self.holdouts is None:
                settled = len(samples)
                break
            if len(samples) < end:  # nothing can be hidden, or the time is over
                break
        return learned, samples, {"settled_at": settled, "failed": failed}

    def _sample(
        self,
        network: Network,
        number: int,
        sources: Sequence[Source],
        costs: Costs,
        deadline: Deadline,
    ) -> tuple[Sample | None, list[str], dict[str, str]]:
        """Fit the models to what a hold-out left, and return pairs to learn from."""
        nothing = None, [source.label for source in sources], dict[str, str]()
        with progress.part(costs.sources + costs.looking, f"hiding edges, round {number + 1}"):
            if deadline.passed(LEARN):
                return nothing
            holdout = hold_out(network, self.hidden, self.seed, number)
            if not len(holdout.hidden):
                return nothing
            share = PAIRS[self.effort] / pr.n_pairs(network.n_nodes)
            blocks = some_blocks(network.n_nodes, min(1.0, share), self.seed + number)
            seed = int(np.random.default_rng([self.seed, number]).integers(2**31))
            features, reasons = fit_sources(holdout.train, sources, seed, blocks, hold=True)
            if not features.labels:
                return nothing
            failed = {label: why for label, why in reasons.items() if label not in features.labels}
            sample = draw(features, holdout, OTHERS, [self.seed, number, 1])
            return sample, features.labels, failed

    def _from_releases(
        self, network: Network, features: Features
    ) -> tuple[LearnedStack, list[Sample], dict[str, Any]]:
        """Learn from what a newer release found; halves of it that share no hub are compared.

        How many hits to expect is evaluated around hubs not learned from: at random it comes out
        several times too high, as the edges of one burst predict each other.
        """
        history = network.known.history
        assert history is not None
        sources = [one.source for one in features.fitted]
        older, reasons = fit_sources(
            history.older, sources, self.seed, parallel.blocks(history.older.n_nodes), hold=True
        )
        found = HoldOut(history.older, history.found)
        sample = draw(older, found, 10 * OTHERS, [self.seed, 0, 1])
        failed = {label: why for label, why in reasons.items() if label not in older.labels}
        labels = [label for label in features.labels if label in older.labels]
        sample = sample.without(
            [at for at, label in enumerate(older.labels) if label not in labels]
        )
        samples = sample.halves_by_hub(np.random.default_rng(self.seed))
        return self._learned(history.older, samples, labels), samples, {"failed": failed}

    def _learned(
        self,
        network: Network,
        samples: Sequence[Sample],
        labels: Sequence[str],
    ) -> LearnedStack:
        prior = prior_for(network, labels, self.effort)
        if self.objective == "dc_auroc":  # it was learned for other objectives
            prior = replace(prior, mean=np.zeros_like(prior.mean))
        if not samples:
            return LearnedStack.of_prior(labels, prior)
        rounds = float(self.hidden) * len(samples)
        matched = self.objective == "dc_auroc"
        return learn(samples, labels, prior, self.seed, rounds, matched=matched)

    def _pool(self, features: Features) -> Sample:
        """Return the pairs of the network from which the first of the list will come."""
        network = features.network
        share = min(1.0, PAIRS[self.effort] / pr.n_pairs(network.n_nodes))
        part = replace(features, blocks=some_blocks(network.n_nodes, share, 0))
        nothing = HoldOut(network, np.empty((0, 2), np.int64))
        return draw(part, nothing, 0, [self.seed])

    def _kept(self, learned: LearnedStack, pool: Sample) -> float:
        """Return the share of the first pairs that stay when a part of the hold-outs is left out.

        Of a short list its first half is compared.
        """
        X, most = terms(pool, learned.stack.labels), max(1, min(FIRST, len(pool.y) // 2))
        first, *others = (
            set(np.argsort(-stack.of_terms(X), kind="stable")[:most].tolist())
            for stack in (learned.stack, *learned.others)
        )
        return float(np.mean([len(first & other) for other in others])) / max(1, len(first))

    def _fit_tree(self, network: Network, joining: float) -> Learned:
        """Rank a network without enough cycles to learn from by the one model for such."""
        blocks, left_out = parallel.blocks(network.n_nodes), dict[str, str]()
        for chosen in for_tree(network):
            with progress.stage(f"fitting {self.name}", work_of(chosen.sources[0], network)):
                features, reasons = fit_sources(network, chosen.sources, self.seed, blocks)
            if features.fitted:
                break
            left_out |= reasons
        else:
            raise LinkpriorError(f"auto: no base model can be used here ({_by_reason(left_out)})")
        facts = {"kind": "source", "joining": joining, "left_out": left_out}
        return self._gathered(features, {}, {**facts, "hidden": [], "validation": {}})

    def _result(
        self,
        features: Features,
        learned: LearnedStack,
        samples: list[Sample],
        chosen: Choice,
        more: dict[str, Any],
    ) -> Learned:
        """Gather what scores, probabilities and the summary are made from."""
        network, history = features.network, features.network.known.history
        from_history, ratio = enough_found(history), None
        if not from_history:
            # How many edges are missing for each one that a hold-out hides. Edges whose node has no
            # other were drawn but not hidden; as many of the missing ones are at nodes without an
            # edge, and are not predicted either.
            missing = float(self.missing)
            n_missing = missing / (1.0 - missing) * network.n_edges
            ratio = n_missing / n_drawn(network, self.hidden)
        calibration = Calibration.learn(learned.crossed, samples, ratio)
        arrays = {"levels": more["levels"], **prefixed("stack", learned.stack.arrays())}
        if calibration is not None:
            arrays |= prefixed("calibration", calibration.arrays())
        measure = OBJECTIVES[self.objective]
        validation = {
            label: float(np.mean([measure(one.U[:, at], one) for one in samples]))
            for at, label in enumerate(learned.stack.labels if samples else ())
        }
        if samples:
            both = zip(learned.crossed, samples, strict=True)
            validation["stack"] = float(np.mean([measure(*one) for one in both]))
        some = [terms(one, learned.stack.labels) for one in samples[:SHOWN_FROM]]
        facts = {
            "kind": "stack",
            "left_out": chosen.left_out | more["failed"],
            "hidden": [sample.n_hidden for sample in samples],
            "settled_at": more.get("settled_at"),
            "found": None if history is None else n_found(history),
            "from_history": from_history,
            "validation": dict(sorted(validation.items(), key=lambda item: -item[1])),
            "importance": learned.stack.importance(np.concatenate(some)) if some else {},
            "ratio": ratio,
        }
        return self._gathered(features, arrays, facts)

    def _gathered(
        self, features: Features, arrays: dict[str, Array], facts: dict[str, Any]
    ) -> Learned:
        if features.network.n_nodes <= self._held_up_to:
            self._cached_held = {one.source.label: one.held for one in features.fitted}
        model_arrays, model_facts = features.state()
        return Learned(
            {**prefixed("source", model_arrays), **arrays}, {"sources": model_facts, **facts}
        )

    # ------------------------------------------------------------------ scoring

    def _remember(self, network: Network, learned: Learned) -> None:
        super()._remember(network, learned)
        facts = learned.facts
        labels = facts.get("sources", {})
        known, weights = {*labels} <= BY_LABEL.keys(), learned.arrays.get("stack.weights")
        if known and weights is not None:
            known = len(weights) == len(columns(list(labels)))
        if "kind" not in facts or not known:
            raise LinkpriorError(
                "auto: an earlier version saved this model, in another form: fit it again"
            )
        held = self.__dict__.pop("_cached_held", {})
        self._cached_features = restored(
            network, arrays_under("source", learned.arrays), facts["sources"], self.seed, held
        )
        self._cached_logs = log_degrees(network)
        self._cached_isolated = _expected_degrees(network, float(self.missing))
        self._cached_stack = self._cached_calibration = None
        if facts["kind"] == "stack":
            labels = list(facts["sources"])
            self._cached_stack = Stack.restored(labels, arrays_under("stack", learned.arrays))
            self._cached_sums = self._cached_stack.sums(learned.arrays["levels"])
            if given := arrays_under("calibration", learned.arrays):
                self._cached_calibration = Calibration.restored(given)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again: tables and scores are many times the rest."""
        return {k: v for k, v in self.__dict__.items() if not k.startswith("_cached_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._revive()

    @property
    def _line(self) -> Calibration:
        """What turns log-odds into scores: by default as they are, at the assumed ratio."""
        ratio = self.learned_.facts.get("ratio") or 1.0
        return self._cached_calibration or Calibration(1.0, float(np.log(ratio)))

    def _computed(self, start: int, stop: int, first: int = 0) -> Array:
        """Return a block of scores from a column on, from features."""
        features, logs = self._cached_features, self._cached_logs
        if self._cached_stack is None:
            scores = features.block(start, stop, first)[0]
        else:
            if current_device() == "cpu":
                D = np.stack(degree_terms(logs[start:stop, None], logs[first:]))
                found = features.block(start, stop, first)
                log_odds = kernels.stack_sums(found, D, start, self._cached_sums)
            else:
                rows = [one.rows_or_factors(start, stop) for one in features.fitted]
                whole = self._on_device().block(rows, start, logs, degree_terms)
                log_odds = whole[:, first:]
            scores = self._line.score(log_odds)
        self._without_edges(scores, np.arange(start, stop)[:, None], np.arange(first, len(logs)))
        return scores

    def _on_device(self) -> Any:
        from linkprior.kernels.torch.stack import DeviceStack

        with _one_at_a_time_there:
            if "_cached_on_device" not in self.__dict__:
                tables = self._cached_features.tables
                self._cached_on_device = DeviceStack(tables, self._cached_sums, current_device())
        return self._cached_on_device

    def _without_edges(self, scores: Array, i: Array, j: Array) -> None:
        """Score pairs with a node that has no edge: only their degrees, as expected, are known."""
        if self._cached_isolated is None:
            return
        expected, total = self._cached_isolated
        alone = self.network_.degrees == 0
        at = np.broadcast_to(alone[i] | alone[j], scores.shape)
        odds = np.log(np.maximum(expected[i] * expected[j] / total, 1e-12))
        scores[at] = np.broadcast_to(odds, scores.shape)[at]

    def _matrix(self) -> Array:
        """Return all scores, made once; the two halves are equal to the last bit."""
        with _one_at_a_time:  # rows are asked for by several threads
            if "_cached_matrix" not in self.__dict__:
                p = self.network_.n_nodes
                scores = np.zeros((p, p), np.float32)
                blocks = parallel.map_blocks(self._upper, p, stage="scoring all pairs", remote=True)
                for (start, stop), block in zip(parallel.blocks(p), blocks, strict=True):
                    scores[start:stop, start:] = np.triu(block, 1)
                for start, stop in parallel.blocks(p):  # in pieces, so as not to hold it twice
                    scores[start:, start:stop] += np.tril(scores[start:stop, start:].T, -1)
                self._cached_matrix = scores
                self._cached_features = self._cached_features.released()
        return self._cached_matrix

    def _upper(self, start: int, stop: int) -> Array:
        return self._computed(start, stop, start)

    def _rows(self, start: int, stop: int) -> Array:
        if self.network_.n_nodes > self._held_up_to:
            return self._computed(start, stop)
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
        return self._in_order()._cached_calibration

    def probabilities(self, scores: Array) -> Array | None:
        calibration = self._calibration
        if calibration is None:
            return None
        return probability_of(np.asarray(scores), calibration.bend)

    def probability_bounds(self, pairs: Any, scores: Array) -> tuple[Array, Array] | None:
        model, calibration = self._in_order(), self._calibration
        if calibration is None:
            return None
        spread = model._spread_of(self._inward(self._proper(pairs, "position")))
        width = LEVEL * abs(calibration.slope) * spread
        low, high = (probability_of(scores + by, calibration.bend) for by in (-width, width))
        return low, high

    def _spread_of(self, pairs: Ints) -> Array:
        """Return the standard deviation of the log-odds of some pairs, by that of the weights."""
        features, logs, stack = self._cached_features, self._cached_logs, self._cached_stack
        assert stack is not None
        ordered = pr.ordered(pairs)
        U = np.empty((len(pairs), len(features.fitted)), np.float32)
        for at, one in enumerate(features.fitted):
            U[:, at] = features.of_scores(at, one.model._pairs(ordered).astype(np.float32))
        D = np.stack(degree_terms(logs[pairs[:, 0]], logs[pairs[:, 1]]), axis=1)
        levels = self.learned_.arrays["levels"]
        N = (levels[:, pairs[:, 0]] + levels[:, pairs[:, 1]]).T
        return stack.spread(terms(Described(U, N, D), stack.labels))

    def score_threshold(self, probability: float) -> float:
        calibration = self._calibration
        return probability if calibration is None else score_of(probability, calibration.bend)

    def expected_hits(self, scores: Array) -> tuple[Array, Array, Array] | None:
        calibration = self._calibration
        if calibration is None:
            return None
        return expected_hits(probability_of(scores, calibration.bend), calibration.spread)

    def assumption(self) -> str:
        if self._calibration is None:
            return ""
        if self._state()[1].facts["from_history"]:
            return "if the next release finds links as the newer one did after the older"
        return (
            f"if {100 * self.missing:g} % of all links are missing and look like the observed ones"
        )

    def summary(self) -> list[str]:
        lines = _lines(self._state()[1].facts, self.objective)
        few = self._state()[1].facts["kind"] == "stack" and self._calibration is None
        return [*lines, *([NO_PROBABILITIES] if few else [])]

    # ------------------------------------------------------------------ how long it takes

    def _cost(self, network: Network) -> Cost:
        costs = self._costs(network, self._choose(network))
        least, _ = self._range(network)
        fit = costs.sources + least * (costs.sources + costs.looking) + costs.learning
        height = parallel.blocks(network.n_nodes)[0][1]
        block = 4.0 * 40 * height * network.n_nodes * (parallel.current_workers() + 1)
        held = 4.0 * entries(network) if network.n_nodes <= self._held_up_to else 0.0
        at_once = min(parallel.current_workers(), max(1, least))  # hold-outs, with their scores
        held += (at_once + 1) * min(HELD_BYTES, 2.0 * 17 * network.n_nodes**2)
        scores = costs.sources + (RANK * 17 + SCORE) * entries(network)
        return Cost(fit, scores, 4e8 + held + block)

    def _costs(self, network: Network, chosen: Choice) -> Costs:
        sources, n_pairs = chosen.sources, pr.n_pairs(network.n_nodes)
        share = min(1.0, PAIRS[self.effort] / n_pairs)
        fitting = sum(work_of(source, network) for source in sources)
        rows = share * sum(cost_of(s.make(0, network.n_nodes), network).scores for s in sources)
        rounds = max(1, self._range(network)[0])
        drawn = min(200_000.0, rounds * min(6.0 * network.n_edges, n_pairs))
        return Costs(fitting, rows, 40.0 * STEP * drawn * (5.0 * len(sources)) ** 2)


def _agree(
    samples: Sequence[Sample | None], pool: Sample, labels: list[str], used: list[str]
) -> tuple[list[Sample], Sample, list[str]]:
    """Leave out of all samples what the last one lacks, and the last one where it is none."""
    *others, last = samples
    if last is None:
        return [one for one in others if one is not None], pool, labels
    gone = [at for at, label in enumerate(labels) if label not in used]
    kept = [one.without(gone) for one in others if one is not None]
    more = [at for at, label in enumerate(used) if label not in labels]
    return [*kept, last.without(more)], pool.without(gone), [x for x in labels if x in used]


def _expected_degrees(network: Network, missing: float) -> tuple[Array, float] | None:
    """Return how many missing links each node is expected to have, and twice how many in all.

    Of a node with k edges k·m/(1 − m), where a share m is missing. That nodes without an edge have
    some is known from those with one edge: as many nodes lost their only link as there would be
    (Good and Turing's estimate), shared out evenly, but at most as many as of one edge. None where
    every node has an edge.
    """
    k = network.degrees.astype(np.float64)
    alone = k == 0
    if not alone.any():
        return None
    rate = missing / (1.0 - missing)
    expected = rate * k
    shared = max(1.0, float((k == 1).sum())) / float(alone.sum())
    expected[alone] = rate * min(1.0, shared)  # at most that of a node with one edge
    return expected, float(max(expected.sum(), 1e-9))


def _lines(facts: Mapping[str, Any], objective: str) -> list[str]:
    """Return some lines: how it was learned, feature importance, what was left out."""
    hidden, validation = facts["hidden"], facts["validation"]
    n_models, summary = len(facts["sources"]), list[str]()
    models = f"{n_models} base model{'s' * (n_models != 1)}"
    if facts["kind"] == "source":
        name = next(iter(facts["sources"]))
        summary.append(
            f"of the edges that can be hidden {facts['joining']:.0%} join two parts of the network,"
            " as in a tree, while missing links close cycles, so nothing could be learned: ranked "
            f"by {name} alone, and links have scores only"
        )
    elif facts["from_history"]:
        summary.append(
            f"auto learned from the {facts['found']:,} links that the newer release found between "
            f"nodes of the older one, and fitted {models}"
        )
    else:
        if facts["found"] is not None:
            links = f"{facts['found']} link{'s' * (facts['found'] != 1)}"
            summary.append(
                f"the two releases differ by {links} only, too few to learn from: edges were "
                "hidden instead"
            )
        summary.append(_hidden(hidden, facts["settled_at"], models))
    if "stack" in validation and len(validation) > 1:
        name, alone = next((k, v) for k, v in validation.items() if k != "stack")
        edges = "newly found links" if facts["from_history"] else "hidden edges"
        summary.append(
            f"on {edges} the combination reached {_MEASURES[objective]} {validation['stack']:.3g}, "
            f"the best model alone ({name}) {alone:.3g}"
        )
    if facts.get("importance"):
        parts = [f"{name} {share:.0%}" for name, share in facts["importance"].items()]
        summary.append(f"feature importance: {', '.join(parts[:_SHOWN])}")
    if facts["left_out"]:
        summary.append(f"left out: {_by_reason(facts['left_out'])}")
    return summary


def _by_reason(left_out: Mapping[str, str]) -> str:
    """Return the names of what was left out, those with the same reason together."""
    names: dict[str, list[str]] = {}
    for name, why in left_out.items():
        names.setdefault(why, []).append(name)
    return "; ".join(f"{', '.join(of)}: {why}" for why, of in names.items())


def _hidden(hidden: Sequence[int], settled_at: int | None, models: str) -> str:
    if not sum(hidden):
        return f"no edge was hidden: weights learned on other networks combine {models}"
    low, high, n = min(hidden), max(hidden), len(hidden)
    span = f"{low}" if low == high else f"{low}–{high}"
    ended = f", until the first {FIRST} pairs held still" if settled_at else ""
    edges, times = f"edge{'s' * (high != 1)}", f"time{'s' * (n != 1)}"
    return f"auto hid {span} {edges} {n} {times}{ended}, and fitted {models}"

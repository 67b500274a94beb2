"""The stack: learners for the top of the list and for the rest, chosen by hidden edges.

Where a pair is near the top of some source, all such pairs of the hold-outs are learned from,
hidden edge or not, so the learners see the very pairs they have to distinguish; elsewhere a sample
is enough. Both give log-odds, which makes the two comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkprior import _progress as progress
from linkprior.predictors.auto.features import PRIOR
from linkprior.predictors.auto.holdout import OBJECTIVES, Sample, area, near_top
from linkprior.predictors.auto.learners import (
    FEWEST,
    SINGLE,
    Learner,
    kinds_for,
    learn,
    learn_single,
    learner_from,
)
from linkprior.predictors.base import Array
from linkprior.predictors.meta import arrays_under

BLENDS: tuple[tuple[str, ...], ...] = (
    ("linear", "monotone", "free"),
    ("linear", "monotone"),
    ("linear", "free"),
    ("linear",),
    ("monotone",),
    ("free",),
    (SINGLE,),
)
FUSION_OFFSET = 60.0  # of reciprocal-rank fusion: Σ 1/(60 + rank)


@dataclass(frozen=True)
class Part:
    """The learners of one region of the list; their log-odds are averaged and shifted."""

    learners: dict[str, Learner]
    shift: float = 0.0

    def log_odds(self, X: Array, n_nodes: int, blend: Sequence[str]) -> Array:
        """Return the mean of some learners' log-odds."""
        total = np.zeros(len(X))
        for kind in blend:
            total += self.learners[kind].log_odds(X, n_nodes)
        return total / len(blend) + self.shift


@dataclass(frozen=True)
class Stack:
    """How features become a score.

    Kinds: "stack"; or, with nothing learned, "fusion" (reciprocal ranks), "prior" (the mean of what
    the degree prior says of each model's ranks) or "source" (one feature alone).
    """

    kind: str
    labels: tuple[str, ...]
    columns: tuple[int, ...] = ()  # near the top is who has one of these features
    floor: float = 0.0  # above this
    n_pairs: int = 1  # of the network the ranks belong to
    top: Part | None = None  # the learners near the top; without them `rest` is for all
    rest: Part | None = None
    top_blend: tuple[str, ...] = ()  # which learners of a part are averaged
    rest_blend: tuple[str, ...] = ()
    column: int = -1  # the feature, where it is one alone

    def scores(self, X: Array, n_nodes: int) -> Array:
        """Return the scores of pairs from their features (n, features)."""
        if self.kind == "source":
            return X[:, self.column].astype(np.float64)
        if self.kind == "prior":
            return X[:, self._n_ranks :].mean(axis=1, dtype=np.float64)
        if self.kind == "fusion" or self.rest is None:
            return fusion(X[:, : self._n_ranks], self.n_pairs)
        scores = self.rest.log_odds(X, n_nodes, self.rest_blend)
        if self.top is not None:
            at = np.flatnonzero(near_top(X, self.columns, self.floor))
            scores[at] = self.top.log_odds(X[at], n_nodes, self.top_blend)
        return scores

    @property
    def _n_ranks(self) -> int:
        return sum(not label.startswith(PRIOR) for label in self.labels)

    # ------------------------------------------------------------------ saving

    def arrays(self) -> dict[str, Array]:
        """Return the learners as arrays."""
        arrays: dict[str, Array] = {}
        for name, part, blend in self._parts():
            for kind in blend:
                learner_arrays = part.learners[kind].arrays()
                arrays |= {f"{name}.{kind}.{key}": value for key, value in learner_arrays.items()}
        return arrays

    def facts(self) -> dict[str, Any]:
        """Return everything else."""
        plain = ("kind", "labels", "columns", "floor", "n_pairs", "column")
        parts = {name: [list(blend), part.shift] for name, part, blend in self._parts()}
        return {**{name: getattr(self, name) for name in plain}, "parts": parts}

    def _parts(self) -> list[tuple[str, Part, tuple[str, ...]]]:
        both = ("top", self.top, self.top_blend), ("rest", self.rest, self.rest_blend)
        return [(name, part, blend) for name, part, blend in both if part is not None]


def stack_from(arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Stack:
    """Return a stack from what was saved of it."""
    given: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in facts.items() if k != "parts"
    }
    for name, (blend, shift) in facts["parts"].items():
        learners = {kind: learner_from(arrays_under(f"{name}.{kind}", arrays)) for kind in blend}
        given |= {name: Part(learners, shift), f"{name}_blend": tuple(blend)}
    return Stack(**given)


def fusion(ranks: Array, n_pairs: int) -> Array:
    """Return Σ 1/(60 + rank) over the sources, from features −log(rank/N)."""
    total: Array = (1.0 / (FUSION_OFFSET + n_pairs * np.exp(-ranks.astype(np.float64)))).sum(axis=1)
    return total


# ---------------------------------------------------------------------- learning


def learn_part(samples: Sequence[Sample], near: bool, column: int = -1) -> Part | None:
    """Return the learners of one region; None where too few hidden edges are in it.

    Near the tops all pairs are there. For the whole list the learners see an even draw, and the
    shift makes up for the pairs that were not drawn. With `column` one of the learners looks at
    that feature alone.
    """
    chosen = [sample.top if near else sample.y | sample.drawn for sample in samples]
    X = np.concatenate([s.X[at] for s, at in zip(samples, chosen, strict=True)])
    y = np.concatenate([s.y[at] for s, at in zip(samples, chosen, strict=True)])
    if y.sum() < FEWEST or (~y).sum() < FEWEST:
        return None
    shift = 0.0
    if not near:
        whole = sum(float(sample.weight[~sample.y].sum()) for sample in samples)
        shift = float(np.log((~y).sum() / whole))
    learners = {kind: learn(kind, X, y) for kind in kinds_for(int(y.sum()))}
    if column >= 0:
        learners[SINGLE] = learn_single(X, y, column)
    return Part(learners, shift)


def carried(stack: Stack, X: Array) -> dict[str, float]:
    """Return each feature's share in what ranks the top of the list, largest first.

    It is the mean over the learners there: |w|·sd for the linear ones, gains for trees.
    """
    part, blend = (stack.top, stack.top_blend) if stack.top else (stack.rest, stack.rest_blend)
    if part is None or not len(X):
        return {}
    shares = np.mean([part.learners[kind].shares(X) for kind in blend], axis=0)
    order = np.argsort(-shares, kind="stable")
    return {stack.labels[at]: float(shares[at]) for at in order.tolist()}


# Of what the best model alone reaches, where it ranks the top anyway: then the two differ only in
# how the top and the rest interlock.
NEARLY = 0.95
FEWEST_TO_CHOOSE = 20  # hidden edges with fewer of which the best way of all is best by luck


@dataclass(frozen=True)
class Trained:
    """What training leaves."""

    stack: Stack
    # What each way of scoring reached on hidden edges it had not learned from, best first.
    validation: dict[str, float]
    # The scores that the chosen way gives such samples, with these: what calibration needs.
    evaluated: list[tuple[Array, Sample]]


@dataclass(frozen=True)
class Trainer:
    """Learns for one network."""

    samples: Sequence[Sample]  # learned from, every second one in turn, and evaluated on
    labels: tuple[str, ...]  # of the features
    objective: str  # a name in OBJECTIVES
    n_nodes: int
    apart: Sequence[Sample] = ()  # two to calibrate on, where `samples` know of each other

    def train(self, **where: Any) -> Trained:
        """Return the best way of scoring; `where` says what is near the top."""
        base = Stack("fusion", self.labels, **where)
        # What every feature alone, and their fusion, reach.
        ways = {label: self._alone(base, at) for at, label in enumerate(self.labels)}
        measured = {
            name: self._mean(self._scored(way, self.samples))
            for name, way in (ways | {"fusion": base}).items()
        }
        if sum(int(sample.y.sum()) for sample in self.samples) < FEWEST_TO_CHOOSE:
            # What is good anywhere: the degree prior over all models, else their fusion.
            kind = "prior" if any(label.startswith(PRIOR) for label in self.labels) else "fusion"
            return self._settled(replace(base, kind=kind), measured)
        alone = max(range(len(self.labels)), key=lambda at: measured[self.labels[at]])
        halves = [self.samples[::2], self.samples[1::2]]
        with progress.stage(total=3.0):
            fitted = []
            for half in halves if all(halves) else []:
                with progress.part(1.0):
                    fitted.append(self._parts(half, alone))
            if not fitted or any(rest is None for _, rest in fitted):
                return self._without_learning(base, measured)
            blends = self._blends(fitted, halves[::-1])
            evaluated = self._crossed(fitted, halves, blends, where)
            measured["stack"] = self._mean(evaluated)
            least = NEARLY if blends[0] == (SINGLE,) else 1.0
            single = measured[self.labels[alone]]
            if measured["stack"] < max(least * single, measured["fusion"]):
                return self._without_learning(base, measured)
            with progress.part(1.0):
                stack = self._stack(self._parts(self.samples, alone), blends, where)
            if self.apart:
                evaluated = self._evaluated_apart(alone, blends, where)
        return Trained(stack, _best_first(measured), evaluated)

    # ------------------------------------------------------------------ without learning

    def _alone(self, base: Stack, column: int) -> Stack:
        return Stack("source", self.labels, base.columns, base.floor, base.n_pairs, column=column)

    def _without_learning(self, base: Stack, measured: dict[str, float]) -> Trained:
        """Return the best way that learns nothing: a source alone, or the fusion of all."""
        ranked = _best_first({name: value for name, value in measured.items() if name != "stack"})
        best = next(iter(ranked))
        stack = base if best == "fusion" else self._alone(base, self.labels.index(best))
        return self._settled(stack, measured)

    def _settled(self, stack: Stack, measured: dict[str, float]) -> Trained:
        return Trained(
            stack, _best_first(measured), self._scored(stack, self.apart or self.samples)
        )

    def _crossed(
        self, fitted: Any, halves: Any, blends: Any, where: dict[str, Any]
    ) -> list[tuple[Array, Sample]]:
        """Return the scores that what each half taught gives the samples of the other."""
        return [
            (self._stack(parts, blends, where).scores(sample.X, self.n_nodes), sample)
            for parts, half in zip(fitted, halves[::-1], strict=True)
            for sample in half
        ]

    def _evaluated_apart(
        self, alone: int, blends: Any, where: dict[str, Any]
    ) -> list[tuple[Array, Sample]]:
        """Return scores of samples that share nothing with those they were learned from."""
        halves = [[one] for one in self.apart]
        fitted = [self._parts(half, alone) for half in halves]
        lacking = any(rest is None or (blends[0] and top is None) for top, rest in fitted)
        return [] if lacking else self._crossed(fitted, halves, blends, where)

    def _scored(self, stack: Stack, samples: Sequence[Sample]) -> list[tuple[Array, Sample]]:
        return [(stack.scores(sample.X, self.n_nodes), sample) for sample in samples]

    def _mean(self, evaluated: Sequence[tuple[Array, Sample]]) -> float:
        measure = OBJECTIVES[self.objective]
        return float(np.mean([measure(*one) for one in evaluated])) if evaluated else 0.0

    # ------------------------------------------------------------------ learning

    def _parts(self, samples: Sequence[Sample], alone: int) -> tuple[Part | None, Part | None]:
        """Return the learners for the top (where early precision counts) and for all.

        At the top the best feature alone is one of them: where nothing learned beats it there, it
        ranks the top, and what was learned still ranks the rest.
        """
        top = learn_part(samples, True, alone) if self.objective == "auprc" else None
        return top, learn_part(samples, near=False)

    def _blends(self, fitted: Any, held: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the learners to average at the top and elsewhere, by edges not learned from."""
        measure = area if self.objective == "auprc" else OBJECTIVES[self.objective]
        tops = [(top, half) for (top, _), half in zip(fitted, held, strict=True)]
        rests = [(rest, half) for (_, rest), half in zip(fitted, held, strict=True)]
        near = all(top is not None for top, _ in tops)
        return (
            self._best_blend(tops, OBJECTIVES["auprc"], True) if near else (),
            self._best_blend(rests, measure, False),
        )

    def _best_blend(self, parts: Any, measure: Any, near: bool) -> tuple[str, ...]:
        """Return the blend that does best; near the top only the pairs there are ranked."""
        learners = set.intersection(*(set(part.learners) for part, _ in parts))
        cases = []
        for part, half in parts:
            for sample in half:
                by_learner = {
                    kind: part.log_odds(sample.X, self.n_nodes, [kind]) for kind in learners
                }
                cases.append((by_learner, sample))

        def value(blend: tuple[str, ...]) -> float:
            values = []
            for by_learner, sample in cases:
                scores = sum(by_learner[kind] for kind in blend) / len(blend)
                values.append(measure(np.where(sample.top | (not near), scores, -1e6), sample))
            return float(np.mean(values))

        # The first of equals, which is the widest.
        return max((blend for blend in BLENDS if learners.issuperset(blend)), key=value)

    def _stack(self, parts: Any, blends: Any, where: dict[str, Any]) -> Stack:
        top, rest = parts
        use_top = top if blends[0] else None
        learned = {"top": use_top, "rest": rest, "top_blend": blends[0], "rest_blend": blends[1]}
        return Stack("stack", self.labels, **learned, **where)


def _best_first(measured: dict[str, float]) -> dict[str, float]:
    return dict(sorted(measured.items(), key=lambda item: -item[1]))

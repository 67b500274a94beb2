"""From samples to a stack: learn on some exercises, judge on the others, keep what does best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import _progress as progress
from linkprior.predictors.auto.features import PRIOR
from linkprior.predictors.auto.learners import SINGLE
from linkprior.predictors.auto.objectives import OBJECTIVES, area
from linkprior.predictors.auto.sampling import Sample
from linkprior.predictors.auto.stack import BLENDS, Part, Stack, learn_part

Array = NDArray[Any]

# Of what the best model alone reaches, where it ranks the top anyway: then the two differ only in
# how the top and the rest interlock.
NEARLY = 0.95


FEWEST_TO_CHOOSE = 20  # hidden edges with fewer of which the best way of all is best by luck


@dataclass(frozen=True)
class Trained:
    """What training leaves.

    Attributes
    ----------
    stack
        How features become scores.
    validation
        What each way of scoring reached on hidden edges it had not learned from, best first.
    judged
        The scores that the chosen way gives such samples, with these: what calibration needs.
    """

    stack: Stack
    validation: dict[str, float]
    judged: list[tuple[Array, Sample]]


@dataclass(frozen=True)
class Trainer:
    """Learns for one network.

    Attributes
    ----------
    samples
        What is learned from, every second one in turn, and judged on.
    labels
        What the features are called.
    objective
        A name in OBJECTIVES.
    n_nodes
        Of the network.
    apart
        Two samples to judge chances on, where those of `samples` know of each other.
    """

    samples: Sequence[Sample]
    labels: tuple[str, ...]
    objective: str
    n_nodes: int
    apart: Sequence[Sample] = ()

    def train(self, **where: Any) -> Trained:
        """Return the best way of scoring; `where` tells the stack what is near the top."""
        base = Stack("fusion", self.labels, **where)
        found = self._unlearned(base)
        if sum(int(sample.y.sum()) for sample in self.samples) < FEWEST_TO_CHOOSE:
            return self._unchosen(base, found)
        alone = max(range(len(self.labels)), key=lambda at: found[self.labels[at]])
        halves = [self.samples[::2], self.samples[1::2]]
        with progress.stage(total=3.0):
            fitted = []
            for half in halves if all(halves) else []:
                with progress.part(1.0):
                    fitted.append(self._parts(half, alone))
            if not fitted or any(rest is None for _, rest in fitted):
                return self._without_learning(base, found)
            blends = self._blends(fitted, halves[::-1])
            judged = self._crossed(fitted, halves, blends, where)
            found["stack"] = self._mean(judged)
            enough = NEARLY if blends[0] == (SINGLE,) else 1.0
            single = found[self.labels[alone]]
            if found["stack"] < max(enough * single, found["fusion"]):
                return self._without_learning(base, found)
            with progress.part(1.0):
                stack = self._stack(self._parts(self.samples, alone), blends, where)
            if self.apart:
                judged = self._judged_apart(alone, blends, where)
        return Trained(stack, _best_first(found), judged)

    # ------------------------------------------------------------------ without learning

    def _unlearned(self, base: Stack) -> dict[str, float]:
        """Return what every feature alone, and their fusion, reach."""
        ways = {label: self._alone(base, at) for at, label in enumerate(self.labels)}
        return {
            name: self._mean(self._scored(way, self.samples))
            for name, way in (ways | {"fusion": base}).items()
        }

    def _alone(self, base: Stack, column: int) -> Stack:
        return Stack("source", self.labels, base.columns, base.floor, base.n_pairs, column=column)

    def _without_learning(self, base: Stack, found: dict[str, float]) -> Trained:
        """Return the best way that learns nothing: a source alone, or the fusion of all."""
        ranked = _best_first({name: value for name, value in found.items() if name != "stack"})
        best = next(iter(ranked))
        stack = base if best == "fusion" else self._alone(base, self.labels.index(best))
        return Trained(stack, _best_first(found), self._scored(stack, self.apart or self.samples))

    def _unchosen(self, base: Stack, found: dict[str, float]) -> Trained:
        """Return what is good anywhere: the degree prior over all models, else their fusion."""
        kind = "prior" if any(label.startswith(PRIOR) for label in self.labels) else "fusion"
        stack = replace(base, kind=kind)
        return Trained(stack, _best_first(found), self._scored(stack, self.apart or self.samples))

    def _crossed(
        self, fitted: Any, halves: Any, blends: Any, where: dict[str, Any]
    ) -> list[tuple[Array, Sample]]:
        """Return the scores that what each half taught gives the samples of the other."""
        return [
            (self._stack(parts, blends, where).scores(sample.X, self.n_nodes), sample)
            for parts, half in zip(fitted, halves[::-1], strict=True)
            for sample in half
        ]

    def _judged_apart(
        self, alone: int, blends: Any, where: dict[str, Any]
    ) -> list[tuple[Array, Sample]]:
        """Return scores of samples that share nothing with those they were learned from."""
        halves = [[one] for one in self.apart]
        fitted = [self._parts(half, alone) for half in halves]
        lacking = any(rest is None or (blends[0] and top is None) for top, rest in fitted)
        return [] if lacking else self._crossed(fitted, halves, blends, where)

    def _scored(self, stack: Stack, samples: Sequence[Sample]) -> list[tuple[Array, Sample]]:
        return [(stack.scores(sample.X, self.n_nodes), sample) for sample in samples]

    def _mean(self, judged: Sequence[tuple[Array, Sample]]) -> float:
        measure = OBJECTIVES[self.objective]
        return float(np.mean([measure(*one) for one in judged])) if judged else 0.0

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
        known = set.intersection(*(set(part.learners) for part, _ in parts))
        cases = []
        for part, half in parts:
            for sample in half:
                found = {kind: part.log_odds(sample.X, self.n_nodes, [kind]) for kind in known}
                cases.append((found, sample))

        def value(blend: tuple[str, ...]) -> float:
            values = []
            for found, sample in cases:
                scores = sum(found[kind] for kind in blend) / len(blend)
                values.append(measure(np.where(sample.top | (not near), scores, -1e6), sample))
            return float(np.mean(values))

        # The first of equals, which is the widest.
        return max((blend for blend in BLENDS if known.issuperset(blend)), key=value)

    def _stack(self, parts: Any, blends: Any, where: dict[str, Any]) -> Stack:
        top, rest = parts
        use_top = top if blends[0] else None
        learned = {"top": use_top, "rest": rest, "top_blend": blends[0], "rest_blend": blends[1]}
        return Stack("stack", self.labels, **learned, **where)


def _best_first(found: dict[str, float]) -> dict[str, float]:
    return dict(sorted(found.items(), key=lambda item: -item[1]))

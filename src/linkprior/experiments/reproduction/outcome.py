"""What came out of an experiment, by the paper's names, ready for tables and figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.evaluation.judge import Cell
from linkprior.evaluation.results import Evaluation
from linkprior.experiments.reproduction.experiments import (
    METHODS,
    VARIANTS,
    Condition,
    Experiment,
    models_by_method,
)
from linkprior.network import pairs as pr

Floats = NDArray[np.float64]

PERCENTS = np.arange(1, 41) / 4.0  # of all pairs: the x-axis of the paper's figures
TABLE_PERCENT = 5.0
OURS = "Tri+Degree"


@dataclass(frozen=True)
class Margin:
    """How far the paper's method is ahead of the next of its five (behind, where negative)."""

    other: str
    mean: float
    sd: float


@dataclass(frozen=True)
class Outcome:
    """One condition: an evaluation per seed."""

    condition: Condition
    evaluations: list[Evaluation] = field(repr=False)

    @property
    def methods(self) -> list[str]:
        """The paper's five, its method otherwise, and the others that were asked, by name."""
        asked = {cell.model for cell in self.evaluations[0].cells}
        return [name for name, model in models_by_method().items() if model in asked]

    @property
    def hidden(self) -> list[int]:
        """Hidden edges, seed by seed."""
        return [one.facts["splits"][0]["hidden"] for one in self.evaluations]

    def cells(self, method: str) -> list[Cell]:
        """Return the cells of a method, seed by seed."""
        model = models_by_method()[method]
        return [c for one in self.evaluations for c in one.cells if c.model == model]

    def found(self, method: str, percent: float) -> Floats:
        """Return the hidden edges found among so many percent of all pairs, seed by seed."""
        k = [self.predicted(one, percent) for one in self.evaluations]
        return np.array(
            [
                np.interp(n, cell.curve["predicted"], cell.curve["found"])
                for n, cell in zip(k, self.cells(method), strict=True)
            ]
        )

    def recall(self, method: str, percent: float) -> Floats:
        """Return the share of hidden edges found, seed by seed."""
        return self.found(method, percent) / np.array(self.hidden)

    @staticmethod
    def predicted(evaluation: Evaluation, percent: float) -> int:
        """Return how many pairs that is: the share of p(p − 1)/2."""
        return round(percent / 100.0 * pr.n_pairs(evaluation.facts["network"]["nodes"]))

    def ranking(self, percent: float = TABLE_PERCENT) -> list[str]:
        """Return the paper's five, best first."""
        means = {method: float(self.recall(method, percent).mean()) for method in METHODS}
        return sorted(means, key=lambda method: -means[method])

    def margin(self, percent: float = TABLE_PERCENT, ours: str = OURS) -> Margin:
        """Compare the paper's method, or a variant of it, with the best of the other four."""
        other = next(method for method in self.ranking(percent) if method != OURS)
        lead = self.recall(ours, percent) - self.recall(other, percent)
        return Margin(other, float(lead.mean()), float(lead.std(ddof=1)) if len(lead) > 1 else 0.0)

    def margins_of_variants(self) -> dict[str, Margin]:
        """Compare each variant that was asked with the best of the other four, at 5 %."""
        return {name: self.margin(ours=name) for name in VARIANTS if name in self.methods}


@dataclass(frozen=True)
class Result:
    """One experiment."""

    experiment: Experiment
    outcomes: list[Outcome]
    care: dict[str, Any]

    @property
    def wins(self) -> int:
        """Conditions in which the paper's method is the best of its five at 5 %."""
        return sum(outcome.ranking()[0] == OURS for outcome in self.outcomes)

    def facts(self) -> dict[str, Any]:
        """Return all figures with parameters and digests, for a JSON file."""
        return {
            "experiment": self.experiment.name,
            "title": self.experiment.title,
            "source": self.experiment.source,
            "care": self.care,
            "wins": {"tri-degree best of five at 5 %": self.wins, "of": len(self.outcomes)},
            "conditions": [_condition_facts(outcome) for outcome in self.outcomes],
        }


def _condition_facts(outcome: Outcome) -> dict[str, Any]:
    margin = outcome.margin()
    first = outcome.evaluations[0].facts
    return {
        "condition": outcome.condition.title,
        "protocol": outcome.condition.protocol,
        "network": first["network"],
        "splits": [one.facts["splits"][0] for one in outcome.evaluations],
        "hidden": outcome.hidden,
        "ranking": outcome.ranking(),
        "margin": {"over": margin.other, "mean": margin.mean, "sd": margin.sd},
        "margins of variants": {
            name: {"over": one.other, "mean": one.mean, "sd": one.sd}
            for name, one in outcome.margins_of_variants().items()
        },
        "methods": {method: _method_facts(outcome, method) for method in outcome.methods},
    }


def _method_facts(outcome: Outcome, method: str) -> dict[str, Any]:
    recalls = {f"{x:g}%": outcome.recall(method, x) for x in range(1, 11)}
    return {
        "recall": {x: [round(float(v), 6) for v in values] for x, values in recalls.items()},
        "mean": {x: round(float(values.mean()), 6) for x, values in recalls.items()},
        "paper": outcome.condition.paper.get(method),
        "params": [dict(cell.params) for cell in outcome.cells(method)],
        "seconds": [round(cell.values["seconds"], 3) for cell in outcome.cells(method)],
    }

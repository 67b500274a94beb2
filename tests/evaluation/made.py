"""Evaluations made by hand, for tests of what is done with their numbers."""

import math

from linkprior.evaluation.results import Evaluation
from linkprior.evaluation.store import Cell


def made(numbers, chance=None, **facts):
    """{model: {metric: [value per split]}} as an evaluation."""
    cells = cells_of(numbers)
    floors = cells_of({"random baseline": chance}) if chance else []
    return Evaluation(cells, floors, facts)


def cells_of(numbers):
    count = max(len(values) for metrics in numbers.values() for values in metrics.values())
    return [
        Cell(model, f"split {n}", {metric: values[n] for metric, values in metrics.items()})
        for n in range(count)
        for model, metrics in numbers.items()
    ]


def by_metric(metric, **values):
    """One metric: {model: values}."""
    return made({model: {metric: given} for model, given in values.items()})


def same(one, other):
    """Two numbers, NaN being itself."""
    return one == other or (math.isnan(one) and math.isnan(other))

"""Made-up evaluations and searches for tests."""

import math

import numpy as np
import pytest

from linkprior.evaluation import evaluate as evaluate_module
from linkprior.evaluation.results import Evaluation
from linkprior.evaluation.splits import split_digest
from linkprior.evaluation.store import Cell
from linkprior.evaluation.tuning.executor import Objective


class Evaluated(list):
    """Cells that were computed: (label, digest of the split); once they are `limit`, Ctrl-C."""

    limit = None

    @property
    def labels(self):
        return [label for label, _ in self]


@pytest.fixture
def evaluated(monkeypatch):
    """Cells that are computed from now on, in order."""
    seen, plain = Evaluated(), evaluate_module.evaluate_cell

    def noting(label, model, split, work):
        if len(seen) == seen.limit:
            raise KeyboardInterrupt
        seen.append((label, split_digest(split)))
        return plain(label, model, split, work)

    monkeypatch.setattr(evaluate_module, "evaluate_cell", noting)
    return seen


class Given:
    """A model whose scores are a matrix; it notes which rows it is asked for."""

    def __init__(self, matrix):
        self.matrix, self.asked = np.asarray(matrix, dtype=np.float64), []

    def score_rows(self, start, stop):
        self.asked.append(start)
        block = self.matrix[start:stop].copy()
        block[np.arange(stop - start), np.arange(start, stop)] = 0.0
        return block


def made(numbers, baseline=None, **facts):
    """{model: {metric: [value per split]}} as an evaluation."""
    cells = cells_of(numbers)
    floors = cells_of({"random baseline": baseline}) if baseline else []
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


def same_number(one, other):
    """Two numbers, NaN being itself."""
    return one == other or (math.isnan(one) and math.isnan(other))


def same(one, other):
    """All trials equal, to the last bit, and the same best."""
    assert [vars(t) for t in one.trials] == [vars(t) for t in other.trials]
    assert one.best_params == other.best_params
    assert one.best_value == other.best_value
    assert one.model.get_params() == other.model.get_params()
    return True


def made_up(self, params, split):
    """A score without a fit: a hill, a little different on each split."""
    shift = 0.1 * np.sin(int(split.label.rsplit(" ", 1)[1]))
    numbers = [20.0 if value is None else value for value in params.values()]
    return float(np.exp(-0.1 * sum((np.log(v) + 1.5 + shift) ** 2 for v in numbers)))


@pytest.fixture
def quick(monkeypatch):
    """Scores that are made up, so that a search takes no time."""
    monkeypatch.setattr(Objective, "_score", made_up)

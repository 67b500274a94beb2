"""The cells of a benchmark by network, model and split, and who is ahead of whom on a network."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.evaluation.statistics import differences
from linkprior.evaluation.store import Record
from linkprior.experiments.models import AUTO, AUTO_FAST, all_models
from linkprior.experiments.suite import SUITE

Floats = NDArray[np.float64]

METRICS = ("auprc", "recall@5%", "p@500", "ndcg", "auroc", "dc_auroc")
MAIN = METRICS[0]
ALONE, LEVEL, BEHIND = "alone", "level", "behind"
_SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Results:
    """All cells, in the order of the suite whatever the order they come in."""

    cells: Sequence[Record]

    @cached_property
    def measured(self) -> dict[str, dict[str, dict[int, Record]]]:
        """Measured cells by network, model and split."""
        by_network: dict[str, dict[str, dict[int, Record]]] = defaultdict(lambda: defaultdict(dict))
        for cell in self.cells:
            if "values" in cell:
                by_network[cell["network"]][cell["model"]][cell["split"]] = cell
        names = _in_order(by_network, [case.name for case in SUITE])
        return {
            name: {model: by_network[name][model] for model in by_network[name]} for name in names
        }

    @cached_property
    def networks(self) -> list[str]:
        """Networks with a measured cell."""
        return list(self.measured)

    @cached_property
    def models(self) -> list[str]:
        """All models with a measured cell."""
        evaluated = {model for models in self.measured.values() for model in models}
        order = [AUTO, AUTO_FAST, *(entry.label for entry in all_models())]
        return _in_order(evaluated, order)

    @property
    def ours(self) -> str | None:
        """The model that the others are compared with: auto, in a quick suite the fast one."""
        return next((name for name in (AUTO, AUTO_FAST) if name in self.models), None)

    def splits(self, network: str) -> list[int]:
        """Return the splits that count on a network: those of auto, where it has been evaluated."""
        models = self.measured[network]
        if self.ours in models:
            return sorted(models[self.ours])
        return sorted({split for cells in models.values() for split in cells})

    def values(self, network: str, model: str, metric: str) -> dict[int, float]:
        """Return a metric by split, of the splits that count and where it could be measured."""
        cells = self.measured[network].get(model, {})
        by_split = {n: cells[n]["values"].get(metric) for n in self.splits(network) if n in cells}
        return {split: float(value) for split, value in by_split.items() if value is not None}

    def mean(self, network: str, model: str, metric: str) -> float:
        """Return the mean over splits; NaN without any."""
        values = list(self.values(network, model, metric).values())
        return float(np.mean(values)) if values else float("nan")

    def lead(self, network: str, first: str, second: str, metric: str) -> Floats:
        """Return how far the first is ahead of the second, on the splits of both."""
        one, other = (self.values(network, model, metric) for model in (first, second))
        both = [(one[n], other[n]) for n in one if n in other]
        return differences(np.array(both, dtype=np.float64).reshape(-1, 2))

    @cached_property
    def marks(self) -> Callable[[str, str], dict[str, str]]:
        """By network and metric: whether each model is ahead alone, level with the best, or behind.

        Level: the mean lead of the best is within one sd of the paired difference. A single split
        has no sd: the best is level with itself then, and only equals are level with it.
        """
        return cache(self._compared)

    def _compared(self, network: str, metric: str) -> dict[str, str]:
        means = {model: self.mean(network, model, metric) for model in self.models}
        means = {model: mean for model, mean in means.items() if not np.isnan(mean)}
        if not means:
            return {}
        best = max(means, key=lambda model: means[model])  # of equals the first
        level = {m for m in means if m == best or _within(self.lead(network, best, m, metric))}
        alone = len(level) == 1 and len(means) > 1 and len(self.values(network, best, metric)) > 1
        return {m: (ALONE if alone else LEVEL) if m in level else BEHIND for m in means}

    @cached_property
    def left_out(self) -> dict[tuple[str, str], list[str]]:
        """Networks by model and reason, of the cells that were left out."""
        reasons: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for cell in self.cells:
            if "left_out" in cell:
                reasons[cell["model"], cell["left_out"]["why"]][cell["network"]] = None
        return {asked: list(networks) for asked, networks in sorted(reasons.items())}


def _within(lead: Floats) -> bool:
    """Return whether a mean lead is within one sd of the differences."""
    if len(lead) == 0:
        return False
    sd = float(lead.std(ddof=1)) if len(lead) > 1 else 0.0
    return float(lead.mean()) <= sd


def _in_order(present: Iterable[Any], order: Sequence[str]) -> list[str]:
    """Return names in a known order, strangers behind them by the alphabet."""
    return sorted(present, key=lambda n: (order.index(n) if n in order else len(order), n))


@dataclass(frozen=True)
class Ranks:
    """Ranks of the models that were evaluated on every network, 1 the best."""

    metric: str
    models: list[str]
    networks: list[str]
    table: Floats  # a row per network, a column per model; equals share the mean of their ranks

    @property
    def means(self) -> dict[str, float]:
        """Mean rank by model, best first, equals in the order of the models."""
        if not self.networks:
            return {}
        means = dict(zip(self.models, self.table.mean(axis=0).tolist(), strict=True))
        return dict(sorted(means.items(), key=lambda item: item[1]))

    @property
    def critical_difference(self) -> float:
        """The least difference of two mean ranks that is one; NaN where there is none."""
        return critical_difference(len(self.models), len(self.networks))

    @property
    def friedman(self) -> float:
        """The p-value that all models are alike (Friedman's test, as Iman and Davenport put it)."""
        from scipy import stats

        k, n = len(self.models), len(self.networks)
        if k < 2 or n < 2:
            return math.nan
        means = self.table.mean(axis=0)
        chi2 = 12.0 * n / (k * (k + 1)) * float((means**2).sum() - k * (k + 1) ** 2 / 4.0)
        if n * (k - 1) - chi2 <= 1e-9:  # the same order on every network
            return 0.0
        ratio = (n - 1) * chi2 / (n * (k - 1) - chi2)
        return float(stats.f.sf(ratio, k - 1, (k - 1) * (n - 1)))


def critical_difference(models: int, networks: int) -> float:
    """Return Nemenyi's critical difference q·√(k(k + 1)/6N) of mean ranks.

    q is the quantile of the studentized range of k means, with no end of degrees of freedom, over
    √2 (2.728 for five models at 5 %).
    """
    from scipy import stats

    if models < 2 or networks < 1:
        return math.nan
    q = float(stats.studentized_range.ppf(1.0 - _SIGNIFICANCE, models, np.inf)) / math.sqrt(2.0)
    return q * math.sqrt(models * (models + 1) / (6.0 * networks))


def ranks_of(results: Results, metric: str) -> Ranks:
    """Rank models by their means over the splits that all of them were evaluated on.

    Only networks on which auto was evaluated count, and models that were evaluated on all of these.
    """
    networks = [
        name
        for name in results.networks
        if results.ours is None or results.values(name, results.ours, metric)
    ]
    models = [
        model
        for model in results.models
        if networks and all(results.values(name, model, metric) for name in networks)
    ]
    every = {name: _ranked(results, name, models, metric) for name in networks}
    rows = {name: row for name, row in every.items() if row is not None}
    table = np.array(list(rows.values()), dtype=np.float64).reshape(len(rows), len(models))
    return Ranks(metric, models, list(rows), table)


def _ranked(results: Results, network: str, models: list[str], metric: str) -> Floats | None:
    from scipy.stats import rankdata

    by_model = [results.values(network, model, metric) for model in models]
    common = sorted(set.intersection(*(set(values) for values in by_model))) if by_model else []
    if not common:
        return None
    means = np.array([np.mean([values[n] for n in common]) for values in by_model])
    ranks: Floats = rankdata(-means, method="average")
    return ranks

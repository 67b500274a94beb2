"""Mean ranks over networks, and how far apart two must be (Friedman and Nemenyi; Demšar 2006)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkprior.experiments.benchmark.results import Floats, Results

LEVEL = 0.05  # of significance


@dataclass(frozen=True)
class Ranks:
    """Ranks of the models that were judged on every network, 1 the best.

    `table` has a row per network and a column per model; equals share the mean of their ranks.
    """

    metric: str
    models: list[str]
    networks: list[str]
    table: Floats

    @property
    def means(self) -> dict[str, float]:
        """Mean rank by model, best first, equals in the order of the models."""
        if not self.networks:
            return {}
        found = dict(zip(self.models, self.table.mean(axis=0).tolist(), strict=True))
        return dict(sorted(found.items(), key=lambda item: item[1]))

    @property
    def critical_difference(self) -> float:
        """The least difference of two mean ranks that is one; NaN where there is none to tell."""
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


def critical_difference(models: int, networks: int, level: float = LEVEL) -> float:
    """Return Nemenyi's critical difference q·√(k(k + 1)/6N) of mean ranks.

    q is the quantile of the studentized range of k means, with no end of degrees of freedom, over
    √2 (2.728 for five models at 5 %).
    """
    if models < 2 or networks < 1:
        return math.nan
    return nemenyi_q(models, level) * math.sqrt(models * (models + 1) / (6.0 * networks))


def nemenyi_q(models: int, level: float = LEVEL) -> float:
    """Return the quantile that Nemenyi's test compares with."""
    from scipy import stats

    return float(stats.studentized_range.ppf(1.0 - level, models, np.inf)) / math.sqrt(2.0)


def ranks_of(results: Results, metric: str) -> Ranks:
    """Rank models by their means over the splits that all of them were judged on.

    Only networks on which auto was judged count, and models that were judged on all of these.
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
    rows = [_ranked(results, name, models, metric) for name in networks]
    kept = [n for n, row in enumerate(rows) if row is not None]
    table = np.array([rows[n] for n in kept], dtype=np.float64).reshape(len(kept), len(models))
    return Ranks(metric, models, [networks[n] for n in kept], table)


def _ranked(results: Results, network: str, models: list[str], metric: str) -> Floats | None:
    from scipy.stats import rankdata

    found = [results.values(network, model, metric) for model in models]
    common = sorted(set.intersection(*(set(values) for values in found))) if found else []
    if not common:
        return None
    means = np.array([np.mean([values[n] for n in common]) for values in found])
    ranks: Floats = rankdata(-means, method="average")
    return ranks

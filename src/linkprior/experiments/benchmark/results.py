"""The cells of a benchmark by network, model and split, and who is ahead of whom on a network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.evaluation.statistics import differences
from linkprior.experiments.benchmark.cells import Facts
from linkprior.experiments.benchmark.models import AUTO, AUTO_FAST, WITHOUT, all_models
from linkprior.experiments.benchmark.suite import SUITE

Floats = NDArray[np.float64]

METRICS = ("auprc", "recall@5%", "p@500", "ndcg", "auroc", "dc_auroc")
MAIN = METRICS[0]
ALONE, LEVEL, BEHIND = "alone", "level", "behind"


@dataclass(frozen=True)
class Results:
    """All cells, in the order of the suite whatever the order they come in."""

    cells: Sequence[Facts]

    @cached_property
    def judged(self) -> dict[str, dict[str, dict[int, Facts]]]:
        """Measured cells by network, model and split."""
        found: dict[str, dict[str, dict[int, Facts]]] = defaultdict(lambda: defaultdict(dict))
        for cell in self.cells:
            if "values" in cell:
                found[cell["network"]][cell["model"]][cell["split"]] = cell
        names = _in_order(found, [case.name for case in SUITE])
        return {name: {model: found[name][model] for model in found[name]} for name in names}

    @cached_property
    def networks(self) -> list[str]:
        """Networks with a measured cell."""
        return list(self.judged)

    @cached_property
    def models(self) -> list[str]:
        """All models that compete; auto without its prior is an ablation and has its own table."""
        found = {model for models in self.judged.values() for model in models} - {WITHOUT}
        order = [AUTO, AUTO_FAST, *(entrant.label for entrant in all_models())]
        return _in_order(found, order)

    @property
    def ours(self) -> str | None:
        """The model that the others are compared with: auto, in a quick suite the fast one."""
        return next((name for name in (AUTO, AUTO_FAST) if name in self.models), None)

    def splits(self, network: str) -> list[int]:
        """Return the splits that count on a network: those of auto, where it has been judged."""
        models = self.judged[network]
        if self.ours in models:
            return sorted(models[self.ours])
        return sorted({split for cells in models.values() for split in cells})

    def values(self, network: str, model: str, metric: str) -> dict[int, float]:
        """Return a metric by split, of the splits that count and where it could be measured."""
        cells = self.judged[network].get(model, {})
        found = {n: cells[n]["values"].get(metric) for n in self.splits(network) if n in cells}
        return {split: float(value) for split, value in found.items() if value is not None}

    def mean(self, network: str, model: str, metric: str) -> float:
        """Return the mean over splits; NaN without any."""
        found = list(self.values(network, model, metric).values())
        return float(np.mean(found)) if found else float("nan")

    def lead(self, network: str, first: str, second: str, metric: str) -> Floats:
        """Return how far the first is ahead of the second, on the splits of both."""
        one, other = (self.values(network, model, metric) for model in (first, second))
        both = [(one[n], other[n]) for n in one if n in other]
        return differences(np.array(both, dtype=np.float64).reshape(-1, 2))

    def standing(self, network: str, metric: str) -> dict[str, str]:
        """Return for each judged model whether it is ahead alone, level with the best, or behind.

        Level: the mean lead of the best is within one sd of the paired difference. A single split
        has no sd: the best is level with itself then, and only equals are level with it.
        """
        known = self._standings
        if (network, metric) not in known:
            known[network, metric] = self._compared(network, metric)
        return known[network, metric]

    @cached_property
    def _standings(self) -> dict[tuple[str, str], dict[str, str]]:
        return {}

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
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for cell in self.cells:
            if "left_out" in cell:
                told = found[cell["model"], cell["left_out"]["why"]]
                if cell["network"] not in told:
                    told.append(cell["network"])
        return dict(sorted(found.items()))


def _within(lead: Floats) -> bool:
    """Tell whether a mean lead is within one sd of the differences."""
    if len(lead) == 0:
        return False
    sd = float(lead.std(ddof=1)) if len(lead) > 1 else 0.0
    return float(lead.mean()) <= sd


def _in_order(found: Iterable[Any], order: Sequence[str]) -> list[str]:
    """Return names in a known order, strangers behind them by the alphabet."""
    return sorted(found, key=lambda n: (order.index(n) if n in order else len(order), n))

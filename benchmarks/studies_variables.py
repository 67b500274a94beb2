"""Which variable tri-degree should rank by: the factors, X, or Q."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.studies_base import (
    RULE,
    SEEDS,
    STARTS,
    Array,
    Case,
    Matrix,
    Numbers,
    Study,
    connected,
    mean,
    network_facts,
    recalls,
    released,
    sampled,
    sd,
    seeded,
)
from benchmarks.studies_drawing import LABELS, SHADES, legend_below, tidy
from linkprior.evaluation.splits import Split
from linkprior.experiments import paper
from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import make

PERCENTS = (1, 5, 10)


def run_variables(folder: Path) -> Numbers:
    """Rank by the factors, by X and by Q: the same fits, three readings."""
    dream = paper.dream5(folder)
    pairs = (("3.1.94", "3.2.104"), ("3.1.94", "3.2.114"), ("3.2.104", "3.2.114"))
    cases = [
        sampled("DREAM5, uniform 90 %", dream, 0.9),
        sampled("DREAM5, uniform 70 %", dream, 0.7),
        *(released(folder, *pair) for pair in pairs),
        sampled("Plasmodium, uniform 90 %", paper.plasmodium(folder), 0.9),
    ]
    return {
        "parameters": {**make("tri-degree").get_params(), "n_starts": STARTS, "seed": SEEDS},
        "rule": RULE,
        "training networks": network_facts({c.title: c.splits[0].train for c in cases}),
        "hidden": {c.title: len(c.splits[0].hidden) for c in cases},
        "recall": {case.title: variables_on(case) for case in cases},
    }


def variables_on(case: Case) -> Numbers:
    """Return the recalls of each variable, seed by seed."""
    found: Numbers = {name: [] for name in SHADES}
    for seed, split in case.seeded:
        for name, scores in variables(seeded("tri-degree", seed), split.train).items():
            found[name].append(_judged(scores, split))
    return found


def _judged(scores: Array, split: Split) -> Numbers:
    """Return recalls by both rules, and the share of pairs that clipping would leave apart."""
    above = scores[np.triu_indices(len(scores), 1)] > 0
    return {
        **recalls(Matrix(scores), split, PERCENTS),
        "connected": recalls(Matrix(scores), connected(split), PERCENTS),
        "share above 0": round(float(above.mean()), 6),
    }


def variables(model: LinkPredictor, net: Network) -> dict[str, Array]:
    """Return the three matrices tri-degree can rank by, from one fit each with the same seed."""
    params = model.get_params()
    fits = (make("tri-degree", **{**params, "rank_by": name}).fit(net) for name in SHADES)
    return {name: fit.score_rows(0, net.n_nodes) for name, fit in zip(SHADES, fits, strict=True)}


def draw_variables(drawing: Any, numbers: Numbers) -> None:
    """Draw one group of bars per network and one panel per length of the list."""
    panels = drawing.subplots(1, len(PERCENTS), sharey=True)
    titles = list(numbers["recall"])
    for panel, percent in zip(panels, PERCENTS, strict=True):
        for place, name in enumerate(("factors", "x", "q")):
            values = [_recalls(numbers, title, name, percent) for title in titles]
            at = np.arange(len(titles))[::-1] + 0.27 * (1 - place)
            bars = [mean(v) for v in values], [sd(v) for v in values]
            panel.barh(at, bars[0], 0.25, xerr=bars[1], color=SHADES[name], label=LABELS[name],
                       error_kw={"elinewidth": 0.8, "ecolor": "#444444"})  # fmt: skip
        panel.set_yticks(np.arange(len(titles))[::-1], titles)
        panel.set_xlim(0, 1)
        tidy(panel, f"top {percent} % of all pairs", "recall of hidden edges", grid="x")
    legend_below(drawing, panels[0])


def _recalls(numbers: Numbers, title: str, name: str, percent: float) -> list[float]:
    return [one[f"recall@{percent:g}%"] for one in numbers["recall"][title][name]]


STUDIES = (
    Study(
        "ranked_variable",
        "Which variable should tri-degree rank pairs by: the factors, X, or Q?",
        run_variables,
        draw_variables,
        (11.0, 4.4),
    ),
)

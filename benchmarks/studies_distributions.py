"""Do predictions have the degrees of the hidden edges?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.studies_base import (
    RULE,
    SEEDS,
    Array,
    Case,
    Numbers,
    Study,
    all_scores,
    degrees_of,
    five_percent,
    mean,
    network_facts,
    released,
    sampled,
    seeded,
    spearman,
    top_degrees,
)
from benchmarks.studies_drawing import NAMES, legend_below, style, tidy
from linkprior.evaluation.splits import Split
from linkprior.experiments import paper
from linkprior.network import pairs as pr
from linkprior.predictors.base import LinkPredictor


def run_distributions(folder: Path) -> Numbers:
    """Compare the degrees of each method's predictions with those of the hidden edges.

    K = number of hidden edges: prediction and truth then have the same sum of degrees, so that
    the distributions can be laid over each other. 5 % of all pairs, the paper's length, is some
    hundred times longer; its correlation is given too.
    """
    cases = [
        sampled("DREAM5, uniform 90 %", paper.dream5(folder), 0.9),
        released(folder, "3.1.94", "3.2.104"),
    ]
    return {
        "parameters": {name: seeded(model, 0).get_params() for name, model in NAMES.items()},
        "seeds": SEEDS,
        "rule": RULE,
        "training networks": network_facts({c.title: c.splits[0].train for c in cases}),
        "hidden": {c.title: len(c.splits[0].hidden) for c in cases},
        "truth": {c.title: _truth(c) for c in cases},
        "methods": {c.title: {m: distributions_on(c, m) for m in NAMES} for c in cases},
    }


def _truth(case: Case) -> list[Numbers]:
    """Return the hidden edges' degrees, and how well observed degrees alone foretell them."""
    return [
        {**_shape(hidden), "spearman of observed degrees": spearman(split.train.degrees, hidden)}
        for _, split in case.seeded
        for hidden in [degrees_of(split.hidden, split.train.n_nodes)]
    ]


def distributions_on(case: Case, method: str) -> list[Numbers]:
    """Return what each seed's predictions induce."""
    return [
        induced_by(seeded(NAMES[method], seed).fit(split.train), split)
        for seed, split in case.seeded
    ]


def induced_by(model: LinkPredictor, split: Split) -> Numbers:
    """Return the shape of the induced degrees and their correlations with true ones."""
    p, hidden = split.train.n_nodes, degrees_of(split.hidden, split.train.n_nodes)
    lengths = len(split.hidden), five_percent(split.train)
    best = model.predict_edges(max(lengths)).pairs
    short, long = (degrees_of(best[:k], p) for k in lengths)
    true = split.train.degrees + hidden
    _, whole = top_degrees(all_scores(model, p), int(true.sum()) // 2)
    return {
        **_shape(short),
        "at the node with most hidden edges": int(short[hidden.argmax()]),
        "spearman, K hidden": spearman(short, hidden),
        "spearman, 5 %": spearman(long, hidden),
        "spearman, whole network": spearman(whole, true),
        "ks": round(_distance(short, hidden), 6),
    }


def _shape(degrees: pr.Ints) -> Numbers:
    """Return how many nodes have which degree, as two short lists."""
    values, counts = np.unique(degrees, return_counts=True)
    return {
        "degree": values.tolist(),
        "nodes": counts.tolist(),
        "largest": int(degrees.max()),
        "nodes touched": int((degrees > 0).sum()),
    }


def _distance(a: pr.Ints, b: pr.Ints) -> float:
    """Return the largest gap between two distribution functions (Kolmogorov–Smirnov)."""
    at = np.union1d(a, b)
    share = [np.searchsorted(np.sort(x), at, side="right") / len(x) for x in (a, b)]
    return float(np.abs(share[0] - share[1]).max())


def draw_distributions(drawing: Any, numbers: Numbers) -> None:
    """Draw how many nodes have at least so many predicted edges; and the correlations."""
    panels = drawing.subplots(2, 2, width_ratios=(1.5, 1.0))
    for row, title in zip(panels, numbers["methods"], strict=True):
        left, right = row
        for method in NAMES:
            left.step(*_tail(numbers["methods"][title][method]), where="post", **style(method))
        left.step(
            *_tail(numbers["truth"][title]), where="post", color="#555555", linewidth=6,
            alpha=0.3, zorder=1, label="hidden edges",
        )  # fmt: skip
        left.set_xscale("log")
        left.set_yscale("log")
        tidy(left, title, "degree k in the K best pairs", "nodes with degree ≥ k")
        _draw_correlations(right, numbers["methods"][title])
    legend_below(drawing, panels[0, 0], 7)


def _tail(shapes: list[Numbers]) -> tuple[Array, Array]:
    """Return k and the mean number of nodes with degree at least k, k from 1 to the largest."""
    at = np.arange(1, max(one["largest"] for one in shapes) + 1)
    counts = [
        [sum(n for d, n in zip(one["degree"], one["nodes"], strict=True) if d >= k) for k in at]
        for one in shapes
    ]
    return at, np.maximum(np.mean(counts, axis=0), 1e-9)


def _draw_correlations(panel: Any, methods: Numbers) -> None:
    looks = {"spearman, K hidden": "o", "spearman, 5 %": "D", "spearman, whole network": "|"}
    names = list(methods)[::-1]
    for metric, marker in looks.items():
        for place, method in enumerate(names):
            values = [one[metric] for one in methods[method]]
            panel.plot(mean(values), place, marker, color=style(method)["color"], markersize=7,
                       markeredgewidth=2 if marker == "|" else 0)  # fmt: skip
    panel.set_yticks(range(len(names)), names)
    panel.set_xlim(0, 1)
    said = "● K hidden   ◆ 5 %   ❘ whole network"
    tidy(panel, "Spearman correlation with true degrees", said, grid="x")


STUDIES = (
    Study(
        "degree_distributions",
        "Do predictions have the degrees of the hidden edges?",
        run_distributions,
        draw_distributions,
        (10.5, 6.6),
    ),
)

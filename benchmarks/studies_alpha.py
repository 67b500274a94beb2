"""Do the best pairs have the degrees that were given to the prior?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.studies_base import (
    SEEDS,
    STARTS,
    Array,
    Case,
    Numbers,
    Study,
    five_percent,
    mean,
    network_facts,
    sampled,
    sd,
    seeded,
    spearman,
    top_degrees,
)
from benchmarks.studies_drawing import LABELS, SHADES, legend_below, tidy
from linkprior.experiments import paper
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import make
from linkprior.predictors.scores import FactorScores
from linkprior.theory import estimate_degrees

ALPHAS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
ALMOST_ZERO = 1e-6  # α must be positive; in this limit the prior is the ℓ1 norm


def run_alpha(folder: Path) -> Numbers:
    """Compare the degrees of the K best pairs with the degrees d′ given to the prior, as α grows.

    As in Theorem `property` the K best of *all* pairs are taken, observed edges where their own
    scores put them, and d′ is estimated for a network of K edges.
    """
    case = sampled("DREAM5, uniform 90 %", paper.dream5(folder), 0.9)
    train = case.splits[0].train
    sizes = {"K = observed edges": train.n_edges, "K = 5 % of all pairs": five_percent(train)}
    return {
        "parameters": {**make("tri-degree").get_params(), "n_starts": STARTS, "seed": SEEDS},
        "training networks": network_facts({case.title: train}),
        "K": sizes,
        "agreement": {
            title: {f"{alpha:g}": alpha_on(case, alpha, k) for alpha in ALPHAS}
            for title, k in sizes.items()
        },
    }


def alpha_on(case: Case, alpha: float, k: int) -> Numbers:
    """Return the agreement for the two variables, seed by seed."""
    found: Numbers = {"q": [], "factors": []}
    for seed, split in case.seeded:
        model = seeded("tri-degree", seed, alpha=alpha or ALMOST_ZERO, n_edges=k)
        for name, scores in _two_variables(model.fit(split.train), alpha).items():
            found[name].append(agreement(scores, split.train, k))
    return found


def _two_variables(model: LinkPredictor, alpha: float) -> dict[str, Array]:
    """Return Q and the factors' product; where all ranks weigh the same, both order alike."""
    learned, p = model.learned_.arrays, model.network_.n_nodes
    factors = FactorScores(learned["U"], learned["S"]).rows(0, p)
    return {"q": learned["Q"] if alpha else factors, "factors": factors}


def agreement(scores: Array, train: Network, k: int) -> Numbers:
    """Compare induced and given degrees: correlations, and the mean |log((a+1)/(b+1))|."""
    given = estimate_degrees(train, k)
    pairs, induced = top_degrees(scores, k)
    p = train.n_nodes
    seen = np.isin(pr.encode(pairs, p), pr.encode(train.edges, p))
    return {
        "spearman": spearman(induced, given),
        "pearson": round(float(np.corrcoef(induced, given)[0, 1]), 6),
        "log ratio": round(float(np.abs(np.log((induced + 1) / (given + 1))).mean()), 6),
        "largest induced": int(induced.max()),
        "largest given": int(given.max()),
        "nodes without": int((induced == 0).sum()),
        "observed edges among them": int(seen.sum()),
    }


def draw_alpha(drawing: Any, numbers: Numbers) -> None:
    """Draw correlation, distance and the largest degree against α, for both list lengths."""
    panels = drawing.subplots(1, 3)
    titles = {
        "spearman": "Spearman correlation",
        "log ratio": "mean |log((induced + 1)/(given + 1))|",
        "largest": "largest degree, induced / given",
    }
    for panel, (metric, title) in zip(panels, titles.items(), strict=True):
        for (size, found), dashes in zip(numbers["agreement"].items(), ("-", "--"), strict=True):
            for name in ("q", "factors"):
                several = [[_value(one, metric) for one in found[f"{a:g}"][name]] for a in ALPHAS]
                panel.errorbar(
                    range(len(ALPHAS)), [mean(v) for v in several], [sd(v) for v in several],
                    color=SHADES[name], linestyle=dashes, marker="o", markersize=3.5,
                    elinewidth=0.8, label=f"{LABELS[name]}, {size}",
                )  # fmt: skip
        panel.set_xticks(range(len(ALPHAS)), [f"{a:g}" for a in ALPHAS])
        tidy(panel, title, "α")
    panels[0].set_ylim(0.5, 1.0)
    panels[1].set_ylim(0.0, None)
    panels[2].axhline(1.0, color="#999999", linewidth=0.8, zorder=1)
    legend_below(drawing, panels[0], 2)


def _value(found: Numbers, metric: str) -> float:
    if metric == "largest":
        return float(found["largest induced"] / found["largest given"])
    return float(found[metric])


STUDIES = (
    Study(
        "alpha_degrees",
        "Do the K best pairs get the degrees given to the prior, the more so the larger α?",
        run_alpha,
        draw_alpha,
        (11.0, 3.8),
    ),
)

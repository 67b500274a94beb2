"""What the parameters of tri-degree do, as far as training edges can tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.studies_base import (
    RULE,
    SEEDS,
    Numbers,
    Study,
    mean,
    network_facts,
    recalls,
    sd,
    seeded,
)
from benchmarks.studies_drawing import legend_below, tidy
from linkprior.evaluation import splits
from linkprior.network import Network
from linkprior.predictors.registry import make
from linkprior.reproduction import data
from linkprior.reproduction.showing import COLOURS

VALUES: dict[str, tuple[float, ...]] = {
    "lam": (0.0003, 0.001, 0.003, 0.01, 0.03),
    "c": (0.5, 1.0, 1.5, 2.0, 3.0),
    "alpha": (0.125, 0.25, 0.5, 1.0, 2.0),
    "rho": (0.02, 0.05, 0.2, 0.5, 0.8),
    "rank": (5, 10, 20, 40, 60),
}
LETTERS = {"lam": "λ (η = 0.003)", "c": "c", "alpha": "α", "rho": "ρ", "rank": "rank"}
INNER_STARTS = 2
METRIC = "recall@5%"


def run_parameters(folder: Path) -> Numbers:
    """Change one parameter at a time; judged on edges hidden inside training networks only."""
    nets = {
        "DREAM5, training edges": splits.uniform(data.dream5(folder), 0.9, 0, RULE).train,
        "rat 3.1.94, edges": data.rat(folder, "3.1.94"),
    }
    return {
        "parameters": {**make("tri-degree").get_params(), "n_starts": INNER_STARTS},
        "protocol": "uniform:0.9 inside the training network, seeds 0–2",
        "rule": RULE,
        "training networks": network_facts(nets),
        "recall@5%": {title: _parameters_on(net) for title, net in nets.items()},
    }


def _parameters_on(net: Network) -> Numbers:
    cases = [(seed, splits.uniform(net, 0.9, seed, RULE)) for seed in SEEDS]
    usual = default_values()
    plain = [_found("tri-degree", seed, split) for seed, split in cases]

    def tried(name: str, value: float) -> list[float]:
        if value == usual[name]:
            return plain
        return [_found("tri-degree", seed, split, **{name: value}) for seed, split in cases]

    return {
        "without prior (tri)": [_found("tri", seed, split) for seed, split in cases],
        **{name: {f"{v:g}": tried(name, v) for v in values} for name, values in VALUES.items()},
    }


def default_values() -> Numbers:
    """Return the defaults of what is varied."""
    params = make("tri-degree").get_params()
    return {name: 20 if params[name] is None else params[name] for name in VALUES}


def _found(name: str, seed: int, split: splits.Split, **params: Any) -> float:
    model = seeded(name, seed).set_params(n_starts=INNER_STARTS, **params).fit(split.train)
    return recalls(model, split, [5])[METRIC]


def draw_parameters(drawing: Any, numbers: Numbers) -> None:
    """Draw one panel per parameter; the default is marked, the level without prior dashed."""
    panels = drawing.subplots(1, len(VALUES), sharey=True)
    looks = dict(zip(numbers[METRIC], (("#d55e00", "o"), ("#0072b2", "s")), strict=True))
    usual = default_values()
    for panel, (name, values) in zip(panels, VALUES.items(), strict=True):
        for title, (colour, marker) in looks.items():
            kept = numbers[METRIC][title]
            several = [kept[name][f"{v:g}"] for v in values]
            middle, spread = [mean(v) for v in several], [sd(v) for v in several]
            panel.errorbar(values, middle, spread, color=colour, marker=marker, markersize=4,
                           linewidth=1.6, elinewidth=0.8, label=title)  # fmt: skip
            panel.axhline(mean(kept["without prior (tri)"]), color=colour, linestyle=":",
                          label=f"{title}, tri (no prior)")  # fmt: skip
        panel.axvline(usual[name], color=COLOURS["Tri"], linewidth=0.8, zorder=1)
        panel.set_xscale("log")
        panel.set_xticks(values, [f"{v:g}" for v in values], fontsize=7.5)
        panel.minorticks_off()
        tidy(panel, "", LETTERS[name])
    panels[0].set_ylabel("recall@5 % on inner splits")
    legend_below(drawing, panels[0], 4)


STUDIES = (
    Study(
        "parameters",
        "What do λ, c, α, ρ and the rank do to tri-degree, as far as training edges can tell?",
        run_parameters,
        draw_parameters,
        (12.5, 3.4),
    ),
)

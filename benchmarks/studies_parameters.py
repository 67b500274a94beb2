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
from linkprior.experiments import paper
from linkprior.experiments.reproduction_tables import COLOURS
from linkprior.network import Network
from linkprior.predictors.registry import make

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
WITHOUT = "without prior (tri)"
LOOKS = (("#d55e00", "o"), ("#0072b2", "s"))


def run_parameters(folder: Path) -> Numbers:
    """Change one parameter at a time; judged on edges hidden inside training networks only."""
    nets = {
        "DREAM5, training edges": splits.uniform(paper.dream5(folder), 0.9, 0, RULE).train,
        "rat 3.1.94, edges": paper.rat(folder, "3.1.94"),
    }
    found = {title: parameters_on(net) for title, net in nets.items()}
    return {
        "parameters": {**make("tri-degree").get_params(), "n_starts": INNER_STARTS},
        "protocol": "uniform:0.9 inside the training network, seeds 0–2, both rules",
        "training networks": network_facts(nets),
        METRIC: {rule: {title: one[rule] for title, one in found.items()} for rule in splits.RULES},
    }


def parameters_on(net: Network) -> Numbers:
    """Return the recalls by rule, parameter and value, seed by seed."""
    cases = [_both_rules(net, seed) for seed in SEEDS]
    usual = default_values()
    plain = _found("tri-degree", cases)
    tried = {
        (name, f"{v:g}"): plain if v == usual[name] else _found("tri-degree", cases, **{name: v})
        for name, values in VALUES.items()
        for v in values
    }
    without = _found("tri", cases)
    return {
        rule: {
            WITHOUT: without[rule],
            **{n: {f"{v:g}": tried[n, f"{v:g}"][rule] for v in VALUES[n]} for n in VALUES},
        }
        for rule in splits.RULES
    }


def default_values() -> Numbers:
    """Return the defaults of what is varied."""
    params = make("tri-degree").get_params()
    return {name: 20 if params[name] is None else params[name] for name in VALUES}


def _both_rules(net: Network, seed: int) -> dict[str, splits.Split]:
    return {rule: splits.uniform(net, 0.9, seed, rule) for rule in splits.RULES}


def _found(name: str, cases: list[dict[str, splits.Split]], **params: Any) -> Numbers:
    found: Numbers = {rule: [] for rule in splits.RULES}
    for seed, case in zip(SEEDS, cases, strict=True):
        model = seeded(name, seed).set_params(n_starts=INNER_STARTS, **params)
        model.fit(case[RULE].train)
        for rule, split in case.items():
            found[rule].append(recalls(model, split, [5])[METRIC])
    return found


def draw_parameters(drawing: Any, numbers: Numbers) -> None:
    """Draw one column per parameter and one row per rule."""
    rows = drawing.subplots(2, len(VALUES), sharey=True, sharex="col")
    words = {"all-nodes": "all pairs", "connected": "connected nodes"}
    for row, (rule, word) in zip(rows, words.items(), strict=True):
        for panel, name in zip(row, VALUES, strict=True):
            _draw_panel(panel, name, numbers[METRIC][rule])
            tidy(panel, "", LETTERS[name] if rule == "connected" else "")
        row[0].set_ylabel(f"inner recall@5 %, {word}")
    legend_below(drawing, rows[0, 0], 4)


def _draw_panel(panel: Any, name: str, kept: Numbers) -> None:
    """Draw one parameter; the default is marked, the level without prior dotted."""
    values = VALUES[name]
    for (title, found), (colour, marker) in zip(kept.items(), LOOKS, strict=True):
        several = [found[name][f"{v:g}"] for v in values]
        panel.errorbar(
            values, [mean(v) for v in several], [sd(v) for v in several], color=colour,
            marker=marker, markersize=4, linewidth=1.6, elinewidth=0.8, label=title,
        )  # fmt: skip
        level = mean(found[WITHOUT])
        panel.axhline(level, color=colour, linestyle=":", label=f"{title}: tri, no prior")
    panel.axvline(default_values()[name], color=COLOURS["Tri"], linewidth=0.8, zorder=1)
    panel.set_xscale("log")
    panel.set_xticks(values, [f"{v:g}" for v in values], fontsize=7.5)
    panel.minorticks_off()


STUDIES = (
    Study(
        "parameters",
        "What do λ, c, α, ρ and the rank do to tri-degree, as far as training edges can tell?",
        run_parameters,
        draw_parameters,
        (12.5, 5.2),
    ),
)

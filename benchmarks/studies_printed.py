"""As printed and with our changes: where ADMM goes, what each change is worth, weights learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import studies_base as base
from benchmarks.studies_base import Numbers
from linkprior.evaluation.splits import Split
from linkprior.experiments import paper
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior
from linkprior.parallel import map_tasks
from linkprior.predictors.registry import make
from linkprior.predictors.scores import dense_prox
from linkprior.predictors.tri_degree import PAPER
from linkprior.solvers.base import solve
from linkprior.solvers.tri_admm import AdmmSolver
from linkprior.theory import estimate_degrees

# ---------------------------------------------------------------------- convergence

RATIOS = (0.01, 0.03, 0.1, 0.3, 1.0)  # λ/η; η stays
STEPS, SWEEPS = 300, 2
RANK, RHO, ALPHA = 20, 0.2, 0.5  # the model's defaults
PASSES = {"mm": 1, "dual": 3}  # by prox


def run_convergence(folder: Path) -> Numbers:
    """Where does the paper's ADMM go for λ/η from .01 to 1, and what does its end rank?"""
    cases = {
        base.DREAM_90: base.sampled("DREAM5", paper.dream5(folder), 0.9).splits[0],
        "rat 3.1.94 → 3.2.104": base.released(folder, "3.1.94", "3.2.104").splits[0],
    }
    asked = [(title, prox, ratio) for title in cases for prox in PASSES for ratio in RATIOS]
    runs = map_tasks(lambda one: followed(cases[one[0]], *one[1:]), asked)
    return {
        "parameters": {
            **{"rank": RANK, "rho": RHO, "alpha": ALPHA, "eta": PAPER["eta"], "sweeps": SWEEPS},
            **{"passes": PASSES, "steps": STEPS, "n_edges": "observed", "seed": 0},
        },
        "training networks": base.network_facts(cases),
        "runs": [
            {"case": title, "prox": prox, "ratio": ratio, **run}
            for (title, prox, ratio), run in zip(asked, runs, strict=True)
        ],
    }


def followed(split: Split, prox: str, ratio: float) -> Numbers:
    """Return residuals and objective of every step, and the recall of X, factors and Q."""
    net, eta = split.train, PAPER["eta"]
    prior = DegreePrior(estimate_degrees(net), ALPHA)
    given = (net, SquaredLoss(RHO), RANK, prior, ratio * eta, eta)
    solver = AdmmSolver(*given, sweeps=SWEEPS, passes=PASSES[prox], prox=prox, workers=1)
    fit = solve(solver, np.random.default_rng(0), STEPS, 0.0)
    factors, p = fit.state.factors, net.n_nodes
    Q = dense_prox(factors, ratio * prior.scale(np.zeros(p)), prior.profile(p - 1))
    read = {"x": fit.state.X, "factors": factors.rows(0, p), "q": Q}
    return {
        **{
            name: [_digits(getattr(one, name)) for one in fit.history[1:]]
            for name in ("primal", "dual", "objective")
        },
        "recall": {name: base.recall_by_rule(scores, split) for name, scores in read.items()},
        "share of X above 0": _digits(float((fit.state.X > 0).mean())),
    }


def _digits(value: float | None) -> float:
    return float(f"{value or 0.0:.5g}")


def draw_convergence(drawing: Any, numbers: Numbers) -> None:
    """Draw a row of panels for each network: primal, dual, and what the end is worth."""
    titles = list(numbers["training networks"])
    panels = drawing.subplots(len(titles), 3, squeeze=False)
    shades = dict(zip(RATIOS, ("#fdc9a2", "#f79a5a", "#d55e00", "#8c3b00", "#3f1a00"), strict=True))
    for row, title in zip(panels, titles, strict=True):
        runs = [one for one in numbers["runs"] if one["case"] == title]
        for run in runs:
            first = run["prox"] == "mm"
            line = {"color": shades[run["ratio"]], "linestyle": "-" if first else ":"}
            line |= {"linewidth": 1.3, "label": f"λ/η = {run['ratio']:g}" if first else None}
            steps = np.unique(np.geomspace(1, len(run["primal"]), 60).astype(int))
            for panel, name in zip(row, ("primal", "dual"), strict=False):
                panel.loglog(steps, np.array(run[name])[steps - 1], **line)
        for panel, name in zip(row, ("primal", "dual"), strict=False):
            base.tidy(panel, title, "step", f"{name} residual, relative")
        _draw_worth(row[2], runs)
    base.legend_below(drawing, panels[0][0])


def _draw_worth(panel: Any, runs: list[Numbers]) -> None:
    looks = {"x": ("X", "#0072b2"), "factors": ("factors", "#999999"), "q": ("Q", "#009e73")}
    for prox, dashes in (("mm", "-"), ("dual", ":")):
        some = [one for one in runs if one["prox"] == prox]
        at = [one["ratio"] for one in some]
        for name, (label, colour) in looks.items():
            values = [one["recall"][name]["all-nodes"] for one in some]
            look = {"color": colour, "label": label if prox == "mm" else None}
            panel.semilogx(at, values, dashes, marker="o", markersize=3, **look)
    base.tidy(panel, f"after {STEPS} steps", "λ/η", "recall at 5 % of all pairs")
    panel.set_ylim(0, 1)
    panel.legend(frameon=False, fontsize=8)


# ---------------------------------------------------------------------- ablation

OUR_STEPS = {"warmup": 70, "max_iter": 10, "sweeps": 1, "lam": 0.003, "tol": 1e-6}
# Each row adds its change to those above it.
CHANGES: dict[str, dict[str, Any]] = {
    "as printed": {"preset": "paper"},
    "+ MM for dual decomposition": {"prox": "mm", "passes": 1},
    "+ ranked by Q": {"rank_by": "q"},
    "+ K as observed": {"n_edges": "observed"},
    "+ five starts": {"n_starts": 5},
    "+ warm-up, ten steps, λ/η = 1": OUR_STEPS,
    "+ learned weights": {"weights": "learned"},
}


def run_ablation(folder: Path) -> Numbers:
    """What is each of our changes to the paper's method worth?"""
    nets = {"DREAM5": paper.dream5(folder), "Plasmodium": paper.plasmodium(folder)}
    cases = [
        base.sampled(f"{name}, {percent} %", net, percent / 100)
        for name, net in nets.items()
        for percent in (90, 70)
    ]
    cases += [base.released(folder, *pair) for pair in base.RELEASES]
    rows: dict[str, dict[str, Any]] = {}
    params: dict[str, Any] = {}
    for row, change in CHANGES.items():
        rows[row] = params = {**params, **change}
    asked = [(case, *one, row) for case in cases for one in case.seeded for row in CHANGES]

    def recall(one: tuple[base.Case, int, Split, str]) -> Numbers:
        _, seed, split, row = one
        given = {**rows[row], "list_size": base.five_percent(split.train), "seed": seed}
        model = make("tri-degree", **given).fit(split.train)
        return base.recall_by_rule(model.score_rows(0, split.train.n_nodes), split)

    found = map_tasks(recall, asked)
    table: Numbers = {row: {case.title: [] for case in cases} for row in CHANGES}
    for (case, _, _, row), figures in zip(asked, found, strict=True):
        table[row][case.title].append(figures)
    return {
        "parameters": rows,
        "training networks": base.network_facts(cases),
        "hidden": {case.title: [len(s.hidden) for _, s in case.seeded] for case in cases},
        "recall": table,
    }


# ---------------------------------------------------------------------- learned weights


def run_learned_weights(folder: Path) -> Numbers:
    """What rank weights does tri-degree learn from a network, beside the paper's?"""
    nets = {
        "DREAM5, 90 %": base.sampled("DREAM5", paper.dream5(folder), 0.9).splits[0].train,
        "rat 3.1.94": paper.rat(folder, "3.1.94"),
    }
    fitted = {name: make("tri-degree", weights="learned", seed=0).fit(nets[name]) for name in nets}
    return {
        "training networks": base.network_facts(nets),
        "curves": {name: one.learned_.facts["weights"]["curve"] for name, one in fitted.items()},
    }


def draw_learned_weights(drawing: Any, numbers: Numbers) -> None:
    """Draw b(k, d) as learned above that of the paper, a column for each network."""
    panels = drawing.subplots(2, len(numbers["curves"]), sharex="col")
    for column, (title, curve) in enumerate(numbers["curves"].items()):
        shades = np.linspace(0.25, 1.0, len(curve["degrees"]))
        for row, (kind, label) in enumerate((("learned", "learned"), ("paper", "the paper's"))):
            axes = panels[row][column]
            for degree, values, shade in zip(curve["degrees"], curve[kind], shades, strict=True):
                colour = (0.84, 0.37, 0.0, shade)
                axes.plot(curve["ranks"], values, color=colour, label=f"degree {degree}")
            axes.set_xscale("log")
            words = "rank k" if row else "", "" if column else "b(k, d)"
            base.tidy(axes, f"{title}: {label}", *words)
            axes.legend(frameon=False, fontsize=7, loc="upper left" if row else "lower right")

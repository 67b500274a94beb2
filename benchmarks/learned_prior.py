"""Rank weights learned and fixed, on the paper's cells: `python -m benchmarks.learned_prior`

Recall at 5 % of all pairs, five seeds, each for the split and for the model. The form of the
weights was found on other splits (seeds 100, 101) and on edges hidden inside rat 3.1.94. Every fit
is judged by both rules; under "all-nodes" also without the term for isolated nodes. A cell that
is finished is not done again. Results: benchmarks/results/learned_prior.json; the figure is drawn
from it alone (`python -m benchmarks.learned_prior --draw`).
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import linkprior as lp
from benchmarks import data
from benchmarks.studies_base import RELEASES, save_figure, tidy
from linkprior.evaluation.metrics import recall_at
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import Split
from linkprior.experiments.paper import dream5, plasmodium, rat
from linkprior.network import Network
from linkprior.predictors import learned_prior
from linkprior.predictors.base import Learned
from linkprior.predictors.scores import DenseScores
from linkprior.predictors.tri_degree import TriDegree

SEEDS = range(5)
PERCENT = 5
FIVE = ("PU", "Tri", "Tri+Scale", "Tri+L1", "Tri+Degree")
SAMPLED = {
    "dream5": ("uniform:0.9", "uniform:0.7", "over:0.9", "under:0.9", "over:0.7", "under:0.7"),
    "plasmodium": ("uniform:0.7", "uniform:0.9"),
}
RESULTS = data.RESULTS / "learned_prior.json"
DRAWN = {"dream5 uniform:0.9": "DREAM5, 90 %", "rat 3.1.94 release:3.2.104": "rat 3.1.94"}


def cells(folder: Path) -> dict[str, tuple[Network, dict[str, Any]]]:
    found: dict[str, tuple[Network, dict[str, Any]]] = {}
    for name, read in (("dream5", dream5), ("plasmodium", plasmodium)):
        for protocol in SAMPLED[name]:
            found[f"{name} {protocol}"] = (read(folder), {"protocol": protocol})
    for older, newer in RELEASES:
        plan = {"protocol": "release", "newer": rat(folder, newer)}
        found[f"rat {older} release:{newer}"] = (rat(folder, older), plan)
    return found


def without_isolated(model: TriDegree) -> None:
    """Take the term for isolated nodes out of a fitted model, as isolated=False does."""
    net, learned = model.network_, model.learned_
    plain = model._plain_base()
    plain._remember(net, Learned({name: learned.arrays[name] for name in ("U", "S")}))
    odds = replace(learned_prior.log_odds(learned.facts["weights"], net), isolated=None)
    ranked = learned_prior.Ranked.of(plain, net, dense=True)
    model._cached_scores = DenseScores(learned_prior.dense_log_odds(ranked, odds))


def measure(both: list[Split], seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {"seed": seed, "hidden": {s.rule: len(s.hidden) for s in both}}

    def recalls(model: TriDegree) -> dict[str, float]:
        return {s.rule: recall_at(rank_hidden_edges(model, s), PERCENT) for s in both}

    for weights in ("learned", "paper"):
        model, began = TriDegree(weights=weights, seed=seed), time.perf_counter()
        model.fit(both[0].train)
        seconds = round(time.perf_counter() - began, 2)
        found[weights] = {**recalls(model), "seconds": seconds}
        if weights == "learned":
            found["facts"] = model.learned_.facts["weights"]
            without_isolated(model)
            found["learned"]["all-nodes, no term"] = recalls(model)["all-nodes"]
    return found


def rivals() -> dict[str, str]:
    """Return the best of the paper's five, tuned, as `linkprior reproduce` left them."""
    found = {}
    for name in ("dream5", "plasmodium", "rat"):
        path = data.RESULTS / "reproduction" / name / "results.json"
        for one in data.read_results(path)["conditions"]:
            older = f" {one['condition'].split(' ')[0]}" if name == "rat" else ""
            recalls = {method: one["methods"][method]["recall"][f"{PERCENT}%"] for method in FIVE}
            best = max(FIVE, key=lambda method: np.mean(recalls[method]))
            found[f"{name}{older} {one['protocol']}"] = f"{best} {data.mean_sd(recalls[best])}"
    return found


def text(found: dict[str, Any]) -> str:
    heads = ["cell", "connected: learned", "paper's", "all nodes: learned", "no isolated term"]
    asked = [("learned", "connected"), ("paper", "connected"), ("learned", "all-nodes")]
    asked += [("learned", "all-nodes, no term"), ("paper", "all-nodes")]
    rows, others = [], rivals()
    for name, cell in found["cells"].items():
        runs = cell["runs"]
        shown = [data.mean_sd([run[kind][rule] for run in runs]) for kind, rule in asked]
        took = (np.mean([run[kind]["seconds"] for run in runs]) for kind in ("learned", "paper"))
        rows.append([name, *shown, others[name], " / ".join(f"{one:.1f}" for one in took)])
    return data.table([*heads, "paper's", "best of five, tuned", "seconds"], rows)


def draw(drawing: Any, found: dict[str, Any]) -> None:
    """Draw both curves b(k, d) for the networks of `DRAWN`."""
    panels = drawing.subplots(2, len(DRAWN), sharex="col")
    for column, (name, title) in enumerate(DRAWN.items()):
        curve = found["cells"][name]["runs"][0]["facts"]["curve"]
        shades = np.linspace(0.25, 1.0, len(curve["degrees"]))
        for row, (kind, label) in enumerate((("learned", "learned"), ("paper", "the paper's"))):
            axes = panels[row][column]
            for degree, values, shade in zip(curve["degrees"], curve[kind], shades, strict=True):
                colour = (0.84, 0.37, 0.0, shade)
                axes.plot(curve["ranks"], values, color=colour, label=f"degree {degree}")
            axes.set_xscale("log")
            tidy(axes, f"{title}: {label}", "rank k" if row else "", "" if column else "b(k, d)")
            place = "upper left" if row else "lower right"
            axes.legend(frameon=False, fontsize=7, loc=place)


def main() -> None:
    found = data.read_results(RESULTS) or {"cells": {}}
    if "--draw" not in sys.argv:
        folder = data.required_folder()
        found |= {"command": "python -m benchmarks.learned_prior", "seeds": list(SEEDS)}
        found["metric"] = f"recall@{PERCENT}%"
        for name, (net, plan) in cells(folder).items():
            if name in found["cells"]:
                continue
            runs = []
            for seed in SEEDS:
                plans = [Plan(rule=rule, seed=seed, **plan) for rule in ("connected", "all-nodes")]
                runs.append(measure([one.make(net)[0] for one in plans], seed))
            facts = {"digest": net.digest, "nodes": net.n_nodes, "edges": net.n_edges}
            found["cells"][name] = {"network": facts, "runs": runs}
            data.write_results(RESULTS, found)
            print(name, flush=True)
    print(text(found))
    save_figure("learned_weights", draw, found, (7.5, 5.6))


if __name__ == "__main__":
    with lp.use_workers(1):
        main()

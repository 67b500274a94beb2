"""The paper's open question: more challenging ways in which edges may have been observed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.studies_base import (
    SEEDS,
    Matrix,
    Numbers,
    Study,
    mean,
    network_facts,
    recalls,
    sd,
    seeded,
)
from benchmarks.studies_drawing import NAMES, legend_below, style, tidy
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.ranks import Scorer
from linkprior.evaluation.splits import RULES, Split
from linkprior.experiments import paper
from linkprior.network import Network
from linkprior.network import pairs as pr

SHARES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
BASE = 0.3  # of the edges away from hubs; three times as much is still a share
FACTORS = (0.3, 0.5, 1.0, 2.0, 3.0)
METRIC = "recall@5%"
# PA gives every pair with an isolated node zero. One more for each degree mends that, and shows
# what degree alone is worth where most nodes have lost their edges.
CONTROL = "PA, degrees + 1"


def run_harder(folder: Path) -> Numbers:
    """Judge all methods, at their defaults, on ever fewer edges and on ever more biased ones."""
    net = paper.dream5(folder)
    protocols = {
        "share observed": {f"{x:g}": f"uniform:{x:g}" for x in SHARES},
        "rate at hubs": {f"{x:g}": f"biased:{BASE:g}:{x:g}" for x in FACTORS},
    }
    return {
        "parameters": {name: seeded(model, 0).get_params() for name, model in NAMES.items()},
        "seeds": SEEDS,
        "networks": network_facts({"DREAM5": net}),
        "protocols": protocols,
        **{
            title: {x: judged(net, protocol) for x, protocol in several.items()}
            for title, several in protocols.items()
        },
        "Tri+Degree, nodes renumbered": {
            protocol: [_renumbered_recall(net, protocol, seed) for seed in SEEDS]
            for protocol in protocols["share observed"].values()
        },
    }


def _renumbered_recall(net: Network, protocol: str, seed: int) -> float:
    """Return the recall when nodes, whose numbers break ties, are numbered at random."""
    split = renumbered(_split(net, protocol, "all-nodes", seed), seed)
    model = seeded("tri-degree", seed).fit(split.train)
    return recalls(model, split, [5])[METRIC]


def renumbered(split: Split, seed: int) -> Split:
    """Return the same split with its nodes in a random order."""
    train = split.train
    order = np.random.default_rng(seed).permutation(train.n_nodes)
    number = np.argsort(order)
    moved = Network.from_indices(number[train.edges], [train.names[i] for i in order])
    pairs = pr.ordered(number[split.hidden])
    hidden = pr.decode(np.sort(pr.encode(pairs, train.n_nodes)), train.n_nodes)
    return replace(split, train=moved, hidden=hidden)


def judged(net: Network, protocol: str) -> Numbers:
    """Return each method's recall under both rules, seed by seed, from one fit per seed."""
    found: Numbers = {rule: {method: [] for method in (*NAMES, CONTROL)} for rule in RULES}
    facts = []
    for seed in SEEDS:
        cases = {rule: _split(net, protocol, rule, seed) for rule in RULES}
        facts.append(_facts(cases))
        for method in found["all-nodes"]:
            model = _model(method, cases["all-nodes"].train, seed)
            for rule, case in cases.items():
                found[rule][method].append(recalls(model, case, [5])[METRIC])
    return {"splits": facts, **found}


def _model(method: str, train: Network, seed: int) -> Scorer:
    if method == CONTROL:
        return Matrix(np.multiply.outer(train.degrees + 1.0, train.degrees + 1.0))
    return seeded(NAMES[method], seed).fit(train)


def _facts(cases: dict[str, Split]) -> Numbers:
    train = cases["all-nodes"].train
    return {
        "training edges": train.n_edges,
        "hidden": {rule: len(case.hidden) for rule, case in cases.items()},
        "nodes without edges": int((train.degrees == 0).sum()),
    }


def _split(net: Network, protocol: str, rule: str, seed: int) -> Split:
    return Plan(protocol, rule, seed=seed).make(net)[0]


def draw_harder(drawing: Any, numbers: Numbers) -> None:
    """Draw recall against the share observed and the bias, one row per rule."""
    panels = drawing.subplots(2, 2, sharey=True)
    words = {
        "share observed": "share of edges observed, uniformly",
        "rate at hubs": "hub edges' rate over the others' (30 %)",
    }
    titles = {"all-nodes": "all pairs (the paper's rule)", "connected": "pairs of connected nodes"}
    for row, rule in zip(panels, ("all-nodes", "connected"), strict=True):
        for panel, (key, label) in zip(row, words.items(), strict=True):
            _draw_lines(panel, numbers[key], rule)
            tidy(panel, titles[rule], label if rule == "connected" else "")
            if key == "rate at hubs":
                panel.set_xscale("log")
                panel.axvline(1.0, color="#bbbbbb", linewidth=0.8, zorder=1)
            at = [float(x) for x in numbers[key]]
            panel.set_xticks(at, [f"{x:g}" for x in at])
            panel.minorticks_off()
        row[0].set_ylabel("recall@5 %")
    panels[0, 0].set_ylim(0, 1)
    legend_below(drawing, panels[0, 0], 7)


def _draw_lines(panel: Any, found: Numbers, rule: str) -> None:
    at = np.array([float(x) for x in found])
    for method in (*NAMES, CONTROL):
        several = [one[rule][method] for one in found.values()]
        middle, spread = np.array([mean(v) for v in several]), np.array([sd(v) for v in several])
        look = {**style("PA"), "linestyle": ":", "label": CONTROL} if method == CONTROL else None
        look = look or style(method)
        panel.plot(at, middle, marker="o", markersize=3.5, **look)
        panel.fill_between(at, middle - spread, middle + spread, color=look["color"], alpha=0.12,
                           linewidth=0)  # fmt: skip


STUDIES = (
    Study(
        "harder",
        "Who still finds hidden edges when few are observed, or when hubs are favoured or missed?",
        run_harder,
        draw_harder,
        (10.0, 6.8),
    ),
)

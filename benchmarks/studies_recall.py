"""Studies of recall: which variable ranks best, what parameters do, harder ways to observe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import studies_base as base
from benchmarks.studies_base import METRIC, Array, Case, Numbers
from linkprior.evaluation import splits
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.ranks import Scorer
from linkprior.evaluation.splits import RULES, Split
from linkprior.experiments import paper
from linkprior.experiments.reproduction import COLOURS
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import make

# ---------------------------------------------------------------------- variables

PERCENTS = (1, 5, 10)


def run_variables(folder: Path) -> Numbers:
    """Which variable should tri-degree rank pairs by: the factors, X, or Q?"""
    dream = paper.dream5(folder)
    cases = [
        base.sampled(base.DREAM_90, dream, 0.9),
        base.sampled("DREAM5, uniform 70 %", dream, 0.7),
        *(base.released(folder, *pair) for pair in base.RELEASES),
        base.sampled("Plasmodium, uniform 90 %", paper.plasmodium(folder), 0.9),
    ]
    return {
        "parameters": base.tri_degree_parameters(),
        "rule": base.RULE,
        "training networks": base.network_facts(cases),
        "hidden": {c.title: len(c.splits[0].hidden) for c in cases},
        "recall": {case.title: variables_on(case) for case in cases},
    }


def variables_on(case: Case) -> Numbers:
    """Return the recalls of each variable by both rules, seed by seed."""
    found: Numbers = {name: [] for name in base.SHADES}
    for seed, split in case.seeded:
        for name, scores in variables(base.seeded("tri-degree", seed), split.train).items():
            above = scores[np.triu_indices(len(scores), 1)] > 0
            judged = base.Matrix(scores)
            found[name].append(
                {
                    **base.recalls(judged, split, PERCENTS),
                    "connected": base.recalls(judged, base.connected(split), PERCENTS),
                    "share above 0": round(float(above.mean()), 6),  # clipping leaves these apart
                }
            )
    return found


def variables(model: LinkPredictor, net: Network) -> dict[str, Array]:
    """Return the three matrices tri-degree can rank by, from one fit each with the same seed."""
    params = model.get_params()
    return {
        name: make("tri-degree", **{**params, "rank_by": name}).fit(net).score_rows(0, net.n_nodes)
        for name in base.SHADES
    }


def draw_variables(drawing: Any, numbers: Numbers) -> None:
    """Draw one group of bars per network and one panel per length of the list."""
    panels = drawing.subplots(1, len(PERCENTS), sharey=True)
    titles = list(numbers["recall"])
    places = np.arange(len(titles))[::-1]
    for panel, percent in zip(panels, PERCENTS, strict=True):
        for place, name in enumerate(("factors", "x", "q")):
            cells = (found[name] for found in numbers["recall"].values())
            values = [[one[f"recall@{percent:g}%"] for one in cell] for cell in cells]
            look = {"color": base.SHADES[name], "label": base.LABELS[name]}
            look |= {"error_kw": {"elinewidth": 0.8, "ecolor": "#444444"}}
            means, spreads = list(map(base.mean, values)), list(map(base.sd, values))
            panel.barh(places + 0.27 * (1 - place), means, 0.25, xerr=spreads, **look)
        panel.set_yticks(places, titles)
        panel.set_xlim(0, 1)
        base.tidy(panel, f"top {percent} % of all pairs", "recall of hidden edges", grid="x")
    base.legend_below(drawing, panels[0])


# ---------------------------------------------------------------------- parameters

VALUES: dict[str, tuple[float, ...]] = {
    "lam": (0.0003, 0.001, 0.003, 0.01, 0.03),
    "c": (0.5, 1.0, 1.5, 2.0, 3.0),
    "alpha": (0.125, 0.25, 0.5, 1.0, 2.0),
    "rho": (0.02, 0.05, 0.2, 0.5, 0.8),
    "rank": (5, 10, 20, 40, 60),
}
LETTERS = {"lam": "λ (η = 0.003)", "c": "c", "alpha": "α", "rho": "ρ", "rank": "rank"}
INNER_STARTS = 2
WITHOUT = "without prior (tri)"
LOOKS = (("#d55e00", "o"), ("#0072b2", "s"))


def run_parameters(folder: Path) -> Numbers:
    """What do λ, c, α, ρ and the rank do to tri-degree, as far as training edges can tell?"""
    nets = {
        "DREAM5, training edges": splits.uniform(paper.dream5(folder), 0.9, 0, base.RULE).train,
        "rat 3.1.94, edges": paper.rat(folder, "3.1.94"),
    }
    found = {title: parameters_on(net) for title, net in nets.items()}
    return {
        "parameters": {**make("tri-degree").get_params(), "n_starts": INNER_STARTS},
        "protocol": "uniform:0.9 inside the training network, seeds 0–2, both rules",
        "training networks": base.network_facts(nets),
        METRIC: {rule: {title: one[rule] for title, one in found.items()} for rule in RULES},
    }


def parameters_on(net: Network) -> Numbers:
    """Return the recalls by rule, parameter and value, seed by seed."""
    cases = [{rule: splits.uniform(net, 0.9, s, rule) for rule in RULES} for s in base.SEEDS]

    def recalls(name: str, **params: float) -> Numbers:
        found: Numbers = {rule: [] for rule in RULES}
        for seed, case in zip(base.SEEDS, cases, strict=True):
            model = base.seeded(name, seed).set_params(n_starts=INNER_STARTS, **params)
            model.fit(case[base.RULE].train)
            for rule, split in case.items():
                found[rule].append(base.recalls(model, split)[METRIC])
        return found

    usual, plain, without = default_values(), recalls("tri-degree"), recalls("tri")
    tried = {
        name: {
            f"{v:g}": plain if v == usual[name] else recalls("tri-degree", **{name: v})
            for v in values
        }
        for name, values in VALUES.items()
    }
    return {
        rule: {
            WITHOUT: without[rule],
            **{name: {v: one[rule] for v, one in found.items()} for name, found in tried.items()},
        }
        for rule in RULES
    }


def default_values() -> Numbers:
    params = make("tri-degree").get_params()
    return {name: 20 if params[name] is None else params[name] for name in VALUES}


def draw_parameters(drawing: Any, numbers: Numbers) -> None:
    """Draw one column per parameter and one row per rule."""
    rows = drawing.subplots(2, len(VALUES), sharey=True, sharex="col")
    words = {"all-nodes": "all pairs", "connected": "connected nodes"}
    for row, (rule, word) in zip(rows, words.items(), strict=True):
        for panel, name in zip(row, VALUES, strict=True):
            _draw_parameter(panel, name, numbers[METRIC][rule])
            base.tidy(panel, "", LETTERS[name] if rule == "connected" else "")
        row[0].set_ylabel(f"inner recall@5 %, {word}")
    base.legend_below(drawing, rows[0, 0], 4)


def _draw_parameter(panel: Any, name: str, by_network: Numbers) -> None:
    """Draw one parameter; the default is marked, the level without prior dotted."""
    values = VALUES[name]
    for (title, found), (colour, marker) in zip(by_network.items(), LOOKS, strict=True):
        several = [found[name][f"{v:g}"] for v in values]
        look = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.6}
        base.error_bars(panel, values, several, label=title, **look)
        level = base.mean(found[WITHOUT])
        panel.axhline(level, color=colour, linestyle=":", label=f"{title}: tri, no prior")
    panel.axvline(default_values()[name], color=COLOURS["Tri"], linewidth=0.8, zorder=1)
    panel.set_xscale("log")
    panel.set_xticks(values, [f"{v:g}" for v in values], fontsize=7.5)
    panel.minorticks_off()


# ---------------------------------------------------------------------- harder

SHARES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
BASE = 0.3  # of the edges away from hubs; three times as much is still a share
FACTORS = (0.3, 0.5, 1.0, 2.0, 3.0)
# PA gives every pair with an isolated node zero. One more for each degree mends that, and shows
# what degree alone is worth where most nodes have lost their edges.
CONTROL = "PA, degrees + 1"


def run_harder(folder: Path) -> Numbers:
    """Who still finds hidden edges when few are observed, or when hubs are favoured or missed?"""
    net = paper.dream5(folder)
    protocols = {
        "share observed": {f"{x:g}": f"uniform:{x:g}" for x in SHARES},
        "rate at hubs": {f"{x:g}": f"biased:{BASE:g}:{x:g}" for x in FACTORS},
    }
    return {
        "parameters": base.all_parameters(),
        "seeds": base.SEEDS,
        "networks": base.network_facts({"DREAM5": net}),
        "protocols": protocols,
        **{
            title: {x: judged(net, protocol) for x, protocol in several.items()}
            for title, several in protocols.items()
        },
        "Tri+Degree, nodes renumbered": {
            protocol: [_recall_renumbered(net, protocol, seed) for seed in base.SEEDS]
            for protocol in protocols["share observed"].values()
        },
    }


def _recall_renumbered(net: Network, protocol: str, seed: int) -> float:
    """Return the recall when nodes, whose numbers break ties, are numbered at random."""
    split = renumbered(Plan(protocol, "all-nodes", seed=seed).make(net)[0], seed)
    return base.recalls(base.seeded("tri-degree", seed).fit(split.train), split)[METRIC]


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
    found: Numbers = {rule: {method: [] for method in (*base.NAMES, CONTROL)} for rule in RULES}
    facts = []
    for seed in base.SEEDS:
        cases = {rule: Plan(protocol, rule, seed=seed).make(net)[0] for rule in RULES}
        train = cases["all-nodes"].train
        hidden = {rule: len(case.hidden) for rule, case in cases.items()}
        isolated = int((train.degrees == 0).sum())
        facts.append(
            {"training edges": train.n_edges, "hidden": hidden, "nodes without edges": isolated}
        )
        for method in found["all-nodes"]:
            model: Scorer = base.Matrix(np.multiply.outer(train.degrees + 1.0, train.degrees + 1.0))
            if method != CONTROL:
                model = base.seeded(base.NAMES[method], seed).fit(train)
            for rule, case in cases.items():
                found[rule][method].append(base.recalls(model, case)[METRIC])
    return {"splits": facts, **found}


def draw_harder(drawing: Any, numbers: Numbers) -> None:
    """Draw recall against the share observed and the bias, one row per rule."""
    panels = drawing.subplots(2, 2, sharey=True)
    words = {
        "share observed": "share of edges observed, uniformly",
        "rate at hubs": "hub edges' rate over the others' (30 %)",
    }
    titles = {"all-nodes": "all pairs (the paper's rule)", "connected": "pairs of connected nodes"}
    looks = {method: base.style(method) for method in base.NAMES}
    looks[CONTROL] = {**base.style("PA"), "linestyle": ":", "label": CONTROL}
    for row, rule in zip(panels, titles, strict=True):
        for panel, (key, label) in zip(row, words.items(), strict=True):
            at = np.array([float(x) for x in numbers[key]])
            for method, look in looks.items():
                several = [one[rule][method] for one in numbers[key].values()]
                middle, spread = (np.array([of(v) for v in several]) for of in (base.mean, base.sd))
                panel.plot(at, middle, marker="o", markersize=3.5, **look)
                shade = {"color": look["color"], "alpha": 0.12, "linewidth": 0}
                panel.fill_between(at, middle - spread, middle + spread, **shade)
            base.tidy(panel, titles[rule], label if rule == "connected" else "")
            if key == "rate at hubs":
                panel.set_xscale("log")
                panel.axvline(1.0, color="#bbbbbb", linewidth=0.8, zorder=1)
            panel.set_xticks(at, [f"{x:g}" for x in at])
            panel.minorticks_off()
        row[0].set_ylabel("recall@5 %")
    panels[0, 0].set_ylim(0, 1)
    base.legend_below(drawing, panels[0, 0], 7)

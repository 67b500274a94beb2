"""Studies of recall: which variable ranks best, what parameters do, harder ways to observe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import studies_base as base
from benchmarks.studies_base import METRIC, Array, Case, Numbers
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.ranks import Scorer
from linkprior.evaluation.splits import RULES, Split
from linkprior.experiments import paper
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import make

# ---------------------------------------------------------------------- variables

PERCENTS = (1, 5, 10)
VARIABLES = ("q", "factors", "x")  # values of rank_by


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
    found: Numbers = {name: [] for name in VARIABLES}
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
        for name in VARIABLES
    }


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

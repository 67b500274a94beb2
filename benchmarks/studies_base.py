"""What the studies of `paper_studies` share: splits, recalls, degrees, the look of figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.data import FIGURES
from linkprior.evaluation import splits
from linkprior.evaluation.metrics import recall_at
from linkprior.evaluation.ranks import Scorer, rank_hidden_edges
from linkprior.evaluation.splits import Split
from linkprior.experiments import paper
from linkprior.experiments.paper import METHODS
from linkprior.experiments.reproduction import COLOURS, OURS
from linkprior.io.atomic_files import whole_file
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import find, make

Array = NDArray[Any]
Numbers = dict[str, Any]

SEEDS = (0, 1, 2)  # of the splits where edges are drawn, and of the random starts
STARTS = 3  # instead of the default five: the studies compare settings, not records
RULE = "all-nodes"  # the paper's
METRIC = "recall@5%"
NAMES = {**METHODS, "PA": "pa"}  # the paper's five, and degree alone
DREAM_90 = "DREAM5, uniform 90 %"
RELEASES = (("3.1.94", "3.2.104"), ("3.1.94", "3.2.114"), ("3.2.104", "3.2.114"))


@dataclass(frozen=True)
class Case:
    """Splits of one network that belong together, each with the seed for the models."""

    title: str
    splits: Sequence[Split]

    @property
    def seeded(self) -> Iterable[tuple[int, Split]]:
        """The splits with their seeds; a release is one split that every seed is tried on."""
        several = self.splits if len(self.splits) > 1 else [self.splits[0]] * len(SEEDS)
        return zip(SEEDS, several, strict=True)


@dataclass(frozen=True)
class Matrix:
    """A matrix of scores that can be judged like a predictor."""

    scores: Array

    def score_rows(self, start: int, stop: int) -> Array:
        return self.scores[start:stop].copy()


def sampled(title: str, net: Network, rate: float) -> Case:
    return Case(title, [splits.uniform(net, rate, seed, RULE) for seed in SEEDS])


def released(folder: Path, older: str, newer: str) -> Case:
    split = splits.release(paper.rat(folder, older), paper.rat(folder, newer), RULE)
    return Case(f"rat {older} → {newer}", [split])


def connected(split: Split) -> Split:
    """Return the same split by the other rule: pairs of nodes that keep an edge."""
    asked = (split.train.degrees > 0)[split.hidden].all(axis=1)
    return replace(split, hidden=split.hidden[asked], rule="connected")


def seeded(name: str, seed: int, **params: Any) -> LinkPredictor:
    """Return a model with its seed and few starts, where it has such parameters."""
    known = find(name).parameter_names()
    common = {"seed": seed, "n_starts": STARTS}
    return make(name, **{k: v for k, v in common.items() if k in known}, **params)


def tri_degree_parameters() -> Numbers:
    return {**make("tri-degree").get_params(), "n_starts": STARTS, "seed": SEEDS}


def all_parameters() -> Numbers:
    return {name: seeded(model, 0).get_params() for name, model in NAMES.items()}


def recalls(model: Scorer, split: Split, percents: Iterable[float] = (5,)) -> dict[str, float]:
    """Return the share of hidden edges among the best x % of all pairs."""
    standing = rank_hidden_edges(model, split)
    return {f"recall@{x:g}%": round(recall_at(standing, x), 6) for x in percents}


def recall_by_rule(scores: Any, split: Split) -> dict[str, float]:
    """Return the recall at 5 % of a matrix by both rules."""
    judged = Matrix(np.asarray(scores))
    by_rule = {"all-nodes": split, "connected": connected(split)}
    return {rule: recalls(judged, one)[METRIC] for rule, one in by_rule.items()}


def five_percent(net: Network) -> int:
    """Return how many pairs the paper predicts."""
    return round(0.05 * pr.n_pairs(net.n_nodes))


def degrees_of(pairs: pr.Ints, n_nodes: int) -> pr.Ints:
    return np.bincount(pairs.ravel(), minlength=n_nodes)


def top_degrees(scores: Array, k: int) -> tuple[pr.Ints, pr.Ints]:
    """Return the k best of all pairs, observed edges included, and the degrees they induce."""
    i, j = np.triu_indices(len(scores), 1)
    best = np.argsort(-scores[i, j], kind="stable")[:k]
    pairs = np.stack([i[best], j[best]], axis=1)
    return pairs, degrees_of(pairs, len(scores))


def spearman(a: Array, b: Array) -> float:
    """Return the rank correlation, ties by mean rank; 0 where one side is constant."""
    from scipy.stats import spearmanr

    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return round(float(spearmanr(a, b).statistic), 6)


def network_facts(cases: Mapping[str, Network | Split] | Iterable[Case]) -> Numbers:
    """Return nodes, edges and digest of each network, or training network, by its title."""
    named = cases if isinstance(cases, Mapping) else {c.title: c.splits[0] for c in cases}
    nets = {title: getattr(one, "train", one) for title, one in named.items()}
    return {
        title: {"nodes": net.n_nodes, "edges": net.n_edges, "digest": net.digest}
        for title, net in nets.items()
    }


def mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


# ---------------------------------------------------------------------- drawing


def save_figure(
    name: str,
    draw: Callable[[Any, Any], None],
    numbers: Any,
    size: tuple[float, float],
    folder: Path = FIGURES,
) -> None:
    """Draw numbers as folder/name.svg, the same bytes each time."""
    with rc_context({"svg.hashsalt": "linkprior", "font.size": 9}):
        drawing = Figure(figsize=size, layout="constrained")
        draw(drawing, numbers)
        with whole_file(folder / f"{name}.svg") as stream:
            drawing.savefig(stream, format="svg", metadata={"Date": None})


def tidy(axes: Any, title: str = "", x: str = "", y: str = "", grid: str = "both") -> None:
    if title:
        axes.set_title(title, fontsize=9)
    axes.set(xlabel=x, ylabel=y, axisbelow=True)
    axes.grid(color="#e6e6e6", axis=grid)
    axes.spines[["top", "right"]].set_visible(False)


def style(method: str) -> dict[str, Any]:
    """Return how a method's line looks."""
    return {
        "color": COLOURS[method],
        "label": method,
        "linewidth": 2.4 if method == OURS else 1.4,
        "linestyle": "-" if method in METHODS else "--",
        "zorder": 3 if method == OURS else 2,
    }


def legend_below(drawing: Any, axes: Any, columns: int = 6) -> None:
    handles, labels = axes.get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)

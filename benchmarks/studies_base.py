"""What the studies of `paper_studies` share: splits, recalls, degrees, the look of figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
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
from linkprior.experiments.reproduction import OURS
from linkprior.experiments.reproduction_tables import COLOURS
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
NAMES = {**METHODS, "PA": "pa"}  # the paper's five, and degree alone


@dataclass(frozen=True)
class Study:
    """One question: how its numbers come to be, and how they are drawn."""

    name: str
    run: Callable[[Path], Numbers]  # from the data folder
    draw: Callable[[Any, Numbers], None]  # on an empty figure
    size: tuple[float, float]  # of the figure, in inches


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
        """Return a block of rows."""
        return self.scores[start:stop].copy()


def release_pairs(folder: Path) -> list[Case]:
    """Return the three cases of rat releases."""
    pairs = (("3.1.94", "3.2.104"), ("3.1.94", "3.2.114"), ("3.2.104", "3.2.114"))
    return [released(folder, *pair) for pair in pairs]


def sampled(title: str, net: Network, rate: float) -> Case:
    """Return the case of uniformly sampled edges."""
    return Case(title, [splits.uniform(net, rate, seed, RULE) for seed in SEEDS])


def released(folder: Path, older: str, newer: str) -> Case:
    """Return the case of two rat releases."""
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
    """Return the parameters of the studies of tri-degree."""
    return {**make("tri-degree").get_params(), "n_starts": STARTS, "seed": SEEDS}


def all_parameters() -> Numbers:
    """Return the parameters of the paper's five and of PA."""
    return {name: seeded(model, 0).get_params() for name, model in NAMES.items()}


def recalls(model: Scorer, split: Split, percents: Iterable[float]) -> dict[str, float]:
    """Return the share of hidden edges among the best x % of all pairs."""
    standing = rank_hidden_edges(model, split)
    return {f"recall@{x:g}%": round(recall_at(standing, x), 6) for x in percents}


def five_percent(net: Network) -> int:
    """Return how many pairs the paper predicts."""
    return round(0.05 * pr.n_pairs(net.n_nodes))


def degrees_of(pairs: pr.Ints, n_nodes: int) -> pr.Ints:
    """Return how often each node is an end of the pairs."""
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
    """Return the mean of numbers from JSON."""
    return float(np.mean(list(values)))


def sd(values: Iterable[float]) -> float:
    """Return their standard deviation, 0 for a single one."""
    several = list(values)
    return float(np.std(several, ddof=1)) if len(several) > 1 else 0.0


# ---------------------------------------------------------------------- drawing

# Three readings of one method are three shades of its colour.
SHADES = {"q": COLOURS[OURS], "factors": "#5b2a00", "x": "#f3b58d"}
LABELS = {"q": "Q: prox before clipping", "factors": "factors U S Uᵀ", "x": "X of ADMM"}


def save_figure(
    name: str,
    draw: Callable[[Any, Any], None],
    numbers: Any,
    size: tuple[float, float],
    folder: Path = FIGURES,
    look: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Draw numbers as folder/name.svg, the same bytes each time."""
    with rc_context({"svg.hashsalt": "linkprior", "font.size": 9, **look}):
        drawing = Figure(figsize=size, layout="constrained")
        draw(drawing, numbers)
        with whole_file(folder / f"{name}.svg") as stream:
            drawing.savefig(stream, format="svg", metadata={"Date": None})


def tidy(axes: Any, title: str = "", x: str = "", y: str = "", grid: str = "both") -> None:
    """Give axes the house's look."""
    if title:
        axes.set_title(title, fontsize=9)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#e6e6e6", axis=grid)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def style(method: str) -> dict[str, Any]:
    """Return how a method's line looks."""
    return {
        "color": COLOURS[method],
        "label": method,
        "linewidth": 2.4 if method == OURS else 1.4,
        "linestyle": "-" if method in METHODS else "--",
        "zorder": 3 if method == OURS else 2,
    }


def error_bars(axes: Any, at: Any, several: Iterable[Iterable[float]], **look: Any) -> None:
    """Draw means of several values each, with their standard deviations."""
    means, spreads = zip(*((mean(values), sd(values)) for values in several), strict=True)
    axes.errorbar(at, means, spreads, marker=look.pop("marker", "o"), elinewidth=0.8, **look)


def legend_below(drawing: Any, axes: Any, columns: int = 6) -> None:
    """Put one legend under all panels."""
    handles, labels = axes.get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)

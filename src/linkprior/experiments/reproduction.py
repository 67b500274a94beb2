"""The paper's experiments, from its data to its figures and its table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import _progress as progress
from linkprior import machine, parallel
from linkprior.errors import StoreError
from linkprior.evaluation.evaluate import evaluate
from linkprior.evaluation.plots import drawing, image_of
from linkprior.evaluation.results import RESULTS, Evaluation
from linkprior.evaluation.store import Cell, read_json, tsv, write_contents, write_json
from linkprior.evaluation.tables import piped
from linkprior.experiments.paper import METHODS, VARIANTS, Condition, Experiment, models_by_method
from linkprior.io.atomic_files import hold
from linkprior.io.store import refuse_odd
from linkprior.network import Network
from linkprior.network.pairs import n_pairs
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import find, make

Floats = NDArray[np.float64]

PERCENTS = np.arange(1, 41) / 4.0  # of all pairs: the x-axis of the paper's figures
TABLE_PERCENT = 5.0
OURS = "Tri+Degree"


@dataclass(frozen=True)
class Margin:
    """How far the paper's method is ahead of the next of its five (behind, where negative)."""

    over: str
    mean: float
    sd: float


@dataclass(frozen=True)
class Outcome:
    """One condition: an evaluation per seed."""

    condition: Condition
    evaluations: list[Evaluation] = field(repr=False)

    @property
    def methods(self) -> list[str]:
        """The paper's five, its method otherwise, and the others that were asked, by name."""
        asked = {cell.model for cell in self.evaluations[0].cells}
        return [name for name, model in models_by_method().items() if model in asked]

    @property
    def hidden(self) -> list[int]:
        """Hidden edges, seed by seed."""
        return [one.facts["splits"][0]["hidden"] for one in self.evaluations]

    def cells(self, method: str) -> list[Cell]:
        """Return the cells of a method, seed by seed."""
        model = models_by_method()[method]
        return [c for one in self.evaluations for c in one.cells if c.model == model]

    def found(self, method: str, percent: float) -> Floats:
        """Return the hidden edges found among so many percent of all pairs, seed by seed."""
        k = [self.predicted(one, percent) for one in self.evaluations]
        curves = [cell.curve for cell in self.cells(method)]
        points = zip(k, curves, strict=True)
        return np.array([np.interp(n, curve["predicted"], curve["found"]) for n, curve in points])

    def recall(self, method: str, percent: float) -> Floats:
        """Return the share of hidden edges found, seed by seed."""
        return self.found(method, percent) / np.array(self.hidden)

    @staticmethod
    def predicted(evaluation: Evaluation, percent: float) -> int:
        """Return how many pairs that is: the share of p(p − 1)/2."""
        return round(percent / 100.0 * n_pairs(evaluation.facts["network"]["nodes"]))

    def ranking(self) -> list[str]:
        """Return the paper's five, best first at 5 %."""
        means = {method: float(self.recall(method, TABLE_PERCENT).mean()) for method in METHODS}
        return sorted(means, key=lambda method: -means[method])

    def margin(self, ours: str = OURS) -> Margin:
        """Compare the paper's method, or a variant of it, with the best of the other four."""
        other = next(method for method in self.ranking() if method != OURS)
        lead = self.recall(ours, TABLE_PERCENT) - self.recall(other, TABLE_PERCENT)
        return Margin(other, float(lead.mean()), float(lead.std(ddof=1)) if len(lead) > 1 else 0.0)

    def margins_of_variants(self) -> dict[str, Margin]:
        """Compare each variant that was asked with the best of the other four, at 5 %."""
        return {name: self.margin(name) for name in VARIANTS if name in self.methods}


@dataclass(frozen=True)
class Result:
    """One experiment."""

    experiment: Experiment
    outcomes: list[Outcome]
    care: dict[str, Any]

    @property
    def wins(self) -> int:
        """Conditions in which the paper's method is the best of its five at 5 %."""
        return sum(outcome.ranking()[0] == OURS for outcome in self.outcomes)

    def facts(self) -> dict[str, Any]:
        """Return all figures with parameters and digests, for a JSON file."""
        return {
            "experiment": self.experiment.name,
            "title": self.experiment.title,
            "source": self.experiment.source,
            "care": self.care,
            "wins": {"tri-degree best of five at 5 %": self.wins, "of": len(self.outcomes)},
            "conditions": [_condition_facts(outcome) for outcome in self.outcomes],
        }


def _condition_facts(outcome: Outcome) -> dict[str, Any]:
    first = outcome.evaluations[0].facts
    return {
        "condition": outcome.condition.title,
        "protocol": outcome.condition.protocol,
        "network": first["network"],
        "splits": [one.facts["splits"][0] for one in outcome.evaluations],
        "hidden": outcome.hidden,
        "ranking": outcome.ranking(),
        "margin": asdict(outcome.margin()),
        "margins of variants": {
            name: asdict(one) for name, one in outcome.margins_of_variants().items()
        },
        "methods": {method: _method_facts(outcome, method) for method in outcome.methods},
    }


def _method_facts(outcome: Outcome, method: str) -> dict[str, Any]:
    recalls = {f"{x:g}%": outcome.recall(method, x) for x in range(1, 11)}
    return {
        "recall": {x: [round(float(v), 6) for v in values] for x, values in recalls.items()},
        "mean": {x: round(float(values.mean()), 6) for x, values in recalls.items()},
        "paper": outcome.condition.paper.get(method),
        "params": [dict(cell.params) for cell in outcome.cells(method)],
        "seconds": [round(cell.values["seconds"], 3) for cell in outcome.cells(method)],
    }


# ---------------------------------------------------------------------- running


METRIC = "recall@5%"  # what the paper's table reports, and what methods are tuned for
# ADMM as printed sorts every row three times a step: half its steps, and one start as in the end.
_CHEAPER = {"Tri+Degree as printed": {"n_starts": 1, "max_iter": 20}}
# What learned weights would be tuned for they learn themselves, on hold-outs of their own.
_UNTUNED = {"Tri+Degree learned": find("tri-degree").parameter_names()}


@dataclass(frozen=True)
class Care:
    """How much care every method gets, the same for all.

    The defaults stay unless a setting beats them by one sd over the inner splits: the best of a few
    settings on a few edges is often but the luckiest.
    """

    seeds: int = 5  # of the random starts and, where edges are sampled, of the splits
    trials: int = 12  # settings each method tries inside each training network
    inner: int = 5  # inner splits a setting is tried on
    auto: bool = True  # whether `auto` is asked too; it takes as long as the others together
    # Parameters while trying: few random starts show as much about a setting as many.
    cheaper: dict[str, Any] = field(default_factory=lambda: {"n_starts": 2, **_CHEAPER})


OWN = {"auto": {"effort": "fast"}}  # so that the whole stays within an hour
QUICK = Care(seeds=1, trials=0, auto=False)
FULL = Care()


def reproduce(experiment: Experiment, data: Path, care: Care, output: Path | None) -> Result:
    """Run one experiment on the files in a data folder; with `output` a killed run goes on."""
    outcomes = []
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    alone = nullcontext() if output is None else hold(output, "experiment")
    with alone, progress.stage(f"reproducing {experiment.name}", len(experiment.conditions)):
        for condition in experiment.conditions:
            with progress.part(1, condition.title):
                cells = output and output / "cells" / condition.key
                outcomes.append(Outcome(condition, _evaluated(condition, data, care, cells)))
    return Result(experiment, outcomes, asdict(care))


def _evaluated(
    condition: Condition, data: Path, care: Care, cells: Path | None
) -> list[Evaluation]:
    """Evaluate all methods, seed by seed, every node a candidate as in the paper.

    Each seed samples its own training edges, and methods are tuned on these alone. A release is the
    same for all seeds, so one tuning serves them. Every node of a release has an edge, which is not
    so when edges are sampled: so the inner splits of a release ask only for nodes that keep one.
    """
    evaluations: list[Evaluation] = []
    names = [name for name in models_by_method().values() if care.auto or name != "auto"]
    network = condition.load(data)
    newer = condition.newer(data) if condition.newer else None
    tuned: dict[str, dict[str, Any]] = {}  # parameters tuned with an earlier seed
    options = {
        "rule": "all-nodes" if newer is None else "connected",
        "inner": care.inner,
        "cautious": True,
        "cheaper": care.cheaper,
        "fixed": _UNTUNED,
    }
    with progress.stage(total=care.seeds):
        for seed in range(care.seeds):
            with progress.part(1):
                one = evaluate(
                    {name: _seeded(name, seed, tuned.get(name, {}), network) for name in names},
                    network,
                    condition.protocol,
                    "all-nodes",
                    seed=seed,
                    newer=newer,
                    tune=0 if tuned else care.trials,
                    tune_metric=METRIC,
                    tune_options=options,
                    folder=cells and cells / f"seed-{seed}",
                )
            evaluations.append(one)
            if newer is not None and not tuned:
                tuned = {cell.model: dict(cell.params) for cell in one.cells}
    return evaluations


def _seeded(name: str, seed: int, params: dict[str, Any], network: Network) -> LinkPredictor:
    """Return a model, or the paper's method as a variant sets it, for one seed."""
    model = METHODS[OURS] if name in VARIANTS else name
    seeded = {"seed": seed} if "seed" in find(model).parameter_names() else {}
    asked = {**OWN.get(name, {}), **VARIANTS.get(name, {})}
    if asked.get("preset") == "paper":  # K follows the list that is evaluated
        asked["list_size"] = round(TABLE_PERCENT / 100.0 * n_pairs(network.n_nodes))
    return make(model, **{**asked, **params, **seeded})


# ---------------------------------------------------------------------- tables and figures


COLOURS = {
    "PU": "#0072b2",
    "Tri": "#999999",
    "Tri+Scale": "#cc79a7",
    "Tri+L1": "#e69f00",
    "Tri+Degree": "#d55e00",
    "Tri+Degree as printed": "#8c3b00",
    "Tri+Degree learned": "#7a3db8",
    "PA": "#000000",
    "L3": "#009e73",
    "auto": "#56b4e9",
}


def lines(result: Result) -> Iterator[str]:
    """Yield a table for the terminal, the paper's value next to ours where it has one."""
    yield result.experiment.title
    yield f"Data: {result.experiment.source}"
    for outcome in result.outcomes:
        yield ""
        yield from _condition_lines(outcome)
    yield ""
    yield (
        f"{OURS} is the best of the paper's five at {TABLE_PERCENT:g} % in {result.wins} of "
        f"{len(result.outcomes)}"
    )


def _condition_lines(outcome: Outcome) -> Iterator[str]:
    hidden = sorted(set(outcome.hidden))
    of = f"{hidden[0]}" if len(hidden) == 1 else f"{hidden[0]}–{hidden[-1]}"
    size = outcome.evaluations[0].facts["network"]
    network = f"{size['nodes']} nodes, {size['edges']} edges"
    yield f"{outcome.condition.title} ({network}): hidden edges found, of {of}"
    paper = f"{'paper, 5 %':>13}" if outcome.condition.paper else ""
    yield f"  {'method':22}{'at 5 %':>16}{'found':>9}{'at 1 %':>9}{'at 10 %':>9}{paper}"
    for method in outcome.methods:
        at5 = outcome.recall(method, TABLE_PERCENT)
        ends = [outcome.recall(method, x).mean() for x in (1, 10)]
        theirs = outcome.condition.paper.get(method)
        yield (
            f"  {method:22}{_mean_sd(at5):>16}"
            f"{outcome.found(method, TABLE_PERCENT).mean():9.1f}{ends[0]:9.3f}{ends[1]:9.3f}"
            + (f"{theirs:13.3f}" if theirs is not None else "")
        )
    yield f"  {_margin(outcome)}"
    for name in outcome.margins_of_variants():
        yield f"  {_margin(outcome, name)}"


def _mean_sd(values: Floats) -> str:
    spread = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
    return f"{values.mean():.3f}{spread}"


def _margin(outcome: Outcome, ours: str = OURS) -> str:
    margin = outcome.margin(ours)
    spread = f" ± {margin.sd:.3f}" if len(outcome.hidden) > 1 else ""
    word = "ahead of" if margin.mean > 0 else "behind" if margin.mean < 0 else "level with"
    return f"{ours} is {abs(margin.mean):.3f}{spread} {word} {margin.over}"


def markdown(result: Result) -> str:
    """Return one table: conditions across, methods down, recall at 5 % as mean ± sd over seeds."""
    heads = [outcome.condition.title for outcome in result.outcomes]
    rows = [
        [method, *(_entry(outcome, method) for outcome in result.outcomes)]
        for method in result.outcomes[0].methods
    ]
    for ours in (OURS, *result.outcomes[0].margins_of_variants()):
        rows.append([f"margin of {ours}", *(_margin(one, ours) for one in result.outcomes)])
    table = piped(["method", *heads], rows, "---")
    return f"## {result.experiment.title}\n\n{result.experiment.source}.\n\n{table}\n"


def _entry(outcome: Outcome, method: str) -> str:
    values = outcome.recall(method, TABLE_PERCENT)
    count = f", {outcome.found(method, TABLE_PERCENT).mean():.0f} of {outcome.hidden[0]}"
    theirs = outcome.condition.paper.get(method)
    paper = f" (paper {theirs:.3f})" if theirs is not None else ""
    text = f"{_mean_sd(values)}{count}{paper}"
    best = outcome.ranking()[0] == method
    return f"**{text}**" if best else text


def numbers(result: Result) -> str:
    """Return every point of the figures as tab-separated text."""
    head = "condition method seed percent_of_pairs pairs found hidden recall"
    rows = []
    for outcome in result.outcomes:
        for method, percent in product(outcome.methods, PERCENTS.tolist()):
            by_seed = outcome.found(method, percent)
            for seed, (hits, hidden) in enumerate(zip(by_seed, outcome.hidden, strict=True)):
                pairs = outcome.predicted(outcome.evaluations[seed], percent)
                point = outcome.condition.title, method, seed, f"{percent:g}", pairs
                rows.append((*point, f"{hits:.4f}", hidden, f"{hits / hidden:.6f}"))
    return tsv(head.split(), rows)


def figure(result: Result, kind: str) -> bytes:
    """Draw the panels of the paper's figure as "png" or "svg"; the same bytes every time."""
    columns = 3 if len(result.outcomes) >= 3 else len(result.outcomes)
    rows = -(-len(result.outcomes) // columns)
    with drawing({"svg.hashsalt": "linkprior", "font.size": 9}) as new_figure:
        drawn = new_figure(figsize=(3.9 * columns, 3.2 * rows + 0.6), layout="constrained")
        panels = np.atleast_1d(drawn.subplots(rows, columns, sharex=True)).ravel()
        for panel, outcome in zip(panels, result.outcomes, strict=True):
            _draw(panel, outcome)
        for panel in panels[-columns:]:
            panel.set_xlabel("predicted pairs, % of all pairs")
        for panel in panels[::columns]:
            panel.set_ylabel("hidden edges found")
        handles, labels = panels[0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
        return image_of(drawn, kind, 150)


def _draw(axes: Any, outcome: Outcome) -> None:
    at = [0.0, *PERCENTS.tolist()]
    for method in outcome.methods:
        mean = [0.0, *(float(outcome.found(method, x).mean()) for x in PERCENTS.tolist())]
        dash = "-" if method in METHODS or method in VARIANTS else "--"
        width, above = (2.4, 3) if method == OURS else (1.4, 2)
        look = {"color": COLOURS[method], "linestyle": dash, "linewidth": width, "zorder": above}
        axes.plot(at, mean, label=method, **look)
    axes.set_title(outcome.condition.title, fontsize=9)
    axes.set(xlim=(0, 10), ylim=(0, None))
    axes.grid(color="#e6e6e6")
    axes.spines[["top", "right"]].set_visible(False)


FIGURES = {"dream5": "figure1", "plasmodium": "figure2", "rat": "figure_rat"}


def refuse_foreign(name: str, folder: Path) -> None:
    """Raise an error where files of somebody else are in the way, or a cell cannot be read.

    The files are ours where there are cells, or where the results are those of this experiment.
    """
    refuse_odd(folder, files_of(name))
    for path in sorted(folder.glob("cells/*/*/cells/*.json")):
        read_json(path)
    results = folder / RESULTS
    if (folder / "cells").is_dir() or (
        results.is_file() and read_json(results).get("experiment") == name
    ):
        return
    taken = [file for file in files_of(name) if (folder / file).exists()]
    if taken:
        raise StoreError(
            f"{folder / taken[0]} is not from `linkprior reproduce`, and would be replaced; give "
            "another folder (-o), or move it"
        )


def files_of(name: str) -> list[str]:
    """Return the names of the files an experiment leaves."""
    figure = FIGURES[name]
    return [RESULTS, "table.md", "numbers.tsv", f"{figure}.png", f"{figure}.svg"]


def write(result: Result, folder: Path, seconds: float, command: list[str]) -> list[Path]:
    """Write results.json, table.md, numbers.tsv and the figure; return the files."""
    name = result.experiment.name
    refuse_odd(folder, files_of(name))
    folder.mkdir(parents=True, exist_ok=True)
    figures = {f"{FIGURES[name]}.{kind}": figure(result, kind) for kind in ("png", "svg")}
    texts = {"table.md": markdown(result), "numbers.tsv": numbers(result)}
    written = write_contents(folder, {**texts, **figures})
    about = {
        "command": command,
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(seconds, 1),  # of this process: what was there already took none
        "threads": parallel.current_workers(),
        "versions": machine.versions(),
    }
    write_json(folder / RESULTS, {**about, **result.facts()})
    return [folder / RESULTS, *written]

"""Results as the paper has them: text for the terminal, Markdown, numbers as TSV, figures."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from linkprior import machine, parallel
from linkprior.errors import StoreError
from linkprior.evaluation.plots import drawing, image_of
from linkprior.evaluation.store import read_json, tsv, write_contents, write_json
from linkprior.evaluation.tables import piped
from linkprior.experiments.paper import METHODS, VARIANTS
from linkprior.experiments.reproduction import OURS, PERCENTS, TABLE_PERCENT, Outcome, Result
from linkprior.io.store import refuse_odd

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
    paper = bool(outcome.condition.paper)
    yield f"  {'method':22}{'at 5 %':>16}{'found':>9}{'at 1 %':>9}{'at 10 %':>9}" + (
        f"{'paper, 5 %':>13}" if paper else ""
    )
    for method in outcome.methods:
        at5 = outcome.recall(method, TABLE_PERCENT)
        spread = f" ± {at5.std(ddof=1):.3f}" if len(at5) > 1 else ""
        ends = [outcome.recall(method, x).mean() for x in (1, 10)]
        theirs = outcome.condition.paper.get(method)
        yield (
            f"  {method:22}{f'{at5.mean():.3f}{spread}':>16}"
            f"{outcome.found(method, TABLE_PERCENT).mean():9.1f}{ends[0]:9.3f}{ends[1]:9.3f}"
            + (f"{theirs:13.3f}" if theirs is not None else "")
        )
    yield f"  {_margin(outcome)}"
    for name in outcome.margins_of_variants():
        yield f"  {_margin(outcome, name)}"


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
    spread = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
    count = f", {outcome.found(method, TABLE_PERCENT).mean():.0f} of {outcome.hidden[0]}"
    theirs = outcome.condition.paper.get(method)
    paper = f" (paper {theirs:.3f})" if theirs is not None else ""
    text = f"{values.mean():.3f}{spread}{count}{paper}"
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


RESULTS = "results.json"
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

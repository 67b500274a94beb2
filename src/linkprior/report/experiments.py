"""The data of pages about a benchmark and about the paper's experiments: nothing is fitted."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from linkprior.errors import StoreError
from linkprior.evaluation.results import RESULTS
from linkprior.evaluation.store import read_json
from linkprior.experiments import tables
from linkprior.experiments.benchmark import suite_files
from linkprior.experiments.figures import cost_and_merit
from linkprior.experiments.paper import EXPERIMENTS, METHODS
from linkprior.experiments.reproduction import OURS, TABLE_PERCENT
from linkprior.experiments.results import ALONE, LEVEL, MAIN, Ranks, Results, ranks_of
from linkprior.experiments.tables import Table
from linkprior.report.page import figure, provenance, section

_MARKS = {ALONE: "best", LEVEL: "level"}
_LEGEND = tables.MARKS.replace("**Bold**", "*").replace("*Italics*", "Italics")
_AT = f"{TABLE_PERCENT:g}%"
Facts = Mapping[str, Any]

# ---------------------------------------------------------------------- a benchmark


def is_benchmark(folder: Path) -> bool:
    """Return whether a folder holds cells of a benchmark, whole or not."""
    first = next(iter(suite_files(folder)), None)
    try:
        return first is not None and {"network", "model", "split"} <= set(read_json(first))
    except StoreError:
        return False


def benchmark_page(results: Results, command: str | None = None) -> dict[str, Any]:
    """Return what a page shows of a benchmark: tables, mean ranks, accuracy against seconds."""
    all_tables = tables.tables_of(results)
    versions = sorted({str(cell["linkprior"]) for cell in results.cells})
    return {
        "title": f"{len(results.models)} models on {len(results.networks)} tests",
        "subtitle": "Every model on the same splits, every candidate pair scored, none sampled",
        "parts": [
            _ranking_section(results, all_tables.ranking),
            section(
                *("measures", "Measures", "Every measure"),
                words=[f"{all_tables.about} {_LEGEND}"],
                choose="Measure",
                tables=[_benchmark_table(table) for table in all_tables.metrics],
            ),
            section(
                *("more", "More", "More"),
                choose="Table",
                tables=[_benchmark_table(table) for table in all_tables.more],
            ),
        ],
        "about": provenance(
            [["cells", f"{len(results.cells):,}"], ["made by linkprior", ", ".join(versions)]],
            command,
        ),
    }


def _ranking_section(results: Results, rankings: list[Table]) -> dict[str, Any]:
    ranks = ranks_of(results, MAIN)
    tiles = [
        [str(len(results.networks)), "tests"],
        [str(len(results.models)), "models"],
        [f"{len(results.cells):,}", "cells: a model on a split, fitted or left out"],
    ]
    if ranks.means:
        best, mean = next(iter(ranks.means.items()))
        tiles.append([best, f"has the best mean rank by {MAIN}: {mean:.2f}"])
    figures = [_rank_figure(ranks, results.ours)] if len(ranks.means) > 1 else []
    return section(
        *("ranks", "Who is ahead", "Who is ahead"),
        tiles=tiles,
        figures=[*figures, *_costs(results)],
        tables=[_benchmark_table(table) for table in reversed(rankings)],
    )


def _rank_figure(ranks: Ranks, ours: str | None) -> dict[str, Any]:
    least = ranks.critical_difference
    return figure(
        f"Mean rank by {ranks.metric}",
        f"{len(ranks.networks)} tests. Models in the band do not differ significantly "
        f"from the best (critical difference {least:.2f}; Nemenyi, 5 %).",
        "mean_ranks",
        kind="ranks",
        items=[{"name": n, "value": v, "own": n == ours} for n, v in ranks.means.items()],
        band=min(ranks.means.values()) + least,
        name="mean rank, 1 the best",
    )


def _costs(results: Results) -> list[dict[str, Any]]:
    points = list(cost_and_merit(results, MAIN))
    lines = []
    for name, whole in (("on every test", True), ("on some", False)):
        if some := [point[:3] for point in points if point[3] is whole]:
            labels, x, y = map(list, zip(*some, strict=True))
            lines.append({"name": name, "points": True, "labels": labels, "x": x, "y": y})
    if not lines:
        return []
    note = (
        "Share of the best model's, mean over tests, by the median seconds of a fit and of scoring "
        "all pairs."
    )
    x_axis = {"name": "seconds", "log": True}
    y_axis = {"name": "share of the best", "from": 0, "to": 1.04}
    chart = {"lines": lines, "height": 440, "x": x_axis, "y": y_axis}
    return [figure(f"{MAIN} against seconds", note, "accuracy_and_seconds", **chart)]


def _benchmark_table(table: Table) -> dict[str, Any]:
    """Return a table as the page shows it; its tests are in the text above it."""
    name = re.sub(r"\W+", "_", table.title).strip("_").lower()
    tests = [
        f"{first.text}: {', '.join(dict.fromkeys(cell.text for cell in rest))}."
        for first, *rest in table.footers
    ]
    nothing = [] if table.rows else [table.empty]
    return {
        "id": f"table-{name}",
        "title": table.title,
        "note": " ".join(part for part in (table.words, *nothing, *tests) if part),
        "file": name,
        "heads": table.heads,
        "rows": [
            [
                first.text,
                *({"text": c.text, "value": c.value, "mark": _MARKS.get(c.mark)} for c in rest),
            ]
            for first, *rest in table.rows
        ],
    }


# ---------------------------------------------------------------------- the paper


def read_reproduction(folder: Path) -> list[dict[str, Any]]:
    """Return what `linkprior reproduce` wrote below a folder: one experiment, several or none."""
    paths = [path for name in EXPERIMENTS if (path := folder / name / RESULTS).is_file()]
    if (folder / RESULTS).is_file():
        paths = [folder / RESULTS] if "experiment" in read_json(folder / RESULTS) else []
    results = [read_json(path) for path in paths]
    for path, facts in zip(paths, results, strict=True):
        try:
            reproduction_page([facts])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise StoreError(f"{path} is incomplete; run `linkprior reproduce` again") from None
    return results


def reproduction_page(results: Sequence[Facts], command: str | None = None) -> dict[str, Any]:
    """Return what a page shows of one experiment or of several."""
    wins, of = (sum(numbers) for numbers in zip(*map(_wins, results), strict=True))
    care = results[0]["care"]
    tuned = f"{care['trials']} settings tried for each" if care["trials"] else "default parameters"
    digests: dict[tuple[str, str], str] = {}  # of each experiment's networks, by first condition
    for facts in results:
        for one in facts["conditions"]:
            if digest := str(one.get("network", {}).get("digest", "")):
                digests.setdefault((facts["experiment"], digest), one["condition"])
    digest_rows = [
        [f"{name}, {first}, digest", digest] for (name, digest), first in digests.items()
    ]
    seeds = f"{care['seeds']} seed{'s' * (care['seeds'] != 1)}"
    return {
        "title": "The paper's experiments, repeated",
        "subtitle": f"Network Inference by Learned Node-Specific Degree Prior; {tuned}, {seeds}. "
        f"{OURS} is the best of the paper's five at {TABLE_PERCENT:g} % in {wins} of {of}",
        "parts": [_experiment_section(one) for one in results],
        "about": provenance(digest_rows, command, results[0].get("versions")),
    }


def _wins(facts: Facts) -> tuple[int, int]:
    """Return in how many conditions the paper's method is the best of its five, and of how many."""
    of = int(facts["wins"]["of"])
    return int(sum(facts["wins"].values())) - of, of


def _experiment_section(facts: Facts) -> dict[str, Any]:
    wins, of = _wins(facts)
    name = str(facts["experiment"])
    return section(
        name,
        {"dream5": "DREAM5", "plasmodium": "Plasmodium", "rat": "Rat"}.get(name, name),
        facts["title"],
        words=[
            f"Data: {facts['source']}.",
            f"Share of the hidden edges among the best {TABLE_PERCENT:g} % of all pairs, mean ± sd "
            "over seeds, in brackets how many that are. *: best of the paper's five. "
            f"{OURS} is that in {wins} of {of}.",
        ],
        tables_first=True,
        tables=[_recall_table(facts)],
        figures=[_recall_curve(name, one) for one in facts["conditions"]],
    )


def _recall_table(facts: Facts) -> dict[str, Any]:
    conditions = facts["conditions"]
    heads, methods = ["method"], list(conditions[0]["methods"])
    for one in conditions:
        heads += [one["condition"], *(["paper"] if _has_paper(one) else [])]
    rows = [
        [method, *(cell for one in conditions for cell in _recall_cells(one, method))]
        for method in methods
    ]
    leads: list[Any] = [f"{OURS}'s lead over"]
    for one in conditions:
        margin = one["margin"]
        spread = f" ± {margin['sd']:.3f}" if margin["sd"] else ""
        leads.append({"text": f"{margin['mean']:+.3f}{spread} ({margin['over']})"})
        leads += [{"text": ""}] if _has_paper(one) else []
    return {
        "id": f"table-{facts['experiment']}",
        "title": f"Recall at {TABLE_PERCENT:g} %",
        "file": f"recall_{facts['experiment']}",
        "heads": heads,
        "rows": [*rows, leads],
    }


def _has_paper(condition: Facts) -> bool:
    return any(one.get("paper") is not None for one in condition["methods"].values())


def _recall_cells(condition: Facts, method: str) -> Iterator[Any]:
    results = condition["methods"][method]
    values, mean = results["recall"][_AT], results["mean"][_AT]
    spread = f" ± {statistics.stdev(values):.3f}" if len(set(values)) > 1 else ""
    hits = statistics.mean(v * h for v, h in zip(values, condition["hidden"], strict=True))
    best = method in METHODS and condition["ranking"][0] == method
    mark = {"mark": "best"} if best else {}
    yield {"text": f"{mean:.3f}{spread} ({hits:.0f})", "value": mean, **mark}
    if _has_paper(condition):
        yield results.get("paper")


def _recall_curve(experiment: str, condition: Facts) -> dict[str, Any]:
    lines = []
    for method, results in condition["methods"].items():
        at = [float(percent.rstrip("%")) for percent in results["mean"]]
        lines.append({"name": method, "x": [0.0, *at], "y": [0.0, *results["mean"].values()]})
    lines.sort(key=lambda line: line["name"] != OURS)  # the first hue for the paper's method
    title = str(condition["condition"])
    file = f"{experiment}_{title}".replace(" → ", "_to_")
    return figure(
        title,
        "Share of hidden edges found among the best x % of all pairs.",
        re.sub(r"[^\w.-]", "_", file),
        lines=lines,
        x={"name": "% of all pairs", "from": 0},
        y={"name": "recall", "from": 0},
    )

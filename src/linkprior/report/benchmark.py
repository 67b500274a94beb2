"""The data of a page about a benchmark, from its finished cells: nothing is fitted for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from linkprior.errors import StoreError
from linkprior.evaluation.store import read_json
from linkprior.experiments import tables
from linkprior.experiments.benchmark import suite_files
from linkprior.experiments.figures import cost_and_merit
from linkprior.experiments.results import ALONE, LEVEL, MAIN, Ranks, Results, ranks_of
from linkprior.experiments.tables import Table
from linkprior.report.page import provenance

_MARKS = {ALONE: "best", LEVEL: "level"}
_LEGEND = tables.MARKS.replace("**Bold**", "*").replace("*Italics*", "Italics")


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
            _ranking_part(results, all_tables.ranking),
            {
                "id": "measures",
                "nav": "Measures",
                "title": "Every measure",
                "words": [f"{all_tables.about} {_LEGEND}"],
                "choose": "Measure",
                "tables": [_table(table) for table in all_tables.metrics],
            },
            {
                "id": "more",
                "nav": "More",
                "title": "More",
                "choose": "Table",
                "tables": [_table(table) for table in all_tables.more],
            },
        ],
        "about": provenance(
            [["cells", f"{len(results.cells):,}"], ["made by linkprior", ", ".join(versions)]],
            command,
        ),
    }


def _ranking_part(results: Results, rankings: list[Table]) -> dict[str, Any]:
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
    return {
        "id": "ranks",
        "nav": "Who is ahead",
        "title": "Who is ahead",
        "tiles": tiles,
        "figures": [*figures, *_costs(results)],
        "tables": [_table(table) for table in reversed(rankings)],
    }


def _rank_figure(ranks: Ranks, ours: str | None) -> dict[str, Any]:
    items = [{"name": n, "value": v, "own": n == ours} for n, v in ranks.means.items()]
    least = ranks.critical_difference
    return {
        "kind": "ranks",
        "title": f"Mean rank by {ranks.metric}",
        "note": f"{len(ranks.networks)} tests. Models in the band do not differ significantly "
        f"from the best (critical difference {least:.2f}; Nemenyi, 5 %).",
        "file": "mean_ranks",
        "items": items,
        "band": min(ranks.means.values()) + least,
        "name": "mean rank, 1 the best",
    }


def _costs(results: Results) -> list[dict[str, Any]]:
    points = list(cost_and_merit(results, MAIN))
    lines = [
        {
            "name": name,
            "points": True,
            "labels": [model for model, *_ in some],
            "x": [seconds for _, seconds, *_ in some],
            "y": [merit for _, _, merit, _ in some],
        }
        for name, whole in (("on every test", True), ("on some", False))
        if (some := [point for point in points if point[3] is whole])
    ]
    if not lines:
        return []
    return [
        {
            "title": f"{MAIN} against seconds",
            "note": "Share of the best model's, mean over tests, by the median seconds of a fit "
            "and of scoring all pairs.",
            "file": "accuracy_and_seconds",
            "lines": lines,
            "height": 440,
            "x": {"name": "seconds", "log": True},
            "y": {"name": "share of the best", "from": 0, "to": 1.04},
        }
    ]


def _table(table: Table) -> dict[str, Any]:
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

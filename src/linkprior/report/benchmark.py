"""The data of a page about a benchmark, from its finished cells: nothing is fitted for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linkprior.benchmark import tables
from linkprior.benchmark.figures import cost_and_merit
from linkprior.benchmark.ranks import Ranks, ranks_of
from linkprior.benchmark.results import MAIN, METRICS, Results
from linkprior.report.origins import origins

_NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
_LOST = re.compile(r"(?P<network>.+), (?P<metric>\S+): (?P<model>.+) by (?P<by>.+) \((?P<v>.+)\)")
_NO_MODEL = ("critical difference", "Friedman p")  # rows that would be sorted among the models


def is_benchmark(folder: Path) -> bool:
    """Tell whether a folder holds cells of a benchmark."""
    from linkprior.benchmark.cells import read_cell
    from linkprior.errors import StoreError

    first = next(iter(sorted(folder.glob("*/*.json"))), None)
    try:
        return first is not None and bool(read_cell(first))
    except StoreError:
        return False


def benchmark_page(results: Results, command: str | None = None) -> dict[str, Any]:
    """Return what a page shows of a benchmark: tables, mean ranks, accuracy against seconds."""
    sections = dict(_sections(tables.markdown(results)))
    legend = sections.pop("Benchmark")[0]
    measures = [_table(name, *sections.pop(name)) for name in METRICS if name in sections]
    standing = [t for t in list(sections) if t == "Wins" or t.startswith("Mean rank")]
    ranked = [_table(title, *sections.pop(title)) for title in sorted(standing)]
    more = [_table(title, *found) for title, found in sections.items()]
    versions = sorted({str(cell["linkprior"]) for cell in results.cells})
    return {
        "title": f"{len(results.models)} models on {len(results.networks)} tests",
        "subtitle": "Every model on the same splits, every candidate pair scored, none sampled",
        "parts": [
            _standing_part(results, ranked),
            {
                "id": "measures",
                "nav": "Measures",
                "title": "Every measure",
                "words": [_plain(legend).replace("Bold:", "*:", 1)],
                "choose": "Measure",
                "tables": measures,
            },
            {"id": "more", "nav": "More", "title": "More", "choose": "Table", "tables": more},
        ],
        "about": origins(
            [["cells", f"{len(results.cells):,}"], ["made by linkprior", ", ".join(versions)]],
            command,
        ),
    }


def _standing_part(results: Results, ranked: list[dict[str, Any]]) -> dict[str, Any]:
    ranks = ranks_of(results, MAIN)
    tiles = [
        [str(len(results.networks)), "tests"],
        [str(len(results.models)), "models"],
        [f"{len(results.cells):,}", "cells: a model on a split, fitted or left out"],
    ]
    if ranks.means:
        best, mean = next(iter(ranks.means.items()))
        tiles.append([best, f"has the best mean rank by {MAIN}: {mean:.2f}"])
    figures = [_rank_figure(ranks, results.ours)] if len(ranks.models) > 1 else []
    return {
        "id": "standing",
        "nav": "Who is ahead",
        "title": "Who is ahead",
        "tiles": tiles,
        "figures": [*figures, *_costs(results)],
        "tables": ranked,
    }


def _rank_figure(ranks: Ranks, ours: str | None) -> dict[str, Any]:
    items = [{"name": n, "value": v, "own": n == ours} for n, v in ranks.means.items()]
    least = ranks.critical_difference
    return {
        "kind": "ranks",
        "title": f"Mean rank by {ranks.metric}",
        "note": f"{len(ranks.networks)} tests. Who is in the band is not told from the best "
        f"(critical difference {least:.2f}; Nemenyi, 5 %).",
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


# ---------------------------------------------------------------------- tables of the Markdown


def _sections(text: str) -> Iterator[tuple[str, tuple[str, list[str]]]]:
    """Yield each title with its words and its lines."""
    for block in re.split(r"^#+ ", text, flags=re.M)[1:]:
        title, _, body = block.partition("\n")
        lines = [line for line in body.splitlines() if line.strip()]
        words = [line for line in lines if not line.startswith(("|", "- "))]
        yield title, (" ".join(words), [line for line in lines if line.startswith(("|", "- "))])


def _table(title: str, words: str, lines: list[str]) -> dict[str, Any]:
    """Return a table of the page from one in Markdown, or from a list of lost comparisons."""
    if lines and lines[0].startswith("|"):
        heads, _, *rows = [_split(line) for line in lines]
    else:
        heads = ["network", "measure", "ahead", "by", "how clear"]
        rows = [list(m.groups()) for line in lines if (m := _LOST.match(line.removeprefix("- ")))]
    kept = [row for row in rows if row[0] not in _NO_MODEL]
    tests = [
        f"{row[0]}: {', '.join(dict.fromkeys(row[1:]))}." for row in rows if row[0] in _NO_MODEL
    ]
    name = re.sub(r"\W+", "_", title).strip("_").lower()
    return {
        "id": f"table-{name}",
        "title": title,
        "note": " ".join([_plain(words), *tests]),
        "file": name,
        "heads": heads,
        "rows": [[row[0], *map(_cell, row[1:])] for row in kept],
    }


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def _cell(text: str) -> Any:
    """Return a cell: bold is the best, italics are level with it; a number sorts as one."""
    mark = {2: "best", 1: "level"}.get(len(text) - len(text.lstrip("*")))
    shown = _plain(text)
    number = _NUMBER.match(shown)
    value = float(number[0].replace(",", "")) if number else None
    return {"text": shown, "value": value, "mark": mark}


def _plain(text: str) -> str:
    return text.replace("*", "")

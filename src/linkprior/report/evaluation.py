"""The data of a page about an evaluation: measures of all models, and their curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from linkprior.evaluation import plots, statistics, tables
from linkprior.evaluation.results import Evaluation
from linkprior.evaluation.store import BASELINE
from linkprior.report.page import provenance

_RARE = 0.02  # below this precision a logarithmic axis shows more


def evaluation_page(
    evaluation: Evaluation, source: str = "a network", command: str | None = None
) -> dict[str, Any]:
    """Return what a page shows of an evaluation."""
    models, splits = len(evaluation.models), len(evaluation.splits)
    first = {cell.model: cell.params for cell in reversed(evaluation.cells)}
    facts = evaluation.facts
    listed = [
        *((name, facts.get(name)) for name in ("protocol", "rule", "seed")),
        ("digest of the network", (facts.get("network") or {}).get("digest")),
    ]
    return {
        "title": f"Models compared on {source}",
        "subtitle": f"{models} model{'s' * (models != 1)}, {splits} split{'s' * (splits != 1)}",
        "evaluation": comparison(evaluation),
        "about": {
            **provenance([[name, str(fact)] for name, fact in listed if fact is not None], command),
            "parameters": [  # of each model, as on its first split
                [model, ", ".join(f"{k}={v}" for k, v in params.items())[:300] or "none"]
                for model, params in first.items()
            ],
        },
    }


def comparison(evaluation: Evaluation) -> dict[str, Any]:
    """Return a row of measures for each model, best AUPRC first, and the curves."""
    main = [metric for metric in tables.MAIN if metric in evaluation.metrics]
    metrics = list(dict.fromkeys([*main, *evaluation.metrics]))
    models = sorted(evaluation.models, key=lambda model: -_value(evaluation, model, metrics[0]))
    rows = [*models, *([BASELINE] if evaluation.baseline else [])]
    return {
        "metrics": metrics,
        "best": {metric: statistics.best(evaluation, metric) for metric in metrics},
        "rows": [{"model": m, "values": _values(evaluation, m, metrics)} for m in rows],
        "words": tables.notes(evaluation),
        "curves": _curves(evaluation) if all(c.curve for c in evaluation.cells) else [],
    }


def _value(evaluation: Evaluation, model: str, metric: str) -> float:
    value = evaluation.mean(model, metric)
    return value if math.isfinite(value) else -math.inf


def _values(evaluation: Evaluation, model: str, metrics: Sequence[str]) -> dict[str, Any]:
    cells = evaluation.baseline if model == BASELINE else evaluation.cells
    there = {metric for cell in cells if cell.model == model for metric in cell.values}
    return {
        metric: {"mean": evaluation.mean(model, metric), "sd": evaluation.sd(model, metric)}
        for metric in metrics
        if metric in there and math.isfinite(evaluation.mean(model, metric))
    }


def _curves(evaluation: Evaluation) -> list[dict[str, Any]]:
    recalled, precise = plots.hidden_edges_found(evaluation), plots.precision_recall(evaluation)
    highest = max((float(line.y.max()) for line in precise if len(line.y)), default=0.0)
    rare = min((float(line.y.min()) for line in precise if len(line.y)), default=1.0) < _RARE
    return [
        {
            "title": "Precision and recall",
            "note": "Hidden edges among the first pairs, and the share of all that these are.",
            "file": "precision_recall",
            "lines": _lines(precise),
            "x": {"name": "recall", "from": 0.0, "to": 1.0},
            "y": {"name": "precision", "log": rare, **({} if rare else {"from": 0, "to": highest})},
        },
        {
            "title": "Hidden edges found",
            "note": "Among the best x % of all pairs.",
            "file": "hidden_found",
            "lines": _lines(recalled),
            "x": {"name": "% of all pairs", "from": 0.0},
            "y": {"name": "hidden edges found", "from": 0.0},
        },
    ]


def _lines(drawn: Sequence[plots.Line]) -> list[dict[str, Any]]:
    return [
        {
            "name": line.label,
            "x": [float(f"{v:.5g}") for v in line.x],
            "y": [float(f"{v:.5g}") for v in line.y],
        }
        for line in drawn
    ]

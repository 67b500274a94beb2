"""The data of pages about evaluations and tuning studies; of a study also the section of a run."""

from __future__ import annotations

import itertools
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkprior.errors import LinkpriorError, StoreError
from linkprior.evaluation import plots, statistics, tables
from linkprior.evaluation.results import Evaluation
from linkprior.evaluation.store import BASELINE, read_json
from linkprior.evaluation.tuning.search import (
    COMPLETE,
    FAILED,
    PRUNED,
    Trial,
    best_of,
    importances,
    ranked,
)
from linkprior.evaluation.tuning.study import BEST, JOURNAL, KIND, QUESTION, read_journal
from linkprior.evaluation.tuning.tune import TuningResult
from linkprior.predictors import registry
from linkprior.report.page import figure, format_value, provenance, section

_RARE = 0.02  # below this precision a logarithmic axis shows more
_FACTS = (
    *("network", "rule", "inner", "sampler", "seed"),
    *("workers", "prune", "cautious", "linkprior"),
)
_WORDS = {"network": "digest of the network", "inner": "inner splits", "prune": "stops poor ones"}


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
    values = {m: _values(evaluation, m, metrics) for m in tables.row_names(evaluation)}

    def merit(model: str) -> float:
        return float(values[model].get(metrics[0], {"mean": -math.inf})["mean"])

    rows = sorted(evaluation.models, key=merit, reverse=True)
    rows += [BASELINE] * bool(evaluation.baseline)
    return {
        "metrics": metrics,
        "best": {metric: statistics.best(evaluation, metric) for metric in metrics},
        "rows": [{"model": m, "values": values[m]} for m in rows],
        "words": tables.notes(evaluation),
        "curves": _curves(evaluation) if all(c.curve for c in evaluation.cells) else [],
    }


def _values(evaluation: Evaluation, model: str, metrics: Sequence[str]) -> dict[str, Any]:
    means = {metric: tables.mean_or_nan(evaluation, model, metric) for metric in metrics}
    return {
        metric: {"mean": mean, "sd": evaluation.sd(model, metric)}
        for metric, mean in means.items()
        if math.isfinite(mean)
    }


def _curves(evaluation: Evaluation) -> list[dict[str, Any]]:
    recalled, precise = plots.hidden_edges_found(evaluation), plots.precision_recall(evaluation)
    highest = max((float(line.y.max()) for line in precise if len(line.y)), default=0.0)
    rare = min((float(line.y.min()) for line in precise if len(line.y)), default=1.0) < _RARE
    return [
        figure(
            "Precision and recall",
            "Hidden edges among the first pairs, and the share of all that these are.",
            "precision_recall",
            lines=_lines(precise),
            x={"name": "recall", "from": 0.0, "to": 1.0},
            y={"name": "precision", "log": rare, **({} if rare else {"from": 0, "to": highest})},
        ),
        figure(
            *("Hidden edges found", "Among the best x % of all pairs.", "hidden_found"),
            lines=_lines(recalled),
            x={"name": "% of all pairs", "from": 0.0},
            y={"name": "hidden edges found", "from": 0.0},
        ),
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


# ---------------------------------------------------------------------- tuning studies


@dataclass(frozen=True)
class Study:
    """What a page shows of a search, from its folder or from the search itself.

    `question` is what the trials depend on, as `study.json` has it; `importances` is each
    parameter's share in what made settings differ, empty where it is unknown; `finished` is whether
    the search has ended.
    """

    question: Mapping[str, Any]
    trials: list[Trial]
    best: Trial
    importances: dict[str, float]
    finished: bool = True

    @classmethod
    def of(cls, result: TuningResult, question: Mapping[str, Any]) -> Study:
        """Return what a search found."""
        best = next(t for t in result.ranked if t.params == result.best_params)
        return cls(question, result.trials, best, result.importances())


def is_study(folder: Path) -> bool:
    """Return whether a folder holds a study."""
    return (folder / QUESTION).is_file()


def read_study(folder: Path) -> Study:
    """Return a study that `linkprior tune --study DIR` keeps, finished or not."""
    question = read_json(folder / QUESTION)
    named = all(isinstance(question.get(name), str) for name in ("model", "metric", "network"))
    kinds = {"searched": dict, "params": dict}
    whole = named and all(isinstance(question.get(name), kind) for name, kind in kinds.items())
    if question.get("kind") != KIND or not whole:
        raise StoreError(f"{folder / QUESTION} is not the configuration of a tuning study")
    finished = read_journal(folder / JOURNAL)
    trials = [trial for trial, _ in finished]
    best = best_of(trials, bool(question.get("cautious")))
    if best is None:
        raise StoreError(f"{folder} holds no finished setting yet: let `linkprior tune` go on")
    order = ranked(trials)
    points = {trial.number: point for trial, point in finished if point.params}
    shares = importances(order, [points[t.number] for t in order if t.number in points])
    return Study(question, trials, best, shares, (folder / BEST).is_file())


def tuning_page(
    study: Study, source: str | None = None, command: str | None = None, ready: str | None = None
) -> dict[str, Any]:
    """Return what a page shows of a study; `ready` is the command that uses what it found."""
    count, question = len(study.trials), study.question
    nodes = question.get("nodes")
    named = source or (f"a network of {nodes:,} nodes" if isinstance(nodes, int) else "a network")
    rows = [[_WORDS.get(k, k), str(question[k])] for k in _FACTS if k in question]
    params = [[name, format_value(value)] for name, value in question["params"].items()]
    return {
        "title": f"{question['model']} tuned on {named}",
        "subtitle": f"{count} setting{'s' * (count != 1)} tried, compared by {question['metric']}",
        "parts": [tuning_part(study, ready)],
        "about": {**provenance(rows, command), "parameters": params},
    }


def tuning_part(study: Study, ready: str | None = None) -> dict[str, Any]:
    """Return the section: what was gained, the history, importances, the settings."""
    metric, inner = study.question["metric"], study.question.get("inner")
    states = [trial.state for trial in study.trials]
    default = next((t.value for t in study.trials if t.number == 0), math.nan)
    on = f" over {inner} inner splits" if inner else ""
    words = [
        f"A setting's value is its mean {metric}{on}, each of which hides a tenth of the "
        "edges. Setting 0 is the model as it was given. The best of many looks better than it "
        "is: evaluate it on other edges."
    ]
    if not study.finished:
        words.append("The search is not finished; these are the settings tried so far.")
    best = f"{metric} of the best setting, number {study.best.number}"
    return section(
        *("tuning", "Tuning", "How the parameters were tuned"),
        words=words,
        tiles=[
            [f"{study.best.value:.4f}", best],
            [_number(default), "that of the model's own parameters"],
            [str(len(states)), "settings tried"],
            [str(states.count(PRUNED)), "stopped early"],
            [str(states.count(FAILED)), "could not be fitted"],
        ],
        command=ready or _ready(study.question, study.best.params),
        figures=[_history(study.trials, metric), *_bars(study.importances)],
        tables=_tables(study),
    )


def _history(trials: list[Trial], metric: str) -> dict[str, Any]:
    done = [trial for trial in trials if trial.state == COMPLETE]
    number, value = [t.number for t in done], [t.value for t in done]
    last = max(trial.number for trial in trials)
    best = list(itertools.accumulate(value, max))
    steps = {  # each value stays until the next point
        "x": [at for pair in zip(number, [*number[1:], last], strict=True) for at in pair],
        "y": [so_far for so_far in best for _ in range(2)],
    }
    lines: list[dict[str, Any]] = [
        {"name": "a setting", "x": number, "y": value, "points": True},
        {"name": "the best so far", **steps},
    ]
    if done and done[0].number == 0:
        lines.append({"name": "the model's own parameters", "x": [0, last], "y": [value[0]] * 2})
    room = 0.06 * (max(value) - min(value))
    return figure(
        f"{metric} by setting",
        "Settings that were stopped early have no value.",
        "tuning_history",
        lines=lines,
        x={"name": "setting", "from": 0},
        y={"name": metric, "from": min(value) - room, "to": max(value) + room},
    )


def _bars(importances: dict[str, float]) -> list[dict[str, Any]]:
    if not importances:
        return []
    shares = sorted(importances.items(), key=lambda one: -one[1])
    note = "Share of each parameter in what made settings differ (fANOVA)."
    items = [{"name": n, "value": v, "text": f"{v:.0%}"} for n, v in shares]
    return [figure("Parameter importance", note, "importances", kind="bars", items=items)]


def _tables(study: Study) -> list[dict[str, Any]]:
    own_params, searched = study.question["params"], list(study.question["searched"])
    rows = [
        [
            trial.number,
            {
                "text": _number(trial.value),
                "value": trial.value if math.isfinite(trial.value) else None,
                **({"mark": "best"} if trial is study.best else {}),
            },
            trial.state,
            len(trial.scores),
            *({"text": format_value(v), "value": v} for v in map(trial.params.get, searched)),
            trial.note,
        ]
        for trial in study.trials
    ]
    return [
        {
            "id": "best-setting",
            "title": "The best parameters",
            "file": "best_parameters",
            "heads": ["parameter", "best", "the model's own"],
            "rows": [
                [
                    name,
                    *(format_value(params.get(name)) for params in (study.best.params, own_params)),
                ]
                for name in searched
            ],
        },
        {
            "id": "settings",
            "title": "Every setting",
            "file": "settings",
            "heads": [
                *("setting", study.question["metric"], "state", "inner splits"),
                *(*searched, "note"),
            ],
            "rows": rows,
        },
    ]


def _number(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "–"


def _ready(question: Mapping[str, Any], best: dict[str, Any]) -> str | None:
    """Return the command that predicts with the best parameters, where the model is known."""
    try:
        plain = registry.make(question["model"]).get_params()
    except LinkpriorError:
        return None
    words = ["linkprior", "predict", "EDGES", "--model", question["model"]]
    for name, value in {**question["params"], **best}.items():
        if name in plain and value != plain[name]:
            text = "none" if value is None else str(value)
            words += ["--seed", text] if name == "seed" else ["--set", f"{name}={text}"]
    return shlex.join(words)

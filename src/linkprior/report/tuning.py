"""The part of a page about a tuning study: value by setting, importance, every setting."""

from __future__ import annotations

import itertools
import math
import shlex
from typing import Any

from linkprior.errors import LinkpriorError
from linkprior.evaluation.tuning.search import COMPLETE, FAILED, PRUNED
from linkprior.predictors import registry
from linkprior.report.page import format_value, provenance
from linkprior.report.study import Study

_FACTS = (
    *("network", "rule", "inner", "sampler", "seed"),
    *("workers", "prune", "cautious", "linkprior"),
)
_WORDS = {"network": "digest of the network", "inner": "inner splits", "prune": "stops poor ones"}


def tuning_page(
    study: Study, source: str | None = None, command: str | None = None, ready: str | None = None
) -> dict[str, Any]:
    """Return what a page shows of a study; `ready` is the command that uses what it found."""
    count = len(study.trials)
    nodes = study.facts.get("nodes")
    named = source or (f"a network of {nodes:,} nodes" if isinstance(nodes, int) else "a network")
    known = [[_WORDS.get(k, k), str(study.facts[k])] for k in _FACTS if k in study.facts]
    own = [[name, format_value(value)] for name, value in study.params.items()]
    return {
        "title": f"{study.model} tuned on {named}",
        "subtitle": f"{count} setting{'s' * (count != 1)} tried, compared by {study.metric}",
        "parts": [tuning_part(study, ready)],
        "about": {**provenance(known, command), "parameters": own},
    }


def tuning_part(study: Study, ready: str | None = None) -> dict[str, Any]:
    """Return the section: what was gained, the history, importances, the settings."""
    return {
        "id": "tuning",
        "nav": "Tuning",
        "title": "How the parameters were tuned",
        "words": _words(study),
        "tiles": _tiles(study),
        "command": ready or _ready(study),
        "figures": [_history(study), *_bars(study)],
        "tables": [_best(study), _settings(study)],
    }


def _words(study: Study) -> list[str]:
    inner = study.facts.get("inner")
    on = f" over {inner} inner splits" if inner else ""
    words = [
        f"A setting's value is its mean {study.metric}{on}, each of which hides a tenth of the "
        "edges. Setting 0 is the model as it was given. The best of many looks better than it "
        "is: evaluate it on other edges."
    ]
    if not study.finished:
        words.append("The search has not come to its end; this is what it had tried.")
    return words


def _tiles(study: Study) -> list[list[str]]:
    states = [trial.state for trial in study.trials]
    own = next((t.value for t in study.trials if t.number == 0), math.nan)
    return [
        [f"{study.best.value:.4f}", f"{study.metric} of the best setting, number "
         f"{study.best.number}"],
        [_number(own), "that of the model's own parameters"],
        [str(len(states)), "settings tried"],
        [str(states.count(PRUNED)), "stopped early"],
        [str(states.count(FAILED)), "could not be fitted"],
    ]  # fmt: skip


def _history(study: Study) -> dict[str, Any]:
    done = [trial for trial in study.trials if trial.state == COMPLETE]
    number, value = [t.number for t in done], [t.value for t in done]
    last = max(trial.number for trial in study.trials)
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
        own = {"name": "the model's own parameters", "x": [0, last], "y": [value[0]] * 2}
        lines.append(own)
    room = 0.06 * (max(value) - min(value))
    return {
        "title": f"{study.metric} by setting",
        "note": "Settings that were stopped early have no value.",
        "file": "tuning_history",
        "lines": lines,
        "x": {"name": "setting", "from": 0},
        "y": {"name": study.metric, "from": min(value) - room, "to": max(value) + room},
    }


def _bars(study: Study) -> list[dict[str, Any]]:
    if not study.importances:
        return []
    shares = sorted(study.importances.items(), key=lambda one: -one[1])
    return [
        {
            "kind": "bars",
            "title": "Parameter importance",
            "note": "Share of each parameter in what made settings differ (fANOVA).",
            "file": "importances",
            "items": [{"name": n, "value": v, "text": f"{v:.0%}"} for n, v in shares],
        }
    ]


def _best(study: Study) -> dict[str, Any]:
    both = (study.best.params, study.params)
    return {
        "id": "best-setting",
        "title": "The best parameters",
        "file": "best_parameters",
        "heads": ["parameter", "best", "the model's own"],
        "rows": [[name, *(format_value(p.get(name)) for p in both)] for name in study.searched],
    }


def _settings(study: Study) -> dict[str, Any]:
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
            *({"text": format_value(v), "value": v} for v in map(trial.params.get, study.searched)),
            trial.note,
        ]
        for trial in study.trials
    ]
    return {
        "id": "settings",
        "title": "Every setting",
        "file": "settings",
        "heads": ["setting", study.metric, "state", "inner splits", *study.searched, "note"],
        "rows": rows,
    }


def _number(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "–"


def _ready(study: Study) -> str | None:
    """Return the command that predicts with the best parameters, where the model is known."""
    try:
        plain = registry.make(study.model).get_params()
    except LinkpriorError:
        return None
    words = ["linkprior", "predict", "EDGES", "--model", study.model]
    for name, value in {**study.params, **study.best.params}.items():
        if name in plain and value != plain[name]:
            text = "none" if value is None else str(value)
            words += ["--seed", text] if name == "seed" else ["--set", f"{name}={text}"]
    return shlex.join(words)

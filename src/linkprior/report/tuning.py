"""Tuning studies: their folders, read and never changed, and the part of a page about one."""

from __future__ import annotations

import itertools
import json
import math
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior.errors import LinkpriorError, StoreError
from linkprior.evaluation.store import read_json
from linkprior.evaluation.tuning.search import (
    COMPLETE,
    FAILED,
    PRUNED,
    Trial,
    best_of,
    quiet_optuna,
)
from linkprior.evaluation.tuning.study import BEST, JOURNAL, KIND, QUESTION, finished_trials
from linkprior.evaluation.tuning.tune import ENOUGH_TO_TELL, TuningResult
from linkprior.io.store import stored_bytes
from linkprior.predictors import registry
from linkprior.report.page import format_value, provenance

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

_FACTS = (
    *("network", "rule", "inner", "sampler", "seed"),
    *("workers", "prune", "cautious", "linkprior"),
)
_WORDS = {"network": "digest of the network", "inner": "inner splits", "prune": "stops poor ones"}


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


# Of a journal that is none of ours, met by json, optuna or us.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, AssertionError, RecursionError)


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
    kept = _finished(folder / JOURNAL)
    trials = [trial for trial, _ in kept]
    best = best_of(trials, bool(question.get("cautious")))
    if best is None:
        raise StoreError(f"{folder} holds no finished setting yet: let `linkprior tune` go on")
    return Study(question, trials, best, _importances(kept), (folder / BEST).is_file())


def _finished(path: Path) -> list[tuple[Trial, FrozenTrial]]:
    """Return the finished settings of a journal in their order, as ours and as optuna's.

    optuna reads lines in memory: its own reader would make a file that is missing, and write to it.
    Only whole lines count: the last one may be cut off by a kill.
    """
    try:
        content = stored_bytes(path)
    except OSError as problem:
        raise StoreError(f"{path} cannot be read: {problem.strerror}") from None
    try:
        with quiet_optuna():
            from optuna.storages import JournalStorage
            from optuna.storages.journal import BaseJournalBackend

            class Lines(BaseJournalBackend):
                """Lines that were read; none is added."""

                def read_logs(self, log_number_from: int) -> Iterable[dict[str, Any]]:
                    return lines[log_number_from:]

                def append_logs(self, logs: list[dict[str, Any]]) -> None:
                    raise ValueError("the journal holds no study of ours")

            whole = content[: content.rfind(b"\n") + 1]
            lines = [json.loads(line) for line in whole.splitlines()]
            storage = JournalStorage(Lines())
            study = storage.get_study_id_from_name("linkprior")
            return finished_trials(storage.get_all_trials(study, deepcopy=False))
    except _DAMAGE as problem:
        raise StoreError(
            f"{path} is not the journal of a study ({type(problem).__name__}); restore it, or "
            "tune again"
        ) from None


def _importances(kept: list[tuple[Trial, FrozenTrial]]) -> dict[str, float]:
    """Return what `Tuned.importances` does, from the values that the journal holds."""
    complete = [(trial, frozen) for trial, frozen in kept if trial.state == COMPLETE]
    complete.sort(key=lambda one: (-one[0].value, one[0].number))
    values = {trial.value for trial, _ in complete}
    if len(complete) < ENOUGH_TO_TELL or len(values) < 2:
        return {}
    with quiet_optuna():
        import optuna
        from optuna.importance import FanovaImportanceEvaluator, get_param_importances

        study = optuna.create_study(direction="maximize")
        for trial, frozen in complete:
            if frozen.params:
                study.add_trial(
                    optuna.trial.create_trial(
                        value=trial.value,
                        params=frozen.params,
                        distributions=frozen.distributions,
                    )
                )
        try:
            shares = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))
        except (ImportError, ValueError, RuntimeError):
            return {}
    return {name: float(share) for name, share in shares.items()}


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
    return {
        "id": "tuning",
        "nav": "Tuning",
        "title": "How the parameters were tuned",
        "words": words,
        "tiles": [
            [
                f"{study.best.value:.4f}",
                f"{metric} of the best setting, number {study.best.number}",
            ],
            [_number(default), "that of the model's own parameters"],
            [str(len(states)), "settings tried"],
            [str(states.count(PRUNED)), "stopped early"],
            [str(states.count(FAILED)), "could not be fitted"],
        ],
        "command": ready or _ready(study.question, study.best.params),
        "figures": [_history(study.trials, metric), *_bars(study.importances)],
        "tables": _tables(study),
    }


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
    return {
        "title": f"{metric} by setting",
        "note": "Settings that were stopped early have no value.",
        "file": "tuning_history",
        "lines": lines,
        "x": {"name": "setting", "from": 0},
        "y": {"name": metric, "from": min(value) - room, "to": max(value) + room},
    }


def _bars(importances: dict[str, float]) -> list[dict[str, Any]]:
    if not importances:
        return []
    shares = sorted(importances.items(), key=lambda one: -one[1])
    return [
        {
            "kind": "bars",
            "title": "Parameter importance",
            "note": "Share of each parameter in what made settings differ (fANOVA).",
            "file": "importances",
            "items": [{"name": n, "value": v, "text": f"{v:.0%}"} for n, v in shares],
        }
    ]


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

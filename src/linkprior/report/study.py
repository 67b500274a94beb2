"""The folder of a tuning study, read and never changed: another process may be at work on it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior.errors import StoreError
from linkprior.evaluation.store import read_json
from linkprior.evaluation.tuning.search import COMPLETE, Trial, best_of, quiet_optuna
from linkprior.evaluation.tuning.study import BEST, JOURNAL, KIND, QUESTION, finished_trials
from linkprior.evaluation.tuning.tune import ENOUGH_TO_TELL, TuningResult
from linkprior.io.store import stored_bytes

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial


@dataclass(frozen=True)
class Study:
    """What a page shows of a search, from its folder or from the search itself.

    `importances` is each parameter's share in what made settings differ, empty where it is
    unknown; `params` are the model's own parameters; `finished` is whether the search has ended.
    """

    model: str
    metric: str
    searched: list[str]
    trials: list[Trial]
    best: Trial
    importances: dict[str, float]
    params: dict[str, Any]
    facts: dict[str, Any]
    finished: bool = True

    @classmethod
    def of(cls, found: TuningResult, facts: Mapping[str, Any]) -> Study:
        """Return what a search found; `facts` is its question."""
        best = next(t for t in found.ranked if t.params == found.best_params)
        return cls(
            model=type(found.model).name,
            metric=found.metric,
            searched=list(found.search_space.axes),
            trials=found.trials,
            best=best,
            importances=found.importances(),
            params=dict(facts.get("params", {})),
            facts=dict(facts),
        )


# Of a journal that is none of ours, met by json, optuna or us.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, AssertionError, RecursionError)


def is_study(folder: Path) -> bool:
    """Tell whether a folder holds a study."""
    return (folder / QUESTION).is_file()


def read_study(folder: Path) -> Study:
    """Return a study that `linkprior tune --study DIR` keeps, finished or not."""
    question = read_json(folder / QUESTION)
    named = all(isinstance(question.get(name), str) for name in ("model", "metric", "network"))
    kinds = {"searched": dict, "params": dict}
    whole = named and all(isinstance(question.get(name), kind) for name, kind in kinds.items())
    if question.get("kind") != KIND or not whole:
        raise StoreError(f"{folder / QUESTION} is not the question of a tuning study")
    kept = _finished(folder / JOURNAL)
    trials = [trial for trial, _ in kept]
    best = best_of(trials, bool(question.get("cautious")))
    if best is None:
        raise StoreError(f"{folder} holds no finished setting yet: let `linkprior tune` go on")
    return Study(
        model=question["model"],
        metric=question["metric"],
        searched=list(question["searched"]),
        trials=trials,
        best=best,
        importances=_importances(kept),
        params=question["params"],
        facts=question,
        finished=(folder / BEST).is_file(),
    )


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
            f"{path} is no journal of a study ({type(problem).__name__}); restore it, or tune anew"
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
            known: dict[str, Any] = {
                "params": frozen.params,
                "distributions": frozen.distributions,
            }
            if frozen.params:
                study.add_trial(optuna.trial.create_trial(value=trial.value, **known))
        try:
            shares = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))
        except (ImportError, ValueError, RuntimeError):
            return {}
    return {name: float(share) for name, share in shares.items()}

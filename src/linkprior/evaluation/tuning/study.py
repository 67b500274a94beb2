"""The folder of a study: every setting that has been tried, so that a kill costs what was running.

DIR/study.json     which network and question the folder is for
DIR/journal.log    one line for each step, in optuna's format: its own tools read it
DIR/best.json      the best setting, once the search has come to its end

The journal is a record only: which settings come next never depends on the order of its lines.
What a killed process leaves behind is repaired when it is opened again.
"""

from __future__ import annotations

import json
import logging
import math
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from linkprior._validation import shown
from linkprior.errors import StoreError
from linkprior.evaluation.store import plain, read_json, refuse_other_data, write_json
from linkprior.evaluation.tuning.search import (
    COMPLETE,
    FAILED,
    PRUNED,
    SearchSpace,
    Setting,
    Trial,
    distributions,
    mean,
    quiet_optuna,
    trial_from,
)
from linkprior.io.atomic_files import LOCK, hold, is_temporary, naming, sweep
from linkprior.io.store import refuse_odd, stored_bytes

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

KIND = "tuning"
QUESTION, JOURNAL, BEST = "study.json", "journal.log", "best.json"
STATES = {"COMPLETE": COMPLETE, "PRUNED": PRUNED, "FAIL": FAILED}  # optuna's names, and ours
_STUDY = "linkprior"
_NOT_ASKED = ("optuna", "nodes", "edges")  # noted, but no part of the question
# What optuna, json or we meet in a journal of somebody else.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, AssertionError)
_log = logging.getLogger("linkprior")


class Trials:
    """The trials of a search, in memory alone: they are gone with the process."""

    def __init__(self) -> None:
        self.trials: dict[int, Trial] = {}

    def begin(self, setting: Setting) -> None:
        """Note that a setting is being tried."""

    def finish(self, trial: Trial) -> None:
        """Note what became of it."""
        self.trials[trial.number] = trial

    def conclude(self, best: Mapping[str, Any]) -> None:
        """Note the best setting."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class StudyFolder(Trials):
    """A study in a folder, begun or resumed; one process at a time may hold it."""

    def __init__(self, folder: Path, question: Mapping[str, Any], space: SearchSpace) -> None:
        super().__init__()
        self.folder, self.path, self.search_space = folder, folder / JOURNAL, space
        self.question = plain({"kind": KIND, **question})
        self._running: dict[int, int] = {}

    def __enter__(self) -> Self:
        refuse_other_folders(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = hold(self.folder, "study")
        try:
            self._claim()
            if mend(self.path):
                _log.info(f"{self.folder}: the journal's last line was cut off by a kill; removed")
            with quiet_optuna(), naming(self.path):
                self._resume()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def _claim(self) -> None:
        sweep(self.folder)
        path = self.folder / QUESTION
        if not path.exists():
            write_json(path, self.question)
            return
        before = read_json(path)
        if before.get("kind") != KIND:
            raise StoreError(
                f"{self.folder} is not the folder of a tuning study; choose another one"
            )
        refuse_other_data(self.folder, "a study", before, self.question)
        there, here = _flat(before), _flat(self.question)
        other = [
            f"{name} is {shown(there.get(name))} there and {shown(here.get(name))} here"
            for name in dict.fromkeys([*here, *there])
            if name not in _NOT_ASKED and there.get(name) != here.get(name)
        ]
        if other:
            raise StoreError(
                f"{self.folder} holds another study: {'; '.join(other)}. Use the "
                "same configuration, or choose another folder"
            )
        if before.get("optuna") != self.question.get("optuna"):
            _log.info(
                f"{self.folder} was begun with optuna {before.get('optuna')}, this is "
                f"{self.question.get('optuna')}: the next settings may differ from "
                "those it would have tried"
            )

    def _resume(self) -> None:
        """Take the finished trials, and give up those that a killed process left running."""
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend
        from optuna.study import StudyDirection
        from optuna.trial import TrialState

        # A lock file of optuna's would outlive a killed process; the folder is held anyway.
        backend = JournalFileBackend(str(self.path), threading.Lock())  # type: ignore[arg-type]
        try:
            self._storage = JournalStorage(backend)
            try:
                self._study = self._storage.get_study_id_from_name(_STUDY)
            except KeyError:
                self._study = self._storage.create_new_study([StudyDirection.MAXIMIZE], _STUDY)
            every = self._storage.get_all_trials(self._study, deepcopy=False)
            left = [trial for trial in every if trial.state.name not in STATES]
            self.trials = {one.number: one for one, _ in finished_trials(every)}
        except _DAMAGE as problem:
            raise StoreError(
                f"{self.path} is not the journal of a study ({type(problem).__name__}); choose "
                "another folder, or remove this one to start again"
            ) from None
        for trial in left:
            self._storage.set_trial_user_attr(trial._trial_id, "reaped", True)
            self._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
        if left:
            _log.info(
                f"{self.folder}: {len(left)} setting{'s' * (len(left) != 1)} not finished last "
                "time; to be tried again"
            )

    def begin(self, setting: Setting) -> None:
        """Note that a setting is being tried."""
        from optuna.trial import TrialState, create_trial

        params = dict(setting.params)
        at = self.search_space.positions(params) or {}
        with quiet_optuna(), naming(self.path):
            running = create_trial(
                state=TrialState.RUNNING,
                params=at,
                distributions=distributions(self.search_space.axes) if at else {},
                user_attrs={"setting": setting.number, "params": params},
            )
            self._running[setting.number] = self._storage.create_new_trial(self._study, running)

    def finish(self, trial: Trial) -> None:
        """Note what became of it. The last line written makes it count."""
        from optuna.trial import TrialState

        running = self._running.pop(trial.number)
        with naming(self.path):
            for reached in range(1, len(trial.scores) + 1):
                so_far = mean(trial.scores[:reached])
                if not math.isnan(so_far):
                    self._storage.set_trial_intermediate_value(running, reached, so_far)
            scores = [None if math.isnan(score) else score for score in trial.scores]
            self._storage.set_trial_user_attr(running, "scores", scores)
            self._storage.set_trial_user_attr(running, "note", trial.note)
            state = next(name for name, ours in STATES.items() if ours == trial.state)
            values = None if trial.state == FAILED else [mean(trial.scores)]
            self._storage.set_trial_state_values(running, TrialState[state], values)
        super().finish(trial)

    def conclude(self, best: Mapping[str, Any]) -> None:
        """Write the best setting."""
        write_json(self.folder / BEST, best)


def finished_trials(frozen: list[FrozenTrial]) -> list[tuple[Trial, FrozenTrial]]:
    """Return the finished trials of a journal in the order of their settings, with optuna's own."""
    finished: dict[int, tuple[Trial, FrozenTrial]] = {}
    for one in frozen:
        if one.state.name in STATES and not one.user_attrs.get("reaped"):
            trial = trial_from(one.user_attrs, STATES[one.state.name])
            finished.setdefault(trial.number, (trial, one))
    return [finished[number] for number in sorted(finished)]


def read_journal(path: Path) -> list[tuple[Trial, FrozenTrial]]:
    """Return the finished trials of a journal, as ours and as optuna's; nothing is written.

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
            study = storage.get_study_id_from_name(_STUDY)
            return finished_trials(storage.get_all_trials(study, deepcopy=False))
    except (*_DAMAGE, RecursionError) as problem:
        raise StoreError(
            f"{path} is not the journal of a study ({type(problem).__name__}); restore it, or "
            "tune again"
        ) from None


def mend(path: Path) -> bool:
    """Cut off a last line that was not written to its end; return whether there was one.

    optuna would write on in the same line, and not be able to read it again.
    """
    if not path.exists():
        return False
    content = stored_bytes(path)
    lines = content.splitlines(keepends=True)
    bad = next((n for n, line in enumerate(lines) if not _is_whole(line)), None)
    if bad is None:
        return False
    if bad < len(lines) - 1:
        raise StoreError(
            f"{path}:{bad + 1}: expected a line of JSON; the journal was changed by something "
            "else. Restore it, choose another folder, or remove this one to start again"
        )
    with path.open("r+b") as stream:
        stream.truncate(len(content) - len(lines[bad]))
    return True


def _is_whole(line: bytes) -> bool:
    try:
        return line.endswith(b"\n") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


# ---------------------------------------------------------------------- whose folder it is


def refuse_other_folders(folder: Path) -> None:
    """Raise an error where a folder is a file, or holds something that is not a study of ours."""
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; a study needs a folder of its own")
    refuse_odd(folder, (QUESTION, JOURNAL, BEST))
    if not folder.exists() or (folder / QUESTION).exists():
        return
    others = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    if others:
        raise StoreError(
            f"{folder} holds other files ({', '.join(others[:3])}) and no study.json; give a study "
            "a folder of its own"
        )


def others_in(folder: Path) -> set[str]:
    """Return the names of what lies in the folder of a study and is not of it."""
    inside = folder.iterdir() if folder.is_dir() else ()
    ours = (QUESTION, JOURNAL, BEST)
    return {one.name for one in inside if one.name not in ours and not is_temporary(one.name)}


def remove_study(folder: Path) -> None:
    """Remove a study, and nothing else; an error where that cannot be."""
    if not folder.is_dir():
        return
    sweep(folder)
    for name in (BEST, JOURNAL, QUESTION, LOCK):
        (folder / name).unlink(missing_ok=True)
    folder.rmdir()


def _flat(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question with a name for each parameter, so that one that differs can be named."""
    flat: dict[str, Any] = {}
    for name, value in question.items():
        inner = value if isinstance(value, dict) else {"": value}
        flat |= {f"{name} {key}".strip(): one for key, one in inner.items()}
    return flat

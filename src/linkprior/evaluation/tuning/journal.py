"""The journal of a study: a file that grows by a line with every step, in optuna's format.

optuna's own tools read it. It is a record only: which settings come next never depends on the
order of its lines. What a killed process leaves behind is put right when it is opened again.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

from linkprior.errors import StoreError
from linkprior.evaluation.tuning.search import SearchSpace, distributions, quiet_optuna
from linkprior.evaluation.tuning.trials import (
    COMPLETE,
    FAILED,
    PRUNED,
    Setting,
    Trial,
    mean,
    trial_from,
)
from linkprior.io.atomic_files import naming
from linkprior.io.store import stored_bytes

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial, TrialState

_STUDY = "linkprior"


class Journal:
    """The trials in a journal file. Whoever opens it must be the only one."""

    def __init__(self, path: Path, region: SearchSpace) -> None:
        self.path, self.region = path, region
        self.mended = mend(path)
        self._running: dict[int, int] = {}
        with quiet_optuna(), naming(path):
            self._open()

    def _open(self) -> None:
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend
        from optuna.study import StudyDirection

        # A lock of optuna's would outlive a killed process; the folder's own does not.
        backend = JournalFileBackend(str(self.path), lock_obj=_NoLock())  # type: ignore[arg-type]
        try:
            self._storage = JournalStorage(backend)
            try:
                self._study = self._storage.get_study_id_from_name(_STUDY)
            except KeyError:
                self._study = self._storage.create_new_study([StudyDirection.MAXIMIZE], _STUDY)
        except (ValueError, KeyError, TypeError, AttributeError, AssertionError) as problem:
            raise self._damaged(problem) from None

    def reap(self) -> int:
        """Give up the trials that a killed process left running; return how many."""
        from optuna.trial import TrialState

        left = self._all((TrialState.RUNNING, TrialState.WAITING))
        with naming(self.path):
            for trial in left:
                self._storage.set_trial_user_attr(trial._trial_id, "reaped", True)
                self._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
        return len(left)

    def trials(self) -> dict[int, Trial]:
        """Return the finished trials by the numbers of their settings."""
        from optuna.trial import TrialState

        names = {
            TrialState.COMPLETE: COMPLETE,
            TrialState.PRUNED: PRUNED,
            TrialState.FAIL: FAILED,
        }
        found: dict[int, Trial] = {}
        try:
            for trial in self._all(tuple(names)):
                if not trial.user_attrs.get("reaped"):
                    known = trial_from(trial.user_attrs, names[trial.state])
                    found.setdefault(known.number, known)
        except (KeyError, TypeError, ValueError) as problem:
            raise self._damaged(problem) from None
        return found

    def begin(self, setting: Setting) -> None:
        """Note that a setting is being tried."""
        from optuna.trial import TrialState, create_trial

        params = dict(setting.params)
        at = self.region.positions(params) or {}
        with quiet_optuna(), naming(self.path):
            running = create_trial(
                state=TrialState.RUNNING,
                params=at,
                distributions=distributions(self.region.axes) if at else {},
                user_attrs={"setting": setting.number, "params": params},
            )
            self._running[setting.number] = self._storage.create_new_trial(self._study, running)

    def finish(self, trial: Trial) -> None:
        """Note what became of it. The last line written makes it count."""
        with naming(self.path):
            self._note(self._running.pop(trial.number), trial)

    def _note(self, own: int, trial: Trial) -> None:
        for reached in range(1, len(trial.scores) + 1):
            so_far = mean(trial.scores[:reached])
            if not math.isnan(so_far):
                self._storage.set_trial_intermediate_value(own, reached, so_far)
        scores = [None if math.isnan(score) else score for score in trial.scores]
        self._storage.set_trial_user_attr(own, "scores", scores)
        self._storage.set_trial_user_attr(own, "note", trial.note)
        values = None if trial.state == FAILED else [mean(trial.scores)]
        self._storage.set_trial_state_values(own, _state(trial.state), values)

    def _all(self, states: tuple[TrialState, ...]) -> list[FrozenTrial]:
        return self._storage.get_all_trials(self._study, deepcopy=False, states=states)

    def _damaged(self, problem: Exception) -> StoreError:
        return StoreError(
            f"{self.path} is no journal of a study ({type(problem).__name__}); choose another "
            "folder, or remove this one to begin anew"
        )


class _NoLock:
    """A lock for who is alone already."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass


def _state(name: str) -> TrialState:
    from optuna.trial import TrialState

    by_name = {
        COMPLETE: TrialState.COMPLETE,
        PRUNED: TrialState.PRUNED,
        FAILED: TrialState.FAIL,
    }
    return by_name[name]


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
            "else. Restore it, choose another folder, or remove this one to begin anew"
        )
    with path.open("r+b") as stream:
        stream.truncate(len(content) - len(lines[bad]))
    return True


def _is_whole(line: bytes) -> bool:
    try:
        return line.endswith(b"\n") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False

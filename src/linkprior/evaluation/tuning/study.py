"""The folder of a study: every setting that has been tried, so that a kill costs what was running.

DIR/study.json     which network and question the folder is for
DIR/journal.log    one line for each step, in optuna's format
DIR/best.json      the best setting, once the search has come to its end
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from linkprior._validation import shown
from linkprior.errors import StoreError
from linkprior.evaluation.cells import plain_json, read_json, write_json
from linkprior.evaluation.tuning.journal import Journal
from linkprior.evaluation.tuning.search import SearchSpace
from linkprior.evaluation.tuning.trials import Setting, Trial
from linkprior.io.atomic_files import LOCK, hold, is_temporary, sweep
from linkprior.io.store import refuse_odd

KIND = "tuning"
QUESTION, JOURNAL, BEST = "study.json", "journal.log", "best.json"
_NOT_ASKED = ("optuna", "nodes", "edges")  # noted, but no part of the question
_log = logging.getLogger("linkprior")


class Memory:
    """A study that nobody keeps: trials are gone with the process."""

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


class StudyFolder(Memory):
    """A study in a folder: begun, or taken up where it was left.

    One process at a time may hold it. `question` is all that the trials depend on.
    """

    def __init__(self, folder: Path, question: Mapping[str, Any], region: SearchSpace) -> None:
        super().__init__()
        self.folder, self.region = folder, region
        self.question = json.loads(json.dumps({"kind": KIND, **question}, default=plain_json))

    def __enter__(self) -> Self:
        refuse_other_folders(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = hold(self.folder, "study")
        try:
            self._claim()
            self._take_up()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def begin(self, setting: Setting) -> None:
        """Note that a setting is being tried."""
        self._journal.begin(setting)

    def finish(self, trial: Trial) -> None:
        """Note what became of it."""
        self._journal.finish(trial)
        super().finish(trial)

    def conclude(self, best: Mapping[str, Any]) -> None:
        """Write the best setting."""
        write_json(self.folder / BEST, best)

    def _claim(self) -> None:
        sweep(self.folder)
        path = self.folder / QUESTION
        if not path.exists():
            write_json(path, self.question)
            return
        before = read_json(path)
        _refuse_other_questions(self.folder, before, self.question)
        if before.get("optuna") != self.question.get("optuna"):
            _log.info(
                f"{self.folder} was begun with optuna {before.get('optuna')}, this is "
                f"{self.question.get('optuna')}: the next settings may be others than there"
            )

    def _take_up(self) -> None:
        self._journal = Journal(self.folder / JOURNAL, self.region)
        if self._journal.mended:
            _log.info(f"{self.folder}: the journal's last line was cut off by a kill; removed")
        reaped = self._journal.reap()
        if reaped:
            _log.info(
                f"{self.folder}: {reaped} setting{'s' * (reaped != 1)} not finished last time; "
                "to be tried again"
            )
        self.trials = self._journal.trials()


def refuse_other_folders(folder: Path) -> None:
    """Raise an error where a folder is a file, or holds something that is no study of ours."""
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


def _refuse_other_questions(
    folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]
) -> None:
    if before.get("kind") != KIND:
        raise StoreError(f"{folder} is no folder of a tuning study; choose another one")
    if before.get("network") != now["network"]:
        raise StoreError(
            f"{folder} holds a study of other data: the digest of its network is "
            f"{str(before.get('network'))[:12]}, that of the edges given is "
            f"{now['network'][:12]}. Choose another folder"
        )
    there, here = _flat(before), _flat(now)
    other = [
        f"{name} is {shown(there.get(name))} there and {shown(here.get(name))} here"
        for name in dict.fromkeys([*here, *there])
        if name not in _NOT_ASKED and there.get(name) != here.get(name)
    ]
    if other:
        raise StoreError(
            f"{folder} holds another study: {'; '.join(other)}. Ask the same, or choose another "
            "folder"
        )


def _flat(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question with a name for each parameter, so that one that differs can be named."""
    flat: dict[str, Any] = {}
    for name, value in question.items():
        inner = value if isinstance(value, dict) else {"": value}
        flat |= {f"{name} {key}".strip(): one for key, one in inner.items()}
    return flat

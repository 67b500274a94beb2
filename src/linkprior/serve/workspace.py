"""The folder of a server: networks as long as it runs, jobs for as long as anybody wants them."""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linkprior.io.atomic_files import LOCK, hold
from linkprior.serve.jobs import JOB, OVER, Job

OURS = {"networks", "jobs", LOCK}  # what lies in it
_ID = re.compile(r"[0-9a-f]{32}")


class Workplace:
    """A folder that is one server's alone until it is closed, or its process is gone."""

    def __init__(self, folder: Path) -> None:
        self._held = hold(folder, "explorer's folder")
        self.networks, self.jobs = folder / "networks", folder / "jobs"
        for place in (self.networks, self.jobs):
            place.mkdir(mode=0o700, exist_ok=True)
        for left in _ours(self.networks):  # by a server that was killed
            shutil.rmtree(left, ignore_errors=True)

    def kept(self, most: int) -> Iterator[Job]:
        """Yield the jobs of earlier servers, the newest `most`, oldest first."""
        for place in sorted(_ours(self.jobs), key=lambda one: one.stat().st_mtime)[-most:]:
            job = _kept_job(place)
            if job is not None:
                yield job

    def close(self) -> None:
        """Let another server have it."""
        self._held.close()


def new_id() -> str:
    """Return a name nobody can guess, for the address of a network or job and for its folder."""
    return secrets.token_hex(16)


def _ours(folder: Path) -> list[Path]:
    """Return the folders in it that a server made."""
    return [place for place in folder.iterdir() if _ID.fullmatch(place.name)]


def _kept_job(place: Path) -> Job | None:
    """Return what a folder says of its job; None where it is not ours, or was cut off."""
    try:
        facts = json.loads((place / JOB).read_text(encoding="utf-8"))
        title, words, command = (facts[name] for name in ("title", "words", "command"))
        state, error = facts["state"], facts.get("error")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    texts: list[Any] = [title, words, *(command if isinstance(command, list) else [None])]
    if not all(isinstance(text, str) for text in [*texts, "" if error is None else error]):
        return None
    known = state if state in OVER else "stopped"
    return Job(place.name, place, title, words, command, state=known, error=error)

"""Writing a run folder: each part whole as soon as it is known, the manifest first and last."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from linkprior import machine
from linkprior.errors import LinkpriorError, StoreError
from linkprior.io.files import resolved, whole_file
from linkprior.io.kept import refuse_odd
from linkprior.io.locks import Held, hold, is_temporary, sweep
from linkprior.io.store import discard_damaged, refuse_foreign
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.saving import load
from linkprior.runs.manifest import file_digest, read_manifest, write_manifest
from linkprior.runs.models import difference, model_digest
from linkprior.runs.removing import FILES, LOG, MODEL, RANKING, REPORT, remove_run

__all__ = ["LOG", "MODEL", "RANKING", "REPORT", "RunFolder", "check_folder"]


def check_folder(path: str | Path) -> Path:
    """Return the path of a run folder, or refuse one that holds somebody else's files."""
    folder = Path(path)
    resolved(folder)  # a link that leads back to itself is an error
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"-o {path}: is a file; give a new folder for the run")
    if not folder.exists():
        parent = next(p for p in folder.absolute().parents if p.exists())
        if not parent.is_dir():
            raise StoreError(f"-o {path}: {parent} is a file; give a new folder for the run")
        return folder
    others = any(not is_temporary(entry.name) for entry in folder.iterdir())
    if others and read_manifest(folder) is None:
        raise StoreError(f"-o {path}: holds files but no run; give a new or empty folder")
    return folder


class RunFolder:
    """An open run folder. `request` and `input` say what it is the result of.

    One process at a time may hold it, until the run is finished.
    """

    def __init__(
        self, path: Path, facts: Mapping[str, Any], old: Mapping[str, Any] | None, held: Held
    ) -> None:
        self.path, self.facts, self._old, self._held = path, dict(facts), old, held
        self.files: dict[str, str] = {}

    @classmethod
    def open(
        cls, path: Path, request: Mapping[str, Any], source: Mapping[str, Any], **facts: Any
    ) -> RunFolder:
        """Begin a run, or take up the same one again; another run there is refused.

        With `force=True` another run's files are removed first.
        """
        force = facts.pop("force", False)
        check_folder(path)
        path.mkdir(parents=True, exist_ok=True)
        held = hold(path, "run")
        try:
            old = _taken_up(path, request, source, force)
            started = datetime.now(UTC).isoformat(timespec="seconds")
            full = {"request": request, "input": source, "started": started, **facts}
            run = cls(path, full, old, held)
            run._write("incomplete")
        except BaseException:
            held.close()
            raise
        return run

    def fitted(self) -> LinkPredictor | None:
        """Return the model of an earlier, interrupted or finished, run of the same command.

        None where there is none, or another: it is fitted again, and then put there.
        """
        place = self.path / MODEL
        try:
            model = load(place)
        except LinkpriorError:
            discard_damaged(place)
            refuse_foreign(place)  # before a fit whose model could not be kept
            return None
        if self._old is None or self._old.get("versions") != machine.versions():
            return None
        facts = {
            "request": self.facts["request"],
            "network_digest": self.facts["input"].get("network_digest"),
            "model_sha256": self._old.get("model_sha256", model_digest(place)),
        }
        return model if difference(model, place, facts) is None else None

    @contextmanager
    def writing(self, name: str) -> Iterator[TextIO]:
        """Open one file of the folder; it appears whole, and the manifest will vouch for it."""
        with whole_file(self.path / name) as stream:
            yield stream
        self.files[name] = file_digest(self.path / name)

    def write_json(self, name: str, content: Any) -> None:
        """Write one JSON file."""
        with self.writing(name) as stream:
            json.dump(content, stream, indent=1)
            stream.write("\n")

    def log(self, text: str) -> None:
        """Add a line to the log; a log grows, it is the one file that is not written whole."""
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        with (self.path / LOG).open("a", encoding="utf-8", errors="surrogateescape") as stream:
            stream.writelines(f"{now} {line}\n" for line in text.splitlines())

    def finish(self, **facts: Any) -> None:
        """Write the manifest for good: from now on the folder is a whole run."""
        self.facts.update(facts)
        self.facts["model_sha256"] = model_digest(self.path / MODEL)
        self.facts["finished"] = datetime.now(UTC).isoformat(timespec="seconds")
        self._write("complete")
        self.close()

    def close(self) -> None:
        """Let another process have the folder."""
        self._held.close()

    def _write(self, status: str) -> None:
        write_manifest(self.path, {"status": status, **self.facts, "files": self.files})


def _taken_up(
    path: Path, request: Mapping[str, Any], source: Mapping[str, Any], force: bool
) -> Mapping[str, Any] | None:
    """Return the manifest of the same run if it was begun before; refuse or remove another run."""
    sweep(path)
    refuse_odd(path, FILES)
    old = read_manifest(path)
    if old is None or _same(old, request, source):
        return old
    if not force:
        raise StoreError(
            f"-o {path}: holds another run ({_difference(old, request, source)}); give "
            "another folder, or --force to replace it"
        )
    remove_run(path, old)
    return None


def _same(old: Mapping[str, Any], request: Mapping[str, Any], source: Mapping[str, Any]) -> bool:
    plain = json.loads(json.dumps(request))
    return bool(old["request"] == plain and old["input"].get("sha256") == source.get("sha256"))


def _difference(
    old: Mapping[str, Any], request: Mapping[str, Any], source: Mapping[str, Any]
) -> str:
    if old["input"].get("sha256") != source.get("sha256"):
        return f"of another input, {old['input'].get('file')}"
    plain, before = (_flat(asked) for asked in (json.loads(json.dumps(request)), old["request"]))
    changed = [key for key in {**before, **plain} if before.get(key) != plain.get(key)]
    return ", ".join(
        f"{key} was {_said(before.get(key))}, now {_said(plain.get(key))}" for key in changed[:3]
    )


def _flat(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with the parameters of the model among the others."""
    parameters = request.get("parameters")
    return {**request, "parameters": None, **(parameters if isinstance(parameters, dict) else {})}


def _said(value: Any) -> str:
    return "not set" if value is None else str(value)[:40]

"""Writing a run folder: each part whole as soon as it is known, the manifest first and last."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from linkprior import machine
from linkprior.errors import LinkpriorError, StoreError
from linkprior.io.files import whole_file
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.saving import load
from linkprior.runs.manifest import MANIFEST, file_digest, read_manifest, write_manifest

REPORT, LOG, MODEL = "input_report.json", "log.txt", "model"
RANKING = "ranking"


def check_folder(path: str | Path) -> Path:
    """Return the path of a run folder, or refuse one that holds somebody else's files."""
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"-o {path}: is a file; give a new folder for the run")
    if not folder.exists():
        parent = next(p for p in folder.absolute().parents if p.exists())
        if not parent.is_dir():
            raise StoreError(f"-o {path}: {parent} is a file; give a new folder for the run")
        return folder
    if any(folder.iterdir()) and read_manifest(folder) is None:
        raise StoreError(f"-o {path}: holds files but no run; give a new or empty folder")
    return folder


class RunFolder:
    """An open run folder. `request` and `input` say what it is the result of."""

    def __init__(self, path: Path, facts: Mapping[str, Any], old: Mapping[str, Any] | None) -> None:
        self.path, self.facts, self._old = path, dict(facts), old
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
        old = read_manifest(path) if path.exists() else None
        if old is not None and not _same(old, request, source):
            if not force:
                raise StoreError(
                    f"-o {path}: holds another run ({_difference(old, request, source)}); give "
                    "another folder, or --force to replace it"
                )
            _remove(path, old)
            old = None
        path.mkdir(parents=True, exist_ok=True)
        started = datetime.now(UTC).isoformat(timespec="seconds")
        run = cls(path, {"request": request, "input": source, "started": started, **facts}, old)
        run._write("incomplete")
        return run

    def fitted(self) -> LinkPredictor | None:
        """Return the model of an earlier, interrupted or finished, run of the same command."""
        if self._old is None or self._old.get("versions") != machine.versions():
            return None
        try:
            model = load(self.path / MODEL)
        except LinkpriorError:
            return None  # none yet, or damaged: it is fitted again
        known = self.facts["input"].get("network_digest")
        return model if model.network_.digest == known else None

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
        self.facts["finished"] = datetime.now(UTC).isoformat(timespec="seconds")
        self._write("complete")

    def _write(self, status: str) -> None:
        write_manifest(self.path, {"status": status, **self.facts, "files": self.files})


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


def _remove(folder: Path, old: Mapping[str, Any]) -> None:
    """Remove the files of an earlier run, and nothing else."""
    for name in (*old["files"], REPORT, LOG, MANIFEST):
        if Path(name).name == name:  # a manifest is no licence to reach out of its folder
            (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / MODEL, ignore_errors=True)

"""Writing a run folder: each part whole as soon as it is known, the manifest first and last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from linkprior import machine
from linkprior.errors import LinkpriorError, StoreError, visible
from linkprior.io import store
from linkprior.io.atomic_files import resolved, whole_file
from linkprior.io.locks import Held, hold, is_temporary, sweep
from linkprior.io.safe_read import kept_text, refuse_odd
from linkprior.io.store import discard_damaged, refuse_foreign
from linkprior.io.writers import FORMATS
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import load

if TYPE_CHECKING:
    from linkprior.predictors.base import LinkPredictor


__all__ = ["LOG", "MODEL", "RANKING", "REPORT", "STUDY", "RunFolder", "check_folder"]


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
            started = datetime.now(UTC).isoformat(timespec="seconds")
            full = {"request": request, "input": source, "started": started, **facts}
            old = _taken_up(path, full, force)
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
            "tuned": self.facts.get("tuned"),
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

    def note(self, **facts: Any) -> None:
        """Add facts to the manifest of a run that is under way."""
        self.facts.update(facts)
        self._write("incomplete")

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


def _taken_up(path: Path, now: Mapping[str, Any], force: bool) -> Mapping[str, Any] | None:
    """Return the manifest of the same run if it was begun before; refuse or remove another run."""
    sweep(path)
    refuse_odd(path, FILES)
    old = read_manifest(path)
    if old is None:
        return None
    other = _difference(old, now)
    if other is None:
        return old
    if not force:
        raise StoreError(
            f"-o {path}: holds another run ({other}); give another folder, or --force to replace it"
        )
    remove_run(path, old)
    return None


def _difference(old: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """Return in what an earlier run is another one, None where it is the same."""
    if old["input"].get("sha256") != now["input"].get("sha256"):
        return f"of another input, {old['input'].get('file')}"
    request = json.loads(json.dumps(now["request"]))
    if old["request"] != request:
        return _changed(_flat(old["request"]), _flat(request))
    began, here = (_version(facts) for facts in (old, now))
    if "tune" in request and began != here:  # a model is fitted anew, but settings do not compare
        return f"tuned by linkprior {began}, this is {here}"
    return None


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Say in what two requests differ, the first three of it."""
    keys = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    if None in (before["tune"], now["tune"]):  # no search at all is one difference
        keys = [key for key in keys if not key.startswith("tune ")]
    return ", ".join(
        f"{key} was {_said(before.get(key))}, now {_said(now.get(key))}" for key in keys[:3]
    )


def _flat(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with the parameters of the model, and what is tuned, among the others."""
    parameters, tune = (
        found if isinstance(found := request.get(name), dict) else {}
        for name in ("parameters", "tune")
    )
    search = {f"tune {name}": value for name, value in tune.items() if name != "trials"}
    return {**request, "parameters": None, "tune": tune.get("trials"), **parameters, **search}


def _version(facts: Mapping[str, Any]) -> Any:
    versions = facts.get("versions")
    return versions.get("linkprior") if isinstance(versions, dict) else None


def _said(value: Any) -> str:
    return "not set" if value is None else str(value)[:40]


MANIFEST = "manifest.json"
FORMAT = "linkprior-run"
FORMAT_VERSION = 1
SCHEMA = Path(__file__).with_name("manifest.schema.json")

Manifest = dict[str, Any]


def read_manifest(folder: Path) -> Manifest | None:
    """Return a folder's manifest, None where there is none; refuse a damaged or foreign one."""
    path = folder / MANIFEST
    try:
        content = json.loads(kept_text(path))
    except FileNotFoundError:
        return None
    except StoreError:
        raise
    except (OSError, ValueError, RecursionError) as problem:
        raise StoreError(f"{path} cannot be read: {problem}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise StoreError(f"{path} is not the manifest of a linkprior run")
    if content.get("format_version") != FORMAT_VERSION:
        raise StoreError(
            f"{folder} has run format {content.get('format_version')!r}, this linkprior reads "
            f"{FORMAT_VERSION}: use the version that wrote it, or run again into a new folder"
        )
    kinds = {"status": str, "request": dict, "input": dict, "files": dict}
    missing = [key for key, kind in kinds.items() if not isinstance(content.get(key), kind)]
    if missing:
        raise StoreError(f"{path} lacks {', '.join(missing)}: run again into a new folder")
    return content


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the manifest whole."""
    with whole_file(folder / MANIFEST) as stream:
        full = {"format": FORMAT, "format_version": FORMAT_VERSION, **content}
        json.dump(full, stream, indent=1)  # in ASCII: a path may hold any byte
        stream.write("\n")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


REPORT, LOG, MODEL = "input_report.json", "log.txt", "model"
STUDY = "study"  # what a run that was tuned tried
RANKING = "ranking"
FILES = (*(f"{RANKING}.{format}" for format in FORMATS), REPORT, LOG)


def remove_run(folder: Path, old: Mapping[str, Any]) -> None:
    """Remove the files of an earlier run, and nothing else; refuse where that cannot be.

    Its manifest stays until it is replaced: without it nobody could tell that the folder is ours.
    """
    from linkprior.evaluation.tuning import study

    tuned = "tune" in old["request"]  # else a study there is somebody's own
    _refuse_others(folder / MODEL, store.others_in(folder / MODEL))
    if tuned:
        _refuse_others(folder / STUDY, study.others_in(folder / STUDY))
    write_manifest(folder, {**old, "status": "incomplete"})
    for name in _names(old):
        (folder / name).unlink(missing_ok=True)
    store.remove_model(folder / MODEL)
    if tuned:
        study.remove_study(folder / STUDY)


def _names(old: Mapping[str, Any]) -> list[str]:
    """Return the files of a run, by the names we give alone: anybody may write a manifest."""
    asked = str(old["request"].get("format")).lower()  # a run cut off has not listed its files yet
    rankings = {format: f"{RANKING}.{format}" for format in FORMATS}
    ours = [n for f, n in rankings.items() if f in ("tsv", asked) or n in old["files"]]
    return [*ours, REPORT, LOG]


def _refuse_others(place: Path, others: Collection[str]) -> None:
    """Raise an error where a folder of the run is a link, or holds something of others."""
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        raise StoreError(
            f"-o {place.parent}: {place.name} there is no folder of ours; remove it, or give "
            "another folder"
        )
    if others:
        raise StoreError(
            f"-o {place.parent}: {place.name} there holds {visible(min(others))}, which is not of "
            "the run; move it elsewhere, or give another folder"
        )


def model_digest(place: Path) -> str:
    """Return the SHA-256 of a model's manifest, which has that of its arrays."""
    return file_digest(place / MANIFEST)


def difference(model: LinkPredictor, place: Path, facts: Mapping[str, Any]) -> str | None:
    """Return in what the model saved at a place is not that of a run, None where it is.

    `facts` is the run's manifest; what it does not tell (earlier ones have no `model_sha256`) is
    taken to be so.
    """
    name, params = type(model).name, _plain(model.get_params())
    request, digest = facts["request"], model.network_.digest
    if request.get("model", name) != name:
        return f"it is {name}"
    if "parameters" in request and _asked(facts) != params:
        return "it has other parameters"
    if facts.get("network_digest", digest) != digest:
        return "it is of another network"
    if "model_sha256" in facts and facts["model_sha256"] != model_digest(place):
        return "it was saved there later"
    return None


def _asked(facts: Mapping[str, Any]) -> Any:
    """Return the parameters the model of a run has: those of the request, and what tuning chose."""
    tuned = facts.get("tuned")
    chosen = tuned.get("best_params") if isinstance(tuned, Mapping) else None
    parameters = _plain(facts["request"]["parameters"])
    if isinstance(chosen, Mapping) and isinstance(parameters, dict):
        parameters = {**parameters, **_plain(chosen)}
    return parameters


def _plain(params: Any) -> Any:
    """Return parameters as a file holds them."""
    return json.loads(json.dumps(params, default=lambda array: array.tolist()))

"""Run folders: each part written whole as soon as it is known, the manifest first and last."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from linkprior import machine
from linkprior.errors import LinkpriorError, StoreError, visible
from linkprior.io import store
from linkprior.io.atomic_files import hold, is_temporary, resolved, sweep, whole_file
from linkprior.io.source import as_path
from linkprior.io.store import discard_damaged, refuse_foreign, refuse_odd, stored_text
from linkprior.io.writers import FORMATS
from linkprior.network import Network
from linkprior.pipeline.outputs import MODEL, check_place, refuse_inputs_in, writing_to
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.registry import load, renamed
from linkprior.ranking.ranking import Ranking

MANIFEST, REPORT, LOG = "manifest.json", "input_report.json", "log.txt"
RANKING = "ranking"
STUDY = "study"  # the settings that a run with tuning tried
FILES = (*(f"{RANKING}.{format}" for format in FORMATS), REPORT, LOG)
FORMAT, FORMAT_VERSION = "linkprior-run", 1
SCHEMA = Path(__file__).with_name("manifest.schema.json")

# Evidence that is a number; all else is text, whatever it looks like.
_COUNTS = ("degree_source", "degree_target", "rank_by_degree", "paths2", "paths3")
_PROBABILITIES = ("probability", "probability_low", "probability_high", "expected_hits_cumulative")
_SHARES = ("prior_share", "spread", *_PROBABILITIES)
_KINDS = dict[str, type](dict.fromkeys(_COUNTS, np.int64) | dict.fromkeys(_SHARES, np.float64))

Manifest = dict[str, Any]


def check_run_folder(path: str | Path, inputs: Collection[str | None] = ()) -> Path:
    """Return the path of a run folder; refuse one that holds somebody else's files or an input."""
    folder = Path(path)
    resolved(folder)  # a link that leads back to itself is an error
    check_place(f"-o {path}", folder)
    if folder.is_dir():
        earlier = read_manifest(folder)
        if earlier is None and any(not is_temporary(entry.name) for entry in folder.iterdir()):
            raise StoreError(f"-o {path}: holds files but no run; give a new or empty folder")
        ours = {MANIFEST, REPORT, LOG, MODEL, *(earlier or {"files": {}})["files"]}
        replaced = [
            p for p in folder.iterdir() if p.name in ours or p.name.startswith(f"{RANKING}.")
        ]
        refuse_inputs_in(f"-o {path}", replaced, inputs)
    return folder


class RunFolder:
    """A run folder in which a run is begun, or the same one continued; another run is refused.

    `request` and `source` say what it is the result of. With `force` another run's files are
    removed first. One process at a time may hold it, until the run is finished.
    """

    def __init__(
        self,
        path: Path,
        request: Mapping[str, Any],
        source: Mapping[str, Any],
        force: bool = False,
        **facts: Any,
    ) -> None:
        self.path, self.files = path, dict[str, str]()
        with writing_to(path):
            check_run_folder(path)
            path.mkdir(parents=True, exist_ok=True)
            self._held = hold(path, "run")
            try:
                started = datetime.now(UTC).isoformat(timespec="seconds")
                self.facts = {"request": request, "input": source, "started": started, **facts}
                self._old = _same_run(path, self.facts, force)
                self._write("incomplete")
            except BaseException:
                self.close()
                raise

    def fitted(self) -> LinkPredictor | None:
        """Return the model of an earlier, interrupted or finished, run of the same command.

        None where there is none, or another: it is fitted again, and then saved there.
        """
        folder = self.path / MODEL
        try:
            model = load(folder)
        except LinkpriorError:
            discard_damaged(folder)
            refuse_foreign(folder)  # before a fit whose model could not be saved
            return None
        if self._old is None or self._old.get("versions") != machine.versions():
            return None
        facts = {
            "request": self.facts["request"],
            "tuned": self.facts.get("tuned"),
            "network_digest": self.facts["input"].get("network_digest"),
            "model_sha256": self._old.get("model_sha256", file_digest(folder / MANIFEST)),
        }
        return model if difference(model, folder, facts) is None else None

    def save_model(self, model: LinkPredictor) -> None:
        with writing_to(self.path / MODEL):
            model.save(self.path / MODEL)

    @contextmanager
    def writing(self, name: str) -> Iterator[TextIO]:
        """Open one file of the folder; it appears whole, with its checksum in the manifest."""
        with writing_to(self.path / name):
            with whole_file(self.path / name) as stream:
                yield stream
            self.files[name] = file_digest(self.path / name)

    def write_json(self, name: str, content: Any) -> None:
        with self.writing(name) as stream:
            json.dump(content, stream, indent=1)
            stream.write("\n")

    def log(self, text: str) -> None:
        """Add a line to the log; a log grows, it is the one file that is not written whole."""
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        file = self.path / LOG
        with (
            writing_to(self.path),
            file.open("a", encoding="utf-8", errors="surrogateescape") as stream,
        ):
            stream.writelines(f"{now} {line}\n" for line in text.splitlines())

    def note(self, **facts: Any) -> None:
        """Add facts to the manifest of a run that is under way."""
        self.facts.update(facts)
        self._write("incomplete")

    def finish(self, **facts: Any) -> None:
        """Write the last manifest: from now on the folder is a whole run."""
        self.facts.update(facts)
        with writing_to(self.path):
            self.facts["model_sha256"] = file_digest(self.path / MODEL / MANIFEST)
        self.facts["finished"] = datetime.now(UTC).isoformat(timespec="seconds")
        self._write("complete")
        self.close()

    def saved(self) -> str:
        """Return what an interruption would leave here."""
        resumes = "the same command resumes from there"
        if (self.path / MODEL).exists():
            return f"{self.path}/ holds the fitted model; {resumes}"
        if "tuned" in self.facts:
            return f"{self.path}/ holds what tuning found, no model yet; {resumes}"
        return f"{self.path}/ holds the input report, no model yet; the same command starts again"

    def close(self) -> None:
        """Let another process have the folder."""
        self._held.close()

    def _write(self, status: str) -> None:
        with writing_to(self.path):
            write_manifest(self.path, {"status": status, **self.facts, "files": self.files})


# ---------------------------------------------------------------------- manifests


def read_manifest(folder: Path) -> Manifest | None:
    """Return a folder's manifest, None where there is none; refuse a damaged or foreign one."""
    path = folder / MANIFEST
    try:
        content = json.loads(stored_text(path))
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
    request = content["request"]
    if isinstance(request.get("parameters"), dict) and isinstance(request.get("model"), str):
        with suppress(LinkpriorError):  # of a package that is not here
            request["parameters"] = renamed(request["model"], request["parameters"])
    return content


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    with whole_file(folder / MANIFEST) as stream:
        full = {"format": FORMAT, "format_version": FORMAT_VERSION, **content}
        json.dump(full, stream, indent=1)  # in ASCII: a path may hold any byte
        stream.write("\n")


def file_digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


# ---------------------------------------------------------------------- the same run, or another


def _same_run(path: Path, now: Mapping[str, Any], force: bool) -> Manifest | None:
    """Return the manifest of the same run if it was begun before; refuse or remove another run."""
    sweep(path)
    refuse_odd(path, FILES)
    old = read_manifest(path)
    other = None if old is None else _other_run(old, now)
    if old is None or other is None:
        return old
    if not force:
        raise StoreError(
            f"-o {path}: holds another run ({other}); give another folder, or --force to replace it"
        )
    _remove_run(path, old)
    return None


def _other_run(old: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """Return in what an earlier run differs, None where it is the same; three settings at most."""
    if old["input"].get("sha256") != now["input"].get("sha256"):
        return f"of another input, {old['input'].get('file')}"
    request = json.loads(json.dumps(now["request"]))
    if old["request"] != request:
        before, after = _flat(old["request"]), _flat(request)
        keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        if None in (before["tune"], after["tune"]):  # no search at all is one difference
            keys = [key for key in keys if not key.startswith("tune ")]
        return ", ".join(
            f"{key} was {_shown(before.get(key))}, now {_shown(after.get(key))}" for key in keys[:3]
        )
    versions, here = old.get("versions"), machine.versions()["linkprior"]
    began = versions.get("linkprior") if isinstance(versions, dict) else None
    if "tune" in request and began != here:  # a model is fitted again, but settings do not compare
        return f"tuned by linkprior {began}, this is {here}"
    return None


def _flat(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with the parameters of the model, and what is tuned, among the others."""
    parameters, tune = (
        value if isinstance(value := request.get(name), dict) else {}
        for name in ("parameters", "tune")
    )
    search = {f"tune {name}": value for name, value in tune.items() if name != "trials"}
    return {**request, "parameters": None, "tune": tune.get("trials"), **parameters, **search}


def _shown(value: Any) -> str:
    return "not set" if value is None else str(value)[:40]


def _remove_run(folder: Path, old: Mapping[str, Any]) -> None:
    """Remove the files of an earlier run, and nothing else; its manifest stays: it says whose."""
    from linkprior.evaluation.tuning import study

    tuned = "tune" in old["request"]  # else a study there is somebody else's
    _refuse_others(folder / MODEL, store.others_in(folder / MODEL))
    if tuned:
        _refuse_others(folder / STUDY, study.others_in(folder / STUDY))
    write_manifest(folder, {**old, "status": "incomplete"})
    # By the names we give alone: anybody may write a manifest. A run cut off lists no files yet.
    asked = str(old["request"].get("format")).lower()
    rankings = {format: f"{RANKING}.{format}" for format in FORMATS}
    ours = [n for f, n in rankings.items() if f in ("tsv", asked) or n in old["files"]]
    for name in (*ours, REPORT, LOG):
        (folder / name).unlink(missing_ok=True)
    store.remove_model(folder / MODEL)
    if tuned:
        study.remove_study(folder / STUDY)


def _refuse_others(folder: Path, others: Collection[str]) -> None:
    """Raise an error where a folder of the run is a link, or holds files of others."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise StoreError(
            f"-o {folder.parent}: {folder.name} there was not created by linkprior; remove it, "
            "or give another folder"
        )
    if others:
        raise StoreError(
            f"-o {folder.parent}: {folder.name} there holds {visible(min(others))}, which is not "
            "part of the run; move it elsewhere, or give another folder"
        )


def difference(model: LinkPredictor, folder: Path, facts: Mapping[str, Any]) -> str | None:
    """Return in what a saved model is not that of a run; older manifests (`facts`) hold less."""
    name, params = type(model).name, _as_json(model.get_params())
    request, digest = facts["request"], model.network_.digest
    if request.get("model", name) != name:
        return f"it is {name}"
    if "parameters" in request:
        asked, tuned = _as_json(request["parameters"]), facts.get("tuned")
        chosen = tuned.get("best_params") if isinstance(tuned, Mapping) else None
        if isinstance(chosen, Mapping) and isinstance(asked, dict):
            asked = {**asked, **_as_json(chosen)}
        if asked != params:
            return "it has other parameters"
    if facts.get("network_digest", digest) != digest:
        return "it is of another network"
    if "model_sha256" in facts and facts["model_sha256"] != file_digest(folder / MANIFEST):
        return "it was saved there later"
    return None


def _as_json(params: Any) -> Any:
    return json.loads(json.dumps(params, default=lambda array: array.tolist()))


# ---------------------------------------------------------------------- reading it back


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run, as `load_run` reads it.

    Attributes
    ----------
    folder
        Where it is stored.
    ranking
        The predicted links, best first, with their evidence.
    model
        The fitted model, ready to score other pairs.
    input_report
        What was read: file, format, counts and warnings.
    manifest
        Command, parameters, versions, seconds and checksums.
    log
        The messages of the command, one per line, with their times.
    """

    folder: Path
    ranking: Ranking
    model: LinkPredictor
    input_report: dict[str, Any]
    manifest: Manifest
    log: str

    @property
    def network(self) -> Network:
        """The network the model was fitted on."""
        return self.model.network_

    @property
    def tuned(self) -> dict[str, Any] | None:
        """What tuning chose: best_params, best_value, default_value; None without tuning."""
        tuned = self.manifest.get("tuned")
        return tuned if isinstance(tuned, dict) else None

    @property
    def study(self) -> Path | None:
        """The folder of every setting that was tried; None where there is none."""
        folder = self.folder / STUDY
        return folder if self.tuned is not None and folder.is_dir() else None

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}: {type(self.model).name}, {len(self.ranking)} links)"


def load_run(folder: str | Path) -> Run:
    """Read a run folder; one that is incomplete, damaged or of another version is refused.

    Parameters
    ----------
    folder
        What ``linkprior predict EDGES -o DIR/`` or ``predict_links(…, output="DIR/")`` wrote.

    Returns
    -------
    Run
        Its `ranking`, fitted `model`, `network`, `input_report`, `manifest` and `log`.

    Examples
    --------
    >>> import tempfile, linkprior as lp
    >>> folder = tempfile.mkdtemp()
    >>> with open(f"{folder}/edges.tsv", "w") as file:
    ...     _ = file.write("a\\tb\\nb\\tc\\nc\\td\\nd\\te\\n")
    >>> table = lp.predict_links(f"{folder}/edges.tsv", 2, "l3", output=f"{folder}/run/")
    >>> run = lp.load_run(f"{folder}/run")
    >>> run.ranking.names
    [('a', 'd'), ('b', 'e')]
    >>> run.network.n_edges, run.manifest["status"]
    (4, 'complete')
    """
    path = as_path(folder)
    if not path.is_dir():
        raise StoreError(
            f"{folder} is not a folder; expected what `linkprior predict -o DIR/` wrote"
        )
    manifest = read_manifest(path)
    if manifest is None:
        raise StoreError(f"{folder} is not a run folder: it has no manifest.json")
    if manifest["status"] != "complete":
        raise StoreError(f"{folder} is an unfinished run: the same command completes it")
    needed = dict.fromkeys((f"{RANKING}.tsv", REPORT))
    for name, digest in {**needed, **manifest["files"]}.items():
        if Path(name).name != name or not os.path.isfile(path / name):
            lacks = f"{folder} lacks {visible(name)}"
            raise StoreError(f"{lacks}: the same command writes it again")
        if file_digest(path / name) != digest:
            changed = visible(str(path / name))
            raise StoreError(f"{changed} was changed after the run: its checksum differs")
    model = load(path / MODEL)
    other = difference(model, path / MODEL, manifest)
    if other is not None:
        raise StoreError(
            f"{path / MODEL} is not the model of this run ({other}): the same command fits it again"
        )
    with _refusing(path / f"{RANKING}.tsv", "the table of a ranking"):
        ranking = _read_ranking(path / f"{RANKING}.tsv", model.network_)
    with _refusing(path / REPORT, "an input report"):
        report = dict(json.loads(stored_text(path / REPORT)))
    log = stored_text(path / LOG, "surrogateescape") if (path / LOG).exists() else ""
    return Run(path, ranking, model, report, manifest, log)


@contextmanager
def _refusing(path: Path, expected: str) -> Iterator[None]:
    """Refuse a file that is not what it should be, though its checksum is right."""
    try:
        yield
    except (LinkpriorError, ValueError, LookupError, TypeError, RecursionError, csv.Error) as why:
        raise StoreError(f"{path} is not {expected}: {why}") from None


def _read_ranking(path: Path, network: Network) -> Ranking:
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as stream:
        header, *rows = csv.reader(stream, delimiter="\t")
    cells = zip(*rows, strict=True) if rows else [()] * len(header)
    columns = dict(zip(header, cells, strict=True))
    ends = zip(columns["source"], columns["target"], strict=True)
    indices = [(network.index_of(a), network.index_of(b)) for a, b in ends]
    pairs = np.array(indices, dtype=np.int64).reshape(-1, 2)
    evidence: dict[str, NDArray[Any]] = {
        name: np.array(columns[name], dtype=_KINDS.get(name, object)) for name in header[4:]
    }
    return Ranking(pairs, np.array(columns["score"], np.float64), network.names, evidence)

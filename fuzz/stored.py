"""Targets: what linkprior saves and reads again; checksums vouch for what was changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from safetensors.numpy import load as load_arrays

import linkprior as lp
from fuzz.harness import WATCH, Attempt, Target, choice, edited, expect, put
from fuzz.readers import array_bytes
from linkprior.errors import LinkpriorError, StoreError
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.results import read_results, write_results
from linkprior.evaluation.splits import read_split, write_split
from linkprior.evaluation.store import Cell, CellStore, cell_file, read_cells
from linkprior.io import store
from linkprior.io.datasets import read_catalogue
from linkprior.pipeline.run_folder import RunFolder, file_digest, load_run, read_manifest
from linkprior.predictors.evidence import with_evidence
from linkprior.predictors.registry import load
from linkprior.predictors.saving import network_from
from linkprior.report.evaluation import read_study

Whole = dict[str, Any]
_DIGEST = "0" * 64
_KINDS = {"float64": "F64", "float32": "F32", "int64": "I64", "int32": "I32", "bool": "BOOL"}
_BRIEF = {"n_starts": 1, "max_iter": 2, "seed": 0}
MODELS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("pa", {}),
    ("tri-degree", {**_BRIEF, "warmup": 1, "rank": 2}),
    ("degree:l3", {}),
    ("pu", {**_BRIEF, "rank": 2}),
)


_EDGES = [(i, (i + step) % 9) for i in range(9) for step in (1, 3)]
SMALL = lp.Network.from_edges([(f"n{i}", f"n{j}") for i, j in _EDGES])


def _json(path: Path, content: Any) -> None:
    put(path, json.dumps(content).encode())


def _part(changed: Any, name: str) -> Any:
    return changed.get(name) if isinstance(changed, dict) else changed


def _loads(
    write: Callable[[bytes], object], load: Callable[[], Any], holds: Callable[[Any], object]
) -> Attempt:
    """Return what writes an input in its place, loads it, and looks at what was loaded."""

    def attempt(data: bytes) -> None:
        write(data)
        with WATCH.reading():
            loaded = load()
        expect(holds(loaded), "loaded, and not what it should be")

    return attempt


def _json_files(whole: Whole, folder: Path) -> Callable[[bytes], None]:
    """Return what writes changes of several JSON files."""

    def write(data: bytes) -> None:
        changed = edited(whole, data)
        for name in whole:
            _json(folder / f"{name}.json", _part(changed, name))

    return write


def whole_model(folder: Path, name: str, params: Mapping[str, Any]) -> Whole:
    """Return a saved model as one thing to be edited."""
    lp.make(name, **params).fit(SMALL).save(folder)
    manifest, arrays = store.read_model(folder)
    manifest["linkprior"] = "0"
    described = {
        key: {
            "dtype": _KINDS.get(str(array.dtype), str(array.dtype)),
            **{"shape": list(array.shape), "values": array.ravel().tolist()},
        }
        for key, array in sorted(arrays.items())
    }
    return {"manifest": manifest, "arrays": described, "sealed": True}


_SIZES = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "BOOL": "|b1"},
    **{"U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "I16": "<i2", "I8": "|i1"},
    **{"BF16": "<i2", "F8_E4M3": "|i1", "F8_E5M2": "|i1", "F8_E8M0": "|u1", "C64": "<c8"},
}


def tensors(arrays: Any) -> bytes:
    """Return arrays as safetensors would hold them, whether or not they agree with themselves."""
    header: Whole = {}
    data = b""
    for name, given in arrays.items() if isinstance(arrays, dict) else ():
        described = given if isinstance(given, dict) else {"values": given}
        kind = described.get("dtype")
        content = array_bytes(_SIZES.get(str(kind), "<f8"), described.get("values", []))
        header[name] = {
            **{"dtype": kind, "shape": described.get("shape")},
            "data_offsets": described.get("data_offsets", [len(data), len(data) + len(content)]),
        }
        data += content
    text = json.dumps(header).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    return struct.pack("<Q", len(text)) + text + data


def write_model(folder: Path, whole: Any) -> None:
    """Write a model folder; where it is sealed, every checksum fits."""
    manifest, data = _part(whole, "manifest"), tensors(_part(whole, "arrays"))
    if isinstance(manifest, dict) and _part(whole, "sealed"):
        manifest["arrays_sha256"] = hashlib.sha256(data).hexdigest()
        with contextlib.suppress(Exception):  # what is no network has no digest: the loader says so
            net = network_from(load_arrays(data), manifest["network"]["names"])
            manifest["network"]["digest"] = net.digest
        manifest.pop("manifest_sha256", None)
        manifest["manifest_sha256"] = store._digest(manifest)
    _json(folder / store.MANIFEST, manifest)
    put(folder / store.ARRAYS, data)


def _model(folder: Path) -> Attempt:
    wholes = [whole_model(folder / f"base{at}", *one) for at, one in enumerate(MODELS)]
    place = folder / "model"
    place.mkdir(exist_ok=True)

    def write(data: bytes) -> None:
        whole, text = choice(data, wholes)
        write_model(place, edited(whole, text))

    return _loads(write, lambda: load(place), lambda model: model.network_.n_nodes >= 2)


def _model_raw(folder: Path) -> Attempt:
    """Try bytes as the manifest (first character 0) or as the arrays (1), the other being whole."""
    model = lp.make("pa")
    model._remember(SMALL, model._fit(SMALL))  # in no order of names, as the corpus has it
    model.save(folder / "model")
    place = folder / "model"
    manifest, _ = store.read_model(place)
    arrays = (place / store.ARRAYS).read_bytes()

    def write(data: bytes) -> None:
        what, content = choice(data, (0, 1))
        put(place / store.ARRAYS, content if what else arrays)
        facts = {**manifest, "arrays_sha256": hashlib.sha256(content).hexdigest()}
        sealed = {**facts, "manifest_sha256": store._digest(facts)}
        put(place / store.MANIFEST, json.dumps(sealed).encode() if what else content)

    return _loads(write, lambda: load(place), lambda model: model)


# ---------------------------------------------------------------------- runs


def whole_run(folder: Path) -> Path:
    """Write a finished run as the command does; return its folder."""
    net = SMALL
    model = lp.make("pa").fit(net)
    run = RunFolder(folder, {"model": "pa"}, {"file": "e.tsv", "sha256": ""})
    run.write_json("input_report.json", {"file": "e.tsv", "nodes": net.n_nodes, "notes": []})
    model.save(folder / "model")
    with run.writing("ranking.tsv") as stream:
        with_evidence(model, model.predict_edges(4)).write(stream)
    run.finish()
    return folder


PARTS = ("manifest.json", "ranking.tsv", "input_report.json")


def _run_raw(folder: Path) -> Attempt:
    """Try bytes as one file of a run; the manifest vouches for the others."""
    place = whole_run(folder / "run")
    before = {name: (place / name).read_bytes() for name in PARTS}

    def write(data: bytes) -> None:
        name, content = choice(data, PARTS)
        for other in PARTS:
            put(place / other, content if other == name else before[other])
        if name != PARTS[0]:
            facts = json.loads(before[PARTS[0]])
            facts["files"][name] = file_digest(place / name)
            _json(place / PARTS[0], facts)

    return _loads_run(write, place)


def _loads_run(write: Callable[[bytes], object], place: Path) -> Attempt:
    def load_both() -> Any:
        with contextlib.suppress(LinkpriorError):
            expect(isinstance(read_manifest(place), dict), "no manifest")
        return load_run(place).ranking

    return _loads(write, load_both, lambda ranking: len(ranking.pairs) == len(ranking.scores))


def _run(folder: Path) -> Attempt:
    """Try changes of the manifest, the input report and the ranking, all vouched for."""
    place = whole_run(folder / "run")
    texts = [(place / name).read_text(encoding="utf-8") for name in PARTS]
    whole = {
        **{"manifest": json.loads(texts[0]), "report": json.loads(texts[2]), "sealed": True},
        "ranking": [row.split("\t") for row in texts[1].splitlines()],
    }

    def write(data: bytes) -> None:
        changed = edited(whole, data)
        manifest, rows = _part(changed, "manifest"), _part(changed, "ranking")
        _json(place / PARTS[2], _part(changed, "report"))
        table = rows if isinstance(rows, list) else [rows]
        text = "\n".join("\t".join(map(str, r)) if isinstance(r, list) else str(r) for r in table)
        put(place / PARTS[1], text.encode("utf-8", "surrogatepass"))
        files: Any = manifest.get("files") if isinstance(manifest, dict) else None
        if isinstance(files, dict) and _part(changed, "sealed"):
            files |= {name: file_digest(place / name) for name in PARTS[1:] if name in files}
        _json(place / PARTS[0], manifest)

    return _loads_run(write, place)


# ---------------------------------------------------------------------- evaluations, splits

SPLIT = Plan("uniform:0.8", "all-nodes", 1).make(SMALL)[0]


def _evaluation(folder: Path) -> Attempt:
    write_results(lp.evaluate(["pa", "cn"], SMALL, "uniform:0.8", "all-nodes"), folder)
    parts = {part: folder / f"{part}.json" for part in ("results", "curves")}
    whole = {part: json.loads(path.read_text("utf-8")) for part, path in parts.items()}
    return _loads(
        _json_files(whole, folder),
        lambda: read_results(folder),
        lambda results: all(isinstance(cell, Cell) for cell in results.cells),
    )


def _cell(folder: Path) -> Attempt:
    """Try changes of a finished cell; one that was made otherwise would be made anew."""
    net, split = SMALL, SPLIT
    with CellStore(folder / "evaluation", net, {}) as cells:
        finished = lp.evaluate(["pa"], net, "uniform:0.8", "all-nodes").cells[0]
        cells.save(finished, split, {})
    path = cell_file(folder / "evaluation", "pa", split)
    whole = json.loads(path.read_text(encoding="utf-8"))

    def again() -> Cell:
        cell = cells.find("pa", split, {})
        if cell is None:
            raise StoreError("made anew")
        return cell

    return _loads(
        lambda data: _json(path, edited(whole, data)), again, lambda cell: isinstance(cell, Cell)
    )


def _split_file(folder: Path) -> Attempt:
    """Try the rows of a split below a good first line (first character 0), or a whole file."""
    net, path = SMALL, folder / "split.tsv"
    write_split(SPLIT, net, path)
    first = path.read_bytes().split(b"\n")[0] + b"\n"

    def write(data: bytes) -> None:
        bare, content = choice(data, (False, True))
        put(path, content if bare else first + content)

    return _loads(write, lambda: read_split(path, net), lambda split: len(split.hidden))


# ---------------------------------------------------------------------- studies

_SPACE = {
    "name": "FloatDistribution",
    "attributes": {"step": None, "low": 0.0, "high": 1.0, "log": False},
}
_QUESTION = {
    **{"kind": "tuning", "network": _DIGEST, "model": "lrw", "metric": "auprc"},
    **{"params": {"steps": 3}, "searched": {"steps": [1, 6]}, "optuna": "0", "cautious": False},
}


def _journal() -> list[Whole]:
    """Return the steps of a journal: two settings, one whole and one given up."""
    who = {"worker_id": "w"}
    start: list[Whole] = [{"op_code": 0, **who, "study_name": "linkprior", "directions": [2]}]
    for number, state in ((0, 1), (1, 3)):
        noted = {"setting": number, "params": {"steps": 3 + number}}
        when = "2024-01-01T00:00:00.000000"
        start += [
            {
                **{"op_code": 4, **who, "study_id": 0, "datetime_start": when, "state": 0},
                **{"distributions": {"steps": json.dumps(_SPACE)}, "params": {"steps": 0.5}},
                **{"user_attrs": noted, "system_attrs": {}, "intermediate_values": {}},
            },
            {"op_code": 8, **who, "trial_id": number, "user_attr": {"scores": [0.5, None]}},
            {"op_code": 8, **who, "trial_id": number, "user_attr": {"note": ""}},
            {
                **{"op_code": 6, **who, "trial_id": number, "state": state},
                **{"values": [0.5] if state == 1 else None, "datetime_complete": when},
            },
        ]
    return start


def _study(folder: Path) -> Attempt:
    whole = {"question": _QUESTION, "journal": _journal()}

    def write(data: bytes) -> None:
        changed = edited(whole, data)
        steps = _part(changed, "journal")
        lines = [json.dumps(step) for step in steps] if isinstance(steps, list) else [str(steps)]
        _json(folder / "study.json", _part(changed, "question"))
        put(folder / "journal.log", ("\n".join(lines) + "\n").encode("utf-8", "replace"))

    return _loads(write, lambda: read_study(folder), lambda study: study.trials)


# ---------------------------------------------------------------------- benchmarks, catalogue


def _benchmark_cell(model: str) -> Whole:
    return {
        **{"network": "karate", "protocol": "uniform:0.9", "rule": "connected", "split": 0},
        **{"model": model, "params": {}, "trials": 0, "data": _DIGEST, "digest": _DIGEST},
        **{"hidden": 3, "linkprior": "0", "nodes": 34, "edges": 78},
        "values": {"auprc": 0.25, "p@100": 0.5, "seconds": 0.1, "peak_mb": 9.0, "ndcg": None},
    }


def _benchmark(folder: Path) -> Attempt:
    left_out = {**_benchmark_cell("spm"), "left_out": {"kind": "failed", "why": "too slow"}}
    left_out.pop("values")
    whole = {"0-pa": _benchmark_cell("pa"), "0-cn": _benchmark_cell("cn"), "0-spm": left_out}
    (folder / "karate").mkdir(exist_ok=True)
    return _loads(
        _json_files(whole, folder / "karate"),
        lambda: read_cells(folder),
        lambda cells: all(isinstance(cell, dict) for cell in cells),
    )


_CATALOGUE = {
    "format": 1,
    "networks": [
        {
            **{"name": "karate", "title": "Karate", "file": "a/karate.tsv", "url": None},
            **{"address": None, "sha256": _DIGEST, "bytes": 10, "nodes": 34, "edges": 78},
            **{"licence": "CC0", "source": "a book"},
        }
    ],
}


def _catalogue(folder: Path) -> Attempt:
    path = folder / "catalogue.json"

    def stay_inside(catalogue: Any) -> bool:
        return all(".." not in entry.plain_file.split("/") for entry in catalogue.values())

    return _loads(
        lambda data: _json(path, edited(_CATALOGUE, data)),
        lambda: read_catalogue(path),
        stay_inside,
    )


TARGETS = {
    "model": Target("a saved model, changed and sealed again", _model),
    "model-raw": Target("bytes of a model's files", _model_raw),
    "run": Target("a run folder, changed and sealed again", _run),
    "run-raw": Target("bytes of a run's manifest, ranking and report", _run_raw),
    "evaluation": Target("results.json and curves.json of an evaluation", _evaluation),
    "cell": Target("a finished cell of an evaluation", _cell),
    "study": Target("study.json and journal of a study", _study),
    "benchmark": Target("cells of a benchmark", _benchmark),
    "split": Target("a split written by evaluate", _split_file),
    "catalogue": Target("a catalogue of networks", _catalogue),
}

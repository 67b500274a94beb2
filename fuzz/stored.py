"""Targets: saved models and run folders, with checksums that vouch for what was changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import linkprior as lp
from fuzz.edits import edited, one_each
from fuzz.packings import array_bytes
from fuzz.readers import choice, put
from fuzz.target import Target
from fuzz.verdict import WATCH, Attempt, expect
from linkprior.errors import LinkpriorError
from linkprior.io import store
from linkprior.pipeline.load_run import load_run
from linkprior.pipeline.run_folder import RunFolder, file_digest, read_manifest
from linkprior.predictors.evidence import with_evidence
from linkprior.predictors.registry import load
from linkprior.predictors.saving import network_from

Whole = dict[str, Any]
_KINDS = {"float64": "F64", "float32": "F32", "int64": "I64", "int32": "I32", "bool": "BOOL"}
_BRIEF = {"n_starts": 1, "max_iter": 2, "seed": 0}
MODELS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("pa", {}),
    ("tri-degree", {**_BRIEF, "warmup": 1, "rank": 2}),
    ("degree:l3", {}),
    ("pu", {**_BRIEF, "rank": 2}),
)


def small_network() -> lp.Network:
    """Return a network of few nodes."""
    pairs = [(i, (i + step) % 9) for i in range(9) for step in (1, 3)]
    return lp.Network.from_edges([(f"n{i}", f"n{j}") for i, j in pairs])


def _described(array: Any) -> Whole:
    kind = _KINDS.get(str(array.dtype), str(array.dtype))
    return {"dtype": kind, "shape": list(array.shape), "values": array.ravel().tolist()}


def whole_model(folder: Path, name: str, params: Mapping[str, Any]) -> Whole:
    """Return a saved model as one thing to be edited."""
    lp.make(name, **params).fit(small_network()).save(folder)
    manifest, arrays = store.read_model(folder)
    manifest["linkprior"] = "0"
    return {
        "manifest": manifest,
        "arrays": {key: _described(array) for key, array in sorted(arrays.items())},
        "sealed": True,
    }


_SIZES = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "BOOL": "|b1"},
    **{"U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "I16": "<i2", "I8": "|i1"},
    **{"BF16": "<i2", "F8_E4M3": "|i1", "F8_E5M2": "|i1", "F8_E8M0": "|u1", "C64": "<c8"},
}


def tensors(arrays: Any) -> bytes:
    """Return arrays as safetensors would hold them, whether or not they agree with themselves."""
    header: Whole = {}
    data = b""
    for name, told in arrays.items() if isinstance(arrays, dict) else ():
        described = told if isinstance(told, dict) else {"values": told}
        content = array_bytes(
            _SIZES.get(str(described.get("dtype")), "<f8"), described.get("values", [])
        )
        header[name] = {
            "dtype": described.get("dtype"),
            "shape": described.get("shape"),
            "data_offsets": described.get("data_offsets", [len(data), len(data) + len(content)]),
        }
        data += content
    text = json.dumps(header).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    return struct.pack("<Q", len(text)) + text + data


def write_model(folder: Path, whole: Whole) -> None:
    """Write a model folder; where it is sealed, every checksum fits."""
    manifest, data = whole.get("manifest"), tensors(whole.get("arrays"))
    if isinstance(manifest, dict) and whole.get("sealed"):
        manifest["arrays_sha256"] = hashlib.sha256(data).hexdigest()
        _seal_network(manifest, data)
        manifest.pop("manifest_sha256", None)
        manifest["manifest_sha256"] = store._digest(manifest)
    put(folder / store.MANIFEST, json.dumps(manifest).encode())
    put(folder / store.ARRAYS, data)


def _seal_network(manifest: Whole, data: bytes) -> None:
    """Give the network the digest of its edges, where it is one."""
    from safetensors.numpy import load as loaded

    try:
        net = network_from(loaded(data), manifest["network"]["names"])
        manifest["network"]["digest"] = net.digest
    except Exception:  # what is no network has no digest, and the loader is to say so
        return


def _model(folder: Path) -> Attempt:
    wholes = [whole_model(folder / f"base{at}", *one) for at, one in enumerate(MODELS)]
    place = folder / "model"
    place.mkdir(exist_ok=True)

    def attempt(data: bytes) -> None:
        whole, text = choice(data, wholes)
        changed = edited(whole, text)
        if isinstance(changed, dict):
            write_model(place, changed)
            with WATCH.looking():
                model = load(place)
            expect(model.network_.n_nodes >= 2, "a model without a network")

    return attempt


def _model_raw(folder: Path) -> Attempt:
    """Try bytes as the manifest (first character 0) or as the arrays (1), the other being whole."""
    lp.make("pa").fit(small_network()).save(folder / "model")
    place = folder / "model"
    manifest, _ = store.read_model(place)
    arrays = (place / store.ARRAYS).read_bytes()

    def attempt(data: bytes) -> None:
        what, content = choice(data, (0, 1))
        put(place / store.ARRAYS, content if what else arrays)
        facts = {**manifest, "arrays_sha256": hashlib.sha256(content).hexdigest()}
        sealed = {**facts, "manifest_sha256": store._digest(facts)}
        put(place / store.MANIFEST, json.dumps(sealed).encode() if what else content)
        with WATCH.looking():
            load(place)

    return attempt


def _model_seeds(most: int = 70) -> list[bytes]:
    with tempfile.TemporaryDirectory() as place:
        wholes = [whole_model(Path(place) / str(at), *one) for at, one in enumerate(MODELS)]
    return [
        b"%c" % (48 + at) + line
        for at, whole in enumerate(wholes)
        for line in [b"", *one_each(whole)][:most]
    ]


# ---------------------------------------------------------------------- runs


def whole_run(folder: Path) -> Path:
    """Write a finished run as the command does; return its folder."""
    net = small_network()
    model = lp.make("pa").fit(net)
    run = RunFolder.open(folder, {"model": "pa"}, {"file": "e.tsv", "sha256": ""})
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

    def attempt(data: bytes) -> None:
        name, content = choice(data, PARTS)
        for other in PARTS:
            put(place / other, content if other == name else before[other])
        if name != PARTS[0]:
            facts = json.loads(before[PARTS[0]])
            facts["files"][name] = file_digest(place / name)
            put(place / PARTS[0], json.dumps(facts).encode())
        _load_run(place)

    return attempt


def _load_run(place: Path) -> None:
    with WATCH.looking():
        with contextlib.suppress(LinkpriorError):
            expect(isinstance(read_manifest(place), dict), "no manifest")
        run = load_run(place)
    expect(len(run.ranking.pairs) == len(run.ranking.scores), "a ranking of two lengths")


def _run(folder: Path) -> Attempt:
    """Try changes of the manifest, the input report and the ranking, all vouched for."""
    place = whole_run(folder / "run")
    whole = _whole_run(place)

    def attempt(data: bytes) -> None:
        changed = edited(whole, data)
        if not isinstance(changed, dict):
            return
        manifest = changed.get("manifest")
        put(place / PARTS[2], json.dumps(changed.get("report")).encode())
        rows = changed.get("ranking")
        table = rows if isinstance(rows, list) else [rows]
        text = "\n".join("\t".join(map(str, r)) if isinstance(r, list) else str(r) for r in table)
        put(place / PARTS[1], text.encode("utf-8", "surrogatepass"))
        files: Any = manifest.get("files") if isinstance(manifest, dict) else None
        if isinstance(files, dict) and changed.get("sealed"):
            files |= {name: file_digest(place / name) for name in PARTS[1:] if name in files}
        put(place / PARTS[0], json.dumps(manifest).encode())
        _load_run(place)

    return attempt


def _whole_run(place: Path) -> Whole:
    rows = (place / PARTS[1]).read_text(encoding="utf-8").splitlines()
    return {
        "manifest": json.loads((place / PARTS[0]).read_text(encoding="utf-8")),
        "report": json.loads((place / PARTS[2]).read_text(encoding="utf-8")),
        "ranking": [row.split("\t") for row in rows],
        "sealed": True,
    }


def _run_seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory() as place:
        whole = _whole_run(whole_run(Path(place) / "run"))
    return [b"", *one_each(whole)]


def _run_raw_seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory() as place:
        folder = whole_run(Path(place) / "run")
        return [b"%c" % (48 + at) + (folder / part).read_bytes() for at, part in enumerate(PARTS)]


def _model_raw_seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory() as place:
        lp.make("pa").fit(small_network()).save(Path(place) / "model")
        files = (store.MANIFEST, store.ARRAYS)
        contents = [(Path(place) / "model" / name).read_bytes() for name in files]
    return [b"%c" % (48 + at) + content for at, content in enumerate(contents)]


_WORDS = (
    *("manifest/params/", "manifest/facts/", "manifest/network/names/", "arrays/", "/dtype="),
    *(
        "/shape=",
        "/values=",
        '"BF16"',
        '"F8_E4M3"',
        '"U64"',
        '"C64"',
        '"F16"',
        '"BOOL"',
        "sealed=false",
        "manifest/model=",
    ),
    *("state.", "network.edges", "network.weights", "network.negatives", "1e400", "NaN"),
    *(f'"{name}"' for name, _ in MODELS),
)


def targets() -> dict[str, Target]:
    """Return the targets by name."""
    raw = ('"format"', '"params"', '"network"', '"dtype"', '"shape"', '"data_offsets"', '"F64"')
    parts = ("manifest/files/", "manifest/status=", "report/", "ranking/", "sealed=false", "\\t")
    return {
        "model": Target("a saved model, changed and sealed again", _model, _model_seeds, _WORDS),
        "model-raw": Target("bytes of a model's files", _model_raw, _model_raw_seeds, raw),
        "run": Target("a run folder, changed and sealed again", _run, _run_seeds, parts),
        "run-raw": Target(
            "bytes of a run's manifest, ranking and report",
            _run_raw,
            _run_raw_seeds,
            ('"format"', '"files"', '"status"', '"complete"', "degree_source", "nan", "\\t"),
        ),
    }

"""Targets: what evaluations, studies and benchmarks keep, splits, and the catalogue of networks."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import linkprior as lp
from fuzz.edits import edited, one_each
from fuzz.readers import choice, put
from fuzz.stored import small_network
from fuzz.target import Target
from fuzz.verdict import WATCH, Attempt, expect
from linkprior.errors import StoreError
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.results import read_results, write_results
from linkprior.evaluation.splits import Split, read_split, write_split
from linkprior.evaluation.store import Cell, CellStore, cell_file, read_cells
from linkprior.io.datasets.catalogue import read_catalogue
from linkprior.report.study import read_study

Whole = dict[str, Any]
_DIGEST = "0" * 64


def _json(path: Path, content: Any) -> None:
    put(path, json.dumps(content).encode())


def _plan() -> Plan:
    return Plan("uniform:0.8", "all-nodes", 1, None, 0, "none", 0.0, None)


def _split() -> Split:
    return _plan().make(small_network())[0]


# ---------------------------------------------------------------------- evaluations


def whole_evaluation(folder: Path) -> Whole:
    """Write an evaluation; return its two files that are read again."""
    found = lp.evaluate(["pa", "cn"], small_network(), "uniform:0.8", "all-nodes")
    folder.mkdir(parents=True, exist_ok=True)
    write_results(found, folder)
    parts = {part: folder / f"{part}.json" for part in ("results", "curves")}
    return {part: json.loads(path.read_text("utf-8")) for part, path in parts.items()}


def _evaluation(folder: Path) -> Attempt:
    whole = whole_evaluation(folder / "evaluation")

    def attempt(data: bytes) -> None:
        changed = edited(whole, data)
        for part in whole:
            _json(folder / "evaluation" / f"{part}.json", _part(changed, part))
        with WATCH.looking():
            found = read_results(folder / "evaluation")
        expect(all(isinstance(cell, Cell) for cell in found.cells), "no cells")

    return attempt


def _part(changed: Any, name: str) -> Any:
    return changed.get(name) if isinstance(changed, dict) else changed


def _cell(folder: Path) -> Attempt:
    """Try changes of a finished cell; one that was made otherwise would be made anew."""
    net, split = small_network(), _split()
    with CellStore(folder / "evaluation", net, {}) as cells:
        judged = lp.evaluate(["pa"], net, "uniform:0.8", "all-nodes").cells[0]
        cells.get("pa", split, {}, lambda: judged)
    path = cell_file(folder / "evaluation", "pa", split)
    whole = json.loads(path.read_text(encoding="utf-8"))

    def anew() -> Cell:
        raise StoreError("made anew")

    def attempt(data: bytes) -> None:
        _json(path, edited(whole, data))
        with WATCH.looking():
            found = cells.get("pa", split, {}, anew)
        expect(isinstance(found, Cell), "no cell")

    return attempt


def whole_cell() -> Whole:
    """Return the cell of an evaluation, for seeds."""
    judged = lp.evaluate(["pa"], small_network(), "uniform:0.8", "all-nodes").cells[0]
    return {
        "key": {},
        "cell": {"model": "pa", "values": dict(judged.values), "curve": dict(judged.curve)},
    }


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


def whole_study() -> Whole:
    """Return a study as one thing to be edited."""
    return {"question": _QUESTION, "journal": _journal()}


def _study(folder: Path) -> Attempt:
    whole = whole_study()

    def attempt(data: bytes) -> None:
        changed = edited(whole, data)
        steps = _part(changed, "journal")
        lines = [json.dumps(step) for step in steps] if isinstance(steps, list) else [str(steps)]
        _json(folder / "study.json", _part(changed, "question"))
        put(folder / "journal.log", ("\n".join(lines) + "\n").encode("utf-8", "replace"))
        with WATCH.looking():
            found = read_study(folder)
        expect(found.trials, "a study without a setting")

    return attempt


# ---------------------------------------------------------------------- benchmarks


def _benchmark_cell(model: str) -> Whole:
    return {
        **{"network": "karate", "protocol": "uniform:0.9", "rule": "connected", "split": 0},
        **{"model": model, "params": {}, "trials": 0, "data": _DIGEST, "digest": _DIGEST},
        **{"hidden": 3, "linkprior": "0", "nodes": 34, "edges": 78},
        "values": {"auprc": 0.25, "p@100": 0.5, "seconds": 0.1, "peak_mb": 9.0, "ndcg": None},
    }


def whole_benchmark() -> Whole:
    """Return three cells of a benchmark."""
    left_out = {**_benchmark_cell("spm"), "left_out": {"kind": "failed", "why": "too slow"}}
    left_out.pop("values")
    return {"0-pa": _benchmark_cell("pa"), "0-cn": _benchmark_cell("cn"), "0-spm": left_out}


def _benchmark(folder: Path) -> Attempt:
    whole = whole_benchmark()
    (folder / "karate").mkdir(exist_ok=True)

    def attempt(data: bytes) -> None:
        changed = edited(whole, data)
        for name in whole:
            _json(folder / "karate" / f"{name}.json", _part(changed, name))
        with WATCH.looking():
            found = read_cells(folder)
        expect(all(isinstance(cell, dict) for cell in found), "no cells")

    return attempt


# ---------------------------------------------------------------------- splits, the catalogue


def _split_file(folder: Path) -> Attempt:
    """Try the rows of a split below a good first line (first character 0), or a whole file."""
    net, path = small_network(), folder / "split.tsv"
    write_split(_split(), net, path)
    first = path.read_bytes().split(b"\n")[0] + b"\n"

    def attempt(data: bytes) -> None:
        bare, content = choice(data, (False, True))
        put(path, content if bare else first + content)
        with WATCH.looking():
            found = read_split(path, net)
        expect(len(found.hidden), "nothing is hidden")

    return attempt


def _split_seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "split.tsv"
        write_split(_split(), small_network(), path)
        content = path.read_bytes()
    return [b"1" + content, b"0" + content.partition(b"\n")[2]]


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
    def attempt(data: bytes) -> None:
        _json(folder / "catalogue.json", edited(_CATALOGUE, data))
        with WATCH.looking():
            found = read_catalogue(folder / "catalogue.json")
        for entry in found.values():
            expect(".." not in entry.plain_file.split("/"), "a path that leads out")

    return attempt


def _seeds_of(make: Callable[[], Whole]) -> Callable[[], list[bytes]]:
    return lambda: [b"", *one_each(make())]


def _evaluation_seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory() as place:
        return [b"", *one_each(whole_evaluation(Path(place) / "e"))]


def targets() -> dict[str, Target]:
    """Return the targets by name."""
    words = ("results/cells/0/", "results/results/0/", "curves/curves/0/", "/value=", "null", "[]")
    steps = ("journal/0/", "journal/+=", "/op_code=", "/user_attr/", "question/", "/state=", "{}")
    return {
        "evaluation": Target(
            "results.json and curves.json of an evaluation", _evaluation, _evaluation_seeds, words
        ),
        "cell": Target(
            "a finished cell of an evaluation",
            _cell,
            _seeds_of(whole_cell),
            ("cell/values/", "cell/curve/", "cell/params=", "linkprior="),
        ),
        "study": Target("study.json and journal of a study", _study, _seeds_of(whole_study), steps),
        "benchmark": Target(
            "cells of a benchmark",
            _benchmark,
            _seeds_of(whole_benchmark),
            ("0-pa/values/", "0-cn/", "/left_out/", "/split="),
        ),
        "split": Target("a split written by evaluate", _split_file, _split_seeds, ("train\t",)),
        "catalogue": Target(
            "a catalogue of networks",
            _catalogue,
            _seeds_of(lambda: _CATALOGUE),
            ("networks/0/", "networks/+=", "file=", "../"),
        ),
    }

"""An evaluation as a folder of files, and back.

results.json     what was measured on what, by which versions; every number
results.tsv      model, split, metric, value
table.md, .tex   the tables
*.png, *.svg     the curves; curves.json holds their points
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from linkprior import machine
from linkprior._version import __version__
from linkprior.errors import StoreError
from linkprior.evaluation import curves, tables
from linkprior.evaluation.cells import read_json, write_json
from linkprior.evaluation.judge import Cell
from linkprior.evaluation.results import CHANCE, COLUMNS, Evaluation
from linkprior.io.atomic_files import whole_file
from linkprior.io.source import as_path
from linkprior.io.store import refuse_odd

RESULTS, CURVES = "results.json", "curves.json"
PICTURES: dict[str, Callable[[Evaluation], dict[str, bytes]]] = {
    "precision_recall": curves.draw_precision_recall,
    "hidden_found": curves.draw_found,
}
FILES = (
    *(RESULTS, "results.tsv", "table.md", "table.tex", CURVES),
    *(f"{name}.{format}" for name in PICTURES for format in curves.FORMATS),
)
_LONG = 24  # items of a parameter beyond which a digest stands for them: degrees of all nodes, say


def write_results(
    evaluation: Evaluation,
    folder: str | Path,
    *,
    against: str | None = None,
    command: Sequence[str] | None = None,
) -> list[Path]:
    """Write an evaluation into a folder, each file whole or not at all, and return the files.

    `against` is the model the paired tests compare with (the first one by default), `command` what
    was typed. Files of the same names are replaced.
    """
    place = as_path(folder)
    refuse_odd(place, FILES)
    texts = {  # made first: an error in one leaves the folder as it was
        "table.md": tables.markdown_table(evaluation, against),
        "table.tex": tables.latex_table(evaluation, against),
    }
    place.mkdir(parents=True, exist_ok=True)
    write_json(place / CURVES, _points(evaluation))
    _write_rows(place / "results.tsv", evaluation)
    for name, text in texts.items():
        with whole_file(place / name) as stream:
            stream.write(text)
    pictures = _draw(evaluation, place) if _drawable(evaluation) else []
    write_json(place / RESULTS, _content(evaluation, command))  # last: the others are there
    return [place / name for name in (RESULTS, "results.tsv", *texts, CURVES, *pictures)]


def _draw(evaluation: Evaluation, place: Path) -> list[str]:
    names = []
    for name, draw in PICTURES.items():
        for format, picture in draw(evaluation).items():
            names.append(f"{name}.{format}")
            with whole_file(place / names[-1]) as stream:
                stream.buffer.write(picture)
    return names


def _drawable(evaluation: Evaluation) -> bool:
    return all(cell.curve for cell in evaluation.cells)


def _write_rows(path: Path, evaluation: Evaluation) -> None:
    """Write model, split, metric, value; a value that could not be measured stays empty."""
    rows = ((*named, "" if math.isnan(v) else repr(float(v))) for *named, v in evaluation.rows)
    with whole_file(path) as stream:
        csv.writer(stream, delimiter="\t", lineterminator="\n").writerows([COLUMNS, *rows])


def _content(evaluation: Evaluation, command: Sequence[str] | None) -> dict[str, Any]:
    return {
        "linkprior": __version__,
        "versions": machine.versions(),
        "command": None if command is None else list(command),
        **_shortened(evaluation.facts),
        "cells": [
            {"model": cell.model, "split": cell.split, "params": _shortened(cell.params)}
            for cell in evaluation.cells
        ],
        "results": _number_rows(evaluation.cells),
        CHANCE: _number_rows(evaluation.chance),
    }


def _number_rows(cells: Iterable[Cell]) -> list[dict[str, Any]]:
    return [
        {"model": c.model, "split": c.split, "metric": m, "value": None if math.isnan(v) else v}
        for c in cells
        for m, v in c.values.items()
    ]


def _shortened(value: Any) -> Any:
    """Return facts for a reader: instead of a long list, its length and digest."""
    if isinstance(value, Mapping):
        return {key: _shortened(item) for key, item in value.items()}
    if not isinstance(value, list | tuple):
        return value
    if len(value) > _LONG and not any(isinstance(item, Mapping) for item in value):
        digest = hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()
        return f"{len(value)} items, sha256 {digest[:16]}"
    return [_shortened(item) for item in value]


def _points(evaluation: Evaluation) -> dict[str, Any]:
    cells = [*evaluation.cells, *evaluation.chance]
    return {"curves": [{"model": c.model, "split": c.split, **c.curve} for c in cells]}


# ---------------------------------------------------------------------- and back


def read_results(folder: str | Path) -> Evaluation:
    """Read an evaluation that `write_results` wrote."""
    place = as_path(folder)
    if not (place / RESULTS).is_file():
        raise StoreError(
            f"{place} holds no {RESULTS}: expected a folder written by `linkprior evaluate -o DIR` "
            "to its end"
        )
    content = read_json(place / RESULTS)
    try:
        return _evaluation(content, _read_points(place))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise StoreError(f"{place / RESULTS} is not whole; run the evaluation again") from None


def _evaluation(content: dict[str, Any], points: Mapping[tuple[str, str], Any]) -> Evaluation:
    params = {(cell["model"], cell["split"]): cell["params"] for cell in content["cells"]}
    values = _by_cell(content["results"])
    if params.keys() != values.keys():
        raise ValueError("cells without numbers, or numbers without a cell")
    cells = [Cell(*key, values[key], points.get(key, {}), params[key]) for key in params]
    floors = _by_cell(content[CHANCE])
    chance = [Cell(*key, found, points.get(key, {})) for key, found in floors.items()]
    ours = {"linkprior", "versions", "command", "cells", "results", CHANCE}
    facts = {name: fact for name, fact in content.items() if name not in ours}
    return Evaluation(cells, chance, facts)


def _by_cell(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], dict[str, float]]:
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        value = math.nan if row["value"] is None else float(row["value"])
        found.setdefault((row["model"], row["split"]), {})[row["metric"]] = value
    return found


def _read_points(place: Path) -> dict[tuple[str, str], Any]:
    """Return the curves; without them there are still the numbers."""
    if not (place / CURVES).is_file():
        return {}
    found = read_json(place / CURVES)["curves"]
    names = ("predicted", "found")
    return {(c["model"], c["split"]): {n: c[n] for n in names if n in c} for c in found}

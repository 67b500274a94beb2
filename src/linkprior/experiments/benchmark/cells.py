"""Finished cells: one small file per network, split and model, so that a kill costs one cell.

DIR/<network>/<split>-<model>.json       what a model found, or why it was left out
DIR/tuned-N/<network>/…, DIR/quick/…     the same of tuned models, and of the quick suite
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkprior._version import __version__
from linkprior.errors import StoreError
from linkprior.evaluation.cells import plain_json, read_json
from linkprior.evaluation.split_files import split_digest
from linkprior.evaluation.splits import Split
from linkprior.experiments.benchmark.models import BenchmarkModel
from linkprior.experiments.benchmark.suite import Case
from linkprior.io.atomic_files import whole_file
from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor

Facts = dict[str, Any]

_SHARE = re.compile(r"auprc(_low)?|(dc_)?auroc|ndcg|(p|recall)@.*")
_SHOWN = ("network", "model", "protocol", "rule", "data", "linkprior")
TOO_MUCH, FAILED = "too much", "failed"  # kinds of being left out; the first may change any day


@dataclass(frozen=True)
class CellSpec:
    """One cell to be filled: a network, one of its splits, a model, and how it is tuned."""

    case: Case
    number: int
    network: Network
    split: Split
    entrant: BenchmarkModel
    model: LinkPredictor
    trials: int

    def path(self, folder: Path) -> Path:
        """Return where the cell is kept."""
        return folder / self.case.folder / f"{self.number}-{self.entrant.file}.json"

    def facts(self) -> Facts:
        """Return what a cell says of itself beside its outcome."""
        return {
            "network": self.case.name,
            "protocol": self.case.protocol,
            "rule": self.case.rule,
            "split": self.number,
            "model": self.entrant.label,
            "params": _plain(self.model.get_params()),
            "trials": self.trials,
            "data": self.network.digest,
            "digest": split_digest(self.split),
            "hidden": len(self.split.hidden),
            "linkprior": __version__,
        }

    def finished(self, folder: Path) -> Facts | None:
        """Return the cell that is kept, None where it is missing or was made otherwise.

        A cell that tells no parameters, data or trials was made with the defaults, of the same
        data and without any.
        """
        path = self.path(folder)
        if not path.exists():
            return None
        found, wanted = read_cell(path), self.facts()
        found = {"params": wanted["params"], "data": wanted["data"], "trials": 0, **found}
        if found.get("left_out", {}).get("kind") == TOO_MUCH:
            return None  # asked again each time: another machine may have more time or memory
        names = ("params", "trials", "data", "digest", "linkprior")
        return found if all(found[name] == wanted[name] for name in names) else None


def write_cell(path: Path, facts: Facts) -> None:
    """Write a cell, whole or not at all; the same facts are the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as stream:
        stream.write(json.dumps(_plain(facts), indent=1, sort_keys=True, allow_nan=False) + "\n")


def read_cell(path: Path) -> Facts:
    """Return what a file of a cell holds; one that is not whole is named."""
    found = read_json(path)
    named = all(isinstance(found.get(name), str) for name in ("network", "model", "digest"))
    whole = all(isinstance(found.get(name, 0), int) for name in ("trials", "threads", "hidden"))
    numbered = whole and isinstance(found.get("split"), int) and "linkprior" in found
    if not (named and numbered and (_measured(found) or _left_out(found))):
        raise StoreError(f"{path} does not hold a whole result; remove it and run again")
    for name in _SHOWN:  # on terminals, in tables and in pictures
        if not str(found.get(name, "")).isprintable():
            raise StoreError(
                f"{path}: its {name} holds characters nobody could see; remove it and run again"
            )
    return found


def _measured(found: Facts) -> bool:
    values = found.get("values")
    return (
        isinstance(values, dict) and bool(values) and all(map(_is_value, values, values.values()))
    )


def _is_value(name: str, value: Any) -> bool:
    """Tell whether a value can be that of its measure; None is what could not be measured."""
    if not name.isprintable():
        return False
    if value is None:
        return True
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0.0 <= value <= 1.0 if _SHARE.fullmatch(name) else math.isfinite(value)


def _left_out(found: Facts) -> bool:
    told = found.get("left_out")
    return isinstance(told, dict) and isinstance(told.get("why"), str)


def read_cells(folder: Path) -> list[Facts]:
    """Return all cells of a folder, in the order of their files' names."""
    return [read_cell(path) for path in sorted(folder.glob("*/*.json"))]


def suite_files(folder: Path) -> list[Path]:
    """Return the files that are named as cells of a benchmark; others beside them are not ours."""
    return sorted(p for p in folder.glob("*/*.json") if re.match(r"\d+-.", p.name))


def read_suite(folder: Path) -> list[Facts]:
    """Return all cells of a benchmark; one that cannot stand beside the others is named."""
    found, splits = [], dict[tuple[Path, int], tuple[str, str]]()
    for path in suite_files(folder):
        cell = read_cell(path)
        number, about = cell["split"], (cell["network"], cell["digest"])
        if path.name.partition("-")[0] != str(number):
            raise StoreError(f"{path} holds a cell of split {number}; remove it and run again")
        if about != splits.setdefault((path.parent, number), about):
            raise StoreError(
                f"{path} was judged on another split than the cells beside it; remove what is "
                "older and run again"
            )
        found.append(cell)
    return found


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, so that it can be compared with one that was read."""
    return json.loads(json.dumps(value, default=plain_json))

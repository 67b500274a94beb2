"""Finished cells: one small file per network, split and model, so that a kill costs one cell.

DIR/<network>/<split>-<model>.json       what a model found, or why it was left out
DIR/tuned-N/<network>/…, DIR/quick/…     the same of tuned models, and of the quick suite
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkprior._version import __version__
from linkprior.benchmark.models import Entrant
from linkprior.benchmark.suite import Case
from linkprior.errors import StoreError
from linkprior.evaluation.cells import plain_json, read_json
from linkprior.evaluation.split_files import split_digest
from linkprior.evaluation.splits import Split
from linkprior.io.files import whole_file
from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor

Facts = dict[str, Any]

TOO_MUCH, FAILED = "too much", "failed"  # kinds of being left out; the first may change any day


@dataclass(frozen=True)
class Place:
    """One cell to be filled: a network, one of its splits, a model, and how it is tuned."""

    case: Case
    number: int
    network: Network
    split: Split
    entrant: Entrant
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

        A cell that tells neither parameters nor trials was made with the defaults and without any.
        """
        path = self.path(folder)
        if not path.exists():
            return None
        found, wanted = read_cell(path), self.facts()
        found = {"params": wanted["params"], "trials": 0, **found}
        if found.get("left_out", {}).get("kind") == TOO_MUCH:
            return None  # asked again each time: another machine may have more time or memory
        names = ("params", "trials", "digest", "linkprior")
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
    return found


def _measured(found: Facts) -> bool:
    values = found.get("values")
    return isinstance(values, dict) and all(
        value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        for value in values.values()
    )


def _left_out(found: Facts) -> bool:
    told = found.get("left_out")
    return isinstance(told, dict) and isinstance(told.get("why"), str)


def read_cells(folder: Path) -> list[Facts]:
    """Return all cells of a folder, in the order of their files' names."""
    return [read_cell(path) for path in sorted(folder.glob("*/*.json"))]


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, so that it can be compared with one that was read."""
    return json.loads(json.dumps(value, default=plain_json))

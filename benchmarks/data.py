"""What measurements share: real networks (LINKPRIOR_DATA), results that a next run goes on from."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from linkprior import __version__
from linkprior.evaluation.evaluate import evaluate_cell
from linkprior.evaluation.splits import Split, split_digest
from linkprior.evaluation.store import plain_numbers, write_cell
from linkprior.experiments.paper import RAT_CUTS, dream5, rat
from linkprior.io.atomic_files import whole_file
from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor

__all__ = ["RAT_CUTS", "dream5", "folder", "rat"]
RESULTS = Path(__file__).parent / "results"


def folder() -> Path | None:
    """Return the data folder, or None when LINKPRIOR_DATA is unset."""
    given = os.environ.get("LINKPRIOR_DATA")
    return Path(given) if given else None


def required_folder() -> Path:
    """Return the data folder, or end the program with a line that asks for it."""
    return folder() or sys.exit("LINKPRIOR_DATA is not set: it names the folder of the data sets")


def read_results(path: Path) -> dict[str, Any]:
    """Return the results of earlier runs."""
    results: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return results


def write_results(path: Path, results: dict[str, Any], sort_keys: bool = False) -> None:
    """Write results as a whole file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as stream:
        stream.write(json.dumps(results, indent=1, ensure_ascii=False, sort_keys=sort_keys) + "\n")


def fill_cell(
    path: Path, model: LinkPredictor, split: Split, network: Network, facts: dict[str, Any]
) -> None:
    """Evaluate a model on a split and write its cell, unless that was done before."""
    if path.exists():
        return
    cell = evaluate_cell(model.name, model, split)
    about = {"data": network.digest, "digest": split_digest(split), "linkprior": __version__}
    write_cell(path, {**facts, **about, "values": plain_numbers(cell.values)})
    print(*facts.values(), flush=True)

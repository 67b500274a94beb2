"""The folder an experiment leaves: figures or table as the paper has them, and every number."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from linkprior import machine, parallel
from linkprior.errors import StoreError
from linkprior.evaluation.cells import read_json, write_json
from linkprior.experiments.reproduction import showing
from linkprior.experiments.reproduction.outcome import Result
from linkprior.io.atomic_files import whole_file
from linkprior.io.store import refuse_odd

RESULTS = "results.json"
FIGURES = {"dream5": "figure1", "plasmodium": "figure2", "rat": "figure_rat"}


def refuse_foreign(name: str, folder: Path) -> None:
    """Raise an error where files of somebody else are in the way, or a cell cannot be read.

    The files are ours where there are cells, or where the results are those of this experiment.
    """
    refuse_odd(folder, files_of(name))
    for path in sorted(folder.glob("cells/*/*/cells/*.json")):
        read_json(path)
    results = folder / RESULTS
    if (folder / "cells").is_dir() or (
        results.is_file() and read_json(results).get("experiment") == name
    ):
        return
    taken = [file for file in files_of(name) if (folder / file).exists()]
    if taken:
        raise StoreError(
            f"{folder / taken[0]} is not from `linkprior reproduce`, which would replace it; give "
            "another folder (-o), or move it"
        )


def files_of(name: str) -> list[str]:
    """Return the names of the files an experiment leaves."""
    figure = FIGURES[name]
    return [RESULTS, "table.md", "numbers.tsv", f"{figure}.png", f"{figure}.svg"]


def write(result: Result, folder: Path, seconds: float, command: list[str]) -> list[Path]:
    """Write results.json, table.md, numbers.tsv and the figure; return the files."""
    refuse_odd(folder, files_of(result.experiment.name))
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"table.md": showing.markdown(result), "numbers.tsv": showing.numbers(result)}
    for name, text in texts.items():
        with whole_file(folder / name) as stream:
            stream.write(text)
    name = FIGURES[result.experiment.name]
    for kind in ("png", "svg"):
        with whole_file(folder / f"{name}.{kind}") as stream:
            stream.buffer.write(showing.figure(result, kind))
    write_json(folder / RESULTS, {**_about(seconds, command), **result.facts()})
    return [folder / file for file in files_of(result.experiment.name)]


def _about(seconds: float, command: list[str]) -> dict[str, Any]:
    return {
        "command": command,
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(seconds, 1),  # of this process: what was there already took none
        "threads": parallel.current_workers(),
        "versions": machine.versions(),
    }

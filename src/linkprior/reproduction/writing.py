"""The folder an experiment leaves: figures or table as the paper has them, and every number."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from linkprior import machine, parallel
from linkprior.evaluation.cells import write_json
from linkprior.io.files import whole_file
from linkprior.reproduction import showing
from linkprior.reproduction.outcome import Result

FIGURES = {"dream5": "figure1", "plasmodium": "figure2", "rat": "figure_rat"}


def write(result: Result, folder: Path, seconds: float, command: list[str]) -> list[Path]:
    """Write results.json, table.md, numbers.tsv and the figure; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"table.md": showing.markdown(result), "numbers.tsv": showing.numbers(result)}
    for name, text in texts.items():
        with whole_file(folder / name) as stream:
            stream.write(text)
    name = FIGURES[result.experiment.name]
    for kind in ("png", "svg"):
        with whole_file(folder / f"{name}.{kind}") as stream:
            stream.buffer.write(showing.figure(result, kind))
    write_json(folder / "results.json", {**_about(seconds, command), **result.facts()})
    files = ["results.json", *texts, f"{name}.png", f"{name}.svg"]
    return [folder / file for file in files]


def _about(seconds: float, command: list[str]) -> dict[str, Any]:
    return {
        "command": command,
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(seconds, 1),  # of this process: what was there already took none
        "threads": parallel.current_workers(),
        "versions": machine.versions(),
    }

"""What measurements share: real networks, results a next run goes on from, tables, the clock."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkprior.experiments.paper import dream5, rat
from linkprior.io.atomic_files import whole_file
from linkprior.parallel import available_cores

__all__ = ["dream5", "folder", "rat"]
ROOT = Path(__file__).resolve().parents[1]
RESULTS, FIGURES = ROOT / "benchmarks" / "results", ROOT / "docs" / "figures"
HURI, YEAST = "ppi-challenge2023/HuRI.csv.gz", "ppi-challenge2023/Yeast.csv"


def folder() -> Path | None:
    """Return the data folder, or None when LINKPRIOR_DATA is unset."""
    given = os.environ.get("LINKPRIOR_DATA")
    return Path(given) if given else None


def required_folder() -> Path:
    """Return the data folder, or end the program with a line that asks for it."""
    return folder() or sys.exit("LINKPRIOR_DATA is not set: it names the folder of the data sets")


def read_results(path: Path) -> Any:
    """Return what an earlier run left, nothing without one."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def saved(name: str) -> Any:
    """Return the figures of benchmarks/results/NAME.json."""
    return read_results(RESULTS / f"{name}.json")


def write_results(path: Path, results: dict[str, Any], sort_keys: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as stream:
        stream.write(json.dumps(results, indent=1, ensure_ascii=False, sort_keys=sort_keys) + "\n")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def narrow_table(heads: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a table below a line of heads that is written out."""
    below = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([heads, "|---" * (heads.count("|") - 1) + "|", *below])


def mean_sd(values: Sequence[float]) -> str:
    """Return mean ± sd, the mean alone of a single value."""
    spread = f" ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{spread}"


def clocked(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of some work, and those of all cores together."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - used


def side_by_side(tasks: Sequence[Callable[[], object]], repeats: int = 5) -> list[float]:
    """Time tasks in turns, so that others on the machine disturb all alike; the best of each."""
    turns = [[clocked(task)[0] for task in tasks] for _ in range(repeats)]
    return [min(seconds) for seconds in zip(*turns, strict=True)]


def peak_megabytes(task: Callable[[], object]) -> float:
    """Return the most memory a task held at a time, in a run of its own."""
    tracemalloc.start()
    task()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def machine() -> str:
    load = os.getloadavg()[0]
    return (
        f"{platform.machine()}, {available_cores()} cores, load {load:.1f}, "
        f"Python {platform.python_version()}, numpy {np.__version__}"
    )


def apart(module: str, function: str, *given: Any) -> Any:
    """Return what a function of a module finds in a process of its own."""
    code = "import importlib, json, sys; module, name, given = sys.argv[1:]; "
    code += "work = getattr(importlib.import_module(module), name); "
    code += "print(json.dumps(work(*json.loads(given))))"
    command = [sys.executable, "-c", code, module, function, json.dumps(given)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)

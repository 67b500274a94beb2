"""What measurements share: real networks, results a next run goes on from, tables, the clock."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from linkprior.experiments.paper import dream5, rat
from linkprior.io.atomic_files import whole_file
from linkprior.io.read import read_network
from linkprior.network import Network
from linkprior.network.generate import planted_network
from linkprior.parallel import available_cores

__all__ = ["dream5", "folder", "rat"]
ROOT = Path(__file__).resolve().parents[1]
RESULTS, FIGURES = ROOT / "benchmarks" / "results", ROOT / "docs" / "figures"
HURI, YEAST = "ppi-challenge2023/HuRI.csv.gz", "ppi-challenge2023/Yeast.csv"
OLP = "olp/olp_even.zip"


def folder() -> Path | None:
    """Return the data folder, or None when LINKPRIOR_DATA is unset."""
    given = os.environ.get("LINKPRIOR_DATA")
    return Path(given) if given else None


def required_folder() -> Path:
    """Return the data folder, or end the program with a line that asks for it."""
    return folder() or sys.exit("LINKPRIOR_DATA is not set: it names the folder of the data sets")


@cache
def olp_members() -> dict[int, str]:
    """Return the networks of the OLP corpus: file in the archive by leading number, ascending."""
    with zipfile.ZipFile(required_folder() / OLP) as archive:
        members = [name for name in archive.namelist() if name.endswith(".mat")]
    numbered = {int(Path(name).name.partition("_")[0]): name for name in members}
    return dict(sorted(numbered.items()))


def source_bytes(name: str) -> bytes:
    """Return what a network is made from: file of the data folder, olp/NUMBER, planted/NODES."""
    kind, _, number = name.partition("/")
    if kind == "planted":
        return name.encode()
    if kind != "olp":
        return (required_folder() / name).read_bytes()
    with zipfile.ZipFile(required_folder() / OLP) as archive:
        return archive.read(olp_members()[int(number)])


def network(name: str) -> Network:
    """Return a network by the name that `source_bytes` takes."""
    kind, _, number = name.partition("/")
    if kind == "planted":
        return planted_network(int(number), seed=1)
    if kind != "olp":
        return read_network(required_folder() / name)
    from scipy.io import loadmat

    stream: Any = io.BytesIO(source_bytes(name))
    rows, cols = loadmat(stream)["x"].nonzero()
    nodes = 1 + int(max(rows.max(), cols.max()))
    names = [f"{node:05}" for node in range(nodes)]  # in order as numbers and as text
    return Network.from_indices(np.column_stack([rows, cols])[rows < cols], names)


def digest_of(name: str) -> str:
    """Return the beginning of the digest of what a network is made from."""
    return hashlib.sha256(source_bytes(name)).hexdigest()[:12]


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


def apart(
    module: str,
    function: str,
    *given: Any,
    checkout: Path = ROOT,
    env: Mapping[str, str] | None = None,
) -> Any:
    """Return what a function of a module finds in a process of its own.

    The module is that of this checkout, the linkprior it imports is that of `checkout`.
    """
    code = "import importlib, json, sys; module, name, given = sys.argv[1:]; "
    code += "work = getattr(importlib.import_module(module), name); "
    code += "print(json.dumps(work(*json.loads(given))))"
    command = [sys.executable, "-c", code, module, function, json.dumps(given)]
    paths = [str(checkout / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    given_env = {**os.environ, **(env or {}), "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=given_env)
    return json.loads(done.stdout.splitlines()[-1])

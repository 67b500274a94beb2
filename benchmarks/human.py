"""Large real networks as a user runs them: the human interactome and DBLP.

    python -m benchmarks.human [NAME …]      all: about a quarter of an hour on two cores

Every row is a process of its own: `linkprior predict` with everything it does (start, reading,
fitting, ranking, evidence, writing), or a fit of pu or of implicit's ALS: the same loss, rank,
rounds and threads, the best of some runs after the kernels are compiled. Core seconds add up all
cores, so that others on the machine disturb them less. benchmarks/results/human.json keeps rows of
earlier runs unless they run again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks import speed_models as pu
from benchmarks.timing import machine as where
from linkprior import machine, parallel
from linkprior.io.read import read_network
from linkprior.network.generate import planted_network

RESULTS = Path(__file__).parent / "results" / "human.json"
HUMAN, DBLP = "large/PP-Pathways_ppi.csv.gz", "large/prone-dblp.ungraph.gz"
TOP, REPEATS = 100_000, 3
_TRI = ["--model", "tri-degree", "--set", "solver=streaming", "--set", "n_starts=1"]
_TRI += ["--set", "rank=32"]
COMMANDS: dict[str, tuple[str, list[str]]] = {
    "l3": (HUMAN, ["--model", "l3"]),
    "pu": (HUMAN, ["--model", "pu", "--set", "rank=64"]),
    "tri-degree": (HUMAN, _TRI),
    "dblp": (DBLP, [*_TRI, "--candidates", "all"]),
}
FITS = ("fit-pu", "fit-implicit")
GOALS = {
    "fit-pu": "not slower than implicit's ALS",
    "l3": "≤ 60 s, ≤ 3 GB",
    "tri-degree": "≤ 600 s, ≤ 4 GB",
    "dblp": "≤ 4 GB",
}


def command(name: str, source: Path, target: Path) -> list[str]:
    """Return what a user would type."""
    options = [*COMMANDS[name][1], "--top", str(TOP), "-o", str(target)]
    program = Path(sys.executable).with_name("linkprior")
    return [str(program), "predict", str(source), *options]


def predicted(name: str, source: Path) -> dict[str, Any]:
    """Run `linkprior predict` and return its seconds, its peak memory and how much it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "ranking.tsv"
        began = time.perf_counter()
        with subprocess.Popen(command(name, source, target), stderr=subprocess.DEVNULL) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        took = time.perf_counter() - began
        if child.returncode:
            sys.exit(f"{name}: exit status {child.returncode}")
        with target.open(encoding="utf-8") as lines:
            ranked = sum(1 for _ in lines) - 1
    own = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    busy = used.ru_utime + used.ru_stime
    return {
        "options": " ".join(COMMANDS[name][1]),
        "ranked": ranked,
        "seconds": round(took, 2),
        "cpu_seconds": round(busy, 2),
        "peak_bytes": own,
    }


def fitted(name: str, source: Path) -> dict[str, Any]:
    """Fit in this process and return the best time of some runs, and the peak memory."""
    fit = {"fit-pu": pu.our_run, "fit-implicit": pu.implicit_run}[name]
    net, threads = read_network(source), parallel.current_workers()
    with parallel.one_blas_thread():
        fit(planted_network(500), threads)  # compiles what is compiled at first use
        machine.reset_peak_memory()
        runs = [clocked(lambda: fit(net, threads)) for _ in range(REPEATS)]
    took, busy = (round(min(times), 2) for times in zip(*runs, strict=True))
    facts = {"rank": pu.RANK, "rounds": pu.SWEEPS, "threads": threads, "repeats": REPEATS}
    return {**facts, "seconds": took, "cpu_seconds": busy, "peak_bytes": machine.peak_memory()}


def clocked(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of some work, and those of all cores together."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - used


def apart(name: str) -> dict[str, Any]:
    """Run one fit in a process of its own."""
    call = [sys.executable, "-m", "benchmarks.human", "--fit", name]
    done = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def line(name: str, row: dict[str, Any]) -> str:
    """Return one row in words."""
    goal = GOALS.get(name, "none")
    return (
        f"{name:14}{row['seconds']:9.1f} s{row['cpu_seconds']:9.1f} core s"
        f"{row['peak_bytes'] / 1e9:8.2f} GB   goal: {goal}   ({row['machine']})"
    )


def compared(rows: dict[str, Any]) -> str:
    """Return how pu's fit stands beside implicit's."""
    ratios = (rows[FITS[1]][of] / rows[FITS[0]][of] for of in ("seconds", "cpu_seconds"))
    took, busy = ratios
    return f"implicit's time over pu's: {took:.2f} (goal ≥ 1), of all cores {busy:.2f}"


def main() -> None:
    """Print figures as they come, and keep them."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("names", nargs="*", help=", ".join([*COMMANDS, *FITS]))
    options.add_argument("--fit", choices=FITS, help="one fit in this process, as JSON")
    given = options.parse_args()
    folder = data.required_folder()
    if given.fit:
        print(json.dumps(fitted(given.fit, folder / HUMAN)))
        return
    rows = data.read_results(RESULTS)
    for name in given.names or [*FITS, *COMMANDS]:
        load = where()
        one = apart(name) if name in FITS else predicted(name, folder / COMMANDS[name][0])
        rows[name] = {**one, "machine": load}
        print(line(name, rows[name]), flush=True)
        data.write_results(RESULTS, rows)
    if rows.keys() >= set(FITS):
        print(compared(rows))


if __name__ == "__main__":
    main()

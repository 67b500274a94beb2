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
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks import speed as pu
from linkprior import machine, parallel
from linkprior.io.read import read_network
from linkprior.network.generate import planted_network

HUMAN, DBLP = "large/PP-Pathways_ppi.csv.gz", "large/prone-dblp.ungraph.gz"
TOP, REPEATS = 100_000, 3
_TRI = "--model tri-degree --set solver=streaming --set n_starts=1 --set rank=32"
# Name: file, options and goal of a prediction; of a fit, and a goal.
COMMANDS = {
    "l3": (HUMAN, "--model l3", "≤ 60 s, ≤ 3 GB"),
    "pu": (HUMAN, "--model pu --set rank=64", "none"),
    "tri-degree": (HUMAN, _TRI, "≤ 600 s, ≤ 4 GB"),
    "dblp": (DBLP, f"{_TRI} --candidates all", "≤ 4 GB"),
}
FITS = {"fit-pu": "not slower than implicit's ALS", "fit-implicit": "none"}


def predicted(name: str, source: Path) -> dict[str, Any]:
    """Run `linkprior predict` and return its seconds, its peak memory and how much it wrote."""
    options = COMMANDS[name][1]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "ranking.tsv"
        program = Path(sys.executable).with_name("linkprior")
        words = [program, "predict", source, *options.split(), "--top", str(TOP), "-o", target]
        began = time.perf_counter()
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        took = time.perf_counter() - began
        if child.returncode:
            sys.exit(f"{name}: exit status {child.returncode}")
        with target.open(encoding="utf-8") as lines:
            ranked = sum(1 for _ in lines) - 1
    return {
        **{"options": options, "ranked": ranked, "seconds": round(took, 2)},
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "peak_bytes": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }


def fitted(name: str) -> dict[str, Any]:
    """Fit in this process and return the best time of some runs, and the peak memory."""
    fit = {"fit-pu": pu.our_run, "fit-implicit": pu.implicit_run}[name]
    net, threads = read_network(data.required_folder() / HUMAN), parallel.current_workers()
    with parallel.one_blas_thread():
        fit(planted_network(500), threads)  # compiles what is compiled at first use
        machine.reset_peak_memory()
        runs = [data.clocked(lambda: fit(net, threads)) for _ in range(REPEATS)]
    took, busy = (round(min(times), 2) for times in zip(*runs, strict=True))
    facts = {"rank": pu.RANK, "rounds": pu.SWEEPS, "threads": threads, "repeats": REPEATS}
    return {**facts, "seconds": took, "cpu_seconds": busy, "peak_bytes": machine.peak_memory()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("names", nargs="*", help=", ".join([*COMMANDS, *FITS]))
    given = options.parse_args()
    folder, path = data.required_folder(), data.RESULTS / "human.json"
    rows = data.read_results(path)
    for name in given.names or [*FITS, *COMMANDS]:
        where = data.machine()
        if name in FITS:
            row, goal = (
                data.apart("benchmarks.human", "fitted", name, str(folder / HUMAN)),
                FITS[name],
            )
        else:
            row, goal = predicted(name, folder / COMMANDS[name][0]), COMMANDS[name][2]
        rows[name] = {**row, "machine": where}
        took = f"{name:14}{row['seconds']:9.1f} s{row['cpu_seconds']:9.1f} core s"
        print(f"{took}{row['peak_bytes'] / 1e9:8.2f} GB   goal: {goal}   ({where})", flush=True)
        data.write_results(path, rows)
    if rows.keys() >= FITS.keys():
        kinds = ("seconds", "cpu_seconds")
        took, busy = (rows["fit-implicit"][of] / rows["fit-pu"][of] for of in kinds)
        print(f"implicit's time over pu's: {took:.2f} (goal ≥ 1), of all cores {busy:.2f}")


if __name__ == "__main__":
    main()

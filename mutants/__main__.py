"""Put small errors into the code, one at a time, and say which the tests notice.

    python -m mutants [--seconds N] [--workers N] [--show KEY] [FILE ...]

FILE is a part of a file's name (model/priors, io/readers); all files in scope without one. Results
are kept under .mutants/: a run that was stopped goes on, and what has changed is done again.
"""

from __future__ import annotations

import argparse
import difflib
import json
import math
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from linkprior.io.atomic_files import whole_file
from mutants.figures import figures, survivors, table
from mutants.kept import keep, recall
from mutants.project import ROOT, Project, linkprior_project
from mutants.reasons import read_reasons
from mutants.server import results_of, serve
from mutants.sites import Mutant, all_mutants, mutated_tree

RESULTS = ROOT / "benchmarks" / "results" / "mutants.json"
# Kernels run as plain Python, tests on the readable ones unless they ask; no chance, one thread.
SURROUNDINGS = {
    "LINKPRIOR_KERNELS": "portable",
    "NUMBA_DISABLE_JIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


def main() -> int:
    """Do what was asked for; return the exit status."""
    asked = _arguments()
    project = linkprior_project()
    mutants = all_mutants(project)
    if asked.show:
        return _show(project, mutants, asked.show)
    wanted = [m for m in mutants if not asked.files or any(f in m.file for f in asked.files)]
    if not wanted:
        print(f"no file in scope has {' or '.join(asked.files)} in its name", file=sys.stderr)
        return 1
    if asked.worker is not None:
        mine = replace(project, worker=asked.worker, workers=asked.workers)
        head = f"{asked.worker + 1}/{asked.workers} "
        serve(mine, wanted, asked.seconds, lambda t: print(head + t, flush=True), asked.only_learn)
        return 0
    known = results_of(project)
    print(f"{recall(known, mutants)} known from earlier checkouts", flush=True)
    status = _all_workers(asked) if asked.seconds > 0 else 0
    _tell(project, mutants, wanted, asked.output)
    return status


def _all_workers(asked: argparse.Namespace) -> int:
    """Have all processes look at the tests first, then try mutants; return the worst status."""
    end, worst = time.monotonic() + asked.seconds, 0
    for phase in (["--only-learn"], []):
        left = max(end - time.monotonic(), 0.0)
        common = [*asked.files, "--workers", str(asked.workers), "--seconds", str(left), *phase]
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "mutants", *common, "--worker", str(number)],
                env={**os.environ, **SURROUNDINGS},
            )
            for number in range(asked.workers)
        ]
        try:
            statuses = [process.wait() for process in started]
        except KeyboardInterrupt:  # they have been told as well, and end by themselves
            return max(worst, *(process.wait() for process in started))
        worst = max(worst, *statuses)
    return worst


def _tell(project: Project, mutants: list[Mutant], wanted: list[Mutant], output: Path) -> None:
    """Print the figures of what was asked for, write those of all there are."""
    known, reasons = results_of(project), read_reasons()
    print(table(figures(wanted, known.records, reasons)))
    facts = figures(mutants, known.records, reasons)
    unexplained = [m for m in survivors(wanted, known.records) if m.key not in reasons]
    for mutant in unexplained:
        print(mutant)
    print(f"{len(unexplained)} survivors without a reason; {output.name} has all of them")
    with whole_file(output) as stream:
        stream.write(json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
    keep(known, mutants)


def _show(project: Project, mutants: list[Mutant], key: str) -> int:
    """Print what a mutant changes."""
    import ast

    found = [mutant for mutant in mutants if mutant.key.startswith(key)]
    for mutant in found:
        path = project.source / mutant.file
        before = ast.unparse(ast.parse(path.read_text(encoding="utf-8"))).splitlines()
        after = ast.unparse(mutated_tree(path, mutant)).splitlines()
        print(mutant)
        print(*list(difflib.unified_diff(before, after, lineterm="", n=4))[2:], sep="\n")
    if not found:
        print(f"no mutant {key}; the list of survivors has their keys", file=sys.stderr)
    return int(not found)


def _arguments() -> argparse.Namespace:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("files", nargs="*", help="parts of names of files; all without one")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this time")
    parser.add_argument("--workers", type=int, default=cores, help="processes (every core)")
    parser.add_argument("--show", metavar="KEY", help="print what this mutant changes")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--only-learn", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.workers < 1:
        parser.error("--workers: at least one process is needed")
    return asked


if __name__ == "__main__":
    sys.exit(main())

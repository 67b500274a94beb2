"""Put small errors into the code, one at a time, and say which the tests notice.

    python -m mutants [--seconds N] [--show KEY] [FILE ...]

FILE is a part of a file's name (model/priors, io/readers); all files in scope without one. Results
are kept under .mutants/: a run that was stopped goes on, and what has changed is done again.
"""

from __future__ import annotations

import argparse
import difflib
import json
import math
import os
import sys
from pathlib import Path

from linkprior.io.files import whole_file
from mutants.figures import figures, survivors, table
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
    if asked.seconds > 0:
        _surround()
        serve(project, wanted, asked.seconds, lambda line: print(line, flush=True))
    _tell(project, mutants, wanted, asked.output)
    return 0


def _tell(project: Project, mutants: list[Mutant], wanted: list[Mutant], output: Path) -> None:
    """Print the figures of what was asked for, write those of all there are."""
    results, reasons = results_of(project).records, read_reasons()
    print(table(figures(wanted, results, reasons)))
    facts = figures(mutants, results, reasons)
    unexplained = [m for m in survivors(wanted, results) if m.key not in reasons]
    for mutant in unexplained:
        print(mutant)
    print(f"{len(unexplained)} survivors without a reason; {output.name} has all of them")
    with whole_file(output) as stream:
        stream.write(json.dumps(facts, indent=1, ensure_ascii=False) + "\n")


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


def _surround() -> None:
    """Start again with the settings that must be there before Python starts."""
    if any(os.environ.get(name) != value for name, value in SURROUNDINGS.items()):
        again = [sys.executable, "-m", "mutants", *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, **SURROUNDINGS})  # noqa: S606


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("files", nargs="*", help="parts of names of files; all without one")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this time")
    parser.add_argument("--show", metavar="KEY", help="print what this mutant changes")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

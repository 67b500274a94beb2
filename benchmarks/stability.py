"""Whether auto holds still, never fails, is right and fast: python -m benchmarks.stability [PART …]

With --against DIR another checkout (a git worktree of an older commit) is measured in the same run,
cell by cell in turns. Every cell is made in a process of its own, with two threads, by the
linkprior of either checkout; finished cells are not made again. docs/stability.md says what the
parts measure, and has the table, which `benchmarks.update_docs` makes from the stored cells.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks import stability_jobs as jobs
from benchmarks.stability_parts import PARTS, Cell, Found, Options

RESULTS = data.RESULTS / "stability.json"


def found_by(results: Mapping[str, Any], part: str, side: str) -> Found:
    """Return the cells of a part that the checkout before or now has."""
    checkout = results.get("checkouts", {}).get(part, {}).get(side, {}).get("digest")
    cells = ([*key.split("|"), key] for key in results.get("cells", {}))
    return {
        (name, seed): results["cells"][key]
        for of, by, name, _, seed, key in cells
        if (of, by) == (part, checkout)
    }


def table_of(results: Mapping[str, Any]) -> str:
    """Return the table; where both checkouts have cells, of the cells that both have."""
    rows = []
    for part, (_, rows_of) in PARTS.items():
        before, now = (found_by(results, part, side) for side in ("before", "now"))
        if before and now:
            both = before.keys() & now.keys()
            if part == "accuracy":  # "of n" shows where splits have changed
                both = {key for key in both if before[key]["digest"] == now[key]["digest"]}
            before, now = ({key: one[key] for key in one if key in both} for one in (before, now))
        for what, shown, goal in rows_of(before) if part == "accuracy" else rows_of():
            rows.append([what, *(_shown(shown, found) for found in (before, now)), goal])
    return f"{data.table(['what', 'before', 'now', 'goal'], rows)}\n\n{_versions(results)}"


def _versions(results: Mapping[str, Any]) -> str:
    """Return which commits the columns are of, by part: a part may have been measured later."""
    of: dict[str, list[str]] = {}
    for part, sides in results.get("checkouts", {}).items():
        commits = [sides.get(side, {}).get("commit", "–") for side in ("before", "now")]
        if part == "accuracy":
            commits[0] += ", as published"
        of.setdefault(" → ".join(commits), []).append(part)
    told = "; ".join(f"{commits} ({', '.join(parts)})" for commits, parts in of.items())
    return f"Commits: {told or 'nothing has been measured yet'}."


def _shown(shown: Callable[[Found], str], found: Found) -> str:
    try:
        return shown(found) if found else "–"
    except (IndexError, ValueError, statistics.StatisticsError):  # too few cells for this row
        return "–"


def described(checkout: Path) -> dict[str, str]:
    """Return the commit of a checkout, and the digest of its source, committed or not."""
    found = hashlib.sha256()
    for path in sorted((checkout / "src").rglob("*.py")):
        found.update(f"{path.relative_to(checkout)}\n".encode() + path.read_bytes())
    asked = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True).stdout.strip()  # noqa: PLW1510
    return {"digest": found.hexdigest()[:12], "commit": commit}


def run(part: str, sides: Mapping[str, Path], options: Options, path: Path) -> int:
    """Fill in the missing cells of a part, both checkouts in turns; return how many failed."""
    results = data.read_results(path) or {"checkouts": {}, "cells": {}}
    about = {side: described(checkout) for side, checkout in sides.items()}
    results["checkouts"].setdefault(part, {}).update(about, machine=data.machine())
    lock = threading.Lock()

    def fill(cell: Cell, side: str) -> bool:
        """Return whether the cell could not be made."""
        key = cell.key(part, about[side]["digest"])
        if key in results["cells"]:
            return False
        began, name = time.perf_counter(), f"{part}, {side}, {cell.network}, {cell.seed}"
        try:
            if part == "accuracy" and side == "before":
                found = jobs.published(sides[side], *cell.given[:2])
            else:
                found = measured(cell, sides[side])
        except subprocess.CalledProcessError as problem:
            print(f"{name}: FAILED with {problem.returncode}", flush=True)
            return True
        with lock:
            results["cells"][key] = found
            data.write_results(path, results)
        print(f"{name}: {time.perf_counter() - began:.1f} s", flush=True)
        return False

    asked = [(cell, side) for cell in PARTS[part].cells(options) for side in sides]
    with ThreadPoolExecutor(1 if part == "speed" else options.at_once) as pool:
        return sum(pool.map(lambda one: fill(*one), asked))


def measured(cell: Cell, checkout: Path) -> Any:
    """Return what the linkprior of a checkout makes of a cell, in a process of its own.

    Under another arithmetic kernels are compiled anew: those on disk are of the usual one.
    """
    with tempfile.TemporaryDirectory() as folder:
        env = {"LINKPRIOR_WORKERS": "2", **cell.env}
        if cell.env:
            env["NUMBA_CACHE_DIR"] = folder
        return data.apart(jobs.__name__, cell.job, *cell.given, checkout=checkout, env=env)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.stability")
    ask.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; or all")
    ask.add_argument("--against", type=Path, metavar="DIR", help="a checkout to compare with")
    ask.add_argument("--results", type=Path, help="where finished cells are stored")
    ask.add_argument("--networks", default="", help="names of networks, with commas between")
    ask.add_argument("--most", type=int, help="networks of a part at most")
    ask.add_argument("--rounds", type=int, help="splits, seeds, removals or turns at most")
    ask.add_argument("--long", action="store_true", help="speed on the human interactome, too")
    ask.add_argument("--at-once", type=int, default=1, help="cells side by side, but for speed")
    ask.add_argument("--quick", action="store_true", help="a tiny version, in two minutes")
    given = ask.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        sys.exit(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    names = tuple(filter(None, given.networks.split(",")))
    options = Options(names, given.most, given.rounds, given.long, given.quick, given.at_once)
    sides = {"before": given.against.resolve()} if given.against else {}
    sides["now"] = data.ROOT
    quick = Path(tempfile.gettempdir()) / "linkprior-stability-quick.json"
    path = given.results or (quick if given.quick else RESULTS)
    failed = sum(run(part, sides, options, path) for part in given.parts or PARTS)
    print(f"\n{table_of(data.read_results(path))}")
    sys.exit(f"{failed} cells could not be made; the same command asks again" if failed else 0)


if __name__ == "__main__":
    main()

"""The same seed under other workers, engines and processors: the same bytes, or the same pairs."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import linkprior as lp
from torture.sandbox import EVERY_MODEL, Files, differences, files_in, until, write_edges

TOP = 1000
MORE = {  # a name in the table, and the options it stands for
    "tri-degree, streaming": ["--model", "tri-degree", "--set", "solver=streaming"],
    "tri-degree, admm": ["--model", "tri-degree", "--set", "solver=admm"],
}
WORKERS = ("1", "2", "4")
HAS_DASK = importlib.util.find_spec("distributed") is not None
CORES = ("Haswell", "Nehalem", "Prescott")  # of OpenBLAS; the last has no SIMD beyond SSE3
LIMIT = 1500.0  # seconds for all commands of one environment
NO_TIME = "no time"

Words = list[str]


class Table(dict[str, dict[str, str]]):
    """What was the same, by command and column; what should have been and was not."""

    def __init__(self) -> None:
        super().__init__()
        self.defects: list[str] = []

    def note(self, name: str, label: str, what: str, must: bool = True) -> None:
        """Fill in a cell; what must be the same and is not is a defect."""
        self.setdefault(name, {})[label] = what
        wrong = must and what not in ("same bytes", "same pairs", NO_TIME)
        if wrong or what.startswith("FAILED"):
            self.defects.append(f"{name}, {label}: {what}")

    def facts(self) -> dict[str, Any]:
        told = [what for row in self.values() for what in row.values()]
        same = {what.replace(" ", "_"): told.count(what) for what in ("same bytes", "same pairs")}
        return {"comparisons": len(told), **same, "table": self, "defects": self.defects}


def prepare(place: Path) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    net = lp.planted_network(n_nodes=500, n_groups=10, mean_degree=8, seed=3)
    write_edges(place / "edges.tsv", net)
    return place


def compare(place: Path, end: float) -> Table:
    table = Table()
    compare_folders(prepare(place), table)
    compare_predictions(place, end, table)
    return table


def run_all(
    place: Path, commands: Iterable[Words], env: dict[str, str] | None = None, limit: float = LIMIT
) -> list[dict[str, Any]]:
    """Run commands one after another in one process of its own; return how each ended.

    Those that were not begun, or not done, when the time was up say so.
    """
    asked = [list(words) for words in commands]
    words = [sys.executable, "-W", "error::RuntimeWarning", "-m", "torture.determinism"]
    root = Path(__file__).resolve().parents[1]
    usual = {"PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])}
    usual |= {"LINKPRIOR_OFFLINE": "1", "MPLBACKEND": "agg"}
    environment = {**os.environ, **usual, **(env or {})}
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(words, text=True, cwd=place, env=environment, **pipes) as child:
        try:
            out, err = child.communicate(json.dumps(asked), timeout=limit)
            told = " ".join(err.strip().splitlines()[-1:]) or "ended without a word"
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            told = NO_TIME
    ends = [json.loads(line) for line in out.splitlines() if line.startswith('{"status"')]
    return ends + [{"status": -1, "said": told}] * (len(asked) - len(ends))


def main() -> None:
    """Run the commands that come as JSON on standard input, and say how each ended."""
    from linkprior.cli.main import cli
    from linkprior.pipeline.outputs import format_error

    for words in json.loads(sys.stdin.read()):
        try:
            cli.main(words, standalone_mode=False)
            end = {"status": 0, "said": ""}
        except Exception as problem:
            end = {"status": 1, "said": f"{type(problem).__name__}: {format_error(problem)}"}
        print("\n" + json.dumps(end), flush=True)


class Shift(NamedTuple):
    """How far two orders are apart: pairs in one list alone, pairs that moved, and how far."""

    exchanged: int
    moved: int
    largest: int

    def __str__(self) -> str:
        gone = f"{self.exchanged} exchanged, " if self.exchanged else ""
        places = "1 place" if self.largest == 1 else f"{self.largest} places"
        return f"{gone}{self.moved} moved, by up to {places}"


def order_of(content: bytes) -> list[tuple[float, tuple[str, str]]]:
    """Return score and names of each pair of a table, by score to six digits, then by pair.

    Those with the last score are left out, as it is the full scores that say which are in the list.
    """
    rows = csv.DictReader(io.StringIO(content.decode("utf-8")), delimiter="\t")
    found = [(float(row["score"]), (row["source"], row["target"])) for row in rows]
    found.sort(key=lambda one: (-one[0], one[1]))
    return [one for one in found if one[0] != found[-1][0]]


def shift(found: bytes, wanted: bytes) -> Shift:
    """Return how many pairs of the shorter list the other lacks, and how far the others moved."""
    a, b = ({pair: at for at, (_, pair) in enumerate(order_of(one))} for one in (found, wanted))
    far = [abs(a[pair] - b[pair]) for pair in min(a, b, key=len) if pair in a and pair in b]
    return Shift(min(len(a), len(b)) - len(far), sum(map(bool, far)), max(far, default=0))


def same_bytes(found: bytes | str, wanted: bytes | str) -> str:
    """Return what the table says of two files that must not differ."""
    if isinstance(found, str):
        return NO_TIME if found == NO_TIME else f"FAILED: {found[-200:]}"
    return "same bytes" if found == wanted else "DIFFERS"


def same_order(found: bytes | str, wanted: bytes | str) -> str:
    """Return what the table says of two rankings whose last bits may differ."""
    if found == wanted or isinstance(found, str) or isinstance(wanted, str):
        return same_bytes(found, wanted)
    moved = shift(found, wanted)
    return str(moved) if any(moved) else "same pairs"


def predictions(names: Iterable[str] | None = None) -> dict[str, Words]:
    """Return the command of every model, and of its ways to be fitted, by name."""
    options = {name: ["--model", name] for name in EVERY_MODEL} | MORE
    options["auto"] += ["--effort", "fast"]
    return {name: ["predict", "edges.tsv", *options[name], "-q"] for name in names or options}


def simd_levels() -> list[str]:
    """Return the levels NumPy has code for, which this processor has and it would use."""
    from numpy._core import _multiarray_umath as core

    return [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]


def rankings(
    place: Path, commands: dict[str, Words], label: str, more: Words,
    env: dict[str, str] | None = None, limit: float = LIMIT,
) -> dict[str, bytes | str]:  # fmt: skip
    """Return the file each model writes under one condition, or what was said instead."""
    files = [f"{number}.{label}.tsv".replace(" ", "-") for number in range(len(commands))]
    more = ["--top", str(TOP), *more, "-o"]
    asked = [[*words, *more, file] for words, file in zip(commands.values(), files, strict=True)]
    ends = run_all(place, asked, env, limit)
    return {
        name: (place / file).read_bytes() if end["status"] == 0 else str(end["said"])
        for name, file, end in zip(commands, files, ends, strict=True)
    }


def conditions() -> Iterator[tuple[str, Words, dict[str, str], Callable[..., str]]]:
    """Yield each column but the first: its name, options, environment and comparison."""
    for count in WORKERS[1:]:
        yield f"{count} workers", ["--workers", count], {}, same_bytes
    if HAS_DASK:
        yield "dask", ["--dask", "local", "--workers", "2"], {}, same_bytes
    levels = simd_levels()
    found = {f"without {level}": {"NPY_DISABLE_CPU_FEATURES": level} for level in levels}
    if len(levels) > 1:
        found["without any of them"] = {"NPY_DISABLE_CPU_FEATURES": " ".join(levels)}
    found |= {f"OpenBLAS {core}": {"OPENBLAS_CORETYPE": core} for core in CORES}
    found["kernels for a plain processor"] = {"NUMBA_CPU_NAME": "generic"}
    for label, env in found.items():
        yield label, ["--workers", "1"], env, same_order


def compare_predictions(place: Path, end: float, table: Table) -> None:
    """Fill in a row per model, with a column per condition there is time for."""
    commands = predictions()
    wanted = rankings(place, commands, "alone", ["--workers", "1"])
    for name, file in wanted.items():
        table.note(name, "1 worker", same_bytes(file, file))
    for label, more, env, judged in until(end, conditions()):
        must = judged is same_bytes or "NPY_DISABLE_CPU_FEATURES" in env
        left = max(1.0, end - time.monotonic())
        for name, file in rankings(place, commands, label, more, env, left).items():
            table.note(name, label, judged(file, wanted[name]), must)


_CLOCK = ("seconds", "peak_mb")
_TYPED = ("command", "workers", "executor", "written")


def compare_folders(place: Path, table: Table) -> None:
    """Compare what evaluate and tune leave under other workers and engines with what alone."""
    judged = "evaluate edges.tsv --models tri,pu,l3,random --repeats 2 -q -o"
    tuned = "tune edges.tsv --model pu --trials 4 --inner 2 -q"
    one, two, four = (f"--workers {count}" for count in WORKERS)
    processes, local = f"--executor processes {two}", [f"--dask local {two}"] * HAS_DASK
    plans = {
        "evaluate": (judged, [one, two, four, *local]),
        "tune, grid": (
            f"{tuned} --sampler grid --no-prune --study", [one, two, four, processes, *local],
        ),
        "tune, 2 at a time": (f"{tuned} --study", [two, processes, *local]),
    }  # fmt: skip
    for name, (words, ways) in plans.items():
        targets = [f"{name}-{number}".replace(" ", "-") for number in range(len(ways))]
        asked = [[*words.split(), at, *way.split()] for at, way in zip(targets, ways, strict=True)]
        ends = run_all(place, asked)
        left = [timeless(place / target) for target in targets]
        for way, end, files in zip(ways, ends, left, strict=True):
            apart = differences(files, left[0])
            outcome = "DIFFERS: " + ", ".join(apart) if apart else "same bytes"
            outcome = f"FAILED: {end['said'][-200:]}" if end["status"] else outcome
            table.note(name, way, outcome)


def timeless(folder: Path) -> Files:
    """Return the files of a folder without times, memory, and the command that was typed."""
    # Tables in .md and .tex are of the numbers in results.json, times among them.
    found = {n: c for n, c in files_in(folder).items() if not n.endswith((".md", ".tex"))}
    clocks = [f"\t{name}\t".encode() for name in _CLOCK]
    for name, content in found.items():
        if name.endswith(".json"):
            found[name] = json.dumps(_plain(json.loads(content))).encode()
        elif name.endswith(".tsv"):
            rows = content.splitlines()
            found[name] = b"\n".join(row for row in rows if not any(c in row for c in clocks))
    return found


def _plain(found: Any) -> Any:
    if isinstance(found, dict):
        return {k: _plain(v) for k, v in found.items() if k not in (*_CLOCK, *_TYPED)}
    if isinstance(found, list):
        return [_plain(v) for v in found if not (isinstance(v, dict) and v.get("metric") in _CLOCK)]
    return found


if __name__ == "__main__":
    main()

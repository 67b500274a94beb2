"""The tables of docs/reliability.md, from what torture, fuzz, mutants and the matrix kept.

`python -m benchmarks.told --write` puts them into the page; nothing is tried anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fuzz.targets import TARGETS

from benchmarks.pages import table
from fuzz import figures as fuzzed

RESULTS = Path(__file__).parent / "results"
Facts = dict[str, Any]
FOLDERS = ("evaluate", "tune, grid", "tune, 2 at a time")  # rows that are no models
SIGNS = {"same bytes": "=", "same pairs": "≈"}


def kept(name: str) -> Facts:
    """Return the figures that a command left under benchmarks/results."""
    path = RESULTS / name
    found: Facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def _bold(number: int) -> str:
    return f"**{number:,}**"


def summary(_: Facts) -> str:
    """Return what was broken on purpose, how often, and what came of it."""
    torture, fuzz, mutants = kept(TORTURE), kept(FUZZ), kept(MUTANTS)
    cells = kept(MATRIX).get("cells", {})
    least = min(one["seconds"] for one in fuzz["targets"].values()) // 60
    inputs = sum(one["inputs"] for one in fuzz["targets"].values())
    passed = sum(cell["verdict"] == "passed" for cell in cells.values())
    part = {name: torture[name] for name in ("kills", "writes", "memory", "locks", "machine")}
    rows = [
        ["kills", part["kills"]["kills"], f"{part['kills']['resumed']:,} ended byte-identical"],
        [
            "calls that failed",
            part["writes"]["failures"],
            f"{part['writes']['survived']:,} survived",
        ],
        ["memory limits hit", part["memory"]["hit"], f"{len(part['memory']['defects'])} defects"],
        ["cycles of a lock", part["locks"]["cycles"], f"{len(part['locks']['defects'])} defects"],
        [
            "steps of run folders",
            part["machine"]["steps"],
            f"{len(part['machine']['defects'])} defects",
        ],
        ["fuzzed inputs", inputs, f"{len(fuzz['targets'])} targets, {least} minutes or more each"],
        ["mutants", mutants["all"]["tried"], f"{mutants['all']['share']:.1%} killed"],
    ]
    if cells:
        rows.append(["Pythons × dependencies", len(cells), f"{passed} passed"])
    return table(["what", "times", "outcome"], [[what, f"{n:,}", end] for what, n, end in rows])


# ---------------------------------------------------------------------- torture


def kills(facts: Facts) -> str:
    """Return the kills by command."""
    heads = ["command", "kills", "resumed, byte-identical", "units of work"]
    rows = [
        [f"`{name}`", *(str(one[key]) for key in ("kills", "resumed", "units", "most_lost"))]
        for name, one in facts["commands"].items()
    ]
    total = [_bold(facts["kills"]), _bold(facts["resumed"]), "", str(facts["most_lost"])]
    shown = table([*heads, "most done twice after one kill"], [*rows, ["all", *total]])
    return (
        f"{_timed(shown, facts)} {facts['at_random_moments']} kills came at random moments, "
        f"{facts['kills'] - facts['at_random_moments']} at points of the file system, of which "
        f"{facts['points_tried']:,} of {facts['points']:,} were tried; not all are met each time."
    )


def writes(facts: Facts) -> str:
    """Return the calls that were made to fail, by command."""
    keys = ("failures", "survived", "harmless")
    rows = [
        [f"`{name}`", *(str(one[key]) for key in keys)] for name, one in facts["commands"].items()
    ]
    total = ["all", _bold(facts["failures"]), _bold(facts["survived"]), str(facts["harmless"])]
    shown = table(["command", "calls that failed", "survived", "of these harmless"], [*rows, total])
    return f"{_timed(shown, facts)} These are {facts['failures']:,} of {facts['points']:,}."


def memory(facts: Facts) -> str:
    """Return the memory limits by command."""
    keys = ("limits", "hit", "blas")
    rows = [
        [f"`{name}`", *(str(one[key]) for key in keys)] for name, one in facts["commands"].items()
    ]
    total = ["all", _bold(facts["limits"]), _bold(facts["hit"]), str(facts["blas"])]
    heads = ["command", "limits set", "hit, and told in one line", "of these by OpenBLAS itself"]
    return _timed(table(heads, [*rows, total]), facts)


def locks(facts: Facts) -> str:
    """Return what came of two processes at once, and of the cycles of a lock."""
    rows = [
        ["two processes on one folder, the second at a random moment", "pairs"],
        ["– the second left with one clear line", "left"],
        ["– one had all its fits or cells before the other asked: the same bytes", "shared"],
        ["folders of a killed process taken over at once", "taken_over"],
        ["cycles of one lock by four processes, another killed while it cycled", "cycles"],
        ["– attempts refused meanwhile, as another held it", "refused"],
    ]
    shown = [[what, f"{facts[key]:,}"] for what, key in rows]
    shown.append(["defects, a hang among them", str(len(facts["defects"]))])
    return _timed(table(["what", "times"], shown), facts)


def machine(facts: Facts) -> str:
    """Return how far the state machine went."""
    row = [f"{facts['examples']:,}", f"{facts['steps']:,}", str(len(facts["defects"]))]
    return _timed(table(["folders", "steps", "defects"], [row]), facts)


def numerics(facts: Facts) -> str:
    """Return how many models, networks and parameters were tried."""
    fits = f"{facts['fits']:,}"
    rows = [
        [f"models × {facts['networks']} networks", f"{facts['tried']:,} of {facts['cases']:,}"],
        ["parameters far out of range", f"{facts['values_tried']:,} of {facts['values']:,}"],
        ["ranked, or read (with lists of 100,000 ties, and names that look alike)", fits],
        ["refused in one line", f"{facts['refused']:,}"],
        ["defects", str(len(facts["defects"]))],
    ]
    return _timed(table(["what", "times"], rows), facts)


def soak(facts: Facts) -> str:
    """Return what was held before and after the fits."""
    before, after = facts["before"], facts["after"]
    rounds = f"{facts['rounds']:,} fits later"
    grown = f"{after['mb']:.1f} MB: **{facts['mb_per_1000_fits']} MB** per 1,000 fits"

    def both(*names: str) -> list[str]:
        return ["; ".join(f"{one[name]:,}" for name in names) for one in (before, after)]

    rows = [
        ["memory (resident)", f"{before['mb']:.1f} MB", grown],
        ["objects of Python", *both("objects")],
        ["open files; threads; child processes", *both("files", "threads", "children")],
        ["pieces of shared memory; temporary files", *both("shared", "temporary")],
    ]
    return _timed(table(["", "after the warm-up", rounds], rows), facts)


def _timed(shown: str, facts: Facts) -> str:
    """Return a table with the seed and the seconds it took below it."""
    return f"{shown}\n\nSeed {facts['seed']}, {facts['seconds']:,} s."


# ---------------------------------------------------------------------- determinism


def determinism(facts: Facts) -> str:
    """Return what was the same for each model; models with the same row share it."""
    rows: dict[tuple[str, ...], list[str]] = {}
    heads: list[str] = []
    for name, told in facts["table"].items():
        if name not in FOLDERS:
            columns = _columns(told)
            heads = max(heads, list(columns), key=len)
            rows.setdefault(tuple(columns.values()), []).append(f"`{name}`")
    cells = [[" ".join(names), *signs] for signs, names in rows.items()]
    return _timed(table(["model", *heads], cells), facts)


def _columns(told: dict[str, str]) -> dict[str, str]:
    """Return the columns of one model: all that must be the same bytes together, then others."""
    levels = [label.removeprefix("without ") for label in told if label.startswith("without ")]
    named = ", ".join("or all" if level == "any of them" else level for level in levels)
    simd = f"NumPy without {named}"
    groups: dict[str, list[str]] = {}
    for label, what in told.items():
        name = "1, 2, 4 workers" if label.endswith(("worker", "workers")) else label
        name = simd if label.startswith("without ") else name
        groups.setdefault(name, []).append(_sign(what))
    return {name: " ".join(dict.fromkeys(signs)) for name, signs in groups.items()}


def _sign(what: str) -> str:
    moved = re.fullmatch(r"(\d+) moved, by up to (\d+) places?", what)
    return f"{moved[1]} by {moved[2]}" if moved else SIGNS.get(what, what)


def folders(facts: Facts) -> str:
    """Return what was the same for commands that fill a folder."""
    rows = [[f"`{name}`", *_same(facts["table"][name])] for name in FOLDERS]
    return table(["command", "compared", "same"], rows)


def _same(told: dict[str, str]) -> Iterator[str]:
    yield "; ".join(f"`{way}`" for way in told)
    yield "yes" if set(told.values()) == {"same bytes"} else "**no**"


# ---------------------------------------------------------------------- fuzz, mutants, versions


def fuzz(facts: Facts) -> str:
    """Return inputs, minutes and findings by target."""
    return fuzzed.table(facts["targets"], TARGETS)


def growth(facts: Facts) -> str:
    """Return how time grows with size, by target."""
    found = facts["growth"]
    rows = [
        [name, f"{found[name]['exponent']:.2f}", f"{found[name]['s_per_mb']:.3f}"]
        for name in TARGETS
        if name in found
    ]
    return table(["target", "exponent", "s per MB, slowest"], rows)


def mutants(facts: Facts) -> str:
    """Return the mutants by area."""
    rows = []
    for name, one in [*facts["areas"].items(), ("all", facts["all"])]:
        counts = [f"{one[key]:,}" for key in ("there", "tried", "killed", "by_time", "uncovered")]
        rows.append([name, *counts, f"{one['share']:.1%}"])
    heads = ["area", "there", "tried", "killed", "of these by time", "run by no test"]
    return table([*heads, "share killed"], rows)


VERSIONS = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "optuna", "click")


def matrix(facts: Facts) -> str:
    """Return how the tests went on every Python with either end of the dependencies."""
    if not facts:
        return "No cell has run all of them yet."
    rows = []
    for name, cell in facts["cells"].items():
        versions = [cell["versions"].get(package, "") for package in VERSIONS]
        told = re.sub(r" in [\d.]+s.*", "", cell["told"])
        rows.append([name, *versions, f"{cell['verdict']}: {told}"])
    return table(["cell", *VERSIONS, "result"], rows)


TORTURE, FUZZ, MUTANTS, MATRIX = "torture.json", "fuzz.json", "mutants.json", "matrix.json"
# The name of each table, the file its figures are in, their key there, and who writes it.
TABLES: dict[str, tuple[str, str | None, Callable[[Facts], str]]] = {
    "summary": (MATRIX, None, summary),
    "matrix": (MATRIX, None, matrix),
    "kills": (TORTURE, "kills", kills),
    "writes": (TORTURE, "writes", writes),
    "memory": (TORTURE, "memory", memory),
    "locks": (TORTURE, "locks", locks),
    "machine": (TORTURE, "machine", machine),
    "fuzz": (FUZZ, None, fuzz),
    "growth": (FUZZ, None, growth),
    "determinism": (TORTURE, "determinism", determinism),
    "folders": (TORTURE, "determinism", folders),
    "numerics": (TORTURE, "numerics", numerics),
    "soak": (TORTURE, "soak", soak),
    "mutants": (MUTANTS, None, mutants),
}


def told(name: str) -> str:
    """Return one table of docs/reliability.md."""
    file, key, write = TABLES[name]
    facts = kept(file)
    return write(facts if key is None else facts[key])

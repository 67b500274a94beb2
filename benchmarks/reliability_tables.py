"""The tables of docs/reliability.md, from what torture, fuzz, mutants and the matrix left."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from benchmarks.data import saved, table

Facts = dict[str, Any]
FOLDERS = ("evaluate", "tune, grid", "tune, 2 at a time")  # rows that are no models
SIGNS = {"same bytes": "=", "same pairs": "≈"}
VERSIONS = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "optuna", "click")


def summary() -> str:
    """Return what was broken on purpose, how often, and what came of it."""
    torture, mutants = saved("torture"), saved("mutants")["all"]
    targets, cells = saved("fuzz")["targets"].values(), saved("matrix").get("cells", {})
    least = min(one["seconds"] for one in targets) // 60
    passed = sum(cell["verdict"] == "passed" for cell in cells.values())
    kills, writes = torture["kills"], torture["writes"]
    rows = [
        ["kills", kills["kills"], f"{kills['resumed']:,} ended byte-identical"],
        ["calls that failed", writes["failures"], f"{writes['survived']:,} survived"],
    ]
    for what, part, key in (
        ("memory limits hit", "memory", "hit"),
        ("cycles of a lock", "locks", "cycles"),
        ("steps of run folders", "machine", "steps"),
    ):
        rows.append([what, torture[part][key], f"{len(torture[part]['defects'])} defects"])
    inputs = sum(one["inputs"] for one in targets)
    rows.append(["fuzzed inputs", inputs, f"{len(targets)} targets, {least} minutes or more each"])
    rows.append(["mutants", mutants["tried"], f"{mutants['share']:.1%} killed"])
    rows += [["Pythons × dependencies", len(cells), f"{passed} passed"]] if cells else []
    return table(["what", "times", "outcome"], [[what, f"{n:,}", end] for what, n, end in rows])


def by_command(heads: list[str], keys: list[str], bold: int, facts: Facts) -> str:
    """Return some figures by command, with a row for all, in which the first are bold."""
    rows = [
        [f"`{name}`", *(str(one[key]) for key in keys)] for name, one in facts["commands"].items()
    ]
    sums = [str(facts.get(key, "")) for key in keys]
    sums[:bold] = [f"**{facts[key]:,}**" for key in keys[:bold]]
    return timed(table(["command", *heads], [*rows, ["all", *sums]]), facts)


def timed(shown: str, facts: Facts) -> str:
    return f"{shown}\n\nSeed {facts['seed']}, {facts['seconds']:,} s."


def kills(facts: Facts) -> str:
    heads = ["kills", "resumed, byte-identical", "units of work", "most done twice after one kill"]
    shown = by_command(heads, ["kills", "resumed", "units", "most_lost"], 2, facts)
    return (
        f"{shown} {facts['at_random_moments']} kills came at random moments, "
        f"{facts['kills'] - facts['at_random_moments']} at points of the file system, of which "
        f"{facts['points_tried']:,} of {facts['points']:,} were tried; not all are met each time."
    )


def writes(facts: Facts) -> str:
    heads = ["calls that failed", "survived", "of these harmless"]
    shown = by_command(heads, ["failures", "survived", "harmless"], 2, facts)
    return f"{shown} These are {facts['failures']:,} of {facts['points']:,}."


def memory(facts: Facts) -> str:
    heads = ["limits set", "hit, and reported in one line", "of these by OpenBLAS itself"]
    return by_command(heads, ["limits", "hit", "blas"], 2, facts)


def locks(facts: Facts) -> str:
    rows = {
        "two processes on one folder, the second at a random moment": "pairs",
        "– the second exited with one clear line": "left",
        "– one had all its fits or cells before the other asked: the same bytes": "shared",
        "folders of a killed process taken over at once": "taken_over",
        "cycles of one lock by four processes, another killed while it cycled": "cycles",
        "– attempts refused meanwhile, as another held it": "refused",
    }
    shown = [[what, f"{facts[key]:,}"] for what, key in rows.items()]
    shown.append(["defects, a hang among them", str(len(facts["defects"]))])
    return timed(table(["what", "times"], shown), facts)


def machine(facts: Facts) -> str:
    row = [f"{facts['examples']:,}", f"{facts['steps']:,}", str(len(facts["defects"]))]
    return timed(table(["folders", "steps", "defects"], [row]), facts)


def numerics(facts: Facts) -> str:
    ranked = "ranked, or read (with lists of 100,000 ties)"
    rows = [
        [f"models × {facts['networks']} networks", f"{facts['tried']:,} of {facts['cases']:,}"],
        ["parameters far out of range", f"{facts['values_tried']:,} of {facts['values']:,}"],
        [ranked, f"{facts['fits']:,}"],
        ["refused in one line", f"{facts['refused']:,}"],
        ["defects", str(len(facts["defects"]))],
    ]
    return timed(table(["what", "times"], rows), facts)


def soak(facts: Facts) -> str:
    before, after = facts["before"], facts["after"]
    grown = f"{after['mb']:.1f} MB: **{facts['mb_per_1000_fits']} MB** per 1,000 fits"

    def both(*names: str) -> list[str]:
        return ["; ".join(f"{one[name]:,}" for name in names) for one in (before, after)]

    rows = [
        ["memory (resident)", f"{before['mb']:.1f} MB", grown],
        ["objects of Python", *both("objects")],
        ["open files; threads; child processes", *both("files", "threads", "children")],
        ["shared-memory segments; temporary files", *both("shared", "temporary")],
    ]
    heads = ["", "after the warm-up", f"{facts['rounds']:,} fits later"]
    return timed(table(heads, rows), facts)


def determinism(facts: Facts) -> str:
    """Return what was the same for each model; models with the same row share it."""
    rows: dict[tuple[str, ...], list[str]] = {}
    heads: list[str] = []
    for name, outcomes in facts["table"].items():
        if name not in FOLDERS:
            columns = _columns(outcomes)
            heads = max(heads, list(columns), key=len)
            rows.setdefault(tuple(columns.values()), []).append(f"`{name}`")
    cells = [[" ".join(names), *signs] for signs, names in rows.items()]
    return timed(table(["model", *heads], cells), facts)


def _columns(outcomes: dict[str, str]) -> dict[str, str]:
    """Return the columns of one model: all that must be the same bytes together, then others."""
    levels = [label.removeprefix("without ") for label in outcomes if label.startswith("without ")]
    named = ", ".join("or all" if level == "any of them" else level for level in levels)
    groups: dict[str, list[str]] = {}
    for label, outcome in outcomes.items():
        name = "1, 2, 4 workers" if label.endswith(("worker", "workers")) else label
        name = f"NumPy without {named}" if label.startswith("without ") else name
        moved = re.fullmatch(r"(\d+) moved, by up to (\d+) places?", outcome)
        sign = f"{moved[1]} by {moved[2]}" if moved else SIGNS.get(outcome, outcome)
        groups.setdefault(name, []).append(sign)
    return {name: " ".join(dict.fromkeys(signs)) for name, signs in groups.items()}


def folders(facts: Facts) -> str:
    rows = []
    for name in FOLDERS:
        outcomes = facts["table"][name]
        same = "yes" if set(outcomes.values()) == {"same bytes"} else "**no**"
        rows.append([f"`{name}`", "; ".join(f"`{way}`" for way in outcomes), same])
    return table(["command", "compared", "same"], rows)


def fuzz(facts: Facts) -> str:
    summed, highest = ("inputs", "seconds", "corpus", "findings"), ("slowest_s", "peak_mb")
    targets = facts["targets"]
    total = {key: sum(one[key] for one in targets.values()) for key in summed}
    total |= {key: max(one[key] for one in targets.values()) for key in highest}
    rows = [
        [
            *(name, f"{one['inputs']:,}", f"{one['seconds'] / 60:.1f}", f"{one['slowest_s']:.2f}"),
            *(str(one["peak_mb"]), str(one.get("coverage", "")), f"{one['corpus']:,}"),
            str(one["findings"]),
        ]
        for name, one in [*targets.items(), ("all", total)]
    ]
    heads = ["target", "inputs", "minutes", "slowest s", "peak MB", "lines", "corpus", "found"]
    return table(heads, rows)


def mutants(facts: Facts) -> str:
    rows = []
    for name, one in [*facts["areas"].items(), ("all", facts["all"])]:
        counts = [f"{one[key]:,}" for key in ("there", "tried", "killed", "by_time", "uncovered")]
        rows.append([name, *counts, f"{one['share']:.1%}"])
    heads = ["area", "total", "tried", "killed", "of these by time", "run by no test"]
    return table([*heads, "share killed"], rows)


def matrix(facts: Facts) -> str:
    if not facts:
        return "No cell has run all of them yet."
    rows = []
    for name, cell in facts["cells"].items():
        versions = [cell["versions"].get(package, "") for package in VERSIONS]
        outcome = re.sub(r" in [\d.]+s.*", "", cell["told"])
        rows.append([name, *versions, f"{cell['verdict']}: {outcome}"])
    return table(["cell", *VERSIONS, "result"], rows)


TORTURE = (kills, writes, memory, locks, machine, determinism, numerics, soak)
TABLES: dict[str, Callable[[], str]] = {
    "summary": summary,
    **{
        make.__name__: lambda make=make: make(saved("torture")[make.__name__])  # type: ignore[misc]
        for make in TORTURE
    },
    "folders": lambda: folders(saved("torture")["determinism"]),
    "fuzz": lambda: fuzz(saved("fuzz")),
    "mutants": lambda: mutants(saved("mutants")),
    "matrix": lambda: matrix(saved("matrix")),
}

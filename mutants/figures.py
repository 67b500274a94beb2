"""What came of the mutants: shares with their standard errors, by area, and who survived why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from mutants.sites import Mutant
from mutants.store import Record
from mutants.trial import KILLED, UNCOVERED

Facts = dict[str, Any]


def share(killed: int, tried: int, there: int) -> tuple[float, float]:
    """Return the share killed and its standard error, as a sample of all there are."""
    if tried == 0:
        return math.nan, math.nan
    p = killed / tried
    rest = (there - tried) / max(there - 1, 1)  # a sample of all of them has no error
    return p, math.sqrt(p * (1.0 - p) / tried * rest)


def tally(mutants: Iterable[Mutant], results: dict[str, Record]) -> Facts:
    """Return the counts of some mutants: there, tried, killed, of these by time, uncovered."""
    everything = list(mutants)
    known = [results[mutant.key] for mutant in everything if mutant.key in results]
    counts = Counter(record["result"] for record in known)
    by_time = sum(record["by"] == "time" for record in known)
    p, error = share(counts[KILLED], len(known), len(everything))
    return {
        "there": len(everything),
        "tried": len(known),
        "killed": counts[KILLED],
        "by_time": by_time,
        "uncovered": counts[UNCOVERED],
        "share": round(p, 4) if known else None,
        "standard_error": round(error, 4) if known else None,
    }


def figures(mutants: list[Mutant], results: dict[str, Record], reasons: dict[str, str]) -> Facts:
    """Return the counts over all, by area, by file and by kind of error, and the survivors."""
    return {
        "all": tally(mutants, results),
        "areas": _by(mutants, results, "area"),
        "files": _by(mutants, results, "file"),
        "operators": _by(mutants, results, "operator"),
        "survivors": [_told(m, results[m.key], reasons) for m in survivors(mutants, results)],
    }


def survivors(mutants: list[Mutant], results: dict[str, Record]) -> list[Mutant]:
    """Return those that no test noticed, in the order of the text."""
    alive = [m for m in mutants if m.key in results and results[m.key]["result"] != KILLED]
    return sorted(alive, key=lambda mutant: (mutant.file, mutant.line, mutant.key))


def _by(mutants: list[Mutant], results: dict[str, Record], name: str) -> Facts:
    groups: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault(getattr(mutant, name), []).append(mutant)
    return {group: tally(groups[group], results) for group in sorted(groups)}


def _told(mutant: Mutant, record: Record, reasons: dict[str, str]) -> Facts:
    return {
        "key": mutant.key,
        "where": f"{mutant.file}:{mutant.line} {mutant.scope}".rstrip(),
        "error": f"{mutant.before} -> {mutant.after}",
        "covered": record["result"] != UNCOVERED,
        "reason": reasons.get(mutant.key, ""),
    }


def table(facts: Facts) -> str:
    """Return the counts by area as lines of text."""
    rows = [*facts["areas"].items(), ("all", facts["all"])]
    head = f"{'':20}{'there':>8}{'tried':>8}{'killed':>8}{'by time':>9}{'share':>16}"
    return "\n".join([head, *(_row(name, counts) for name, counts in rows)])


def _row(name: str, counts: Facts) -> str:
    numbers = f"{counts['there']:>8}{counts['tried']:>8}{counts['killed']:>8}{counts['by_time']:>9}"
    if counts["share"] is None:
        return f"{name:20}{numbers}{'':>16}"
    told = f"{counts['share']:.1%} ± {counts['standard_error']:.1%}"
    return f"{name:20}{numbers}{told:>16}"

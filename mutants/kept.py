"""What became of mutants in earlier runs, kept in the repository: a new checkout goes on there.

A survivor is asked again, as a test that came later may notice it; until then it counts as one.
Without the file, or with a line taken out of it, mutants are tried anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from linkprior.io.atomic_files import whole_file
from mutants.forks import TIME
from mutants.project import ROOT
from mutants.sites import Mutant
from mutants.store import Lines, Record
from mutants.trial import KILLED, SURVIVED, UNCOVERED

PLACE = ROOT / "benchmarks" / "results" / "mutants_tried.txt"


def recall(results: Lines, mutants: Iterable[Mutant], path: Path = PLACE) -> int:
    """Take over what nothing is known of here; return how many these are."""
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    tried = {key: fate for key, _, fate in (line.partition(" ") for line in lines)}
    found = [m.key for m in mutants if m.key in tried and m.key not in results.records]
    for key in found:
        alive = tried[key] in (SURVIVED, UNCOVERED)
        result, by = (tried[key], "") if alive else (KILLED, tried[key])
        known: Record = {"mutant": key, "result": result, "by": by, "text": ""}
        results.add({**known, "asked": 0, "seconds": 0.0, "survived": []})
    return len(found)


def keep(results: Lines, mutants: Iterable[Mutant], path: Path = PLACE) -> None:
    """Write the mutants there are that were tried: killed without a word, by time, or alive."""
    tried = sorted(mutant.key for mutant in mutants if mutant.key in results.records)
    with whole_file(path) as stream:
        for key in tried:
            stream.write(f"{key} {_fate(results.records[key])}".rstrip() + "\n")


def _fate(record: Record) -> str:
    if record["result"] != KILLED:
        return str(record["result"])
    return TIME if record["by"] == TIME else ""

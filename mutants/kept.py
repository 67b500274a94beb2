"""Who was killed in earlier runs, in a file of the repository: a new checkout goes on from there.

A survivor is not in it, as a test that came later may notice it. Without the file, or with a line
taken out of it, mutants are tried again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from linkprior.io.files import whole_file
from mutants.forks import TIME
from mutants.project import ROOT
from mutants.sites import Mutant
from mutants.store import Lines, Record
from mutants.trial import KILLED

PLACE = ROOT / "benchmarks" / "results" / "mutants_killed.txt"


def recall(results: Lines, mutants: Iterable[Mutant], path: Path = PLACE) -> int:
    """Take over what nothing is known of here; return how many these are."""
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    killed = {key: by for key, _, by in (line.partition(" ") for line in lines)}
    found = [m.key for m in mutants if m.key in killed and m.key not in results.records]
    for key in found:
        known: Record = {"mutant": key, "result": KILLED, "by": killed[key], "text": ""}
        results.add({**known, "asked": 0, "seconds": 0.0, "survived": []})
    return len(found)


def keep(results: Lines, mutants: Iterable[Mutant], path: Path = PLACE) -> None:
    """Write the mutants there are that were killed, and which of them by time."""
    known = {mutant.key: results.records.get(mutant.key) for mutant in mutants}
    killed = sorted(key for key, r in known.items() if r is not None and r["result"] == KILLED)
    by_time = {key for key in killed if results.records[key]["by"] == TIME}
    with whole_file(path) as stream:
        stream.writelines(f"{key} {TIME}\n" if key in by_time else f"{key}\n" for key in killed)

"""A memory limit hits: one line, exit status 1, nothing torn; the next run is as ever."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import Any

from torture.ground import Ground, broken, unsettled

LIMITED = ("predict run", "evaluate", "tune")
_BLAS = "OpenBLAS error: Memory allocation still failed"
STEPS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 48, 64, 96)  # MB more than at start


@dataclass
class Tally:
    """What came of the limits."""

    limits: int = 0
    hit: int = 0
    blas: int = 0  # times OpenBLAS ended the process itself, with a line of its own and status 1
    defects: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Return the tally for JSON."""
        return dict(vars(self))


def limit(ground: Ground, name: str, megabytes: float, tally: Tally) -> None:
    """Run a command with so much address space beyond what it has at its start."""
    known = ground.of(name)
    place = ground.fresh(known)
    end = ground.nursery.run(known.job.argv, place, memory=int(megabytes * 2**20))
    tally.limits += 1
    wrong = broken(known, place)
    if end.status or end.hung:
        tally.hit += 1
        lines = end.err.splitlines()
        tally.blas += any(_BLAS in line for line in lines)
        ours = len(lines) == 1 and lines[0].startswith(("linkprior: ", _BLAS))
        if end.hung or end.status != 1 or not ours:
            wrong.append(f"status {end.status}, not one line: {end.err[-400:]}")
    wrong += unsettled(known, place, ground.nursery.run(known.job.argv, place))
    tally.defects += [f"{name} with {megabytes} MB: {what}" for what in wrong]
    shutil.rmtree(place)

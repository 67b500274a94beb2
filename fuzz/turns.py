"""Whose turn it is and for how long, and one turn: a process that fuzzes one target."""

from __future__ import annotations

import itertools
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzz import figures, places
from linkprior import machine

TURN = 60
GRACE = 300  # seconds to start and to end in, on a busy machine
_MOST_SEED = 2**31
_one_writes = threading.Lock()  # the file of figures is read, added to and written


@dataclass(frozen=True)
class Plan:
    """What is to be fuzzed, and for how long.

    Attributes
    ----------
    seconds
        For each target in this run; None: no end.
    total
        For each target in all runs together; None: no such end.
    work, output
        The working folder, and the file in which figures are added up.
    """

    targets: list[str]
    seconds: int | None
    total: int | None
    seed: int
    work: Path
    output: Path

    def rounds(self) -> Iterator[list[tuple[str, int]]]:
        """Yield the targets that go on and for how many seconds, round by round."""
        for number in itertools.count():
            lengths = [(name, self._length(name, number)) for name in self.targets]
            turns = [(name, length) for name, length in lengths if length >= 1]
            if not turns:
                return
            yield turns

    def _length(self, name: str, number: int) -> int:
        left = [TURN]
        if self.seconds is not None:
            left.append(self.seconds - number * TURN)
        if self.total is not None:
            left.append(self.total - self.known(name).get("seconds", 0))
        return min(left)

    def known(self, name: str) -> figures.Facts:
        """Return the figures of a target so far."""
        facts: figures.Facts = figures.read_figures(self.output).get("targets", {}).get(name, {})
        return facts


Run = Callable[[list[str], int], None]  # a call, and the seconds after which it is ended


def run_process(call: list[str], seconds: int) -> None:
    """Run a process; one that does not come back is ended."""
    process = subprocess.Popen(call, cwd=places.ROOT, env=environment())
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def turn(name: str, seconds: int, plan: Plan, run: Run = run_process) -> figures.Facts:
    """Fuzz one target for a while in a process of its own, and add up the figures."""
    before = len(places.findings_in(plan.work, name))
    began = time.monotonic()
    # Inputs tried so far are part of the seed: no turn, of whatever run, repeats another.
    seed = 1 + (plan.seed + plan.known(name).get("inputs", 0)) % _MOST_SEED
    call = [sys.executable, "-m", "fuzz.child", name, "--work", str(plan.work)]
    run([*call, "--seconds", str(seconds), "--seed", str(seed)], seconds + GRACE)
    facts = collect(name, plan.work, before, time.monotonic() - began)
    about = {"system": _system(), "versions": machine.versions()}
    with _one_writes:
        figures.keep_turn(plan.output, name, facts, **about)
    return facts


def collect(name: str, work: Path, before: int, seconds: float) -> figures.Facts:
    """Return the figures of a turn that is over."""
    log, notes = (places.turn_file(work, name, suffix) for suffix in ("log", "json"))
    told = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    noted = json.loads(notes.read_text(encoding="utf-8")) if notes.exists() else {}
    new = max(0, len(places.findings_in(work, name)) - before)
    return {
        "seconds": round(seconds),
        **figures.read_log(told),
        "slowest_s": round(noted.get("slowest_s", 0.0), 3),
        "findings": new,
    }


def environment() -> dict[str, str]:
    """Small networks need no compiled kernels, and one thread is enough."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LINKPRIOR_WORKERS"), "1")
    return {**os.environ, **one, "LINKPRIOR_KERNELS": "portable"}


def _system() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"

"""Try random and damaged inputs on everything that reads a file: python -m fuzz [TARGET ...].

Without --seconds it goes on until Ctrl-C, a turn of each target after the other; stopped at any
moment, it goes on where it was. Figures are added up in benchmarks/results/fuzz.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from fuzz import corpus, figures, growth, places
from fuzz.targets import TARGETS
from fuzz.verdict import judged
from linkprior import machine

RESULTS = places.ROOT / "benchmarks" / "results" / "fuzz.json"
TURN = 60
GRACE = 300  # seconds to start and to end in, on a busy machine


def main() -> int:
    """Do what was asked for; 0 unless there is a finding."""
    asked = _arguments()
    if asked.list:
        print("\n".join(f"{name:14} {target.summary}" for name, target in TARGETS.items()))
        return 0
    if asked.figures:
        print(figures.table(figures.read_figures(asked.output).get("targets", {}), TARGETS))
        return 0
    if asked.replay is not None:
        return _replay(asked.targets[0], asked.replay)
    if asked.growth:
        return growth.report(asked.targets, asked.work, asked.output, asked.seed)
    if asked.keep:
        return corpus.keep(asked.targets, asked.work)
    return _fuzz(asked)


def _fuzz(asked: argparse.Namespace) -> int:
    if not _has_atheris():
        print("atheris is not installed: pip install -e .[fuzz] (Linux x86_64)", file=sys.stderr)
        return 1
    try:
        for name, seconds, number in _turns(asked):
            _tell(name, asked.work, turn(name, seconds, asked.seed + number, asked))
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
    print(figures.table(figures.read_figures(asked.output).get("targets", {}), TARGETS))
    return int(any(places.findings_in(asked.work, name) for name in asked.targets))


def _turns(asked: argparse.Namespace) -> Iterator[tuple[str, int, int]]:
    """Yield whose turn it is, for how long, and the number of the turn."""
    for number in itertools.count():
        left = TURN if asked.seconds is None else min(TURN, asked.seconds - number * TURN)
        if left < 1:
            return
        yield from ((name, left, number) for name in asked.targets)


def turn(name: str, seconds: int, seed: int, asked: argparse.Namespace) -> figures.Facts:
    """Fuzz one target for a while in a process of its own, and add up the figures."""
    before = len(places.findings_in(asked.work, name))
    began = time.monotonic()
    call = [sys.executable, "-m", "fuzz.child", name, "--work", str(asked.work)]
    call += ["--seconds", str(seconds), "--seed", str(1 + seed)]
    stopped = False
    process = subprocess.Popen(call, cwd=places.ROOT, env=_environment())
    try:
        process.wait(timeout=seconds + GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    except KeyboardInterrupt:  # it has heard it too
        stopped = True
        process.wait()
    facts = collect(name, asked.work, before, time.monotonic() - began)
    figures.keep_turn(asked.output, name, facts, system=_system(), versions=machine.versions())
    if stopped:
        raise KeyboardInterrupt
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


def _tell(name: str, work: Path, facts: figures.Facts) -> None:
    print(
        f"{name}: {facts['inputs']:,} inputs in {facts['seconds']} s, {facts['coverage']} lines, "
        f"slowest {facts['slowest_s']} s, {facts['peak_mb']} MB",
        flush=True,
    )
    for path in places.findings_in(work, name):
        said = path.with_suffix(".txt")
        what = said.read_text(encoding="utf-8").strip() if said.exists() else path.name[:12]
        print(f"FINDING {what}: python -m fuzz --replay {path} {name}", flush=True)


def _replay(name: str, path: Path) -> int:
    """Try one input once more, with the traceback if it breaks a promise."""
    data = path.read_bytes()
    with places.scratch() as place:
        attempt = TARGETS[name].make(place)
        finding = judged(attempt, data)
        if finding is None:
            print(f"{path}: as it should be")
            return 0
        print(f"{path}: {finding}")
        attempt(data)  # once more, for the traceback
    return 1


def _has_atheris() -> bool:
    from importlib.util import find_spec

    return find_spec("atheris") is not None


def _environment() -> dict[str, str]:
    """Small networks need no compiled kernels, and one thread is enough."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LINKPRIOR_WORKERS"), "1")
    return {**os.environ, **one, "LINKPRIOR_KERNELS": "portable"}


def _system() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all without a name")
    parser.add_argument("--seconds", type=int, help="for each target; without it, no end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="name the targets")
    parser.add_argument("--figures", action="store_true", help="print the figures so far")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try one input on one target")
    parser.add_argument("--growth", action="store_true", help="time against size")
    parser.add_argument("--keep", action="store_true", help="make fuzz/corpus of what was found")
    parser.add_argument("--work", type=Path, default=places.WORK, help="working folder")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="where figures go")
    asked = parser.parse_args()
    unknown = sorted(set(asked.targets) - set(TARGETS))
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; --list names them")
    if asked.replay is not None and len(asked.targets) != 1:
        parser.error("--replay FILE TARGET: which target is it for?")
    asked.targets = asked.targets or list(TARGETS)
    return asked


if __name__ == "__main__":
    sys.exit(main())

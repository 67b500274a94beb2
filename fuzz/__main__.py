"""Try random and damaged inputs on everything that reads a file: python -m fuzz [TARGET ...].

Without --seconds or --total it goes on until Ctrl-C, a turn of each target after the other; stopped
at any moment, it goes on where it was. Figures are added up in benchmarks/results/fuzz.json.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz import corpus, figures, growth, places
from fuzz.targets import TARGETS
from fuzz.turns import Plan, turn
from fuzz.verdict import judged

RESULTS = places.ROOT / "benchmarks" / "results" / "fuzz.json"


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
    plan = Plan(asked.targets, asked.seconds, asked.total, asked.seed, asked.work, asked.output)

    def one(name: str, seconds: int) -> None:
        _tell(name, plan.work, turn(name, seconds, plan))

    pool = ThreadPoolExecutor(asked.workers)
    try:
        for turns in plan.rounds():
            for done in [pool.submit(one, *each) for each in turns]:
                done.result()
    except KeyboardInterrupt:  # the processes have heard it too
        print("stopped; the same command goes on", file=sys.stderr)
    finally:
        pool.shutdown(cancel_futures=True)
    print(figures.table(figures.read_figures(asked.output).get("targets", {}), TARGETS))
    return int(any(places.findings_in(asked.work, name) for name in asked.targets))


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


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all without a name")
    parser.add_argument("--seconds", type=int, help="for each target; without it, no end")
    parser.add_argument("--total", type=int, metavar="SECONDS", help="for each target, in all runs")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="targets at once")
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
    if asked.workers < 1:
        parser.error("--workers: expected 1 or more")
    asked.targets = asked.targets or list(TARGETS)
    return asked


if __name__ == "__main__":
    sys.exit(main())

"""Try random and damaged inputs on everything that reads a file (atheris, libFuzzer).

    python -m fuzz [TARGET ...] [--seconds N] [--list] [--replay FILE]

A minute of each target after the other until Ctrl-C, or N seconds of each. Inputs that reach
something new stay in .fuzz/corpus, where the next run begins; an input that breaks a promise ends
its target's turn and stays in .fuzz/findings. Figures are added up in benchmarks/results/fuzz.json.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import itertools
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from fuzz.harness import ROOT, WATCH, check, corpus_of, scratch_folder

WORK = ROOT / ".fuzz"
RESULTS = ROOT / "benchmarks" / "results" / "fuzz.json"
# Not all of linkprior: compiled kernels cannot be, and how models are fitted does not matter here.
INSTRUMENTED = ("io", "network", "ranking", "pipeline", "evaluation", "predictors.saving")
INSTRUMENTED += ("predictors.base", "report.evaluation")
MEMORY_MB, SECONDS_PER_INPUT, LONGEST_INPUT, TURN = 1024, 20, 4096, 60
# Small networks need no compiled kernels, and one thread is enough.
ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LINKPRIOR_WORKERS"), "1"),
    "LINKPRIOR_KERNELS": "portable",
}
Facts = dict[str, Any]


def main() -> int:
    asked = _arguments()
    if asked.child is not None:
        run_libfuzzer(asked.targets[0], asked.work, asked.child)
    from fuzz.targets import TARGETS

    if asked.list:
        print("\n".join(f"{name:14} {target.summary}" for name, target in TARGETS.items()))
        return 0
    if asked.replay is not None:
        with scratch_folder() as folder:
            check(TARGETS[asked.targets[0]].make(folder), asked.replay.read_bytes())
        print(f"{asked.replay}: as it should be")
        return 0
    bad = 0
    with contextlib.suppress(KeyboardInterrupt):
        for number in itertools.count() if asked.seconds is None else range(1):
            for name in asked.targets:
                bad |= fuzz(name, asked.seconds or TURN, asked.seed + number, asked)
    return bad


def fuzz(name: str, seconds: int, seed: int, asked: argparse.Namespace) -> int:
    """Fuzz one target in a process of its own, print and add up its figures; 1 for a finding."""
    before = read_figures(asked.output)
    tried = before.get("targets", {}).get(name, {}).get("inputs", 0)
    options = [f"-max_total_time={seconds}", f"-seed={1 + (seed + tried) % 2**31}"]
    call = [sys.executable, "-m", "fuzz", name, "--work", str(asked.work), "--child", *options]
    done = subprocess.run(
        call, cwd=ROOT, env={**os.environ, **ENVIRONMENT}, capture_output=True, check=False
    )
    log = (done.stdout + done.stderr).decode("utf-8", "replace")
    facts = {**figures_in(log), "findings": int(done.returncode != 0), "seconds": seconds}
    print(", ".join([name, *(f"{key} {value}" for key, value in facts.items())]), flush=True)
    if done.returncode:
        print(log[-3000:], f"FINDING: python -m fuzz {name} --replay FILE", sep="\n", flush=True)
    add_figures(asked.output, before, name, facts)
    return int(done.returncode != 0)


def run_libfuzzer(name: str, work: Path, options: list[str]) -> None:
    """Hand this process over to libFuzzer; it does not come back."""
    import atheris  # type: ignore[import-untyped]

    home = ROOT / "src" / "linkprior"
    paths = (path.relative_to(home).with_suffix("") for path in home.rglob("*.py"))
    modules = sorted(".".join(path.parts).removesuffix(".__init__") for path in paths)
    wanted = [n for n in modules if any(f"{n}.".startswith(f"{one}.") for one in INSTRUMENTED)]
    others = [f"linkprior.{name}" for name in modules if name not in wanted]
    with atheris.instrument_imports(include=["linkprior", "zipfile", "gzip"], exclude=others):
        for module in wanted:
            importlib.import_module(f"linkprior.{module}")
    from fuzz.targets import TARGETS

    corpus, findings = work / "corpus" / name, work / "findings" / name
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    inputs = corpus_of(name)
    for content in inputs:
        (corpus / hashlib.sha1(content, usedforsecurity=False).hexdigest()).write_bytes(content)
    with scratch_folder() as folder:
        attempt = TARGETS[name].make(folder)
        for content in inputs[:20]:  # whatever is imported late is imported now
            check(attempt, content)
        WATCH.install()
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + (MEMORY_MB << 20)  # beyond it: MemoryError
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        limits = [f"-timeout={SECONDS_PER_INPUT}", f"-max_len={LONGEST_INPUT}"]
        limits += [f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={findings}/"]
        flags = [*limits, "-print_final_stats=1", *options, str(corpus)]
        atheris.Setup([sys.argv[0], *flags], lambda data: check(attempt, data))
        atheris.Fuzz()


def figures_in(log: str) -> Facts:
    def last(pattern: str) -> int:
        return int((re.findall(pattern, log) or [0])[-1])

    return {
        "inputs": max(last(r"\n#(\d+)\s"), last(r"stat::number_of_executed_units:\s+(\d+)")),
        "peak_mb": last(r"stat::peak_rss_mb:\s+(\d+)"),
        "slowest_s": last(r"stat::slowest_unit_time_sec:\s+(\d+)"),
        "coverage": last(r"cov: (\d+) "),
        "corpus": last(r"corp: (\d+)/"),
    }


def read_figures(path: Path) -> Facts:
    figures: Facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return figures


def add_figures(path: Path, before: Facts, name: str, facts: Facts) -> None:
    """Write the figures with one run more: sums, and what was highest."""
    targets = before.setdefault("targets", {})
    old = targets.get(name, {})
    summed = {key: old.get(key, 0) + facts[key] for key in ("inputs", "seconds", "findings")}
    highest = {key: max(old.get(key, 0), facts[key]) for key in facts.keys() - summed.keys()}
    targets[name] = {**old, **summed, **highest}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(before, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m fuzz", description=__doc__, formatter_class=form)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all without a name")
    parser.add_argument("--seconds", type=int, help="for each target; without it, no end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="name the targets")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try one input on one target")
    parser.add_argument("--work", type=Path, default=WORK, help="working folder")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="where figures go")
    parser.add_argument("--child", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child is None:
        from fuzz.targets import TARGETS

        unknown = sorted(set(asked.targets) - set(TARGETS))
        if unknown:
            parser.error(f"no target {', '.join(unknown)}; --list names them")
        if asked.replay is not None and len(asked.targets) != 1:
            parser.error("--replay FILE TARGET: which target is it for?")
        asked.targets = asked.targets or list(TARGETS)
    return asked


if __name__ == "__main__":
    sys.exit(main())

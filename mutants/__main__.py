"""Mutation score of a package on a random sample of small errors.

    python -m mutants [--package NAME] [--sample N] [--seconds S] [--seed S] [--root DIR]
                      [--source GLOB ...] [--tests PATH ...]

First the tests run once under coverage, which shows what lines each of them runs. Then each mutant
of the sample is loaded in a forked process, and the tests that run its line decide. Mutants that no
test runs count as survivors. --root names another checkout.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import json
import math
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mutants.operators import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[1]
SLOW = 1.5  # seconds of the processor; a slower test is not used, which can only lower the score
BUDGET = 8.0  # seconds of tests for one mutant
START = 20.0  # seconds to load the package and the tests
MEMORY = 4 << 30  # bytes of address space that a mutant may take beyond what is loaded
_READ = "collector formats limits *lists options read structure* shape sniff source streams text"
_SPLIT = "metrics protocols split* ranks standing statistics"
# Package: the files under src/linkprior, the tests that are asked. What is missing is passed over.
PACKAGES: dict[str, tuple[list[str], list[str]]] = {
    "kernels": (["kernels/*.py"], ["kernels", "solvers", "paper", "predictors/test_completion.py"]),
    "model": (
        ["model/*.py"],
        ["paper", "solvers", "predictors/test_completion.py", "predictors/test_learned_prior.py"],
    ),
    "solvers": (["solvers/*.py"], ["solvers", "paper", "predictors/test_completion.py"]),
    "evaluation": ([f"evaluation/{n}.py" for n in _SPLIT.split()], ["evaluation"]),
    "readers": (
        ["io/readers/*.py", *(f"io/{n}.py" for n in f"{_READ} unpack weights".split())],
        ["io"],
    ),
}
# A GPU is needed, or numba is set up there, which compiles nothing here.
LEFT_OUT = ("*jit*", "device*", "*torch*")
# Kernels run as plain Python, without threads.
ENVIRONMENT = {
    **{"LINKPRIOR_KERNELS": "portable", "NUMBA_DISABLE_JIT": "1", "LINKPRIOR_WORKERS": "1"},
    **{"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
}
Cover = dict[str, dict[int, set[str]]]  # file, line: names of tests


def main() -> int:
    asked = _arguments()
    os.environ.update(ENVIRONMENT)
    os.chdir(asked.root)
    sys.path[:0] = [str(asked.root / "src"), str(asked.root)]
    sys.dont_write_bytecode = True
    import sklearn.utils  # noqa: F401 - large, once for all forked processes; nothing of linkprior

    scores = {}
    for name in asked.package:
        source, tests = PACKAGES[name]
        files = _files(asked.root, asked.source or source)
        paths = [str(p) for p in asked.tests or (Path("tests") / t for t in tests) if p.exists()]
        began = time.monotonic()
        cover, seconds = measure_coverage(asked.root, paths)
        known = f"{len(seconds)} tests under coverage in {time.monotonic() - began:.0f} s"
        print(f"{name}: {len(files)} files, {known}", flush=True)
        mutants = [mutant for path in files for mutant in mutants_of(path)]
        sample = random.Random(asked.seed).sample(mutants, min(asked.sample, len(mutants)))
        ends = try_mutants(sample, cover, seconds, asked.seconds, asked.workers)
        scores[name] = score(ends.values(), len(mutants)) | {
            "seed": asked.seed,
            "survivors": [
                str(mutant).removeprefix(f"{asked.root}/")
                for mutant, end in ends.items()
                if end in (SURVIVED, UNCOVERED)
            ],
        }
        for line in scores[name]["survivors"]:
            print(f"survived {line}")
        print(f"{name}: {sentence(scores[name])}", flush=True)
    if asked.output is not None:
        keys = ("there", "tried", "killed", "by_time", "uncovered")
        total: dict[str, Any] = {key: sum(one[key] for one in scores.values()) for key in keys}
        total["share"] = round(total["killed"] / max(total["tried"], 1), 4)
        text = json.dumps({"all": total, "areas": scores}, indent=1, ensure_ascii=False)
        asked.output.write_text(f"{text}\n", encoding="utf-8")
    return 0


def _files(root: Path, patterns: Iterable[str]) -> list[Path]:
    home = root / "src" / "linkprior"
    paths = sorted({path for pattern in patterns for path in home.glob(pattern)})
    if not paths:
        sys.exit(f"no file of {home} is named {' or '.join(patterns)}")
    return [path for path in paths if not any(path.match(one) for one in LEFT_OUT)]


# ---------------------------------------------------------------------- tests and their lines


class _Durations:
    """A plugin of pytest: the processor's seconds of every test that passed; slow ones end early.

    Seconds by the clock would tell more of who else is on the machine.
    """

    def __init__(self) -> None:
        def end_test(*_: object) -> None:
            raise TimeoutError("slower than a test that is used here")

        self.seconds: dict[str, float] = {}
        self.began = 0.0
        signal.signal(signal.SIGPROF, end_test)

    def pytest_runtest_call(self) -> None:
        self.began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, 2 * SLOW)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call":
            signal.setitimer(signal.ITIMER_PROF, 0)
            if report.passed:
                self.seconds[report.nodeid] = time.process_time() - self.began


def measure_coverage(root: Path, tests: list[str]) -> tuple[Cover, dict[str, float]]:
    """Return the tests that run each line, and the seconds of every test fast enough."""
    from coverage import CoverageData

    with tempfile.TemporaryDirectory() as folder:
        data_file, times = Path(folder) / "coverage", Path(folder) / "seconds.json"

        def run() -> int:
            os.environ["COVERAGE_FILE"] = str(data_file)
            durations = _Durations()
            options = ["--cov=linkprior", "--cov-context=test", "--cov-report="]
            status = run_tests(tests, [*options, "--cov-config=/dev/null"], durations)
            times.write_text(json.dumps(durations.seconds), encoding="utf-8")
            return status

        os.waitpid(_fork(run, math.inf, f"{folder}/log"), 0)
        if not times.exists():
            sys.exit(f"the tests did not run:\n{Path(folder, 'log').read_text()[-2000:]}")
        seconds = json.loads(times.read_text(encoding="utf-8"))
        data = CoverageData(str(data_file))
        data.read()
        cover: Cover = {}
        for file in data.measured_files():
            contexts = data.contexts_by_lineno(file)
            names = {at: {c.partition("|")[0] for c in found} for at, found in contexts.items()}
            cover[file] = {at: {n for n in found if n in seconds} for at, found in names.items()}
    return cover, {name: took for name, took in seconds.items() if took <= SLOW}


def run_tests(tests: list[str], options: list[str], *plugins: object) -> int:
    import pytest

    options = ["-q", "-p", "no:cacheprovider", "-m", "not at_length", *options]
    with tempfile.TemporaryDirectory() as folder:
        base = f"--basetemp={Path(folder) / 'base'}"
        return int(pytest.main([base, *options, *tests], plugins=[_Examples(), *plugins]))


class _Examples:
    """A plugin of pytest: the same few examples of hypothesis each time, none of them shrunk."""

    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutants",
            max_examples=25,
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")


def choose_tests(mutant: Mutant, cover: Cover, seconds: dict[str, float]) -> list[str]:
    """Return the tests that run a mutant's statement, those of other functions first.

    A statement outside functions ran once, at import; then every test of its file counts.
    """
    lines = cover.get(str(mutant.path), {})
    wanted = mutant.lines if mutant.in_function else lines
    tests = {test for line in wanted for test in lines.get(line, ()) if test in seconds}
    turns, cases = [], Counter[str]()
    for test in sorted(tests, key=lambda test: (seconds[test], test)):
        function = test.partition("[")[0]
        turns.append((cases[function], seconds[test], test))
        cases[function] += 1
    chosen, total = list[str](), 0.0
    for _, took, test in sorted(turns):
        total += took
        if total > BUDGET and chosen:
            break
        chosen.append(test)
    return chosen


# ---------------------------------------------------------------------- mutants

KILLED, TIME, SURVIVED, UNCOVERED = "killed", "killed by time", "survived", "run by no test"
OUTCOMES = {0: SURVIVED, 5: SURVIVED, -signal.SIGALRM: TIME, -signal.SIGPROF: TIME}


def try_mutants(
    mutants: list[Mutant], cover: Cover, seconds: dict[str, float], limit: float, workers: int
) -> dict[Mutant, str]:
    """Return what became of each mutant, of as many as there is time for."""
    stop, running = time.monotonic() + limit, dict[int, Mutant]()
    ends: dict[Mutant, str] = {}

    def finish_one() -> None:
        pid, status = os.wait()
        code = os.waitstatus_to_exitcode(status)
        ends[running.pop(pid)] = OUTCOMES.get(code, KILLED)

    for mutant in mutants:
        if time.monotonic() > stop:
            break
        tests = choose_tests(mutant, cover, seconds)
        if not tests:
            ends[mutant] = UNCOVERED
            continue
        while len(running) >= workers:
            finish_one()
        longest = START + 10 * sum(seconds[test] for test in tests)
        running[_fork(lambda m=mutant, t=tests: _try(m, t), longest)] = mutant  # type: ignore[misc]
    while running:
        finish_one()
    return ends


def _try(mutant: Mutant, tests: list[str]) -> int:
    """Load the mutant in the place of its file, and run the tests."""
    code = compile(mutant.tree(), str(mutant.path), "exec")
    usual = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: importlib.machinery.SourceFileLoader, name: str) -> Any:
        return code if loader.path == str(mutant.path) else usual(loader, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    return run_tests(tests, ["-x"])


def _fork(work: Callable[[], int], limit: float, log: str = os.devnull) -> int:
    """Start a process that ends with what `work` returns, or after so many seconds of work."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    if math.isfinite(limit):
        signal.setitimer(signal.ITIMER_PROF, limit)
        signal.setitimer(signal.ITIMER_REAL, 10 * limit)  # for one that waits for ever
    output = os.open(log, os.O_WRONLY | os.O_CREAT, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    status = 1
    try:
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def score(ends: Iterable[str], there: int) -> dict[str, Any]:
    """Return the figures of a sample drawn without replacement out of `there` mutants."""
    counts = Counter(ends)
    tried, killed = counts.total(), counts[KILLED] + counts[TIME]
    share = killed / tried if tried else math.nan
    left = (there - tried) / max(there - 1, 1)
    return {
        "there": there,
        "tried": tried,
        "killed": killed,
        "by_time": counts[TIME],
        "uncovered": counts[UNCOVERED],
        "share": round(share, 4),
        "standard_error": round(math.sqrt(share * (1 - share) * left / max(tried, 1)), 4),
    }


def sentence(facts: dict[str, Any]) -> str:
    return (
        f"{facts['share']:.1%} ± {facts['standard_error']:.1%} killed, {facts['killed']} of "
        f"{facts['tried']} tried ({facts['by_time']} by time; {facts['uncovered']} run by no "
        f"test) of {facts['there']:,} mutants, seed {facts['seed']}"
    )


def _arguments() -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m mutants", description=__doc__, formatter_class=form)
    parser.add_argument("--package", action="append", choices=PACKAGES, help="all without one")
    parser.add_argument("--sample", type=int, default=100, help="mutants of each package")
    parser.add_argument("--seconds", type=float, default=math.inf, help="for each package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="mutants at a time")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to be tried")
    parser.add_argument("--source", nargs="+", metavar="GLOB", help="files under src/linkprior")
    parser.add_argument("--tests", nargs="+", type=Path, metavar="PATH", help="tests to ask")
    parser.add_argument("-o", "--output", type=Path, metavar="JSON", help="where figures go")
    asked = parser.parse_args()
    if asked.source and (asked.package is None or len(asked.package) > 1):
        parser.error("--source GLOB belongs to one --package")
    asked.package, asked.root = asked.package or list(PACKAGES), asked.root.resolve()
    asked.output = asked.output and asked.output.resolve()
    return asked


if __name__ == "__main__":
    sys.exit(main())

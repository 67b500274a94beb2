"""One mutant against its tests, in a forked process in which everything is loaded already."""

from __future__ import annotations

import gc
import importlib.machinery
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from mutants.covering import Test
from mutants.forks import Answer, alarm
from mutants.project import Project
from mutants.sites import Mutant, mutated

ANEW = 30.0  # seconds for loading a package and its tests again
KILLED, SURVIVED, UNCOVERED = "killed", "survived", "uncovered"

Key = tuple[str, str, int]  # file, qualified name, first line
Living = dict[Key, list[FunctionType]]


def limit(seconds: float) -> float:
    """Return how long a test of usually so many seconds may take; an endless loop takes longer."""
    return 10.0 * seconds + 2.0


def living_functions(project: Project) -> Living:
    """Return every function object of the project by where it was written.

    Copies under other names (`from x import f`), in tables or behind decorators are the same
    object, so a change of its code reaches all of them.
    """
    found: Living = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(
            str(project.source)
        ):
            found.setdefault(_key(thing.__code__), []).append(thing)
    return found


def _key(code: CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)


def run_items(items: list[Any], limits: list[float] | None = None) -> str:
    """Run collected tests; return 'passed', 'skipped' or the name of the first that failed."""
    from _pytest.runner import runtestprotocol

    outcome = "skipped"
    for number, item in enumerate(items):
        if limits is not None:
            alarm(limits[number])
        following = items[number + 1] if number + 1 < len(items) else None
        reports = runtestprotocol(item, log=False, nextitem=following)
        if any(report.failed for report in reports):
            return str(item.nodeid)
        if any(report.when == "call" and report.passed for report in reports):
            outcome = "passed"
    return outcome


def exchange(mutant: Mutant, path: Path, living: Living) -> bool:
    """Give the mutant's function its new code; False where it has no function object to change."""
    done = False
    for code in _codes(mutated(path, mutant)):
        if code.co_qualname != mutant.scope:
            continue
        for function in living.get(_key(code), []):
            if function.__code__.co_freevars != code.co_freevars:
                return False
            function.__code__ = code
            done = True
    return done


def try_here(
    mutant: Mutant, path: Path, living: Living, items: list[Any], tests: list[Test]
) -> Answer:
    """Exchange code and run tests; {"result": …, "by": test}, or {"anew": True}."""
    if not exchange(mutant, path, living):
        return {"anew": True}
    said = run_items(items, [limit(test.seconds) for test in tests])
    return {"result": SURVIVED} if said in ("passed", "skipped") else {"result": KILLED, "by": said}


def try_anew(mutant: Mutant, project: Project, tests: list[Test]) -> Answer:
    """Load the package and the tests again, the mutant's file with its error in it."""
    import pytest

    path, name = project.source / mutant.file, project.module(mutant.file)
    code, usual = mutated(path, mutant), importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: importlib.machinery.SourceFileLoader, module: str) -> CodeType | None:
        return code if module == name else usual(loader, module)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    _forget(project)
    first = _FirstFailure()
    alarm(ANEW + 10.0 * sum(test.seconds for test in tests))
    os.chdir(project.root)
    status = pytest.main([*options(project), "-x", *(t.name for t in tests)], plugins=[first])
    if status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return {"result": SURVIVED}
    return {"result": KILLED, "by": first.name or "import"}


def options(project: Project) -> list[str]:
    """Return what pytest is told in every process."""
    keep = ["-p", "no:cacheprovider", "-p", "mutants.hypothesis_profile"]
    return ["-qq", "-s", *keep, f"--basetemp={project.temporary}", f"--rootdir={project.root}"]


def _forget(project: Project) -> None:
    ours = (str(project.root / "src"), str(project.root / "tests"))
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(ours):
            del sys.modules[name]


class _FirstFailure:
    """Remembers which test failed."""

    name = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.name = self.name or str(report.nodeid)

"""The tests on every Python and on the oldest and newest dependencies: `make test-matrix`.

python -m tools.matrix [TEST …]

A cell is a Python times `oldest` (the lower bounds of pyproject.toml, exactly) or `newest`. Each
has an environment and a result under .matrix/; a cell with a result for the same tests and the same
code is not run again, so a matrix that was stopped goes on. No failure stops it; the table comes at
the end, and the exit status is 1 where a cell that ran failed. What came of the default tests is
kept in benchmarks/results/matrix.json, too. Settings (environment variables):

MATRIX_TESTS    what pytest is given, where no argument says it (default: all tests that a version
                can change; those marked at_length go longer over the same code, others look at
                pages in a browser, hold docs against results such as these, or test this
                repository's own programs fuzz and mutants)
TEST_OPTIONS    how pytest runs it, such as "-n auto" (the Makefile says; default: one by one)
MATRIX_CELLS    cells to run, such as "3.11/oldest 3.13/newest" (default: all)
MATRIX_PYTHONS  interpreters to use beside those found, as paths
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.data import RESULTS, read_results, write_results

from tools.project import ROOT, lowest, requirements

PYTHONS = ("3.11", "3.12", "3.13")
ENDS = ("oldest", "newest")
PLACE = ROOT / ".matrix"
# Tests that no version changes: the reasons stand above.
_SAME = ("browser", "docs", "fuzz", "mutants")
WHOLE = ["tests", "-m", "not at_length", *(f"--ignore=tests/{name}" for name in _SAME)]
# What runs is pinned to its oldest version; what only tests is as new as it comes.
RUNTIME_EXTRAS = ("serve", "dask")
# Old libraries use what newer ones below them have deprecated; that is theirs to mend.
_OLD_AND_NEW = ["-W", "default::DeprecationWarning", "-W", "default::PendingDeprecationWarning"]
ABSENT, FAILED, PASSED, BROKEN = "no such Python here", "FAILED", "passed", "NOT INSTALLED"


def interpreter(version: str) -> str | None:
    """Return a Python of this version that starts, None where there is none."""

    def starts(path: str | None) -> bool:
        command = [path or "", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return done.stdout.strip() == version
        return False

    named = os.environ.get("MATRIX_PYTHONS", "").split()
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    installed = sorted(map(str, pyenv.glob(f"{version}.*/bin/python{version}")), reverse=True)
    return next(filter(starts, [*named, shutil.which(f"python{version}"), *installed]), None)


def constraints(end: str) -> list[str]:
    return [lowest(text) for text in requirements(*RUNTIME_EXTRAS)] if end == "oldest" else []


@cache
def code() -> str:
    files = sorted(path for part in ("src", "tests") for path in (ROOT / part).rglob("*.py"))
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


class Cell:
    def __init__(self, version: str, end: str, tests: Sequence[str]) -> None:
        self.name, self.version, self.end, self.tests = f"{version}/{end}", version, end, tests
        self.home = PLACE / f"{version}-{end}"
        self.python = str(self.home / "bin" / "python")
        asked = json.dumps([constraints(end), requirements("test"), list(tests), code()])
        question = hashlib.sha256(asked.encode()).hexdigest()[:12]
        self.result = PLACE / f"{version}-{end}-{question}.json"

    def outcome(self) -> dict[str, Any]:
        if self.result.is_file():
            return {**json.loads(self.result.read_text(encoding="utf-8")), "kept": True}
        python = interpreter(self.version)
        if python is None:
            return {"verdict": ABSENT}  # not kept: it may be there tomorrow
        began = time.monotonic()
        log = PLACE / f"{self.version}-{self.end}.log"
        PLACE.mkdir(exist_ok=True)
        with log.open("w", encoding="utf-8") as stream:
            found = self._run(python, stream) if self._install(python, stream) else {}
        found = {"verdict": BROKEN, **found}
        found |= {"seconds": round(time.monotonic() - began), "log": log.name}
        if found["verdict"] != BROKEN:
            self.result.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return found

    def _run(self, python: str, log: Any) -> dict[str, Any]:
        options = shlex.split(os.environ.get("TEST_OPTIONS", ""))
        command = [self.python, "-m", "pytest", "-p", "no:cacheprovider", *options, *self.tests]
        command += _OLD_AND_NEW if self.end == "oldest" else []
        done = call(command, log)
        lines = Path(log.name).read_text(encoding="utf-8").splitlines()
        told = [line.strip("= ") for line in lines if re.search(r"\d (passed|failed|error)", line)]
        ask = "import importlib.metadata as m, json, sys; "
        ask += "print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
        names = [lowest(text).partition("==")[0] for text in requirements()]
        versions = [self.python, "-c", ask, *names]
        asked = subprocess.run(versions, capture_output=True, text=True, check=True)
        return {
            "verdict": PASSED if done == 0 else FAILED,
            "told": "".join(told[-1:]),
            "versions": json.loads(asked.stdout),
            "code": code()[:12],
        }

    def _install(self, python: str, log: Any) -> bool:
        if not Path(self.python).exists() and call([python, "-m", "venv", str(self.home)], log):
            return False
        pins = PLACE / f"{self.version}-{self.end}.txt"
        pins.write_text("".join(f"{pin}\n" for pin in constraints(self.end)), encoding="utf-8")
        command = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        command += ["--prefer-binary", "--upgrade", "-c", str(pins), "-e", f"{ROOT}[test,dask]"]
        return call(command, log) == 0


def call(command: list[str], log: Any) -> int:
    """Run a command, what it says into the log; return its exit status."""
    log.write(f"$ {shlex.join(command)}\n")
    log.flush()
    done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, check=False)
    return done.returncode


def keep(name: str, found: dict[str, Any], path: Path = RESULTS / "matrix.json") -> None:
    """Put what came of a cell beside what came of the others."""
    cells = read_results(path).get("cells", {})
    cells[name] = {key: found[key] for key in ("verdict", "told", "versions", "code")}
    write_results(path, {"cells": dict(sorted(cells.items()))})


def main() -> int:
    tests = sys.argv[1:] or shlex.split(os.environ.get("MATRIX_TESTS", shlex.join(WHOLE)))
    chosen = os.environ.get("MATRIX_CELLS", "").split()
    cells = [Cell(version, end, tests) for version in PYTHONS for end in ENDS]
    rows = []
    for cell in cells:
        if chosen and cell.name not in chosen:
            continue
        print(f"{cell.name} …", file=sys.stderr, flush=True)
        rows.append((cell.name, cell.outcome()))
        if tests == WHOLE and rows[-1][1]["verdict"] in (PASSED, FAILED):
            keep(*rows[-1])
    print(f"tests: {shlex.join(tests)}")
    for name, found in rows:
        kept = ", kept from before" if found.get("kept") else ""
        seconds = f"{found['seconds']:>6} s" if "seconds" in found else " " * 8
        print(f"{name:12} {found['verdict']:20} {seconds}  {found.get('told', '')}{kept}")
    return int(any(found["verdict"] in (FAILED, BROKEN) for _, found in rows))


if __name__ == "__main__":
    sys.exit(main())

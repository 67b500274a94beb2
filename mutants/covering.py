"""Which tests run which lines: each test once, alone in a forked process, under coverage."""

from __future__ import annotations

import ast
import functools
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants.forks import TIME, alarm, ask
from mutants.project import Project
from mutants.sites import Mutant, digest, first_line, functions
from mutants.store import Lines, Record

SLOW = 1.5  # seconds under coverage; a slower test is not asked, which can only lower the score
BUDGET = 6.0  # seconds of tests for one mutant

Spans = dict[str, dict[str, tuple[int, int, str]]]  # file, function: first and last line, digest


@dataclass(frozen=True)
class Test:
    """A test that passed, and how long it takes."""

    name: str
    seconds: float
    text: str  # digest of its file and of what that needs


def spans(project: Project) -> Spans:
    """Return the lines and the digest of every function in scope."""
    found: Spans = {}
    for _, path in project.files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found[project.name(path)] = {
            f"{name}:{number}": (
                first_line(node),
                node.end_lineno or node.lineno,
                digest(ast.dump(node)),
            )
            for number, (name, node) in enumerate(functions(tree))
        }
    return found


class Covering:
    """What each test runs, kept in a file; only what changed is run again."""

    def __init__(self, project: Project) -> None:
        self.project, self.spans = project, spans(project)
        self.lines = Lines(project.place / "tests.jsonl", "test")
        self.index: dict[str, list[tuple[int, Test]]] = {}  # by file: bits of lines
        self._texts: dict[Path, str] = {}

    def text_of(self, path: Path) -> str:
        """Return the digest of a test file, its folder's helpers and the shared fixtures."""
        if path not in self._texts:
            beside = [p for p in path.parent.glob("*.py") if not p.name.startswith("test_")]
            shared = self.project.root / "tests" / "conftest.py"
            read = [path, *sorted(beside), *([shared] if shared.exists() else [])]
            self._texts[path] = digest(*(one.read_text(encoding="utf-8") for one in read))
        return self._texts[path]

    def is_known(self, name: str, path: Path) -> bool:
        """Whether a test was run as it is now, with the functions it ran as they are now."""
        record = self.lines.records.get(name)
        if record is None or record["text"] != self.text_of(path):
            return False
        if record.get("slow") and record["seconds"] < SLOW:
            return False
        return all(
            function in self.spans.get(file, {}) and self.spans[file][function][2] == text
            for file, ran in record["ran"].items()
            for function, (text, _) in ran.items()
        )

    def learn(self, item: Any) -> None:
        """Run a test and keep what it ran."""
        watch = self._watch  # made here, before the fork
        answer = ask(lambda: self._watched(item, watch), SLOW)
        known: Record = {"test": item.nodeid, "text": self.text_of(item.path)}
        seconds = round(answer.get("seconds", SLOW), 4)
        known |= {"passed": answer.get("passed", False), "slow": answer.get("died") == TIME}
        self.lines.add({**known, "seconds": seconds, "ran": answer.get("ran", {})})

    def _watched(self, item: Any, watch: Any) -> Record:
        from mutants.trial import run_items

        alarm(SLOW)
        began = time.process_time()
        watch.start()
        passed = run_items([item]) == "passed"
        watch.stop()
        seconds = time.process_time() - began
        return {
            "passed": passed,
            "seconds": seconds,
            "ran": dict(self._ran(watch.get_data())),
        }

    @functools.cached_property
    def _watch(self) -> Any:
        """Coverage that was started once: the first time takes longer than most tests."""
        from coverage import Coverage

        watched = [f"{self.project.source}/*"]
        watch = Coverage(data_file=None, config_file=False, include=watched, messages=False)
        watch.start()
        watch.stop()
        return watch

    def _ran(self, data: Any) -> Iterator[tuple[str, dict[str, tuple[str, str]]]]:
        """Yield the lines by file and function, counted from its first, as bits of a number."""
        for measured in data.measured_files():
            file = Path(measured)
            name = self.project.name(file) if self.project.source in file.parents else ""
            lines, ran = data.lines(measured) or [], {}
            for function, (first, last, text) in self.spans.get(name, {}).items():
                bits = sum(1 << (line - first) for line in lines if first < line <= last)
                if bits:
                    ran[function] = (text, f"{bits:x}")
            if ran:
                yield name, ran

    def build(self, names: Iterable[str]) -> None:
        """Make the index by file, of the tests that are here and passed."""
        self.index = {}
        for name in names:
            record = self.lines.records.get(name)
            if record is None or not record["passed"] or record["seconds"] > SLOW:
                continue
            test = Test(name, record["seconds"], record["text"])
            for file, ran in record["ran"].items():
                bits = self._bits(file, ran)
                self.index.setdefault(file, []).append((bits, test))

    def _bits(self, file: str, ran: dict[str, tuple[str, str]]) -> int:
        total = 0
        for function, (_, bits) in ran.items():
            if function in self.spans.get(file, {}):
                total |= int(bits, 16) << self.spans[file][function][0]
        return total

    def tests_for(self, mutant: Mutant, users: dict[str, int], killer: str = "") -> list[Test]:
        """Return the tests that run a mutant's statement, within the budget.

        Outside functions the statement ran once, at import: tests that run a line which uses its
        name are taken (`users`: by file, bits of lines). The test that killed it before comes
        first, however many others there are by now.
        """
        wanted = {mutant.file: _mask(*mutant.lines)} if mutant.within else users
        found = {
            test for file, mask in wanted.items() for bits, test in self.index.get(file, [])
            if bits & mask
        }  # fmt: skip
        return within_budget(found, killer)


def within_budget(tests: Iterable[Test], killer: str = "") -> list[Test]:
    """Return what is asked first: a killer, of each function the fastest case, then the next."""
    turns, cases = [], Counter[str]()
    for test in sorted(tests, key=lambda test: (test.name != killer, test.seconds, test.name)):
        function = test.name.partition("[")[0]
        turns.append((cases[function] - (test.name == killer), test.seconds, test.name, test))
        cases[function] += 1
    chosen, total = list[Test](), 0.0
    for *_, test in sorted(turns, key=lambda turn: turn[:3]):
        total += test.seconds
        if total > BUDGET and chosen:
            break
        chosen.append(test)
    return chosen


def _mask(first: int, last: int) -> int:
    return (1 << (last + 1)) - (1 << first)


class Users:
    """Where names set outside functions are used."""

    def __init__(self, project: Project, spanned: Spans) -> None:
        self.spans, self.found = spanned, dict[str, dict[str, int]]()
        self.together = dict[tuple[str, str], set[str]]()
        for _, path in project.files():
            self._read(project.name(path), ast.parse(path.read_text(encoding="utf-8")))

    def _read(self, file: str, tree: ast.Module) -> None:
        for _, function in functions(tree):
            for node in ast.walk(function):
                name = _named(node)
                if name:
                    lines = self.found.setdefault(name, {})
                    lines[file] = lines.get(file, 0) | 1 << node.lineno  # type: ignore[attr-defined]
        for statement in tree.body:  # a table made of another; names in functions are their own
            if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
                set_here = (
                    statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                )
                targets = {_named(node) for one in set_here for node in ast.walk(one)} - {""}
                for used in {_named(node) for node in ast.walk(statement)} - targets - {""}:
                    self.together.setdefault((file, used), set()).update(targets)

    def of(self, mutant: Mutant) -> dict[str, int]:
        """Return the lines, by file as bits, that use what a mutant changes."""
        if mutant.scope:  # a default of a parameter
            named = self.spans[mutant.file].items()
            lines = [s[:2] for name, s in named if name.rpartition(":")[0] == mutant.scope]
            return {mutant.file: sum(_mask(first, last) for first, last in lines)}
        names = set(mutant.names)
        for name in mutant.names:
            names |= self.together.get((mutant.file, name), set())
        total: dict[str, int] = {}
        for name in names:
            for file, bits in self.found.get(name, {}).items():
                total[file] = total.get(file, 0) | bits
        return total


def _named(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            return name
    return ""

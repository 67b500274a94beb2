"""The process that has every test collected, and forks one process per mutant."""

from __future__ import annotations

import gc
import importlib
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from mutants.covering import Covering, Test, Users
from mutants.forks import TIME, Answer, ask
from mutants.project import Project
from mutants.sites import Mutant, digest
from mutants.store import Lines, Record
from mutants.trial import (
    ANEW,
    KILLED,
    UNCOVERED,
    Living,
    limit,
    living_functions,
    options,
    try_anew,
    try_here,
)

Say = Callable[[str], None]
EVERY = 20.0  # seconds between two lines of progress


class Server:
    """A pytest plugin that tries mutants where pytest would run the tests."""

    def __init__(
        self,
        project: Project,
        mutants: list[Mutant],
        seconds: float,
        echo: Say,
        only_learn: bool = False,
    ) -> None:
        self.project, self.mutants, self.echo = project, mutants, echo
        self.only_learn = only_learn
        self.end = time.monotonic() + seconds
        self.results = results_of(project)
        self.covering = Covering(project)
        self.users = Users(project, self.covering.spans)
        self.items: dict[str, Any] = {}
        self.living: Living = {}
        self.killers: dict[str, Counter[str]] = {}
        self._told = 0.0

    def pytest_runtestloop(self, session: Any) -> bool:
        """Learn what the tests run, then try the mutants, until the time is up."""
        for _, path in self.project.files():
            importlib.import_module(self.project.module(self.project.name(path)))
        self.items = {item.nodeid: item for item in session.items}
        self.living = living_functions(self.project)
        gc.collect()
        gc.freeze()  # what is here already is not looked through again in every process
        self._fit()
        if not self.only_learn:
            self.covering.build(self.items)
            self._try_all()
        return True

    def _fit(self) -> None:
        mine = [item for item in self.items.values() if self.project.is_mine(item.nodeid)]
        new = [item for item in mine if not self.covering.is_known(item.nodeid, item.path)]
        for number, item in enumerate(new):
            if time.monotonic() > self.end:
                break
            self._tell(lambda n=number: f"tests looked at: {n} of {len(new)}")  # type: ignore[misc]
            self.covering.learn(item)

    def _try_all(self) -> None:
        mine = [mutant for mutant in self.mutants if self.project.is_mine(mutant.key)]
        waiting = sorted((m for m in mine if self._is_open(m)), key=self._turn)
        for number, mutant in enumerate(waiting):
            if time.monotonic() > self.end:
                break
            self._tell(lambda n=number: f"mutants tried: {n} of {len(waiting)}")  # type: ignore[misc]
            self.results.add(self._tried(mutant))

    def _tests(self, mutant: Mutant) -> list[Test]:
        users = {} if mutant.within else self.users.of(mutant)
        killer = _killer(self.results.records.get(mutant.key, {}))
        found = self.covering.tests_for(mutant, users, killer)
        tests = [test for test in found if test.name in self.items]
        kills = self.killers.get(mutant.file, Counter())
        return sorted(tests, key=lambda test: -kills[test.name])  # stable: then the fastest

    def _is_open(self, mutant: Mutant) -> bool:
        """Whether a mutant has no result, or one that other tests might change."""
        known = self.results.records.get(mutant.key)
        if known is None:
            return True
        if known["result"] != KILLED:
            return bool(self._new_tests(mutant, known))
        self.killers.setdefault(mutant.file, Counter())[known["by"]] += 1
        record = self.covering.lines.records.get(known["by"])
        return known["text"] != "" and (record is None or record["text"] != known["text"])

    def _turn(self, mutant: Mutant) -> int:
        """Return whose turn it is: new ones, then survivors, then what an older test killed."""
        known = self.results.records.get(mutant.key)
        return 0 if known is None else 1 + (known["result"] == KILLED)

    def _new_tests(self, mutant: Mutant, known: Record) -> list[Test]:
        """Return the tests that a mutant has not survived yet."""
        return [test for test in self._tests(mutant) if _mark(test) not in known["survived"]]

    def _tried(self, mutant: Mutant) -> Record:
        before: Record = {"survived": [], "asked": 0, **self.results.records.get(mutant.key, {})}
        tests = self._new_tests(mutant, before)
        began = time.perf_counter()
        answer = self._answer(mutant, tests) if tests else {"result": UNCOVERED}
        died = answer.get("died", "")
        result, by = answer.get("result", KILLED), str(answer.get("by", died))
        if result == KILLED:
            self.killers.setdefault(mutant.file, Counter())[by] += 1
        known: Record = {"mutant": mutant.key, "result": result, "by": by}
        text = next((test.text for test in tests if test.name == by), "")
        took = round(time.perf_counter() - began, 3)
        known |= {"text": text, "asked": before["asked"] + len(tests), "seconds": took}
        survived = [] if result == KILLED else sorted({*before["survived"], *map(_mark, tests)})
        return {**known, "survived": survived, "was": _killer({**before, **known})}

    def _answer(self, mutant: Mutant, tests: list[Test]) -> Answer:
        path, items = self.project.source / mutant.file, [self.items[t.name] for t in tests]
        seconds = sum(limit(test.seconds) for test in tests)
        if mutant.within:
            answer = ask(lambda: try_here(mutant, path, self.living, items, tests), seconds)
            if not answer.get("anew"):
                return answer
        return ask(lambda: try_anew(mutant, self.project, tests), ANEW + 10.0 * seconds)

    def _tell(self, line: Callable[[], str]) -> None:
        if time.monotonic() - self._told > EVERY:
            self._told = time.monotonic()
            self.echo(line())


def results_of(project: Project) -> Lines:
    """Return what is known of mutants so far."""
    return Lines(project.place / "results.jsonl", "mutant")


def serve(
    project: Project, mutants: list[Mutant], seconds: float, echo: Say, only_learn: bool = False
) -> Lines:
    """Try mutants until all are tried or the time is up; return all results there are."""
    import pytest

    server = Server(project, mutants, seconds, echo, only_learn)
    paths = [str(project.root / name) for name in project.tests]
    status = pytest.main([*options(project), *paths], plugins=[server])
    ended = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.INTERRUPTED)
    if status not in ended:
        raise SystemExit(f"the tests cannot be collected (pytest's status {status})")
    return server.results


def _killer(record: Record) -> str:
    """Return the test that killed a mutant now or, as tests change, before."""
    return str(record.get("by", "") or record.get("was", ""))


def _mark(test: Test) -> str:
    return digest(test.name, test.text)[:8]


__all__ = ["KILLED", "TIME", "UNCOVERED", "Server", "results_of", "serve"]

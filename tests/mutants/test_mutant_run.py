"""A whole run on a tiny package: who is killed by whom, who survives, what is done again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mutants.figures import tally
from mutants.kept import keep, recall
from mutants.project import Project
from mutants.server import results_of
from mutants.sites import all_mutants

pytestmark = pytest.mark.at_length
ROOT = Path(__file__).resolve().parents[2]
SOURCE = """
import functools

STEP = 2
UNUSED = 3


def forward(x):
    return x + STEP


@functools.cache
def size(x):
    return abs(x) * 4


def count(n):
    total = 0
    while n > 0:
        n -= 1
        total += 1
    return total


def unseen(x):
    return x * 7


def wide(x):
    if x >= 0:
        return x
    return -x
"""
TESTS = """
from toy.one import count, forward, size, wide

SAME = {"forward": forward}


def test_forward():
    assert SAME["forward"](1) == 3


def test_size():
    assert size(-2) == 8


def test_count():
    assert count(3) == 3


def test_wide():
    assert wide(-2) == wide(2) == 2
"""
RUN = """
import sys
from pathlib import Path
from mutants.project import Project
from mutants.server import serve
from mutants.sites import all_mutants

scope = ("toy", {"all": ("*.py",)}, frozenset(), ("tests",))
project = Project(Path(sys.argv[1]), *scope, *map(int, sys.argv[3:5]))
serve(project, all_mutants(project), float(sys.argv[2]), print, "learn" in sys.argv)
"""


def run(root, seconds="inf", *more):
    """Try all mutants in a process of its own; return the records there are."""
    path = os.pathsep.join([str(ROOT), str(root / "src")])
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(root), seconds, *more],
        env={**os.environ, "PYTHONPATH": path},
        cwd=root, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return records_of(root)


def records_of(root):
    kept = root / ".mutants" / "results.jsonl"
    lines = kept.read_text().splitlines() if kept.exists() else []
    lines = [line for line in lines if line]
    return [json.loads(line) for line in lines if line.endswith("}")]  # others were cut off


@pytest.fixture
def toy(tmp_path):
    return made(tmp_path)


def made(root):
    for name, text in {"src/toy/one.py": SOURCE, "tests/test_one.py": TESTS}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "src" / "toy" / "__init__.py").touch()
    return root


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A package whose mutants have all been tried."""
    root = made(tmp_path_factory.mktemp("whole"))
    run(root)
    return root


@pytest.fixture
def tried(whole, tmp_path):
    """A copy of it."""
    return shutil.copytree(whole, tmp_path / "tried")


def toy_project(root):
    return Project(root, "toy", {"all": ("*.py",)}, frozenset(), ("tests",))


def told(root, records):
    results = {record["mutant"]: record for record in records}
    return {
        (m.scope or "module", f"{m.before} -> {m.after}"): results[m.key]
        for m in all_mutants(toy_project(root))
    }


def test_every_mutant_ends_as_it_must(whole):
    known = told(whole, records_of(whole))
    results = {where: (record["result"], record["by"]) for where, record in known.items()}
    killed = {where for where, (result, _) in results.items() if result == "killed"}
    alive = {where: result for where, (result, _) in results.items() if result != "killed"}
    assert alive == {
        ("unseen", "return x * 7 -> return"): "uncovered",
        ("unseen", "x * 7 -> x / 7"): "uncovered",
        ("unseen", "7 -> 8"): "uncovered",
        ("unseen", "7 -> 6"): "uncovered",
        ("module", "3 -> 4"): "uncovered",  # UNUSED
        ("module", "3 -> 2"): "uncovered",
        ("wide", "x >= 0 -> x > 0"): "survived",  # -0 is 0
        ("wide", "0 -> 1"): "survived",
        ("wide", "0 -> -1"): "survived",
    }
    assert results["module", "2 -> 3"] == ("killed", "tests/test_one.py::test_forward")
    assert results["forward", "x + STEP -> x - STEP"][1] == "tests/test_one.py::test_forward"
    assert results["size", "4 -> 5"][1] == "tests/test_one.py::test_size"  # behind a decorator
    assert results["count", "n -= 1 -> pass"] == ("killed", "time")
    assert results["count", "n -= 1 -> n += 1"] == ("killed", "time")
    assert len(killed) > 10
    assert known["size", "4 -> 5"]["asked"] == 1  # the one test that runs it


def test_a_second_run_does_only_what_changed(tried):
    first = records_of(tried)
    assert len(run(tried)) == len(first)
    (tried / "tests" / "test_two.py").write_text(
        "from toy.one import wide\n\n\ndef test_the_edge():\n    assert wide(0.5) == 0.5\n"
    )
    more = run(tried)[len(first) :]
    assert {record["result"] for record in more} == {"killed", "survived"}
    assert len(more) == 3  # the survivors that a new test runs, nothing else
    source = tried / "src" / "toy" / "one.py"
    source.write_text(source.read_text().replace("x * 7", "x * 8"))
    again = run(tried)[len(first) + 3 :]
    assert len(again) == 4  # the function that changed


def test_a_line_that_a_kill_cut_off_is_done_again(tried):
    kept = tried / ".mutants" / "results.jsonl"
    before = records_of(tried)
    kept.write_text(kept.read_text()[:-20])
    again = run(tried)
    assert again[:-1] == before[:-1]
    assert {**again[-1], "seconds": 0} == {**before[-1], "seconds": 0}


def test_two_processes_share_the_work_and_come_to_the_same(toy, whole):
    for worker in "01":
        assert run(toy, "inf", worker, "2", "learn") == []  # tests first, for both
    first = run(toy, "inf", "0", "2")
    both = run(toy, "inf", "1", "2")
    assert 0 < len(first) < len(both)
    assert outcomes(both) == outcomes(records_of(whole))


def outcomes(records):
    return {record["mutant"]: (record["result"], record["by"]) for record in records}


def test_a_new_checkout_goes_on_from_the_file(tried):
    project = toy_project(tried)
    kept, before = tried / "tried.txt", results_of(project)
    keep(before, all_mutants(project), kept)
    killed = [key for key, record in before.records.items() if record["result"] == "killed"]
    assert [line.split()[0] for line in kept.read_text().splitlines()] == sorted(before.records)
    by_time = sum(record["by"] == "time" for record in before.records.values())
    assert kept.read_text().count(" time\n") == by_time >= 2

    (tried / ".mutants" / "results.jsonl").unlink()
    anew = results_of(project)
    assert recall(anew, all_mutants(project), kept) == len(before.records)
    assert recall(anew, all_mutants(project), kept) == 0  # nothing twice
    # The share is that of before, and not of the killed alone.
    assert tally(all_mutants(project), anew.records) == tally(all_mutants(project), before.records)
    again = list({record["mutant"]: record for record in run(tried)}.values())
    assert len(again) == len(before.records)
    alive = [record for record in again if record["result"] == "survived"]
    assert alive
    assert all(record["asked"] for record in alive)  # asked once more
    assert {key: r for key, (r, _) in outcomes(again).items()} == {
        key: record["result"] for key, record in before.records.items()
    }
    assert sum(record["asked"] == 0 for record in again) >= len(killed)  # not tried again

"""The mutation score: which mutants a text has, and who kills them in a tiny package."""

import ast
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mutants.__main__ import KILLED, PACKAGES, SURVIVED, TIME, UNCOVERED, choose_tests, score
from mutants.operators import mutants_of

ROOT = Path(__file__).resolve().parents[2]


def mutants_in(folder, text):
    path = folder / "one.py"
    path.write_text(text)
    return mutants_of(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(a, b):\n    return a < b", ["return a < b -> return", "a < b -> a <= b"]),
        ("def f(a, b):\n    g(a + b)", ["g(a + b) -> pass", "a + b -> a - b"]),
        ("def f(a):\n    a += g", ["a += g -> a -= g", "a += g -> pass"]),
        ("def f(a, b):\n    c = a and b", ["a and b -> a or b"]),
        ("def f(a):\n    b = not a", ["not a -> a"]),
        ("def f(a):\n    b = a[2:c]", ["2:c -> :c", "2:c -> 2:", "2 -> 3", "2 -> 1"]),
        ("def f(a):\n    b = max(a)", ["max -> min"]),
        ("def f(a, b=True): ...", ["True -> False"]),
        ("def f(a):\n    if a:\n        raise E", ["a -> not a", "raise E -> pass"]),
        ("def f(a):\n    if a == b:\n        c = 'x'", ["a == b -> a != b"]),
        ("def f(a):\n    while a:\n        break", ["a -> not a", "break -> continue"]),
        ("LIMIT = 2.5", ["2.5 -> 3.5"]),
        # Wording, types, assertions and logs have none.
        ('"""Text of 1 line."""\nimport os\nfrom a import b', []),
        ("def f(a: int = None) -> dict[1, 2]:\n    assert a > 1", []),
        ("def f(a):\n    b = 'one' + 'two' % a", []),
        ("def f(a):\n    _log.info('%d', a)", []),
        ("if TYPE_CHECKING:\n    a = 1 + 1", []),
        ("@overload\ndef f(a=1): ...", []),
        ("class P(Protocol):\n    size: int = 3", []),
        ("def f(a):\n    b = a.split(',')", []),
    ],
)
def test_a_text_has_exactly_these_mutants(tmp_path, text, expected):
    mutants = mutants_in(tmp_path, text)
    assert [f"{m.before} -> {m.after}" for m in mutants] == expected
    assert all(ast.unparse(m.tree()) != ast.unparse(ast.parse(text)) for m in mutants)


def test_tests_that_run_the_statement_are_asked_each_function_once_before_more_cases(tmp_path):
    [mutant] = mutants_in(tmp_path, "def f(a):\n    b = not a\n")
    cases = {f"t.py::test_many[{n}]": 3.0 + n / 100 for n in range(9)}
    seconds = {**cases, "t.py::test_other": 3.5, "t.py::test_elsewhere": 0.1}
    cover = {str(mutant.path): {2: {*cases, "t.py::test_other", "too slow"}}}
    asked = choose_tests(mutant, cover, seconds)
    assert asked == ["t.py::test_many[0]", "t.py::test_other"]  # 8 seconds are the budget
    assert choose_tests(mutant, {}, seconds) == []


def test_the_standard_error_is_that_of_a_sample_without_replacement():
    facts = score([KILLED] * 29 + [TIME] + [SURVIVED] * 8 + [UNCOVERED] * 2, 100)
    assert (facts["share"], facts["by_time"], facts["uncovered"]) == (0.75, 1, 2)
    expected = math.sqrt(0.75 * 0.25 / 40 * 60 / 99)
    assert facts["standard_error"] == pytest.approx(expected, abs=5e-5)
    assert score([KILLED] * 80 + [SURVIVED] * 20, 100)["standard_error"] == 0.0


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_has_files_and_tests(name):
    patterns, tests = PACKAGES[name]
    assert any(path for one in patterns for path in (ROOT / "src" / "linkprior").glob(one))
    assert any((ROOT / "tests" / one).exists() for one in tests)


SOURCE = """
import functools

STEP = 2


def forward(x):
    return x + STEP


@functools.cache
def size(x):
    return abs(x) * 4


def unseen(x):
    return x ^ 7


def wide(x):
    if x >= 0:
        return x
    return -x
"""
TESTS = """
from linkprior.one import forward, size, wide


def test_forward():
    assert forward(1) == 3


def test_size():
    assert size(-2) == 8


def test_wide():
    assert wide(-2) == wide(2) == 2
"""


@pytest.mark.at_length
def test_mutants_of_a_tiny_package_end_as_they_must(tmp_path):
    for name, text in {"src/linkprior/one.py": SOURCE, "tests/test_one.py": TESTS}.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = at_length\n")
    (tmp_path / "src" / "linkprior" / "__init__.py").touch()
    options = f"--root {tmp_path} --package model --workers 2 --source one.py --tests tests -o"
    call = [sys.executable, "-m", "mutants", *options.split(), str(tmp_path / "score.json")]
    done = subprocess.run(
        call, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "score.json").read_text())
    facts = results["areas"]["model"]
    assert results["all"].items() <= facts.items()  # of one package
    assert sorted(line.partition("  ")[2] for line in facts["survivors"]) == [
        "0 -> -1",  # in wide: -0 is 0
        "0 -> 1",
        "7 -> 6",  # in unseen, which no test runs
        "7 -> 8",
        "return x ^ 7 -> return",
        "x >= 0 -> x > 0",
        "x ^ 7 -> x & 7",
    ]
    assert facts["uncovered"] == 4
    assert facts["killed"] == facts["there"] - 7

"""Small errors: which a text can have, that each is another program, and their order by lot."""

import ast
import math
from collections import Counter

import pytest
from mutants.figures import share
from mutants.project import Project, linkprior_project
from mutants.sites import all_mutants, by_lot, mutants_of, mutated_tree


def project_of(root, **texts):
    source = root / "src" / "toy"
    source.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (source / f"{name}.py").write_text(text)
    return Project(root, "toy", {"all": ("*.py",)}, frozenset(), ("tests",))


def errors_of(root, text):
    """All small errors of a text, as before -> after."""
    project = project_of(root, one=text)
    [(area, path)] = project.files()
    return [f"{m.before} -> {m.after}" for m in mutants_of(project, area, path)]


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
    ],
)
def test_a_text_has_exactly_these_small_errors(tmp_path, text, expected):
    assert errors_of(tmp_path, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        '"""Text of 1 line."""',
        "import os\nfrom a import b",
        "def f(a: int = None) -> dict[1, 2]:\n    assert a > 1",
        "def f(a):\n    b = 'one' + 'two' % a",
        "def f(a):\n    _log.info('%d', a)",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    a = 1 + 1",
        "@overload\ndef f(a=1): ...",
        "class P(Protocol):\n    size: int = 3",
        "def f(a):\n    b = a.split(',')",
    ],
)
def test_wording_types_and_assertions_have_none(tmp_path, text):
    assert errors_of(tmp_path, text) == []


@pytest.mark.at_length
def test_each_error_of_this_package_changes_one_place_and_nothing_else():
    project = linkprior_project()
    for mutant in all_mutants(project)[::200]:
        path = project.source / mutant.file
        before = ast.unparse(ast.parse(path.read_text(encoding="utf-8"))).splitlines()
        after = ast.unparse(mutated_tree(path, mutant)).splitlines()
        assert before != after, mutant
        changed = Counter(after) - Counter(before)
        assert sum(changed.values()) <= mutant.after.count("\n") + 1, mutant
        compile(mutated_tree(path, mutant), str(path), "exec")


def test_keys_name_the_error_whatever_stands_around_its_function(tmp_path):
    function = "def f(a):\n    return a + 1 + 1\n"
    project = project_of(tmp_path, one=function)
    keys = {m.key for m in all_mutants(project)}
    assert len(keys) == len(all_mutants(project))  # two ones, two keys each
    project_of(tmp_path, one=f"import os\n\n\ndef g():\n    return 5\n\n\n{function}")
    assert keys < {m.key for m in all_mutants(project)}
    project_of(tmp_path, one=function.replace("a + 1", "a + 2"))
    assert not keys & {m.key for m in all_mutants(project)}


def test_what_can_be_exchanged_is_told_from_what_is_loaded_anew(tmp_path):
    text = "A = 1\n\n\nclass C:\n    b = 2\n\n    def f(self, c=3):\n        return 4\n"
    project = project_of(tmp_path, one=text)
    within = {(m.before, m.scope, m.within, m.names) for m in all_mutants(project)}
    assert within == {
        ("1", "", False, ("A",)),
        ("2", "", False, ("b",)),
        ("3", "C.f", False, ()),
        ("4", "C.f", True, ()),
        ("return 4", "C.f", True, ()),
    }


def test_the_lot_takes_every_file_at_an_even_pace(tmp_path):
    small = "\n".join(f"a{n} = True" for n in range(30))
    large = "\n".join(f"a{n} = True" for n in range(300))
    drawn = all_mutants(project_of(tmp_path, small=small, large=large))
    for stop in range(11, 330, 11):
        part = Counter(mutant.file for mutant in drawn[:stop])
        assert abs(part["small.py"] - stop / 11) <= 1
    assert [m.line for m in drawn if m.file == "large.py"] != list(range(1, 301))
    assert by_lot(reversed(drawn)) == drawn
    assert by_lot(drawn, seed=1) != drawn


def test_the_standard_error_is_that_of_a_draw_without_replacement():
    p, error = share(30, 40, 100)
    assert p == 0.75
    assert error == pytest.approx(math.sqrt(0.75 * 0.25 / 40 * 60 / 99))
    assert share(80, 100, 100) == (0.8, 0.0)
    assert math.isnan(share(0, 0, 100)[0])

"""How many properties are tested for inputs of any kind, by area, and that no area lost its own."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
RELIABILITY = TESTS.parent / "docs" / "reliability.md"
LEAST = 40

# The area of a file is the first of these that its path begins with; others are "elsewhere".
AREAS = {
    "kernels": ("kernels/", "properties/test_kernel"),
    "priors and theory": ("paper/", "properties/test_prior"),
    "splits, rankings and coverage": (
        "evaluation/test_splits",
        "properties/test_split",
        "test_coverage",
    ),
    "metrics and statistics": ("evaluation/", "properties/test_metric"),
    "writers and round trips": ("io/test_writers", "properties/test_round_trip"),
    "readers": ("io/",),
    "models": ("predictors/",),
}


def properties():
    """Yield the file and name of every test that hypothesis gives its input to."""
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if "given" in text else "")):
            if isinstance(node, ast.FunctionDef) and any(map(_is_given, node.decorator_list)):
                yield path.relative_to(TESTS).as_posix(), node.name


def _is_given(decorator):
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "id", getattr(called, "attr", "")) == "given"


def area_of(path):
    found = (area for area, starts in AREAS.items() if path.startswith(starts))
    return next(found, "elsewhere")


@cache
def counted():
    return Counter(area_of(path) for path, _ in properties())


def test_there_are_properties_of_every_area():
    found = counted()
    assert sum(found.values()) >= LEAST
    for area in AREAS:
        assert found[area] >= 3, area


def test_the_page_states_no_more_than_there_are():
    """Run this file as a program to have the table anew."""
    page = RELIABILITY.read_text(encoding="utf-8")
    for area, number in (*counted().items(), ("all", sum(counted().values()))):
        stated = re.search(rf"^\| {area} \| \**(\d+)\** \|$", page, re.MULTILINE)
        assert stated, f"docs/reliability.md should say | {area} | {number} |"
        assert int(stated[1]) <= number, f"docs/reliability.md says {stated[0]}: there are {number}"


if __name__ == "__main__":
    found = counted()
    print("\n".join(f"| {area} | {found[area]} |" for area in (*AREAS, "elsewhere")))
    print(f"| all | **{sum(found.values())}** |")

"""How many properties are tested for inputs of any kind, by area, and that no area lost its own."""

import re
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
RELIABILITY = TESTS.parent / "docs" / "reliability.md"
# The area of a file is the first of these that its path begins with; others are "elsewhere".
AREAS = {
    "kernels": ("kernels/", "properties/test_kernel"),
    "priors and theory": ("paper/", "properties/test_prior"),
    "splits, rankings and coverage": (
        *("evaluation/test_splits", "properties/test_split", "test_coverage"),
    ),
    "metrics and statistics": ("evaluation/", "properties/test_metric"),
    "writers and round trips": ("io/test_writers", "properties/test_round_trip"),
    "readers": ("io/",),
    "models": ("predictors/",),
}


def counted():
    """Count the tests that hypothesis gives their input to, by area."""
    found = Counter()
    for path in TESTS.rglob("test_*.py"):
        name = path.relative_to(TESTS).as_posix()
        area = next(
            (area for area, starts in AREAS.items() if name.startswith(starts)), "elsewhere"
        )
        text = path.read_text(encoding="utf-8")
        found[area] += len(re.findall(r"^@(?:hypothesis\.)?given\(", text, re.MULTILINE))
    return found


def test_the_page_states_no_more_than_there_are():
    """Run this file as a program to have the table anew."""
    page, found = RELIABILITY.read_text(encoding="utf-8"), counted()
    for area in AREAS:
        assert found[area] >= 3, area
    for area, number in (*found.items(), ("all", found.total())):
        stated = re.search(rf"^\| {area} \| \**(\d+)\** \|$", page, re.MULTILINE)
        assert stated, f"docs/reliability.md should say | {area} | {number} |"
        assert int(stated[1]) <= number, f"docs/reliability.md says {stated[0]}: there are {number}"


if __name__ == "__main__":
    found = counted()
    print("\n".join(f"| {area} | {found[area]} |" for area in (*AREAS, "elsewhere")))
    print(f"| all | **{found.total()}** |")

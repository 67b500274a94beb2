"""What readers of tables share: lines, rows kept or left out, experimental systems."""

import io

import pytest

from linkprior.errors import ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.readers.interactions import (
    Records,
    Systems,
    lines_of,
    number_of,
    sift,
    sift_scores,
    without_comments,
)
from linkprior.io.source import Source


@pytest.fixture
def found():
    return EdgeCollector("f")


def source(content):
    return Source("f", io.BytesIO(content), content, None, _tap=None)


# ---------------------------------------------------------------------- rows of tables

ROWS = Records([3, 4, 6], [["a", "b"], ["b", "c"], ["c", "d"]])


def test_rows_left_out_are_counted_under_their_reason(found):
    kept = sift(ROWS, [True, False, True], "too old", found)
    assert (kept.lines, kept.column(1)) == ([3, 6], ["b", "d"])
    assert {reason: entry.first_lines for reason, entry in found.dropped.items()} == {
        "too old": [4]
    }
    assert sift(ROWS, [False] * 3, "too old", found).cells == []
    assert found.dropped["too old"].count == 4


def test_where_all_rows_are_wanted_nothing_is_counted(found):
    assert sift(ROWS, iter([True] * 3), "too old", found) == ROWS
    assert not found.dropped


def test_rows_need_a_score_that_reaches_the_least(found):
    kept = sift_scores(ROWS, [0.5, None, 0.25], 0.5, found)
    assert (kept.lines, kept.column(0)) == ([3], ["a"])
    counts = {reason: entry.first_lines for reason, entry in found.dropped.items()}
    assert counts == {"it has no score": [4], "the score is below 0.5": [6]}


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.5", 0.5), ("-1e3", -1000), ("", None), ("x", None), ("nan", None), ("inf", None)],
)
def test_a_cell_holds_a_finite_number_or_none(text, number):
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("content", "numbers", "lines"),
    [
        (b"a\nb\n", [1, 2], ["a", "b"]),
        (b"a\n\nb", [1, 3], ["a", "b"]),
        (b"a\n \t\nb c\n", [1, 3], ["a", "b c"]),
        (b"\n \n a\n", [3], [" a"]),
    ],
)
def test_lines_that_are_not_blank_keep_their_numbers(content, numbers, lines):
    parts = list(lines_of(source(content)))
    assert [number for part, _ in parts for number in part] == numbers
    assert [line for _, part in parts for line in part] == lines


def test_blank_lines_alone_are_nothing():
    assert list(lines_of(source(b"\n \n\n"))) == []


def test_lines_that_begin_with_a_hash_are_comments():
    part = ([1, 2, 3], ["#x", "y#", "z"])
    assert without_comments(part) == ([2, 3], ["y#", "z"])
    assert without_comments(([2, 3], ["y#", "z#a"])) == ([2, 3], ["y#", "z#a"])
    assert without_comments(([2], ["#"])) == ([], [])
    assert without_comments(([1, 2], ["#x", "z"])) == ([2], ["z"])


# ---------------------------------------------------------------------- experimental systems


def test_a_row_is_wanted_for_any_of_its_systems():
    systems = Systems([" Two-Hybrid", "Pulldown"])
    assert systems
    assert not Systems([])
    assert systems.wants(["x", "two-hybrid "])
    assert not systems.wants(["x", "hybrid"])
    systems.count(["Two-hybrid", "x", "pulldowns"])
    with pytest.raises(ParameterError) as told:
        systems.settle("f")
    assert str(told.value) == (
        "--experimental-system: no row of f has 'Pulldown'. Did you mean pulldowns? "
        "It has: Two-hybrid, x, pulldowns"
    )
    assert systems.wants(["PULLDOWN"])
    systems.settle("f")


@pytest.mark.parametrize(("n", "more"), [(20, ""), (21, " …")])
def test_twenty_systems_are_listed_the_most_usual_first(n, more):
    systems = Systems(["none of them"])
    systems.count([f"s{at}x" for at in range(n)])
    systems.count(["s7x"])
    with pytest.raises(ParameterError) as told:
        systems.settle("f")
    listed = ["s7x", *(f"s{at}x" for at in range(20) if at != 7)]
    assert str(told.value).endswith(f"It has: {', '.join(listed)}{more}")

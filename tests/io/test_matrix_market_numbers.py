"""Entries of Matrix Market that scipy reads only in part."""

import pytest
from tests.io.graph_files import pairs, problem, reading

from linkprior.io.formats import ReadOptions


def mtx(*entries, kind="coordinate real general", size=None):
    size = size or f"3 3 {len(entries)}"
    return "\n".join([f"%%MatrixMarket matrix {kind}", size, *entries]) + "\n"


@pytest.mark.parametrize(("word", "value"), [("1.5D3", 1500.0), ("1.5d+02", 150.0), ("4D0", 4.0)])
def test_an_exponent_of_fortran_counts(tmp_path, word, value):
    asked = ReadOptions(weights="value")
    for content in (
        mtx(f"1 2 {word}", "1 3 1"),
        mtx("0", word, "1", "0", "0", "0", kind="array real symmetric", size="3 3"),
    ):
        facts = reading(tmp_path, "m.mtx", content, options=asked).report.weights
        assert (facts.least, facts.largest) == (1.0, value)


@pytest.mark.parametrize("entry", ["2 3.0 1", "2.0 3 1", "2 3.25 1", "2 3e0 1", "+2 3 1"])
def test_a_row_or_column_that_is_no_whole_number_is_refused(tmp_path, entry):
    for other in ("1 2 1", "1 2 1D0"):  # the second is looked at line by line
        message = problem(tmp_path, "m.mtx", mtx(other, entry), format="matrix-market")
        assert message.startswith(
            "m.mtx:4: expected 3 numbers (coordinate real), whole ones for row"
        )
        assert message.endswith(f"got {entry!r}")


def test_whole_numbers_are_read_as_before(tmp_path):
    found = reading(tmp_path, "m.mtx", mtx("1 2 1", "2 3 0.5", "1 3 -1e-3"))
    assert pairs(found.network) == {frozenset(p) for p in ("12", "23", "13")}


def test_a_plus_before_a_value_is_read_past(tmp_path):
    asked = ReadOptions(weights="value")
    content = mtx("1 2 +1.5D-01", "1 3 +2e+1", "2 3 +.5")
    facts = reading(tmp_path, "m.mtx", content, options=asked).report.weights
    assert (facts.least, facts.largest) == (0.15, 20.0)


def test_a_long_row_of_digits_is_refused_at_once(tmp_path):
    """It took time by the square of its length."""
    message = problem(tmp_path, "m.mtx", mtx("1 2 " + "1" * 200_000 + "x"), format="matrix-market")
    assert message.startswith("m.mtx:3: expected 3 numbers")

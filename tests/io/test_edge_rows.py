"""Rows of edge lists at both sides of each rule: counts, headers, scores and weights."""

import pytest
from tests.io.graph_files import dropped, pairs, problem, reading

from linkprior.errors import InputError
from linkprior.io.formats import ReadOptions


def text(rows):
    """Return lines from rows written a b;c d."""
    return rows.replace(";", "\n") + "\n"


def found(tmp_path, rows, name="e.txt", **options):
    return reading(tmp_path, name, text(rows), options=ReadOptions(**options))


def edges(tmp_path, rows, **options):
    names = pairs(found(tmp_path, rows, **options).network)
    return {"-".join(sorted(pair)) for pair in names}


def notes(tmp_path, rows, **options):
    return "\n".join(found(tmp_path, rows, **options).report.notes)


def path(n, start=0, more=""):
    """Return n edges of a path on n + 1 nodes."""
    return ";".join(f"n{at} n{at + 1}{more}" for at in range(start, start + n))


# ---------------------------------------------------------------------- a first row of counts


@pytest.mark.parametrize(
    ("first", "rows", "what"),
    [
        ("11 10", path(10), "numbers of nodes and edges"),
        ("12 11", path(11), "numbers of nodes and edges"),
        ("5 12 11", path(11, more=" 1"), "the size of a matrix"),
    ],
)
def test_a_first_row_that_counts_what_follows_is_refused(tmp_path, first, rows, what):
    told = problem(tmp_path, "e.txt", text(f"# a note;{first};{rows}"))
    said = f"{first!r} looks like {what}, as {rows.count(';') + 1} rows follow"
    assert told.startswith(f"e.txt:2: {said}")


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("10 9", path(9)),  # few rows
        ("12 12", path(11)),  # another number of edges
        ("12 10", path(11)),
        ("9 11", path(11)),  # fewer nodes than there are
        ("5 20", f"{path(10)};{path(10, start=20)}"),
        ("12 11", f"{path(10)};x y"),  # one node more
        ("1 12 12 11", path(11, more=" 1 x")),  # one number more
        ("x 11", path(11)),
    ],
)
def test_a_first_row_that_counts_something_else_is_an_edge(tmp_path, first, rows):
    report = found(tmp_path, f"{first};{rows}").report
    assert report.rows == rows.count(";") + 2


def test_a_first_row_of_counts_is_an_edge_where_the_user_says_so(tmp_path):
    rows = f"12 11;{path(11)}"
    assert found(tmp_path, rows, header=False).report.rows == 12
    assert found(tmp_path, rows, columns=("1", "2")).report.rows == 12
    assert found(tmp_path, rows, header=True).report.rows == 11


# ---------------------------------------------------------------------- titles and headers


def test_lines_are_counted_from_the_first_title_on(tmp_path):
    rows = "Made by hand;# note;in 2020;at home;;source,target;a,b;b,c;,d"
    report = found(tmp_path, rows).report
    assert (report.lines, report.rows, report.passed_over) == (9, 2, 2)
    assert {entry["reason"]: entry["first_lines"] for entry in report.dropped} == {
        "text above the table": [1, 3, 4],
        "a node name is empty": [9],
    }


def test_only_a_row_that_is_all_of_the_header_repeats_it(tmp_path):
    rows = "eins\tzwei\tdrei;a\tb\t1;eins\tc\t2;eins\tzwei\tdrei;c\td\t3"
    report = found(tmp_path, rows, header=True)
    assert dropped(report) == {"repeats the header": 1}
    assert report.report.dropped[0]["first_lines"] == [4]
    assert report.network.n_edges == 3


def returning(first, last, more=""):
    """Return a header in doubt, more rows than are looked at for it, and a last one."""
    rows = ";".join(f"a{at} b{at}{more}" for at in range(205))
    return f"{first};{rows};{last}"


@pytest.mark.parametrize("last", ["b3 source", "b3 target", "target b3"])
def test_a_header_with_one_word_that_is_a_node_is_an_edge(tmp_path, last):
    report = found(tmp_path, returning("source target", last))
    assert report.network.n_edges == 207
    assert "line 1 looks like a header, but source or target is a node" in report.report.notes[0]


def test_a_header_stays_one_where_no_word_is_a_node_or_it_is_beyond_doubt(tmp_path):
    assert found(tmp_path, returning("source target", "b3 c")).network.n_edges == 206
    asked = {"header": True}
    assert found(tmp_path, returning("source target", "b3 source"), **asked).network.n_edges == 206
    weighed = returning("source target score", "b3 source 0", " 1").replace("b0 1", "b0 0.5")
    sure = found(tmp_path, weighed, weights="score")
    assert sure.network.n_edges == 205


# ---------------------------------------------------------------------- scores


@pytest.mark.parametrize(
    ("least", "expected"),
    [
        (0.5, {"a-b", "c-d"}),
        (0.50001, {"c-d"}),
        (-1, {"a-b", "b-c", "c-d"}),
    ],
)
def test_rows_of_at_least_the_score_asked_for_are_kept(tmp_path, least, expected):
    assert edges(tmp_path, "a b 0.5;b c 0.25;c d 7e-1", min_score=least) == expected


def test_the_score_may_come_after_other_columns_and_before_the_nodes(tmp_path):
    assert edges(tmp_path, "0.5 a b;0.25 b c", min_score=0.4) == {"a-b"}
    rows = "source target year score;a b 1 2;b c 3 1"
    assert edges(tmp_path, rows, min_score=2) == {"a-b"}
    assert "goes by column 4 (score)" in notes(tmp_path, rows, min_score=2)
    assert notes(tmp_path, "a b 1;b c 2", min_score=2) == "--min-score 2 goes by column 3"


def test_without_a_column_of_scores_the_weights_are_the_scores(tmp_path):
    rows = "source target trust;a b 1;b c 3"
    assert edges(tmp_path, rows, min_score=2, weights="trust") == {"b-c"}


def test_scores_come_before_weights_for_the_least_score(tmp_path):
    rows = "source target trust score;a b 1 3;b c 3 1"
    assert edges(tmp_path, rows, min_score=2, weights="trust") == {"a-b"}


@pytest.mark.parametrize("score", ["1,234", "-12,345,678", "+1,000", "x", "", "1.2.3"])
def test_what_is_no_clear_number_is_no_score(tmp_path, score):
    rows = f"a\tb\t1;b\tc\t{score}"
    with pytest.raises(InputError, match=r"e\.txt:2: expected a score, got '") as told:
        found(tmp_path, rows, min_score=0)
    assert f"got {score!r}; write it as a plain number" in str(told.value)


@pytest.mark.parametrize("score", ["0,234", "1,2345", "1,23", "1234,5", "01,234"])
def test_a_comma_that_cannot_mark_thousands_is_a_point(tmp_path, score):
    value = float(score.replace(",", "."))
    rows = f"a\tb\t{score};b\tc\t0"
    assert edges(tmp_path, rows, min_score=value) == {"a-b"}


# ---------------------------------------------------------------------- weights


def test_weights_are_those_of_their_rows(tmp_path):
    rows = "source target trust;a b 1;b c 3;c d 2"
    network = found(tmp_path, rows, weights="trust").network
    assert network.known.weights.tolist() == [1 / 3, 1, 2 / 3]  # by the largest
    facts = found(tmp_path, rows, weights="trust").report.weights
    assert (facts.column, facts.least, facts.largest) == ("column trust", 1, 3)
    assert found(tmp_path, "a b 1;b c 3", weights="3").report.weights.column == "column 3"


@pytest.mark.parametrize("rows", ["a b 1;b c;c d 2", "a b 1;b c;c d"])
def test_a_row_that_ends_before_its_weight_is_named(tmp_path, rows):
    assert problem(tmp_path, "e.txt", text(rows), options=ReadOptions(weights="3")).startswith(
        "e.txt:2: "
    )


def test_weights_in_rows_of_different_widths(tmp_path):
    facts = found(tmp_path, "a b 1;b c 3 x;c d 2 y z", weights="3").report.weights
    assert (facts.least, facts.median, facts.largest) == (1, 2, 3)


def test_labels_are_weights_where_they_are_asked_for(tmp_path):
    """Rows of 0 are left out for their weight then, not as non-edges."""
    report = found(tmp_path, "a b 1;b c 0;c d 1", weights="3")
    assert dropped(report) == {"its weight is 0": 1}
    report = found(tmp_path, "a b 1;b c 0;c d 1", min_score=0)
    assert not dropped(report)

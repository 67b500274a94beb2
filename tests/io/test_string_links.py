"""STRING's protein links."""

import pytest
from tests.io.files import (
    STRING,
    edges,
    links,
    pairs,
    read_text,
    reading,
)

from linkprior.errors import ParameterError

HEADER = "protein1 protein2 combined_score\n"


def string_file(*rows):
    return HEADER + "".join(f"{row}\n" for row in rows)


def notes(result):
    return "\n".join(result.report.notes)


def test_scores_of_0_and_1000_are_scores(tmp_path):
    result = read_text(tmp_path, string_file("9.a 9.b 0", "9.b 9.c 1000", "9.c 9.d 699"))
    assert edges(result) == links("a-b", "b-c", "c-d")
    assert "STRING scores from 0 to 1000, all kept" in notes(result)
    assert "(would leave 1 rows)" in notes(result)


@pytest.mark.parametrize("least", [-0.5, 1000.5])
def test_a_least_score_just_outside_the_scale_is_refused(tmp_path, least):
    with pytest.raises(ParameterError, match="min.score must be a number in"):
        read_text(tmp_path, STRING, min_score=least)


def test_other_options_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="--organism does not apply to STRING links"):
        read_text(tmp_path, STRING, organism="9606")


@pytest.mark.parametrize("gap", ["\t", "  ", " \t "])
def test_any_white_space_stands_between_columns(tmp_path, gap):
    content = string_file("9.a 9.b 900", "9.b 9.c 800").replace(" ", gap)
    assert edges(read_text(tmp_path, content, format="string")) == links("a-b", "b-c")


def test_a_header_may_be_marked_as_a_comment(tmp_path):
    result = read_text(tmp_path, "#" + string_file("9.a 9.b 900", "9.b 9.c 800"), format="string")
    assert edges(result) == links("a-b", "b-c")
    assert result.report.passed_over == 0


MIRRORED = ("9.a 9.b 900", "9.b 9.a 900", "9.b 9.c 800", "9.c 9.b 800")


@pytest.mark.parametrize(
    ("rows", "twice"),
    [
        (MIRRORED, True),
        ((*MIRRORED, "9.a 9.a 900"), True),
        ((*MIRRORED, "9.c 9.c 900", "9.b 9.b 900"), True),
        (MIRRORED[:3], False),
        (("9.a 9.b 900", "9.c 9.b 800"), False),
        (("9.a 9.b 900", "9.b 9.c 900", "9.c 9.a 900", "9.c 9.b 900"), False),
        (("9.a 9.b 900", "9.a 9.c 900", "9.b 9.a 900", "9.c 9.b 900"), False),
    ],
)
def test_pairs_are_said_to_be_listed_twice_only_if_each_has_its_mirror(tmp_path, rows, twice):
    assert ("each pair is listed twice" in notes(read_text(tmp_path, string_file(*rows)))) == twice


def test_links_of_string_without_comments_have_no_line_passed_over(tmp_path):
    text = "protein1 protein2 combined_score\n9606.a 9606.b 900\n9606.b 9606.c 400\n"
    assert reading(tmp_path, "s.txt", text).report.passed_over == 0


def test_two_proteins_without_a_combined_score_are_an_edge_list(tmp_path):
    text = "protein1 protein2 evidence\na b seen\nb c seen\nc d told\n"
    found = reading(tmp_path, "s.txt", text)
    assert found.report.format == "edgelist"
    assert pairs(found.network) == links("a-b", "b-c", "c-d")


def string(rows):
    """Return a file of STRING from rows of two proteins and a score."""
    lines = "".join(f"9606.P{a} 9606.P{b} {score}\n" for a, b, score in rows)
    return f"protein1 protein2 combined_score\n{lines}"


def test_string_has_no_direction_whatever_its_rows_look_like(tmp_path):
    # A ring of twenty edges, five of which are given both ways.
    rows = [(k, (k + 1) % 20, 900) for k in range(20)]
    rows += [(b, a, score) for a, b, score in rows[:5]]
    plain = "".join(f"9606.P{a} 9606.P{b}\n" for a, b, _ in rows)
    for text, told in ((plain, True), (string(rows), False)):
        looks = read_text(tmp_path, text).report.looks
        assert any("looks directed" in look for look in looks) == told

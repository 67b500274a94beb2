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

from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.string_links import read_string
from linkprior.io.source import open_source

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


@pytest.mark.parametrize(
    ("least", "kept"),
    [
        (0, {"a-b", "b-c", "c-d", "d-e"}),
        (0.001, {"b-c", "c-d", "d-e"}),
        (0.002, {"c-d", "d-e"}),
        (1, {"d-e"}),
        (1.5, {"c-d", "d-e"}),
        (2, {"c-d", "d-e"}),
        (1000, {"d-e"}),
    ],
)
def test_a_least_score_up_to_1_is_a_fraction_and_above_1_is_not(tmp_path, least, kept):
    content = string_file("9.a 9.b 0", "9.b 9.c 1", "9.c 9.d 2", "9.d 9.e 1000")
    assert edges(read_text(tmp_path, content, min_score=least)) == links(*kept)


@pytest.mark.parametrize("least", [-0.5, 1000.5])
def test_a_least_score_just_outside_the_scale_is_refused(tmp_path, least):
    with pytest.raises(ParameterError, match="min.score must be a number in"):
        read_text(tmp_path, STRING, min_score=least)


@pytest.mark.parametrize(
    ("scores", "least", "said"),
    [((699, 999), None, True), ((700, 999), None, False), ((699, 999), 699, True),
     ((699, 999), 700, False), ((750, 999), 800, False)],
)  # fmt: skip
def test_scores_are_noted_where_low_ones_are_kept(tmp_path, scores, least, said):
    content = string_file(f"9.a 9.b {scores[0]}", f"9.b 9.c {scores[1]}")
    assert ("all kept" in notes(read_text(tmp_path, content, min_score=least))) == said


def test_names_of_proteins_are_no_weights(tmp_path):
    for asked in ("protein2", "2", "protein1"):
        with pytest.raises(ParameterError, match="There are: combined_score$"):
            read_text(tmp_path, STRING, weights=asked)


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


@pytest.mark.parametrize(
    "header",
    ["protein1 protein2 score", "protein2 protein1 combined_score", "protein1 combined_score x"],
)
def test_another_header_is_refused_with_its_line(tmp_path, header):
    content = f"\n{header}\n9.a 9.b 900\n9.b 9.c 800\n"
    with pytest.raises(InputError) as caught:
        read_text(tmp_path, content, format="string")
    assert "input.txt:2: expected STRING's header" in str(caught.value)
    assert str(caught.value).endswith(f"got {header!r}")


def test_of_several_bad_lines_the_first_is_named(tmp_path):
    ragged = string_file("9.a 9.b 900", "9.b 9.c", "9.c 9.d")
    with pytest.raises(InputError, match=r"input\.txt:3: expected 3 columns .* got 2: '9.b 9.c'"):
        read_text(tmp_path, ragged)
    odd = string_file("9.a 9.b 900", "9.b 9.c x", "9.c 9.d y")
    with pytest.raises(InputError, match=r"input\.txt:3: expected a combined score.* got 'x'"):
        read_text(tmp_path, odd)


def test_the_score_is_found_wherever_its_column_stands(tmp_path):
    content = (
        "protein1 protein2 combined_score homology fusion\n9.a 9.b 900 0 x\n9.b 9.c 100 950 y\n"
    )
    result = read_text(tmp_path, content, min_score=500)
    assert edges(result) == links("a-b")
    assert result.report.guess.startswith("STRING links with 2 partial scores, ")


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


@pytest.mark.parametrize(
    ("row", "names", "told"),
    [
        ("9.a.1 9.b", "a.1-b", "without 9. in front"),
        ("511145.b0001 511145.b0002", "b0001-b0002", "without 511145. in front"),
        ("9.a 10.b", "9.a-10.b", "STRING identifier"),
        ("9.a 9b", "9.a-9b", "STRING identifier"),
        ("9.a 9.", "9.a-9.", "STRING identifier"),
        ("x.a x.b", "x.a-x.b", "STRING identifier"),
    ],
)
def test_the_number_of_the_organism_goes_where_all_names_have_it(tmp_path, row, names, told):
    result = read_text(tmp_path, string_file(f"{row} 900"))
    assert edges(result) == links(names)
    assert result.report.guess.endswith(told)


def test_blank_lines_are_passed_over(tmp_path):
    content = "\n" + string_file("9.a 9.b 900", "", "9.b 9.c 800", "")
    result = read_text(tmp_path, content)
    assert edges(result) == links("a-b", "b-c")
    assert result.report.passed_over == 3


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


def test_a_protein_paired_with_itself_is_not_listed_both_ways(tmp_path):
    for rows, twice in (
        ([(1, 2, 900), (2, 1, 900)], True),
        ([(1, 2, 900), (2, 1, 900), (3, 3, 900)], True),
        ([(1, 1, 900), (2, 2, 900)], False),
        ([(1, 2, 900), (3, 1, 900)], False),
    ):
        path = tmp_path / "links.txt"
        path.write_text(string(rows))
        with open_source(path) as source:
            found = EdgeCollector("links.txt")
            read_string(source, found, ReadOptions())
        assert any("listed twice" in note for note in found.notes) == twice, rows


def test_700_is_what_string_calls_high_confidence(tmp_path):
    scores = (150, 699, 700, 701, 999)
    text = "".join(f"9606.P{i} 9606.P{i + 1} {score}\n" for i, score in enumerate(scores))
    notes = read_text(tmp_path, f"protein1 protein2 combined_score\n{text}").report.notes
    assert any("--min-score 700 keeps" in note and "leave 3 rows" in note for note in notes)

"""STRING links at the edge of their rules: scores, headers, mirrored pairs, names."""

import pytest
from tests.io.databases import STRING, edges, left_out, pairs, reading

from linkprior.errors import InputError, ParameterError

HEADER = "protein1 protein2 combined_score\n"


def links(*rows):
    return HEADER + "".join(f"{row}\n" for row in rows)


def notes(result):
    return "\n".join(result.report.notes)


def test_scores_of_0_and_1000_are_scores(tmp_path):
    result = reading(tmp_path, links("9.a 9.b 0", "9.b 9.c 1000", "9.c 9.d 699"))
    assert edges(result) == pairs("a-b", "b-c", "c-d")
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
    content = links("9.a 9.b 0", "9.b 9.c 1", "9.c 9.d 2", "9.d 9.e 1000")
    assert edges(reading(tmp_path, content, min_score=least)) == pairs(*kept)


@pytest.mark.parametrize("least", [-0.5, 1000.5])
def test_a_least_score_just_outside_the_scale_is_refused(tmp_path, least):
    with pytest.raises(ParameterError, match="min.score must be a number in"):
        reading(tmp_path, STRING, min_score=least)


def test_rows_below_the_least_score_leave_the_weights_with_their_edges(tmp_path):
    content = links("9.a 9.b 100", "9.b 9.c 400", "9.c 9.d 800")
    result = reading(tmp_path, content, min_score=400, weights="3")
    assert left_out(result) == {"the score is below 400": [2]}
    assert (result.report.weights.least, result.report.weights.largest) == (400.0, 800.0)


@pytest.mark.parametrize(
    ("scores", "least", "said"),
    [((699, 999), None, True), ((700, 999), None, False), ((699, 999), 699, True),
     ((699, 999), 700, False), ((750, 999), 800, False)],
)  # fmt: skip
def test_scores_are_noted_where_low_ones_are_kept(tmp_path, scores, least, said):
    content = links(f"9.a 9.b {scores[0]}", f"9.b 9.c {scores[1]}")
    assert ("all kept" in notes(reading(tmp_path, content, min_score=least))) == said


def test_names_of_proteins_are_no_weights(tmp_path):
    for asked in ("protein2", "2", "protein1"):
        with pytest.raises(ParameterError, match="There are: combined_score$"):
            reading(tmp_path, STRING, weights=asked)


def test_other_options_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="--organism does not apply to STRING links"):
        reading(tmp_path, STRING, organism="9606")


@pytest.mark.parametrize("gap", ["\t", "  ", " \t "])
def test_any_white_space_stands_between_columns(tmp_path, gap):
    content = links("9.a 9.b 900", "9.b 9.c 800").replace(" ", gap)
    assert edges(reading(tmp_path, content, format="string")) == pairs("a-b", "b-c")


def test_a_header_may_be_marked_as_a_comment(tmp_path):
    result = reading(tmp_path, "#" + links("9.a 9.b 900", "9.b 9.c 800"), format="string")
    assert edges(result) == pairs("a-b", "b-c")
    assert result.report.passed_over == 0


@pytest.mark.parametrize(
    "header",
    ["protein1 protein2 score", "protein2 protein1 combined_score", "protein1 combined_score x"],
)
def test_another_header_is_refused_with_its_line(tmp_path, header):
    content = f"\n{header}\n9.a 9.b 900\n9.b 9.c 800\n"
    with pytest.raises(InputError) as caught:
        reading(tmp_path, content, format="string")
    assert "input.txt:2: expected STRING's header" in str(caught.value)
    assert str(caught.value).endswith(f"got {header!r}")


def test_of_several_bad_lines_the_first_is_named(tmp_path):
    ragged = links("9.a 9.b 900", "9.b 9.c", "9.c 9.d")
    with pytest.raises(InputError, match=r"input\.txt:3: expected 3 columns .* got 2: '9.b 9.c'"):
        reading(tmp_path, ragged)
    odd = links("9.a 9.b 900", "9.b 9.c x", "9.c 9.d y")
    with pytest.raises(InputError, match=r"input\.txt:3: expected a combined score.* got 'x'"):
        reading(tmp_path, odd)


def test_the_score_is_found_wherever_its_column_stands(tmp_path):
    content = (
        "protein1 protein2 combined_score homology fusion\n9.a 9.b 900 0 x\n9.b 9.c 100 950 y\n"
    )
    result = reading(tmp_path, content, min_score=500)
    assert edges(result) == pairs("a-b")
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
    assert ("each pair is listed twice" in notes(reading(tmp_path, links(*rows)))) == twice


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
    result = reading(tmp_path, links(f"{row} 900"))
    assert edges(result) == pairs(names)
    assert result.report.guess.endswith(told)


def test_blank_lines_are_passed_over(tmp_path):
    content = "\n" + links("9.a 9.b 900", "", "9.b 9.c 800", "")
    result = reading(tmp_path, content)
    assert edges(result) == pairs("a-b", "b-c")
    assert result.report.passed_over == 3

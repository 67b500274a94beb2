"""STRING's protein links."""

import gzip

import pytest
from tests.io.files import STRING, edges, left_out, links, read_text

from linkprior.errors import InputError, ParameterError

HEADER = "protein1 protein2 combined_score\n"
TWICE = "each pair is listed twice, once each way, as STRING does; it counts once"


def string_file(*rows):
    return HEADER + "".join(f"{row}\n" for row in rows)


def notes(result):
    return "\n".join(result.report.notes)


def test_string_links_are_all_kept_and_the_scores_noted(tmp_path):
    result = read_text(tmp_path, gzip.compress(STRING.encode()), "9606.protein.links.v12.0.txt.gz")
    assert edges(result) == links("P1-P2", "P1-P3.1", "P2-P3.1", "P2-P4")
    assert result.report.guess == (
        "STRING links, nodes named by STRING identifier without 9606. in front"
    )
    assert result.report.notes == [
        "STRING scores from 150 to 999, all kept; --min-score 700 keeps what STRING calls high "
        "confidence (would leave 4 rows)",
        TWICE,
    ]
    assert not result.report.looks
    assert result.report.passed_over == 0


@pytest.mark.parametrize(
    ("least", "kept", "reason"),
    [
        (None, {"a-b", "b-c", "c-d", "d-e"}, None),
        (0, {"a-b", "b-c", "c-d", "d-e"}, None),
        (0.001, {"b-c", "c-d", "d-e"}, "1"),
        (0.002, {"c-d", "d-e"}, "2"),
        (1, {"d-e"}, "1000"),
        (1.5, {"c-d", "d-e"}, "1.5"),
        (2, {"c-d", "d-e"}, "2"),
        (1000, {"d-e"}, "1000"),
    ],
)
def test_a_least_score_up_to_1_is_a_fraction_and_above_1_is_not(tmp_path, least, kept, reason):
    content = string_file("9.a 9.b 0", "9.b 9.c 1", "9.c 9.d 2", "9.d 9.e 1000")
    result = read_text(tmp_path, content, min_score=least)
    assert edges(result) == links(*kept)
    lines = [2, 3, 4][: 4 - len(kept)]
    assert left_out(result) == ({f"the score is below {reason}": lines} if reason else {})


@pytest.mark.parametrize("least", [-1, -0.5, 1000.5, float("nan")])
def test_a_least_score_outside_the_scale_is_refused(tmp_path, least):
    with pytest.raises(ParameterError, match="min.score must be a number in"):
        read_text(tmp_path, STRING, min_score=least)


@pytest.mark.parametrize(
    ("scores", "least", "said"),
    [
        ((699, 999), None, "STRING scores from 699 to 999, all kept; --min-score 700 "),
        ((0, 699, 700, 1000), None, "(would leave 2 rows)"),
        ((700, 999), None, ""),
        ((699, 999), 699, "all kept"),
        ((699, 999), 700, ""),
        ((750, 999), 800, ""),
    ],
)
def test_scores_are_noted_where_low_ones_are_kept(tmp_path, scores, least, said):
    content = string_file(*(f"9.a{n} 9.b {score}" for n, score in enumerate(scores)))
    told = notes(read_text(tmp_path, content, min_score=least))
    assert said in told
    assert ("all kept" in told) == bool(said)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"weights": "protein2"}, "There are: combined_score$"),
        ({"weights": "2"}, "There are: combined_score$"),
        ({"organism": "9606"}, "--organism does not apply to STRING links"),
    ],
)
def test_other_options_are_refused(tmp_path, options, told):
    with pytest.raises(ParameterError, match=told):
        read_text(tmp_path, STRING, **options)


@pytest.mark.parametrize(
    ("content", "passed_over"),
    [
        *((string_file("9.a 9.b 900", "9.b 9.c 800").replace(" ", gap), 0)
          for gap in ("\t", "  ", " \t ")),
        ("#" + string_file("9.a 9.b 900", "9.b 9.c 800"), 0),
        ("\n" + string_file("9.a 9.b 900", "", "9.b 9.c 800", ""), 3),
    ],
)  # fmt: skip
def test_any_white_space_stands_between_columns(tmp_path, content, passed_over):
    result = read_text(tmp_path, content, format="string")
    assert edges(result) == links("a-b", "b-c")
    assert result.report.passed_over == passed_over


@pytest.mark.parametrize(
    ("content", "told"),
    [
        *((f"\n{header}\n9.a 9.b 900\n", f":2: expected STRING's header.* got '{header}'$")
          for header in ("protein1 protein2 score", "protein2 protein1 combined_score",
                         "protein1 combined_score x")),
        ("\n \n", "no line, expected STRING"),
        (HEADER, "STRING's header and no row below it"),
        (string_file("9.a 9.b 900", "9.b 9.c", "9.c 9.d"), ":3: expected 3 columns .* got 2: '9.b"),
        (string_file("9.a 9.b 900", "9.b 9.c 5 1"), ":3: expected 3 columns .* got 4"),
        (string_file("9.A 9.B 900 9.X", "9.Y 500", "9.A 9.C 800"), ":2: expected 3 columns"),
        *((string_file("9.a 9.b 900", f"9.b 9.c {score}", "9.c 9.d y"),
           f":3: expected a combined score.* got '{score}'")
          for score in ("x", "1001", "0.5", "-1")),
    ],
)  # fmt: skip
def test_what_are_no_string_links_is_refused(tmp_path, content, told):
    with pytest.raises(InputError, match=f"input.txt{told}" if told[0] == ":" else told):
        read_text(tmp_path, content, format="string")


def test_a_least_score_that_leaves_nothing_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no edge is left.*below 1000"):
        read_text(tmp_path, STRING, min_score=1)


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
        ((*MIRRORED, "9.a 9.c 500"), False),
        (("9.a 9.b 900", "9.c 9.b 800"), False),
        (("9.a 9.b 900", "9.b 9.c 900", "9.c 9.a 900", "9.c 9.b 900"), False),
        (("9.a 9.b 900", "9.a 9.c 900", "9.b 9.a 900", "9.c 9.b 900"), False),
    ],
)
def test_pairs_are_said_to_be_listed_twice_only_if_each_has_its_mirror(tmp_path, rows, twice):
    assert (TWICE in read_text(tmp_path, string_file(*rows)).report.notes) == twice


@pytest.mark.parametrize(
    ("rows", "names", "told"),
    [
        (["9.a.1 9.b"], ["a.1-b"], "without 9. in front"),
        (["511145.b0001 511145.b0002"], ["b0001-b0002"], "without 511145. in front"),
        (["9.a 9.b", "10.a 10.b"], ["9.a-9.b", "10.a-10.b"], "STRING identifier"),
        (["9.a 9b"], ["9.a-9b"], "STRING identifier"),
        (["9.a 9."], ["9.a-9."], "STRING identifier"),
        (["x.a x.b"], ["x.a-x.b"], "STRING identifier"),
    ],
)
def test_the_number_of_the_organism_goes_where_all_names_have_it(tmp_path, rows, names, told):
    result = read_text(tmp_path, string_file(*(f"{row} 900" for row in rows)))
    assert edges(result) == links(*names)
    assert result.report.guess.endswith(told)


def test_two_proteins_without_a_combined_score_are_an_edge_list(tmp_path):
    text = "protein1 protein2 evidence\na b seen\nb c seen\nc d told\n"
    result = read_text(tmp_path, text)
    assert result.report.format == "edgelist"
    assert edges(result) == links("a-b", "b-c", "c-d")


def test_string_has_no_direction_whatever_its_rows_look_like(tmp_path):
    # A ring of twenty edges, five of which are given both ways.
    ring = [f"9.P{k} 9.P{(k + 1) % 20}" for k in range(20)]
    rows = [*ring, *(" ".join(row.split()[::-1]) for row in ring[:5])]
    for text, told in (("\n".join(rows), True), (string_file(*(f"{r} 900" for r in rows)), False)):
        looks = read_text(tmp_path, text).report.looks
        assert any("looks directed" in look for look in looks) == told

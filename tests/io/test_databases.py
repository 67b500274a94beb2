"""STRING links, and all three databases' files when they are damaged."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.io.databases import MITAB_TEXT, STRING, biogrid, edges, left_out, pairs, reading

from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io.read import read


def test_string_links_are_all_kept_and_the_scores_noted(tmp_path):
    result = reading(tmp_path, gzip.compress(STRING.encode()), "9606.protein.links.v12.0.txt.gz")
    assert edges(result) == pairs("P1-P2", "P1-P3.1", "P2-P3.1", "P2-P4")
    assert (
        result.report.guess
        == "STRING links, nodes named by STRING identifier without 9606. in front"
    )
    assert result.report.notes == [
        "STRING scores from 150 to 999, all kept; --min-score 700 keeps what STRING calls high "
        "confidence (would leave 4 rows)",
        "each pair is listed twice, once each way, as STRING does; it counts once",
    ]
    assert not result.report.looks


@pytest.mark.parametrize("least", [400, 0.4, 151, 0.151])
def test_string_scores_may_be_asked_for_as_a_fraction(tmp_path, least):
    result = reading(tmp_path, STRING, min_score=least)
    assert edges(result) == pairs("P1-P3.1", "P2-P3.1", "P2-P4")
    assert left_out(result) == {
        f"the score is below {1000 * least if least <= 1 else least:g}": [2, 3]
    }
    assert not any("all kept" in note for note in result.report.notes)


@pytest.mark.parametrize("least", [-1, 1001, float("nan")])
def test_a_string_score_out_of_range_is_refused(tmp_path, least):
    with pytest.raises(ParameterError, match="min.score must be a number in"):
        reading(tmp_path, STRING, min_score=least)


def test_a_least_score_that_leaves_nothing_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no edge is left.*below 1000"):
        reading(tmp_path, STRING, min_score=1)


def test_detailed_links_have_more_columns(tmp_path):
    content = (
        "protein1 protein2 experimental combined_score textmining\n"
        "9606.a 9606.b 0 800 999\n9606.b 9606.c 0 300 999\n"
    )
    assert edges(reading(tmp_path, content, min_score=0.7)) == pairs("a-b")
    assert "2 partial scores" in reading(tmp_path, content).report.guess


def test_names_of_several_organisms_keep_their_number(tmp_path):
    content = "protein1 protein2 combined_score\n9606.a 9606.b 800\n10090.a 10090.b 300\n"
    result = reading(tmp_path, content)
    assert edges(result) == pairs("9606.a-9606.b", "10090.a-10090.b")
    assert not any("twice" in note for note in result.report.notes)


@pytest.mark.parametrize("names", ["9606. 9606.b", "a.b a.c", "9606 9606.b"])
def test_names_that_are_no_string_identifiers_stay(tmp_path, names):
    content = f"protein1 protein2 combined_score\n{names} 800\n"
    assert edges(reading(tmp_path, content)) == {frozenset(names.split())}


def test_pairs_that_miss_their_mirror_are_not_said_to_be_listed_twice(tmp_path):
    content = STRING + "9606.P4 9606.P1 500\n9606.P3.1 9606.P4 500\n"
    result = reading(tmp_path, content)
    assert result.network.n_edges == 6
    assert not any("twice" in note for note in result.report.notes)


@pytest.mark.parametrize(
    ("last", "problem"),
    [
        ("9606.P1 9606.P4 abc", ":10: expected a combined score, .* got 'abc'"),
        ("9606.P1 9606.P4 1001", ":10: expected a combined score"),
        ("9606.P1 9606.P4 0.5", ":10: expected a combined score"),
        ("9606.P1 9606.P4", ":10: expected 3 columns as in the header, got 2"),
        ("9606.P1 9606.P4 500 1", ":10: expected 3 columns as in the header, got 4"),
    ],
)
def test_a_bad_string_line_is_named(tmp_path, last, problem):
    with pytest.raises(InputError, match=problem):
        reading(tmp_path, f"{STRING}{last}\n")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("protein1 protein2 combined_score\n", "no row below it"),
        ("a b 3\n", ":1: expected STRING's header"),
        ("\n \n", "no line, expected STRING"),
    ],
)
def test_what_are_no_string_links_is_refused(tmp_path, content, problem):
    with pytest.raises(InputError, match=problem):
        reading(tmp_path, content, format="string")


# ---------------------------------------------------------------------- damage

ALL = {
    "biogrid": (biogrid().encode(), {"physical_only": True, "organism": "rat", "min_score": 0.1}),
    "mitab": (MITAB_TEXT.encode(), {"physical_only": True, "organism": "human", "min_score": 0.1}),
    "string": (STRING.encode(), {"min_score": 0.2}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged")


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_files_are_read_or_refused_by_name(folder, name, data):
    content, options = ALL[name]
    damaged = bytearray(content[: data.draw(st.integers(0, len(content)))] or b"\n")
    flips = st.tuples(st.integers(0, len(damaged) - 1), st.integers(0, 255))
    for at, byte in data.draw(st.lists(flips, max_size=8)):
        damaged[at] = byte
    forced = data.draw(st.sampled_from([name, None]))
    chosen = options if forced and data.draw(st.booleans()) else {}
    try:
        result = reading(folder, bytes(damaged), format=forced, **chosen)
    except LinkpriorError as problem:
        message = str(problem)
    else:
        message = f"{result.network.n_edges} edges"
    assert message
    assert "\n" not in message


def test_a_row_of_string_does_not_reach_into_the_next(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("protein1 protein2 combined_score\n9.A 9.B 900 9.X\n9.Y 500\n9.A 9.C 800\n")
    with pytest.raises(InputError, match=r"links\.txt:2: expected 3 columns"):
        read(path)

"""What interaction tables share: organisms, systems, scores, and all formats side by side."""

import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.io.files import MITAB_TEXT, STRING, biogrid, edges, left_out, links, read_text

from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.read import read
from linkprior.io.readers.interactions import (
    Organism,
    Organisms,
    Records,
    Systems,
    lines_of,
    sift_scores,
    without_comments,
)
from linkprior.io.source import Source


def settled(pairs, organism=None):
    """Return what is noted of rows that join these taxa."""
    found = EdgeCollector("f")
    organisms = Organisms(organism, lambda rows: (rows.column(0), rows.column(1)), found)
    organisms.count(Records(range(len(pairs)), pairs), kept=organism is None)
    organisms.settle()
    return found.notes


@pytest.mark.parametrize(
    ("asked", "taxa"),
    [
        ("9606", {"9606"}),
        (" 9606 ", {"9606"}),
        ("-1", {"-1"}),
        ("Human", {"9606"}),
        ("YEAST", {"559292", "4932"}),
        ("budding yeast", {"559292", "4932"}),
        ("c. elegans", {"6239"}),
        ("hiv-1", {"11676"}),
    ],
)
@pytest.mark.parametrize("file_has_names", [True, False])
def test_an_organism_goes_by_number_or_by_any_of_its_names(asked, taxa, file_has_names):
    assert Organism(asked, file_has_names).taxa == taxa


def test_an_unknown_word_is_taken_only_where_the_file_may_explain_it():
    assert Organism("newt", True).taxa == set()
    with pytest.raises(ParameterError, match="got 'newt'"):
        Organism("newt", False)


@pytest.mark.parametrize(
    ("name", "learnt"),
    [
        ("Newt", True),
        (" newt ", True),
        ("NEWT (strain 7)", True),
        ("newt(strain 7)", False),
        ("Great newt", False),
        ("strain (newt)", False),
    ],
)
def test_a_name_of_the_file_is_learnt_without_what_stands_in_brackets(name, learnt):
    organism = Organism("newt", True)
    organism.learn("8316", name)
    assert organism.taxa == ({"8316"} if learnt else set())


@pytest.mark.parametrize(
    ("asked", "spelled"), [("9606", "9606 (human)"), ("human", "human"), ("77", "77")]
)
def test_the_reason_spells_out_a_number_that_is_known(asked, spelled):
    told = Organism(asked, True).reason
    assert told == f"not both ends are of the organism {spelled}"


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([("9606", "9606")], []),
        ([("9606", "-"), ("", "9606"), ("-", "")], []),
        (
            [("9606", "9606"), ("9606", "10090")],
            ["2 organisms; 1 rows join two organisms (--organism 9606 keeps human–human)"],
        ),
        (
            [("77", "77"), ("77", "88"), ("88", "77"), ("-", "88")],
            ["2 organisms; 2 rows join two organisms (--organism 77 keeps 77–77)"],
        ),
        (
            [("9606", "10090")],
            ["2 organisms; 1 rows join two organisms (--organism 10090 keeps mouse–mouse)"],
        ),
    ],
)
def test_rows_across_organisms_are_noted_with_the_commonest(pairs, told):
    assert settled(pairs) == told


def test_an_organism_that_some_row_has_at_both_ends_is_taken_without_a_word():
    assert settled([("9606", "10090"), ("9606", "9606")], Organism("9606", True)) == []
    assert settled([("559292", "4932")], Organism("yeast", True)) == []


def test_a_file_without_rows_refuses_no_organism():
    assert settled([], Organism("9606", True)) == []


def refused(pairs):
    with pytest.raises(InputError) as caught:
        settled(pairs, Organism("1", True))
    return str(caught.value).partition("Rows by organism: ")[2]


@pytest.mark.parametrize(
    ("pairs", "listed"),
    [
        ([("9606", "1")], "1: 1, 9606 (human): 1"),
        ([("9606", "9606"), ("10090", "10090")], "10090 (mouse): 1, 9606 (human): 1"),
        ([("7", "8"), ("8", "8"), ("8", "-")], "8: 3, 7: 1"),
        ([("-", "-"), ("", "-")], "none is named"),
    ],
)
def test_an_organism_no_row_has_is_refused_with_those_there_are(pairs, listed):
    assert refused(pairs) == listed


def test_the_ten_commonest_organisms_are_listed_and_the_others_counted():
    ten = [(str(n), str(n)) for n in range(100, 110)]
    assert refused(ten).endswith("108: 1, 109: 1")
    twelve = [(str(n), str(n)) for n in range(100, 112)]
    assert refused(twelve).endswith("108: 1, 109: 1 and 2 others")


@pytest.fixture
def found():
    return EdgeCollector("f")


def source(content):
    return Source("f", io.BytesIO(content), content, None, _tap=None)


ROWS = Records([3, 4, 6], [["a", "b"], ["b", "c"], ["c", "d"]])


def test_rows_need_a_score_that_reaches_the_least(found):
    kept = sift_scores(ROWS, [0.5, None, 0.25], 0.5, found)
    assert (kept.lines, kept.column(0)) == ([3], ["a"])
    counts = {reason: entry.first_lines for reason, entry in found.dropped.items()}
    assert counts == {"it has no score": [4], "the score is below 0.5": [6]}


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


def test_string_links_are_all_kept_and_the_scores_noted(tmp_path):
    result = read_text(tmp_path, gzip.compress(STRING.encode()), "9606.protein.links.v12.0.txt.gz")
    assert edges(result) == links("P1-P2", "P1-P3.1", "P2-P3.1", "P2-P4")
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
    result = read_text(tmp_path, STRING, min_score=least)
    assert edges(result) == links("P1-P3.1", "P2-P3.1", "P2-P4")
    assert left_out(result) == {
        f"the score is below {1000 * least if least <= 1 else least:g}": [2, 3]
    }
    assert not any("all kept" in note for note in result.report.notes)


@pytest.mark.parametrize("least", [-1, 1001, float("nan")])
def test_a_string_score_out_of_range_is_refused(tmp_path, least):
    with pytest.raises(ParameterError, match="min.score must be a number in"):
        read_text(tmp_path, STRING, min_score=least)


def test_a_least_score_that_leaves_nothing_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no edge is left.*below 1000"):
        read_text(tmp_path, STRING, min_score=1)


def test_detailed_links_have_more_columns(tmp_path):
    content = (
        "protein1 protein2 experimental combined_score textmining\n"
        "9606.a 9606.b 0 800 999\n9606.b 9606.c 0 300 999\n"
    )
    assert edges(read_text(tmp_path, content, min_score=0.7)) == links("a-b")
    assert "2 partial scores" in read_text(tmp_path, content).report.guess


def test_names_of_several_organisms_keep_their_number(tmp_path):
    content = "protein1 protein2 combined_score\n9606.a 9606.b 800\n10090.a 10090.b 300\n"
    result = read_text(tmp_path, content)
    assert edges(result) == links("9606.a-9606.b", "10090.a-10090.b")
    assert not any("twice" in note for note in result.report.notes)


@pytest.mark.parametrize("names", ["9606. 9606.b", "a.b a.c", "9606 9606.b"])
def test_names_that_are_no_string_identifiers_stay(tmp_path, names):
    content = f"protein1 protein2 combined_score\n{names} 800\n"
    assert edges(read_text(tmp_path, content)) == {frozenset(names.split())}


def test_pairs_that_miss_their_mirror_are_not_said_to_be_listed_twice(tmp_path):
    content = STRING + "9606.P4 9606.P1 500\n9606.P3.1 9606.P4 500\n"
    result = read_text(tmp_path, content)
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
        read_text(tmp_path, f"{STRING}{last}\n")


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
        read_text(tmp_path, content, format="string")


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
        result = read_text(folder, bytes(damaged), format=forced, **chosen)
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

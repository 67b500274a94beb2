"""Cytoscape's SIF."""

import pytest
from tests.io.files import dropped, links, pairs, problem, reading

from linkprior.io import formats
from linkprior.io.formats import Head


def sif(tmp_path, text, **options):
    return reading(tmp_path, "g.sif", text, **options)


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("a pp b\n", links("a-b")),
        (" a  pp\u00a0 b c \n", links("a-b", "a-c")),
        ("a b\tpp\tc d\te\n", links("a b-c d", "a b-e")),
        ("a \t pp\t b \t\t\n", links("a-b")),
        ("a\t\tb\n", links("a-b")),  # a relation without a name
        ("# x pp y\n  #x pp y\na pp b\n", links("a-b")),
        ("#N/A pp b\n", links("#N/A-b")),
        ("#x\tpp\ty\n#x\tobserved\n#a\tobserved\t#b\nb\tpp\tc\n", links("#a-#b", "b-c")),
        ("# observed links\na pp b\n", links("a-b")),
        ("%a pp b\n", links("%a-b")),
    ],
)
def test_a_line_is_cut_at_tabs_or_at_blanks(tmp_path, text, edges):
    assert pairs(sif(tmp_path, text).network) == edges


def test_comments_and_blank_lines_are_counted(tmp_path):
    found = sif(tmp_path, "# top\n\n \t \na pp b\n\t# in\n")
    assert found.report.passed_over == 4
    assert found.report.lines == 5


@pytest.mark.parametrize("line", ["c", "c\t", "  c", "c\t\t"])
def test_a_name_alone_is_a_node(tmp_path, line):
    found = sif(tmp_path, f"a pp b\n{line}\n", keep_isolated=True)
    assert found.network.names == ("a", "b", "c")


@pytest.mark.parametrize("line", ["\tpp\tb", "a\tpp\t\tb", "\t\tb", "\tpp"])
def test_a_line_with_an_empty_name_is_left_out_with_its_number(tmp_path, line):
    found = sif(tmp_path, f"a\tpp\tb\n{line}\nb\tpp\tc\n", keep_isolated=True)
    assert pairs(found.network) == links("a-b", "b-c")
    assert found.network.n_nodes == 3
    assert dropped(found) == {"a node name is empty": 1}
    assert found.report.dropped[0]["first_lines"] == [2]


@pytest.mark.parametrize("line", ["a b", "a\tb", "a b  ", "a\tb\t\t"])
def test_two_words_are_refused_with_their_line(tmp_path, line):
    told = problem(tmp_path, "g.sif", f"a pp b\n\n{line}\n")
    assert told == (
        "g.sif:3: expected a node, a relation and the nodes it leads to, got two words: 'a b'"
    )


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        ("a pp b\n", "the relation pp"),
        ("a pp b\na pd c d\n", "the relations pd, pp"),
        ("a r1 b c d e\na r2 c d e\na r3 d e\n", "the relations r1, r2, r3"),
        ("a r1 b c d e\na r2 c d e\na r3 d e\na r4 e\n", "the relations r1, r2, r3 \u2026"),
        ("lonely\na pp b\n", "the relation pp"),
        (f"a {'r' * 31} b\n", f"the relation {'r' * 30}"),
    ],
)
def test_the_most_common_relations_are_told(tmp_path, text, guess):
    assert sif(tmp_path, text).report.guess == f"SIF with {guess}"


def test_a_name_that_cannot_be_shown_is_blamed_on_its_line(tmp_path):
    for text in ("a pp b\nb\u200b\n", "a pp b\na pp b\u200b\n", "a pp b\nb predicted c\u200b\n"):
        assert problem(tmp_path, "g.sif", text).startswith("g.sif:2: the node name")


def head_of(text, suffix=""):
    return Head(text.encode(), text, suffix)


def test_a_comment_says_nothing_of_sif():
    assert formats.sif(head_of("#nodes and how they are related\na pp b\nb pp c\n"))
    assert not formats.sif(head_of("nodes and how they are related #\na pp b\nb pp c\n"))


def test_comments_in_sif_are_counted_and_spreadsheet_errors_are_not(tmp_path):
    found = reading(tmp_path, "g.sif", "# top\na pp b\n\n  # inside\n#REF! pp b\n")
    assert found.report.passed_over == 3
    assert pairs(found.network) == {frozenset("ab"), frozenset(("#REF!", "b"))}


def test_sif_reads_many_targets_lone_nodes_and_names_with_blanks(tmp_path):
    text = "# made today\na pp b c\nlonely\n\nd  pd\ta\t\nnode one\tpp\tnode two\tb\n"
    text = text.replace("d  pd\ta", "d\tpd\ta")
    found = reading(tmp_path, "g.sif", text, keep_isolated=True)
    expected = [("a", "b"), ("a", "c"), ("d", "a"), ("node one", "node two"), ("node one", "b")]
    assert pairs(found.network) == set(map(frozenset, expected))
    assert found.network.names == ("a", "b", "c", "lonely", "d", "node one", "node two")
    assert found.report.guess == "SIF with the relations pp, pd"


def test_sif_leaves_out_predicted_targets_and_empty_names(tmp_path):
    found = reading(tmp_path, "g.sif", "a\tpp\tb\na\tpredicted\tc\td\n\tpp\tb\na\tpp\t\tc\n")
    assert pairs(found.network) == {frozenset("ab")}
    assert dropped(found) == {"marked as predicted, not observed": 2, "a node name is empty": 2}
    told = problem(tmp_path, "g.sif", "a pp b\na b\n")
    assert told.startswith("g.sif:2: expected a node, a relation and the nodes")

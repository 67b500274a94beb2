"""Cytoscape's SIF."""

import pytest
from tests.io.files import dropped, links, pairs, problem, reading


def sif(tmp_path, text, **options):
    return reading(tmp_path, "g.sif", text, **options)


@pytest.mark.parametrize(
    ("text", "edges", "passed_over"),
    [
        ("a pp b\n", links("a-b"), 0),
        (" a  pp\u00a0 b c \n", links("a-b", "a-c"), 0),
        ("a b\tpp\tc d\te\n", links("a b-c d", "a b-e"), 0),
        ("a \t pp\t b \t\t\n", links("a-b"), 0),
        ("a\t\tb\n", links("a-b"), 0),  # a relation without a name
        ("# x pp y\n\n \t \n  #x pp y\na pp b\n", links("a-b"), 4),
        ("#N/A pp b\n", links("#N/A-b"), 0),
        ("#x\tpp\ty\n#x\tobserved\n#a\tobserved\t#b\nb\tpp\tc\n", links("#a-#b", "b-c"), 2),
        ("# observed links\na pp b\n", links("a-b"), 1),
        ("%a pp b\n", links("%a-b"), 0),
    ],
)
def test_a_line_is_cut_at_tabs_or_at_blanks(tmp_path, text, edges, passed_over):
    found = sif(tmp_path, text)
    assert pairs(found.network) == edges
    assert found.report.passed_over == passed_over


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


def test_predicted_targets_are_left_out(tmp_path):
    found = sif(tmp_path, "a\tpp\tb\na\tPredicted\tc\td\n")
    assert pairs(found.network) == links("a-b")
    assert dropped(found) == {"marked as predicted, not observed": 2}


@pytest.mark.parametrize("line", ["a b", "a\tb", "a b  ", "a\tb\t\t"])
def test_two_words_are_refused_with_their_line(tmp_path, line):
    told = problem(tmp_path, "g.sif", f"a pp b\n\n{line}\n")
    assert told.startswith("g.sif:3: expected a node, a relation and the nodes it leads to")
    assert told.endswith("two words: 'a b'")


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
def test_the_most_common_relations_are_reported(tmp_path, text, guess):
    assert sif(tmp_path, text).report.guess == f"SIF with {guess}"


def test_a_name_that_cannot_be_shown_is_blamed_on_its_line(tmp_path):
    for text in ("a pp b\nb\u200b\n", "a pp b\na pp b\u200b\n", "a pp b\nb predicted c\u200b\n"):
        assert problem(tmp_path, "g.sif", text).startswith("g.sif:2: the node name")

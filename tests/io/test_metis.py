"""METIS graphs."""

import pytest
from tests.io.files import (
    dropped,
    links,
    pairs,
    problem,
    reading,
)

from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions

WEIGHTS = ReadOptions(weights="weight")


def graph(tmp_path, text, **options):
    return reading(tmp_path, "g.graph", text, format="metis", **options)


def told(tmp_path, text, **options):
    return problem(tmp_path, "g.graph", text, format="metis", **options)


def weights_of(found):
    names, dense = found.network.names, found.network.confidence.toarray()
    return {f"{names[i]}-{names[j]}": dense[i, j] for i, j in found.network.edges.tolist()}


@pytest.mark.parametrize(
    "text",
    [
        "3 2\n2\n1 3\n2\n",
        "\n  \n% note\n 3\t2 \n2\n% note\n1 3\n2\n\n \n",
        "3 2 0\n2\n1 3\n2\n",
        "3 2 000 5\n2\n1 3\n2\n",  # no weights of nodes: their number does not count
        "3 2 1\n2 9\n1 9 3 9\n2 9\n",
        "3 2 10\n9 2\n9 1 3\n9 2\n",
        "3 2 010 2\n9 9 2\n9 9 1 3\n9 9 2\n",
        "3 2 100\n9 2\n9 1 3\n9 2\n",
        "3 2 110\n9 9 2\n9 9 1 3\n9 9 2\n",
        "3 2 101\n9 2 8\n9 1 8 3 8\n9 2 8\n",
        "3 2 011 2\n9 9 2 8\n9 9 1 8 3 8\n9 9 2 8\n",
    ],
)
def test_neighbours_are_found_between_all_kinds_of_weights(tmp_path, text):
    found = graph(tmp_path, text)
    assert pairs(found.network) == links("1-2", "2-3")
    assert found.report.guess == "METIS graph of 3 nodes"
    assert (found.report.rows, found.report.notes) == (2, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("% note\n\n", "g.graph:1: expected METIS's header"),
        ("%\n\n3\n", "g.graph:3: expected METIS's header"),
        ("3 2 2\n", "g.graph:1: expected METIS's header"),
        ("3 2 1 1 1\n", "g.graph:1: expected METIS's header"),
        (f"{'1' * 19} 2\n", "g.graph:1: expected METIS's header"),
        ("%\n100000001 1\n", "g.graph:2: declares 100000001 nodes"),
        ("2 1\n2\n1\n\n1\n", "g.graph:5: the header declares 2 nodes, the file has more lines"),
        ("3 1\n2\n1\n", "g.graph: the header declares 3 nodes, the file has 2 lines for them"),
        ("3 1\n", "g.graph: the header declares 3 nodes, the file has 0 lines for them"),
        ("2 2\n2\n1\n", "g.graph: the header declares 2 edges, the file has 2 entries"),
        ("2 0\n2\n1\n", "g.graph: the header declares 0 edges, the file has 2 entries"),
        ("2 1\n2\n3\n", "g.graph:3: node 3 is beyond the 2 declared"),
        ("2 1 10\n9 2\n\n", "g.graph:3: 0 numbers, but the header says 1 before the neighbours"),
        ("2 1 11\n9 2 8\n9 1\n", "g.graph:3: 2 numbers, but the header says 1 before the neig"),
        ("2 1 010 2\n9 9 2\n9\n", "g.graph:3: 1 numbers, but the header says 2 before the neig"),
    ],
)
def test_what_is_not_as_declared_is_refused(tmp_path, text, expected):
    assert told(tmp_path, text).startswith(expected)


def test_weights_are_told_only_where_the_header_has_them(tmp_path):
    assert told(tmp_path, "2 1 1\n2 5\n1\n").endswith("and a weight after each")
    assert told(tmp_path, "2 1 010 3\n2 5\n1\n").endswith("before the neighbours")


def test_an_edge_that_stands_once_is_taken_and_noted(tmp_path):
    found = graph(tmp_path, "4 2\n2 3\n1\n4\n\n")
    assert pairs(found.network) == links("1-2", "1-3", "3-4")
    (note,) = found.report.notes
    assert note.startswith("some nodes list a neighbour that does not list them")


def test_weights_follow_their_neighbours(tmp_path):
    text = "3 2 {}\n{}2 4\n{}1 4 3 2\n{}2 2\n"
    for flags, before in (("1", ""), ("011 2", "9 7 "), ("111", "9 7 ")):
        found = graph(tmp_path, text.format(flags, before, before, before), options=WEIGHTS)
        assert weights_of(found) == {"1-2": 1.0, "2-3": 0.5}


def test_of_two_weights_of_an_edge_the_larger_counts(tmp_path):
    found = graph(tmp_path, "3 2 1\n2 1\n1 4 3 2\n2 2\n", options=WEIGHTS)
    assert weights_of(found) == {"1-2": 1.0, "2-3": 0.5}
    assert found.report.weights.differing == 1


def test_a_weight_of_0_leaves_out_the_edge_with_its_line(tmp_path):
    found = graph(tmp_path, "%\n3 2 1\n2 4\n1 4 3 0\n2 0\n", options=WEIGHTS)
    assert weights_of(found) == {"1-2": 1.0}
    assert dropped(found) == {"its weight is 0": 1}
    assert found.report.dropped[0]["first_lines"] == [4]


def test_a_weight_that_is_none_is_blamed_on_its_line(tmp_path):
    text = "%\n3 2 1\n2 4\n1 4 3 x\n2 x\n"
    assert told(tmp_path, text, options=WEIGHTS).startswith("g.graph:4: expected a weight")


def test_weights_nobody_declared_are_refused(tmp_path):
    for flags in ("", "0", "10"):
        text = f"2 1 {flags}\n2\n1\n"
        assert "METIS, as its header says, has no weights" in told(tmp_path, text, options=WEIGHTS)
    with pytest.raises(ParameterError, match="There are: value$"):
        graph(tmp_path, "2 1 1\n2 5\n1 5\n", options=ReadOptions(weights="score"))


def test_a_tree_in_metis_without_its_suffix_is_told_by_its_lines(tmp_path):
    """It has fewer edges than nodes."""
    found = reading(tmp_path, "tree.txt", "4 3\n2\n1 3\n2 4\n3\n")
    assert found.report.format == "metis"
    assert pairs(found.network) == links("1-2", "2-3", "3-4")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3 1\n2\n1\n", "g.graph: the header declares 3 nodes, the file has 2 lines for them"),
        ("2 1\n2\n1\n2\n", "g.graph:4: the header declares 2 nodes, the file has more lines"),
        ("2 2\n2\n1\n", "g.graph: the header declares 2 edges, the file has 2 entries"),
        ("2 1\n3\n1\n", "g.graph:2: node 3 is beyond the 2 declared"),
        ("2 1\nx\n1\n", "g.graph:2: expected the number of a node, got 'x'"),
        ("2 1 1\n2 5\n1\n", "g.graph:3: 1 numbers, but the header says 0 before"),
        ("2 1 10\n1 2\n\n", "g.graph:3: 0 numbers, but the header says 1 before"),
        ("2 1 7\n2\n1\n", "g.graph:1: expected METIS's header"),
        ("9999999999 1\n2\n1\n", "g.graph:1: declares 9999999999 nodes"),
    ],
)
def test_metis_is_refused_with_what_was_declared_and_found(tmp_path, text, told):
    assert problem(tmp_path, "g.graph", text, format="metis").startswith(told)


def test_metis_that_is_not_symmetric_is_said_to_be_so(tmp_path):
    found = reading(tmp_path, "g.graph", "3 1\n2\n3\n\n")
    assert pairs(found.network) == {frozenset("12"), frozenset("23")}
    assert "does not list them" in found.report.notes[0]

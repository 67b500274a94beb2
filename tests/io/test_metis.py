"""METIS graphs."""

import pytest
from tests.io.files import dropped, links, pairs, problem, reading, weights_of

from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions

WEIGHTS = ReadOptions(weights="weight")


def graph(tmp_path, text, **options):
    return reading(tmp_path, "g.graph", text, format="metis", **options)


def told(tmp_path, text, **options):
    return problem(tmp_path, "g.graph", text, format="metis", **options)


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
        ("2 1\nx\n1\n", "g.graph:2: expected the number of a node, got 'x'"),
        ("2 1 10\n9 2\n\n", "g.graph:3: 0 numbers, but the header says 1 before the neighbours"),
        ("2 1 11\n9 2 8\n9 1\n", "g.graph:3: 2 numbers, but the header says 1 before the neig"),
        ("2 1 010 2\n9 9 2\n9\n", "g.graph:3: 1 numbers, but the header says 2 before the neig"),
        ("2 1 1\n2 5\n1\n", "g.graph:3: 1 numbers, but the header says 0 before the neighbours "
         "and a weight after each"),
    ],
)  # fmt: skip
def test_what_is_not_as_declared_is_refused(tmp_path, text, expected):
    assert told(tmp_path, text).startswith(expected)


def test_an_edge_that_stands_once_is_taken_and_noted(tmp_path):
    found = graph(tmp_path, "4 2\n2 3\n1\n4\n\n")
    assert pairs(found.network) == links("1-2", "1-3", "3-4")
    (note,) = found.report.notes
    assert note.startswith("some nodes list a neighbour that does not list them")


@pytest.mark.parametrize(
    ("text", "weights", "differing"),
    [
        ("3 2 1\n2 4\n1 4 3 2\n2 2\n", {"1-2": 1.0, "2-3": 0.5}, 0),
        ("3 2 011 2\n9 7 2 4\n9 7 1 4 3 2\n9 7 2 2\n", {"1-2": 1.0, "2-3": 0.5}, 0),
        ("3 2 111\n9 7 2 4\n9 7 1 4 3 2\n9 7 2 2\n", {"1-2": 1.0, "2-3": 0.5}, 0),
        ("3 2 1\n2 1\n1 4 3 2\n2 2\n", {"1-2": 1.0, "2-3": 0.5}, 1),  # the larger counts
        ("3 2 1\n2 4\n1 4 3 0\n2 0\n", {"1-2": 1.0}, 0),
    ],
)
def test_weights_follow_their_neighbours(tmp_path, text, weights, differing):
    found = graph(tmp_path, text, options=WEIGHTS)
    assert weights_of(found.network) == weights
    assert found.report.weights.differing == differing
    assert dropped(found) == ({} if "2-3" in weights else {"its weight is 0": 1})
    assert [entry["first_lines"] for entry in found.report.dropped] == [[3]] * (
        "2-3" not in weights
    )


def test_a_weight_that_is_none_is_blamed_on_its_line(tmp_path):
    text = "%\n3 2 1\n2 4\n1 4 3 x\n2 x\n"
    assert told(tmp_path, text, options=WEIGHTS).startswith("g.graph:4: expected a weight")


def test_weights_nobody_declared_are_refused(tmp_path):
    for flags in ("", "0", "10"):
        text = f"2 1 {flags}\n2\n1\n"
        assert "METIS, as its header says, has no weights" in told(tmp_path, text, options=WEIGHTS)
    with pytest.raises(ParameterError, match="There are: value$"):
        graph(tmp_path, "2 1 1\n2 5\n1 5\n", options=ReadOptions(weights="score"))


def test_a_tree_in_metis_without_its_suffix_is_recognised_by_its_lines(tmp_path):
    """It has fewer edges than nodes."""
    found = reading(tmp_path, "tree.txt", "4 3\n2\n1 3\n2 4\n3\n")
    assert found.report.format == "metis"
    assert pairs(found.network) == links("1-2", "2-3", "3-4")

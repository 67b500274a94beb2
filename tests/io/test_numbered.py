"""Pajek networks and METIS graphs."""

import pytest
from tests.io.files import dropped, links, pairs, problem, reading, weights_of

from linkprior.io.formats import ReadOptions

WEIGHTS = ReadOptions(weights="weight")


def net(tmp_path, text, **options):
    return reading(tmp_path, "g.net", text, format="pajek", **options)


def is_directed(found):
    return any("the file says so" in look for look in found.report.looks)


PAJEK = """% a comment
*Network "two relations"
*vertices 6
1 "Ada Lovelace" 0.1 0.2 0.5 ic Red
2 Bob
3 "C"
5 "" 0.5 0.5
*ARCS :1 "knows"
1 2 1.5 c Blue

1 3
*Edges :2
3 4 -1
2: 4 5 1
*Arcslist
6 1 2
*Edgeslist
6 5 4
*Partition colours
*Vertices 6
1
2
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_pajek_sections(tmp_path, end):
    found = reading(tmp_path, "g.net", PAJEK.replace("\n", end))
    expected = "Ada_Lovelace-Bob Ada_Lovelace-C C-4 4-5 6-Ada_Lovelace 6-Bob 6-5 6-4"
    assert pairs(found.network) == {
        frozenset(pair.replace("_", " ").split("-")) for pair in expected.split()
    }
    assert found.network.names == ("Ada Lovelace", "Bob", "C", "4", "5", "6")
    assert found.report.notes == []
    assert found.report.passed_over == 2
    assert is_directed(found)


ONE = "the file holds more than one network: only the first is read"


@pytest.mark.parametrize(
    ("text", "edges", "notes"),
    [
        ("*Vertices 2\n*Edges\n1 2\n*Network b\n*Vertices 9\n*Edges\n3 9\n", "1-2", [ONE]),
        ("*Vertices 2\n*Edges\n1 2\n*Vertices 9\n*Edges\n3 9\n", "1-2", [ONE]),
        ("*Vertices 10\n*Edges\n01 010\n", "1-10", []),
        # The vertices of a partition are its own, before and after those of the network.
        ("*Vertices 3\n*Partition p\n*Vertices 3\n1\n1\n2\n*Edges\n1 2\n1 3\n", "1-2 1-3", []),
        ("*Partition q\n*Vertices 9\n5\n5\n*Vertices 3\n*Edges\n1 2\n1 3\n", "1-2 1-3", []),
        ("*Vertices 2\n*Edges\n1 2\n*Vector v\n*Vertices 2\n0.5\n*Network b\n*Vertices 9\n"
         "*Edges\n3 9\n", "1-2", [ONE]),
        ("*Vertices 4 2 women, then events\n*Edges\n1 3\n2 4\n1 4\n", "1-3 2-4 1-4",
         ["the file says that the network is two-mode: the first 2 vertices are joined to the "
          "others only"]),
    ],
)  # fmt: skip
def test_the_first_network_of_a_project_is_read(tmp_path, text, edges, notes):
    found = net(tmp_path, text)
    assert pairs(found.network) == links(*edges.split())
    assert found.report.notes == notes


def test_comments_and_blank_lines_are_counted_to_the_end(tmp_path):
    text = "%\n*Vertices 2\n\n*Edges\n1 2\n*Network\n*Vertices 2\n%\n \n  % more\n"
    assert net(tmp_path, text).report.passed_over == 5


@pytest.mark.parametrize(
    ("section", "directed"),
    [("Arcs", True), ("Arcslist", True), ("Edges", False), ("Edgeslist", False)],
)
def test_arcs_have_a_direction_and_edges_have_none(tmp_path, section, directed):
    assert is_directed(net(tmp_path, f"*Vertices 2\n*{section}\n1 2\n")) == directed


@pytest.mark.parametrize(
    ("count", "more"), [(1, ""), (5, ""), (6, " and 1 more"), (8, " and 3 more")]
)
def test_sections_nobody_knows_are_named_with_their_lines(tmp_path, count, more):
    long = "q" * 300
    unknown = "".join(f"*Odd{k}{long}\n1 2\n" for k in range(count))
    (note,) = net(tmp_path, f"*Vertices 2\n*Edges\n1 2\n{unknown}").report.notes
    listed = ", ".join(f"*{f'odd{k}{long}'[:30]} (line {4 + 2 * k})" for k in range(min(count, 5)))
    assert note == f"sections that are not known are not read: {listed}{more}"


V2, V3 = "*Vertices 2\n", "*Vertices 3\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 2\n", ":1: expected a line such as *Vertices 10, got '1 2'"),
        ("*Network\n1 2\n", ":2: expected a line such as *Vertices 10"),
        ("*Network x\n", ": no line *Vertices"),
        ("% none\n*Odd\n", ": no line *Vertices"),
        ("*Arcs\n", ":1: *arcs comes before *Vertices"),
        ("*Matrix\n", ":1: *matrix comes before *Vertices"),
        ("*Vertices\n", ":1: expected *Vertices and their number, got ''"),
        ("*Vertices -1\n", ":1: expected *Vertices and their number"),
        ("*Vertices 5 x\n", ":1: expected *Vertices and their number"),
        (f"*Vertices {'1' * 19}\n", ":1: expected *Vertices and their number"),
        (f"*Vertices {'1' * 18}\n", ":1: declares 111111111111111111 nodes"),
        ("*Vertices 100000001\n*Edges\n1 2\n", ":1: declares 100000001 nodes"),
        ("*Vertices 0\n*Edges\n", ": no edge found"),
        (f"{V2}*Edges\n1\n", ":3: expected two vertex numbers, got '1'"),
        (f"{V2}*Edges\n7: 1\n", ":3: expected two vertex numbers, got '7: 1'"),
        (f"{V2}*Arcslist\n1\n", ":3: expected two vertex numbers"),
        (f"{V2}*Edges\n1 3\n", ":3: vertex 3 is beyond the 2 declared"),
        *((f"{V2}*Edges\n1 {word}\n", f":3: vertex {word[:30]} is beyond the 2 declared; numbers")
          for word in ("0", "1" + "0" * 18, "0" * 19, "9" * 5000)),
        *((f"{V2}*Edges\n1 {word}\n", f":3: expected the number of a vertex, got {word!r}")
          for word in ("1.5", "-1", "1_0", "٣", "²")),
        (f"{V2}3 a\n", ":2: vertex 3 is beyond"),
        (f"{V2}x a\n", ":2: expected the number of a vertex, got 'x'"),
        (f"{V2}%\n2 B\n1 A\u200b\n*Edges\n1 2\n", ":4: the node name 'A\\u200b' holds"),
        (f"{V2}*Matrix\n0 1\n", ": the matrix has 1 rows, expected 2; is it cut off?"),
        (f"{V2}*Matrix\n0 1\n*Edges\n1 2\n", ": the matrix has 1 rows, expected 2"),
        (f"{V2}*Matrix\n0 1\n1 0\n0 0\n", ":5: row 3 of the matrix has 2 numbers, expected 2 rows"),
        (f"{V2}*Matrix\n0 1\n1\n", ":4: row 2 of the matrix has 1 numbers"),
        (f"{V2}*Matrix\n0 1\n1 x\n", ":4: in the matrix: could not convert"),
        (f"{V2}*Matrix\n0 1\n1 inf\n", ":4: the matrix holds a value that is not finite"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_line(tmp_path, text, expected):
    assert problem(tmp_path, "g.net", text, format="pajek").startswith(f"g.net{expected}")


@pytest.mark.parametrize(
    ("vertices", "names"),
    [
        ('1 "a  b"\n2 c 0.5 0.5', ("a  b", "c")),
        ("1\n2 c", ("1", "c")),
        ('1 ""\n2 "c', ("1", "c")),
        ("1 2\n2 1", ("2", "1")),
        ("1 2", ("1", "2")),  # the label of 1 is the name of 2
        ("1 3", ("3", "2")),  # no vertex has that number
        ("1 0", ("0", "2")),
        ("1 1", ("1", "2")),
        ("1 a\n2 a", ("1", "2")),
        ("1 " + "x" * 1001, ("1", "2")),
        ("1 " + "x" * 1000, ("x" * 1000, "2")),
    ],
)
def test_vertices_are_named_by_labels_that_tell_them_apart(tmp_path, vertices, names):
    assert net(tmp_path, f"{V2}{vertices}\n*Edges\n1 2\n").network.names == names


def test_labels_that_are_alike_are_kept_next_to_the_numbers(tmp_path):
    found = net(tmp_path, "*Vertices 3\n1 a\n2 a\n3 b\n*Edges\n1 2\n2 3\n")
    assert found.labels == {"1": "a", "2": "a", "3": "b"}
    assert found.report.notes == ["vertices are named by number: some labels are alike"]


@pytest.mark.parametrize(
    ("lines", "noted"),
    [
        ("*Edges\n1 2 0\n2 3 1\n", 1),
        ("*Edges\n1 2 0.0\n7: 2 3 0\n", 2),
        ("*Arcs\n1 2 x 0\n", 0),
        ("*Edgeslist\n1 2 3\n", 0),
    ],
)
def test_edges_of_weight_0_are_noted(tmp_path, lines, noted):
    notes = net(tmp_path, f"{V3}{lines}").report.notes
    assert [note.split()[0] for note in notes] == ([str(noted)] if noted else [])


@pytest.mark.parametrize(
    ("text", "weights", "differing"),
    [
        ("*Vertices 4\n*Edges\n1 2 4 c Blue\n7: 2 3 2\n*Arcs\n3 4 0\n", {"1-2": 1, "2-3": 0.5}, 0),
        (f"{V3}*Matrix\n0 4 1\n3 0 2\n1 2 0\n", {"1-2": 1, "2-3": 0.5, "1-3": 0.25}, 1),
        (f"{V3}*Matrix\n0 4 1\n0 0 2\n0 0 0\n", {"1-2": 1, "2-3": 0.5, "1-3": 0.25}, 0),
        (f"{V3}*Matrix\n0 4 1\n3 0 2\n1 2 0\n*Edges\n1 3 8\n",
         {"1-2": 0.5, "2-3": 0.25, "1-3": 1.0}, 2),
        ("*Vertices 3 1\n*Matrix\n4 1\n", {"1-2": 1.0, "1-3": 0.25}, 0),
    ],
)  # fmt: skip
def test_weights_stand_behind_the_ends_of_an_edge_or_in_the_matrix(
    tmp_path, text, weights, differing
):
    found = net(tmp_path, text, options=WEIGHTS)
    assert weights_of(found.network) == weights
    assert found.report.weights.differing == differing


@pytest.mark.parametrize(
    ("lines", "line"),
    [("*Edges\n1 3 2\n1 2 0\n", 4), ("*Matrix\n0 1 0\n1 0 0\n0 0 0\n*Arcs\n1 3 0\n", 7)],
)
def test_a_weight_of_0_leaves_out_the_edge_with_its_line(tmp_path, lines, line):
    found = net(tmp_path, f"{V3}{lines}", options=WEIGHTS)
    assert dropped(found) == {"its weight is 0": 1}
    assert found.report.dropped[0]["first_lines"] == [line]


@pytest.mark.parametrize(
    ("text", "edges", "directed"),
    [
        ("*Vertices 3\n*Matrix\n0 1 0\n1 0 2\n0 2 0\n", links("1-2", "2-3"), False),
        ("*Vertices 3\n*Matrix\n0 1 0\n0 0 2\n0 0 0\n", links("1-2", "2-3"), True),
        ("*Vertices 3\n*Matrix\n0 1 0\n0 0 0\n0 0 0\n*Edges\n2 3\n", links("1-2", "2-3"), True),
        ("*Vertices 2\n*Matrix\n0 1\n1 0\n*Odd\n5 5 5\n", links("1-2"), False),
        ("*Vertices 4 2\n*Matrix\n1 0\n0 -1\n", links("1-3", "2-4"), False),
        ("*Vertices 3 1\n*Matrix\n1 1\n", links("1-2", "1-3"), False),
        ("*Vertices 3 3\n*Matrix\n0 1 0\n1 0 2\n0 2 0\n", links("1-2", "2-3"), False),
        ("*Vertices 3 0\n*Matrix\n0 1 0\n1 0 2\n0 2 0\n", links("1-2", "2-3"), False),
    ],
)
def test_a_matrix_is_square_or_of_two_modes(tmp_path, text, edges, directed):
    found = net(tmp_path, text)
    assert pairs(found.network) == edges
    assert is_directed(found) == directed
    assert found.report.reversed_duplicates == 0
    two = "Vertices 4 2" in text or "Vertices 3 1" in text
    assert any("two-mode" in note for note in found.report.notes) == two


# ---------------------------------------------------------------------- METIS


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
def test_a_metis_graph_that_is_not_as_declared_is_refused(tmp_path, text, expected):
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


def test_a_tree_in_metis_without_its_suffix_is_recognised_by_its_lines(tmp_path):
    """It has fewer edges than nodes."""
    found = reading(tmp_path, "tree.txt", "4 3\n2\n1 3\n2 4\n3\n")
    assert found.report.format == "metis"
    assert pairs(found.network) == links("1-2", "2-3", "3-4")

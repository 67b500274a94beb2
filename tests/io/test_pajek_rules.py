"""Pajek line by line: sections, labels, weights and matrices, and which line is blamed."""

import pytest
from tests.io.graph_files import dropped, pairs, problem, reading

from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions

WEIGHTS = ReadOptions(weights="weight")


def links(*words):
    return {frozenset(word.split("-")) for word in words}


def net(tmp_path, text, **options):
    return reading(tmp_path, "g.net", text, format="pajek", **options)


def told(tmp_path, text, **options):
    return problem(tmp_path, "g.net", text, format="pajek", **options)


def weights_of(found):
    names, dense = found.network.names, found.network.confidence.toarray()
    return {f"{names[i]}-{names[j]}": dense[i, j] for i, j in found.network.edges.tolist()}


def is_directed(found):
    return any("the file says so" in look for look in found.report.looks)


# ---------------------------------------------------------------------- sections


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("*Vertices 3\n*Edges\n1 2\n*Arcs\n2 3\n", links("1-2", "2-3")),
        ("*Vertices 3\n  * edges\n1 2\n", links("1-2")),
        ("%\n\n*Network x\n*Vertices 3\n*Edges\n1 2\n", links("1-2")),
        ("*Vertices 4\n*Edgeslist\n1 2 3\n4 3\n", links("1-2", "1-3", "3-4")),
        ("*Vertices 4\n*Arcslist\n1 2 3\n", links("1-2", "1-3")),
        ("*Vertices 3\n*Edges\n1 2 9 c Red\n", links("1-2")),
        ("*Vertices 3\n*Edges\n7: 1 2\n8: 2 3 1\n", links("1-2", "2-3")),
        ("*Vertices 3\n*Edges\n1 2\n*Odd\n1 3\n*Edges\n2 3\n", links("1-2", "2-3")),
        ("*Vertices 3\n*Edges\n1 2\n*Vector\n*Vertices 9\n8\n*Edges\n2 3\n", links("1-2", "2-3")),
        ("*Vertices 3\n*Edges\n1 2\n*Vertices 3\n*Edges\n2 3\n", links("1-2")),
        ("*Vertices 3\n*Edges\n1 2\n*Network\n*Vertices 3\n*Edges\n2 3\n", links("1-2")),
        ("*Vertices 2\n*Edges\n1 2\n*Cluster\n1\n*Hierarchy\n2\n*Permutation\n1\n", links("1-2")),
    ],
)
def test_what_belongs_to_the_first_network_is_read(tmp_path, text, edges):
    assert pairs(net(tmp_path, text).network) == edges


def test_the_number_of_vertices_is_told(tmp_path):
    found = net(tmp_path, "*Vertices 1234\n*Edges\n1 2\n", keep_isolated=True)
    assert found.report.guess == "Pajek network of 1,234 vertices"
    assert found.network.n_nodes == 1234


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
    unknown = "".join(f"*Odd{k}\n" for k in range(count))
    (note,) = net(tmp_path, f"*Vertices 2\n*Edges\n1 2\n{unknown}").report.notes
    listed = ", ".join(f"*odd{k} (line {4 + k})" for k in range(min(count, 5)))
    assert note == f"sections that are not known are not read: {listed}{more}"


def test_a_section_of_a_long_name_is_cut(tmp_path):
    (note,) = net(tmp_path, f"*Vertices 2\n*Edges\n1 2\n*{'q' * 300}\n").report.notes
    assert len(note) < 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 2\n", "g.net:1: expected a line such as *Vertices 10, got '1 2'"),
        ("*Network\n1 2\n", "g.net:2: expected a line such as *Vertices 10"),
        ("*Arcs\n", "g.net:1: *arcs comes before *Vertices"),
        ("*Matrix\n", "g.net:1: *matrix comes before *Vertices"),
        ("% none\n*Odd\n", "g.net: no line *Vertices"),
        ("*Vertices\n", "g.net:1: expected *Vertices and their number, got ''"),
        ("*Vertices -1\n", "g.net:1: expected *Vertices and their number"),
        ("*Vertices 5 x\n", "g.net:1: expected *Vertices and their number"),
        (f"*Vertices {'1' * 19}\n", "g.net:1: expected *Vertices and their number"),
        (f"*Vertices {'1' * 18}\n", "g.net:1: declares 111111111111111111 nodes"),
        ("*Vertices 2\n*Edges\n1\n", "g.net:3: expected two vertex numbers, got '1'"),
        ("*Vertices 2\n*Edges\n7: 1\n", "g.net:3: expected two vertex numbers, got '7: 1'"),
        ("*Vertices 2\n*Arcslist\n1\n", "g.net:3: expected two vertex numbers"),
        ("*Vertices 2\n*Edges\n1 3\n", "g.net:3: vertex 3 is beyond"),
        ("*Vertices 2\n3 a\n", "g.net:2: vertex 3 is beyond"),
        ("*Vertices 2\nx a\n", "g.net:2: expected the number of a vertex, got 'x'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, expected):
    assert told(tmp_path, text).startswith(expected)


def test_no_vertices_are_a_number_of_vertices(tmp_path):
    assert "no edge found" in told(tmp_path, "*Vertices 0\n*Edges\n")


# ---------------------------------------------------------------------- labels


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
    assert net(tmp_path, f"*Vertices 2\n{vertices}\n*Edges\n1 2\n").network.names == names


def test_empty_labels_are_not_alike(tmp_path):
    found = net(tmp_path, '*Vertices 3\n1 ""\n2 ""\n3 c\n*Edges\n1 2\n2 3\n')
    assert found.network.names == ("1", "2", "c")
    assert found.report.notes == []


def test_labels_that_are_alike_are_kept_beside_the_numbers(tmp_path):
    found = net(tmp_path, "*Vertices 3\n1 a\n2 a\n*Edges\n1 2\n2 3\n")
    assert found.labels == {"1": "a", "2": "a"}
    assert found.report.notes == ["vertices are named by number: some labels are alike"]


def test_a_label_that_cannot_be_shown_is_blamed_on_its_line(tmp_path):
    text = "*Vertices 3\n2 b\n\n1 a\u200b\n*Edges\n1 2\n"
    assert told(tmp_path, text).startswith("g.net:4: the node name 'a\\u200b'")


# ---------------------------------------------------------------------- weights


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
    notes = net(tmp_path, f"*Vertices 3\n{lines}").report.notes
    assert [note.split()[0] for note in notes] == ([str(noted)] if noted else [])


def test_a_list_whose_third_number_is_no_vertex_is_no_edge_of_weight_0(tmp_path):
    assert told(tmp_path, "*Vertices 3\n*Edgeslist\n1 2 0\n").startswith("g.net:3: vertex 0 is")


def test_weights_of_lines_have_no_other_name(tmp_path):
    with pytest.raises(ParameterError, match=r"nothing called 'score'.* There are: value$"):
        net(tmp_path, "*Vertices 2\n*Edges\n1 2 1\n", options=ReadOptions(weights="score"))


def test_weights_stand_behind_the_ends_of_an_edge(tmp_path):
    text = "*Vertices 4\n*Edges\n1 2 4 c Blue\n7: 2 3 2\n*Arcs\n3 4 0\n"
    found = net(tmp_path, text, options=WEIGHTS)
    assert weights_of(found) == {"1-2": 1.0, "2-3": 0.5}
    assert dropped(found) == {"its weight is 0": 1}
    assert found.report.dropped[0]["first_lines"] == [6]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("*Edges\n1 2 1\n2 3\n", "g.net:4: expected a weight"),
        ("*Edges\n1 2 1\n2 3 x\n", "g.net:4: expected a weight"),
        ("*Arcslist\n1 2\n", "g.net:3: Pajek's *arcslist has no weights of edges"),
        ("*Matrix\n0 1 0\n0 0 -1\n0 0 0\n", "g.net:4: expected a weight"),
    ],
)
def test_an_edge_without_a_weight_is_refused_by_line(tmp_path, lines, expected):
    assert told(tmp_path, f"*Vertices 3\n{lines}", options=WEIGHTS).startswith(expected)


# ---------------------------------------------------------------------- matrices


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


def test_two_modes_are_told_with_the_size_of_the_first(tmp_path):
    (note,) = net(tmp_path, "*Vertices 4 3\n*Edges\n1 4\n").report.notes
    assert "the first 3 vertices are joined to the others only" in note


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("0 1\n", "g.net: the matrix has 1 rows, expected 2; is it cut off?"),
        ("0 1\n1 0\n0 0\n", "g.net:5: row 3 of the matrix has 2 numbers, expected 2 rows of 2"),
        ("0 1\n1\n", "g.net:4: row 2 of the matrix has 1 numbers"),
        ("0 1\n1 x\n", "g.net:4: in the matrix: could not convert"),
        ("0 1\n1 inf\n", "g.net:4: the matrix holds a value that is not finite"),
        ("0 1\n*Edges\n1 2\n", "g.net: the matrix has 1 rows, expected 2"),
    ],
)
def test_a_matrix_that_is_not_as_declared_is_refused(tmp_path, rows, expected):
    assert told(tmp_path, f"*Vertices 2\n*Matrix\n{rows}").startswith(expected)


def test_a_matrix_gives_weights_with_their_lines(tmp_path):
    text = "*Vertices 3\n*Matrix\n0 4 1\n3 0 2\n1 2 0\n*Edges\n1 3 8\n"
    found = net(tmp_path, text, options=WEIGHTS)
    assert weights_of(found) == {"1-2": 0.5, "2-3": 0.25, "1-3": 1.0}
    assert found.report.weights.differing == 2  # 1-2 in the matrix, 1-3 beside it
    found = net(tmp_path, text.replace("1 3 8", "1 3 0"), options=WEIGHTS)
    assert found.report.dropped[0]["first_lines"] == [7]
    two = net(tmp_path, "*Vertices 3 1\n*Matrix\n4 1\n", options=WEIGHTS)
    assert weights_of(two) == {"1-2": 1.0, "1-3": 0.25}

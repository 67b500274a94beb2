"""Pajek networks."""

import pytest
from tests.io.files import (
    dropped,
    links,
    pairs,
    problem,
    reading,
)

from linkprior.errors import ParameterError
from linkprior.io import formats
from linkprior.io.formats import Head, ReadOptions

WEIGHTS = ReadOptions(weights="weight")


def net(tmp_path, text, **options):
    return reading(tmp_path, "g.net", text, format="pajek", **options)


def told(tmp_path, text, **options):
    return problem(tmp_path, "g.net", text, format="pajek", **options)


def weights_of(found):
    names, dense = found.network.names, found.network.confidence.toarray()
    return {f"{names[i]}-{names[j]}": dense[i, j] for i, j in found.network.edges.tolist()}


def is_directed(found):
    return any("the file says so" in look for look in found.report.looks)


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


def test_labels_that_are_alike_are_kept_beside_the_numbers(tmp_path):
    found = net(tmp_path, "*Vertices 3\n1 a\n2 a\n*Edges\n1 2\n2 3\n")
    assert found.labels == {"1": "a", "2": "a"}
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
    notes = net(tmp_path, f"*Vertices 3\n{lines}").report.notes
    assert [note.split()[0] for note in notes] == ([str(noted)] if noted else [])


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


def test_what_follows_the_two_numbers_of_pajeks_vertices_is_passed_over(tmp_path):
    text = "*Vertices 4 2 women, then events\n*Edges\n1 3\n2 4\n1 4\n"
    assert pairs(reading(tmp_path, "g.net", text).network) == links("1-3", "2-4", "1-4")


def test_a_pajek_file_says_how_many_unknown_sections_it_left_out(tmp_path):
    unknown = "".join(f"*Odd{n}\n1 2\n" for n in range(9))
    found = reading(tmp_path, "g.net", f"*Vertices 3\n*Edges\n1 2\n{unknown}")
    [note] = [note for note in found.report.notes if "not known" in note]
    listed = sum(f"odd{n}" in note.lower() for n in range(9))
    assert f"and {9 - listed} more" in note


def head_of(text, suffix=""):
    return Head(text.encode(), text, suffix)


def test_pajek_begins_below_its_comments():
    assert formats.pajek(head_of("  % made by hand\n*Vertices 3\n"))
    assert not formats.pajek(head_of("a %\n*Vertices 3\n"))


def notes(found):
    return "\n".join(found.report.notes)


def test_pajek_passes_over_the_vertices_of_a_partition_and_reads_on(tmp_path):
    text = "*Vertices 3\n1 A\n2 B\n*Partition p\n*Vertices 3\n1\n1\n2\n*Edges\n1 2\n1 3\n"
    for whole in (text, "*Partition q\n*Vertices 9\n5\n5\n" + text):
        found = reading(tmp_path, "g.net", whole, format="pajek")
        assert pairs(found.network) == {frozenset("AB"), frozenset("A3")}
        assert found.report.notes == []


def test_pajek_stops_at_a_second_network_after_a_partition(tmp_path):
    text = "*Vertices 2\n*Edges\n1 2\n*Vector v\n*Vertices 2\n0.5\n1\n*Network b\n*Vertices 9\n"
    found = reading(tmp_path, "g.net", text + "*Edges\n3 4\n")
    assert pairs(found.network) == {frozenset("12")}
    assert "more than one network" in notes(found)


def test_pajek_counts_comments_and_blank_lines(tmp_path):
    found = reading(tmp_path, "g.net", "% one\n*Vertices 2\n\n*Edges\n% two\n1 2\n")
    assert found.report.passed_over == 3


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
    assert any("the file says so" in text for text in found.report.looks)


def test_pajek_labels_that_are_alike_leave_the_numbers(tmp_path):
    text = "*Vertices 3\n1 A\n2 A\n3 B\n*Edges\n1 2\n2 3\n"
    found = reading(tmp_path, "g.net", text)
    assert found.network.names == ("1", "2", "3")
    assert found.labels == {"1": "A", "2": "A", "3": "B"}
    assert found.report.notes == ["vertices are named by number: some labels are alike"]
    # The label of vertex 1 is the number of vertex 3, which has no label.
    clash = "*Vertices 3\n1 3\n2 A\n*Edges\n1 2\n2 3\n"
    assert reading(tmp_path, "g.net", clash).network.names == ("1", "2", "3")


def test_pajek_matrices_of_one_and_two_modes(tmp_path):
    one = "*Vertices 3\n*Matrix\n0 1 0\n1 0 0.5\n0 0.5 0\n"
    found = reading(tmp_path, "g.net", one)
    assert pairs(found.network) == {frozenset("12"), frozenset("23")}
    assert found.report.reversed_duplicates == 0
    assert not found.report.looks
    directed = reading(tmp_path, "g.net", one.replace("1 0 0.5", "0 0 0.5"))
    assert any("the file says so" in text for text in directed.report.looks)
    two = '*Vertices 5 2\n1 "a"\n*Matrix\n1 0 1\n0 1 1\n'
    found = reading(tmp_path, "g.net", two)
    assert pairs(found.network) == {frozenset(p) for p in ("a3", "a5", "24", "25")}
    assert "two-mode" in found.report.notes[0]


def test_pajek_reads_the_first_network_of_a_project(tmp_path):
    text = "*Network a\n*Vertices 2\n*Edges\n1 2\n*Network b\n*Vertices 9\n*Edges\n3 9\n"
    found = reading(tmp_path, "g.paj", text)
    assert found.network.names == ("1", "2")
    assert "only the first is read" in found.report.notes[0]


def test_pajek_labels_with_invisible_characters_are_refused_by_line(tmp_path):
    text = "*Vertices 2\n%\n2 B\n1 A\u200b\n*Edges\n1 2\n"
    assert problem(tmp_path, "g.net", text).startswith("g.net:4: the node name 'A\\u200b' holds")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("*Vertices 2\n*Edges\n1 3\n", "g.net:3: vertex 3 is beyond the 2 declared"),
        ("*Vertices 2\n*Edges\n0 1\n", "g.net:3: vertex 0 is beyond the 2 declared"),
        ("*Vertices 2\n3 x\n", "g.net:2: vertex 3 is beyond the 2 declared"),
        ("*Vertices 2\n*Edges\n1_0 2\n", "g.net:3: expected the number of a vertex, got '1_0'"),
        ("*Vertices 2\n*Edges\n1\n", "g.net:3: expected two vertex numbers"),
        ("*Vertices two\n", "g.net:1: expected *Vertices and their number"),
        ("*Vertices 1000000000\n*Edges\n1 2\n", "g.net:1: declares 1000000000 nodes"),
        ("*Edges\n1 2\n", "g.net:1: *edges comes before *Vertices"),
        ("*Network x\n1 2\n", "g.net:2: expected a line such as *Vertices 10"),
        ("*Network x\n", "g.net: no line *Vertices"),
        ("*Vertices 2\n*Matrix\n0 1\n", "g.net: the matrix has 1 rows, expected 2"),
        ("*Vertices 2\n*Matrix\n0 1 0\n", "g.net:3: row 1 of the matrix has 3 numbers"),
        ("*Vertices 2\n*Matrix\n0 x\n", "g.net:3: in the matrix: could not convert"),
        ("*Vertices 2\n*Matrix\n0 nan\n", "g.net:3: the matrix holds a value that is not finite"),
    ],
)
def test_pajek_is_refused_with_a_line(tmp_path, text, told):
    assert problem(tmp_path, "g.net", text).startswith(told)


def test_pajek_that_declares_many_vertices_makes_no_room_for_them(tmp_path):
    found = reading(
        tmp_path, "g.net", "*Vertices 99999999\n*Edges\n5 90000000\n", keep_isolated=True
    )
    assert found.network.names == ("5", "90000000")
    assert "99,999,997 of the 99,999,999 nodes declared" in found.report.notes[0]

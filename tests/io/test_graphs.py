"""What graph formats share: numbered nodes, labels, repeated ids, weights of zero."""

import io

import numpy as np
import pytest
from tests.io.files import dropped, pairs, problem, reading, written

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read
from linkprior.io.readers import graphs
from linkprior.io.readers.graphs import (
    NamedGraph,
    every_line,
    hand_over,
    hand_over_numbered,
    is_zero,
    one_of_each,
    refuse_too_many,
    square_size,
    whole_numbers,
)
from linkprior.io.source import Source
from linkprior.io.writers import write_ranking


@pytest.fixture
def found():
    return EdgeCollector("f")


def source(content):
    return Source("f", io.BytesIO(content), content, None, _tap=None)


@pytest.mark.parametrize(
    ("words", "most", "numbers"),
    [
        (["1"], 1, [1]),
        (["1", "7", "3"], 7, [1, 7, 3]),
        (["007", "3"], 7, [7, 3]),
        (["9" * 18], 10**18, [10**18 - 1]),
    ],
)
def test_numbers_from_1_to_the_most_declared_are_taken(words, most, numbers):
    assert whole_numbers(words, most, "node", "f:3") == numbers


@pytest.mark.parametrize("word", ["x", "1.5", "-1", "1_000", "٣", "²"])
def test_a_word_that_is_no_number_is_named(word):
    with pytest.raises(InputError, match="^f:3: expected the number of a node, got ") as told:
        whole_numbers(["1", word, "2"], 9999, "node", "f:3")
    assert str(told.value).endswith(repr(word))
    with pytest.raises(InputError, match="got "):  # behind the longest number there may be
        whole_numbers(["9" * 18, word], 10**18, "node", "f:3")


@pytest.mark.parametrize("word", ["0", "8", "1" + "0" * 18, "0" * 19])
def test_a_number_beyond_those_declared_is_named(word):
    with pytest.raises(InputError, match=f"^f:3: node {word} is beyond the 7 declared"):
        whole_numbers(["1", "7", word], 7, "node", "f:3")
    with pytest.raises(InputError, match=f"^f:3: node {word} is beyond the 7 declared"):
        whole_numbers([word], 7, "node", "f:3")


def test_a_number_of_too_many_digits_is_refused_whatever_was_declared():
    with pytest.raises(InputError, match="is beyond the"):
        whole_numbers(["1" + "0" * 18], 10**30, "node", "f:3")


def test_a_matrix_must_be_square_and_not_too_large(monkeypatch):
    monkeypatch.setattr(graphs, "MOST_NODES", 5)
    assert square_size(5, 5, "f") == 5
    refuse_too_many(5, "f")
    with pytest.raises(InputError, match="^f: declares 6 nodes, at most 5 are read"):
        refuse_too_many(6, "f")
    with pytest.raises(InputError, match="^f: declares 6 nodes"):
        square_size(6, 6, "f")
    with pytest.raises(InputError, match="^f: a rectangular matrix of 3 × 4"):
        square_size(3, 4, "f")


def test_every_line_has_its_number_blank_ones_too():
    lines = list(every_line(source(b"a\n\n b \nc")))
    assert lines == [(1, "a"), (2, ""), (3, " b "), (4, "c")]


def edges(found):
    return [[found.names[a], found.names[b]] for a, b in found.ends.tolist()]


def test_edges_are_handed_over_by_the_places_of_their_names(found):
    names = ["x", "y", "z", "lonely"]
    hand_over(found, names, [1, 2, 3, 4], np.array([[2, 0], [1, 2]]), np.array([[0, 1]]))
    assert list(found.names) == names
    assert edges(found) == [["z", "x"], ["y", "z"]]
    assert found.predicted.tolist() == [[0, 1]]


def test_nodes_are_numbered_from_1_unless_told_otherwise(found):
    hand_over_numbered(found, 2, np.array([[1, 2]]))
    assert edges(found) == [["1", "2"]]


def test_the_line_of_a_bad_label_is_named(found):
    with pytest.raises(InputError, match="^f:12: the node name 'a"):
        hand_over_numbered(found, 2, np.array([[1, 2]]), 1, {2: "a\x07"}, {2: 12})
    with pytest.raises(InputError, match="^f: the node name 'a"):
        hand_over_numbered(EdgeCollector("f"), 2, np.array([[1, 2]]), 1, {2: "a\x07"})


ENDS = np.array([[9, 2], [2, 9], [4, 9]])


@pytest.mark.parametrize(
    ("n_nodes", "labels", "listed"),
    [
        (12, {}, True),  # four for each edge
        (13, {}, False),
        (16, dict.fromkeys(range(1, 5), "x"), True),  # four for each label
        (17, dict.fromkeys(range(1, 5), "x"), False),
    ],
)
def test_of_very_many_nodes_only_those_with_edges_are_listed(
    found, monkeypatch, n_nodes, labels, listed
):
    monkeypatch.setattr(graphs, "_LISTED_FREELY", 10)
    labels = {k: f"{name}{k}" for k, name in labels.items()}
    hand_over_numbered(found, n_nodes, ENDS, labels=labels)
    name = {k: labels.get(k, str(k)) for k in (2, 4, 9)}
    assert edges(found) == [[name[a], name[b]] for a, b in ENDS.tolist()]
    assert len(found.names) == (n_nodes if listed else 3)
    note = f"{n_nodes - 3} of the {n_nodes} nodes declared have no edge and are left out"
    assert [told.startswith(note) for told in found.notes] == [True] * (not listed)


def test_so_many_nodes_are_listed_whatever_the_edges(found, monkeypatch):
    monkeypatch.setattr(graphs, "_LISTED_FREELY", 20)
    hand_over_numbered(found, 20, ENDS)
    assert len(found.names) == 20
    few = EdgeCollector("f")
    hand_over_numbered(few, 21, ENDS)
    assert list(few.names) == ["2", "4", "9"]


def test_a_weight_of_exactly_0_is_zero():
    assert [is_zero(text) for text in ("0", "0.0", "-0", "0e5")] == [True] * 4
    assert [is_zero(text) for text in ("1", "-1", "1e-9", "", "x", "nan")] == [False] * 6


def test_of_pairs_given_both_ways_one_is_marked():
    ends = np.array([[0, 1], [1, 0], [2, 2], [3, 1], [1, 3]])
    assert one_of_each(ends).tolist() == [True, False, True, False, True]
    assert one_of_each(ends[:4]) is None
    assert one_of_each(np.array([[5, 7], [7, 5]])).tolist() == [True, False]
    assert one_of_each(np.array([[0, 0]])).tolist() == [True]
    assert one_of_each(np.empty((0, 2), np.int64)).tolist() == []


def test_weights_are_not_wanted_unless_asked_for_and_zeros_among_them_are_told():
    found = EdgeCollector("g")
    graph = NamedGraph(found)
    for weight in ("0", "2", "0.0", ""):
        graph.edge("a", "b", 1, weight)
    graph.hand_over()
    assert found.rows == 4
    assert found.notes == ["2 edges have weight 0 and count as edges"]


def test_a_bad_name_in_a_file_without_lines_is_told_without_one():
    for take, others in (("node", ()), ("declare", ()), ("edge", ("a",))):
        graph = NamedGraph(EdgeCollector("g"))
        graph.edge("a", "b")
        getattr(graph, take)(*others, "c\x07")
        with pytest.raises(InputError, match="^g: the node name"):
            graph.hand_over()


A_LINE = 400  # characters: some lines of a terminal at most


def listed(*names, node="1"):
    """Return what the collector has after one node was listed once with each tuple of names."""
    found = EdgeCollector("g")
    graph = NamedGraph(found)
    for line, alike in enumerate(names, 1):
        number = graph.declare(node, line)
        for name in alike:
            graph.label(number, 0, name)
    graph.hand_over()
    return found


def told(*names, node="1"):
    with pytest.raises(InputError) as caught:
        listed(*names, node=node)
    return str(caught.value)


def test_of_several_names_in_one_listing_only_the_first_must_agree():
    """The first name counts in each listing; the whole of it, repeated, is the same node."""
    for again in (("x",), ("x", "y"), ("x", "z"), ("x", "y", "z"), ()):
        assert list(listed(("x", "y"), again).names) == ["x"], again
    for again in (("y",), ("y", "x"), ("z", "x", "y")):
        wrong = f"g:2: the id '1' is that of two nodes, 'x' and '{again[0]}';"
        assert told(("x", "y"), again).startswith(wrong), again
    assert told(("x",), ("x", "y"), ("y",)).startswith("g:3: the id '1' is that of two nodes")


def test_a_label_too_long_to_be_a_name_leaves_the_node_its_id():
    """A name of 1,001 characters would be refused, and the file with it."""
    for n in (999, 1000, 1001, 5000):
        label = "x" * n
        assert list(listed((label,)).names) == [label if n <= 1000 else "1"], n
    with pytest.raises(InputError, match="expected at most 1000"):
        listed((), node="x" * 1001)


def test_a_node_listed_twice_under_long_names_is_told_in_a_short_message():
    long = "w" * 900
    for node, first, second in ((long, "x", "y"), ("1", long, "y"), ("1", "x", long)):
        message = told((first,), (second,), node=node)
        assert "is that of two nodes" in message
        assert len(message) < A_LINE, message
    (note,) = listed((), (), node=long).notes
    assert note.startswith("1 node is listed again")
    assert len(note) < A_LINE


def notes(found):
    return "\n".join(found.report.notes)


def graphml(inside, keys="", doctype="", edgedefault="undirected"):
    return (
        f'<?xml version="1.0"?>\n{doctype}<graphml>{keys}\n'
        f'<graph edgedefault="{edgedefault}">\n{inside}\n</graph></graphml>\n'
    )


def gexf(nodes, edges):
    return f"<gexf><graph><nodes>{nodes}</nodes>\n<edges>{edges}</edges></graph></gexf>"


def test_repeated_node_ids_are_counted(tmp_path):
    inside = (
        '<node id="a"/><node id="b"/><node id="a"/>\n<node id="a"/><edge source="a" target="b"/>'
    )
    found = reading(tmp_path, "g.graphml", graphml(inside))
    assert "2 nodes are listed again under an id that was there before, such as 'a'" in notes(found)
    nodes = '<node id="a" label="x"/><node id="b" label="y"/><node id="a" label=" x"/>'
    found = reading(tmp_path, "g.gexf", gexf(nodes, '<edge source="a" target="b"/>'))
    assert "1 node is listed again" in notes(found)
    assert pairs(found.network) == {frozenset("xy")}


def test_an_id_of_two_nodes_with_different_names_is_refused(tmp_path):
    keys = '<key id="k" for="node" attr.name="name"/>'
    inside = (
        '<node id="a"><data key="k">TP53</data></node>\n'
        '<node id="b"><data key="k">MDM2</data></node>\n'
        '<node id="a"><data key="k">ATM</data></node>\n<edge source="a" target="b"/>'
    )
    told = problem(tmp_path, "g.graphml", graphml(inside, keys))
    assert told.startswith("g.graphml:6: the id 'a' is that of two nodes, 'TP53' and 'ATM';")


TWO_ZEROS = "2 edges have weight 0 and count as edges"


def test_edges_of_weight_zero_are_edges_and_noted(tmp_path):
    keys = '<key id="w" for="edge" attr.name="Weight"><default>0</default></key>'
    inside = (
        '<edge source="a" target="b"><data key="w">0.0</data></edge><edge source="b" target="c"/>'
        '<edge source="c" target="d"><data key="w">0.5</data></edge>'
    )
    edges = (
        '<edge source="a" target="b" weight="0"/><edge source="b" target="c" weight="-0.0"/>'
        '<edge source="c" target="d" weight="2"/>'
    )
    nodes = "".join(f'<node id="{name}"/>' for name in "abcd")
    pajek = '*Vertices 4\n1 a\n2 b\n3 c\n4 d\n*Edges\n1 2 0\n2 3 0.00 l "x"\n3 4 c Blue\n'
    for name, text in {
        "g.graphml": graphml(inside, keys),
        "g.gexf": gexf(nodes, edges),
        "g.net": pajek,
    }.items():
        found = reading(tmp_path, name, text)
        assert pairs(found.network) == {frozenset("ab"), frozenset("bc"), frozenset("cd")}
        assert TWO_ZEROS in found.report.notes, name


def edge(source, target, **values):
    return {"id": 0, "s": source, "t": target, "v": values}


@pytest.mark.parametrize("form", ["graphml", "cx2", "sif"])
def test_our_own_export_is_read_without_its_predictions(tmp_path, form, planted):
    ranking = lp.make("l3").fit(planted).predict_edges(20)
    path = tmp_path / f"out.{form}"
    with path.open("w", encoding="utf-8", newline="") as target:
        write_ranking(target, ranking, form, planted)
    found = read(path)
    inside = {name for pair in ranking.names for name in pair}
    assert pairs(found.network) == {edge for edge in pairs(planted) if edge <= inside}
    assert dropped(found) == {"marked as predicted, not observed": 20}


@pytest.mark.parametrize(
    "name", ["graphml", "gexf", "cx2", "pajek", "metis", "sif", "matrix-market", "npz"]
)
def test_options_of_tables_do_not_apply(tmp_path, name):
    path = written(tmp_path, "g.txt", "a b\n")
    with pytest.raises(ParameterError, match="--min-score does not apply"):
        read(path, format=name, options=ReadOptions(min_score=0.5))

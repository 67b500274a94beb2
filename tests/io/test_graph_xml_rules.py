"""GraphML tag by tag: which tags own which text, and which attributes count."""

import pytest
from tests.io.graph_files import dropped, pairs, problem, reading, written

from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs

EDGE = '<edge source="a" target="b"/>'


def graphml(body, keys="", default="undirected"):
    return f'<graphml>{keys}<graph edgedefault="{default}">\n{body}</graph></graphml>'


def is_directed(found):
    return any("the file says so" in look for look in found.report.looks)


def weights_of(found):
    names, dense = found.network.names, found.network.confidence.toarray()
    return {names[i] + names[j]: dense[i, j] for i, j in found.network.edges.tolist()}


def weighed(tmp_path, name, text, weights):
    return weights_of(reading(tmp_path, name, text, options=ReadOptions(weights=weights)))


@pytest.mark.parametrize(
    ("text", "directed"),
    [
        (graphml(EDGE), False),
        (graphml(EDGE, default="directed"), True),
        (graphml('<edge source="a" target="b" directed="1"/>'), True),
        (graphml('<edge source="a" target="b" directed="TRUE"/>'), True),
        (graphml('<edge source="a" target="b" directed="0"/>', default="directed"), False),
        (graphml(f'{EDGE}<node id="c"><graph edgedefault="directed"/></node>'), False),
        (graphml(f'<node id="c"><graph edgedefault="directed">{EDGE}</graph></node>'), True),
        (graphml(f'<node id="c"><graph edgedefault="directed"/></node>{EDGE}'), False),
        (f"<graphml>{EDGE}</graphml>", False),
        (f"<graphml><graph>{EDGE}</graph></graphml>", False),
    ],
)
def test_graphml_says_whether_an_edge_has_a_direction(tmp_path, text, directed):
    found = reading(tmp_path, "g.graphml", text)
    assert is_directed(found) == directed
    kind = "directed" if directed else "undirected"
    assert found.report.guess.startswith(f"GraphML, {kind} graph of ")


def test_graphml_without_directions_is_not_called_directed_by_its_shape(tmp_path):
    """One node has an edge to all others, and one of them has one more."""
    rows = [(0, k) for k in range(1, 15)] + [(1, 2)]
    body = "".join(f'<edge source="n{a}" target="n{b}"/>' for a, b in rows)
    assert reading(tmp_path, "g.graphml", graphml(body)).report.looks == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (graphml(EDGE), None),
        (graphml(f'{EDGE}<node id="c"><graph/></node>'), None),
        (graphml(f"{EDGE}</graph><graph>"), 2),
        (graphml(f"{EDGE}</graph><graph></graph><graph>"), 3),
    ],
)
def test_graphs_beside_each_other_are_counted_and_those_inside_are_not(tmp_path, text, count):
    notes = reading(tmp_path, "g.graphml", text).report.notes
    assert notes == ([f"the file holds {count} graphs: they are read as one"] if count else [])


def test_the_number_of_nodes_is_told(tmp_path):
    found = reading(tmp_path, "g.graphml", graphml(f'<node id="z"/>{EDGE}'))
    assert found.report.guess == "GraphML, undirected graph of 3 nodes"


NAMED = '<key id="k" for="{}" attr.name="name"/>'


def node(name, inside):
    return f'<node id="{name}">{inside}</node>'


@pytest.mark.parametrize(
    ("owner", "inside", "names"),
    [
        ("node", '<data key="k">{}</data>', ("A", "B")),
        ("all", '<data key="k">{}</data>', ("A", "B")),
        ("edge", '<data key="k">{}</data>', ("a", "b")),
        ("node", '<data key="other">{}</data>', ("a", "b")),
        ("node", '<data key="k">{}</data><data key="other">x</data>', ("A", "B")),
        ("node", '<data key="k"><b>{}</b><i/></data>', ("A", "B")),
        ("node", '<data key="k"><b>{}</b>1</data>', ("A1", "B1")),
        ("node", '<data key="other"><b/><data key="k">{}</data></data>', ("a", "b")),
        ("node", '<data key="other"><deep><er>{}</er></deep></data>', ("a", "b")),
        ("node", '<data key="other"><deep><data key="k">{}</data></deep></data>', ("a", "b")),
        ("node", '<port><data key="k">{}</data></port>', ("a", "b")),
        ("node", "{}", ("a", "b")),
        ("node", '<data key="k">{}</data>later', ("A", "B")),
        ("edge", '<data key="g"><NodeLabel>{}</NodeLabel></data>', ("A", "B")),
        ("edge", '<data key="g"><y><NodeLabel>{}</NodeLabel>x</y>y</data>', ("A", "B")),
        ("edge", "<NodeLabel>{}</NodeLabel>", ("a", "b")),
    ],
)
def test_text_names_the_node_it_stands_in_and_no_other(tmp_path, owner, inside, names):
    body = node("a", inside.format("A")) + node("b", inside.format("B")) + EDGE
    found = reading(tmp_path, "g.graphml", graphml(body, NAMED.format(owner)))
    assert found.network.names == names


def test_a_key_without_owner_is_for_all(tmp_path):
    body = node("a", '<data key="k">A</data>') + node("b", '<data key="k">B</data>') + EDGE
    found = reading(tmp_path, "g.graphml", graphml(body, '<key id="k" attr.name="Name"/>'))
    assert found.network.names == ("A", "B")


def test_a_label_inside_an_edge_names_no_node(tmp_path):
    body = (
        node("a", '<data key="k">A</data>') + node("b", '<data key="k">B</data>')
        + '<edge source="a" target="b"><data key="k">x</data><data key="g"><NodeLabel>y</NodeLabel>'
        "</data></edge>"
    )  # fmt: skip
    found = reading(tmp_path, "g.graphml", graphml(body, NAMED.format("all")))
    assert found.network.names == ("A", "B")


def test_a_default_of_names_names_nobody(tmp_path):
    keys = '<key id="k" for="node" attr.name="name"><default>N</default></key>'
    found = reading(tmp_path, "g.graphml", graphml(node("a", "") + node("b", "") + EDGE, keys))
    assert found.network.names == ("a", "b")
    assert found.report.notes == []


@pytest.mark.parametrize(
    ("owner", "default", "own", "left"),
    [
        ("edge", "", "predicted", 1),
        ("edge", "", " PREDICTED ", 1),
        ("all", "", "predicted", 1),
        ("node", "", "predicted", 2),
        ("edge", "predicted", "observed", 1),
        ("node", "predicted", "observed", 2),
        ("edge", "other", "observed", 2),
    ],
)
def test_the_kind_of_an_edge_says_whether_it_was_predicted(tmp_path, owner, default, own, left):
    inside = f"<default>{default}</default>" if default else ""
    keys = f'<key id="k" for="{owner}" attr.name="Kind">{inside}</key>'
    body = f'<edge source="a" target="b"><data key="k">{own}</data></edge>'
    body += '\n<edge source="b" target="c"></edge>'
    found = reading(tmp_path, "g.graphml", graphml(body, keys))
    assert found.network.n_edges == left
    assert list(dropped(found).values()) == [1] * (2 - left)
    line = 2 if own.strip().lower() == "predicted" else 3
    assert [entry["first_lines"] for entry in found.report.dropped] == [[line]] * (2 - left)


def test_predicted_links_are_pairs_the_file_names(tmp_path):
    keys = '<key id="k" for="edge" attr.name="kind"/>'
    body = f'{EDGE}<edge source="b" target="c"><data key="k">predicted</data></edge>'
    path = written(tmp_path, "g.graphml", graphml(body, keys))
    assert set(map(frozenset, read_pairs(path))) == {frozenset("ab"), frozenset("bc")}


def test_a_default_outside_a_key_is_passed_over(tmp_path):
    found = reading(tmp_path, "g.graphml", graphml(EDGE, "<default>predicted</default>"))
    assert found.network.n_edges == 1


def test_a_default_is_that_of_its_own_key(tmp_path):
    keys = (
        '<key id="w" for="edge" attr.name="weight"><default>4</default></key>'
        '<key id="o" for="edge" attr.name="other"><default>predicted</default></key>'
        '<key id="k" for="edge" attr.name="kind"/>'
    )
    body = '<edge source="a" target="b"/><edge source="b" target="c"><data key="w">2</data></edge>'
    found = weighed(tmp_path, "g.graphml", graphml(body, keys), "Weight ")
    assert found == {"ab": 1.0, "bc": 0.5}


def test_hyperedges_are_left_out_with_what_they_own(tmp_path):
    body = f'<hyperedge><data key="k">predicted</data></hyperedge>{EDGE}\n<hyperedge/>'
    keys = '<key id="k" for="all" attr.name="kind"/>'
    found = reading(tmp_path, "g.graphml", graphml(body, keys))
    assert pairs(found.network) == {frozenset("ab")}
    assert [entry["first_lines"] for entry in found.report.dropped] == [[2, 3]]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("\n<node/>", "g.graphml:3: a tag <node> without id"),
        ('\n<node id=""/>', "g.graphml:3: a tag <node> without id"),
        ('\n<edge target="a"/>', "g.graphml:3: a tag <edge> without source"),
        ('\n\n<edge source="a" target=""/>', "g.graphml:4: a tag <edge> without target"),
    ],
)
def test_a_tag_without_what_it_needs_is_refused(tmp_path, body, told):
    assert problem(tmp_path, "g.graphml", graphml(body)) == told


def test_an_attribute_of_nodes_gives_no_weights(tmp_path):
    keys = '<key id="w" for="node" attr.name="sure"/><key id="v" for="edge" attr.name="real"/>'
    with pytest.raises(ParameterError, match=r"nothing called 'sure'.* There are: real$"):
        weighed(tmp_path, "g.graphml", graphml(EDGE, keys), "sure")

"""GEXF tag by tag: directions, kinds and weights of edges, labels of nodes."""

import pytest
from tests.io.graph_files import dropped, problem, reading

from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions

EDGE = '<edge source="a" target="b"{}/>'


def gexf(edges, attributes="", kind="", nodes=""):
    return (
        f"<gexf><graph{kind}>{attributes}<nodes>{nodes}</nodes>\n"
        f"<edges>{edges}</edges></graph></gexf>"
    )


def declared(title, owner="edge", key="0"):
    return (
        f'<attributes class="{owner}"><attribute id="{key}" title="{title}"/></attributes>'
    )  # fmt: skip


def valued(ends, value, key="0", named="for", more=""):
    inside = f'<attvalues><attvalue {named}="{key}" value="{value}"/></attvalues>'
    return f'<edge source="{ends[0]}" target="{ends[1]}"{more}>{inside}</edge>'


def weights_of(tmp_path, text, asked):
    found = reading(tmp_path, "g.gexf", text, options=ReadOptions(weights=asked))
    names, dense = found.network.names, found.network.confidence.toarray()
    return {names[i] + names[j]: dense[i, j] for i, j in found.network.edges.tolist()}


@pytest.mark.parametrize(
    ("kind", "own", "directed"),
    [
        ("", "", False),
        (' defaultedgetype="directed"', "", True),
        (' defaultedgetype="undirected"', "", False),
        ("", ' type="directed"', True),
        ("", ' type="Dir"', True),
        ("", ' type="mutual"', False),
        (' defaultedgetype="directed"', ' type="undirected"', False),
    ],
)
def test_gexf_says_whether_an_edge_has_a_direction(tmp_path, kind, own, directed):
    found = reading(tmp_path, "g.gexf", gexf(EDGE.format(own), kind=kind))
    assert any("the file says so" in look for look in found.report.looks) == directed
    word = "directed" if directed else "undirected"
    assert found.report.guess == f"GEXF, {word} graph of 2 nodes"


def test_edges_outside_a_graph_have_no_direction(tmp_path):
    found = reading(tmp_path, "g.gexf", f"<gexf>{EDGE.format('')}</gexf>")
    assert found.report.guess == "GEXF, undirected graph of 2 nodes"


def test_labels_name_the_nodes(tmp_path):
    nodes = '<node id="a" label="A"/><node id="b" label="B"/>'
    assert reading(tmp_path, "g.gexf", gexf(EDGE.format(""), nodes=nodes)).network.names == (
        "A",
        "B",
    )


@pytest.mark.parametrize(
    ("edges", "attributes", "left"),
    [
        (EDGE.format(' kind="Predicted"'), "", 1),
        (EDGE.format(' kind="other"'), "", 2),
        (valued("ab", "predicted"), declared("Kind"), 1),
        (valued("ab", "predicted", named="id"), declared("kind"), 1),
        (valued("ab", "predicted"), declared("kind", owner="node"), 2),
        (valued("ab", "predicted"), declared("kind") + declared("x", "node"), 1),
        (valued("ab", "predicted", key="1"), declared("kind"), 2),
        (valued("ab", "predicted"), declared("sort"), 2),
        (valued("ab", "predicted"), '<attribute id="0" title="kind"/>', 2),
        (valued("ab", "observed", more=' kind="predicted"'), declared("kind"), 2),
    ],
)
def test_the_kind_of_an_edge_says_whether_it_was_predicted(tmp_path, edges, attributes, left):
    found = reading(tmp_path, "g.gexf", gexf(edges + '<edge source="b" target="c"/>', attributes))
    assert found.network.n_edges == left
    assert list(dropped(found).values()) == [1] * (2 - left)
    assert [entry["first_lines"] for entry in found.report.dropped] == [[2]] * (2 - left)


def test_values_of_nodes_behind_an_edge_are_none_of_its_own(tmp_path):
    after = '<attvalue for="0" value="predicted"/>'
    text = gexf(EDGE.format("") + after, declared("kind"))
    assert reading(tmp_path, "g.gexf", text).network.n_edges == 1


@pytest.mark.parametrize(
    ("edges", "attributes", "asked"),
    [
        (EDGE.format(' weight="4"') + '<edge source="b" target="c" weight="2"/>', "", "weight"),
        (EDGE.format(' weight="4"') + '<edge source="b" target="c" weight="2"/>', "", " Weight"),
        (valued("ab", 4) + valued("bc", 2), declared("sure"), "sure"),
        (valued("ab", 4) + valued("bc", 2), declared("Very  Sure"), "very sure"),
        (
            valued("ab", 4, more=' weight="1"') + valued("bc", 2, more=' weight="1"'),
            declared("sure"),
            "sure",
        ),
        (EDGE.format(' weight="4"') + valued("bc", 2), declared("weight"), "weight"),
    ],
)
def test_weights_are_those_of_gexf_or_of_the_attribute_asked_for(
    tmp_path, edges, attributes, asked
):
    assert weights_of(tmp_path, gexf(edges, attributes), asked) == {"ab": 1.0, "bc": 0.5}


@pytest.mark.parametrize(
    ("edges", "attributes", "there"),
    [
        (EDGE.format(' weight="4"'), "", "none"),
        (valued("ab", 4), declared("real"), "real"),
        (valued("ab", 4), declared("sure", owner="node"), "none"),
    ],
)
def test_an_attribute_no_edge_has_gives_no_weights(tmp_path, edges, attributes, there):
    with pytest.raises(ParameterError, match=f"nothing called 'sure'.* There are: {there}$"):
        weights_of(tmp_path, gexf(edges, attributes), "sure")


def test_gexf_without_weights_has_no_attribute_of_that_name(tmp_path):
    with pytest.raises(ParameterError, match="nothing called 'weight'"):
        weights_of(tmp_path, gexf(EDGE.format("")), "weight")


def test_an_edge_without_the_weight_others_have_is_refused(tmp_path):
    edges = EDGE.format(' weight="4"') + '\n<edge source="b" target="c"/>'
    told = problem(tmp_path, "g.gexf", gexf(edges), options=ReadOptions(weights="weight"))
    assert told.startswith("g.gexf:3: expected a weight")


def test_a_weight_of_0_is_noted_only_where_nobody_asked_for_another(tmp_path):
    found = reading(tmp_path, "g.gexf", gexf(EDGE.format(' weight="0"')))
    assert found.report.notes == ["1 edge has weight 0 and counts as edge"]
    found = reading(tmp_path, "g.gexf", gexf(valued("ab", 0), declared("weight")))
    assert found.report.notes == []


@pytest.mark.parametrize(
    ("edges", "nodes", "told"),
    [
        ("", '<node label="a"/>', "g.gexf:1: a tag <node> without id"),
        ('<edge target="b"/>', "", "g.gexf:2: a tag <edge> without source"),
        ('<edge source="b"/>', "", "g.gexf:2: a tag <edge> without target"),
    ],
)
def test_a_tag_without_what_it_needs_is_refused(tmp_path, edges, nodes, told):
    assert problem(tmp_path, "g.gexf", gexf(edges, nodes=nodes)) == told

"""GraphML and GEXF, tag by tag."""

import codecs

import networkx as nx
import pytest
from tests.io.files import dropped, pairs, problem, reading, same, written

from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.read import read
from linkprior.io.readers import graph_xml
from linkprior.io.readers.graph_xml import parse_xml


def graphs():
    plain = nx.karate_club_graph()
    directed = nx.gnp_random_graph(30, 0.1, seed=1, directed=True)
    multi = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c"), ("c", "c")])
    unicode = nx.Graph([("α–1", "β & <γ>"), ("β & <γ>", 'tschüss "du"')])
    lonely = nx.Graph([(1, 2), (2, 3)])
    lonely.add_nodes_from([7, 8])
    return {
        "plain": plain,
        "directed": directed,
        "multi": multi,
        "unicode": unicode,
        "lonely": lonely,
    }


@pytest.mark.parametrize("kind", graphs())
def test_graphml_of_networkx_comes_back(tmp_path, kind):
    graph = graphs()[kind]
    nx.write_graphml(graph, tmp_path / "g.graphml")
    found = read(tmp_path / "g.graphml", keep_isolated=True)
    assert found.report.format == "graphml"
    assert same(found, graph)
    assert (
        any("directed (the file says so)" in t for t in found.report.looks) == graph.is_directed()
    )


@pytest.mark.parametrize("kind", graphs())
def test_gexf_of_networkx_comes_back(tmp_path, kind):
    graph = graphs()[kind]
    nx.write_gexf(graph, tmp_path / "g.gexf")
    found = read(tmp_path / "g.gexf", keep_isolated=True)
    assert found.report.format == "gexf"
    assert same(found, graph)
    assert (
        any("directed (the file says so)" in t for t in found.report.looks) == graph.is_directed()
    )


def graphml(body, keys="", graph='<graph edgedefault="undirected">'):
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n{keys}\n{graph}\n{body}\n'
        "</graph></graphml>\n"
    )


def nodes(key, *names):
    return "".join(
        f'<node id="n{i}"><data key="{key}">{t}</data></node>' for i, t in enumerate(names)
    )


TRIANGLE = (
    '<edge source="n0" target="n1"/><edge source="n1" target="n2"/><edge source="n2" target="n0"/>'
)


NAME_KEY = '<key id="k" for="node" attr.name="{}" attr.type="string"/>'


@pytest.mark.parametrize("name", ["name", "Name", "label", "LABEL", "shared name", "shared  Name"])
def test_graphml_names_come_from_an_attribute_that_tells_nodes_apart(tmp_path, name):
    text = graphml(nodes("k", "TP53", "EGFR", "a b\n c") + TRIANGLE, NAME_KEY.format(name))
    assert reading(tmp_path, "g.graphml", text).network.names == ("TP53", "EGFR", "a b c")


@pytest.mark.parametrize(
    "names", [("A", "A", "B"), ("A", "", "B"), ("A", "  ", "B"), ("A", "x" * 1001, "B")]
)
def test_graphml_names_that_are_alike_missing_or_whole_texts_leave_the_ids(tmp_path, names):
    found = reading(
        tmp_path, "g.graphml", graphml(nodes("k", *names) + TRIANGLE, NAME_KEY.format("name"))
    )
    assert found.network.names == ("n0", "n1", "n2")
    assert found.labels["n0"] == "A"
    assert "named by their id" in found.report.notes[0]


def test_graphml_of_yed_is_named_by_its_labels(tmp_path):
    keys = '<key id="d6" for="node" yfiles.type="nodegraphics"/>'
    body = "".join(
        f'<node id="n{i}"><data key="d6"><y:ShapeNode><y:NodeLabel visible="true">{t}<y:Model/>'
        "</y:NodeLabel><y:NodeLabel>second</y:NodeLabel></y:ShapeNode></data></node>"
        for i, t in enumerate(("Start", "Middle", "End"))
    )
    text = graphml(body + TRIANGLE, keys).replace("<graphml", '<graphml xmlns:y="http://y"')
    assert reading(tmp_path, "g.graphml", text).network.names == ("Start", "Middle", "End")


def test_graphml_reads_nested_graphs_and_passes_over_ports(tmp_path):
    body = (
        '<node id="a"><port name="p"><data key="k">port</data></port><data key="k">A</data>'
        '<graph edgedefault="directed"><node id="a::b"><data key="k">B</data></node>'
        '<node id="a::c"><data key="k">C</data></node><edge source="a::b" target="a::c"/></graph>'
        '</node><edge source="a" target="a::b" sourceport="p"/>'
    )
    found = reading(tmp_path, "g.graphml", graphml(body, NAME_KEY.format("name")))
    assert pairs(found.network) == {frozenset("BC"), frozenset("AB")}
    assert "directed" in found.report.looks[-1]


def test_graphml_leaves_out_hyperedges_and_predicted_edges_and_counts_them(tmp_path):
    body = (
        '<edge source="a" target="b"><data key="k">observed</data></edge>\n'
        '<edge source="a" target="c"><data key="k">Predicted</data></edge>\n'
        '<hyperedge><endpoint node="a"/><endpoint node="b"/><endpoint node="c"/></hyperedge>\n'
        '<edge source="b" target="c"/>'
    )
    found = reading(
        tmp_path, "g.graphml", graphml(body, '<key id="k" for="edge" attr.name="kind"/>')
    )
    assert pairs(found.network) == {frozenset("ab"), frozenset("bc")}
    assert dropped(found) == {
        "marked as predicted, not observed": 1,
        "a hyperedge, which joins any number of nodes": 1,
    }
    assert [entry["first_lines"] for entry in found.report.dropped] == [[6], [7]]


def test_graphml_defaults_say_which_edges_are_predicted(tmp_path):
    key = '<key id="k" for="edge" attr.name="kind"><default>{}</default></key>'
    body = '<edge source="a" target="b"><data key="k">observed</data></edge>' + TRIANGLE
    for default, edges in (("predicted", 1), ("observed", 4)):
        found = reading(tmp_path, "g.graphml", graphml(body, key.format(default)))
        assert found.network.n_edges == edges


def test_graphml_of_several_graphs_is_read_as_one(tmp_path):
    body = TRIANGLE + '</graph><graph><edge source="n2" target="n3"/>'
    found = reading(tmp_path, "g.graphml", graphml(body))
    assert found.network.n_edges == 4
    assert found.report.notes == ["the file holds 2 graphs: they are read as one"]


def test_graphml_edges_carry_their_own_direction(tmp_path):
    one = '<edge source="n0" target="n1" directed="{}"/>'
    undirected = reading(tmp_path, "g.graphml", graphml(one.format("false"))).report
    directed = reading(tmp_path, "g.graphml", graphml(one.format("true"))).report
    assert not any("directed" in text for text in undirected.looks)
    assert any("the file says so" in text for text in directed.looks)


def test_graphml_tags_may_have_a_prefix_and_other_encodings(tmp_path):
    text = graphml(nodes("k", "ä", "ö", "ü") + TRIANGLE, NAME_KEY.format("name"))
    prefixed = text.replace("</", "</g:").replace("<", "<g:").replace("<g:/g:", "</g:")
    prefixed = prefixed.replace("<g:?xml", "<?xml").replace("xmlns=", "xmlns:g=")
    latin = text.replace("UTF-8", "ISO-8859-1").encode("latin-1")
    wide = text.replace("UTF-8", "UTF-16").encode("utf-16")
    windows = text.replace("UTF-8", "windows-1252").encode("cp1252")
    for content in (prefixed, latin, wide, windows):
        assert reading(tmp_path, "g.graphml", content).network.names == ("ä", "ö", "ü")


BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE graphml [\n<!ENTITY a "aaaaaaaaaa">\n'
    '<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<graphml><graph><node id="&b;"/></graph></graphml>'
)


EXTERNAL = (
    '<?xml version="1.0"?>\n<!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n'
    '<graphml><graph><node id="a">&x;</node></graph></graphml>'
)


def test_xml_is_refused_with_the_line_of_the_trouble(tmp_path):
    def told(text):
        return problem(tmp_path, "g.graphml", text)

    assert told(BOMB).startswith("g.graphml:2: declares XML entities or the like")
    assert told(EXTERNAL).startswith("g.graphml:2: declares XML entities or the like")
    whole = graphml(nodes("k", "A", "B", "C") + TRIANGLE)
    assert "5: the XML ends too early" in told(whole[:-40])
    assert "not well-formed XML (mismatched tag" in told(whole.replace("</node>", "</nod>", 1))
    assert told(graphml('<edge source="a"/>')) == "g.graphml:5: a tag <edge> without target"
    assert told(graphml("<node/>")) == "g.graphml:5: a tag <node> without id"
    assert "1: declares the encoding 'klingon'" in told(whole.replace("UTF-8", "klingon"))
    assert "declares the encoding 'shift_jis'" in told(whole.replace("UTF-8", "shift_jis"))
    assert "is it UTF-8?" in told(whole.replace(">A<", ">ä<").encode("latin-1"))
    defaults = '<!DOCTYPE graphml [<!ATTLIST node id CDATA "x">]>'
    assert "in a DTD of its own, which are refused" in told(
        whole.replace("<graphml", defaults + "<graphml")
    )
    skipped = '<!DOCTYPE graphml SYSTEM "http://localhost/g.dtd">'
    text = whole.replace("<graphml", skipped + "<graphml").replace(">A<", ">&auml;<")
    assert "refers to &auml;, which the file does not define" in told(text)
    assert "invisible character U+200B" in told(graphml('<edge source="a\u200b" target="b"/>'))


def test_a_file_of_one_graph_format_is_no_other(tmp_path):
    text = '<?xml version="1.0"?>\n<gexf/>'
    told = problem(tmp_path, "g.graphml", text, format="graphml")
    assert told == "g.graphml:2: expected the tag <graphml> first, got <gexf>"


def test_a_tag_without_end_is_refused_before_it_fills_the_memory(tmp_path):
    text = "<graphml><node id='" + "x" * (40 << 20)
    assert "a tag or comment of more than 16 MB" in problem(tmp_path, "g.graphml", text)


def test_deep_xml_does_not_break_the_reader(tmp_path):
    def nested(depth):
        return graphml("<graph>" * depth + TRIANGLE + "</graph>" * depth)

    assert reading(tmp_path, "g.graphml", nested(900)).network.n_edges == 3
    told = problem(tmp_path, "g.graphml", nested(50_000))
    assert told.startswith("g.graphml:5: tags inside 1,000 others, which no graph file has")


GEXF = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">
<graph mode="dynamic" defaultedgetype="undirected">
<attributes class="node" mode="dynamic"><attribute id="0" title="kind" type="string"/></attributes>
<attributes class="edge"><attribute id="0" title="kind" type="string"/></attributes>
<nodes>
<node id="1" label="Hello" start="2009-03-01"><attvalues><attvalue for="0" value="predicted"/>
</attvalues><viz:color r="1" g="2" b="3"/><spells><spell start="1" end="2"/></spells>
<nodes><node id="2" label="World"/><node id="3" label="child" pid="1"/></nodes></node>
</nodes>
<edges>
<edge id="0" source="1" target="2"/>
<edge id="1" source="2" target="3" type="{}"><attvalues/></edge>
<edge id="2" source="1" target="3"><attvalues>
<attvalue for="0" value="predicted"/></attvalues></edge>
</edges></graph></gexf>"""


@pytest.mark.parametrize("kind", ["undirected", "mutual", "directed"])
def test_gexf_reads_nested_nodes_and_directions_and_passes_over_times(tmp_path, kind):
    found = reading(tmp_path, "g.gexf", GEXF.format(kind))
    assert pairs(found.network) == {frozenset(("Hello", "World")), frozenset(("World", "child"))}
    assert any("the file says so" in text for text in found.report.looks) == (kind == "directed")
    assert dropped(found) == {"marked as predicted, not observed": 1}


def test_gexf_labels_that_are_alike_leave_the_ids(tmp_path):
    found = reading(tmp_path, "g.gexf", GEXF.format("mutual").replace("World", "Hello"))
    assert found.network.names == ("1", "2", "3")
    assert found.labels == {"1": "Hello", "2": "Hello", "3": "child"}


EDGE = '<edge source="a" target="b"/>'


def graphml_with(body, keys="", default="undirected"):
    return f'<graphml>{keys}<graph edgedefault="{default}">\n{body}</graph></graphml>'


def weights_of(found):
    names, dense = found.network.names, found.network.confidence.toarray()
    return {names[i] + names[j]: dense[i, j] for i, j in found.network.edges.tolist()}


def weighed(tmp_path, name, text, weights):
    return weights_of(reading(tmp_path, name, text, options=ReadOptions(weights=weights)))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (graphml_with(EDGE), None),
        (graphml_with(f'{EDGE}<node id="c"><graph/></node>'), None),
        (graphml_with(f"{EDGE}</graph><graph>"), 2),
        (graphml_with(f"{EDGE}</graph><graph></graph><graph>"), 3),
    ],
)
def test_graphs_beside_each_other_are_counted_and_those_inside_are_not(tmp_path, text, count):
    notes = reading(tmp_path, "g.graphml", text).report.notes
    assert notes == ([f"the file holds {count} graphs: they are read as one"] if count else [])


def test_the_number_of_nodes_is_told(tmp_path):
    found = reading(tmp_path, "g.graphml", graphml_with(f'<node id="z"/>{EDGE}'))
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
    found = reading(tmp_path, "g.graphml", graphml_with(body, NAMED.format(owner)))
    assert found.network.names == names


def test_a_default_of_names_names_nobody(tmp_path):
    keys = '<key id="k" for="node" attr.name="name"><default>N</default></key>'
    found = reading(tmp_path, "g.graphml", graphml_with(node("a", "") + node("b", "") + EDGE, keys))
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
    found = reading(tmp_path, "g.graphml", graphml_with(body, keys))
    assert found.network.n_edges == left
    assert list(dropped(found).values()) == [1] * (2 - left)
    line = 2 if own.strip().lower() == "predicted" else 3
    assert [entry["first_lines"] for entry in found.report.dropped] == [[line]] * (2 - left)


def test_predicted_links_are_pairs_the_file_names(tmp_path):
    keys = '<key id="k" for="edge" attr.name="kind"/>'
    body = f'{EDGE}<edge source="b" target="c"><data key="k">predicted</data></edge>'
    path = written(tmp_path, "g.graphml", graphml_with(body, keys))
    assert set(map(frozenset, read_pairs(path))) == {frozenset("ab"), frozenset("bc")}


def test_a_default_is_that_of_its_own_key(tmp_path):
    keys = (
        '<key id="w" for="edge" attr.name="weight"><default>4</default></key>'
        '<key id="o" for="edge" attr.name="other"><default>predicted</default></key>'
        '<key id="k" for="edge" attr.name="kind"/>'
    )
    body = '<edge source="a" target="b"/><edge source="b" target="c"><data key="w">2</data></edge>'
    found = weighed(tmp_path, "g.graphml", graphml_with(body, keys), "Weight ")
    assert found == {"ab": 1.0, "bc": 0.5}


def test_hyperedges_are_left_out_with_what_they_own(tmp_path):
    body = f'<hyperedge><data key="k">predicted</data></hyperedge>{EDGE}\n<hyperedge/>'
    keys = '<key id="k" for="all" attr.name="kind"/>'
    found = reading(tmp_path, "g.graphml", graphml_with(body, keys))
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
    assert problem(tmp_path, "g.graphml", graphml_with(body)) == told


def test_an_attribute_of_nodes_gives_no_weights(tmp_path):
    keys = '<key id="w" for="node" attr.name="sure"/><key id="v" for="edge" attr.name="real"/>'
    with pytest.raises(ParameterError, match=r"nothing called 'sure'.* There are: real$"):
        weighed(tmp_path, "g.graphml", graphml_with(EDGE, keys), "sure")


GEXF_EDGE = '<edge source="a" target="b"{}/>'


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


def weights_of_gexf(tmp_path, text, asked):
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
    found = reading(tmp_path, "g.gexf", gexf(GEXF_EDGE.format(own), kind=kind))
    assert any("the file says so" in look for look in found.report.looks) == directed
    word = "directed" if directed else "undirected"
    assert found.report.guess == f"GEXF, {word} graph of 2 nodes"


@pytest.mark.parametrize(
    ("edges", "attributes", "left"),
    [
        (GEXF_EDGE.format(' kind="Predicted"'), "", 1),
        (GEXF_EDGE.format(' kind="other"'), "", 2),
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
def test_the_kind_of_an_edge_says_whether_it_was_predicted_gexf(tmp_path, edges, attributes, left):
    found = reading(tmp_path, "g.gexf", gexf(edges + '<edge source="b" target="c"/>', attributes))
    assert found.network.n_edges == left
    assert list(dropped(found).values()) == [1] * (2 - left)
    assert [entry["first_lines"] for entry in found.report.dropped] == [[2]] * (2 - left)


@pytest.mark.parametrize(
    ("edges", "attributes", "asked"),
    [
        (
            GEXF_EDGE.format(' weight="4"') + '<edge source="b" target="c" weight="2"/>',
            "",
            "weight",
        ),
        (
            GEXF_EDGE.format(' weight="4"') + '<edge source="b" target="c" weight="2"/>',
            "",
            " Weight",
        ),
        (valued("ab", 4) + valued("bc", 2), declared("sure"), "sure"),
        (valued("ab", 4) + valued("bc", 2), declared("Very  Sure"), "very sure"),
        (
            valued("ab", 4, more=' weight="1"') + valued("bc", 2, more=' weight="1"'),
            declared("sure"),
            "sure",
        ),
        (GEXF_EDGE.format(' weight="4"') + valued("bc", 2), declared("weight"), "weight"),
    ],
)
def test_weights_are_those_of_gexf_or_of_the_attribute_asked_for(
    tmp_path, edges, attributes, asked
):
    assert weights_of_gexf(tmp_path, gexf(edges, attributes), asked) == {"ab": 1.0, "bc": 0.5}


def test_gexf_without_weights_has_no_attribute_of_that_name(tmp_path):
    with pytest.raises(ParameterError, match="nothing called 'weight'"):
        weights_of_gexf(tmp_path, gexf(GEXF_EDGE.format("")), "weight")


def test_an_edge_without_the_weight_others_have_is_refused(tmp_path):
    edges = GEXF_EDGE.format(' weight="4"') + '\n<edge source="b" target="c"/>'
    told = problem(tmp_path, "g.gexf", gexf(edges), options=ReadOptions(weights="weight"))
    assert told.startswith("g.gexf:3: expected a weight")


def test_a_weight_of_0_is_noted_only_where_nobody_asked_for_another(tmp_path):
    found = reading(tmp_path, "g.gexf", gexf(GEXF_EDGE.format(' weight="0"')))
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
def test_a_tag_without_what_it_needs_is_refused_gexf(tmp_path, edges, nodes, told):
    assert problem(tmp_path, "g.gexf", gexf(edges, nodes=nodes)) == told


SYSTEM = '<!DOCTYPE g SYSTEM "g.dtd">'


class Log:
    """A handler that writes down what comes."""

    def __init__(self):
        self.seen, self.said = [], ""

    def start(self, tag, attributes, line):
        self.seen.append((tag, *attributes.items(), line))

    def end(self, tag):
        self.seen.append(f"/{tag}")

    def text(self, data):
        self.said += data


class Pieces:
    """A source that gives text in pieces of one size."""

    def __init__(self, text, size):
        self.name, self._bytes, self._size = "x", text, size
        if isinstance(text, str):
            self._bytes = text.encode()

    def blocks(self):
        for at in range(0, len(self._bytes), self._size):
            yield self._bytes[at : at + self._size]


def parsed(text, size=1000, root="g"):
    log = Log()
    parse_xml(Pieces(text, size), root, log)
    return log


def refused(text, size=1000, root="g"):
    with pytest.raises(InputError) as told:
        parsed(text, size, root)
    return str(told.value)


@pytest.mark.parametrize("tag", ["h", "gg", "g:h"])
def test_another_first_tag_is_refused(tag):
    assert refused(f"\n<{tag}/>") == f"x:2: expected the tag <g> first, got <{tag}>"


def test_a_long_first_tag_is_cut():
    assert len(refused(f"<{'h' * 500}/>")) < 100


def nested(depth):
    return "<g>\n" + "<n>" * (depth - 1) + "</n>" * (depth - 1) + "</g>"


def test_a_thousand_open_tags_are_the_most():
    assert len(parsed(nested(1000)).seen) == 2000
    assert refused(nested(1001)).startswith("x:2: tags inside 1,000 others, which no graph file")


def test_tags_that_are_closed_do_not_count():
    closed = "<n><m/></n>" * 1001
    assert len(parsed(f"<g>{closed}</g>").seen) == 2 * 2003
    deep = nested(1000)
    assert len(parsed(f"<g>{closed}{deep[4:]}").seen) == 2 * 3002
    assert "tags inside 1,000 others" in refused(f"<g>{closed}{nested(1001)[4:]}")


def test_a_tag_without_end_is_refused_once_it_is_too_long(monkeypatch):
    monkeypatch.setattr(graph_xml, "_LONGEST_TAG", 100)
    fits = f'<g>\n<n a="{"y" * 80}"/></g>'
    for size in (1, 10, 60):
        assert parsed(fits, size).seen[1][0] == "n"
        told = refused(f'<g>\n<n a="{"y" * 300}"/></g>', size)
        assert told.startswith("x:2: a tag or comment of more than 0 MB")
    assert len(parsed("<g>" + "<n/>" * 500 + "</g>", 10).seen) == 1002  # all of them together


@pytest.mark.parametrize(("kept", "fits"), [(100, True), (101, False)])
def test_as_many_bytes_as_the_limit_may_wait_for_their_end(monkeypatch, kept, fits):
    monkeypatch.setattr(graph_xml, "_LONGEST_TAG", 100)
    text = "<g>" + "<!--" + "y" * (kept - 4)
    if fits:
        assert "ends too early" in refused(text, len(text))
    else:
        assert "a tag or comment of more than" in refused(text, len(text))


def test_bytes_that_are_no_text_may_be_another_encoding():
    assert refused(b"<g>\xff</g>").endswith("; is it UTF-8?")
    assert refused("<g></h>").endswith("; export it again")


@pytest.mark.parametrize(
    ("encoding", "codec"),
    [
        ("UTF-8", "utf-8"),
        ("utf-16", "utf-16"),
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("iso-8859-15", "iso-8859-15"),
        ("koi8-r", "koi8-r"),
    ],
)
def test_known_encodings_are_read(encoding, codec):
    word = "\u0434" if encoding == "koi8-r" else "\u00e9"
    text = f'<?xml version="1.0" encoding="{encoding}"?><g>{word}</g>'
    assert parsed(text.encode(codec)).said == word


@pytest.mark.parametrize("encoding", ["klingon", "gbk", "utf-7", "idna"])
def test_encodings_of_several_bytes_or_none_are_refused(encoding):
    told = refused(f'<?xml version="1.0"\nencoding="{encoding}"?><g/>')
    assert told.startswith("x:1: declares the encoding")
    assert f"'{encoding}', which is not read; save it as UTF-8" in told


@pytest.mark.parametrize(
    "inside",
    ['<!ENTITY a "b">', '<!ATTLIST n id CDATA "x">', '<!ENTITY a SYSTEM "file:///etc/x">', ""],
)
def test_a_dtd_inside_the_document_is_refused_by_line(inside):
    told = refused(f"\n<!DOCTYPE g [{inside}]><g/>")
    assert told.startswith("x:2: declares XML entities or the like in a DTD of its own")


def test_a_doctype_without_any_dtd_leaves_entities_to_the_parser():
    assert parsed("<!DOCTYPE g><g>a</g>").said == "a"
    assert "undefined entity" in refused("<!DOCTYPE g><g>&odd;</g>")


def cases(reference):
    """Return texts with a reference in an attribute or in text, and the line it stands on."""
    return [
        (f'{SYSTEM}\n<g>\n<n id="{reference}"/></g>', 3),
        (f'\n{SYSTEM}\n<g><n\nid="a"\nname="{reference}"/></g>', 5),
        (f"{SYSTEM}<g>\n\na\n{reference}</g>", 4),
        (f'{SYSTEM}<g>\n<!-- a\n<n id="&fine;"> --><n\nid="{reference}"/></g>', 4),
        (f'{SYSTEM}<g><![CDATA[\n&fine;<n id="&fine;">\n]]><n id="{reference}"/></g>', 3),
        (f'<!DOCTYPE g PUBLIC "-//a" "g.dtd"><g>\n<n id="b{reference}"/></g>', 2),
        (f"{SYSTEM}<g><?made by hand?>\n{reference}</g>", 2),
    ]


@pytest.mark.parametrize(("text", "line"), cases("&odd;"))
@pytest.mark.parametrize("size", [1, 2, 5, 11, 1000])
def test_an_undefined_reference_is_refused_with_its_line_however_it_is_cut(text, line, size):
    told = refused(text, size)
    assert told == f"x:{line}: refers to &odd;, which the file does not define; export it again"


@pytest.mark.parametrize(("text", "_line"), cases("&amp;&#65;&lt;&gt;&quot;&apos;&#x42;"))
@pytest.mark.parametrize("size", [1, 2, 5, 11, 1000])
def test_references_that_need_no_dtd_are_read(text, _line, size):
    assert parsed(text, size).seen[-1] == "/g"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_references_in_utf16_are_found_too(codec):
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}[codec]
    text = mark + f'{SYSTEM}<g>\n<n id="&odd;"/></g>'.encode(codec)
    assert refused(text, 8).startswith("x:2: refers to &odd;,")


@pytest.mark.parametrize("size", [3, 40, 1000])
def test_a_reference_is_found_below_more_tags_than_are_kept(monkeypatch, size):
    monkeypatch.setattr(graph_xml, "_LONGEST_TAG", 60)
    tags = '<n id="a"/>\n<m>b</m>\n' * 20
    told = refused(f'{SYSTEM}<g>{tags}<n id="&odd;"/></g>', size)
    assert told.startswith("x:41: refers to &odd;,")


def test_an_undefined_entity_is_named_by_its_line_below_a_blank_first_line(tmp_path):
    text = (
        '\n<!DOCTYPE graphml SYSTEM "graphml.dtd">\n<graphml><graph edgedefault="undirected">\n'
        '<node id="a&odd;"/><node id="b"/><edge source="a" target="b"/></graph></graphml>'
    )
    assert problem(tmp_path, "g.graphml", text).startswith("g.graphml:4: refers to &odd;")


def file_of(tmp_path, text, name="f.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_xml_without_its_end_was_cut_off(tmp_path):
    cut = {
        "between tags": b"<graphml><graph>",
        "within a tag": b"<graphml><graph><nod",
        "within a character": "<graphml><graph>é".encode()[:-1],
        "within CDATA": b"<graphml><graph><![CDATA[x",
    }
    for where, content in cut.items():
        with pytest.raises(InputError) as told:
            read(file_of(tmp_path, content))
        assert "the XML ends too early" in str(told.value), where
    with pytest.raises(InputError, match="not well-formed"):
        read(file_of(tmp_path, "<graphml><graph></node>"))


def graphml_graph_losses(inside, keys="", doctype="", edgedefault="undirected"):
    return (
        f'<?xml version="1.0"?>\n{doctype}<graphml>{keys}\n'
        f'<graph edgedefault="{edgedefault}">\n{inside}\n</graph></graphml>\n'
    )


SYSTEM_GRAPH_LOSSES = '<!DOCTYPE graphml SYSTEM "graphml.dtd">\n'


def test_cdata_over_many_blocks_under_a_dtd_is_passed_over_in_one_go(tmp_path):
    long = "<!-- <x &foo;" * 700_000
    inside = f'<edge source="a" target="b"><data key="k"><![CDATA[{long}]]></data></edge>'
    found = reading(
        tmp_path, "g.graphml", graphml_graph_losses(inside, doctype=SYSTEM_GRAPH_LOSSES)
    )
    assert pairs(found.network) == {frozenset("ab")}

"""GraphML and GEXF, tag by tag."""

import networkx as nx
import pytest
from tests.io.files import dropped, pairs, problem, reading, same, weights_of

from linkprior.io.formats import ReadOptions
from linkprior.io.read import read


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
@pytest.mark.parametrize("form", ["graphml", "gexf"])
def test_what_networkx_writes_comes_back(tmp_path, kind, form):
    graph = graphs()[kind]
    getattr(nx, f"write_{form}")(graph, tmp_path / "g.xml")
    found = read(tmp_path / "g.xml", keep_isolated=True)
    assert found.report.format == form
    assert same(found, graph)
    assert says_directed(found) == graph.is_directed()


def says_directed(found):
    return any("directed (the file says so)" in look for look in found.report.looks)


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
def test_graphml_names_come_from_an_attribute_that_distinguishes_nodes(tmp_path, name):
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


def test_graphml_tags_may_have_a_prefix_and_other_encodings(tmp_path):
    text = graphml(nodes("k", "ä", "ö", "ü") + TRIANGLE, NAME_KEY.format("name"))
    prefixed = text.replace("</", "</g:").replace("<", "<g:").replace("<g:/g:", "</g:")
    prefixed = prefixed.replace("<g:?xml", "<?xml").replace("xmlns=", "xmlns:g=")
    latin = text.replace("UTF-8", "ISO-8859-1").encode("latin-1")
    wide = text.replace("UTF-8", "UTF-16").encode("utf-16")
    windows = text.replace("UTF-8", "windows-1252").encode("cp1252")
    for content in (prefixed, latin, wide, windows):
        assert reading(tmp_path, "g.graphml", content).network.names == ("ä", "ö", "ü")


WHOLE = graphml(nodes("k", "A", "B", "C") + TRIANGLE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (WHOLE[:-40], "5: the XML ends too early"),
        ("<graphml><graph><nod", "ends too early"),
        (b"<graphml><graph>\xc3", "ends too early"),
        ("<graphml><graph><![CDATA[x", "ends too early"),
        (WHOLE.replace("</node>", "</nod>", 1), "not well-formed XML (mismatched tag"),
        (graphml('<edge source="a"/>'), "g.graphml:5: a tag <edge> without target"),
        (graphml('\n<edge target="a"/>'), "g.graphml:6: a tag <edge> without source"),
        (graphml("<node/>"), "g.graphml:5: a tag <node> without id"),
        (graphml('<node id=""/>'), "g.graphml:5: a tag <node> without id"),
        (WHOLE.replace("UTF-8", "klingon"), "1: declares the encoding 'klingon', which is not"),
        (WHOLE.replace("UTF-8", "shift_jis"), "declares the encoding 'shift_jis'"),
        (WHOLE.replace("UTF-8", "utf-7"), "declares the encoding 'utf-7'"),
        (WHOLE.replace(">A<", ">ä<").encode("latin-1"), "is it UTF-8?"),
        (graphml('<edge source="a\u200b" target="b"/>'), "invisible character U+200B"),
        ("\n<gexf/>", "g.graphml:2: expected the tag <graphml> first, got <gexf>"),
        ("<graphml><node id='" + "x" * (40 << 20), "a tag or comment of more than 16 MB"),
    ],
)
def test_damage_is_refused_with_its_line(tmp_path, text, told):
    message = problem(tmp_path, "g.graphml", text, format="graphml")
    assert told in message
    assert len(message) < 300


DTD = "2: declares XML entities or the like in a DTD of its own, which are refused"
UNDEFINED = "not well-formed XML (undefined entity"


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize(
    ("doctype", "name", "told"),
    [
        ('[<!ENTITY a "b">]', "a", DTD),
        ('[<!ATTLIST n id CDATA "x">]', "a", DTD),
        ('SYSTEM "g.dtd" [<!ENTITY a SYSTEM "file:///etc/x">]', "a", DTD),
        ("[]", "a", DTD),
        ("", "&odd;", UNDEFINED),
        ('SYSTEM "g.dtd"', "&odd;", UNDEFINED),
        ('\nPUBLIC "-//a" "g.dtd"\n', "&odd;", UNDEFINED),
        ("", "&amp;&#65;", None),
        ('SYSTEM "g.dtd"', "&amp;&#x41;", None),
        ('PUBLIC "-//a"\n"g.dtd" ', "&amp;&#65;", None),
    ],
)
def test_a_dtd_is_never_used(tmp_path, codec, doctype, name, told):
    """One inside the document is refused; one elsewhere is not fetched, and defines nothing."""
    head = f"<!-- <!DOCTYPE in a comment> -->\n<!DOCTYPE graphml {doctype}>"
    for body in (f'<node id="{name}"/>', f'<node id="a"><data key="k">{name}</data></node>'):
        keys = NAME_KEY.format("name")
        text = (
            f'{head}<graphml>{keys}<graph>\n{body}<edge source="b" target="c"/></graph></graphml>'
        )
        if told is None:
            content = text.encode(codec)
            names = reading(tmp_path, "g.graphml", content, keep_isolated=True).network.names
            assert names[0] in ("&A", "a")
        else:
            message = problem(tmp_path, "g.graphml", text.encode(codec), format="graphml")
            line = 2 if told is DTD else 3 + doctype.count("\n")
            assert message.startswith(f"g.graphml:{line}: ")
            assert told.removeprefix("2: ") in message


def test_a_thousand_open_tags_are_the_most(tmp_path):
    def nested(depth):
        return graphml("<graph></graph>" * 2000 + "<graph>" * depth + TRIANGLE + "</graph>" * depth)

    assert reading(tmp_path, "g.graphml", nested(997)).network.n_edges == 3
    told = problem(tmp_path, "g.graphml", nested(998))
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
<edge id="1" source="2" target="3"><attvalues/></edge>
<edge id="2" source="1" target="3"><attvalues>
<attvalue for="0" value="predicted"/></attvalues></edge>
</edges></graph></gexf>"""


def test_gexf_reads_nested_nodes_and_passes_over_times(tmp_path):
    found = reading(tmp_path, "g.gexf", GEXF)
    assert pairs(found.network) == {frozenset(("Hello", "World")), frozenset(("World", "child"))}
    assert dropped(found) == {"marked as predicted, not observed": 1}


def test_gexf_labels_that_are_alike_leave_the_ids(tmp_path):
    found = reading(tmp_path, "g.gexf", GEXF.replace("World", "Hello"))
    assert found.network.names == ("1", "2", "3")
    assert found.labels == {"1": "Hello", "2": "Hello", "3": "child"}


EDGE = '<edge source="a" target="b"/>'


def graphml_with(body, keys="", default="undirected"):
    return f'<graphml>{keys}<graph edgedefault="{default}">\n{body}</graph></graphml>'


def weighed(tmp_path, name, text, weights):
    return weights_of(reading(tmp_path, name, text, options=ReadOptions(weights=weights)).network)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (graphml_with(EDGE), None),
        (graphml_with(f'{EDGE}<node id="c"><graph/></node>'), None),
        (graphml_with(f"{EDGE}</graph><graph>"), 2),
        (graphml_with(f"{EDGE}</graph><graph></graph><graph>"), 3),
    ],
)
def test_graphs_next_to_each_other_are_counted_and_those_inside_are_not(tmp_path, text, count):
    notes = reading(tmp_path, "g.graphml", text).report.notes
    assert notes == ([f"the file holds {count} graphs: they are read as one"] if count else [])


def test_the_number_of_nodes_is_reported(tmp_path):
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


def test_a_default_is_that_of_its_own_key(tmp_path):
    keys = (
        '<key id="w" for="edge" attr.name="weight"><default>4</default></key>'
        '<key id="o" for="edge" attr.name="other"><default>predicted</default></key>'
        '<key id="k" for="edge" attr.name="kind"/>'
    )
    body = '<edge source="a" target="b"/><edge source="b" target="c"><data key="w">2</data></edge>'
    found = weighed(tmp_path, "g.graphml", graphml_with(body, keys), "Weight ")
    assert found == {"a-b": 1.0, "b-c": 0.5}


def test_hyperedges_are_left_out_with_what_they_own(tmp_path):
    body = f'<hyperedge><data key="k">predicted</data></hyperedge>{EDGE}\n<hyperedge/>'
    keys = '<key id="k" for="all" attr.name="kind"/>'
    found = reading(tmp_path, "g.graphml", graphml_with(body, keys))
    assert pairs(found.network) == {frozenset("ab")}
    assert dropped(found) == {"a hyperedge, which joins any number of nodes": 2}
    assert found.report.dropped[0]["first_lines"] == [2, 3]


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
    assert says_directed(found) == directed
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
    assert weighed(tmp_path, "g.gexf", gexf(edges, attributes), asked) == {"a-b": 1.0, "b-c": 0.5}


def test_a_weight_of_0_is_noted_only_where_nobody_asked_for_another(tmp_path):
    found = reading(tmp_path, "g.gexf", gexf(GEXF_EDGE.format(' weight="0"')))
    assert found.report.notes == ["1 edge has weight 0 and counts as edge"]
    found = reading(tmp_path, "g.gexf", gexf(valued("ab", 0), declared("weight")))
    assert found.report.notes == []

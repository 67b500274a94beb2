"""GraphML and GEXF, against other people's writers and by hand."""

import igraph
import networkx as nx
import pytest
from tests.io.graph_files import dropped, pairs, problem, reading, same, written

from linkprior.io.read import read

# ---------------------------------------------------------------------- GraphML


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


@pytest.mark.parametrize("directed", [True, False])
def test_graphml_of_igraph_is_named_by_its_names(tmp_path, directed):
    graph = igraph.Graph.Erdos_Renyi(n=40, m=60, directed=directed)
    graph.vs["name"] = [f"gene {v.index} ü" for v in graph.vs]
    graph.es["weight"] = [0.5] * 60
    graph.write_graphml(str(tmp_path / "g.graphml"))
    found = read(tmp_path / "g.graphml", keep_isolated=True)
    assert list(found.network.names) == graph.vs["name"]
    names = graph.vs["name"]
    assert pairs(found.network) == {frozenset((names[e.source], names[e.target])) for e in graph.es}
    assert found.report.notes == ["nodes are named by their name, not by their id"]


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


def test_graphml_prefers_name_to_label_to_shared_name(tmp_path):
    keys = "".join(
        f'<key id="{k}" for="{owner}" attr.name="{name}"/>'
        for k, owner, name in (
            ("s", "node", "shared name"), ("l", "all", "label"), ("n", "node", "name"),
            ("e", "edge", "name"),
        )
    )  # fmt: skip

    def data(**values):
        return "".join(f'<data key="{k}">{v}</data>' for k, v in values.items())

    def text(first, second):
        return graphml(
            f'<node id="n0">{data(**first)}</node><node id="n1">{data(**second)}</node>'
            '<edge source="n0" target="n1"><data key="e">edge</data></edge>',
            keys,
        )

    both = text({"s": "s0", "l": "l0", "n": "N0"}, {"s": "s1", "l": "l1", "n": "N1"})
    assert reading(tmp_path, "g.graphml", both).network.names == ("N0", "N1")
    alike = text({"s": "s0", "l": "l0", "n": "N"}, {"s": "s1", "l": "l1", "n": "N"})
    assert reading(tmp_path, "g.graphml", alike).network.names == ("l0", "l1")
    only = text({"s": "s0", "n": "N"}, {"s": "s1", "n": "N"})
    assert reading(tmp_path, "g.graphml", only).network.names == ("s0", "s1")


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


def test_graphml_ends_that_are_not_declared_become_nodes_as_in_networkx(tmp_path):
    path = written(tmp_path, "g.graphml", graphml('<node id="n0"/>' + TRIANGLE))
    assert set(read(path).network.names) == set(nx.read_graphml(path))


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


# ---------------------------------------------------------------------- GEXF

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

"""GraphML and GEXF, tag by tag."""

import networkx as nx
import pytest
from tests.io.files import dropped, pairs, problem, reading, same, written

from linkprior.errors import InputError
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


def test_graphml_of_yed_is_named_by_its_labels(tmp_path):
    keys = '<key id="d6" for="node" yfiles.type="nodegraphics"/>'
    body = "".join(
        f'<node id="n{i}"><data key="d6"><y:ShapeNode><y:NodeLabel visible="true">{t}<y:Model/>'
        "</y:NodeLabel><y:NodeLabel>second</y:NodeLabel></y:ShapeNode></data></node>"
        for i, t in enumerate(("Start", "Middle", "End"))
    )
    text = graphml(body + TRIANGLE, keys).replace("<graphml", '<graphml xmlns:y="http://y"')
    assert reading(tmp_path, "g.graphml", text).network.names == ("Start", "Middle", "End")


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


EDGE = '<edge source="a" target="b"/>'


def graphml_with(body, keys="", default="undirected"):
    return f'<graphml>{keys}<graph edgedefault="{default}">\n{body}</graph></graphml>'


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


def test_predicted_links_are_pairs_the_file_names(tmp_path):
    keys = '<key id="k" for="edge" attr.name="kind"/>'
    body = f'{EDGE}<edge source="b" target="c"><data key="k">predicted</data></edge>'
    path = written(tmp_path, "g.graphml", graphml_with(body, keys))
    assert set(map(frozenset, read_pairs(path))) == {frozenset("ab"), frozenset("bc")}


def test_hyperedges_are_left_out_with_what_they_own(tmp_path):
    body = f'<hyperedge><data key="k">predicted</data></hyperedge>{EDGE}\n<hyperedge/>'
    keys = '<key id="k" for="all" attr.name="kind"/>'
    found = reading(tmp_path, "g.graphml", graphml_with(body, keys))
    assert pairs(found.network) == {frozenset("ab")}
    assert [entry["first_lines"] for entry in found.report.dropped] == [[2, 3]]


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
def test_a_tag_without_what_it_needs_is_refused(tmp_path, edges, nodes, told):
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


def test_a_long_first_tag_is_cut():
    assert len(refused(f"<{'h' * 500}/>")) < 100


def nested(depth):
    return "<g>\n" + "<n>" * (depth - 1) + "</n>" * (depth - 1) + "</g>"


def test_a_thousand_open_tags_are_the_most():
    assert len(parsed(nested(1000)).seen) == 2000
    assert refused(nested(1001)).startswith("x:2: tags inside 1,000 others, which no graph file")


@pytest.mark.parametrize(("kept", "fits"), [(100, True), (101, False)])
def test_as_many_bytes_as_the_limit_may_wait_for_their_end(monkeypatch, kept, fits):
    monkeypatch.setattr(graph_xml, "_LONGEST_TAG", 100)
    text = "<g>" + "<!--" + "y" * (kept - 4)
    if fits:
        assert "ends too early" in refused(text, len(text))
    else:
        assert "a tag or comment of more than" in refused(text, len(text))


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

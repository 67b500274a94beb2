"""Graph files from which something could vanish unseen: it is read, noted, or refused by line."""

import json

import pytest
from tests.io.graph_files import pairs, problem, reading

from linkprior.io.source import Source


def notes(found):
    return "\n".join(found.report.notes)


def graphml(inside, keys="", doctype="", edgedefault="undirected"):
    return (
        f'<?xml version="1.0"?>\n{doctype}<graphml>{keys}\n'
        f'<graph edgedefault="{edgedefault}">\n{inside}\n</graph></graphml>\n'
    )


def gexf(nodes, edges):
    return f"<gexf><graph><nodes>{nodes}</nodes>\n<edges>{edges}</edges></graph></gexf>"


# ---------------------------------------------------------------------- Pajek


def test_pajek_reads_what_comes_after_a_section_nobody_knows(tmp_path):
    text = (
        "*Vertices 4\n1 A\n2 B\n*Edges\n1 2\n*Colours deep\n9 9 9\nred\n*Edges\n2 3\n*Arcs\n3 4\n"
    )
    found = reading(tmp_path, "g.net", text)
    assert pairs(found.network) == {frozenset("AB"), frozenset("B3"), frozenset("34")}
    assert "sections that are not known are not read: *colours (line 6)" in notes(found)


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


# ---------------------------------------------------------------------- entities of an unread DTD

SYSTEM = '<!DOCTYPE graphml SYSTEM "graphml.dtd">\n'
PUBLIC = '<!DOCTYPE graphml PUBLIC "-//x//y" "graphml.dtd">\n'


@pytest.mark.parametrize("doctype", [SYSTEM, PUBLIC])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_undefined_entity_in_an_attribute_is_refused(tmp_path, doctype, encoding):
    inside = '<node id="a"/>\n<node id="b"/>\n<edge source="a" target="b&eacute;"/>'
    text = graphml(inside, doctype=doctype).encode(encoding)
    told = problem(tmp_path, "g.graphml", text, format="graphml")
    assert told.startswith("g.graphml:7: refers to &eacute;, which the file does not define")


def test_an_undefined_entity_is_found_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(Source.blocks, "__defaults__", (1 << 10,))
    edge = '<edge source="a" target="b"/>\n'
    filling = edge * (2 * (1 << 10) // len(edge))
    for shift in range(0, 1 << 10, 3):  # wherever a block ends, once inside the entity
        text = graphml(" " * shift + filling + '<edge source="&oops;x" target="c"/>', "", SYSTEM)
        told = problem(tmp_path, "g.graphml", text)
        line = text[: text.index("&oops;")].count("\n") + 1
        assert told.startswith(f"g.graphml:{line}: refers to &oops;,")


def test_known_entities_comments_and_cdata_under_a_dtd_are_read(tmp_path):
    keys = '<key id="k" for="node" attr.name="note"/>'
    inside = (
        '<!-- <a b="&foo;"> -->\n<node id="a&amp;&#65;&#x42;&lt;"><data key="k"><![CDATA[<b '
        'c="&nbsp;">&bar;]]></data></node><node id="c"/><edge source="a&amp;AB&lt;" target="c"/>'
    )
    found = reading(tmp_path, "g.graphml", graphml(inside, keys, SYSTEM))
    assert pairs(found.network) == {frozenset(("a&AB<", "c"))}


def test_cdata_over_many_blocks_under_a_dtd_is_passed_over_in_one_go(tmp_path):
    long = "<!-- <x &foo;" * 700_000
    inside = f'<edge source="a" target="b"><data key="k"><![CDATA[{long}]]></data></edge>'
    found = reading(tmp_path, "g.graphml", graphml(inside, doctype=SYSTEM))
    assert pairs(found.network) == {frozenset("ab")}


# ---------------------------------------------------------------------- ids given twice


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


def test_a_node_an_edge_named_first_is_not_repeated(tmp_path):
    inside = '<edge source="a" target="b"/><node id="b"/><node id="a"/>'
    assert reading(tmp_path, "g.graphml", graphml(inside)).report.notes == []


def test_an_id_of_two_nodes_with_different_names_is_refused(tmp_path):
    keys = '<key id="k" for="node" attr.name="name"/>'
    inside = (
        '<node id="a"><data key="k">TP53</data></node>\n'
        '<node id="b"><data key="k">MDM2</data></node>\n'
        '<node id="a"><data key="k">ATM</data></node>\n<edge source="a" target="b"/>'
    )
    told = problem(tmp_path, "g.graphml", graphml(inside, keys))
    assert told.startswith("g.graphml:6: the id 'a' is that of two nodes, 'TP53' and 'ATM';")


@pytest.mark.parametrize("key", ["id", "@id"])
def test_repeated_ids_of_cx_and_cx2(tmp_path, key):
    def text(*names):
        named = [{key: k, "n": n, "v": {"name": n}} for k, n in zip((1, 2, 1), names, strict=True)]
        return json.dumps([{"CXVersion": "2.0"}, {"nodes": named}, {"edges": [{"s": 1, "t": 2}]}])

    found = reading(tmp_path, "g.cx2", text("A", "B", "A"))
    assert pairs(found.network) == {frozenset("AB")}
    assert "1 node is listed again under an id that was there before, such as '1'" in notes(found)
    told = problem(tmp_path, "g.cx2", text("A", "B", "C"))
    assert told.startswith("g.cx2: the id '1' is that of two nodes, 'A' and 'C'")


# ---------------------------------------------------------------------- weights of 0

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


def test_edges_of_weight_zero_in_cx_and_cx2(tmp_path):
    nodes = [{"id": k} for k in (1, 2, 3)]
    edges = [{"s": 1, "t": 2, "v": {"weight": 0}}, {"s": 2, "t": 3, "v": {"weight": 1e-9}}]
    text = json.dumps([{"CXVersion": "2.0"}, {"nodes": nodes}, {"edges": edges}])
    found = reading(tmp_path, "g.cx2", text)
    assert "1 edge has weight 0 and counts as edge" in found.report.notes
    nodes = [{"@id": k} for k in (1, 2, 3)]
    edges = [{"@id": 7, "s": 1, "t": 2}, {"@id": 8, "s": 2, "t": 3}, {"@id": 9, "s": 1, "t": 3}]
    weights = [{"po": [7, 8], "n": "weight", "v": "0", "d": "double"}]
    aspects = [{"nodes": nodes}, {"edges": edges}, {"edgeAttributes": weights}]
    found = reading(tmp_path, "g.cx", json.dumps(aspects), format="cx2")
    assert TWO_ZEROS in found.report.notes


def test_comments_in_sif_are_counted_and_spreadsheet_errors_are_not(tmp_path):
    found = reading(tmp_path, "g.sif", "# top\na pp b\n\n  # inside\n#REF! pp b\n")
    assert found.report.passed_over == 3
    assert pairs(found.network) == {frozenset("ab"), frozenset(("#REF!", "b"))}

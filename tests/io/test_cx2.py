"""CX2 and CX."""

import json

import pytest
from tests.io.files import dropped, links, pairs, problem, reading, weights_of, written

from linkprior.io.formats import ReadOptions
from linkprior.io.node_lists import read_pairs
from linkprior.io.readers import cx2 as cx2_reader

VERSION = {"CXVersion": "2.0"}
SURE = ReadOptions(weights="sure")


def cx2(*pieces):
    return json.dumps([VERSION, *pieces])


def nodes(*numbers, **values):
    return {"nodes": [{"id": k, "v": values} for k in numbers]}


def edges(*ends):
    return {"edges": [{"s": s, "t": t, "v": v[0] if v else {}} for s, t, *v in ends]}


def declared(**columns):
    return {"attributeDeclarations": [{"edges": columns}]}


def graph(tmp_path, text, **options):
    return reading(tmp_path, "g.cx2", text, **options)


def told(tmp_path, text, **options):
    return problem(tmp_path, "g.cx2", text, **options)


def old(attributes, n_nodes=3):
    """Return CX of a path of nodes; its edges are numbered from 7."""
    return json.dumps([
        {"nodes": [{"@id": k, "n": f"g{k}"} for k in range(n_nodes)]},
        {"edges": [{"@id": 7 + k, "s": k, "t": k + 1} for k in range(n_nodes - 1)]},
        {"edgeAttributes": attributes},
    ])  # fmt: skip


def test_numbers_may_be_text_and_elements_may_lack_values(tmp_path):
    pieces = {"nodes": [{"id": "x"}, {"id": 2, "v": [1]}]}, {"edges": [{"s": "x", "t": 2}]}
    found = graph(tmp_path, cx2(*pieces))
    assert found.network.names == ("x", "2")
    assert found.report.guess == "CX2, graph of 2 nodes"


@pytest.mark.parametrize(
    ("name", "shown"), [("A", "A"), (5, "5"), (True, "True"), ("a\ud800", "a\\ud800")]
)
def test_simple_values_name_a_node(tmp_path, name, shown):
    assert graph(
        tmp_path, cx2(nodes(1, name=name), nodes(2, name="B"), edges((1, 2)))
    ).network.names == (shown, "B")


@pytest.mark.parametrize("name", [None, ["A"], {"A": 1}, "", " "])
def test_lists_objects_and_nothing_name_no_node(tmp_path, name):
    text = cx2(nodes(1, name=name), nodes(2, name="B"), edges((1, 2)))
    assert graph(tmp_path, text).network.names == ("1", "2")


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([{"nodes": [{"id": True}]}], "expected a number under 'id' in a node, got {"),
        ([{"nodes": [{"id": 1.5}]}], "expected a number under 'id' in a node"),
        ([{"nodes": [{"id": ""}]}], "expected a number under 'id' in a node"),
        ([{"nodes": [{"x": 1}]}], "expected a number under 'id' in a node"),
        ([{"nodes": [{"id": 1}, {"@id": 2}]}], "expected a number under '@id' in a node"),
        ([{"nodes": [1]}], "the aspect 'nodes' is no list of objects"),
        ([{"nodes": {}}], "the aspect 'nodes' is no list of objects"),
        ([nodes(1), {"edges": [{"s": 1}]}], "expected a number under 't' in an edge"),
        ([nodes(1), {"edges": [{"t": 1}]}], "expected a number under 's' in an edge"),
        ([nodes(1), edges((1, 2))], "joins the node 2, which is not among the nodes"),
        ([nodes(1), edges((2, 1))], "joins the node 2, which is not among the nodes"),
        ([{"status": [{"success": False}]}], "its export failed (no reason given)"),
        ([{"status": [{"success": False, "error": "a\n b"}]}], "its export failed (a b)"),
    ],
)
def test_what_is_wrong_is_reported(tmp_path, pieces, expected):
    said = told(tmp_path, cx2(*pieces))
    assert said.startswith("g.cx2: ")
    assert expected in said


def test_long_elements_and_reasons_are_cut(tmp_path):
    failed = {"status": [{"success": False, "error": "x" * 900}]}
    for piece in ({"nodes": [{"x": "y" * 900}]}, failed, edges(("z" * 900, 1))):
        assert len(told(tmp_path, cx2(nodes(1), piece))) < 300


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"nodes": [\n', "g.cx2:2: the JSON ends too early: the file was cut off"),
        ('[{"nodes": [', "g.cx2:1: the JSON ends too early: the file was cut off"),
        (' [{"nodes": [}', "g.cx2:1: the JSON is damaged"),
        ('[{"nodes":\n [}]', "g.cx2:2: the JSON is damaged"),
        ('[{"nodes": []}]]\n ', "g.cx2:1: the JSON is damaged (Extra data)"),
        ('[{"nodes": [{"id": ' + "1" * 5000 + "}]}]", "g.cx2: the JSON cannot be read"),
        ("[" * 200_000, "g.cx2: the JSON is nested too deeply"),
        ("[1]", "g.cx2: expected CX2, a JSON list of aspects"),
        ('{"nodes": []}', "g.cx2: expected CX2, a JSON list of aspects"),
        ('[{"nodes": []}, 1]', "g.cx2: expected CX2, a JSON list of aspects"),
        (b'[{"a": "\xff"}]', "g.cx2: not UTF-8 text"),
    ],
)
def test_what_is_no_cx2_is_refused(tmp_path, text, expected):
    assert told(tmp_path, text, format="cx2").startswith(expected)


def test_a_file_too_large_to_be_read_at_once_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(cx2_reader, "_LARGEST", 50)
    assert "too large for this format" in told(tmp_path, cx2(nodes(1, 2), edges((1, 2))))


def test_attributes_of_an_old_edge_go_by_its_number(tmp_path):
    about = [
        {"po": 7, "n": "kind", "v": "predicted"},
        {"po": [8, 9], "n": "sure", "v": "2"},
        {"po": 10, "n": "sure", "v": "4"},
        {"po": 9, "n": "kind", "v": "other"},
    ]
    found = graph(tmp_path, old(about, 5), options=SURE)
    assert weights_of(found.network) == {"g1-g2": 0.5, "g2-g3": 0.5, "g3-g4": 1.0}
    assert dropped(found) == {"marked as predicted, not observed": 1}


def test_predicted_links_count_as_pairs_that_were_looked_at_and_bring_no_node(tmp_path):
    text = cx2(nodes(1, 2, 3, 4), edges((1, 2, {"kind": "pp"}), (3, 4, {"kind": "predicted"})))
    path = written(tmp_path, "g.cx2", text)
    assert set(map(frozenset, read_pairs(path))) == links("1-2", "3-4")
    found = graph(tmp_path, text)
    assert found.network.names == ("1", "2")
    assert dropped(found) == {"marked as predicted, not observed": 1}


def test_attributes_have_an_alias_and_a_default(tmp_path):
    columns = {"sure": {"d": "double", "a": "s", "v": 2}, "kind": {"v": "predicted"}}
    pieces = (
        {"nodes": [{"id": k, "v": {"n": f"g{k}"}} for k in (1, 2, 3)]},
        edges((1, 2, {"s": 4, "kind": "x"}), (2, 3, {"kind": "x"}), (1, 3, {"s": 1})),
    )
    named = {"attributeDeclarations": [{"nodes": {"name": {"a": "n"}}}]}
    found = graph(tmp_path, cx2(declared(**columns), named, *pieces), options=SURE)
    assert weights_of(found.network) == {"g1-g2": 1.0, "g2-g3": 0.5}
    bad = cx2(nodes(1, 2, 3), edges((1, 2, {"sure": 4}), (2, 3, {"sure": -1})))
    assert told(tmp_path, bad, options=SURE).startswith("g.cx2: edge 2: expected a weight")
    found = graph(tmp_path, bad.replace("-1", "0"), options=SURE)
    assert [entry["first_lines"] for entry in found.report.dropped] == [[]]


@pytest.mark.parametrize("key", ["id", "@id"])
def test_repeated_ids_of_cx_and_cx2(tmp_path, key):
    def text(*names):
        named = [{key: k, "n": n, "v": {"name": n}} for k, n in zip((1, 2, 1), names, strict=True)]
        return json.dumps([{"CXVersion": "2.0"}, {"nodes": named}, {"edges": [{"s": 1, "t": 2}]}])

    found = reading(tmp_path, "g.cx2", text("A", "B", "A"))
    assert pairs(found.network) == {frozenset("AB")}
    assert (
        "1 node is listed again under an id that was used before, such as '1'"
        in found.report.notes[0]
    )
    told = problem(tmp_path, "g.cx2", text("A", "B", "C"))
    assert told.startswith("g.cx2: the id '1' is that of two nodes, 'A' and 'C'")

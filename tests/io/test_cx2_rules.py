"""CX2 and CX element by element: numbers, names, kinds and weights, and what is no CX2."""

import json

import pytest
from tests.io.graph_files import dropped, pairs, problem, reading

from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.readers import cx2 as cx2_reader

VERSION = {"CXVersion": "2.0"}


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


def weights_of(found):
    names, dense = found.network.names, found.network.confidence.toarray()
    return {f"{names[i]}-{names[j]}": dense[i, j] for i, j in found.network.edges.tolist()}


def old(attributes, n_nodes=3):
    """Return CX of a path of nodes; its edges are numbered from 7."""
    return json.dumps([
        {"nodes": [{"@id": k, "n": f"g{k}"} for k in range(n_nodes)]},
        {"edges": [{"@id": 7 + k, "s": k, "t": k + 1} for k in range(n_nodes - 1)]},
        {"edgeAttributes": attributes},
    ])  # fmt: skip


# ---------------------------------------------------------------------- elements


def test_numbers_may_be_text_and_elements_may_lack_values(tmp_path):
    pieces = {"nodes": [{"id": "x"}, {"id": 2, "v": [1]}]}, {"edges": [{"s": "x", "t": 2}]}
    found = graph(tmp_path, cx2(*pieces))
    assert found.network.names == ("x", "2")
    assert found.report.guess == "CX2, graph of 2 nodes"


def test_old_cx_is_told_by_its_numbers(tmp_path):
    found = graph(tmp_path, old([]))
    assert found.network.names == ("g0", "g1", "g2")
    assert found.report.guess == "CX, graph of 3 nodes"


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
def test_what_is_wrong_is_told(tmp_path, pieces, expected):
    said = told(tmp_path, cx2(*pieces))
    assert said.startswith("g.cx2: ")
    assert expected in said


def test_long_elements_and_reasons_are_cut(tmp_path):
    failed = {"status": [{"success": False, "error": "x" * 900}]}
    for piece in ({"nodes": [{"x": "y" * 900}]}, failed, edges(("z" * 900, 1))):
        assert len(told(tmp_path, cx2(nodes(1), piece))) < 300


def test_a_status_of_success_or_of_neither_is_no_failure(tmp_path):
    for status in ({"success": True}, {"success": None}, {}):
        text = cx2(nodes(1, 2), edges((1, 2)), {"status": [status]})
        assert graph(tmp_path, text).network.n_edges == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"nodes": [\n', "g.cx2:2: the JSON ends too early: the file was cut off"),
        ('[{"nodes": [', "g.cx2:1: the JSON ends too early: the file was cut off"),
        (' [{"nodes": [}', "g.cx2:1: the JSON is damaged"),
        ('[{"nodes":\n [}]', "g.cx2:2: the JSON is damaged"),
        ('[{"nodes": []}]]\n ', "g.cx2:1: the JSON is damaged (Extra data)"),
        ('[{"nodes": [{"id": ' + "1" * 5000 + "}]}]", "g.cx2: the JSON cannot be read"),
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


# ---------------------------------------------------------------------- kinds and weights


@pytest.mark.parametrize(
    ("columns", "values", "left"),
    [
        ({}, {"kind": "predicted"}, 1),
        ({}, {"kind": " PREDICTED"}, 1),
        ({}, {"kind": "other"}, 2),
        ({"kind": {"a": "k"}}, {"k": "predicted"}, 1),
        ({"kind": {"a": "k"}}, {"kind": "predicted"}, 2),
        ({"kind": {"v": "predicted"}}, {}, 0),
        ({"kind": {"v": "predicted"}}, {"kind": "x"}, 1),
        ({"kind": {"v": "predicted"}}, {"kind": ""}, 1),
        ({"kind": "odd"}, {"kind": "predicted"}, 1),
    ],
)
def test_the_kind_of_an_edge_says_whether_it_was_predicted(tmp_path, columns, values, left):
    text = cx2(declared(**columns), nodes(1, 2, 3), edges((1, 2, values), (2, 3)))
    if not left:
        assert "2 rows: marked as predicted" in told(tmp_path, text)
        return
    found = graph(tmp_path, text)
    assert found.network.n_edges == left
    assert list(dropped(found).values()) == [1] * (2 - left)


def test_attributes_of_an_old_edge_go_by_its_number(tmp_path):
    about = [
        {"po": 7, "n": "kind", "v": "predicted"},
        {"po": [8, 9], "n": "sure", "v": "2"},
        {"po": 10, "n": "sure", "v": "4"},
        {"po": 9, "n": "kind", "v": "other"},
    ]
    found = graph(tmp_path, old(about, 5), options=ReadOptions(weights="sure"))
    assert weights_of(found) == {"g1-g2": 0.5, "g2-g3": 0.5, "g3-g4": 1.0}
    assert dropped(found) == {"marked as predicted, not observed": 1}


@pytest.mark.parametrize(
    ("columns", "first", "second"),
    [
        ({}, {"sure": 4}, {"sure": 2}),
        ({"sure": {"a": "s", "v": 2}}, {"s": 4}, {}),
        ({"sure": {}}, {"sure": "4"}, {"sure": "2"}),
    ],
)
def test_weights_are_found_declared_or_not(tmp_path, columns, first, second):
    text = cx2(declared(**columns), nodes(1, 2, 3), edges((1, 2, first), (2, 3, second)))
    found = graph(tmp_path, text, options=ReadOptions(weights="sure"))
    assert weights_of(found) == {"1-2": 1.0, "2-3": 0.5}


@pytest.mark.parametrize(
    "text",
    [
        cx2(declared(a={}), nodes(1, 2), edges((1, 2, {"b": 1})), {"attributeDeclarations": [{}]}),
        old([{"po": 7, "n": "a", "v": "1"}, {"po": 8, "n": "b", "v": "1"}]),
    ],
    ids=["CX2", "CX"],
)
def test_an_attribute_no_edge_has_is_refused_with_those_there_are(tmp_path, text):
    with pytest.raises(ParameterError, match=r"nothing called 'sure'.* There are: a, b$"):
        graph(tmp_path, text, options=ReadOptions(weights="sure"))


def test_without_being_asked_weights_of_0_are_noted(tmp_path):
    text = cx2(nodes(1, 2, 3), edges((1, 2, {"weight": 0}), (2, 3, {"sure": 0})))
    found = graph(tmp_path, text)
    assert found.report.notes == ["1 edge has weight 0 and counts as edge"]
    assert pairs(found.network) == {frozenset("12"), frozenset("23")}

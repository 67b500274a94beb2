"""CX2, SIF, Pajek and METIS, against other people's readers and writers and by hand."""

import json

import igraph
import networkx as nx
import pytest
from tests.io.graph_files import dropped, pairs, problem, reading, same, written

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read
from linkprior.io.writers import write_ranking

# ---------------------------------------------------------------------- CX2 and CX


def cx2(nodes, edges, declarations=None, *more):
    aspects = [
        {"CXVersion": "2.0", "hasFragments": False},
        {"metaData": []},
        {"attributeDeclarations": [declarations or {}]},
        {"edges": edges[:1]},
        {"nodes": nodes[:1]},
        {"nodes": nodes[1:]},
        {"edges": edges[1:]},
        *more,
    ]
    return json.dumps(aspects)


def node(number, **values):
    return {"id": number, "x": 1.5, "v": values}


def edge(source, target, **values):
    return {"id": 0, "s": source, "t": target, "v": values}


def test_cx2_reads_fragments_aliases_and_defaults(tmp_path):
    declarations = {
        "nodes": {"name": {"a": "n", "d": "string", "v": "the rest"}},
        "edges": {"kind": {"a": "k", "v": "predicted"}},
    }
    text = cx2(
        [node(5, n="TP53"), node(7, n="EGFR"), node(9)],
        [edge(5, 7, k="observed"), edge(7, 9, k="observed"), edge(5, 9)],
        declarations,
        {"status": [{"success": True}]},
    )
    found = reading(tmp_path, "g.cx2", text)
    assert found.network.names == ("TP53", "EGFR", "the rest")
    assert pairs(found.network) == {frozenset(("TP53", "EGFR")), frozenset(("EGFR", "the rest"))}
    assert dropped(found) == {"marked as predicted, not observed": 1}


def test_cx2_names_that_are_alike_leave_the_ids(tmp_path):
    text = cx2([node(5, name="A"), node(7, name="A"), node(9)], [edge(5, 7), edge(7, 9)])
    found = reading(tmp_path, "g.cx2", text)
    assert found.network.names == ("5", "7", "9")
    assert found.labels == {"5": "A", "7": "A"}


def test_cx2_names_with_half_a_character_can_be_written(tmp_path):
    found = reading(
        tmp_path, "g.cx2", cx2([node(1, name="a\ud800"), node(2, name="b")], [edge(1, 2)])
    )
    assert found.network.names == ("a\\ud800", "b")
    told = problem(tmp_path, "g.cx2", cx2([node(1)], [edge("\ud800", 1)]))
    assert told.encode()


def test_old_cx_is_read(tmp_path):
    text = json.dumps(
        [
            {"numberVerification": [{"longNumber": 281474976710655}]},
            {"nodes": [{"@id": 1, "n": "TP53"}, {"@id": 2, "n": "EGFR"}, {"@id": 3, "n": "MYC"}]},
            {"edges": [{"@id": 8, "s": 1, "t": 2, "i": "binds"}, {"@id": 9, "s": 3, "t": 2}]},
            {"edges": [{"@id": 10, "s": 1, "t": 3}]},
            {"edgeAttributes": [{"po": 10, "n": "kind", "v": "predicted"}]},
            {"status": [{"error": "", "success": True}]},
        ]
    )
    for name in ("g.cx", "g.txt"):
        found = reading(tmp_path, name, text)
        assert found.report.format == "cx2"
        assert pairs(found.network) == {frozenset(("TP53", "EGFR")), frozenset(("MYC", "EGFR"))}


def test_cx2_is_refused_with_a_reason(tmp_path):
    def told(text):
        return problem(tmp_path, "g.cx2", text)

    both = [node(1), node(2)]
    assert "joins the node 3, which is not among the nodes" in told(cx2(both, [edge(1, 3)]))
    failed = {"status": [{"success": False, "error": "out of\nspace"}]}
    assert "its export failed" in told(cx2(both, [edge(1, 2)], None, failed)).replace("\n", " ")
    assert told('[{"nodes":\n[{"id":1}').startswith("g.cx2:2: the JSON ends too early")
    assert told('[{"nodes":\n[}]').startswith("g.cx2:2: the JSON is damaged")
    assert "nested too deeply" in told("[" * 200_000)
    assert "cannot be read" in told('[{"nodes": [{"id": ' + "1" * 5000 + "}]}]")
    assert "expected CX2" in told('{"elements": {"nodes": []}}')
    assert "expected CX2" in told("[1, 2]")
    assert "'nodes' is no list of objects" in told('[{"nodes": {"id": 1}}]')
    assert "expected a number under 'id'" in told('[{"nodes": [{"id": true}]}]')
    assert "expected a number under 't'" in told(cx2(both, [{"id": 0, "s": 1}]))
    assert "not UTF-8" in told(b'[{"nodes": "\xff"}]')


# ---------------------------------------------------------------------- what linkprior writes


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


# ---------------------------------------------------------------------- SIF


def test_sif_reads_many_targets_lone_nodes_and_names_with_blanks(tmp_path):
    text = "# made today\na pp b c\nlonely\n\nd  pd\ta\t\nnode one\tpp\tnode two\tb\n"
    text = text.replace("d  pd\ta", "d\tpd\ta")
    found = reading(tmp_path, "g.sif", text, keep_isolated=True)
    expected = [("a", "b"), ("a", "c"), ("d", "a"), ("node one", "node two"), ("node one", "b")]
    assert pairs(found.network) == set(map(frozenset, expected))
    assert found.network.names == ("a", "b", "c", "lonely", "d", "node one", "node two")
    assert found.report.guess == "SIF with the relations pp, pd"


def test_sif_leaves_out_predicted_targets_and_empty_names(tmp_path):
    found = reading(tmp_path, "g.sif", "a\tpp\tb\na\tpredicted\tc\td\n\tpp\tb\na\tpp\t\tc\n")
    assert pairs(found.network) == {frozenset("ab")}
    assert dropped(found) == {"marked as predicted, not observed": 2, "a node name is empty": 2}
    told = problem(tmp_path, "g.sif", "a pp b\na b\n")
    assert told.startswith("g.sif:2: expected a node, a relation and the nodes")


# ---------------------------------------------------------------------- Pajek

PAJEK = """% a comment
*Network "two relations"
*vertices 6
1 "Ada Lovelace" 0.1 0.2 0.5 ic Red
2 Bob
3 "C"
5 "" 0.5 0.5
*ARCS :1 "knows"
1 2 1.5 c Blue

1 3
*Edges :2
3 4 -1
2: 4 5 1
*Arcslist
6 1 2
*Edgeslist
6 5 4
*Partition colours
*Vertices 6
1
2
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_pajek_sections(tmp_path, end):
    found = reading(tmp_path, "g.net", PAJEK.replace("\n", end))
    expected = "Ada_Lovelace-Bob Ada_Lovelace-C C-4 4-5 6-Ada_Lovelace 6-Bob 6-5 6-4"
    assert pairs(found.network) == {
        frozenset(pair.replace("_", " ").split("-")) for pair in expected.split()
    }
    assert found.network.names == ("Ada Lovelace", "Bob", "C", "4", "5", "6")
    assert found.report.notes == []
    assert any("the file says so" in text for text in found.report.looks)


@pytest.mark.parametrize("directed", [True, False])
def test_pajek_of_networkx_and_igraph_comes_back(tmp_path, directed):
    graph = nx.gnp_random_graph(25, 0.1, seed=4, directed=directed)
    graph = nx.relabel_nodes(graph, {i: f"node {i}" for i in graph})
    nx.write_pajek(graph, tmp_path / "g.net")
    assert same(read(tmp_path / "g.net", keep_isolated=True), graph)
    other = igraph.Graph.from_networkx(graph)
    other.vs["name"] = list(graph)
    other.write_pajek(str(tmp_path / "h.net"))
    assert same(read(tmp_path / "h.net", keep_isolated=True), graph)


def test_pajek_labels_that_are_alike_leave_the_numbers(tmp_path):
    text = "*Vertices 3\n1 A\n2 A\n3 B\n*Edges\n1 2\n2 3\n"
    found = reading(tmp_path, "g.net", text)
    assert found.network.names == ("1", "2", "3")
    assert found.labels == {"1": "A", "2": "A", "3": "B"}
    assert found.report.notes == ["vertices are named by number: some labels are alike"]
    # The label of vertex 1 is the number of vertex 3, which has no label.
    clash = "*Vertices 3\n1 3\n2 A\n*Edges\n1 2\n2 3\n"
    assert reading(tmp_path, "g.net", clash).network.names == ("1", "2", "3")


def test_pajek_matrices_of_one_and_two_modes(tmp_path):
    one = "*Vertices 3\n*Matrix\n0 1 0\n1 0 0.5\n0 0.5 0\n"
    found = reading(tmp_path, "g.net", one)
    assert pairs(found.network) == {frozenset("12"), frozenset("23")}
    assert found.report.reversed_duplicates == 0
    assert not found.report.looks
    directed = reading(tmp_path, "g.net", one.replace("1 0 0.5", "0 0 0.5"))
    assert any("the file says so" in text for text in directed.report.looks)
    two = '*Vertices 5 2\n1 "a"\n*Matrix\n1 0 1\n0 1 1\n'
    found = reading(tmp_path, "g.net", two)
    assert pairs(found.network) == {frozenset(p) for p in ("a3", "a5", "24", "25")}
    assert "two-mode" in found.report.notes[0]


def test_pajek_reads_the_first_network_of_a_project(tmp_path):
    text = "*Network a\n*Vertices 2\n*Edges\n1 2\n*Network b\n*Vertices 9\n*Edges\n3 9\n"
    found = reading(tmp_path, "g.paj", text)
    assert found.network.names == ("1", "2")
    assert "only the first is read" in found.report.notes[0]


def test_pajek_labels_with_invisible_characters_are_refused_by_line(tmp_path):
    text = "*Vertices 2\n%\n2 B\n1 A\u200b\n*Edges\n1 2\n"
    assert problem(tmp_path, "g.net", text).startswith("g.net:4: the node name 'A\\u200b' holds")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("*Vertices 2\n*Edges\n1 3\n", "g.net:3: vertex 3 is beyond the 2 declared"),
        ("*Vertices 2\n*Edges\n0 1\n", "g.net:3: vertex 0 is beyond the 2 declared"),
        ("*Vertices 2\n3 x\n", "g.net:2: vertex 3 is beyond the 2 declared"),
        ("*Vertices 2\n*Edges\n1_0 2\n", "g.net:3: expected the number of a vertex, got '1_0'"),
        ("*Vertices 2\n*Edges\n1\n", "g.net:3: expected two vertex numbers"),
        ("*Vertices two\n", "g.net:1: expected *Vertices and their number"),
        ("*Vertices 1000000000\n*Edges\n1 2\n", "g.net:1: declares 1000000000 nodes"),
        ("*Edges\n1 2\n", "g.net:1: *edges comes before *Vertices"),
        ("*Network x\n1 2\n", "g.net:2: expected a line such as *Vertices 10"),
        ("*Network x\n", "g.net: no line *Vertices"),
        ("*Vertices 2\n*Matrix\n0 1\n", "g.net: the matrix has 1 rows, expected 2"),
        ("*Vertices 2\n*Matrix\n0 1 0\n", "g.net:3: row 1 of the matrix has 3 numbers"),
        ("*Vertices 2\n*Matrix\n0 x\n", "g.net:3: in the matrix: could not convert"),
        ("*Vertices 2\n*Matrix\n0 nan\n", "g.net:3: the matrix holds a value that is not finite"),
    ],
)
def test_pajek_is_refused_with_a_line(tmp_path, text, told):
    assert problem(tmp_path, "g.net", text).startswith(told)


def test_pajek_that_declares_many_vertices_makes_no_room_for_them(tmp_path):
    found = reading(
        tmp_path, "g.net", "*Vertices 99999999\n*Edges\n5 90000000\n", keep_isolated=True
    )
    assert found.network.names == ("5", "90000000")
    assert "99,999,997 of the 99,999,999 nodes declared" in found.report.notes[0]


def test_the_jazz_network_has_198_nodes_and_2742_edges(data_folder):
    net = read(data_folder / "lp-classic" / "Jazz.txt").network
    assert (net.n_nodes, net.n_edges) == (198, 2742)


# ---------------------------------------------------------------------- METIS


def metis(graph, flags="", before="", after=""):
    """Write a graph of nodes 0…n−1; `before` goes before neighbours, `after` after each."""
    lines = [f"{len(graph)} {graph.number_of_edges()} {flags}"]
    lines += [
        before + " " + " ".join(f"{v + 1} {after}" for v in sorted(graph[u])) for u in sorted(graph)
    ]
    return "% comment\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("flags", "before", "after"),
    [
        ("", "", ""),
        ("0", "", ""),
        ("1", "", "9"),
        ("001", "", "9"),
        ("10", "7", ""),
        ("010 3", "7 8 9", ""),
        ("11", "7", "9"),
        ("100", "5", ""),
        ("111 2", "5 7 8", "9"),
    ],
)
def test_metis_with_all_kinds_of_weights(tmp_path, flags, before, after):
    graph = nx.gnp_random_graph(30, 0.05, seed=2)
    assert 0 in dict(graph.degree()).values()
    found = reading(tmp_path, "g.graph", metis(graph, flags, before, after), keep_isolated=True)
    assert found.report.format == "metis"
    assert same(found, graph, lambda v: str(v + 1))
    assert found.report.reversed_duplicates == found.report.duplicates == 0


def test_metis_blank_lines_are_nodes_except_at_the_end(tmp_path):
    text = "4 2\n\n3\n% not a node\n2 4\n3\n\n\n"
    found = reading(tmp_path, "g.graph", text, keep_isolated=True)
    assert found.network.names == ("1", "2", "3", "4")
    assert pairs(found.network) == {frozenset("23"), frozenset("34")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3 1\n2\n1\n", "g.graph: the header declares 3 nodes, the file has 2 lines for them"),
        ("2 1\n2\n1\n2\n", "g.graph:4: the header declares 2 nodes, the file has more lines"),
        ("2 2\n2\n1\n", "g.graph: the header declares 2 edges, the file has 2 entries"),
        ("2 1\n3\n1\n", "g.graph:2: node 3 is beyond the 2 declared"),
        ("2 1\nx\n1\n", "g.graph:2: expected the number of a node, got 'x'"),
        ("2 1 1\n2 5\n1\n", "g.graph:3: 1 numbers, but the header says 0 before"),
        ("2 1 10\n1 2\n\n", "g.graph:3: 0 numbers, but the header says 1 before"),
        ("2 1 7\n2\n1\n", "g.graph:1: expected METIS's header"),
        ("9999999999 1\n2\n1\n", "g.graph:1: declares 9999999999 nodes"),
    ],
)
def test_metis_is_refused_with_what_was_declared_and_found(tmp_path, text, told):
    assert problem(tmp_path, "g.graph", text, format="metis").startswith(told)


def test_metis_that_is_not_symmetric_is_said_to_be_so(tmp_path):
    found = reading(tmp_path, "g.graph", "3 1\n2\n3\n\n")
    assert pairs(found.network) == {frozenset("12"), frozenset("23")}
    assert "does not list them" in found.report.notes[0]


def test_the_astro_ph_network_is_what_its_header_says(data_folder):
    net = read(data_folder / "large" / "astro-ph.graph.gz").network
    assert (net.n_nodes, net.n_edges) == (16046, 121251)


# ---------------------------------------------------------------------- all of them


@pytest.mark.parametrize(
    "name", ["graphml", "gexf", "cx2", "pajek", "metis", "sif", "matrix-market", "npz"]
)
def test_options_of_tables_do_not_apply(tmp_path, name):
    path = written(tmp_path, "g.txt", "a b\n")
    with pytest.raises(ParameterError, match="--min-score does not apply"):
        read(path, format=name, options=ReadOptions(min_score=0.5))

"""Weights of edges, from every format that has them to the network."""

import gzip
import json

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.io.files import TAB2, dropped, written

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read

# Every file below says this, in its own order: what a weight is in the file, over the largest.
TRIANGLE = {"a-b": 1.0, "b-c": 0.5, "a-c": 0.25}


def reading(folder, name, content, weights, **options):
    return read(written(folder, name, content), options=ReadOptions(weights=weights, **options))


def weights_of(network):
    """Return the weight of every edge by its names, looked up in the matrix, not in the order."""
    dense = network.confidence.toarray()
    np.testing.assert_array_equal(dense, dense.T)
    found = {}
    for i, j in network.edges.tolist():
        a, b = sorted((network.names[i], network.names[j]))
        found[f"{a}-{b}"] = dense[i, j]
    return found


def problem(folder, name, content, weights, kind=InputError, **options):
    with pytest.raises(kind) as caught:
        reading(folder, name, content, weights, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{folder}/", "")


def said(found):
    return next(line for line in found.report.text() if line.startswith("weights: "))


@pytest.mark.parametrize(
    ("name", "content", "column"),
    [
        ("e.tsv", "source\ttarget\tscore\nc\tb\t200\nb\ta\t400\nc\ta\t100\n", "score"),
        ("e.tsv", "source\ttarget\tScore\nc\tb\t200\nb\ta\t400\nc\ta\t100\n", "score"),
        ("e.csv", "x1,a,400\nx2,b,200\n".replace("x1", "b").replace("x2", "c") + "c,a,100\n", "3"),
        ("e.txt", "b a 0.4\nc  b 0.2\nc a  1e-1\n", "3"),
        ("e.csv", "p;source;target;w\n.1;b;a;0,4\n.2;c;b;0,2\n.3;c;a;0,1\n", "w"),
        ("e.csv", "p;source;target;w\n.1;b;a;0,4\n.2;c;b;0,2\n.3;c;a;0,1\n", "4"),
        ("e.tsv", "# source\ttarget\tmy score\nb\ta\t4\nc\tb\t2\nc\ta\t1\n", "my score"),
        ("e.csv", '"w","source","target"\n"4","b","a"\n"2","c","b"\n"1","c","a"\n', "w"),
    ],
)
def test_edge_lists_of_any_separator_give_weights_by_name_or_number(
    tmp_path, name, content, column
):
    assert weights_of(reading(tmp_path, name, content, column).network) == TRIANGLE


def test_a_name_only_the_header_has_makes_the_first_row_the_header(tmp_path):
    net = reading(tmp_path, "e.tsv", "one\ttwo\tsure\na\tb\t2\nb\tc\t1\n", "sure").network
    assert weights_of(net) == {"a-b": 1.0, "b-c": 0.5}


def test_chosen_ends_and_weights_go_together(tmp_path):
    content = "k\tsure\tone\ttwo\nx\t2\ta\tb\nx\t1\tb\tc\n"
    net = reading(tmp_path, "e.tsv", content, "sure", columns=("one", "two")).network
    assert weights_of(net) == {"a-b": 1.0, "b-c": 0.5}


def test_packed_files_have_weights_too(tmp_path):
    packed = gzip.compress(b"a\tb\t4\nb\tc\t2\na\tc\t1\n")
    assert weights_of(reading(tmp_path, "e.tsv.gz", packed, "3").network) == TRIANGLE


def test_without_weights_nothing_changes(tmp_path):
    path = written(tmp_path, "e.tsv", "a\tb\t4\nb\tc\t2\na\tc\t1\n")
    plain = lp.read_network(path)
    assert plain.known.weights is None
    assert plain.digest == lp.Network.from_edges([("a", "b"), ("b", "c"), ("a", "c")]).digest
    assert plain.digest != lp.read_network(path, weights=3).digest
    assert read(path).report.weights is None
    assert not any("weights:" in line for line in read(path).report.text())


def test_labels_of_a_gold_standard_asked_for_as_weights_leave_out_what_is_0(tmp_path):
    found = reading(tmp_path, "gold.tsv", "a\tb\t1\nb\tc\t1\na\tc\t0\n", "3")
    assert weights_of(found.network) == {"a-b": 1.0, "b-c": 1.0}
    assert dropped(found) == {"its weight is 0": 1}


def test_a_weight_of_0_leaves_the_edge_out_and_is_counted_with_its_line(tmp_path):
    found = reading(tmp_path, "e.tsv", "a\tb\t3\nb\tc\t0\nc\td\t0.0\na\td\t1\n", "3")
    assert weights_of(found.network) == {"a-b": 1.0, "a-d": pytest.approx(1 / 3)}
    assert found.network.names == ("a", "b", "d")
    assert "2 rows left out: its weight is 0 (lines 2, 3)" in found.report.text()


def test_nothing_but_weights_of_0_is_no_network(tmp_path):
    assert "1 rows: its weight is 0" in problem(tmp_path, "e.tsv", "a\tb\t0\n", "3")


@pytest.mark.parametrize(
    ("cell", "got"),
    [
        ("-0.5", "got '-0.5'"),
        ("high", "got 'high'"),
        ("", "got none"),
        ("NA", "got none"),
        ("nan", "got none"),
        ("inf", "got 'inf'"),
        ("1e999", "got '1e999'"),
        ("1_000", "got '1_000'"),
        ("1,234", "got '1,234'"),
    ],
)
def test_what_is_no_weight_is_refused_with_its_line(tmp_path, cell, got):
    content = f"source\ttarget\tsure\tmore\na\tb\t2\tx\nb\tc\t{cell}\tx\nc\td\t1\tx\n"
    told = problem(tmp_path, "e.tsv", content, "sure")
    assert told.startswith("e.tsv:3: expected a weight, a plain number of 0 or more, ")
    assert got in told


def test_a_row_that_ends_before_its_weight_is_refused_with_its_line(tmp_path):
    assert problem(tmp_path, "e.tsv", "a\tb\t2\nb\tc\n", "3").startswith("e.tsv:2: expected a w")


def test_an_unknown_column_is_refused_with_the_nearest_names(tmp_path):
    content = "source\ttarget\tscore\na\tb\t2\nb\tc\t1\n"
    told = problem(tmp_path, "e.tsv", content, "scores", ParameterError)
    assert told == (
        "--weights: e.tsv has nothing called 'scores'. Did you mean score or source? There are: "
        "source, target, score"
    )
    assert "1 to 2 (no header)" in problem(tmp_path, "e.tsv", "a\tb\nb\tc\n", "3", ParameterError)
    for number in ("0", "9" * 5000):
        problem(tmp_path, "e.tsv", content, number, ParameterError)


def test_a_column_of_nodes_holds_no_weights(tmp_path):
    content = "source\ttarget\tscore\na\tb\t2\nb\tc\t1\n"
    told = problem(tmp_path, "e.tsv", content, "target", ParameterError)
    assert "'target' of e.tsv is read as names of nodes" in told


def test_of_an_edge_listed_again_the_largest_weight_counts_and_the_report_says_so(tmp_path):
    content = "a\tb\t1\nb\tc\t2\nb\ta\t4\na\tb\t3\nc\tb\t2\na\tc\t1\na\ta\t9\n"
    found = reading(tmp_path, "e.tsv", content, "3")
    assert weights_of(found.network) == TRIANGLE
    assert said(found) == (
        "weights: column 3, 1 to 4, median 2; 1 edge has several weights, of which the largest "
        "counts"
    )


def test_the_report_tells_the_column_and_its_spread(tmp_path):
    content = "source\ttarget\tscore\na\tb\t150\nb\tc\t999\na\tc\t420\n"
    found = reading(tmp_path, "e.tsv", content, "score")
    assert said(found) == "weights: column score, 150 to 999, median 420"
    assert found.report.to_dict()["weights"] == {
        "column": "column score",
        "least": 150.0,
        "median": 420.0,
        "largest": 999.0,
        "differing": 0,
    }
    json.dumps(found.report.to_dict())


def test_weights_stay_with_their_edges_when_rows_are_filtered(tmp_path):
    content = (
        "source\ttarget\tscore\tsure\na\tb\t9\t4\na\td\t1\t8\nb\tc\t9\t2\n\tc\t9\tx\nc\ta\t9\t1\n"
    )
    found = reading(tmp_path, "e.tsv", content, "sure", min_score=5)
    assert weights_of(found.network) == TRIANGLE


@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0, 0.25, 1, 3, 700])),
        min_size=1,
        max_size=40,
    )
)
def test_weights_are_those_of_a_dictionary_filled_row_by_row(tmp_path_factory, rows):
    largest = {}
    for a, b, weight in rows:
        if a != b and weight:
            key = f"n{min(a, b)}-n{max(a, b)}"
            largest[key] = max(weight, largest.get(key, 0))
    content = "".join(f"n{a}\tn{b}\t{weight}\tx\n" for a, b, weight in rows)
    folder = tmp_path_factory.mktemp("rows")
    if not largest:
        problem(folder, "e.tsv", content, "3")
        return
    found = weights_of(reading(folder, "e.tsv", content, "3", header=False).network)
    top = max(largest.values())
    assert found == {key: pytest.approx(value / top) for key, value in largest.items()}


STRING = """protein1 protein2 experimental textmining combined_score
9.a 9.b 0 900 800
9.b 9.a 0 900 800
9.b 9.c 500 100 400
9.c 9.b 500 100 400
9.a 9.c 250 100 200
9.c 9.a 250 100 200
"""


def test_string_gives_the_combined_score_and_its_channels(tmp_path):
    found = reading(tmp_path, "9.protein.links.txt", STRING, "combined_score")
    assert weights_of(found.network) == TRIANGLE
    assert said(found) == "weights: column combined_score, 200 to 800, median 400"
    found = reading(tmp_path, "9.protein.links.txt", STRING, "experimental")
    assert weights_of(found.network) == {"b-c": 1.0, "a-c": 0.5}
    assert dropped(found) == {"its weight is 0": 2}


def test_string_keeps_weights_beside_the_least_score(tmp_path):
    found = reading(tmp_path, "9.protein.links.txt", STRING, "5", min_score=300)
    assert weights_of(found.network) == {"a-b": 1.0, "b-c": 0.5}


def test_string_names_its_scores_when_asked_for_others(tmp_path):
    told = problem(tmp_path, "9.protein.links.txt", STRING, "experiments", ParameterError)
    assert "Did you mean experimental" in told
    told = problem(tmp_path, "9.protein.links.txt", STRING, "protein1", ParameterError)
    assert "There are: experimental, textmining, combined_score" in told


def biogrid(*rows):
    lines = ["\t".join(TAB2)]
    for a, b, score in rows:
        cells = dict.fromkeys(TAB2, "-")
        for side, name in (("A", a), ("B", b)):
            cells[f"Entrez Gene Interactor {side}"] = name
            cells[f"Organism Interactor {side}"] = "9606"
        cells["Score"] = score
        lines.append("\t".join(cells.values()))
    return "\n".join(lines) + "\n"


def test_biogrid_gives_its_score(tmp_path):
    content = biogrid(("a", "b", "8"), ("c", "b", "4.0"), ("a", "c", "2"), ("b", "a", "1"))
    found = reading(tmp_path, "g.tab2.txt", content, "score")
    assert weights_of(found.network) == TRIANGLE
    assert said(found).startswith("weights: column Score, 2 to 8")


def test_biogrid_rows_without_a_score_are_refused_unless_left_out(tmp_path):
    content = biogrid(("a", "b", "8"), ("c", "b", "-"), ("b", "d", "4"))
    told = problem(tmp_path, "g.tab2.txt", content, "Score")
    assert told.startswith("g.tab2.txt:3: expected a weight")
    assert told.endswith("got none; --min-score 0 leaves out rows without a score")
    found = reading(tmp_path, "g.tab2.txt", content, "Score", min_score=0)
    assert weights_of(found.network) == {"a-b": 1.0, "b-d": 0.5}
    told = problem(tmp_path, "g.tab2.txt", content, "Scor", ParameterError)
    assert "Did you mean Score" in told


def mitab(*rows):
    lines = []
    for a, b, confidence in rows:
        cells = ["-"] * 15
        cells[0], cells[1], cells[14] = f"uniprotkb:{a}", f"uniprotkb:{b}", confidence
        cells[9] = cells[10] = "taxid:9606(human)"
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


MITAB = mitab(
    ("a", "b", "author score:7|intact-miscore:0.8"),
    ("b", "c", "author score:5|intact-miscore:0.4"),
    ("a", "c", "author score:6|intact-miscore:0.2"),
)


@pytest.mark.parametrize("asked", ["score", "15", "intact-miscore"])
def test_mitab_gives_the_miscore(tmp_path, asked):
    found = reading(tmp_path, "m.txt", MITAB, asked)
    assert found.report.format == "mitab"
    assert weights_of(found.network) == TRIANGLE


def test_mitab_gives_any_score_by_its_name(tmp_path):
    found = weights_of(reading(tmp_path, "m.txt", MITAB, "Author score").network)
    assert found == {"a-b": 1.0, "b-c": pytest.approx(5 / 7), "a-c": pytest.approx(6 / 7)}
    told = problem(tmp_path, "m.txt", MITAB, "miscore", ParameterError)
    assert "Did you mean score or intact-miscore" in told
    short = MITAB + mitab(("c", "d", "-"))
    assert problem(tmp_path, "m.txt", short, "score").startswith("m.txt:4: expected a weight")


@pytest.fixture
def graph():
    graph = nx.Graph()
    graph.add_edge("c", "b", sure=0.2, other="x")
    graph.add_edge("a", "c", sure=0.1, other="y")
    graph.add_edge("a", "b", sure=0.4, other="z")
    return graph


def written_by(graph, path):
    nx.write_graphml(graph, path) if path.suffix == ".graphml" else nx.write_gexf(graph, path)
    return path


@pytest.mark.parametrize("name", ["g.graphml", "g.gexf"])
def test_attributes_of_edges_are_weights(tmp_path, graph, name):
    path = written_by(graph, tmp_path / name)
    assert weights_of(lp.read_network(path, weights="Sure")) == TRIANGLE
    assert lp.read_network(path).known.weights is None
    with pytest.raises(ParameterError, match="Did you mean sure"):
        lp.read_network(path, weights="sur")
    with pytest.raises(InputError, match=rf"{name}:\d+: expected a weight.* got 'x'"):
        lp.read_network(path, weights="other")


@pytest.mark.parametrize("name", ["g.graphml", "g.gexf"])
def test_an_edge_without_the_attribute_is_refused_and_one_of_0_left_out(tmp_path, graph, name):
    graph["a"]["b"]["sure"] = 0.0
    found = read(written_by(graph, tmp_path / name), options=ReadOptions(weights="sure"))
    assert weights_of(found.network) == {"b-c": 1.0, "a-c": 0.5}
    assert dropped(found) == {"its weight is 0": 1}
    del graph["a"]["b"]["sure"]
    with pytest.raises(InputError, match=rf"{name}:\d+: expected a weight.* got none"):
        lp.read_network(written_by(graph, tmp_path / name), weights="sure")


def test_the_weight_that_gexf_itself_knows_is_read(tmp_path, graph):
    for *_, about in graph.edges(data=True):
        about["weight"] = about.pop("sure")
    path = written_by(graph, tmp_path / "g.gexf")
    assert ' weight="0.4"' in path.read_text()
    assert weights_of(lp.read_network(path, weights="weight")) == TRIANGLE


def test_a_default_of_graphml_is_the_weight_of_edges_that_say_nothing(tmp_path):
    content = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
    <key id="d0" for="edge" attr.name="sure" attr.type="double"><default>2</default></key>
    <graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>
    <edge source="a" target="b"><data key="d0">4</data></edge><edge source="c" target="b"/>
    </graph></graphml>"""
    net = reading(tmp_path, "g.graphml", content, "sure").network
    assert weights_of(net) == {"a-b": 1.0, "b-c": 0.5}


def cx2(declared, *edges):
    nodes = [{"id": k, "v": {"name": name}} for k, name in enumerate("abc")]
    listed = [{"id": k, "s": s, "t": t, "v": v} for k, (s, t, v) in enumerate(edges)]
    head = {"CXVersion": "2.0", "hasFragments": False}
    parts = [head, {"attributeDeclarations": [{"edges": declared}]}]
    return json.dumps(
        [*parts, {"nodes": nodes}, {"edges": listed}, {"status": [{"success": True}]}]
    )


def test_cx2_gives_attributes_under_their_alias_and_default(tmp_path):
    declared = {"sure": {"d": "double", "a": "s", "v": 2}}
    content = cx2(declared, (1, 0, {"s": 4}), (1, 2, {}), (0, 2, {"s": 1}))
    assert weights_of(reading(tmp_path, "g.cx2", content, "sure").network) == TRIANGLE
    assert "Did you mean sure" in problem(tmp_path, "g.cx2", content, "suer", ParameterError)
    bad = cx2({"sure": {"d": "double"}}, (1, 0, {"sure": 4}), (1, 2, {"sure": -1}))
    assert problem(tmp_path, "g.cx2", bad, "sure").startswith("g.cx2: edge 2: expected a weight")


def test_an_edge_of_weight_0_in_a_file_without_lines_is_told_without_a_line(tmp_path):
    content = cx2({"sure": {"d": "double"}}, (1, 0, {"sure": 4}), (1, 2, {"sure": 0}))
    found = reading(tmp_path, "g.cx2", content, "sure")
    assert dropped(found) == {"its weight is 0": 1}
    assert [entry["first_lines"] for entry in found.report.dropped] == [[]]


def test_cx_gives_attributes_of_its_own_kind(tmp_path):
    nodes = [{"@id": k, "n": name} for k, name in enumerate("abc")]
    ends = [(0, 1, "4"), (1, 2, "2"), (0, 2, "1")]
    edges = [{"@id": 9 + k, "s": s, "t": t} for k, (s, t, _) in enumerate(ends)]
    about = [{"po": 9 + k, "n": "sure", "v": v} for k, (*_, v) in enumerate(ends)]
    content = json.dumps([{"nodes": nodes}, {"edges": edges}, {"edgeAttributes": about}])
    assert weights_of(reading(tmp_path, "g.cx", content, "sure").network) == TRIANGLE


NUMBERED = {"1-2": 1.0, "2-3": 0.5, "1-3": 0.25}


DENSE = np.array([[0, 4, 1], [3, 0, 2], [1, 2, 0.0]])  # 1–2 has 4 one way and 3 the other


@pytest.mark.parametrize("kind", ["coo", "array"])
def test_matrix_market_gives_its_values(tmp_path, kind):
    path = tmp_path / "m.mtx"
    scipy.io.mmwrite(path, sp.coo_array(DENSE) if kind == "coo" else DENSE)
    found = read(path, options=ReadOptions(weights="value"))
    assert weights_of(found.network) == NUMBERED
    assert said(found) == (
        "weights: values of the matrix, 1 to 4, median 2; 1 edge has several weights, of which "
        "the largest counts"
    )
    assert found.report.reversed_duplicates == 0


def test_a_symmetric_or_one_sided_matrix_gives_the_same_weights(tmp_path):
    for name, matrix in (("s", np.maximum(DENSE, DENSE.T)), ("u", np.triu(DENSE))):
        scipy.io.mmwrite(tmp_path / f"{name}.mtx", sp.coo_array(matrix))
        sp.save_npz(tmp_path / f"{name}.npz", sp.csr_array(matrix))
        assert weights_of(lp.read_network(tmp_path / f"{name}.mtx", weights="value")) == NUMBERED
        from_0 = weights_of(lp.read_network(tmp_path / f"{name}.npz", weights="value"))
        assert from_0 == {"0-1": 1.0, "1-2": 0.5, "0-2": 0.25}


def test_matrices_refuse_negative_values_and_those_without_any(tmp_path):
    head = "%%MatrixMarket matrix coordinate {} {}\n3 3 2\n"
    content = head.format("real", "symmetric") + "2 1 4\n3 1 -1\n"
    assert problem(tmp_path, "m.mtx", content, "value").startswith("m.mtx:4: expected a weight")
    content = head.format("pattern", "general") + "2 1\n3 1\n"
    assert problem(tmp_path, "m.mtx", content, "value").startswith("m.mtx: Matrix Market, pattern")
    content = head.format("real", "symmetric") + "2 1 4\n3 1 1\n"
    assert "There are: value" in problem(tmp_path, "m.mtx", content, "score", ParameterError)
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(-DENSE))
    with pytest.raises(InputError, match=r"m\.npz: row 0, column 1: expected a weight"):
        lp.read_network(tmp_path / "m.npz", weights="value")
    sp.save_npz(tmp_path / "c.npz", sp.csr_array(DENSE * 1j))
    with pytest.raises(InputError, match=r"c\.npz: row 0, column 1: expected a weight"):
        lp.read_network(tmp_path / "c.npz", weights="value")


METIS = "% a comment\n3 3 {}\n2 4 3 1\n1 4 3 2\n1 1 2 2\n"


def test_metis_gives_weights_where_its_header_says_so(tmp_path):
    assert weights_of(reading(tmp_path, "g.graph", METIS.format("001"), "weight").network) == (
        NUMBERED
    )
    sized = "3 3 111 2\n9 7 7 2 4 3 1\n9 7 7 1 4 3 2\n9 7 7 1 1 2 2\n"
    assert weights_of(reading(tmp_path, "g.graph", sized, "weight").network) == NUMBERED
    zero = METIS.format("001").replace("2 4 3 1", "2 0 3 1").replace("1 4 3", "1 0 3")
    found = reading(tmp_path, "g.graph", zero, "weight")
    assert weights_of(found.network) == {"2-3": 1.0, "1-3": 0.5}
    assert dropped(found) == {"its weight is 0": 1}
    bad = METIS.format("001").replace("1 4 3 2", "1 x 3 2")
    assert problem(tmp_path, "g.graph", bad, "weight").startswith("g.graph:4: expected a weight")


def test_metis_without_weights_is_refused(tmp_path):
    told = problem(tmp_path, "g.graph", "3 3\n2 3\n1 3\n1 2\n", "weight")
    assert told.startswith("g.graph: METIS, as its header says, has no weights of edges")


PAJEK = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n'


@pytest.mark.parametrize(
    "lines",
    [
        "*Edges\n2 3 2\n1 2 4 c Blue\n3 1 1.0\n",
        "*Arcs\n2 3 2\n1 2 4\n*Edges\n3 1 1\n",
        "*Arcs\n2 3 2\n1 2 4\n2 1 3\n3 1 1\n",
        "*Matrix\n0 4 1\n3 0 2\n1 2 0\n",
        "*Matrix\n0 4 1\n0 0 2\n0 0 0\n",
    ],
)
def test_pajek_gives_weights_of_lines_and_matrices(tmp_path, lines):
    assert weights_of(reading(tmp_path, "g.net", PAJEK + lines, "weight").network) == TRIANGLE


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("*Edges\n2 3 2\n1 2\n", "g.net:7: expected a weight, a plain number of 0 or more, got n"),
        ("*Edges\n2 3 2\n1 2 -4\n", "g.net:7: expected a weight"),
        ("*Matrix\n0 4 1\n3 0 -2\n1 2 0\n", "g.net:7: expected a weight"),
        ("*Edgeslist\n2 3\n", "g.net:6: Pajek's *edgeslist has no weights"),
    ],
)
def test_pajek_says_where_a_weight_is_missing_or_wrong(tmp_path, lines, told):
    assert problem(tmp_path, "g.net", PAJEK + lines, "weight").startswith(told)


def test_sif_has_no_weights_and_is_named(tmp_path):
    told = problem(tmp_path, "g.sif", "a pp b\nb pp c\n", "score")
    assert told.startswith("g.sif: SIF has no weights of edges; leave out --weights")


@pytest.mark.parametrize("value", [1.5, True, ["a"], "", " "])
def test_a_column_is_a_name_or_a_number(tmp_path, value):
    path = written(tmp_path, "e.tsv", "a\tb\t1\n")
    with pytest.raises(ParameterError, match="weights must be a column or edge attribute"):
        lp.read_network(path, weights=value)


def test_the_command_line_takes_weights_and_keeps_them_in_the_request(tmp_path):
    from linkprior.io.formats import ReadOptions
    from linkprior.pipeline.side_inputs import Input

    path = written(tmp_path, "e.tsv", "source\ttarget\tscore\na\tb\t4\nb\tc\t2\na\tc\t1\n")
    asked = Input(str(path), options=ReadOptions(weights="score"))
    assert weights_of(asked.read().network) == TRIANGLE
    assert asked.request() == {"weights": "score"}
    assert asked.list_options.weights is None  # a list of tested pairs needs no weights
    assert "weights" not in Input(str(path)).request()

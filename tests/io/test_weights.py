"""Weights of edges, from every format that has them to the network."""

import gzip
import json

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.io import files
from tests.io.files import HUMAN, dropped, mitab_row, weights_of, written

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.formats import ReadOptions
from linkprior.io.read import read

# Every file below says this, in its own order: what a weight is in the file, over the largest.
TRIANGLE = {"a-b": 1.0, "b-c": 0.5, "a-c": 0.25}


def reading(folder, name, content, weights, **options):
    return read(written(folder, name, content), options=ReadOptions(weights=weights, **options))


def problem(folder, name, content, weights, kind=InputError, **options):
    with pytest.raises(kind) as caught:
        reading(folder, name, content, weights, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{folder}/", "")


def said(found):
    return next(line for line in found.report.text() if line.startswith("weights: "))


def biogrid(*rows):
    """A table whose rows name two genes and a score."""

    def gene(name):
        return name, "-", "-", HUMAN

    return files.biogrid([(gene(a), gene(b), "FRET", "physical", score) for a, b, score in rows])


def mitab(*rows):
    return "".join(f"{mitab_row(f'u:{a}', f'u:{b}', 15, c15=cell)}\n" for a, b, cell in rows)


MITAB = mitab(
    ("a", "b", "author score:7|intact-miscore:0.8"),
    ("b", "c", "author score:5|intact-miscore:0.4"),
    ("a", "c", "author score:6|intact-miscore:0.2"),
)
BIOGRID = biogrid(("a", "b", "8"), ("c", "b", "4.0"), ("a", "c", "2"), ("b", "a", "1"))
STRING = """protein1 protein2 experimental textmining combined_score
9.a 9.b 0 900 800
9.b 9.a 0 900 800
9.b 9.c 500 100 400
9.c 9.b 500 100 400
9.a 9.c 250 100 200
9.c 9.a 250 100 200
"""
GRAPHML = """<graphml>
<key id="d0" for="edge" attr.name="sure"><default>2</default></key>
<graph><edge source="a" target="b"><data key="d0">4</data></edge><edge source="c" target="b"/>
<edge source="c" target="a"><data key="d0">1</data></edge></graph></graphml>"""
CX = json.dumps(
    [
        {"nodes": [{"@id": k, "n": name} for k, name in enumerate("abc")]},
        {"edges": [{"@id": 9 + k, "s": k // 2, "t": 1 + (k > 0)} for k in range(3)]},
        {"edgeAttributes": [{"po": 9 + k, "n": "sure", "v": v} for k, v in enumerate("412")]},
    ]
)
CX2 = json.dumps(
    [
        {"attributeDeclarations": [{"edges": {"a": {}}}, {}]},
        {"nodes": [{"id": 1}, {"id": 2}]},
        {"edges": [{"s": 1, "t": 2, "v": {"b": 1}}]},
    ]
)
GEXF = """<gexf><graph><edges><edge source='a' target='b' weight='4'/>
<edge source='b' target='c'/></edges></graph></gexf>"""
PAJEK = "*Vertices 3\n{}\n1 2 1\n2 3"
TSV = "{}\nc\tb\t200\nb\ta\t400\nc\ta\t100\n"
CSV = "p;source;target;w\n.1;b;a;0,4\n.2;c;b;0,2\n.3;c;a;0,1\n"


@pytest.mark.parametrize(
    ("name", "content", "asked", "column"),
    [
        ("e.tsv", TSV.format("source\ttarget\tscore"), "score", "column score, 100 to 400"),
        ("e.tsv", TSV.format("source\ttarget\tScore"), "score", "column Score"),
        ("e.tsv", TSV.format("one\ttwo\tsure"), "sure", "column sure"),  # which tells the header
        ("e.tsv", TSV.format("# source\ttarget\tmy score"), "my score", "column my score"),
        ("e.csv", "b,a,400\nc,b,200\nc,a,100\n", "3", "column 3"),
        ("e.txt", "b a 0.4\nc  b 0.2\nc a  1e-1\n", "3", "column 3, 0.1 to 0.4, median 0.2"),
        ("e.csv", CSV, "w", "column w"),
        ("e.csv", CSV, "4", "column w"),
        ("e.csv", '"w","source","target"\n4,"b","a"\n"2","c","b"\n1,"c","a"\n', "w", "column w"),
        ("e.tsv.gz", gzip.compress(b"a\tb\t4\nb\tc\t2\na\tc\t1\n"), "3", "column 3"),
        ("9.links.txt", STRING, "combined_score", "column combined_score, 200 to 800, median 400"),
        ("9.links.txt", STRING, "5", "column combined_score"),
        ("g.tab2.txt", BIOGRID, "score", "column Score, 2 to 8"),
        ("m.txt", MITAB, "score", "score score"),
        ("m.txt", MITAB, "15", "score 15"),
        ("m.txt", MITAB, "intact-miscore", "score intact-miscore, 0.2 to 0.8"),
        ("g.graphml", GRAPHML, "sure", "edge attribute sure, 1 to 4, median 2"),
        ("g.cx", CX, "sure", "edge attribute sure"),
    ],
)  # fmt: skip
def test_every_format_gives_weights_by_name_or_number(tmp_path, name, content, asked, column):
    found = reading(tmp_path, name, content, asked)
    assert weights_of(found.network) == TRIANGLE
    assert said(found).startswith(f"weights: {column}")
    assert read(tmp_path / name).network.known.weights is None
    json.dumps(found.report.to_dict())


def test_chosen_ends_and_weights_go_together(tmp_path):
    content = "k\tsure\tone\ttwo\nx\t2\ta\tb\nx\t1\tb\tc\n"
    net = reading(tmp_path, "e.tsv", content, "sure", columns=("one", "two")).network
    assert weights_of(net) == {"a-b": 1.0, "b-c": 0.5}


def test_without_weights_nothing_changes(tmp_path):
    path = written(tmp_path, "e.tsv", "a\tb\t4\nb\tc\t2\na\tc\t1\n")
    plain = lp.read_network(path)
    assert plain.digest == lp.Network.from_edges([("a", "b"), ("b", "c"), ("a", "c")]).digest
    assert plain.digest != lp.read_network(path, weights=3).digest
    assert not any("weights:" in line for line in read(path).report.text())


EDGES = "source\ttarget\tscore\na\tb\t2\nb\tc\t1\n"
UNKNOWN = "has nothing called"


@pytest.mark.parametrize(
    ("name", "content", "asked", "told"),
    [
        ("e.tsv", EDGES, "scores", f"{UNKNOWN} 'scores'. Did you mean score or source? There are: "
         "source, target, score"),
        ("e.tsv", "a\tb\nb\tc\n", "3", "1 to 2 (no header)"),
        ("e.tsv", EDGES, "0", UNKNOWN),
        ("e.tsv", EDGES, "9" * 5000, UNKNOWN),
        ("e.tsv", EDGES, "target", "'target' of e.tsv is read as names of nodes"),
        ("9.links.txt", STRING, "experiments", "Did you mean experimental"),
        ("9.links.txt", STRING, "protein1", "There are: experimental, textmining, combined_score"),
        ("g.tab2.txt", BIOGRID, "Scor", "Did you mean Score"),
        ("m.txt", MITAB, "miscore", "Did you mean score or intact-miscore"),
        ("g.graphml", GRAPHML, "sur", "Did you mean sure"),
        ("g.cx", CX, "suer", "Did you mean sure"),
        ("g.graphml", GRAPHML.replace('"edge"', '"node"'), "sure", "There are: none"),
        ("g.cx2", CX2, "sure", "nothing called 'sure'. There are: a, b"),
        ("g.gexf", GEXF.replace(" weight='4'", ""), "weight", "nothing called 'weight'"),
        ("g.net", PAJEK.format("*Edges"), "score", "nothing called 'score'. There are: value"),
        ("m.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", "score", "are: value"),
    ],
)  # fmt: skip
def test_what_no_edge_has_is_refused_with_the_nearest_names(tmp_path, name, content, asked, told):
    message = problem(tmp_path, name, content, asked, ParameterError)
    assert message.startswith("--weights: ")
    assert told in message


NO_SCORE = "got none; --min-score 0 leaves out rows without a score"


@pytest.mark.parametrize(
    ("name", "content", "asked", "where", "told"),
    [
        *(("e.tsv", f"source\ttarget\tw\tx\na\tb\t2\tx\nb\tc\t{cell}\tx\nc\td\t1\tx\n", "w",
           "e.tsv:3: expected a weight, a plain number of 0 or more, got ", got)
          for cell, got in (("-0.5", "'-0.5'"), ("high", "'high'"), ("", "none"), ("NA", "none"),
                            ("nan", "none"), ("inf", "'inf'"), ("1e999", "'1e999'"),
                            ("1_000", "'1_000'"), ("1,234", "'1,234'"))),
        ("e.tsv", "a\tb\t2\nb\tc\n", "3", "e.tsv:2: expected a weight", ""),
        ("e.txt", "a b 1\nb c\nc d\n", "3", "e.txt:2: expected a weight", ""),
        ("e.tsv", "a\tb\t0\n", "3", "e.tsv: no edge is left", "1 rows: its weight is 0"),
        ("g.tab2.txt", BIOGRID.replace("\t4.0\t", "\t-\t"), "score", "g.tab2.txt:3: exp", NO_SCORE),
        ("m.txt", MITAB + mitab(("c", "d", "-")), "score", "m.txt:4: expected a weight", NO_SCORE),
        ("g.graphml", GRAPHML.replace(">4<", ">x<"), "sure", "g.graphml:3: expected a", "'x'"),
        ("g.graphml", GRAPHML.replace("<default>2</default>", ""), "sure", "g.graphml:3: ", "none"),
        ("g.sif", "a pp b\nb pp c\n", "score", "g.sif: SIF has no weights of edges", "leave out"),
        ("g.gexf", GEXF, "weight", "g.gexf:2: expected a weight", "none"),
        ("g.net", PAJEK.format("*Edges") + " x\n", "weight", "g.net:4: expected a weight", "'x'"),
        ("g.net", PAJEK.format("*Edges"), "weight", "g.net:4: expected a weight", "none"),
        ("g.net", PAJEK.format("*Arcslist"), "weight", "g.net:3: Pajek's *arcslist has no w", ""),
        ("g.net", "*Vertices 2\n*Matrix\n0 1\n-1 0\n", "weight", "g.net:4: expected a weight", ""),
        ("g.graph", "%\n3 2 1\n2 4\n1 4 3 x\n2 x\n", "weight", "g.graph:4: expected a weight", ""),
        *(("g.graph", f"2 1 {flags}\n2\n1\n", "weight", "g.graph: METIS, as its hea", "has no w")
          for flags in ("", "0", "10")),
    ],
)  # fmt: skip
def test_what_is_no_weight_is_refused_with_its_line(tmp_path, name, content, asked, where, told):
    message = problem(tmp_path, name, content, asked)
    assert message.startswith(where)
    assert told in message


def test_rows_without_a_score_may_be_left_out(tmp_path):
    content = biogrid(("a", "b", "8"), ("c", "b", "-"), ("b", "d", "4"))
    found = reading(tmp_path, "g.tab2.txt", content, "Score", min_score=0)
    assert weights_of(found.network) == {"a-b": 1.0, "b-d": 0.5}


@pytest.mark.parametrize(
    ("name", "content", "asked", "weights", "rows"),
    [
        ("e.tsv", "a\tb\t4\nb\tc\t0\nc\td\t0.0\na\td\t1\n", "3", {"a-b": 1.0, "a-d": 0.25}, [2, 3]),
        ("gold.tsv", "a\tb\t1\nb\tc\t1\na\tc\t0\n", "3", {"a-b": 1.0, "b-c": 1.0}, [3]),
        ("9.links.txt", STRING, "experimental", {"b-c": 1.0, "a-c": 0.5}, [2, 3]),
        ("g.graphml", GRAPHML.replace(">4<", ">0<"), "sure", {"b-c": 1.0, "a-c": 0.5}, [3]),
    ],
)
def test_a_weight_of_0_leaves_the_edge_out_and_is_counted(
    tmp_path, name, content, asked, weights, rows
):
    found = reading(tmp_path, name, content, asked)
    assert weights_of(found.network) == weights
    assert dropped(found) == {"its weight is 0": len(rows)}
    assert found.report.dropped[0]["first_lines"] == rows


def test_of_an_edge_listed_again_the_largest_weight_counts_and_the_report_says_so(tmp_path):
    content = "a\tb\t1\nb\tc\t2\nb\ta\t4\na\tb\t3\nc\tb\t2\na\tc\t1\na\ta\t9\n"
    found = reading(tmp_path, "e.tsv", content, "3")
    assert weights_of(found.network) == TRIANGLE
    assert "1 edge has several weights, of which the largest counts" in said(found)


def test_weights_stay_with_their_edges_when_rows_are_filtered(tmp_path):
    content = (
        "source\ttarget\tscore\tsure\na\tb\t9\t4\na\td\t1\t8\nb\tc\t9\t2\n\tc\t9\tx\nc\ta\t9\t1\n"
    )
    found = reading(tmp_path, "e.tsv", content, "sure", min_score=5)
    assert weights_of(found.network) == TRIANGLE
    found = reading(tmp_path, "9.links.txt", STRING, "5", min_score=300)
    assert weights_of(found.network) == {"a-b": 1.0, "b-c": 0.5}


@settings(deadline=None)
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


@pytest.mark.parametrize("name", ["g.graphml", "g.gexf"])
@pytest.mark.parametrize("attribute", ["sure", "weight"])
def test_attributes_that_networkx_writes_are_weights(tmp_path, name, attribute):
    graph = nx.Graph()
    for a, b, weight in (("c", "b", 0.2), ("a", "c", 0.1), ("a", "b", 0.4)):
        graph.add_edge(a, b, **{attribute: weight})
    getattr(nx, f"write_{name[2:]}")(graph, tmp_path / name)
    net = lp.read_network(tmp_path / name, weights=attribute.title())
    assert weights_of(net) == TRIANGLE


DENSE = np.array([[0, 4, 1], [3, 0, 2], [1, 2, 0.0]])  # 1–2 has 4 one way and 3 the other


@pytest.mark.parametrize("matrix", [DENSE, np.maximum(DENSE, DENSE.T), np.triu(DENSE)])
def test_matrices_give_their_values(tmp_path, matrix):
    scipy.io.mmwrite(tmp_path / "a.mtx", matrix)
    scipy.io.mmwrite(tmp_path / "c.mtx", sp.coo_array(matrix))
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(matrix))
    for name, first in (("a.mtx", 1), ("c.mtx", 1), ("m.npz", 0)):
        found = read(tmp_path / name, options=ReadOptions(weights="value"))
        a, b, c = range(first, first + 3)
        assert weights_of(found.network) == {f"{a}-{b}": 1.0, f"{b}-{c}": 0.5, f"{a}-{c}": 0.25}
        assert said(found).startswith("weights: values of the matrix, 1 to 4, median 2")
        assert ("1 edge has several weights" in said(found)) == (matrix is DENSE)
        assert found.report.reversed_duplicates == 0


def test_matrices_refuse_values_that_are_no_weights(tmp_path):
    content = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 4\n3 1 -1\n"
    assert problem(tmp_path, "m.mtx", content, "value").startswith("m.mtx:4: expected a weight")
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(DENSE * 1j))
    with pytest.raises(InputError, match=r"m\.npz: row 0, column 1: expected a weight"):
        lp.read_network(tmp_path / "m.npz", weights="value")


@pytest.mark.parametrize("value", [1.5, True, ["a"], "", " "])
def test_a_column_is_a_name_or_a_number(tmp_path, value):
    path = written(tmp_path, "e.tsv", "a\tb\t1\n")
    with pytest.raises(ParameterError, match="weights must be a column or edge attribute"):
        lp.read_network(path, weights=value)


def test_the_command_line_takes_weights_and_keeps_them_in_the_request(tmp_path):
    from linkprior.pipeline.side_inputs import Input

    path = written(tmp_path, "e.tsv", "source\ttarget\tscore\na\tb\t4\nb\tc\t2\na\tc\t1\n")
    asked = Input(str(path), options=ReadOptions(weights="score"))
    assert weights_of(asked.read().network) == TRIANGLE
    assert asked.request() == {"weights": "score"}
    assert asked.list_options.weights is None  # a list of tested pairs needs no weights
    assert "weights" not in Input(str(path)).request()

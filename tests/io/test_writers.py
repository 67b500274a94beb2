"""Rankings in every format, read back by other people's readers."""

import csv
import io
import json
import math

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.io.atomic_files import whole_file
from linkprior.io.writers import FORMATS, format_of, guard, write_ranking
from linkprior.ranking.ranking import Ranking

HOSTILE = (
    "<script>alert(1)</script>",
    "\"double\" & 'single'",
    "=cmd|' /C calc'!A0",
    "'=already guarded",
    "😀 née",
    "שלום\u202eabc",
    "half \ud800 of a pair",
    "\udcff",
    "]]>",
    "x" * 10_000,
    "-1",
    "bell \x07 and nul \x00",
    "line\u2028separator",
    "{'a': [1, 2]}",
    "a,b;c",
)
BROKEN_LINES = ("tab\there", "new\nline", "carriage\rreturn", "\rfirst")


def unguard(cell):
    """Take the apostrophe of `guard` away again."""
    return cell[1:] if cell.startswith("'") and guard(cell) != cell else cell


def write(ranking, format="tsv", network=None, facts=None):
    stream = io.StringIO(newline="")
    write_ranking(stream, ranking, format, network, facts)
    return stream.getvalue()


def ranking_of(names, **evidence):
    """A path over the names: pair (i, i + 1) has rank i + 1 and score 1/(i + 1) − 0.4."""
    k = len(names) - 1
    pairs = np.stack([np.arange(k), np.arange(1, k + 1)], axis=1)
    return Ranking(pairs, 1 / np.arange(1, k + 1) - 0.4, tuple(names), evidence)


def empty():
    return Ranking(np.empty((0, 2), dtype=np.int64), np.empty(0), ("a", "b"))


@pytest.fixture(scope="module")
def fitted(planted):
    ranking = lp.make("l3").fit(planted).predict_edges(40)
    columns = {
        "paths": np.arange(40),
        "half": np.where(np.arange(40) % 2, np.nan, 0.5),
        "known": np.arange(40) % 3 == 0,
        "why": np.array([f"because {i}" for i in range(40)]),
        "kind": np.arange(40.0),
    }
    return Ranking(ranking.pairs, ranking.scores, ranking.node_names, columns)


def observed_among(planted, ranking):
    """Edges between ranked nodes, found pair by pair."""
    nodes = set(ranking.pairs.ravel().tolist())
    return {
        (planted.names[i], planted.names[j])
        for i in nodes
        for j in nodes
        if i < j and planted.adjacency[i, j]
    }


# ---------------------------------------------------------------------- choosing a format


def test_a_given_name_wins_over_the_suffix_and_the_suffix_over_the_default():
    assert format_of("links.csv", "jsonl") == "jsonl"
    assert format_of("links.tsv", "CSV") == "csv"
    assert format_of("a.b/links.CSV", None) == "csv"
    assert format_of("links.ndjson", None) == "jsonl"
    assert format_of("links.GraphML", None) == "graphml"
    assert [format_of(f"x.{s}", None) for s in ("cx2", "sif", "txt")] == ["cx2", "sif", "tsv"]
    assert [format_of(path, None) for path in ("links.xls", "links", "", None)] == ["tsv"] * 4


def test_an_unknown_format_is_answered_with_the_nearest():
    with pytest.raises(ParameterError, match=r"'grapml'. Did you mean graphml\? There are: tsv, "):
        format_of("x.csv", "grapml")
    with pytest.raises(ParameterError, match="no output format is called 'xlsx'"):
        write(empty(), "xlsx")


def test_a_network_with_other_nodes_is_refused(planted):
    with pytest.raises(InputError, match="different nodes"):
        write(empty(), "graphml", planted)


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_ranking_gives_the_same_text_in_utf8(name, planted, fitted, tmp_path):
    facts = {"model": "l3", "seed": 3}
    text = write(fitted, name, planted, facts)
    assert text == write(fitted, name, planted, facts)
    with whole_file(tmp_path / "out") as stream:
        write_ranking(stream, fitted, name, planted, facts)
    assert (tmp_path / "out").read_bytes() == text.encode("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_names_can_always_be_encoded(name):
    write(ranking_of(HOSTILE), name).encode("utf-8")


# ---------------------------------------------------------------------- tables


def test_tsv_is_what_the_ranking_writes(fitted):
    stream = io.StringIO()
    fitted.write(stream)
    assert write(fitted) == stream.getvalue()


@pytest.mark.parametrize(("name", "mark"), [("tsv", "\t"), ("csv", ",")])
def test_the_csv_module_reads_every_name_back(name, mark):
    names = [*HOSTILE, *BROKEN_LINES]
    text = write(ranking_of(names, **{"=SUM(A1)": np.arange(len(names) - 1) - 2}), name)
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    undo = unguard if name == "csv" else str
    assert [undo(cell) for cell in header] == ["rank", "source", "target", "score", "=SUM(A1)"]
    expected = [n.encode("utf-8", "backslashreplace").decode() for n in names]
    assert [undo(row[1]) for row in rows] == expected[:-1]
    assert [undo(row[2]) for row in rows] == expected[1:]
    scores = [1 / (i + 1) - 0.4 for i in range(len(rows))]
    assert [float(row[3]) for row in rows] == pytest.approx(scores, rel=1e-5)
    assert [int(row[4]) for row in rows] == [i - 2 for i in range(len(rows))]


def test_no_text_of_a_csv_begins_like_a_formula_and_numbers_stay_numbers():
    names = ["=1+1", "+1", "-1", "@a", "\t=a", "\r=a", "＝1", "plain", "'x", "a=b", "\n-x"]
    text = write(ranking_of(names, **{"=why": np.array(["=x"] * 10)}), "csv")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header[4] == "'=why"
    texts = [cell for row in rows for cell in (row[1], row[2], row[4])]
    assert not [cell for cell in texts if cell[0] in "=+-@\t\r\n＝＋－＠"]
    assert [row[3] for row in rows][2:] == [f"{1 / (i + 1) - 0.4:.6g}" for i in range(2, 10)]
    assert rows[7][1:3] == ["plain", "'x"]
    assert rows[9][1] == "a=b"


@given(st.text(alphabet="'=+-@\t\r\nab＝", max_size=6))
def test_the_guard_comes_off_again(text):
    assert unguard(guard(text)) == text


def test_numbers_in_a_column_of_objects_are_not_guarded():
    column = np.array([np.int64(-3), np.float64(-0.25), None, "-a"], dtype=object)
    rows = write(ranking_of("abcde", mixed=column), "csv").splitlines()[1:]
    assert [row.rpartition(",")[2] for row in rows] == ["-3", "-0.25", "", "'-a"]


def test_not_a_number_is_an_empty_cell_and_zero_has_no_sign():
    values = np.array([np.nan, -0.0, np.inf])
    for name, mark in (("tsv", "\t"), ("csv", ",")):
        rows = write(ranking_of("abcd", x=values), name).splitlines()[1:]
        assert [row.rpartition(mark)[2] for row in rows] == ["", "0", "inf"]


def test_every_line_of_jsonl_is_an_object_with_the_columns_as_keys(fitted):
    lines = write(fitted, "jsonl").split("\n")
    assert lines.pop() == ""
    found = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    assert [list(row) for row in found] == [fitted.columns] * len(fitted)
    assert [(row["source"], row["target"]) for row in found] == fitted.names
    assert [row["score"] for row in found] == [float(f"{s:.6g}") for s in fitted.scores]
    assert [row["half"] for row in found] == [0.5, None] * 20
    assert [row["known"] for row in found[:4]] == [True, False, False, True]
    assert [row["paths"] for row in found] == list(range(40))


def test_jsonl_keeps_letters_and_gives_hostile_names_back():
    names = [*HOSTILE, *BROKEN_LINES]
    text = write(ranking_of(names), "jsonl")
    assert "😀 née" in text
    assert "\\ud800" in text
    assert len(text.splitlines()) == len(names) - 1  # no reader takes U+2028 for a line end
    assert [json.loads(line)["source"] for line in text.splitlines()] == names[:-1]


# ---------------------------------------------------------------------- graphs


def read_graphml(text):
    return nx.read_graphml(io.BytesIO(text.encode("utf-8")))


def edges_by_name(graph):
    name = nx.get_node_attributes(graph, "name")
    return {frozenset((name[a], name[b])): data for a, b, data in graph.edges(data=True)}


def test_networkx_reads_nodes_edges_and_evidence_from_graphml(planted, fitted):
    graph = read_graphml(write(fitted, "graphml", planted, {"model": "l3", "seed": 3, "x": None}))
    assert not graph.is_directed()
    assert graph.graph["model"] == "l3"
    assert graph.graph["seed"] == 3
    assert "x" not in graph.graph
    degree = dict(zip(planted.names, planted.degrees.tolist(), strict=True))
    shown = {planted.names[node] for node in fitted.pairs.ravel().tolist()}
    assert {d["name"]: d["degree"] for _, d in graph.nodes(data=True)} == {
        name: degree[name] for name in shown
    }
    edges = edges_by_name(graph)
    observed = {tuple(sorted(pair)) for pair, d in edges.items() if d["kind"] == "observed"}
    assert observed == {tuple(sorted(pair)) for pair in observed_among(planted, fitted)}
    assert len(edges) == len(fitted) + len(observed)
    for rank, source, target, score, paths, half, known, why, kind in fitted.rows():
        data = dict(edges[frozenset((source, target))])
        assert data.pop("score") == pytest.approx(score, rel=1e-5)
        expected = {"kind": "predicted", "rank": rank, "paths": paths, "known": known, "why": why}
        if not math.isnan(half):
            expected["half"] = half
        assert data == {**expected, "kind_": kind}


def test_igraph_reads_the_same_graphml(planted, fitted, tmp_path):
    (tmp_path / "g.graphml").write_text(write(fitted, "graphml", planted), encoding="utf-8")
    graph = igraph.Graph.Read_GraphML(str(tmp_path / "g.graphml"))
    assert not graph.is_directed()
    assert set(graph.vs["name"]) == {name for pair in fitted.names for name in pair}
    predicted = [e for e in graph.es if e["kind"] == "predicted"]
    ends = [{graph.vs[e.source]["name"], graph.vs[e.target]["name"]} for e in predicted]
    assert ends == [set(pair) for pair in fitted.names]
    assert [e["rank"] for e in predicted] == list(range(1, 41))
    assert graph.ecount() == 40 + len(observed_among(planted, fitted))


def test_hostile_names_survive_graphml_but_for_what_xml_cannot_hold(tmp_path):
    names = [*HOSTILE, *BROKEN_LINES]
    column = {'<"a">\t&': np.array(["]]><x/>"] * (len(names) - 1))}
    text = write(ranking_of(names, **column), "graphml", facts={"<fact>": "<&\x01>"})
    graph = read_graphml(text)
    expected = [n.translate(dict.fromkeys([0, 7, 0xD800, 0xDCFF], "\ufffd")) for n in names]
    assert [d["name"] for _, d in graph.nodes(data=True)] == expected
    assert {d['<"a">\t&'] for _, _, d in graph.edges(data=True)} == {"]]><x/>"}
    assert graph.graph["<fact>"] == "<&\ufffd>"
    (tmp_path / "g.graphml").write_bytes(text.encode("utf-8"))
    assert igraph.Graph.Read_GraphML(str(tmp_path / "g.graphml")).vs["name"] == expected


def aspects_of(text):
    document = json.loads(text, parse_constant=pytest.fail)
    assert document[0] == {"CXVersion": "2.0", "hasFragments": False}
    assert document[-1] == {"status": [{"success": True}]}
    assert all(len(block) == 1 for block in document[1:])
    names = [next(iter(block)) for block in document[1:]]
    assert names.index("attributeDeclarations") < names.index("nodes") < names.index("edges")
    aspects = {name: block[name] for name, block in zip(names, document[1:], strict=True)}
    counts = {row["name"]: row["elementCount"] for row in aspects["metaData"]}
    assert counts == {n: len(aspects[n]) for n in names if n not in ("metaData", "status")}
    return aspects


PYTHON_TYPE = {"string": str, "long": int, "double": float, "boolean": bool}


def test_every_value_of_cx2_is_declared_and_of_its_type(planted, fitted):
    facts = {
        "model": "tri",
        "seed": 3,
        "rho": 0.5,
        "sparse": True,
        "name": 7,
        "lost": None,
        "big": 2**80,
    }
    aspects = aspects_of(write(fitted, "cx2", planted, {**facts, "params": {"rank": [1, 2]}}))
    (declared,) = aspects["attributeDeclarations"]
    values = {"networkAttributes": aspects["networkAttributes"]}
    values |= {name: [e["v"] for e in aspects[name]] for name in ("nodes", "edges")}
    for aspect, elements in values.items():
        for element in elements:
            for name, value in element.items():
                assert type(value) is PYTHON_TYPE[declared[aspect][name]["d"]]
    (about,) = aspects["networkAttributes"]
    assert {"name", "description", "version"} <= about.keys()
    assert (about["name"], about["model"], about["seed"]) == ("7", "tri", 3)
    assert json.loads(about["params"]) == {"rank": [1, 2]}
    assert "lost" not in about


def test_cx2_holds_predicted_and_observed_edges(planted, fitted):
    aspects = aspects_of(write(fitted, "cx2", planted))
    name = {node["id"]: node["v"]["name"] for node in aspects["nodes"]}
    edges = [(e["v"]["kind"], name[e["s"]], name[e["t"]]) for e in aspects["edges"]]
    assert edges[:40] == [("predicted", *pair) for pair in fitted.names]
    observed = {(a, b) for kind, a, b in edges[40:] if kind == "observed"}
    assert observed == observed_among(planted, fitted)
    assert [e["v"]["rank"] for e in aspects["edges"][:40]] == list(range(1, 41))
    for key in ("nodes", "edges"):
        assert len({e["id"] for e in aspects[key]}) == len(aspects[key])


def test_cx2_maps_kind_to_line_and_score_to_width(fitted):
    (style,) = aspects_of(write(fitted, "cx2"))["visualProperties"]
    for key, of_predicted in (("EDGE_LINE_STYLE", "dashed"), ("EDGE_LINE_COLOR", "#D55E00")):
        mapping = style["edgeMapping"][key]
        assert (mapping["type"], mapping["definition"]["attribute"]) == ("DISCRETE", "kind")
        assert {"v": "predicted", "vp": of_predicted} in mapping["definition"]["map"]
    width = style["edgeMapping"]["EDGE_WIDTH"]
    below, between, above = width["definition"]["map"]
    assert width["type"] == "CONTINUOUS"
    assert below["max"] == between["min"] == pytest.approx(fitted.scores.min(), rel=1e-5)
    assert above["min"] == between["max"] == pytest.approx(fitted.scores.max(), rel=1e-5)
    assert between["minVPValue"] < between["maxVPValue"]
    assert style["nodeMapping"]["NODE_LABEL"]["definition"]["attribute"] == "name"


def test_equal_scores_give_widths_by_kind():
    ranking = Ranking(np.array([[0, 1], [0, 2]]), np.ones(2), ("a", "b", "c"))
    (style,) = aspects_of(write(ranking, "cx2"))["visualProperties"]
    assert style["edgeMapping"]["EDGE_WIDTH"]["type"] == "DISCRETE"


def test_hostile_names_come_back_from_cx2():
    names = [*HOSTILE, *BROKEN_LINES]
    aspects = aspects_of(write(ranking_of(names), "cx2"))
    assert [node["v"]["name"] for node in aspects["nodes"]] == names


def test_a_name_a_viewer_keeps_for_itself_gets_an_underscore():
    columns = {name: np.arange(2.0) for name in ("id", "ID", "Kind", "id_", "fine")}
    aspects = aspects_of(write(ranking_of("abc", **columns), "cx2"))
    shown = list(aspects["edges"][0]["v"])
    assert shown == ["kind", "rank", "score", "id_", "ID__", "Kind_", "id___", "fine"]


def test_sif_lists_predicted_then_observed(planted, fitted):
    lines = [line.split("\t") for line in write(fitted, "sif", planted).splitlines()]
    assert lines[:40] == [[a, "predicted", b] for a, b in fitted.names]
    assert {(a, b) for a, kind, b in lines[40:] if kind == "observed"} == observed_among(
        planted, fitted
    )
    assert write(fitted, "sif") == "".join("\t".join(line) + "\n" for line in lines[:40])


@pytest.mark.parametrize("name", [*BROKEN_LINES, ""])
def test_a_name_sif_cannot_hold_is_refused_before_anything_is_written(name):
    stream = io.StringIO()
    with pytest.raises(InputError, match="sif cannot hold the node name"):
        write_ranking(stream, ranking_of(["a", "b", name]), "sif")
    assert stream.getvalue() == ""


def test_a_predicted_pair_that_the_network_has_is_drawn_once():
    network = lp.Network.from_edges([("a", "b"), ("b", "c")])
    text = write(Ranking(np.array([[0, 1], [0, 2]]), np.ones(2), network.names), "sif", network)
    assert text == "a\tpredicted\tb\na\tpredicted\tc\nb\tobserved\tc\n"


# ---------------------------------------------------------------------- sizes


def test_an_empty_ranking_is_a_valid_file(tmp_path):
    network = lp.Network.from_edges([("a", "b")])
    assert write(empty()) == "rank\tsource\ttarget\tscore\n"
    assert write(empty(), "csv") == "rank,source,target,score\n"
    assert write(empty(), "jsonl") == write(empty(), "sif", network) == ""
    assert aspects_of(write(empty(), "cx2", network))["nodes"] == []
    text = write(empty(), "graphml", network)
    assert len(read_graphml(text)) == 0
    (tmp_path / "g.graphml").write_text(text, encoding="utf-8")
    assert igraph.Graph.Read_GraphML(str(tmp_path / "g.graphml")).vcount() == 0


class Counting(io.TextIOBase):
    """Forgets what is written, and remembers the longest piece."""

    def __init__(self):
        self.longest = self.total = 0

    def write(self, text):
        self.longest = max(self.longest, len(text))
        self.total += len(text)
        return len(text)


@pytest.mark.parametrize("name", FORMATS)
def test_a_long_ranking_is_written_piece_by_piece(name):
    p = 300
    pairs = np.stack(np.triu_indices(p, 1), axis=1)[:30_000].astype(np.int64)
    ranking = Ranking(pairs, np.linspace(1, 0, len(pairs)), tuple(f"node {i}" for i in range(p)))
    target = Counting()
    write_ranking(target, ranking, name)
    assert target.longest < 5000
    assert target.total > 20 * len(ranking)

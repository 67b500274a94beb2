"""What is written is read back: every format of rankings, networks, models, whatever the names."""

import csv
import io
import json

import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from tests.properties.made import few, networks

import linkprior as lp
from linkprior.io.read import read
from linkprior.io.writers import FORMATS, guard, write_ranking
from linkprior.ranking.ranking import Ranking, six_digits

# Names people have: any script, with quotes, commas, blanks and marks of other formats inside.
LETTERS = "aZ09é蛋ßΩ_-.:|/()[]{}&<>'\"#%;,=+@*$ "
ANY = st.text(st.sampled_from(LETTERS + "\t\n\r\u2028"), min_size=1, max_size=6)
NAMES = (
    st.text(st.sampled_from(LETTERS), min_size=1, max_size=6)
    .filter(lambda name: name == name.strip() and "  " not in name)
    .map(lambda name: "n" + name)
)
PLAIN = st.text(st.sampled_from("abcXYZ019_é蛋"), min_size=1, max_size=6).map(
    lambda name: "n" + name
)
scores = st.integers(-(10**6), 10**6).map(lambda n: n / 1000.0)


@st.composite
def rankings(draw, names=NAMES):
    """A network and a ranking of some of its non-edges."""
    net = draw(networks(nodes=(3, 7), names=names))
    A = net.adjacency.toarray()
    free = [(i, j) for j in range(net.n_nodes) for i in range(j) if not A[i, j]]
    pairs = draw(st.lists(st.sampled_from(free), max_size=8, unique=True)) if free else []
    found = sorted(draw(st.lists(scores, min_size=len(pairs), max_size=len(pairs))), reverse=True)
    return net, Ranking(np.array(pairs, np.int64).reshape(-1, 2), np.array(found), net.names)


def text_of(ranking, name, net=None):
    stream = io.StringIO(newline="")
    write_ranking(stream, ranking, name, net)
    return stream.getvalue()


def rows_of(ranking):
    return [[str(n), a, b, six_digits(s)] for n, a, b, s in ranking.rows()]


def by_name(net):
    return {frozenset((net.names[i], net.names[j])) for i, j in net.edges.tolist()}


# ---------------------------------------------------------------------- rankings


@few
@given(rankings(ANY))
def test_a_tsv_has_the_rows_it_was_made_of(case):
    _, ranking = case
    rows = list(csv.reader(io.StringIO(text_of(ranking, "tsv"), newline=""), delimiter="\t"))
    assert rows == [ranking.columns, *rows_of(ranking)]


@few
@given(rankings(ANY))
def test_a_csv_has_them_too_but_for_the_guard_before_formulas(case):
    _, ranking = case
    rows = list(csv.reader(io.StringIO(text_of(ranking, "csv"), newline="")))
    guarded = [[n, guard(a), guard(b), s] for n, a, b, s in rows_of(ranking)]
    assert rows == [ranking.columns, *guarded]
    bare = [[_unguarded(cell) for cell in row[1:3]] for row in rows[1:]]
    assert bare == [list(pair) for pair in ranking.names]


def _unguarded(cell):
    return cell[1:] if cell.startswith("'") and guard(cell[1:]) == cell else cell


@few
@given(rankings(ANY))
def test_json_lines_have_names_and_scores(case):
    _, ranking = case
    rows = [json.loads(line) for line in text_of(ranking, "jsonl").splitlines()]
    assert [[str(r["rank"]), r["source"], r["target"], six_digits(r["score"])] for r in rows] == (
        rows_of(ranking)
    )


def pairs_in_graphml(text):
    graph = nx.read_graphml(io.BytesIO(text.encode("utf-8")))
    name = nx.get_node_attributes(graph, "name")
    return [(kind, name[a], name[b]) for a, b, kind in graph.edges(data="kind")]


def pairs_in_cx2(text):
    aspects = {key: block[key] for block in json.loads(text)[1:] for key in block}
    name = {node["id"]: node["v"]["name"] for node in aspects.get("nodes", [])}
    return [(e["v"]["kind"], name[e["s"]], name[e["t"]]) for e in aspects.get("edges", [])]


def pairs_in_sif(text):
    cells = [line.split("\t") for line in text.split("\n") if line]
    return [(kind, a, b) for a, kind, b in cells]


GRAPHS = {"graphml": pairs_in_graphml, "cx2": pairs_in_cx2, "sif": pairs_in_sif}


@pytest.mark.parametrize("name", GRAPHS)
@few
@given(rankings())
def test_a_graph_holds_predicted_and_observed_edges_and_is_read_back_as_the_latter(
    name, tmp_path, case
):
    net, ranking = case
    text = text_of(ranking, name, net)
    found = {(kind, frozenset(pair)) for kind, *pair in GRAPHS[name](text)}
    shown = {node for pair in ranking.names for node in pair}
    observed = {pair for pair in by_name(net) if pair <= shown}
    predicted = {("predicted", frozenset(pair)) for pair in ranking.names}
    assert found == predicted | {("observed", pair) for pair in observed}
    if observed:  # else there is no network in it
        path = tmp_path / f"links.{name}"
        path.write_text(text, encoding="utf-8", newline="")
        again = read(path)
        assert by_name(again.network) == observed
        assert [one["count"] for one in again.report.dropped] == [len(ranking)]


@pytest.mark.parametrize("name", ["tsv", "csv"])
@few
@given(rankings())
def test_a_table_of_links_is_an_edge_list_with_scores_as_weights(name, tmp_path, case):
    _, ranking = case
    # Weights are numbers above zero, and rounding to six digits must keep their ratios.
    ranking = Ranking(ranking.pairs, 1.0 + np.arange(len(ranking))[::-1], ranking.node_names)
    if not len(ranking):
        return
    path = tmp_path / f"links.{name}"
    path.write_text(text_of(ranking, name), encoding="utf-8", newline="")
    again = lp.read_network(path, columns=("source", "target"), weights="score")
    assert by_name(again) == {frozenset(pair) for pair in ranking.names}
    largest = ranking.scores.max()
    told = {frozenset(link[1:3]): link.score / largest for link in ranking}
    found = zip(again.edges.tolist(), again.known.weights, strict=True)
    for (i, j), weight in found:
        assert weight == pytest.approx(told[frozenset((again.names[i], again.names[j]))])


def test_every_format_of_rankings_is_among_these():
    assert set(FORMATS) == {"tsv", "csv", "jsonl", "graphml", "cx2", "sif"}


# ---------------------------------------------------------------------- networks


def weighted_graph(net, weights):
    graph = nx.Graph()
    graph.add_nodes_from(net.names)
    for (i, j), weight in zip(net.edges.tolist(), weights, strict=True):
        graph.add_edge(net.names[i], net.names[j], weight=weight)
    return graph


def as_lines(net, weights, separator, quote):
    named = [[net.names[i], net.names[j]] for i, j in net.edges.tolist()]
    stream = io.StringIO(newline="")
    table = csv.writer(stream, delimiter=separator, lineterminator="\n", quoting=quote)
    table.writerow(["source", "target", "weight"])
    table.writerows([*pair, repr(w)] for pair, w in zip(named, weights, strict=True))
    return stream.getvalue()


def matrix_of(net, weights):
    i, j = net.edges.T
    half = sp.coo_array((weights, (i, j)), shape=(net.n_nodes, net.n_nodes))
    return (half + half.T).tocsr()


def write_tsv(path, net, weights):
    path.write_text(as_lines(net, weights, "\t", csv.QUOTE_MINIMAL), encoding="utf-8")


def write_csv(path, net, weights):
    path.write_text(as_lines(net, weights, ",", csv.QUOTE_ALL), encoding="utf-8")


def write_mtx(path, net, weights):
    scipy.io.mmwrite(path, matrix_of(net, weights).tocoo(), precision=17)


def by_networkx(write):
    return lambda path, net, weights: write(weighted_graph(net, weights), path)


WRITERS = {
    "tsv": (write_tsv, NAMES),
    "csv": (write_csv, NAMES),
    "graphml": (by_networkx(nx.write_graphml), NAMES),
    "gexf": (by_networkx(nx.write_gexf), NAMES),
    "net": (by_networkx(nx.write_pajek), PLAIN),
    "mtx": (write_mtx, None),
    "npz": (lambda path, net, weights: sp.save_npz(path, matrix_of(net, weights)), None),
}


@pytest.mark.parametrize("form", WRITERS)
@few
@given(data=st.data())
def test_a_network_with_weights_is_read_back_from_any_format(form, tmp_path, data):
    write, names = WRITERS[form]
    net = data.draw(networks(nodes=(3, 7), names=names)).drop_isolated()
    if names is None:  # matrices number their nodes from 1, or from 0
        net = net.rename([str(i + (form == "mtx")) for i in range(net.n_nodes)])
    whole = st.integers(1, 64)
    weights = [
        w / 4 for w in data.draw(st.lists(whole, min_size=net.n_edges, max_size=net.n_edges))
    ]
    path = tmp_path / f"network.{form}"
    write(path, net, weights)
    asked = "value" if names is None else "weight"
    again = lp.read_network(path, weights=asked)
    assert again.n_nodes == net.n_nodes
    told = {
        frozenset((net.names[i], net.names[j])): weight / max(weights)
        for (i, j), weight in zip(net.edges.tolist(), weights, strict=True)
    }
    found = {
        frozenset((again.names[i], again.names[j])): weight
        for (i, j), weight in zip(again.edges.tolist(), again.known.weights, strict=True)
    }
    assert found == pytest.approx(told)


@few
@given(networks(nodes=(3, 8)))
def test_a_metis_file_is_read_back(tmp_path, net):
    lines = [f"{net.n_nodes} {net.n_edges}"]
    A = net.adjacency.toarray()
    lines += [" ".join(str(j + 1) for j in np.flatnonzero(row)) for row in A]
    path = tmp_path / "network.graph"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    again = lp.read_network(path, format="metis", keep_isolated=True)
    assert again.edges.tolist() == net.edges.tolist()


# ---------------------------------------------------------------------- models


@pytest.mark.parametrize("name", ["pa", "l3", "katz", "pu", "tri", "degree:l3"])
@few
@given(net=networks(least=2, nodes=(4, 8), names=NAMES))
def test_a_model_comes_back_with_names_and_scores(name, tmp_path, net):
    quick = {"max_iter": 3, "n_starts": 1}
    known = lp.make(name).get_params()
    model = lp.make(name, **{k: v for k, v in quick.items() if k in known}).fit(net)
    model.save(tmp_path / "model")
    again = lp.load(tmp_path / "model")
    assert again.network_.names == net.names
    assert again.network_.digest == net.digest
    p = net.n_nodes
    assert again.score_rows(0, p).tobytes() == model.score_rows(0, p).tobytes()

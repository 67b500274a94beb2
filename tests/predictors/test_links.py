"""predict_links: the same network gives the same table, whatever held it."""

from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import linkprior as lp
from linkprior.errors import InputError, ParameterError

STEPS = {"n_starts": 1, "warmup": 10, "max_iter": 3}
QUICK = {"model": "tri-degree", **STEPS}
MODELS = {"tri-degree": QUICK, "l3": {"model": "l3"}}


@pytest.fixture(scope="module")
def pairs():
    """Edges between the nodes 0, 1, 2, …, numbered as they first appear."""
    net = lp.planted_network(n_nodes=50, n_groups=4, mean_degree=6, seed=3)
    edges = np.random.default_rng(0).permutation(net.edges)
    number = {node: i for i, node in enumerate(dict.fromkeys(edges.ravel().tolist()))}
    return [(number[a], number[b]) for a, b in edges.tolist()]


@pytest.fixture(scope="module")
def file(pairs, tmp_path_factory):
    path = tmp_path_factory.mktemp("links") / "net.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    return path


def graph_of(pairs, kind=nx.Graph):
    graph = kind()
    graph.add_nodes_from(range(n_nodes(pairs)))
    graph.add_edges_from(pairs)
    return graph


def n_nodes(pairs):
    return max(map(max, pairs)) + 1


def named(pairs):
    graph = igraph.Graph(n=n_nodes(pairs), edges=pairs)
    graph.vs["name"] = [str(i) for i in range(n_nodes(pairs))]
    return graph


def table(pairs):
    return {
        "weight": [1.5] * len(pairs),
        "node_1": [a for a, _ in pairs],
        "node_2": [b for _, b in pairs],
    }


KINDS = {
    "networkx": (graph_of, int),
    "networkx directed": (lambda pairs: graph_of(pairs, nx.DiGraph), int),
    "networkx multi": (lambda pairs: graph_of(pairs + pairs[::-1], nx.MultiGraph), int),
    "igraph": (lambda pairs: igraph.Graph(n=n_nodes(pairs), edges=pairs), int),
    "igraph with names": (named, str),
    "sparse": (lambda pairs: nx.to_scipy_sparse_array(graph_of(pairs), format="coo"), int),
    "sparse matrix": (lambda pairs: sp.csc_matrix(nx.to_numpy_array(graph_of(pairs))), int),
    "dense": (lambda pairs: nx.to_numpy_array(graph_of(pairs)), int),
    "array of edges": (np.array, int),
    "array of floats": (lambda pairs: np.array(pairs, dtype=float), float),
    "pandas": (lambda pairs: pd.DataFrame(table(pairs)), int),
    "polars": (lambda pairs: pl.DataFrame(table(pairs)), int),
    "polars lazy": (lambda pairs: pl.LazyFrame(table(pairs)), int),
    "pairs": (iter, int),
    "network": (lp.Network.from_edges, str),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_every_kind_of_graph_gives_the_table_of_the_file(kind, model, pairs, file):
    build, node_type = KINDS[kind]
    expected = lp.predict_links(file, 40, **MODELS[model])
    found = lp.predict_links(build(pairs), 40, **MODELS[model])
    assert {type(node) for node in [*found.source, *found.target]} == {node_type}
    for column in ("source", "target"):
        found[column] = [str(int(node)) for node in found[column]]
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_a_path_may_be_text(file):
    by_path, by_text = (
        lp.predict_links(kind(file), 9, "pa", evidence=False) for kind in (Path, str)
    )
    pd.testing.assert_frame_equal(by_path, by_text, check_exact=True)


def test_the_table_is_the_one_networkx_would_make(pairs):
    """Every pair of the preferential attachment of networkx, sorted by hand."""
    graph = graph_of(pairs)
    found = lp.predict_links(graph, 10**6, "pa", evidence=False)
    theirs = sorted(
        ((*sorted((a, b), key=str), score) for a, b, score in nx.preferential_attachment(graph)),
        key=lambda link: (-link[2], str(link[0]), str(link[1])),
    )
    assert found.columns.tolist() == ["rank", "source", "target", "score"]
    assert list(zip(found.source, found.target, found.score, strict=True)) == theirs
    assert found["rank"].tolist() == list(range(1, len(theirs) + 1))


def test_predicted_links_can_be_added_to_the_graph_they_came_from():
    grid = nx.relabel_nodes(nx.grid_2d_graph(4, 5), {(0, 0): "corner", (3, 4): frozenset("ab")})
    before = set(grid.nodes()), grid.number_of_edges()
    links = lp.predict_links(grid, 7, "l3", evidence=False)
    grid.add_edges_from(zip(links.source, links.target, strict=True))
    assert (set(grid.nodes()), grid.number_of_edges()) == (before[0], before[1] + 7)


@pytest.mark.parametrize("names", [None, "abcdefgh"])
def test_predicted_links_can_be_added_to_an_igraph(names):
    graph = igraph.Graph.Ring(8)
    if names:
        graph.vs["name"] = list(names)
    links = lp.predict_links(graph, 5, "l3", evidence=False)
    graph.add_edges(zip(links.source, links.target, strict=True))
    assert (graph.vcount(), graph.ecount()) == (8, 13)
    assert graph.is_simple()


def test_nodes_of_mixed_kinds_stay_what_they_are():
    big = 2**60 + 1  # no float is this number
    graph = nx.path_graph([1, 2, 3, 2.5, big])
    links = lp.predict_links(graph, model="pa", evidence=False)
    assert {*links.source, *links.target} == {1, 2, 3, 2.5, big}


def test_nodes_without_an_edge_take_part_on_request_only(pairs):
    graph = graph_of(pairs)
    plain = lp.predict_links(graph, 20, evidence=False, **QUICK)
    graph.add_node("lonely")
    pd.testing.assert_frame_equal(lp.predict_links(graph, 20, evidence=False, **QUICK), plain)
    every = lp.predict_links(graph, 10**6, "pa", evidence=False, keep_isolated=True)
    assert "lonely" in set(every.target)


def test_there_are_no_more_rows_than_candidates():
    path = [(1, 2), (2, 3), (3, 4)]
    links = lp.predict_links(path, 100, "pa", evidence=False)
    assert list(zip(links.source, links.target, strict=True)) == [(1, 3), (2, 4), (1, 4)]
    triangle = lp.predict_links([(1, 2), (2, 3), (3, 1)], 100, "pa", evidence=False)
    assert len(triangle) == 0
    assert triangle.columns.tolist() == links.columns.tolist()
    assert len(lp.predict_links(path, 0, "pa", evidence=False)) == 0
    with pytest.raises(ParameterError, match="k must be"):
        lp.predict_links(path, -1, "pa", evidence=False)


def test_columns_of_a_frame_may_be_chosen():
    frame = pd.DataFrame({"n": [1, 2, 3], "left": list("abc"), "right": list("bcd")})
    links = lp.predict_links(frame, model="pa", evidence=False, source="left", target="right")
    assert {*links.source, *links.target} == set("abcd")


# ---------------------------------------------------------------------- models


def test_the_seed_is_that_of_make(pairs):
    net = lp.Network.from_edges(pairs)
    for seed in (0, 5):
        found = lp.predict_links(net, 30, seed=seed, evidence=False, **QUICK)
        ranking = lp.make("tri-degree", seed=seed, **STEPS).fit(net).predict_edges(30)
        pd.testing.assert_frame_equal(found, ranking.to_frame(), check_exact=True)
    assert found.score.tolist() != lp.predict_links(net, 30, evidence=False, **QUICK).score.tolist()


@pytest.mark.at_length
def test_the_default_is_auto_and_takes_its_parameters():
    """On a network large enough to learn from: what to expect stands beside the evidence."""
    net = lp.planted_network(n_nodes=150, n_groups=5, mean_degree=12, seed=2)
    found = lp.predict_links(net, 30, seed=3, effort="fast")
    ranking = lp.make("auto", effort="fast", seed=3).fit(net).predict_edges(30)
    plain = ["rank", "source", "target", "score"]
    pd.testing.assert_frame_equal(found[plain], ranking.to_frame(), check_exact=True)
    ends = ["probability_low", "probability_high"]
    assert found.columns.tolist()[-4:] == ["probability", *ends, "expected_hits_cumulative"]
    assert found.probability.between(0, 1).all()
    assert found.probability.is_monotonic_decreasing
    np.testing.assert_allclose(found.expected_hits_cumulative, np.cumsum(found.probability))


def test_a_predictor_is_used_and_left_as_it_is(pairs):
    model = lp.make("tri", n_starts=1, max_iter=5, seed=4)
    found = lp.predict_links(pairs, 30, model, evidence=False)
    assert not model.fitted
    by_name = lp.predict_links(pairs, 30, "tri", 4, evidence=False, n_starts=1, max_iter=5)
    pd.testing.assert_frame_equal(found, by_name, check_exact=True)


@pytest.mark.parametrize("keep", [True, False])
def test_a_fitted_predictor_is_not_fitted_again(pairs, keep, monkeypatch):
    net = lp.Network.from_edges([*pairs, (999, 999)])
    model = lp.make("l3").fit(net if keep else net.drop_isolated())
    monkeypatch.setattr(type(model), "fit", None)
    found = lp.predict_links([*pairs, (999, 999)], 30, model, evidence=False)
    ranking = model.predict_edges(30)
    assert found.source.astype(str).tolist() == [a for a, _ in ranking.names]
    assert found.target.astype(str).tolist() == [b for _, b in ranking.names]


def test_a_predictor_fitted_on_another_network_is_refused(pairs):
    model = lp.make("l3").fit(pairs)
    with pytest.raises(InputError, match=r"L3\(\) was fitted on another network \(Network\("):
        lp.predict_links(pairs[:-1], model=model)


def test_parameters_belong_to_the_predictor_that_is_given(pairs):
    for given in ({"rank": 3}, {"seed": 3}):
        with pytest.raises(
            ParameterError, match=f"{next(iter(given))} is a parameter of the model"
        ):
            lp.predict_links(pairs, model=lp.make("tri"), **given)
    with pytest.raises(ParameterError, match=r"no parameter 'rnk'. Did you mean rank or"):
        lp.predict_links(pairs, model="tri-degree", rnk=3)
    with pytest.raises(ParameterError, match="no model is called 'tri-degre'"):
        lp.predict_links(pairs, model="tri-degre")


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="path of a file; got int"):
        lp.predict_links(5)
    with pytest.raises(InputError, match="no pair to predict"):
        lp.predict_links(nx.empty_graph(5))


# ---------------------------------------------------------------------- evidence


def test_evidence_comes_after_the_score_and_changes_nothing_before_it(pairs):
    graph = graph_of(pairs)
    plain = lp.predict_links(graph, 30, "l3", evidence=False)
    told = lp.predict_links(graph, 30, "l3")
    pd.testing.assert_frame_equal(told[plain.columns.tolist()], plain, check_exact=True)
    assert told.columns.tolist()[:4] == plain.columns.tolist()
    degrees = [graph.degree[node] for node in told.source]
    assert told.degree_source.tolist() == degrees


# ---------------------------------------------------------------------- tuned first


def test_the_best_setting_is_fitted_on_all_edges(pairs, file):
    found = lp.tune("katz", lp.read_network(file).sorted(), 6, seed=2)
    links = lp.predict_links(pairs, 12, "katz", 2, evidence=False, tune=6)
    expected = lp.predict_links(pairs, 12, found.model, evidence=False)
    pd.testing.assert_frame_equal(links, expected)
    assert links.attrs["tuned"] == found.facts()
    assert found.facts()["best_params"] == found.best_params
    assert "tuned" not in expected.attrs


def test_a_predictor_is_tuned_with_its_own_seed_and_left_as_it_is(pairs):
    model = lp.make("tri", seed=4, n_starts=1, max_iter=5)
    before = model.get_params()
    links = lp.predict_links(pairs, 12, model, evidence=False, tune=2)
    assert (model.get_params(), model.fitted) == (before, False)
    network = lp.Network.from_edges(pairs).sorted()
    seeds = [lp.tune(model, network, 2, seed=seed).facts() for seed in (4, 0)]
    assert [links.attrs["tuned"] == one for one in seeds] == [True, False]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": "tri-degree", "rho": 0.1}, "^tune searches rho: leave out rho, or tune$"),
        ({"model": "auto"}, "^auto has no parameter to tune: leave tune out, or .* tri-degree,"),
        ({"model": "consensus:l3"}, "consensus:l3 has no parameter to tune"),
        ({"model": "katz", "tune": 0}, "tune must be a whole number ≥ 1, got 0"),
        ({"model": "katz", "tune": "many"}, "tune must be a whole number ≥ 1, got 'many'"),
        ({"model": "katz", "gamma": 1}, "katz has no parameter 'gamma'"),
    ],
)
def test_what_cannot_be_tuned_is_refused_before_the_graph_is_read(given, said):
    with pytest.raises(ParameterError, match=said):
        lp.predict_links("no such file", **{"tune": 3, **given})


def test_a_fitted_predictor_is_not_tuned(pairs):
    with pytest.raises(ParameterError, match=r"Katz\(\) is fitted already"):
        lp.predict_links(pairs, model=lp.make("katz").fit(pairs), tune=3)


def test_too_few_edges_to_hide_some(pairs):
    with pytest.raises(lp.LinkpriorError, match="hides a tenth of the training edges"):
        lp.predict_links(pairs[:3], model="katz", tune=3)

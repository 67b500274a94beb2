"""Base models that are no models of their own: non-negative factors and eigenvectors."""

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.predictors.auto.sources import (
    BY_LABEL,
    EFFORTS,
    SOURCES,
    Eigenvectors,
    NonNegative,
    Source,
    choose,
)


def dense(net, rank):
    """The formula with the exact eigenvectors, the largest eigenvalues by size."""
    A, quarter = net.adjacency.toarray(), np.maximum(net.degrees, 1.0) ** 0.25
    values, V = np.linalg.eigh(A / np.outer(quarter, quarter))
    kept = np.argsort(-np.abs(values))[:rank]
    return np.outer(quarter, quarter) * ((V[:, kept] * values[kept]) @ V[:, kept].T)


@pytest.mark.parametrize(("rank", "least"), [(2, 0.999), (7, 0.95), (52, 0.9999)])
def test_eigenvectors_come_near_the_dense_formula(planted, rank, least):
    model = Eigenvectors(rank=rank).fit(planted)
    pairs = np.stack(np.triu_indices(planted.n_nodes, 1), axis=1)
    found = model.score_pairs(pairs)
    assert np.corrcoef(found, dense(planted, rank)[tuple(pairs.T)])[0, 1] > least
    matrix = model.score_rows(0, planted.n_nodes)
    np.testing.assert_allclose(found, matrix[tuple(pairs.T)], atol=1e-5)


@pytest.mark.parametrize(
    "graph",
    [nx.cycle_graph(600), nx.complete_bipartite_graph(250, 300), nx.star_graph(550)],
    ids=["cycle", "bipartite", "star"],
)
def test_networks_whose_nodes_are_alike_have_the_same_eigenvectors_each_time(graph):
    net = lp.Network.from_networkx(graph)
    one, two = (Eigenvectors().fit(net).learned_.arrays for _ in range(2))
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])


def test_eigenvalues_that_are_zero_but_for_rounding_add_nothing():
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 9)])
    leaves = Eigenvectors(rank=5).fit(star).learned_.arrays["L"]
    assert (np.abs(leaves).max(axis=0) > 0).sum() == 2  # ±√8 are all the eigenvalues there are


def test_non_negative_factors_come_near_the_matrix(planted):
    model = NonNegative(rank=20).fit(planted)
    L, R = (model.learned_.arrays[name] for name in "WH")
    assert (L >= 0).all()
    assert (R >= 0).all()
    A = planted.adjacency.toarray()
    assert np.linalg.norm(L @ R.T - A) < np.linalg.norm(A - dense(planted, 3))


def bytes_of(label, net, seed, workers=1):
    model = BY_LABEL[label].make(seed, net.n_nodes)
    with lp.use_workers(workers):
        return model.fit(net).score_rows(0, net.n_nodes).tobytes()


RANDOM = [source.label for source in SOURCES if "seed" in source.make(0, 9).get_params()]


@pytest.mark.parametrize("label", RANDOM)
def test_another_seed_gives_another_start(planted, label):
    assert bytes_of(label, planted, 1) == bytes_of(label, planted, 1)
    assert bytes_of(label, planted, 1) != bytes_of(label, planted, 2)


@pytest.mark.parametrize("label", [source.label for source in SOURCES])
def test_the_number_of_workers_changes_no_byte(label):
    net = lp.planted_network(300, 5, 8.0, seed=1)
    assert bytes_of(label, net, 1) == bytes_of(label, net, 1, workers=3)


@pytest.mark.parametrize(("label", "least"), [("pu64", 95), ("dcsbm", 90)])
def test_the_top_hardly_moves_with_the_seed(label, least):
    net = lp.planted_network(300, 5, 8.0, seed=1)
    tops = []
    for seed in (1, 2):
        links = BY_LABEL[label].make(seed, net.n_nodes).fit(net).predict_edges(100)
        tops.append({(link.source, link.target) for link in links})
    assert len(tops[0] & tops[1]) >= least


def test_a_small_network_has_fewer_factors_than_the_source_asks_for():
    assert BY_LABEL["pu64"].make(0, 10).rank == 5
    assert BY_LABEL["pu64"].make(0, 1000).rank == 64


def test_more_effort_asks_more_sources():
    net = lp.planted_network(100, seed=1)
    fast, normal, thorough = ({s.label for s in choose(net, effort).sources} for effort in EFFORTS)
    assert fast < normal < thorough == {source.label for source in SOURCES}


def test_a_source_that_would_take_too_long_is_left_out_and_named(planted, monkeypatch):
    monkeypatch.setattr(Source, "seconds", lambda self, _: 1e4 if self.label == "l3" else 1.0)
    chosen = choose(planted, "normal")
    assert chosen.left_out == {"l3": "too slow here (about 10000 s a pass)"}
    assert "l3" not in {source.label for source in chosen.sources}


def test_where_all_would_take_too_long_the_quickest_is_used(planted, monkeypatch):
    monkeypatch.setattr(Source, "seconds", lambda self, _: 7e3 if self.label == "ra" else 8e3)
    chosen = choose(planted, "fast")
    assert [source.label for source in chosen.sources] == ["ra"]
    assert "ra" not in chosen.left_out
    assert "too slow here (about 8000 s a pass)" in chosen.left_out["pa"]

"""Base models that are no models of their own: non-negative factors and eigenvectors."""

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.predictors.auto import sources
from linkprior.predictors.auto.sources import BY_LABEL, Eigenvectors, NonNegative


def dense(net, rank):
    A, quarter = net.adjacency.toarray(), np.maximum(net.degrees, 1.0) ** 0.25
    values, V = np.linalg.eigh(A / np.outer(quarter, quarter))
    kept = np.argsort(-np.abs(values))[:rank]
    return np.outer(quarter, quarter) * ((V[:, kept] * values[kept]) @ V[:, kept].T)


@pytest.mark.parametrize("smallest", [2, 500], ids=["sparse", "dense"])
def test_leading_eigenvectors_give_the_dense_formula(planted, monkeypatch, smallest):
    monkeypatch.setattr(sources, "_DENSE_BELOW", smallest)
    model = Eigenvectors(rank=7).fit(planted)
    found = model.score_rows(0, planted.n_nodes)
    expected = dense(planted, 7)
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    pairs = np.stack(np.triu_indices(planted.n_nodes, 1), axis=1)
    np.testing.assert_allclose(model.score_pairs(pairs), expected[tuple(pairs.T)], atol=1e-5)


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
    L, R = (model.learned_.arrays[name] for name in "LR")
    assert (L >= 0).all()
    assert (R >= 0).all()
    A = planted.adjacency.toarray()
    assert np.linalg.norm(L @ R.T - A) < np.linalg.norm(A - dense(planted, 3))


def bytes_of(label, net, seed, workers=1):
    model = BY_LABEL[label].make(seed, net.n_nodes)
    with lp.use_workers(workers):
        return model.fit(net).score_rows(0, net.n_nodes).tobytes()


RANDOM = ("pu16", "pu64", "tri", "dcsbm")


@pytest.mark.parametrize("label", RANDOM)
def test_another_seed_gives_other_scores(planted, label):
    assert bytes_of(label, planted, 1) != bytes_of(label, planted, 2)


@pytest.mark.parametrize("label", [*RANDOM, "nmf16", "nmf64"])
def test_the_number_of_workers_changes_no_byte(label):
    net = lp.planted_network(300, 5, 8.0, seed=1)
    assert bytes_of(label, net, 1) == bytes_of(label, net, 1, workers=3)


@pytest.mark.parametrize(("label", "least"), [("pu16", 0.9), ("pu64", 0.9), ("tri", 0.85)])
def test_the_top_hardly_moves_with_the_seed(label, least):
    net = lp.planted_network(300, 5, 8.0, seed=1)
    tops = []
    for seed in (1, 2):
        links = BY_LABEL[label].make(seed, net.n_nodes).fit(net).predict_edges(100)
        tops.append({(link.source, link.target) for link in links})
    assert len(tops[0] & tops[1]) >= 100 * least

"""Peers over common neighbours, beside the formulas with Python's sets and beside networkx."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior.predictors import local as module

FORMULAS = {
    "cn": lambda x, y, near: len(near[x] & near[y]),
    "aa": lambda x, y, near: sum(1 / log(len(near[z])) for z in near[x] & near[y]),
    "ra": lambda x, y, near: sum(1 / len(near[z]) for z in near[x] & near[y]),
    "jaccard": lambda x, y, near: len(near[x] & near[y]) / max(1, len(near[x] | near[y])),
}
every = pytest.mark.parametrize("name", FORMULAS)


def neighbourhoods(net):
    near = {node: set() for node in range(net.n_nodes)}
    for i, j in zip(*net.adjacency.nonzero(), strict=True):
        near[int(i)].add(int(j))
    return near


def by_sets(name, net):
    near, scores = neighbourhoods(net), np.zeros((net.n_nodes, net.n_nodes))
    for x, y in combinations(range(net.n_nodes), 2):
        scores[x, y] = scores[y, x] = FORMULAS[name](x, y, near)
    return scores


def every_pair(net):
    return np.stack(np.triu_indices(net.n_nodes, 1), axis=1)


@every
@slowly
@given(net=networks(largest=16))
def test_scores_are_the_formula_written_with_sets(name, net):
    model = lp.make(name).fit(net)
    expected = by_sets(name, net)
    np.testing.assert_allclose(model.score_rows(0, net.n_nodes), expected, rtol=1e-13, atol=0)
    pairs = every_pair(net)
    np.testing.assert_allclose(model.score_pairs(pairs), expected[tuple(pairs.T)], rtol=1e-13)


@every
def test_scores_are_those_of_networkx(name):
    nx = pytest.importorskip("networkx")
    graph = nx.barabasi_albert_graph(300, 4, seed=5)
    theirs = {
        "cn": nx.common_neighbor_centrality,
        "aa": nx.adamic_adar_index,
        "ra": nx.resource_allocation_index,
        "jaccard": nx.jaccard_coefficient,
    }[name]
    pairs = list(nx.non_edges(graph))[::7]
    options = {"alpha": 1.0} if name == "cn" else {}
    expected = [score for _, _, score in theirs(graph, pairs, **options)]
    ours = lp.make(name).fit(graph).score_pairs(pairs)
    assert max(expected) > 0
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


@every
def test_rows_pairs_and_blocks_are_equal_to_the_last_bit_and_symmetric(name):
    net = lp.planted_network(n_nodes=300, n_groups=4, mean_degree=12, seed=6)
    model, pairs = lp.make(name).fit(net), every_pair(net)
    rows = model.score_rows(0, net.n_nodes)
    assert (rows == rows.T).all()
    assert (model.score_pairs(pairs) == rows[tuple(pairs.T)]).all()
    assert (model.score_rows(41, 77) == rows[41:77]).all()


@every
def test_many_pairs_are_scored_in_portions(name, monkeypatch):
    net = lp.planted_network(n_nodes=80, n_groups=2, mean_degree=8, seed=1)
    model, pairs = lp.make(name).fit(net), every_pair(net)[::-1]
    whole = model.score_pairs(pairs)
    monkeypatch.setattr(module, "_AT_ONCE", 50)
    assert len(list(module._portions(pairs, net.degrees))) > 100
    assert (model.score_pairs(pairs) == whole).all()
    assert len(model.score_pairs([])) == 0


@every
def test_nodes_without_edges_and_far_nodes_score_zero(name):
    net = lp.Network.from_edges([(0, 1), (1, 2), (2, 3)], nodes=range(6))
    scores = lp.make(name).fit(net).score_rows(0, 6)
    assert {(int(i), int(j)) for i, j in zip(*scores.nonzero(), strict=True)} == {
        (0, 2),
        (2, 0),
        (1, 3),
        (3, 1),
    }

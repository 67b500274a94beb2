"""The formulas over degrees and common neighbours, on networks counted by hand."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import every_pair, networks, slowly

import linkprior as lp
from linkprior.predictors import local as module

WORD = 2**64


def splitmix(state):
    """The published generator, one number of 64 bits, in Python's whole numbers."""
    word = state % WORD
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def draw(seed, i, j):
    key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    golden = 0x9E3779B97F4A7C15
    stream = splitmix(key + (min(i, j) + 1) * golden)
    return (splitmix(stream + (max(i, j) + 1) * golden) >> 11) / 2**53


@slowly
@given(networks())
def test_pa_is_the_product_of_degrees_counted_by_hand(net):
    edges = set(zip(*net.adjacency.nonzero(), strict=True))
    degree = [sum(i == node for i, _ in edges) for node in range(net.n_nodes)]
    scores = lp.make("pa").fit(net).score_rows(0, net.n_nodes)
    for i, j in combinations(range(net.n_nodes), 2):
        assert scores[i, j] == scores[j, i] == degree[i] * degree[j]


@pytest.mark.at_length
@slowly
@given(networks(), st.integers(0, 2**70))
def test_random_is_the_hash_written_out_for_rows_and_pairs(net, seed):
    model = lp.make("random", seed=seed).fit(net)
    rows = model.score_rows(0, net.n_nodes)
    for i, j in combinations(range(net.n_nodes), 2):
        assert rows[i, j] == rows[j, i] == draw(seed, i, j)
        assert model.score_pairs([(j, i)])[0] == rows[i, j]


def test_random_does_not_look_at_the_edges_or_the_size():
    small = lp.Network.from_edges([(0, 1)], nodes=range(5))
    large = lp.Network.from_edges([(3, 4), (8, 9)], nodes=range(10))
    one, other = (lp.make("random", seed=4).fit(net) for net in (small, large))
    assert (one.score_rows(0, 5) == other.score_rows(0, 5)[:, :5]).all()


# ----------------------------------------------------------------------
# Peers over common neighbours, beside the formulas with Python's sets and beside networkx.


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
    assert (model.score_pairs(pairs) == whole).all()
    assert len(model.score_pairs([])) == 0

"""The estimates of d and d′ in "Learning Node Degree via Cross Validation", in exact numbers."""

import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from tests.paper.dense import KARATE, gnm, weighted_network

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.model.degrees import prior_degrees


def exact(net, n_edges, c="1"):
    """d′ᵢ = min(⌈c·⌈2·oᵢ·K/Σo⌉⌉, p−1), at least 1, in fractions; c is the decimal as written."""
    total = int(net.degrees.sum())
    d = [math.ceil(Fraction(2 * int(o) * n_edges, total)) for o in net.degrees]
    return [max(1, min(math.ceil(Fraction(c) * k), net.n_nodes - 1)) for k in d]


def random_networks(n=25):
    for seed in range(n):
        p = 5 + 7 * seed
        yield gnm(p, 2 * p, seed)
    yield lp.Network.from_networkx(nx.barabasi_albert_graph(400, 3, seed=1))
    yield lp.Network.from_networkx(nx.star_graph(50))


def test_with_the_observed_number_of_edges_degrees_are_the_observed():
    """In whole numbers: 2·o/Σo·K in floats is above o for some of these nodes."""
    off = 0
    for net in random_networks():
        expected = np.maximum(net.degrees, 1)
        np.testing.assert_array_equal(lp.theory.estimate_degrees(net, net.n_edges), expected)
        np.testing.assert_array_equal(lp.theory.estimate_degrees(net), expected)
        in_floats = np.ceil(2 * net.degrees / net.degrees.sum() * net.n_edges)
        off += (in_floats > net.degrees).sum()
    assert off > 0


@pytest.mark.parametrize("c", ["1e-12", "1", "0.3", "0.5", "1.1", "1.7", "2", "50"])
def test_estimate_is_the_formula_in_fractions(c):
    rng = np.random.default_rng(1)
    for net in random_networks():
        for n_edges in (1, net.n_edges + 1, int(rng.integers(1, 3 * net.n_nodes))):
            k = min(n_edges, net.n_nodes * (net.n_nodes - 1) // 2)
            got = lp.theory.estimate_degrees(net, k, float(c))
            np.testing.assert_array_equal(got, exact(net, k, c))


def test_estimate_is_exact_for_every_number_of_edges():
    for k in range(1, 34 * 33 // 2 + 1):
        np.testing.assert_array_equal(lp.theory.estimate_degrees(KARATE, k), exact(KARATE, k))


def test_amplification_comes_after_the_first_rounding():
    """o = (1, 1, 1, 3), K = 4: 2·o·4/6 = 4/3 → 2 and 4; times 1.5 → 3 and 6 → 3 (not ⌈2⌉ = 2)."""
    net = lp.Network.from_networkx(nx.star_graph(3))
    np.testing.assert_array_equal(lp.theory.estimate_degrees(net, 4, 1.5), [3, 3, 3, 3])
    wide = lp.Network.from_networkx(nx.star_graph(9))  # 2·1·10/18 = 10/9 → 2 → ⌈3⌉, not ⌈5/3⌉
    assert lp.theory.estimate_degrees(wide, 10, 1.5)[1] == 3


def test_a_huge_amplification_still_means_the_highest_degree():
    net = lp.Network.from_networkx(nx.star_graph(6))
    for c in (1e9, 1e30, 1e300):
        np.testing.assert_array_equal(lp.theory.estimate_degrees(net, c=c), [6] * 7)


@pytest.mark.parametrize("c", [0.01, 1.0, 3.0])
def test_isolated_nodes_get_degree_one(c):
    net = lp.Network.from_edges([("a", "b"), ("b", "c")], nodes="abcde")
    d = lp.theory.estimate_degrees(net, c=c)
    assert d[3] == d[4] == 1
    assert d.min() >= 1


def test_degrees_are_whole_numbers_and_the_network_stays():
    net = lp.Network.from_networkx(nx.path_graph(5))
    before = net.degrees.copy()
    d = lp.theory.estimate_degrees(net, 7, 1.3)
    assert d.dtype == np.int64
    d[0] = 99
    np.testing.assert_array_equal(net.degrees, before)


@pytest.mark.parametrize("n_edges", [0, -3, 11, 2.5, "4", np.nan, True])
def test_number_of_edges_refused(n_edges):
    net = lp.Network.from_networkx(nx.path_graph(5))  # 10 pairs
    with pytest.raises(ParameterError, match=r"^n_edges must"):
        lp.theory.estimate_degrees(net, n_edges)


@pytest.mark.parametrize("c", [0.0, -1.0, np.nan, np.inf, "1"])
def test_amplification_refused(c):
    net = lp.Network.from_networkx(nx.path_graph(5))
    with pytest.raises(ParameterError, match=r"^c must"):
        lp.theory.estimate_degrees(net, c=c)


def test_a_network_without_edges_and_a_plain_matrix_are_refused():
    for empty in (lp.Network.from_edges([], nodes="abc"), lp.Network.from_edges([], nodes="a")):
        for n_edges in (1, None):
            with pytest.raises(InputError, match="without edges"):
                lp.theory.estimate_degrees(empty, n_edges)
    with pytest.raises(ParameterError, match="net must be a linkprior Network, got ndarray"):
        lp.theory.estimate_degrees(np.zeros((3, 3)))


def test_degrees_are_those_observed_or_shuffled_by_a_seed():
    tree = lp.Network.from_edges([(0, 1), (0, 2), (0, 3), (3, 4), (4, 5), (4, 6)])
    assert prior_degrees(tree).tolist() == tree.degrees.tolist()
    shuffled = prior_degrees(tree, given="shuffled").tolist()
    assert shuffled == prior_degrees(tree, given="shuffled", seed=0).tolist()
    assert sorted(shuffled) == sorted(tree.degrees.tolist())
    assert shuffled != prior_degrees(tree, given="shuffled", seed=1).tolist()


def test_confidences_count_where_only_some_nodes_have_less_than_their_degree():
    path = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    sure = path.with_weights([1.0, 0.5, 0.5])  # a is as sure as it has edges; Σ = 4
    assert lp.theory.estimate_degrees(sure).tolist() == [2, 3, 2, 1]  # ⌈6/4⌉, ⌈9/4⌉, ⌈6/4⌉, ⌈3/4⌉


@pytest.mark.parametrize("seed", range(4))
def test_degrees_of_a_weighted_network_are_the_formula_with_weights_in_fractions(seed):
    net = weighted_network(seed=seed)
    sure = net.confidence.toarray()
    strengths = [sum(map(Fraction, row)) for row in sure.tolist()]
    for k in (1, 7, net.n_edges, 60):
        wished = [math.ceil(2 * s * k / sum(strengths)) for s in strengths]
        expected = [max(1, min(d, net.n_nodes - 1)) for d in wished]
        assert lp.theory.estimate_degrees(net, k).tolist() == expected


def test_given_degrees_are_amplified_and_never_exceed_the_number_of_partners():
    net = weighted_network()
    given = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13]
    expected = [min(math.ceil(Fraction(3, 2) * d), 13) for d in given]
    assert prior_degrees(net, c=1.5, given=given).tolist() == expected
    assert prior_degrees(net, c=100.0, given=given).tolist() == [13] * 14

"""Hidden edges: which, how many, and what is left."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior.predictors.auto.holdout import hide, n_drawn, n_hidden


@slowly
@given(networks(), st.floats(0.01, 0.89), st.integers(0, 99))
def test_every_node_keeps_an_edge_and_hidden_pairs_were_edges(net, share, seed):
    found = hide(net, share, np.random.default_rng(seed))
    edges = set(map(tuple, net.edges.tolist()))
    hidden = set(map(tuple, found.hidden.tolist()))
    assert len(hidden) == len(found.hidden) <= max(1, round(share * net.n_edges))
    assert hidden <= edges
    assert set(map(tuple, found.train.edges.tolist())) == edges - hidden
    assert found.train.names == net.names
    np.testing.assert_array_equal(found.train.degrees > 0, net.degrees > 0)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.5])
def test_where_no_node_is_short_of_edges_the_share_is_hidden(share):
    ring = [(i, (i + step) % 60) for i in range(60) for step in range(1, 11)]
    net = lp.Network.from_edges(ring)
    found = hide(net, share, np.random.default_rng(1))
    assert len(found.hidden) == n_drawn(net, share) == round(share * 600)


def test_the_draw_follows_the_generator(planted):
    draws = [hide(planted, 0.1, np.random.default_rng(seed)).hidden for seed in (4, 4, 5)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert draws[0].tolist() != draws[2].tolist()


def test_every_edge_is_as_likely_to_be_hidden():
    net = lp.Network.from_edges([(i, j) for i in range(9) for j in range(i)])
    counts = np.zeros(net.n_edges)
    code = {tuple(edge): at for at, edge in enumerate(net.edges.tolist())}
    for seed in range(400):
        for edge in hide(net, 0.25, np.random.default_rng(seed)).hidden.tolist():
            counts[code[tuple(edge)]] += 1
    assert np.abs(counts - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)


def test_nothing_is_hidden_where_every_edge_is_a_nodes_last():
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 9)])
    found = hide(star, 0.5, np.random.default_rng(0))
    assert len(found.hidden) == 0
    assert found.train is star


def test_no_edge_is_hidden_twice(planted):
    found = [hide(planted, 0.15, np.random.default_rng(3), number).hidden for number in range(6)]
    edges = [tuple(edge) for hidden in found for edge in hidden.tolist()]
    assert len(edges) == len(set(edges)) > planted.n_edges / 2
    more = hide(planted, 0.15, np.random.default_rng(3), 60)  # all have had their turn
    assert len(more.hidden) > 0
    assert more.train.n_edges + len(more.hidden) == planted.n_edges


def test_the_number_of_edges_that_can_be_hidden_is_foreseen(planted):
    sizes = [len(hide(planted, 0.1, np.random.default_rng(seed)).hidden) for seed in range(60)]
    assert n_hidden(planted, 0.1) == pytest.approx(np.mean(sizes), rel=0.15)
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 30)])
    assert n_hidden(star, 0.1) == 1.0

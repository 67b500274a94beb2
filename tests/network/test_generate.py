"""Generated and rewired networks."""

import pytest

import linkprior as lp


def test_generated_network_has_the_requested_size_and_hubs():
    net = lp.planted_network(n_nodes=400, mean_degree=8, seed=5)
    assert abs(2 * net.n_edges / 400 - 8) < 1
    assert net.degrees.min() >= 1
    assert net.degrees.max() > 4 * net.degrees.mean()
    assert net.digest == lp.planted_network(n_nodes=400, mean_degree=8, seed=5).digest
    assert net.digest != lp.planted_network(n_nodes=400, mean_degree=8, seed=6).digest


def test_rewiring_keeps_every_degree_and_hardly_any_edge():
    net = lp.planted_network(n_nodes=300, mean_degree=8, seed=1)
    rewired = lp.rewired_network(net, seed=3)
    assert (rewired.degrees == net.degrees).all()
    assert rewired.names == net.names
    assert rewired.n_edges == net.n_edges
    before, after = (set(map(tuple, n.edges.tolist())) for n in (net, rewired))
    assert len(before & after) < 0.3 * net.n_edges


def test_rewiring_is_drawn_by_its_seed():
    net = lp.planted_network(n_nodes=100, seed=1)
    one, again, other = (lp.rewired_network(net, seed=seed).digest for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_rewiring_reaches_every_network_of_its_degrees_about_as_often():
    """Degrees 2, 2, 2, 2, 2: the twelve rings of five nodes."""
    ring = lp.Network.from_edges([(i, (i + 1) % 5) for i in range(5)])
    found = [lp.rewired_network(ring, seed=seed).digest for seed in range(600)]
    counts = {digest: found.count(digest) for digest in found}
    assert len(counts) == 12
    assert max(counts.values()) < 100  # 50 expected, sd 6.8


@pytest.mark.parametrize(
    "edges", [[], [("a", "b")], [("a", "b"), ("b", "c"), ("c", "a")], [("a", "b"), ("a", "c")]]
)
def test_networks_that_cannot_be_rewired_stay_as_they_are(edges):
    net = lp.Network.from_edges(edges, nodes="abc")
    assert lp.rewired_network(net).digest == net.digest

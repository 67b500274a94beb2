"""The search for blocks in single steps: the picture, centres, levels, merges and moves."""

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.solvers import sbm_search as bs
from linkprior.solvers.sbm_search import BlockSearch, Partition, levels, xlogx_table


def ring_of_cliques(count, size):
    """Return a ring of cliques, and the clique of each node."""
    graph = nx.disjoint_union_all([nx.complete_graph(size)] * count)
    if count > 1:
        graph.add_edges_from((n * size, (n + 1) % count * size + 1) for n in range(count))
    return nx.to_scipy_sparse_array(graph, format="csr"), np.repeat(np.arange(count), size)


def search(count=4, size=5, most=6, n_blocks=None, max_iter=5):
    adjacency, group = ring_of_cliques(count, size)
    return BlockSearch(adjacency, most, n_blocks, max_iter), group


@pytest.mark.parametrize(
    ("most", "least", "path"),
    [
        (1, 1, [1]),
        (3, 1, [3, 2, 1]),
        (31, 24, [31, 28, 26, 24]),
        (40, 38, [40, 38]),  # four at once would be too many
        (20, 20, [20]),
        (5, 9, [5]),
    ],
)
def test_levels_fall_by_a_tenth_and_end_at_the_least(most, least, path):
    assert levels(most, least) == path


@pytest.mark.parametrize("seed", range(5))
def test_the_cut_finds_points_that_stand_apart_whatever_it_begins_with(seed):
    """A centre that no point is nearest to begins anew, at a point drawn by lot."""
    made, group = search(4, 5, most=4)
    places = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.3, -1.0]])
    made.__dict__["picture"] = places[group]
    cut, again = (made._cut(np.random.default_rng(seed)) for _ in range(2))
    assert cut.tolist() == again.tolist()
    assert set(cut.tolist()) == {0, 1, 2, 3}
    assert len(set(zip(cut.tolist(), group.tolist(), strict=True))) == 4


def test_centres_move_to_the_middle_of_their_points():
    """Two crowds: wherever two centres begin, each ends in one of them."""
    made, _ = search(2, 5, most=2)
    made.__dict__["picture"] = np.array([[x, 0.0] for x in (0, 1, 2, 3, 4, 16, 17, 18, 19, 20)])
    for seed in range(6):
        cut = made._cut(np.random.default_rng(seed)).tolist()
        assert cut in ([0] * 5 + [1] * 5, [1] * 5 + [0] * 5)


@pytest.mark.parametrize("seed", range(4))
def test_with_as_many_centres_as_points_each_point_is_its_own(seed):
    ring = nx.to_scipy_sparse_array(nx.cycle_graph(12), format="csr")
    angle = np.linspace(0.0, 6.0, 12)
    made = BlockSearch(ring, 12, None, 5)
    made.__dict__["picture"] = np.column_stack([np.cos(angle), np.sin(angle)])
    assert made._cut(np.random.default_rng(seed)).tolist() == list(range(12))


def plain_picture(adjacency, width):
    """Return the cosines between nodes in the leading eigenvectors, which no sign can change."""
    dense = adjacency.toarray()
    degrees = (dense > 0).sum(axis=1)
    scale = np.diag((degrees + degrees.mean()) ** -0.5)
    values, vectors = np.linalg.eigh(scale @ dense @ scale)
    vectors = vectors[:, np.argsort(-np.abs(values))[:width]]
    points = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return points @ points.T


@pytest.mark.parametrize("nodes", [40, 99, 100, 120])
def test_the_picture_holds_the_eigenvectors_that_lead_in_modulus(nodes):
    graph = nx.gnm_random_graph(nodes, 4 * nodes, seed=nodes)
    graph.add_edges_from(nx.utils.pairwise(range(nodes)))
    adjacency = nx.to_scipy_sparse_array(graph, format="csr", dtype=float)
    points = BlockSearch(adjacency, 3, None, 5).picture
    assert points.shape == (nodes, 16)
    np.testing.assert_allclose(points @ points.T, plain_picture(adjacency, 16), atol=1e-3)


@pytest.mark.parametrize("wanted", [1, 3, 4, 5])
def test_the_cheapest_merges_come_first_and_each_block_is_merged_once(wanted):
    adjacency, _ = ring_of_cliques(3, 4)
    group = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])  # each clique in two halves
    made = BlockSearch(adjacency, 6, None, 5)
    part = Partition.of(adjacency, group)
    likelihood = {}
    for r, s in combinations(range(6), 2):
        merged = np.unique(np.where(group == s, r, group), return_inverse=True)[1]
        likelihood[r, s] = Partition.of(adjacency, merged).log_likelihood()
    order = sorted(likelihood, key=lambda pair: (-round(likelihood[pair], 6), pair))
    expected, used = group.copy(), set()
    for r, s in order:
        if len(np.unique(expected)) > wanted and not {r, s} & used:
            expected[group == s] = r
            used |= {r, s}
    labels = made._merged(part, wanted)
    assert labels.tolist() == expected.tolist()
    assert len(np.unique(labels)) == max(wanted, 3)


@pytest.mark.parametrize(
    ("blocks", "sweeps", "calls"),
    [(4, 0, 0), (4, 1, 1), (4, 2, 2), (4, 9, 3), (2, 9, 3), (1, 9, 0)],
)
def test_nodes_are_moved_until_none_gains_or_the_sweeps_are_done(
    monkeypatch, blocks, sweeps, calls
):
    """A single block has nowhere to move to."""
    made, group = search(max_iter=sweeps)
    asked = []

    def move(pattern, order, *rest):
        assert sorted(order.tolist()) == list(range(20))
        asked.append(order)
        return 2 - min(len(asked) - 1, 2)  # moves: 2, then 1, then none

    monkeypatch.setattr(bs.kernels, "move_nodes", move)
    made._settle(Partition.of(made.adjacency, group % blocks), np.random.default_rng(0))
    assert len(asked) == calls


def test_the_descent_yields_one_partition_for_each_number():
    made, group = search()
    start = Partition.of(made.adjacency, group)
    found = list(made._descend(start, [4, 3, 2, 1], np.random.default_rng(0)))
    assert [one.n_blocks for one in found] == [4, 3, 2, 1]
    assert found[0].group.tolist() == group.tolist()  # nothing to merge, nothing to gain


@pytest.mark.parametrize("wanted", [1, 2, 3])
def test_the_number_asked_for_is_the_number_found(wanted):
    made, _ = search(n_blocks=wanted)
    assert made.run(np.random.default_rng(0)).n_blocks == wanted


@pytest.mark.parametrize(("cliques", "most"), [(4, 8), (4, 4), (1, 4)])
def test_the_partition_of_the_least_description_length_wins(monkeypatch, cliques, most):
    """It may be one on the way, the first or the last; around it a second descent is slow."""
    made, group = search(cliques, 10, most=most)
    if most == cliques:  # the cut finds the cliques, and nothing is better
        made.__dict__["picture"] = np.eye(cliques)[group]
    seen, paths, usual = [], [], BlockSearch._descend

    def noted(self, start, path, rng):
        paths.append(list(path))
        for one in usual(self, start, path, rng):
            seen.append(one)
            yield one

    monkeypatch.setattr(BlockSearch, "_descend", noted)
    found = made.run(np.random.default_rng(0))
    lengths = [one.description_length() for one in seen]
    assert found.description_length() == min(lengths)
    first = lengths[: len(paths[0])]
    at = int(np.argmin(first))
    around = [paths[0][max(0, at - 1)], paths[0][min(at + 1, len(first) - 1)]]
    assert paths[1] == list(range(around[0], around[1] - 1, -1))
    assert paths[0] == levels(paths[0][0])


@pytest.mark.parametrize("n", [4096, 4097, 9000])
def test_each_of_very_many_points_goes_to_its_nearest_centre(n):
    rng = np.random.default_rng(n)
    points, centres = rng.normal(size=(n, 2)), rng.normal(size=(3, 2))
    distance = np.linalg.norm(points[:, None] - centres, axis=2)
    assert bs._nearest(points, centres).tolist() == distance.argmin(axis=1).tolist()


def test_the_search_returns_a_partition_no_longer_than_that_of_one_block():
    # Cliques of different sizes: with equal ones the eigenvectors, and so the search's start,
    # would be up to the processor.
    graph = nx.disjoint_union_all([nx.complete_graph(size) for size in (7, 8, 9, 10)])
    graph.add_edges_from([(0, 8), (7, 16), (15, 25), (24, 1)])
    adjacency = nx.to_scipy_sparse_array(graph, format="csr")
    found = BlockSearch(adjacency, 8, None, 5).run(np.random.default_rng(0))
    whole = Partition.of(adjacency, np.zeros(34, np.int64))
    assert found.n_blocks == 4
    assert found.description_length() < whole.description_length()


@pytest.mark.parametrize("n_nodes", [3, 7, 20])
def test_the_table_goes_up_to_both_ends_of_every_edge(n_nodes):
    """As many as one block of all nodes has; a ring has as many edges as nodes."""
    ring = nx.to_scipy_sparse_array(nx.cycle_graph(n_nodes), format="csr")
    (most,) = Partition.of(ring, np.zeros(n_nodes, np.int64)).counts.ravel()
    expected = [0.0, *(x * math.log(x) for x in range(1, most + 1))]
    assert xlogx_table(n_nodes).tolist() == pytest.approx(expected)
    assert BlockSearch(ring, 2, None, 5)._xlogx.tolist() == pytest.approx(expected)


def test_the_description_length_is_its_four_parts_in_whole_numbers():
    net = lp.planted_network(n_nodes=30, n_groups=3, mean_degree=5, seed=1)
    labels = np.arange(30) % 4
    part = Partition.of(net.adjacency, labels)
    N, B, E = 30, 4, net.n_edges
    ways = math.comb(B * (B + 1) // 2 + E - 1, E)
    orders = math.factorial(N) // math.prod(map(math.factorial, np.bincount(labels).tolist()))
    parts = math.log(ways) + math.log(N) + math.log(math.comb(N - 1, B - 1)) + math.log(orders)
    assert part.description_length() == pytest.approx(parts - part.log_likelihood(), rel=1e-10)


def test_a_larger_share_of_merges_has_fewer_levels():
    assert levels(10, 1, 0.5) == [10, 5, 3, 2, 1]


def test_several_are_the_shortest_partitions_of_the_way_down():
    made, group = search(8, 10, most=12)
    found = made.several(np.random.default_rng(0))
    lengths = [part.description_length() for part in found]
    assert len(found) == bs.KEPT
    assert lengths == sorted(lengths)
    assert found[0].n_blocks == 8
    assert len(set(zip(found[0].group.tolist(), group.tolist(), strict=True))) == 8


def test_a_way_down_ends_where_nothing_shorter_is_found(monkeypatch):
    made, _ = search(8, 10, most=12)
    seen = []
    descend = BlockSearch._descend

    def followed(*given):
        for part in descend(*given):
            seen.append(part.n_blocks)
            yield part

    monkeypatch.setattr(BlockSearch, "_descend", followed)
    made.several(np.random.default_rng(0))
    assert seen == [12, 11, 10, 9, 8, 7, 6, 5]


def test_several_of_a_wanted_number_are_one_of_that_number():
    made, _ = search(4, 5, most=6, n_blocks=3)
    assert [part.n_blocks for part in made.several(np.random.default_rng(0))] == [3]

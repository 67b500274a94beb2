"""The search for blocks in single steps: the picture, centres, levels, merges and moves."""

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from linkprior.model.sbm import Partition, xlogx_table
from linkprior.solvers import sbm_search
from linkprior.solvers import sbm_search as bs
from linkprior.solvers.sbm_search import BlockSearch, levels


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


def test_levels_end_at_one_block():
    assert levels(4) == [4, 3, 2, 1]


@pytest.mark.parametrize("seed", range(3))
def test_each_point_goes_to_its_nearest_centre(seed):
    rng = np.random.default_rng(seed)
    points, centres = rng.normal(size=(30, 3)), 2.0 * rng.normal(size=(5, 3))
    distance = np.linalg.norm(points[:, None] - centres, axis=2)
    assert bs._nearest(points, centres).tolist() == distance.argmin(axis=1).tolist()


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


def test_a_cut_has_as_many_blocks_as_points_where_so_many_are_asked_for():
    made, _ = search(2, 4, most=8)
    cut = made._cut(np.random.default_rng(0))
    assert len(cut) == 8
    assert 2 <= len(set(cut.tolist())) <= 8


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


@pytest.mark.parametrize("wanted", [3, 4, 5])
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
    assert len(np.unique(labels)) == wanted


def test_merging_stops_when_every_block_was_merged_once():
    adjacency, group = ring_of_cliques(4, 3)
    made = BlockSearch(adjacency, 4, None, 5)
    assert len(np.unique(made._merged(Partition.of(adjacency, group), 1))) == 2


@pytest.mark.parametrize(("sweeps", "calls"), [(0, 0), (1, 1), (2, 2), (9, 3)])
def test_nodes_are_moved_until_none_gains_or_the_sweeps_are_done(monkeypatch, sweeps, calls):
    made, group = search(max_iter=sweeps)
    asked = []

    def move(pattern, order, *rest):
        assert sorted(order.tolist()) == list(range(20))
        asked.append(order)
        return 2 - min(len(asked) - 1, 2)  # moves: 2, then 1, then none

    monkeypatch.setattr(bs.kernels, "move_nodes", move)
    made._settle(Partition.of(made.adjacency, group), np.random.default_rng(0))
    assert len(asked) == calls


@pytest.mark.parametrize(("blocks", "calls"), [(1, 0), (2, 1)])
def test_a_single_block_has_nowhere_to_move_to(monkeypatch, blocks, calls):
    made, _ = search()
    asked = []
    monkeypatch.setattr(bs.kernels, "move_nodes", lambda *given: asked.append(given) or 0)
    group = np.arange(20) % blocks
    made._settle(Partition.of(made.adjacency, group), np.random.default_rng(0))
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


def search_among(n_nodes, most, picture=None):
    """Return a search over a ring, with a picture of its nodes that may be given."""
    adjacency = nx.to_scipy_sparse_array(nx.cycle_graph(n_nodes), format="csr")
    made = BlockSearch(adjacency, most, None, 5)
    if picture is not None:
        made.__dict__["picture"] = np.asarray(picture, dtype=float)
    return made


@pytest.mark.parametrize("seed", range(4))
def test_centres_begin_at_points_that_are_all_different(seed):
    """With as many centres as points, each point is a centre, and its own."""
    angle = np.linspace(0.0, 6.0, 12)
    made = search_among(12, 12, np.column_stack([np.cos(angle), np.sin(angle)]))
    assert made._cut(np.random.default_rng(seed)).tolist() == list(range(12))


class Lot:
    """A lot that begins at given points and then always falls on the first or on the last."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end

    def choice(self, _, size, replace):
        assert (len(self.begin), replace) == (size, False)
        return np.array(self.begin)

    def integers(self, low, high, size):
        return np.full(size, low if self.end == "first" else high - 1)


@pytest.mark.parametrize(("end", "alone"), [("first", 0), ("last", 9)])
def test_a_centre_without_points_may_begin_anew_at_any_point(end, alone):
    """Eight points coincide and both centres begin there, so that one of them has no points."""
    made = search_among(10, 2, [[1.0, 0.0], *[[0.0, 1.0]] * 8, [-1.0, 0.0]])
    cut = made._cut(Lot([3, 5], end)).tolist()
    apart = [node for node in range(10) if cut.count(cut[node]) == 1]
    assert apart == [alone]


@pytest.mark.parametrize("n", [4096, 4097, 9000])
def test_each_of_very_many_points_goes_to_its_nearest_centre(n):
    rng = np.random.default_rng(n)
    points, centres = rng.normal(size=(n, 2)), rng.normal(size=(3, 2))
    distance = np.linalg.norm(points[:, None] - centres, axis=2)
    assert bs._nearest(points, centres).tolist() == distance.argmin(axis=1).tolist()


@pytest.mark.parametrize("n_nodes", [3, 7, 20])
def test_the_table_ends_at_the_largest_count_which_one_block_of_all_nodes_has(n_nodes):
    made = search_among(n_nodes, 2)
    (most,) = Partition.of(made.adjacency, np.zeros(n_nodes, np.int64)).counts.ravel()
    assert most == 2 * n_nodes  # a ring has as many edges as nodes
    assert made._xlogx.tolist() == pytest.approx(
        [0.0, *(x * np.log(x) for x in range(1, most + 1))]
    )


def test_the_table_goes_from_no_edge_to_both_ends_of_every_edge():
    for n_edges in (0, 1, 2, 5):
        table = xlogx_table(n_edges)
        expected = [0.0, *(x * math.log(x) for x in range(1, 2 * n_edges + 1))]
        assert len(table) == len(expected), n_edges
        assert all(map(math.isclose, table, expected)), n_edges


def test_with_as_many_centres_as_points_each_point_is_its_own():
    """A centre with a single point is in use like any other, and stays there."""
    ring = nx.to_scipy_sparse_array(nx.cycle_graph(12), format="csr")
    angle = np.linspace(0.0, 6.0, 12)
    for seed in range(4):
        search = BlockSearch(ring, 12, None, 5)
        search.__dict__["picture"] = np.column_stack([np.cos(angle), np.sin(angle)])
        assert search._cut(np.random.default_rng(seed)).tolist() == list(range(12))


def test_each_of_thousands_of_points_goes_to_its_nearest_centre_once():
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    for n in (100, 4096, 4097, 9000):
        points = np.random.default_rng(n).uniform(-1.0, 5.0, (n, 2))
        distance = ((points[:, None] - centres) ** 2).sum(axis=2)
        found = sbm_search._nearest(points, centres)
        assert found.tolist() == distance.argmin(axis=1).tolist()


def cliques(count, size):
    """Return a ring of cliques, and the clique of each node."""
    graph = nx.disjoint_union_all([nx.complete_graph(size)] * count)
    graph.add_edges_from((n * size, (n + 1) % count * size + 1) for n in range(count))
    return nx.to_scipy_sparse_array(graph, format="csr"), np.repeat(np.arange(count), size)


def test_the_picture_of_a_small_network_is_as_wide_as_that_of_a_large_one():
    small, large = (BlockSearch(cliques(count, 4)[0], 8, None, 5) for count in (8, 40))
    assert small.picture.shape[1] == large.picture.shape[1] < 32
    np.testing.assert_allclose(np.linalg.norm(small.picture, axis=1), 1.0)


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


def test_the_number_of_blocks_is_refined_between_the_levels_of_the_search():
    """Levels of 25, 23, 21 … leave out numbers that the second, slow descent goes through."""
    adjacency, _ = cliques(22, 9)
    seen = []
    search = BlockSearch(adjacency, 25, None, 5)
    descend = BlockSearch._descend

    def watched(self, start, path, rng):
        seen.append(list(path))
        return descend(self, start, path, rng)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BlockSearch, "_descend", watched)
        found = search.run(np.random.default_rng(0))
    assert seen[1][0] >= found.n_blocks >= seen[1][-1]
    assert len(seen[1]) <= 5


@pytest.mark.parametrize("wanted", [7, 6, 5])
def test_merges_leave_as_many_blocks_as_were_asked_for(wanted):
    adjacency, group = cliques(8, 4)
    search = BlockSearch(adjacency, 8, None, 5)
    labels = search._merged(Partition.of(adjacency, group), wanted)
    assert len(np.unique(labels)) == wanted

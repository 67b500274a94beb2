"""The start of the search for blocks: where centres begin, many points, how far the table goes."""

import networkx as nx
import numpy as np
import pytest

from linkprior.model.sbm import Partition
from linkprior.solvers import sbm_search as bs
from linkprior.solvers.sbm_search import BlockSearch


def search(n_nodes, most, picture=None):
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
    made = search(12, 12, np.column_stack([np.cos(angle), np.sin(angle)]))
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
    made = search(10, 2, [[1.0, 0.0], *[[0.0, 1.0]] * 8, [-1.0, 0.0]])
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
    made = search(n_nodes, 2)
    (most,) = Partition.of(made.adjacency, np.zeros(n_nodes, np.int64)).counts.ravel()
    assert most == 2 * n_nodes  # a ring has as many edges as nodes
    assert made._xlogx.tolist() == pytest.approx(
        [0.0, *(x * np.log(x) for x in range(1, most + 1))]
    )

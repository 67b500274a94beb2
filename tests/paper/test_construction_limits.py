"""Algorithm `alg` in pieces: which degrees it takes, what it costs, how pairs come in."""

import numpy as np
import pytest

from linkprior.errors import ParameterError
from linkprior.model import construction as con
from linkprior.model.construction import construct, is_graphical


@pytest.mark.parametrize(
    ("degrees", "said"),
    [
        ([0, 1, 5], r"degrees\[2\] is 5, allowed are 0…2 with 3 nodes"),
        ([2, 3, 3], r"degrees\[1\] is 3, allowed are 0…2 with 3 nodes"),
        ([1, 1, 1], "their sum 3 is odd"),
        ([2, 2, 0], "the 1 largest sum to 2, a simple graph has room for 1"),
        ([3, 1, 3, 1], "the 2 largest sum to 6, a simple graph has room for 4"),
        ([4, 4, 4, 1, 1], "the 2 largest sum to 8, a simple graph has room for 6"),
        ([-1, 1, 0], r"degrees\[0\] is -1"),
    ],
)
def test_degrees_that_no_graph_has_are_refused_with_the_reason(degrees, said):
    p = len(degrees)
    with pytest.raises(ParameterError, match=said):
        construct(np.ones((p, p)), degrees)


@pytest.mark.parametrize(
    "degrees",
    [
        [0],
        [0, 0],
        [1, 1],
        [2, 2, 2],
        [2, 1, 1],
        [3, 3, 3, 3],
        [3, 1, 1, 1],
        [3, 3, 2, 2],
        [0, 1, 1],
    ],
)
def test_degrees_of_graphs_are_graphical(degrees):
    assert is_graphical(degrees) is True
    d = np.array(degrees)
    edges = con._havel_hakimi(d)
    assert edges.sum(axis=1).tolist() == degrees
    assert (edges == edges.T).all()
    assert not edges.diagonal().any()


@pytest.mark.parametrize("degrees", [[1], [1, 0], [2, 0, 0], [3, 3, 1, 1], [2, 2, 0]])
def test_degrees_of_no_graph_are_not(degrees):
    assert is_graphical(degrees) is False


def test_the_entry_without_its_counterpart_is_named():
    X = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 4.0, 0.0]])
    said = r"X\[1, 2\] is 3.0 and X\[2, 1\] is 4.0; \(X \+ X.T\) / 2 is symmetric"
    with pytest.raises(ParameterError, match=said):
        construct(X, [1, 1, 0])


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0])
def test_the_cost_of_a_further_pair_grows_with_those_a_node_has(alpha):
    """A node without wished edges weighs as one with one."""
    d = np.array([0, 1, 3])
    expected = [[(np.log(a + 2) / np.log(own + 1)) ** alpha for a in range(3)] for own in (1, 1, 3)]
    np.testing.assert_allclose(con._weight_table(d, alpha), expected, rtol=1e-12)


def test_an_exponent_that_overflows_is_no_warning():
    with np.errstate(all="raise"):
        assert np.isinf(con._weight_table(np.array([1, 1, 1]), 1e6)[0, 2])


@pytest.mark.parametrize(
    ("cost", "order"),
    [
        ([3.0, 1.0, 2.0], [1, 2, 0]),
        ([1.0, 1.0, 0.5], [2, 0, 1]),
        ([1.0 + 1e-14, 1.0, 2.0], [0, 1, 2]),  # the last digit does not count
        ([1.0 + 1e-9, 1.0, 2.0], [1, 0, 2]),
    ],
)
def test_the_cheapest_pair_comes_first_and_ties_by_their_number(cost, order):
    found = con._cheapest_first(np.array([9.0, *cost]), np.array([1, 2, 3]))
    assert [code - 1 for code in found] == order


# ---------------------------------------------------------------------- the graph that is kept


def test_a_pair_comes_in_for_two_others_and_all_degrees_stay():
    """0 – 1 and 2 – 3 become 0 – 2 and 1 – 3."""
    graph = con._Realisation(np.array([1, 1, 1, 1]))
    assert graph.free[0, 1]
    assert graph.free[2, 3]
    assert graph.admit(0, 2)
    taken = graph.taken & ~np.eye(4, dtype=bool)
    assert sorted(map(tuple, np.argwhere(np.triu(taken)).tolist())) == [(0, 2), (1, 3)]
    assert sorted(map(tuple, np.argwhere(np.triu(graph.free)).tolist())) == [(1, 3)]
    assert (graph.free == graph.free.T).all()
    assert (graph.taken == graph.taken.T).all()
    assert not graph.admit(0, 1)  # both ends have all their edges for good, or would need 0 – 2
    assert graph.admit(1, 3)
    assert not graph.free.any()


def test_a_pair_is_not_brought_in_over_an_edge_that_is_there():
    """In a star every edge has the hub; two leaves can never be joined."""
    graph = con._Realisation(np.array([3, 1, 1, 1]))
    for pair in [(1, 2), (1, 3), (2, 3)]:
        assert not graph.admit(*pair)
    for leaf in (1, 2, 3):
        assert graph.admit(0, leaf)
        assert not graph.free[0, leaf]


@pytest.mark.parametrize(
    "degrees",
    [[2, 2, 2, 2, 2], [1, 1, 1, 1, 0], [3, 2, 2, 2, 1], [4, 1, 1, 1, 1], [0] * 5, [4, 4, 4, 4, 4]],
)
@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_the_strongest_pairs_have_the_wished_degrees_and_entries_only_move(degrees, alpha):
    p = len(degrees)
    rows, cols = np.triu_indices(p, 1)
    X = np.diag(np.arange(50.0, 50.0 + p))
    X[rows, cols] = X[cols, rows] = np.random.default_rng(1).permutation(rows.size) + 1.0
    before = X.copy()
    found = construct(X, degrees, alpha)
    assert (X == before).all()
    assert (found == found.T).all()
    assert np.diagonal(found).tolist() == np.diagonal(X).tolist()
    assert sorted(found[rows, cols]) == sorted(X[rows, cols])
    strong = np.argsort(-found[rows, cols])[: sum(degrees) // 2]
    ends = np.concatenate([rows[strong], cols[strong]])
    assert np.bincount(ends, minlength=p).tolist() == degrees


def test_pairs_are_placed_by_what_their_nodes_have_already():
    """All nodes wish one edge: 0 – 1, then 2 – 3; then by the number of pairs, (0, 2) first."""
    found = con._placement(np.array([1, 1, 1, 1]), 1.0)
    pairs = list(zip(*(side[found].tolist() for side in np.triu_indices(4, 1)), strict=True))
    assert pairs == [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]


def test_a_node_of_higher_degree_gets_pairs_first():
    found = con._placement(np.array([1, 2, 2, 1]), 1.0)
    pairs = list(zip(*(side[found].tolist() for side in np.triu_indices(4, 1)), strict=True))
    assert pairs[0] == (1, 2)
    assert sorted(pairs[:3]) in ([(0, 1), (1, 2), (2, 3)], [(0, 2), (1, 2), (1, 3)])

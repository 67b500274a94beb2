"""Compiled walks over neighbours in pieces: what a piece promises, though a later one forgives."""

import networkx as nx
import numpy as np
import pytest
from tests.kernels.small_graphs import pattern_of

from linkprior.kernels import numba_community as nc
from linkprior.kernels import numba_partners, numba_paths

GRAPHS = {
    "path": nx.path_graph(4),
    "wheel": nx.wheel_graph(6),
    "kite": nx.krackhardt_kite_graph(),
    "bipartite": nx.complete_bipartite_graph(2, 3),
}
GO_FIRST, STRONGEST = (  # as written: to compile NumPy's sorts takes seconds, and for no other rule
    getattr(kernel, "py_func", kernel)
    for kernel in (numba_partners.go_first, numba_partners.strongest)
)
every = pytest.mark.parametrize("name", GRAPHS)


@every
def test_walks_over_a_neighbour_are_counted_and_listed_once_whatever_they_weigh(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    p = len(near)
    ratio = np.arange(p) % 3 / 4.0  # some weigh nothing
    for u in range(p):
        walks, touched = np.zeros((p, 2)), np.full(p + 9, -1, np.int32)
        m = numba_paths.walk_on(indptr, indices, np.int32(u), ratio, walks, touched)
        for y in range(p):
            ways = near[u] & near[y]
            assert walks[y].tolist() == [len(ways), sum(ratio[v] for v in ways)]
        assert sorted(touched[:m].tolist()) == [y for y in range(p) if near[u] & near[y]]


@every
def test_similarities_are_jaccard_indices_and_0_with_the_node_itself(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    p = len(near)
    counts, reached, similar = np.zeros(p, np.int32), np.empty(p, np.int32), np.empty(p)
    for x in range(p):
        n = numba_paths.similarities(indptr, indices, x, counts, reached, similar)
        found = dict(zip(reached[:n].tolist(), similar[:n].tolist(), strict=True))
        expected = {
            y: 0.0 if y == x else len(near[x] & near[y]) / len(near[x] | near[y])
            for y in range(p)
            if near[x] & near[y]
        }
        assert found == expected
        assert not counts.any()  # ready for the next


@every
def test_a_far_node_that_is_on_no_path_to_the_end_has_no_strength_there(name):
    """A walk x–u–v that has no other way than over y itself, or y = x: no path of four nodes."""
    indptr, indices, near = pattern_of(GRAPHS[name])
    p, triangles = len(near), nc.list_triangles(indptr, indices)
    work = np.zeros(p, np.int32), np.empty(p, np.int32), np.zeros(p, np.int32)
    for x in range(p):
        beside = np.array([v in near[x] for v in range(p)], np.int32)
        far = np.full(len(indices), 9.0)
        nc.weigh_far_nodes(indptr, indices, triangles, x, beside, work, far)
        for v in set(range(p)) - {x}:
            ways = near[x] & near[v]
            for e in range(indptr[v], indptr[v + 1]) if ways else ():
                y = int(indices[e])
                assert (far[e] == 0) == (y == x or not ways - {y}), (x, v, y)


@pytest.mark.parametrize(
    ("budget", "kept"),
    [(8, [2, 0, 3]), (7, [2, 0, 3]), (6, [2, 3]), (4, [2, 3]), (3, [2]), (2, [2]), (1, [])],
)
def test_all_go_on_as_they_came_where_the_budget_is_enough_else_those_worth_most(budget, kept):
    """As they came: their amounts are added in this order, and rounded in it."""
    indptr = np.array([0, 3, 4, 6, 8])  # nodes of 3, 1, 2 and 2 neighbours
    nodes, worth = np.array([2, 0, 3], np.int32), np.array([1.0, 5.0, 2.0, 2.0])
    assert GO_FIRST(indptr, nodes, worth, budget).tolist() == kept


@pytest.mark.parametrize("most", range(1, 7))
def test_the_strongest_partners_are_listed_ascending_however_they_were_found(most):
    nodes = np.array([7, 2, 9, 4, 1], np.int32)
    values, out = np.array([1.0, 3.0, 3.0, 2.0, 3.0]), np.full(most, -1, np.int32)
    n = STRONGEST(nodes, values, out)
    ranked = [1, 2, 9, 4, 7]  # by value, ties by node
    assert n == min(most, 5)
    assert out[:n].tolist() == sorted(ranked[:most])

"""The compiled CH2-L3 in pieces: walks, triangles, marks and strengths, counted by sets."""

from math import sqrt

import networkx as nx
import numpy as np
import pytest
from tests.kernels.small_graphs import pattern_of

from linkprior.kernels import numba_community as nc

GRAPHS = {
    "two cliques": nx.barbell_graph(4, 1),
    "wheel": nx.wheel_graph(7),
    "ring": nx.cycle_graph(6),
    "bipartite": nx.complete_bipartite_graph(3, 4),
    "clique": nx.complete_graph(5),
    "kite": nx.krackhardt_kite_graph(),
    "drawn": nx.gnm_random_graph(9, 18, seed=4),
    "drawn and alone": nx.disjoint_union(nx.gnm_random_graph(8, 14, seed=7), nx.empty_graph(2)),
}
every = pytest.mark.parametrize("name", GRAPHS)


def walks_to(near, x):
    """Return how many walks of length 2 lead from x to every node."""
    return [len(near[x] & near[v]) for v in range(len(near))]


def plain_score(near, x, y):
    paths = [(u, v) for u in near[x] - {y} for v in near[y] - {x} if v in near[u]]
    community = {node for path in paths for node in path}

    def strength(node):
        inside = len(near[node] & community)
        return sqrt((1 + inside) / (1 + len(near[node] - community - {x, y})))

    return sum(strength(u) * strength(v) for u, v in paths)


@every
@pytest.mark.parametrize("turn", [1, -1])
def test_rows_are_the_sums_over_all_paths_in_any_order_of_sources(name, turn):
    indptr, indices, near = pattern_of(GRAPHS[name])
    p = len(near)
    sources, out = np.arange(p)[::turn].copy(), np.full((p, p), 7.0)
    nc.ch2_rows(indptr, indices, *nc.list_triangles(indptr, indices), sources, out)
    for r, x in enumerate(sources.tolist()):
        for y in set(range(p)) - {x}:
            assert out[r, y] == pytest.approx(plain_score(near, x, y), rel=1e-12), (x, y)


def test_no_sources_have_no_rows():
    indptr, indices, _ = pattern_of(GRAPHS["kite"])
    out = np.empty((0, 10))
    nc.ch2_rows(
        indptr, indices, *nc.list_triangles(indptr, indices), np.arange(0), out
    )  # nothing to do, nothing to trip over
    assert out.shape == (0, 10)


@every
def test_triangles_of_an_edge_are_the_common_neighbours_of_its_ends(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    starts, nodes = nc.list_triangles(indptr, indices)
    assert starts[-1] == len(nodes)
    e = 0
    for own in near:
        for j in sorted(own):
            assert nodes[starts[e] : starts[e + 1]].tolist() == sorted(own & near[j])
            e += 1
    assert e == len(starts) - 1


@every
def test_walks_of_two_steps_are_counted_and_their_ends_listed_once(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    p = len(near)
    for x in range(p):
        counts, reached = np.zeros(p, np.int32), np.full(p, -1, np.int32)
        n = nc.count_walks(indptr, indices, x, counts, reached)
        assert counts.tolist() == walks_to(near, x)
        assert sorted(reached[:n].tolist()) == [v for v in range(p) if counts[v]]
        assert (reached[n:] == -1).all()


@pytest.mark.parametrize(
    ("degree", "inside", "linked", "value"),
    [(3, 1, 1, sqrt(2)), (4, 0, 1, sqrt(1 / 3)), (5, 3, 0, sqrt(2)), (2, 1, 0, sqrt(2))],
)
def test_strength_grows_with_what_is_inside_and_falls_with_what_is_outside(
    degree, inside, linked, value
):
    """A node next to one end has degree − inside − 1 neighbours outside, one less where linked."""
    assert nc.strength(degree, inside, linked) == pytest.approx(value)


@every
def test_marked_is_what_a_neighbour_reaches_without_an_edge_and_around_the_source(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    p = len(near)
    for x in range(p):
        beside = np.array([v in near[x] for v in range(p)], np.int32)
        for w in near[x]:
            counts, reached = np.zeros(p, np.int32), np.empty(p, np.int32)
            mark = np.full(p, 9, np.uint8)
            nc.mark_reached(indptr, indices, w, beside, counts, reached, mark)
            expected = [
                y != w and y not in near[w] and bool((near[w] & near[y]) - {x}) for y in range(p)
            ]
            assert mark.astype(bool).tolist() == expected
            assert not counts.any()  # ready for the next


@every
def test_as_many_marks_are_made_as_one_source_needs(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    triangles = nc.list_triangles(indptr, indices)
    needed = [sum(bool(near[x] & near[w]) for w in near[x]) for x in range(len(near))]
    for x, own in enumerate(needed):
        assert nc.most_marks(indptr, triangles, np.array([x])) == own
    assert nc.most_marks(indptr, triangles, np.arange(len(near))) == max(needed)


@every
def test_walks_over_a_neighbour_avoid_the_source_and_add_up_strengths(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    p, far = len(near), np.arange(1.0, len(indices) + 1)
    for x in range(p):
        for u in near[x]:
            walks, touched = np.zeros((p, 2)), np.full(p, -1, np.int32)
            m = nc.walk_on(indptr, indices, u, x, far, walks, touched)
            expected = np.zeros((p, 2))
            for v in near[u] - {x}:
                for e in range(indptr[v], indptr[v + 1]):
                    expected[indices[e]] += 1, far[e]
            assert walks.tolist() == expected.tolist()
            assert sorted(touched[:m].tolist()) == np.flatnonzero(expected[:, 0]).tolist()


@every
def test_far_nodes_are_as_strong_as_their_neighbours_inside_make_them(name):
    """At (v, y): the strength of v for the pair x – y, 0 where v is on no path between them."""
    indptr, indices, near = pattern_of(GRAPHS[name])
    p, triangles = len(near), nc.list_triangles(indptr, indices)
    work = np.zeros(p, np.int32), np.empty(p, np.int32), np.zeros(p, np.int32)
    for x in range(p):
        beside, far = (
            np.array([v in near[x] for v in range(p)], np.int32),
            np.full(len(indices), 9.0),
        )
        nc.weigh_far_nodes(indptr, indices, triangles, x, beside, work, far)
        assert not work[0].any()
        assert not work[2].any()
        for v in set(range(p)) - {x}:
            for e in range(indptr[v], indptr[v + 1]):
                y = int(indices[e])
                paths = [(u, b) for u in near[x] - {y} for b in near[y] - {x} if b in near[u]]
                if y == x or not near[x] & near[v] - {y}:
                    assert far[e] in (0.0, 9.0)
                    continue
                community = {node for path in paths for node in path}
                inside = len(near[v] & community)
                outside = len(near[v] - community - {x, y})
                assert far[e] == pytest.approx(sqrt((1 + inside) / (1 + outside))), (x, v, y)

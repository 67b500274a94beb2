"""Scores by paths of length 3, and partners by them: against formulas, sets and counted walks."""

import itertools
from math import sqrt

import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

from linkprior import _config, kernels
from linkprior.errors import ParameterError
from linkprior.kernels import paths as nc


def pattern_of(graph):
    """Return row ends and columns of a graph, and the neighbours of each node as a set."""
    a = nx.to_scipy_sparse_array(graph, nodelist=sorted(graph), format="csr")
    a.sort_indices()
    near = [set(a.indices[a.indptr[i] : a.indptr[i + 1]].tolist()) for i in range(a.shape[0])]
    return a.indptr.astype(np.int64), a.indices.astype(np.int32), near


RELAXED = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def random_network(p, rng, share):
    upper = np.triu(rng.random((p, p)) < share, 1)
    return sp.csr_array((upper | upper.T).astype(float))


def special_networks():
    star, clique, ring = np.zeros((9, 9)), 1 - np.eye(7), np.roll(np.eye(8), 1, axis=0)
    star[0, 1:] = star[1:, 0] = 1
    clique_and_isolated = np.zeros((10, 10))
    clique_and_isolated[:7, :7] = clique
    bipartite = np.zeros((9, 9))
    bipartite[:4, 4:] = bipartite[4:, :4] = 1
    kinds = {
        "star": star,
        "clique": clique,
        "ring": ring + ring.T,
        "clique and isolated": clique_and_isolated,
        "bipartite": bipartite,
        "one edge": 1 - np.eye(2),
        "no edge": np.zeros((3, 3)),
    }
    return {name: sp.csr_array(matrix) for name, matrix in kinds.items()}


def neighbours(a):
    return [set(a.indices[a.indptr[i] : a.indptr[i + 1]].tolist()) for i in range(a.shape[0])]


def naive_l3(near, x, y):
    return sum(
        1 / sqrt(len(near[u]) * len(near[v])) for u in near[x] for v in near[y] if v in near[u]
    )


def naive_l3n(near, x, y):
    U = {u for u in near[x] if near[u] & near[y]}
    V = {v for v in near[y] if near[v] & near[x]}
    total = sum(
        (len(near[v] & near[x]) / len(near[v])) ** 2 * (len(near[u] & near[y]) / len(near[u])) ** 2
        for u in U
        for v in V & near[u]
    )
    return total and total * len(U) / len(near[x]) * len(V) / len(near[y])


def naive_ch2(near, x, y):
    paths = [(u, v) for u in near[x] - {y} for v in near[y] - {x} if v in near[u]]
    community = {node for path in paths for node in path}

    def strength(z):
        inside = len(near[z] & community)
        outside = len(near[z] - community - {x, y})
        return sqrt((1 + inside) / (1 + outside))

    return sum(strength(u) * strength(v) for u, v in paths)


def naive_mps(near, x, y):
    def jaccard(a, b):
        return len(near[a] & near[b]) / len(near[a] | near[b])

    like_x = max((jaccard(x, v) for v in near[y] - {x}), default=0)
    like_y = max((jaccard(u, y) for u in near[x] - {y}), default=0)
    return like_x + like_y


def l3_rows(indptr, indices, sources):
    degrees = np.diff(indptr)
    weight = np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1)), 0)
    return kernels.l3_rows(indptr, indices, weight, sources)


def ch2_rows(indptr, indices, sources):
    return kernels.ch2_rows(indptr, indices, kernels.list_triangles(indptr, indices), sources)


FORMULAS = {
    "l3": (l3_rows, naive_l3),
    "l3n": (kernels.l3n_rows, naive_l3n),
    "ch2": (ch2_rows, naive_ch2),
    "mps": (kernels.mps_rows, naive_mps),
}
every = pytest.mark.parametrize("name", FORMULAS)


def check_all_pairs(name, a):
    rows, naive = FORMULAS[name]
    p, near = a.shape[0], neighbours(a)
    scores = rows(a.indptr, a.indices, np.arange(p))
    assert scores.shape == (p, p)
    assert np.isfinite(scores).all()
    np.fill_diagonal(scores, 0)
    expected = [[naive(near, x, y) if x != y else 0 for y in range(p)] for x in range(p)]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@every
@pytest.mark.parametrize("kind", special_networks())
def test_special_networks_have_the_scores_of_the_formula(name, kind, engine):
    check_all_pairs(name, special_networks()[kind])


@every
@RELAXED
@given(seed=st.integers(0, 10**6), p=st.integers(2, 16), share=st.floats(0.05, 0.9))
def test_random_networks_have_the_scores_of_the_formula(name, engine, seed, p, share):
    check_all_pairs(name, random_network(p, np.random.default_rng(seed), share))


@every
def test_engines_agree_beyond_one_piece_of_targets(name, monkeypatch):
    """The readable text goes over the targets in pieces; here they are three."""
    monkeypatch.setattr("linkprior.kernels.paths.TARGETS_AT_ONCE", 17)
    a = random_network(40, np.random.default_rng(5), 0.15)
    results = []
    for engine in ("portable", "numba"):
        _config.set_fields(kernels=engine)
        results.append(FORMULAS[name][0](a.indptr, a.indices, np.arange(40)))
        np.fill_diagonal(results[-1], 0)
    np.testing.assert_allclose(*results, rtol=1e-12)


@every
def test_a_row_does_not_depend_on_the_others(name, engine):
    rows = FORMULAS[name][0]
    a = random_network(30, np.random.default_rng(8), 0.2)
    whole = rows(a.indptr, a.indices, np.arange(30))
    some = np.array([22, 3, 17, 4])
    assert rows(a.indptr, a.indices, some).tobytes() == whole[some].tobytes()
    for x in (0, 13, 29):
        assert rows(a.indptr, a.indices, [x]).tobytes() == whole[x].tobytes()
    assert rows(a.indptr, a.indices, np.arange(0)).shape == (0, 30)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_triangles_are_the_common_neighbours_of_every_edge(engine, index):
    for a in [random_network(25, np.random.default_rng(2), 0.3), *special_networks().values()]:
        indptr, indices = a.indptr.astype(index), a.indices.astype(index)
        starts, nodes = kernels.list_triangles(indptr, indices)
        near = neighbours(a)
        ends = zip(*a.nonzero(), strict=True)
        expected = [sorted(near[i] & near[j]) for i, j in ends]
        assert np.diff(starts).tolist() == [len(third) for third in expected]
        assert nodes.tolist() == [node for third in expected for node in third]


@pytest.mark.parametrize("sources", [[3], [-1], [0, 0], [[0]]])
def test_sources_that_are_no_nodes_or_repeated_are_refused(engine, sources):
    a = special_networks()["no edge"]
    with pytest.raises(ParameterError, match="sources must be different nodes of 0…2"):
        kernels.mps_rows(a.indptr, a.indices, sources)


P = 24
RNG = np.random.default_rng(4)
UPPER = np.triu(RNG.random((P, P)) < 0.12, 1)
UPPER[0, 1:16] = True  # a hub, which a small budget cannot follow whole
A = UPPER | UPPER.T
INDPTR = np.concatenate([[0], np.cumsum(A.sum(1))])
INDICES = np.flatnonzero(A.ravel()) % P
WEIGHT = 2.0 ** -RNG.integers(0, 4, P)  # sums of these are exact in any order
KINDS = (np.arange(P) % 3).astype(np.uint8)
ALLOWED = np.array([[True, True, False], [True, False, True], [False, True, True]])


def within(nodes, worth, budget):
    """Return the nodes worth most whose neighbours, all together, are within the budget."""
    degrees = A.sum(1)
    if sum(degrees[n] for n in nodes) <= budget:
        return set(nodes)
    best = sorted(nodes, key=lambda n: (-worth[n], n))
    spent = itertools.accumulate(degrees[n] for n in best)
    return {n for n, total in zip(best, spent, strict=True) if total <= budget}


def walked(x, most, budget):
    """Return the partners of one node, walk by walk."""
    half = dict.fromkeys(range(P), 0.0)
    for u in within(np.flatnonzero(A[x]), WEIGHT, budget):
        for v in np.flatnonzero(A[u]):
            half[v] += WEIGHT[u]
    amounts = {v: half[v] * WEIGHT[v] for v in half}
    sums = dict.fromkeys(range(P), 0.0)
    for v in within([v for v in amounts if amounts[v]], amounts, budget):
        for y in np.flatnonzero(A[v]):
            sums[y] += amounts[v]
    may = [y for y in sums if sums[y] and y != x and not A[x, y] and ALLOWED[KINDS[x], KINDS[y]]]
    return sorted(sorted(may, key=lambda y: (-sums[y], y))[:most])


@pytest.mark.parametrize("budget", [10**6, 30, 10, 3, 0])
@pytest.mark.parametrize("most", [P, 4, 1])
def test_partners_are_those_that_most_walks_lead_to(engine, most, budget):
    sources = [5, 0, P - 1, *range(1, 12)]
    pattern = (INDPTR, INDICES)
    counts, found = kernels.l3_partners(
        pattern, WEIGHT, sources, pattern, KINDS, ALLOWED, most, budget
    )
    expected = [walked(x, most, budget) for x in sources]
    assert counts.tolist() == [len(one) for one in expected]
    assert found.tolist() == list(itertools.chain(*expected))
    assert bool(counts.any()) is (budget > 0)


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
every_graph = pytest.mark.parametrize("name", GRAPHS)


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


@every_graph
@pytest.mark.parametrize("turn", [1, -1])
def test_rows_are_the_sums_over_all_paths_in_any_order_of_sources(name, turn):
    indptr, indices, near = pattern_of(GRAPHS[name])
    p = len(near)
    sources, out = np.arange(p)[::turn].copy(), np.full((p, p), 7.0)
    nc.ch2_rows_numba(indptr, indices, *nc.list_triangles_numba(indptr, indices), sources, out)
    for r, x in enumerate(sources.tolist()):
        for y in set(range(p)) - {x}:
            assert out[r, y] == pytest.approx(plain_score(near, x, y), rel=1e-12), (x, y)


def test_no_sources_have_no_rows():
    indptr, indices, _ = pattern_of(GRAPHS["kite"])
    out = np.empty((0, 10))
    nc.ch2_rows_numba(
        indptr, indices, *nc.list_triangles_numba(indptr, indices), np.arange(0), out
    )  # nothing to do, nothing to trip over
    assert out.shape == (0, 10)


@every_graph
def test_triangles_of_an_edge_are_the_common_neighbours_of_its_ends(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    starts, nodes = nc.list_triangles_numba(indptr, indices)
    assert starts[-1] == len(nodes)
    e = 0
    for own in near:
        for j in sorted(own):
            assert nodes[starts[e] : starts[e + 1]].tolist() == sorted(own & near[j])
            e += 1
    assert e == len(starts) - 1


@every_graph
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


@every_graph
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


@every_graph
def test_as_many_marks_are_made_as_one_source_needs(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    triangles = nc.list_triangles_numba(indptr, indices)
    needed = [sum(bool(near[x] & near[w]) for w in near[x]) for x in range(len(near))]
    for x, own in enumerate(needed):
        assert nc.most_marks(indptr, triangles, np.array([x])) == own
    assert nc.most_marks(indptr, triangles, np.arange(len(near))) == max(needed)


@every_graph
def test_walks_over_a_neighbour_avoid_the_source_and_add_up_strengths(name):
    indptr, indices, near = pattern_of(GRAPHS[name])
    p, far = len(near), np.arange(1.0, len(indices) + 1)
    for x in range(p):
        for u in near[x]:
            walks, touched = np.zeros((p, 2)), np.full(p, -1, np.int32)
            m = nc.walk_past(indptr, indices, u, x, far, walks, touched)
            expected = np.zeros((p, 2))
            for v in near[u] - {x}:
                for e in range(indptr[v], indptr[v + 1]):
                    expected[indices[e]] += 1, far[e]
            assert walks.tolist() == expected.tolist()
            assert sorted(touched[:m].tolist()) == np.flatnonzero(expected[:, 0]).tolist()


@every_graph
def test_far_nodes_are_as_strong_as_their_neighbours_inside_make_them(name):
    """At (v, y): the strength of v for the pair x – y, 0 where v is on no path between them."""
    indptr, indices, near = pattern_of(GRAPHS[name])
    p, triangles = len(near), nc.list_triangles_numba(indptr, indices)
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


SMALL_GRAPHS = {
    "path": nx.path_graph(4),
    "wheel": nx.wheel_graph(6),
    "kite": nx.krackhardt_kite_graph(),
    "bipartite": nx.complete_bipartite_graph(2, 3),
}
GO_FIRST, STRONGEST = (  # as written: to compile NumPy's sorts takes seconds, and for no other rule
    getattr(kernel, "py_func", kernel) for kernel in (nc.go_first, nc.strongest)
)
every_small_graph = pytest.mark.parametrize("name", SMALL_GRAPHS)


@every_small_graph
def test_walks_over_a_neighbour_are_counted_and_listed_once_whatever_they_weigh(name):
    indptr, indices, near = pattern_of(SMALL_GRAPHS[name])
    p = len(near)
    ratio = np.arange(p) % 3 / 4.0  # some weigh nothing
    for u in range(p):
        walks, touched = np.zeros((p, 2)), np.full(p + 9, -1, np.int32)
        m = nc.walk_on(indptr, indices, np.int32(u), ratio, walks, touched)
        for y in range(p):
            ways = near[u] & near[y]
            assert walks[y].tolist() == [len(ways), sum(ratio[v] for v in ways)]
        assert sorted(touched[:m].tolist()) == [y for y in range(p) if near[u] & near[y]]


@every_small_graph
def test_similarities_are_jaccard_indices_and_0_with_the_node_itself(name):
    indptr, indices, near = pattern_of(SMALL_GRAPHS[name])
    p = len(near)
    counts, reached, similar = np.zeros(p, np.int32), np.empty(p, np.int32), np.empty(p)
    for x in range(p):
        n = nc.similarities(indptr, indices, x, counts, reached, similar)
        found = dict(zip(reached[:n].tolist(), similar[:n].tolist(), strict=True))
        expected = {
            y: 0.0 if y == x else len(near[x] & near[y]) / len(near[x] | near[y])
            for y in range(p)
            if near[x] & near[y]
        }
        assert found == expected
        assert not counts.any()  # ready for the next


@every_small_graph
def test_a_far_node_that_is_on_no_path_to_the_end_has_no_strength_there(name):
    """A walk x–u–v that has no other way than over y itself, or y = x: no path of four nodes."""
    indptr, indices, near = pattern_of(SMALL_GRAPHS[name])
    p, triangles = len(near), nc.list_triangles_numba(indptr, indices)
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

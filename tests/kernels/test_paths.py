"""Scores by paths of length 3, and partners by them: against formulas, sets and counted walks."""

import itertools
from math import sqrt

import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from tests.kernels.conftest import RELAXED, random_network

from linkprior import _config, kernels
from linkprior.errors import ParameterError
from linkprior.kernels import paths as nc

SPECIAL = {
    name: sp.csr_array(nx.to_scipy_sparse_array(graph, nodelist=sorted(graph), dtype=float))
    for name, graph in {
        "star": nx.star_graph(8),
        "clique": nx.complete_graph(7),
        "ring": nx.cycle_graph(8),
        "path": nx.path_graph(4),
        "clique and isolated": nx.disjoint_union(nx.complete_graph(7), nx.empty_graph(3)),
        "two cliques": nx.barbell_graph(4, 1),
        "wheel": nx.wheel_graph(7),
        "kite": nx.krackhardt_kite_graph(),
        "bipartite": nx.complete_bipartite_graph(4, 5),
        "drawn and alone": nx.disjoint_union(nx.gnm_random_graph(8, 14, seed=7), nx.empty_graph(2)),
        "one edge": nx.path_graph(2),
        "no edge": nx.empty_graph(3),
    }.items()
}


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
@pytest.mark.parametrize("kind", SPECIAL)
def test_special_networks_have_the_scores_of_the_formula(name, kind, engine):
    check_all_pairs(name, SPECIAL[kind])


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
    for a in [random_network(25, np.random.default_rng(2), 0.3), *SPECIAL.values()]:
        indptr, indices = a.indptr.astype(index), a.indices.astype(index)
        starts, nodes = kernels.list_triangles(indptr, indices)
        near = neighbours(a)
        ends = zip(*a.nonzero(), strict=True)
        expected = [sorted(near[i] & near[j]) for i, j in ends]
        assert np.diff(starts).tolist() == [len(third) for third in expected]
        assert nodes.tolist() == [node for third in expected for node in third]


@pytest.mark.parametrize("sources", [[3], [-1], [0, 0], [[0]]])
def test_sources_that_are_no_nodes_or_repeated_are_refused(engine, sources):
    a = SPECIAL["no edge"]
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


GO_FIRST, STRONGEST = (  # as written: to compile NumPy's sorts takes seconds, and for no other rule
    getattr(kernel, "py_func", kernel) for kernel in (nc.go_first, nc.strongest)
)


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

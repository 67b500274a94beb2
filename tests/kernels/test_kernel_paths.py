"""Scores by paths of length 3, against sets and sums over every path."""

from math import sqrt

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

from linkprior import kernels
from linkprior.errors import ParameterError

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
    monkeypatch.setattr("linkprior.kernels.portable_paths.TARGETS_AT_ONCE", 17)
    a = random_network(40, np.random.default_rng(5), 0.15)
    results = []
    for engine in ("portable", "numba"):
        monkeypatch.setenv("LINKPRIOR_KERNELS", engine)
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

"""Katz and the local random walk, beside dense formulas, walkers by hand and networkx."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import every_pair, networks, slowly

import linkprior as lp
from linkprior import parallel
from linkprior.predictors.paths import largest_eigenvalue


def off_diagonal(matrix):
    return matrix - np.diag(np.diag(matrix))


def katz_by_inverse(net, beta):
    a = net.adjacency.toarray()
    one = np.eye(net.n_nodes)
    return off_diagonal(np.linalg.inv(one - beta / np.linalg.eigvalsh(a)[-1] * a) - one)


def lrw_by_walkers(net, steps):
    """Follow the walkers from each node, in fractions: q_x π_xy + q_y π_yx as it is written."""
    near = [np.flatnonzero(row).tolist() for row in net.adjacency.toarray()]
    at = []
    for node in range(net.n_nodes):
        share = {node: Fraction(1)} if near[node] else {}
        for _ in range(steps):
            after = {}
            for here, part in share.items():
                for there in near[here]:
                    after[there] = after.get(there, 0) + part / len(near[here])
            share = after
        at.append(share)
    q = [Fraction(len(n), 2 * net.n_edges) for n in near]
    scores = np.zeros((net.n_nodes, net.n_nodes))
    for x, y in every_pair(net).tolist():
        both = q[x] * at[x].get(y, 0) + q[y] * at[y].get(x, 0)
        scores[x, y] = scores[y, x] = float(both)
    return scores


@slowly
@given(net=networks(largest=16), beta=st.sampled_from([0.05, 0.5, 0.9]))
def test_katz_is_the_inverse_less_the_identity(net, beta):
    model = lp.make("katz", beta=beta).fit(net)
    expected = katz_by_inverse(net, beta)
    np.testing.assert_allclose(model.score_rows(0, net.n_nodes), expected, rtol=1e-9, atol=1e-11)


def test_katz_keeps_small_scores_exact_to_many_digits():
    """At the ends of a path the inverse is tiny, and known: a tridiagonal determinant."""
    n, beta = 15, 0.5
    net = lp.Network.from_edges([(i, i + 1) for i in range(n - 1)])
    b = beta / (2 * np.cos(np.pi / (n + 1)))
    determinant = [1.0, 1.0]
    for _ in range(n - 1):
        determinant.append(determinant[-1] - b**2 * determinant[-2])
    expected = b ** (n - 1) / determinant[n]
    assert expected < 1e-7
    ours = lp.make("katz", beta=beta).fit(net).score_pairs([(0, n - 1)])
    np.testing.assert_allclose(ours, [expected], rtol=1e-6)


@slowly
@given(net=networks(largest=9), steps=st.integers(1, 5))
def test_lrw_is_where_walkers_stand(net, steps):
    model = lp.make("lrw", steps=steps).fit(net)
    expected = lrw_by_walkers(net, steps)
    np.testing.assert_allclose(model.score_rows(0, net.n_nodes), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", ["katz", "lrw"])
def test_rows_pairs_and_blocks_agree_and_are_symmetric(name, monkeypatch):
    net = lp.planted_network(n_nodes=300, n_groups=4, mean_degree=9, seed=6)
    model, pairs = lp.make(name).fit(net), every_pair(net)
    rows = model.score_rows(0, net.n_nodes)
    np.testing.assert_allclose(rows, rows.T, rtol=1e-12)
    np.testing.assert_allclose(model.score_rows(41, 77), rows[41:77], rtol=1e-13)
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 7 * 300)  # sixteen sources at a time
    mixed = np.random.default_rng(0).permutation(pairs)
    np.testing.assert_allclose(model.score_pairs(mixed), rows[tuple(mixed.T)], rtol=1e-13)
    assert len(model.score_pairs([])) == 0


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("star_graph", np.sqrt(399)),  # rank two: Lanczos ends after three steps
        ("cycle_graph", 2.0),
        ("complete_graph", 399.0),
        ("path_graph", 2 * np.cos(np.pi / 401)),  # eigenvalues crowd at the top
    ],
)
def test_the_largest_eigenvalue_is_the_known_one_and_the_same_each_time(kind, expected):
    nx = pytest.importorskip("networkx")
    size = 399 if kind == "star_graph" else 400
    a = lp.Network.from_networkx(getattr(nx, kind)(size)).adjacency
    found = {largest_eigenvalue(a) for _ in range(3)}
    assert len(found) == 1
    np.testing.assert_allclose(found.pop(), expected, rtol=1e-12)

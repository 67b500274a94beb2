"""Peers that count paths and walks are their formulas, on networks counted by hand."""

from fractions import Fraction
from math import sqrt

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import every_pair, networks, slowly

import linkprior as lp
from linkprior import parallel
from linkprior.predictors.paths import largest_eigenvalue

PEERS = ("l3", "l3n", "ch2-l3", "mps")


def one_path():
    """x–u–v–y with one more partner for u."""
    return lp.Network.from_edges([("x", "u"), ("u", "v"), ("v", "y"), ("u", "z")])


def test_one_path_scores_as_counted_by_hand():
    """k_x = k_y = 1, k_u = 3, k_v = 2; u has v inside and z outside, v has u inside.

    x shares u with v and z; y shares v with u. N(x) = {u}, N(v) = {u, y}: J = 1/2;
    N(u) = {v, x, z}, N(y) = {v}: J = 1/3.
    """
    pair = [("x", "y")]
    scores = {name: lp.make(name).fit(one_path()).score_pairs(pair)[0] for name in PEERS}
    assert scores["l3"] == pytest.approx(1 / sqrt(6))
    assert scores["l3n"] == pytest.approx((1 / 2) ** 2 * (1 / 3) ** 2)
    assert scores["ch2-l3"] == pytest.approx(sqrt(2 / 2) * sqrt(2 / 1))
    assert scores["mps"] == pytest.approx(1 / 2 + 1 / 3, rel=1e-6)


def test_mps_breaks_ties_by_degree_and_by_less_than_a_millionth():
    """Paths of four nodes, the inner two doubled: their ends' scores are equal, degrees are not.

    In a path x–u–v–y, J(x, v) = J(u, y) = 1/2; with m twins of u and of v, all joined, N(x) is all
    u and N(v) is all u and y, or all u and all y where y has m twins, too.
    """
    plain = [("x", "u"), ("u", "v"), ("v", "y")]
    doubled = [(f"X{i}", f"U{j}") for i in range(2) for j in range(2)]
    doubled += [(f"U{i}", f"V{j}") for i in range(2) for j in range(2)]
    doubled += [(f"V{i}", f"Y{j}") for i in range(2) for j in range(2)]
    model = lp.make("mps").fit(lp.Network.from_edges([*plain, *doubled]))
    lower, higher, none = model.score_pairs([("x", "y"), ("X0", "Y0"), ("x", "Y0")])
    assert 1.0 < lower < higher < 1.0 + 1e-6
    assert none == 0.0


@pytest.mark.at_length
@pytest.mark.parametrize("name", [*PEERS, "katz", "lrw"])
def test_pairs_are_read_from_rows_to_the_last_bit(name):
    net = lp.planted_network(n_nodes=270, n_groups=5, mean_degree=6, seed=2)
    model = lp.make(name).fit(net)
    pairs = np.random.default_rng(1).permutation(every_pair(net))[:4000]
    rows = model.score_rows(0, net.n_nodes)
    np.testing.assert_allclose(rows, rows.T, rtol=1e-12)
    for workers in (1, 2, 3):
        with parallel.use_workers(workers):
            found = model.score_pairs(pairs)
        assert found.tobytes() == rows[tuple(pairs.T)].tobytes()
    assert len(model.score_pairs(np.empty((0, 2), int))) == 0


# ---------------------------------------------------------------------- walks


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
def test_lrw_is_where_walkers_are(net, steps):
    model = lp.make("lrw", steps=steps).fit(net)
    expected = lrw_by_walkers(net, steps)
    np.testing.assert_allclose(model.score_rows(0, net.n_nodes), expected, rtol=1e-12, atol=0)


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
    size = 399 if kind == "star_graph" else 400
    a = lp.Network.from_networkx(getattr(nx, kind)(size)).adjacency
    found = {largest_eigenvalue(a) for _ in range(3)}
    assert len(found) == 1
    np.testing.assert_allclose(found.pop(), expected, rtol=1e-12)

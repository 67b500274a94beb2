"""Formulas in the cases where a term could be wrong unseen: weights, non-edges, other limits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.model.bounds import expected_label_error, expected_squared_loss, gamma, gamma_weak
from linkprior.model.degrees import prior_degrees
from linkprior.model.sbm import Partition
from linkprior.network.side_information import NON_EDGE_WEIGHT
from linkprior.solvers.pu_als import PuAlsSolver, exact_half_sweep

RHO, LAM = 0.2, 0.3


def weighted_network(p=14, seed=0):
    """Edges of eighths as weights (exact in floats), and some known non-edges."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(p, 1)
    kind = rng.random(len(i))
    edges = np.stack([i, j], axis=1)[kind < 0.35]
    weights = rng.integers(1, 9, len(edges)) / 8.0
    weights[0] = 1.0  # weights count by their ratio to the largest
    plain = lp.Network.from_edges(edges, nodes=range(p))
    non_edges = np.stack([i, j], axis=1)[kind > 0.85]
    return plain.with_weights(weights), non_edges.tolist()


# ---- degrees -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_degrees_of_a_weighted_network_are_the_formula_with_weights_in_fractions(seed):
    net, _ = weighted_network(seed=seed)
    sure = net.confidence.toarray()
    strengths = [sum(map(Fraction, row)) for row in sure.tolist()]
    for k in (1, 7, net.n_edges, 60):
        wished = [math.ceil(2 * s * k / sum(strengths)) for s in strengths]
        expected = [max(1, min(d, net.n_nodes - 1)) for d in wished]
        assert lp.theory.estimate_degrees(net, k).tolist() == expected


def test_given_degrees_are_amplified_and_never_exceed_the_number_of_partners():
    net, _ = weighted_network()
    given = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13]
    expected = [min(math.ceil(Fraction(3, 2) * d), 13) for d in given]
    assert prior_degrees(net, c=1.5, given=given).tolist() == expected
    assert prior_degrees(net, c=100.0, given=given).tolist() == [13] * 14


# ---- weighted least squares --------------------------------------------------------------------


def known_matrices(net, non_edges):
    """What multiplies x² and 2x: a pair of weight w is known by w, and like any other by 1 − w."""
    sure = net.confidence.toarray()
    for i, j in non_edges:
        sure[i, j] = sure[j, i] = NON_EDGE_WEIGHT
    M = sure * (1 - RHO / 2) + (1 - sure) * RHO / 2
    np.fill_diagonal(M, 0.0)
    return M, sure * (1 - RHO / 2) * net.adjacency.toarray()


def test_the_exact_half_sweep_solves_the_weighted_rows():
    net, non_edges = weighted_network()
    net = net.with_negatives(non_edges)
    H = np.random.default_rng(2).standard_normal((net.n_nodes, 4))
    M, pull = known_matrices(net, non_edges)
    W = exact_half_sweep(net, H, RHO, LAM)
    for i, w in enumerate(W):
        left = (M[i][:, None] * H).T @ H + LAM * np.eye(4)
        np.testing.assert_allclose(left @ w, pull[i] @ H, atol=1e-10)


def test_conjugate_gradients_reach_the_exact_rows_with_weights_and_non_edges():
    net, non_edges = weighted_network()
    net = net.with_negatives(non_edges)
    H = np.random.default_rng(3).standard_normal((net.n_nodes, 3))
    exact = exact_half_sweep(net, H, RHO, LAM)
    solver = PuAlsSolver(net, 3, RHO, LAM, cg_steps=30, dtype=np.float64)
    state = solver.step(solver.state(np.zeros_like(H), H))
    np.testing.assert_allclose(state.W, exact, atol=1e-8)


def test_the_loss_of_a_weighted_network_has_the_same_gradient():
    net, non_edges = weighted_network()
    net = net.with_negatives(non_edges)
    X = np.random.default_rng(4).random((net.n_nodes, net.n_nodes))
    M, pull = known_matrices(net, non_edges)
    expected = 2.0 * (M * X - pull)
    np.testing.assert_allclose(lp.theory.pu_gradient(X, net, RHO), expected, atol=1e-12)


# ---- bounds ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("q", [0.05, 0.3, 0.45])
def test_gammas_are_what_the_lemma_prints(rho, q):
    best = (2 - rho) / (3 - 2 * rho)
    assert gamma(rho, q) == pytest.approx(max(q**-2, 1 / ((3 - 2 * rho) * (best - q) ** 2)))
    assert gamma_weak(rho, q) == pytest.approx(max(q**-2, 1 / ((2 - rho) * (1 - q) ** 2)))


@pytest.mark.parametrize("q", [0.7, 0.9])
def test_the_weak_gamma_is_ruled_by_its_second_term_at_high_thresholds(q):
    assert gamma_weak(0.3, q) == pytest.approx(1 / (1.7 * (1 - q) ** 2))


@pytest.mark.parametrize("rho", [0.2, 0.7])
@pytest.mark.parametrize("edge", [True, False])
def test_expected_errors_are_the_mean_over_what_may_be_seen(rho, edge):
    """An edge is seen with chance ρ, a non-edge never; both losses weigh seen pairs by 1 − ρ/2."""
    x, q = np.linspace(-1.0, 2.0, 13), 0.4
    chance = rho if edge else 0.0
    said = x > q
    label = chance * (1 - rho / 2) * ~said + (1 - chance) * rho / 2 * said
    square = chance * (1 - rho / 2) * (1 - x) ** 2 + (1 - chance) * rho / 2 * x**2
    np.testing.assert_allclose(expected_label_error(x, edge, rho, q), label)
    np.testing.assert_allclose(expected_squared_loss(x, edge, rho), square)


# ---- blocks ------------------------------------------------------------------------------------


def test_the_description_length_is_its_four_parts_in_whole_numbers():
    net = lp.planted_network(n_nodes=30, n_groups=3, mean_degree=5, seed=1)
    labels = np.arange(30) % 4
    part = Partition.of(net.adjacency, labels)
    N, B, E = 30, 4, net.n_edges
    sizes = np.bincount(labels)
    ways = math.comb(B * (B + 1) // 2 + E - 1, E)
    orders = math.factorial(N) // math.prod(math.factorial(int(size)) for size in sizes)
    told = math.log(ways) + math.log(N) + math.log(math.comb(N - 1, B - 1)) + math.log(orders)
    assert part.description_length() == pytest.approx(told - part.log_likelihood(), rel=1e-10)


# ---- messages that name a place ----------------------------------------------------------------


@pytest.mark.parametrize(("i", "j"), [(0, 1), (2, 1), (3, 2)])
def test_the_entry_that_is_wrong_is_named(i, j):
    X = np.ones((4, 4))
    X[i, j] = -2.0
    with pytest.raises(ParameterError, match=rf"X\[{i}, {j}\] is -2"):
        lp.theory.construct(X, [1, 1, 1, 1])
    X[i, j] = 3.0
    a, b = min(i, j), max(i, j)
    with pytest.raises(ParameterError, match=rf"X\[{a}, {b}\] is .* and X\[{b}, {a}\] is"):
        lp.theory.construct(X, [1, 1, 1, 1])

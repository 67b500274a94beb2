"""Weighted alternating least squares: exact rows, conjugate gradients, the objective, the start."""

import itertools

import numpy as np
import pytest
from tests.paper.dense import gnm, observed, observed_in_part, random_network, weighted_network

from linkprior.network import Network
from linkprior.solvers.base import solve
from linkprior.solvers.pu_als import PuAlsSolver, exact_half_sweep, gram, whitening

RHO, LAM = 0.2, 0.3


@pytest.mark.parametrize("p", [12, 260])
def test_the_objective_is_the_formula(p):
    net, rng = random_network(p, 0.1), np.random.default_rng(1)
    W, H = rng.standard_normal((2, p, 5))
    solver = PuAlsSolver(net, 5, RHO, LAM, dtype=np.float64)
    value = solver.measure(solver.state(W, H)).objective
    omega, M = observed(net, RHO)
    expected = (M * (omega - W @ H.T) ** 2).sum() + LAM * ((W**2).sum() + (H**2).sum())
    assert value == pytest.approx(expected, rel=1e-12)


def test_exact_and_conjugate_gradient_rows_are_the_minimum_with_weights_and_non_edges():
    net = weighted_network()
    H = np.random.default_rng(3).standard_normal((net.n_nodes, 3))
    W = exact_half_sweep(net, H, RHO, LAM)
    M, pull = observed_in_part(net, RHO)
    np.testing.assert_allclose((M * (W @ H.T) - pull) @ H + LAM * W, 0.0, atol=1e-10)
    solver = PuAlsSolver(net, 3, RHO, LAM, cg_steps=30, dtype=np.float64)
    state = solver.step(solver.state(np.zeros_like(H), H))
    np.testing.assert_allclose(state.W, W, atol=1e-8)


def test_exact_sweeps_never_raise_the_objective():
    net = random_network(40, 0.1)
    solver = PuAlsSolver(net, 6, RHO, LAM, cg_steps=None, dtype=np.float64)
    values = [m.objective for m in solve(solver, np.random.default_rng(0), 40, 0.0).history]
    assert all(b <= a * (1 + 1e-12) for a, b in itertools.pairwise(values))
    assert values[-1] < values[0]


@pytest.mark.parametrize("p", [40, 260])  # the readable and the compiled kernels
def test_enough_conjugate_gradient_steps_are_exact(p):
    net = random_network(p, 6 / p)
    exact = PuAlsSolver(net, 5, RHO, LAM, cg_steps=None, dtype=np.float64)
    steps = PuAlsSolver(net, 5, RHO, LAM, cg_steps=12, dtype=np.float64)
    a, b = (solve(s, np.random.default_rng(0), 3, 0.0).state for s in (exact, steps))
    np.testing.assert_allclose(b.W, a.W, atol=1e-9)
    np.testing.assert_allclose(b.H, a.H, atol=1e-9)


def test_a_few_steps_in_float32_nearly_reach_the_exact_objective():
    net = random_network(260, 0.02)
    exact = PuAlsSolver(net, 8, RHO, LAM, cg_steps=None, dtype=np.float64)
    quick = PuAlsSolver(net, 8, RHO, LAM, cg_steps=3)
    a, b = (solve(s, np.random.default_rng(0), 10, 0.0).history[-1] for s in (exact, quick))
    assert b.objective == pytest.approx(a.objective, rel=1e-3)


def test_a_spectral_start_is_near_the_eigenvectors_and_drawn_in_part():
    net = random_network(260, 0.05)
    solver = PuAlsSolver(net, 3, RHO, LAM, spectral=True)
    one, other = (solver.init(np.random.default_rng(seed)).H for seed in (1, 2))
    values, V = np.linalg.eigh(net.adjacency.toarray())
    top = V[:, -1] * np.sqrt(values[-1])
    assert abs(one[:, 0] @ top) > 0.99 * np.linalg.norm(one[:, 0]) * np.linalg.norm(top)
    assert 0 < np.linalg.norm(one - other) < 0.1 * np.linalg.norm(one)


def test_a_spectral_start_has_columns_where_there_are_no_more_eigenvectors():
    star = Network.from_edges([(0, leaf) for leaf in range(1, 20)])
    state = PuAlsSolver(star, 6, RHO, LAM, spectral=True).init(np.random.default_rng(0))
    assert (np.abs(state.H).max(axis=0) > 0).all()


def test_whitening_turns_the_shared_matrix_into_the_identity():
    H = np.random.default_rng(3).standard_normal((20, 4))
    L, inverse = whitening(gram(H), RHO, LAM)
    C = RHO / 2 * H.T @ H + LAM * np.eye(4)
    np.testing.assert_allclose(L @ L.T, C, atol=1e-12)
    np.testing.assert_allclose(inverse @ C @ inverse.T, np.eye(4), atol=1e-12)


def test_whitening_survives_a_ridge_next_to_nothing():
    H = np.ones((50, 3))
    L, inverse = whitening(gram(H), 0.5, 1e-300)
    assert np.isfinite(L).all()
    assert np.isfinite(inverse).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_that_follow_the_steps_are_those_of_the_factors(dtype):
    net = random_network(40, 0.1)
    solver = PuAlsSolver(net, 6, RHO, LAM, dtype=dtype)
    state = solve(solver, np.random.default_rng(0), 60, 0.0).state
    fresh = solver.state(state.W, state.H).stored
    np.testing.assert_allclose(state.stored, fresh, atol=1e-12 if dtype == np.float64 else 1e-5)


def test_workers_and_blocks_do_not_change_a_byte(monkeypatch):
    monkeypatch.setattr("linkprior.solvers.pu_als.BLOCK_ROWS", 64)
    net = random_network(260, 0.02)
    results = [
        solve(PuAlsSolver(net, 8, RHO, LAM, workers=n), np.random.default_rng(0), 4, 0.0).state
        for n in (1, 2, 4)
    ]
    for other in results[1:]:
        assert other.W.tobytes() == results[0].W.tobytes()
        assert other.H.tobytes() == results[0].H.tobytes()


@pytest.mark.parametrize("rank", [2, 9])
def test_least_squares_begin_with_rows_of_the_density_and_nothing_on_the_other_side(rank):
    net = gnm(120, 1000, 1)
    solver = PuAlsSolver(net, rank, 0.2, 0.3)
    state = solver.init(np.random.default_rng(0))
    assert not state.W.any()
    density = 1000 / (120 * 119 / 2)
    assert np.mean((state.H**2).sum(axis=1)) == pytest.approx(density, rel=0.2)
    # The product is zero everywhere: each edge, counted both ways, is missed by one.
    value = 0.9 * 2 * 1000 + 0.3 * (state.H**2).sum()
    assert solver.measure(state).objective == pytest.approx(value)

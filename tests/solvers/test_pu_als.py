"""Weighted alternating least squares: exact rows, conjugate gradients, the objective, the start."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.network import Network
from linkprior.network.side_information import NON_EDGE_WEIGHT
from linkprior.solvers.base import solve
from linkprior.solvers.pu_als import (
    PuAlsSolver,
    exact_half_sweep,
    gram,
    whitening,
)

RHO, LAM = 0.2, 0.3


def random_network(p: int, density: float = 0.1, seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(p, 1)
    kept = rng.random(len(i)) < density
    return Network.from_edges(np.stack([i[kept], j[kept]], axis=1), nodes=range(p))


def dense_objective(W, H, net: Network) -> float:
    omega = net.adjacency.toarray()
    M = RHO / 2 + (1 - RHO) * omega
    np.fill_diagonal(M, 0)
    return (M * (omega - W @ H.T) ** 2).sum() + LAM * ((W**2).sum() + (H**2).sum())


@pytest.mark.parametrize("p", [12, 260])
def test_the_objective_is_the_formula(p):
    net, rng = random_network(p), np.random.default_rng(1)
    W, H = rng.standard_normal((2, p, 5))
    solver = PuAlsSolver(net, 5, RHO, LAM, dtype=np.float64)
    value = solver.measure(solver.state(W, H)).objective
    assert value == pytest.approx(dense_objective(W, H, net), rel=1e-12)


def test_the_exact_half_sweep_is_the_minimum_over_W():
    net, rng = random_network(15), np.random.default_rng(2)
    H = rng.standard_normal((15, 4))
    W = exact_half_sweep(net, H, RHO, LAM)
    omega = net.adjacency.toarray()
    M = RHO / 2 + (1 - RHO) * omega
    np.fill_diagonal(M, 0)
    gradient = (M * (W @ H.T - omega)) @ H + LAM * W
    assert np.abs(gradient).max() < 1e-12


def test_exact_sweeps_never_raise_the_objective():
    net = random_network(40)
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


def test_rows_that_are_done_stay_where_they_are():
    """Isolated nodes reach zero at once; more steps must not divide by what is left."""
    net = Network.from_edges([(0, 1), (1, 2)], nodes=range(5))
    solver = PuAlsSolver(net, 2, RHO, LAM, cg_steps=30)
    state = solve(solver, np.random.default_rng(0), 30, 0.0).state
    assert np.isfinite(state.W).all()
    assert (state.W[3:] == 0).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_that_follow_the_steps_are_those_of_the_factors(dtype):
    net = random_network(40)
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


NET = lp.Network.from_networkx(nx.gnm_random_graph(15, 30, seed=2))


def test_without_a_gradient_step_factors_stay_where_they_are():
    rng = np.random.default_rng(3)
    W, H = rng.random((2, 15, 3))
    for steps, stay in ((0, True), (1, False)):
        solver = PuAlsSolver(NET, 3, 0.2, 0.3, cg_steps=steps, dtype=np.float64, workers=1)
        after = solver.step(solver.state(W, H))
        assert np.allclose(after.W, W, atol=1e-9) is stay
        assert np.allclose(after.H, H, atol=1e-9) is stay


def norm(M):
    return float(np.linalg.norm(M))


@pytest.mark.parametrize("rank", [2, 9])
def test_least_squares_begin_with_rows_of_the_density_and_nothing_on_the_other_side(rank):
    net = lp.Network.from_networkx(nx.gnm_random_graph(120, 1000, seed=1))
    solver = PuAlsSolver(net, rank, 0.2, 0.3)
    state = solver.init(np.random.default_rng(0))
    assert not state.W.any()
    density = 1000 / (120 * 119 / 2)
    assert np.mean((state.H**2).sum(axis=1)) == pytest.approx(density, rel=0.2)
    # The product is zero everywhere: each edge, counted both ways, is missed by one.
    value = 0.9 * 2 * 1000 + 0.3 * norm(state.H) ** 2
    assert solver.measure(state).objective == pytest.approx(value)


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

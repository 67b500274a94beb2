"""The nuclear norm estimator: steps against dense formulas, eigenvalues, a slow reference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse.linalg as spla
from tests.paper.dense import (
    gnm,
    half_sum,
    observed,
    random_network,
    soft_threshold,
    weights_by_rank,
)

from linkprior.model.degrees import estimate_degrees
from linkprior.model.losses import pu_loss
from linkprior.model.priors import DegreePrior, degree_prior, rank_weights
from linkprior.network import Network
from linkprior.solvers import nuclear
from linkprior.solvers.base import solve
from linkprior.solvers.nuclear import NuclearSolver, NuclearState, eigenpairs_above

RHO, MU = 0.3, 1.0


def make_solver(net: Network, lam: float, mu: float = MU) -> NuclearSolver:
    prior = DegreePrior(estimate_degrees(net), 0.5)
    return NuclearSolver(net, prior, RHO, mu, lam, 1.0, dtype=np.float64)


def smoothed_reference(net: Network, steps: int = 4000):
    """Proximal gradient on the nuclear norm alone, the box by a steep quadratic penalty."""
    omega, M = observed(net, RHO)
    steep = 200.0
    X, V, t = omega.copy(), omega.copy(), 1.0
    for _ in range(steps):
        outside = np.maximum(V - 1, 0) - np.maximum(-V, 0)
        gradient = 2 * M * (V - omega) + steep * outside
        ahead = soft_threshold(V - gradient / (2 + steep), MU / (2 + steep))
        t, before = (1 + np.sqrt(1 + 4 * t * t)) / 2, t
        V, X = ahead + (before - 1) / t * (ahead - X), ahead
    return X


def test_without_prior_it_reaches_the_minimum_of_a_plain_proximal_gradient():
    net = random_network(14, 0.2)
    X = solve(make_solver(net, 0.0), np.random.default_rng(0), 2000, 1e-7).state.X
    reference = np.clip(smoothed_reference(net), 0, 1)
    values = [pu_loss(x, net, RHO) + MU * np.linalg.norm(x, "nuc") for x in (X, reference)]
    assert values[0] == pytest.approx(values[1], rel=1e-3)


def test_without_prior_the_dual_is_a_subgradient_of_the_nuclear_norm():
    """η·Z ∈ μ·∂‖X‖_*: spectral norm at most μ, and ⟨Z, X⟩ the whole norm."""
    net = random_network(14, 0.2, seed=3)
    solution = solve(make_solver(net, 0.0), np.random.default_rng(0), 2000, 1e-8)
    state = solution.state
    assert solution.status == "converged"
    assert np.linalg.norm(state.Z, 2) <= MU * (1 + 1e-6)
    assert np.sum(state.Z * state.Y) == pytest.approx(MU * np.linalg.norm(state.Y, "nuc"), rel=1e-6)


def test_the_prior_is_what_the_measure_says():
    net = random_network(20, 0.2)
    solver = make_solver(net, 0.05)
    solution = solve(solver, np.random.default_rng(0), 500, 1e-5)
    X, degrees = solution.state.X, solver.prior.degrees
    value = pu_loss(X, net, RHO) + MU * np.abs(solution.state.spectrum).sum()
    value += 0.05 * degree_prior(X, degrees, 0.5)
    assert solution.status == "converged"
    assert solution.history[-1].objective == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(X, solution.state.Y, atol=1e-3)


@pytest.mark.parametrize(
    ("size", "mu", "lam", "eta"),
    [
        (0.3, 1.0, 0.0, 1.0),
        (0.3, 0.6, 0.2, 2.0),
        (0.3, 0.6, 0.2, 0.5),
        (9.0, 0.6, 0.2, 2.0),  # entries above 1
        (1e-4, 0.002, 0.0, 900.0),  # matrices of a norm below 1
    ],
)
def test_a_step_clips_to_the_box_and_thresholds_the_eigenvalues_at_mu_over_eta(size, mu, lam, eta):
    net = gnm(15, 30, 2)
    d = estimate_degrees(net)
    solver = NuclearSolver(net, DegreePrior(d), 0.4, mu, lam, eta, dtype=np.float64, workers=1)
    rng = np.random.default_rng(1)
    Y, Z = (size * (M + M.T) for M in rng.random((2, 15, 15)) - [[[0.2]], [[0.5]]])
    B = lam * rng.random((15, 15)) * ~np.eye(15, dtype=bool)
    state = NuclearState(np.zeros((15, 15)), B, Y, Z, np.empty(0), rng.standard_normal(15))
    after = solver.step(state)

    omega, M = observed(net, 0.4)
    # Each entry is the least of M·(x − ω)² + ½(b_ij + b_ji)·x + η/2·(x − (y − z))².
    Q = (2 * M * omega + eta * (Y - Z) - half_sum(B)) / (2 * M + eta)
    X = np.clip(Q, 0.0, 1.0)
    low = soft_threshold(X + Z, mu / eta)
    largest = max(np.linalg.norm(X), np.linalg.norm(low))
    assert bool(Q.max() > 1.0) is (size == 9.0)
    assert bool(largest < 1.0) is (size == 1e-4)
    np.testing.assert_allclose(after.X, X, atol=1e-12)
    np.testing.assert_allclose(after.Y, low, atol=1e-12)
    np.testing.assert_allclose(after.Z, Z + X - low, atol=1e-12)
    np.testing.assert_allclose(after.B, lam * weights_by_rank(Q, rank_weights(d, 14)), atol=1e-12)
    assert after.primal == pytest.approx(np.linalg.norm(X - low) / largest)
    assert after.dual == pytest.approx(np.linalg.norm(low - Y) / largest)


# ---- eigenpairs --------------------------------------------------------------------------------


def with_eigenvalues(values, seed=4):
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values),) * 2))[0]
    return half_sum((basis * values) @ basis.T)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "close"), [(np.float64, 1e-8), (np.float32, 1e-4)])
@pytest.mark.parametrize("expected", [0, 3, 15, 40])
def test_no_eigenvalue_above_the_threshold_is_missed(monkeypatch, expected, dtype, close, order):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    values = np.concatenate([np.linspace(5, 9, 7), -np.linspace(4, 8, 6), np.zeros(107)])
    S = with_eigenvalues(values).astype(dtype, order=order)
    v0 = np.random.default_rng(0).standard_normal(120).astype(dtype)
    found, vectors = eigenpairs_above(S, 3.0, expected, v0)
    assert found.dtype == vectors.dtype == dtype
    np.testing.assert_allclose(np.sort(found), np.sort(values[np.abs(values) > 3]), atol=close)
    np.testing.assert_allclose(S @ vectors, vectors * found, atol=close)


def test_all_eigenvalues_may_be_above_the_threshold_and_none_at_it(monkeypatch):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    values = np.concatenate([np.linspace(-9.0, -2.0, 30), np.linspace(1.0, 8.0, 30)])
    found, _ = eigenpairs_above(with_eigenvalues(values), 0.5, 0, np.ones(60))
    np.testing.assert_allclose(found, values, atol=1e-9)
    S = np.diag([3.0, -2.0, 2.0, 1.0, -4.0])
    for threshold, above in ((2.0, [-4, 3]), (1.9, [-4, -2, 2, 3]), (4.0, [])):
        found, vectors = eigenpairs_above(S, threshold, 0, np.ones(5))
        assert found.tolist() == above
        assert vectors.shape == (5, len(above))


@pytest.mark.parametrize("bounded", [False, True])
def test_a_few_large_eigenvalues_are_found_without_all_the_others(monkeypatch, bounded):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    values = np.concatenate([[-7.0, -5.0], np.linspace(-0.5, 0.5, 55), [4.0, 6.0, 8.0]])
    S = with_eigenvalues(values)
    monkeypatch.setattr(np.linalg, "eigh", None)
    if bounded:
        found, vectors, theta = nuclear.eigenpairs_in_ball(S, 15.0, 0, np.ones(60))
        assert theta == pytest.approx(3.0)
    else:
        found, vectors = eigenpairs_above(S, 3.0, 0, np.ones(60))
    np.testing.assert_allclose(np.sort(found), [-7.0, -5.0, 4.0, 6.0, 8.0], atol=1e-9)
    np.testing.assert_allclose(S @ vectors, vectors * found, atol=1e-9)


def test_where_the_search_for_eigenpairs_fails_all_are_computed(monkeypatch):
    """ARPACK may give up on a matrix with many equal eigenvalues, on some processors only."""

    def fails(*_args, **_options):
        raise spla.ArpackError(3)

    p = 120
    S = np.kron(np.eye(p // 2), [[0.0, 2.0], [2.0, 0.0]])
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    monkeypatch.setattr(nuclear.spla, "eigsh", fails)
    found, vectors = eigenpairs_above(S, 1.0, 1, np.ones(p))
    assert sorted(np.round(found, 9)) == [-2.0] * (p // 2) + [2.0] * (p // 2)
    np.testing.assert_allclose(S @ vectors, vectors * found, atol=1e-12)

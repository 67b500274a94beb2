"""The nuclear norm estimator, penalised and constrained: its steps, eigenvalues and optimum."""

from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse.linalg as spla
from hypothesis import given, settings
from scipy.optimize import brentq, minimize
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
from linkprior.solvers import nuclear
from linkprior.solvers.base import solve
from linkprior.solvers.nuclear import (
    CLOSE,
    NuclearSolver,
    NuclearState,
    ball_threshold,
    eigenpairs_above,
    least_price,
)

RHO, MU = 0.3, 1.0
quickly = settings(max_examples=60, deadline=None, derandomize=True)


def make_solver(net, alpha=0.5, mu=0.0, lam=0.0, eta=1.0, **bounds) -> NuclearSolver:
    prior = DegreePrior(estimate_degrees(net), alpha)
    return NuclearSolver(net, prior, RHO, mu, lam, eta, dtype=np.float64, **bounds)


def solved(solver, steps=4000, tol=1e-8):
    return solve(solver, np.random.default_rng(0), steps, tol)


def nuclear_norm(X):
    return float(np.abs(np.linalg.eigvalsh(X)).sum())


def test_without_prior_the_dual_is_a_subgradient_of_the_nuclear_norm():
    """η·Z ∈ μ·∂‖X‖_*: spectral norm at most μ, and ⟨Z, X⟩ the whole norm."""
    net = random_network(14, 0.2, seed=3)
    solution = solve(make_solver(net, mu=MU), np.random.default_rng(0), 2000, 1e-8)
    state = solution.state
    assert solution.status == "converged"
    assert np.linalg.norm(state.Z, 2) <= MU * (1 + 1e-6)
    assert np.sum(state.Z * state.Y) == pytest.approx(MU * np.linalg.norm(state.Y, "nuc"), rel=1e-6)


def test_the_prior_is_what_the_measure_says():
    net = random_network(20, 0.2)
    solver = make_solver(net, mu=MU, lam=0.05)
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


def above(threshold):
    return lambda values: threshold


def ball(radius):
    return lambda values: ball_threshold(np.abs(values), radius)


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
    found, vectors, _ = eigenpairs_above(S, above(3.0), expected, v0)
    assert found.dtype == vectors.dtype == dtype
    np.testing.assert_allclose(np.sort(found), np.sort(values[np.abs(values) > 3]), atol=close)
    np.testing.assert_allclose(S @ vectors, vectors * found, atol=close)


def test_all_eigenvalues_may_be_above_the_threshold_and_none_at_it(monkeypatch):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    values = np.concatenate([np.linspace(-9.0, -2.0, 30), np.linspace(1.0, 8.0, 30)])
    found, _, _ = eigenpairs_above(with_eigenvalues(values), above(0.5), 0, np.ones(60))
    np.testing.assert_allclose(found, values, atol=1e-9)
    S = np.diag([3.0, -2.0, 2.0, 1.0, -4.0])
    for threshold, kept in ((2.0, [-4, 3]), (1.9, [-4, -2, 2, 3]), (4.0, [])):
        found, vectors, _ = eigenpairs_above(S, above(threshold), 0, np.ones(5))
        assert found.tolist() == kept
        assert vectors.shape == (5, len(kept))


@pytest.mark.parametrize("bounded", [False, True])
def test_a_few_large_eigenvalues_are_found_without_all_the_others(monkeypatch, bounded):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    values = np.concatenate([[-7.0, -5.0], np.linspace(-0.5, 0.5, 55), [4.0, 6.0, 8.0]])
    S = with_eigenvalues(values)
    monkeypatch.setattr(np.linalg, "eigh", None)
    threshold = ball(15.0) if bounded else above(3.0)
    found, vectors, theta = eigenpairs_above(S, threshold, 0, np.ones(60))
    assert theta == pytest.approx(3.0)
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
    found, vectors, _ = eigenpairs_above(S, above(1.0), 1, np.ones(p))
    assert sorted(np.round(found, 9)) == [-2.0] * (p // 2) + [2.0] * (p // 2)
    np.testing.assert_allclose(S @ vectors, vectors * found, atol=1e-12)


# ---------------------------------------------------------------------- one number each


@quickly
@given(st.lists(st.integers(0, 40), min_size=1, max_size=12), st.integers(1, 200))
def test_the_threshold_is_that_of_the_l1_ball(numbers, tenths):
    sizes, radius = np.array(numbers) / 4.0, tenths / 10.0
    theta = ball_threshold(sizes, radius)
    left = np.maximum(sizes - theta, 0.0).sum()
    if sizes.sum() <= radius:
        assert theta == 0.0
    else:
        assert theta > 0.0
        assert left == pytest.approx(radius, rel=1e-12)


def test_the_threshold_of_some_of_the_largest_is_never_too_large():
    sizes = np.sort(np.random.default_rng(0).random(30))[::-1]
    found = [ball_threshold(sizes[:k], 4.0) for k in range(1, 31)]
    assert all(a <= b for a, b in pairwise(found))
    certain = [k for k in range(1, 31) if sizes[k - 1] <= found[k - 1]]
    assert certain
    assert {found[k - 1] for k in certain} == {found[-1]}


@pytest.mark.parametrize("guess", [0.0, 1e-6, 0.3, 7.0, 1e5])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e6])
def test_the_price_is_the_least_that_keeps_the_bound(size, guess):
    rng = np.random.default_rng(2)
    base, cost = rng.normal(0.5, 0.6, 400), size * rng.random(400)
    asked = []

    def spent(price):
        asked.append(price)
        return float(cost @ np.clip(base - price * cost, 0.0, 1.0))

    for share in (0.01, 0.3, 0.9):
        bound = share * spent(0.0)
        asked.clear()
        price = least_price(spent, bound, guess)
        assert bound * (1 - 2 * CLOSE) <= spent(price) <= bound
        assert spent(price * (1 - 1e-4)) > bound
        assert len(asked) < 80  # doublings are counted: 1e12 lies between the sizes
    assert least_price(spent, spent(0.0), guess) == 0.0


def test_a_price_that_can_never_be_paid_ends_the_search():
    assert np.isfinite(least_price(lambda _: 2.0, 1.0, 0.0))


# ---------------------------------------------------------------------- the nearest of a ball


def project_on_ball(S, radius):
    """By a root search for the threshold, over all eigenvalues."""
    sizes = np.abs(np.linalg.eigvalsh(S))
    if sizes.sum() <= radius:
        return S
    theta = brentq(lambda x: np.maximum(sizes - x, 0.0).sum() - radius, 0.0, sizes.max())
    return soft_threshold(S, theta)


@pytest.mark.parametrize("expected", [0, 3, 15, 60])
@pytest.mark.parametrize("radius", [0.5, 20.0, 90.0, 1000.0])
def test_no_eigenpair_of_the_projection_is_missed(monkeypatch, expected, radius):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    rng = np.random.default_rng(4)
    S = rng.standard_normal((120, 120)) * 0.1
    S = S + S.T + np.outer(*rng.standard_normal((2, 120, 1)))
    S = (S + S.T) / 2
    values, vectors, theta = eigenpairs_above(S, ball(radius), expected, np.ones(120))
    kept = np.sign(values) * (np.abs(values) - theta)
    assert (theta > 0.0) is (radius < 1000.0)
    np.testing.assert_allclose((vectors * kept) @ vectors.T, project_on_ball(S, radius), atol=1e-7)


# ---------------------------------------------------------------------- a step


@pytest.mark.parametrize(("t", "r"), [(3.0, 8.0), (3.0, 1e6), (1e6, 8.0), (1e6, 1e6)])
@pytest.mark.parametrize("eta", [0.5, 2.0])
def test_a_step_is_the_best_under_the_linearised_bound_and_then_the_nearest_of_the_ball(t, r, eta):
    """The first half by SLSQP on the pairs and the diagonal; the second by its own formula."""
    net = random_network(6, 0.4)
    solver = make_solver(net, eta=eta, trace=t, prior_bound=r)
    rng = np.random.default_rng(1)
    Y, Z, B = (M + M.T for M in rng.random((3, 6, 6)) - [[[0.1]], [[0.6]], [[0.0]]])
    np.fill_diagonal(B, 0.0)
    zero = np.zeros((6, 6))
    found = solver.step(NuclearState(zero, B, Y, Z, np.empty(0), np.ones(6)))

    omega, M = observed(net, RHO)
    X = least_squares_in_box(M, omega, Y - Z, eta, B, r)
    np.testing.assert_allclose(found.X, X, atol=2e-4)
    np.testing.assert_allclose(found.Y, project_on_ball(found.X + Z, t), atol=1e-9)
    np.testing.assert_allclose(found.Z, Z + found.X - found.Y, atol=1e-12)
    assert np.sum(B * found.X) <= r
    assert (found.nu > 0.0) is (r < 1e6)
    assert (found.theta > 0.0) is (t < 1e6)
    ranks = rank_weights(estimate_degrees(net), 5, 0.5)
    np.testing.assert_allclose(np.sort(found.B, axis=1)[:, 1:], ranks)  # not multiplied by ν


def least_squares_in_box(M, omega, A, eta, G, r):
    i, j = np.triu_indices(len(M))
    twice = np.where(i == j, 1.0, 2.0)
    m, w, a, g = (N[i, j] for N in (M, omega, A, G))

    def value(x):
        return np.sum(twice * (m * (x - w) ** 2 + eta / 2 * (x - a) ** 2))

    def slope(x):
        return twice * (2 * m * (x - w) + eta * (x - a))

    inside = {"type": "ineq", "fun": lambda x: r - twice * g @ x, "jac": lambda x: -twice * g}
    best = minimize(
        value,
        np.zeros(len(i)),
        jac=slope,
        bounds=[(0, 1)] * len(i),
        constraints=[inside],
        method="SLSQP",
        options={"ftol": 1e-11, "maxiter": 500},
    )
    assert best.success
    X = np.zeros_like(M)
    X[i, j] = X[j, i] = best.x
    return X


# ---------------------------------------------------------------------- the optimum


def onto_all(X, t, r):
    """The nearest matrix of box, ball and half-space Σ off-diagonal ≤ r, by Dykstra's method."""
    off = 1.0 - np.eye(len(X))

    def half_space(V):
        return V - off * max(0.0, (np.sum(off * V) - r) / off.sum())

    sets = [half_space, lambda V: project_on_ball(V, t), lambda V: np.clip(V, 0.0, 1.0)]
    kept = [np.zeros_like(X) for _ in sets]
    for _ in range(40):
        for k, project in enumerate(sets):
            moved = project(X + kept[k])
            kept[k] += X - moved
            X = moved
    return X


def projected_gradient(net, t, r, steps=80):
    """FISTA over box ∩ ball ∩ half-space: another way to the same convex problem."""
    omega, M = observed(net, RHO)
    X = V = onto_all(omega, t, r)
    momentum = 1.0
    for _ in range(steps):
        ahead = onto_all(V - M * (V - omega) / M.max(), t, r)
        before, momentum = momentum, (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        V, X = ahead + (before - 1) / momentum * (ahead - X), ahead
    return X


@pytest.mark.parametrize(("t", "r"), [(4.0, 1e6), (1e6, 10.0), (5.0, 12.0), (2.0, 16.0)])
def test_where_the_prior_is_the_l1_norm_the_optimum_is_reached(t, r):
    """With α = 0 all weights are 1, the problem is convex, and any right method finds its least."""
    net = random_network(8, 0.4, 5)
    state = solved(make_solver(net, alpha=0.0, trace=t, prior_bound=r)).state
    X, reference = state.X, projected_gradient(net, t, r)
    off = X.sum() - np.trace(X)
    assert nuclear_norm(X) <= t * (1 + 1e-5)
    assert off <= r
    assert pu_loss(X, net, RHO) == pytest.approx(pu_loss(reference, net, RHO), rel=2e-4)
    assert (state.theta > 0.0) is (t < 1e6)
    assert (state.nu > 0.0) is bool(off > 0.999 * r)


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_on_the_norm_alone_is_a_convex_problem_too(seed):
    net = random_network(9, 0.4, seed)
    t = 0.4 * nuclear_norm(net.adjacency.toarray())
    solution = solved(make_solver(net, trace=t))
    X, reference = solution.state.X, projected_gradient(net, t, 1e6)
    assert solution.status == "converged"
    assert nuclear_norm(X) == pytest.approx(t, rel=1e-5)
    assert pu_loss(X, net, RHO) == pytest.approx(pu_loss(reference, net, RHO), rel=2e-4)


@pytest.mark.parametrize("bounded", [["trace"], ["prior_bound"], ["trace", "prior_bound"]], ids=str)
def test_bounds_that_do_not_bind_leave_the_least_loss_of_the_box(bounded):
    net = random_network(9, 0.4)
    solution = solved(make_solver(net, **dict.fromkeys(bounded, 1e3)), 500, 1e-6)
    off = ~np.eye(9, dtype=bool)
    assert solution.status == "converged"
    assert solution.state.theta == solution.state.nu == 0.0
    np.testing.assert_allclose(solution.state.X[off], net.adjacency.toarray()[off], atol=1e-3)


# ---------------------------------------------------------------------- beside the penalised form


@pytest.mark.parametrize(("mu", "lam"), [(1.0, 0.02), (0.5, 0.1), (2.0, 0.0)])
def test_the_bounds_of_a_penalised_fit_lead_back_to_it(mu, lam):
    net = random_network(24, 0.2, seed=1)
    d = estimate_degrees(net)
    penalised = solved(make_solver(net, mu=mu, lam=lam), 3000, 1e-6).state
    t, r = nuclear_norm(penalised.X), degree_prior(penalised.X, d, 0.5)
    bounded = solved(make_solver(net, trace=t, prior_bound=r), 3000, 1e-6).state
    assert pu_loss(bounded.X, net, RHO) == pytest.approx(pu_loss(penalised.X, net, RHO), rel=0.01)
    assert bounded.theta == pytest.approx(mu, rel=0.02)
    assert bounded.nu == pytest.approx(lam, rel=0.05, abs=2e-3)
    assert penalised.theta == mu
    assert penalised.nu == lam


def test_one_bound_leaves_the_other_penalty_in_place():
    net = random_network(15, 0.3, seed=1)
    solver = make_solver(net, lam=0.05, trace=6.0)
    solution = solved(solver, 2000, 1e-7)
    X, d = solution.state.X, solver.prior.degrees
    value = pu_loss(X, net, RHO) + 0.05 * degree_prior(X, d, 0.5)
    assert solution.history[-1].objective == pytest.approx(value, rel=1e-9)
    assert np.abs(solution.state.spectrum).sum() == pytest.approx(6.0)
    solver = make_solver(net, mu=0.5, prior_bound=20.0)
    solution = solved(solver, 2000, 1e-7)
    value = pu_loss(solution.state.X, net, RHO) + 0.5 * np.abs(solution.state.spectrum).sum()
    assert solution.history[-1].objective == pytest.approx(value, rel=1e-9)
    assert degree_prior(solution.state.X, d, 0.5) <= 20.0

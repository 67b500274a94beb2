"""The nuclear norm estimator: steps against dense formulas, eigenvalues, a slow reference."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse.linalg as spla

import linkprior as lp
from linkprior.model.degrees import estimate_degrees
from linkprior.model.losses import pu_loss
from linkprior.model.priors import DegreePrior, degree_prior
from linkprior.network import Network
from linkprior.solvers import nuclear
from linkprior.solvers.base import solve
from linkprior.solvers.nuclear import NuclearSolver, NuclearState, eigenpairs_above

RHO, MU = 0.3, 1.0


def random_network(p: int, density: float = 0.2, seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(p, 1)
    kept = rng.random(len(i)) < density
    return Network.from_edges(np.stack([i[kept], j[kept]], axis=1), nodes=range(p))


def make_solver(net: Network, lam: float, mu: float = MU) -> NuclearSolver:
    prior = DegreePrior(estimate_degrees(net), 0.5)
    return NuclearSolver(net, prior, RHO, mu, lam, 1.0, dtype=np.float64)


def soft_threshold(S, threshold: float):
    values, vectors = np.linalg.eigh(S)
    return (vectors * np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0)) @ vectors.T


def smoothed_reference(net: Network, steps: int = 4000):
    """Proximal gradient on the nuclear norm alone, the box by a steep quadratic penalty."""
    omega = net.adjacency.toarray()
    M = RHO / 2 + (1 - RHO) * omega
    np.fill_diagonal(M, 0)
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
    net = random_network(14)
    X = solve(make_solver(net, 0.0), np.random.default_rng(0), 2000, 1e-7).state.X
    reference = np.clip(smoothed_reference(net), 0, 1)
    values = [pu_loss(x, net, RHO) + MU * np.linalg.norm(x, "nuc") for x in (X, reference)]
    assert values[0] == pytest.approx(values[1], rel=1e-3)


def test_without_prior_the_dual_is_a_subgradient_of_the_nuclear_norm():
    """η·Z ∈ μ·∂‖X‖_*: spectral norm at most μ, and ⟨Z, X⟩ the whole norm."""
    net = random_network(14, seed=3)
    solution = solve(make_solver(net, 0.0), np.random.default_rng(0), 2000, 1e-8)
    state = solution.state
    assert solution.status == "converged"
    assert np.linalg.norm(state.Z, 2) <= MU * (1 + 1e-6)
    assert np.sum(state.Z * state.Y) == pytest.approx(MU * np.linalg.norm(state.Y, "nuc"), rel=1e-6)


def test_the_prior_is_what_the_measure_says():
    net = random_network(20)
    solver = make_solver(net, 0.05)
    solution = solve(solver, np.random.default_rng(0), 500, 1e-5)
    X, degrees = solution.state.X, solver.prior.degrees
    value = pu_loss(X, net, RHO) + MU * np.abs(solution.state.spectrum).sum()
    value += 0.05 * degree_prior(X, degrees, 0.5)
    assert solution.status == "converged"
    assert solution.history[-1].objective == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(X, solution.state.Y, atol=1e-3)


def test_the_prior_lowers_its_own_value():
    net = random_network(20)
    plain, priored = (
        solve(make_solver(net, lam), np.random.default_rng(0), 500, 1e-5).state.X
        for lam in (0.0, 0.05)
    )
    degrees = estimate_degrees(net)
    assert degree_prior(priored, degrees, 0.5) < degree_prior(plain, degrees, 0.5)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "close"), [(np.float64, 1e-8), (np.float32, 1e-4)])
@pytest.mark.parametrize("expected", [0, 3, 15, 40])
def test_no_eigenvalue_above_the_threshold_is_missed(monkeypatch, expected, dtype, close, order):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    rng = np.random.default_rng(4)
    basis = np.linalg.qr(rng.standard_normal((120, 120)))[0]
    values = np.concatenate([np.linspace(5, 9, 7), -np.linspace(4, 8, 6), np.zeros(107)])
    S = (basis * values) @ basis.T
    S = ((S + S.T) / 2).astype(dtype, order=order)
    found, vectors = eigenpairs_above(S, 3.0, expected, rng.standard_normal(120).astype(dtype))
    assert found.dtype == vectors.dtype == dtype
    np.testing.assert_allclose(np.sort(found), np.sort(values[np.abs(values) > 3]), atol=close)
    np.testing.assert_allclose(S @ vectors, vectors * found, atol=close)


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


NET = lp.Network.from_networkx(nx.gnm_random_graph(15, 30, seed=2))
SHARE = 0.4


def dense_threshold(S, threshold):
    values, vectors = np.linalg.eigh(S)
    return (vectors * np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0)) @ vectors.T


def norm(M):
    return float(np.linalg.norm(M))


@pytest.mark.parametrize(
    ("size", "mu", "eta"),
    [
        (0.3, 1.0, 1.0),
        (0.3, 0.6, 2.0),
        (0.3, 0.6, 0.5),
        (9.0, 0.6, 2.0),  # entries above 1
        (1e-4, 0.002, 900.0),  # matrices of a norm below 1
    ],
)
def test_a_step_clips_to_the_box_and_thresholds_the_eigenvalues_at_mu_over_eta(size, mu, eta):
    solver = NuclearSolver(NET, DegreePrior(NET.degrees), SHARE, mu, 0.0, eta, dtype=np.float64)
    rng = np.random.default_rng(1)
    Y, Z = (size * (M + M.T) for M in rng.random((2, 15, 15)) - [[[0.2]], [[0.5]]])
    zero = np.zeros((15, 15))
    state = NuclearState(zero, zero, Y, Z, np.empty(0), rng.standard_normal(15))
    found = solver.step(state)

    omega = NET.adjacency.toarray()
    M = SHARE / 2 + (1 - SHARE) * omega
    np.fill_diagonal(M, 0.0)
    # Each entry is the least of M·(x − ω)² + η/2·(x − (y − z))², by its derivative.
    Q = (2 * M * omega + eta * (Y - Z)) / (2 * M + eta)
    X = np.minimum(np.maximum(Q, 0.0), 1.0)
    low = dense_threshold(X + Z, mu / eta)
    largest = max(norm(X), norm(low))
    assert bool(Q.max() > 1.0) is (size == 9.0)
    assert (largest < 1.0) is (size == 1e-4)
    np.testing.assert_allclose(found.X, X, atol=1e-12)
    np.testing.assert_allclose(found.Y, low, atol=1e-12)
    np.testing.assert_allclose(found.Z, Z + X - low, atol=1e-12)
    assert found.primal == pytest.approx(norm(X - low) / largest)
    assert found.dual == pytest.approx(norm(low - Y) / largest)


def with_eigenvalues(values):
    basis = np.linalg.qr(np.random.default_rng(4).standard_normal((len(values),) * 2))[0]
    S = (basis * values) @ basis.T
    return (S + S.T) / 2


def test_all_eigenvalues_may_be_above_the_threshold(monkeypatch):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    values = np.concatenate([np.linspace(-9.0, -2.0, 30), np.linspace(1.0, 8.0, 30)])
    found, _ = eigenpairs_above(with_eigenvalues(values), 0.5, 0, np.ones(60))
    np.testing.assert_allclose(found, values, atol=1e-9)


def test_a_few_large_eigenvalues_are_found_without_all_the_others(monkeypatch):
    monkeypatch.setattr(nuclear, "FULL_BELOW", 10)
    values = np.concatenate([[-7.0, -5.0], np.linspace(-0.5, 0.5, 55), [4.0, 6.0, 8.0]])
    S = with_eigenvalues(values)
    monkeypatch.setattr(np.linalg, "eigh", None)
    found, vectors = eigenpairs_above(S, 3.0, 0, np.ones(60))
    np.testing.assert_allclose(np.sort(found), [-7.0, -5.0, 4.0, 6.0, 8.0], atol=1e-9)
    np.testing.assert_allclose(S @ vectors, vectors * found, atol=1e-9)


def test_the_answer_is_the_copy_clipped_to_the_box():
    Q = np.array([[-0.5, 0.0, 0.4], [0.0, 1.0, 1.5], [0.4, 1.5, 7.0]])
    state = NuclearState(Q, Q, Q, Q, np.empty(0), np.empty(0))
    assert state.X.tolist() == [[0.0, 0.0, 0.4], [0.0, 1.0, 1.0], [0.4, 1.0, 1.0]]


def test_each_entry_is_the_least_of_loss_and_prior_and_distance():
    """The least of m·(x − ω)² + g·x + η/2·(x − a)², g = ½(b_ij + b_ji), has no slope there."""
    omega = NET.adjacency.toarray()
    M = 0.2 + 0.6 * omega
    np.fill_diagonal(M, 0.0)
    rng = np.random.default_rng(1)
    A, B = rng.random((2, 15, 15))
    A = A + A.T
    np.fill_diagonal(B, 0.0)
    for eta in (0.3, 1.0, 5.0):
        solver = NuclearSolver(
            NET, DegreePrior(NET.degrees), 0.4, 1.0, 0.1, eta, dtype=np.float64, workers=1
        )
        Q = solver._loss_and_prior(A, B)
        slope = 2 * M * (Q - omega) + (B + B.T) / 2 + eta * (Q - A)
        np.testing.assert_allclose(slope, 0.0, atol=1e-12)


def test_an_eigenvalue_at_the_threshold_is_not_above_it():
    S = np.diag([3.0, -2.0, 2.0, 1.0, -4.0])
    for threshold, above in ((2.0, [-4, 3]), (1.9, [-4, -2, 2, 3]), (3.0, [-4]), (4.0, [])):
        values, vectors = nuclear.eigenpairs_above(S, threshold, 0, np.ones(5))
        assert values.tolist() == above
        assert vectors.shape == (5, len(above))

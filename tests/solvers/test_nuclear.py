"""The nuclear norm estimator: eigenvalues, convergence, a slow reference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse.linalg as spla

from linkprior.model.degrees import estimate_degrees
from linkprior.model.losses import pu_loss
from linkprior.model.priors import DegreePrior, degree_prior
from linkprior.network import Network
from linkprior.solvers import nuclear
from linkprior.solvers.base import solve
from linkprior.solvers.nuclear import NuclearSolver, eigenpairs_above

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

"""Steps of the nuclear norm's ADMM against dense formulas, and the ways to its eigenvalues."""

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.model.priors import DegreePrior
from linkprior.solvers import nuclear
from linkprior.solvers.nuclear import NuclearSolver, NuclearState, eigenpairs_above

NET = lp.Network.from_networkx(nx.gnm_random_graph(15, 30, seed=2))
RHO = 0.4


def soft_threshold(S, threshold):
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
    solver = NuclearSolver(NET, DegreePrior(NET.degrees), RHO, mu, 0.0, eta, dtype=np.float64)
    rng = np.random.default_rng(1)
    Y, Z = (size * (M + M.T) for M in rng.random((2, 15, 15)) - [[[0.2]], [[0.5]]])
    zero = np.zeros((15, 15))
    state = NuclearState(zero, zero, Y, Z, np.empty(0), rng.standard_normal(15))
    found = solver.step(state)

    omega = NET.adjacency.toarray()
    M = RHO / 2 + (1 - RHO) * omega
    np.fill_diagonal(M, 0.0)
    # Each entry is the least of M·(x − ω)² + η/2·(x − (y − z))², by its derivative.
    Q = (2 * M * omega + eta * (Y - Z)) / (2 * M + eta)
    X = np.minimum(np.maximum(Q, 0.0), 1.0)
    low = soft_threshold(X + Z, mu / eta)
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

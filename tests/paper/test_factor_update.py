"""The weighted tri-factorization under `Step_One`: multiplicative updates that never rise.

One sweep minimises F(X) + ridge·‖X‖² + 2·⟨push − pull, X⟩ over X = U S Uᵀ. Here that function is
written out densely, so that nothing of the package judges itself.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.model.factors import Factors
from linkprior.model.losses import PoissonLoss, SquaredLoss
from linkprior.solvers.factor_update import Extra, sweep

LOSSES = {"squared": SquaredLoss, "poisson": PoissonLoss}


def dense(factors):
    return factors.U @ factors.S @ factors.U.T


def loss_at(name, X, net, rho):
    M = np.where(net.adjacency.toarray() == 1, 1 - rho / 2, rho / 2)
    np.fill_diagonal(M, 0.0)
    omega = net.adjacency.toarray()
    if name == "squared":
        return (M * (X - omega) ** 2).sum()
    return (M * X).sum() - (M * omega)[omega == 1] @ np.log(X[omega == 1])


class Problem:
    """A random network, loss, target Y (with negatives) and extra push, and a random start."""

    def __init__(self, seed, name):
        rng = np.random.default_rng(seed)
        p, rank = int(rng.integers(4, 12)), int(rng.integers(1, 5))
        graph = nx.gnm_random_graph(p, int(rng.integers(2, 2 * p)), seed=seed)
        self.name, self.rho = name, float(rng.uniform(0.05, 0.95))
        self.net, self.loss = lp.Network.from_networkx(graph), LOSSES[name](self.rho)
        self.half = float(rng.choice([0.0, 0.05, 0.5, 3.0]))  # η/2
        Y = rng.normal(0.2, 1, (p, p))
        G = rng.random((p, p)) * rng.choice([0.0, 0.3])
        self.Y, self.G = (Y + Y.T) / 2, (G + G.T) / 2
        S = rng.random((rank, rank))
        scale = rng.choice([0.01, 1.0, 10.0])  # far below, near and far above the data
        self.start = Factors(rng.random((p, rank)), (S + S.T) * scale)

    def objective(self, factors):
        X = dense(factors)
        extra = self.half * ((X - self.Y) ** 2).sum() + 2 * (self.G * X).sum()
        return loss_at(self.name, X, self.net, self.rho) + extra

    def extra(self, factors, with_value):
        pull, push = (self.half * np.maximum(s * self.Y, 0) for s in (1, -1))
        value = None
        if with_value:

            def value(f):
                return self.objective(f) - loss_at(self.name, dense(f), self.net, self.rho)

        return Extra(self.half, (push + self.G) @ factors.U, pull @ factors.U, value)


@pytest.mark.parametrize("with_value", [True, False])
@pytest.mark.parametrize("name", LOSSES)
def test_sweep_never_raises_the_objective(name, with_value):
    """50 problems for each loss, with and without the bold step: 200 in all, ten sweeps each."""
    fallen = 0
    for seed in range(50):
        problem = Problem(seed, name)
        factors, values = problem.start, [problem.objective(problem.start)]
        for _ in range(10):
            factors = sweep(problem.net, problem.loss, factors, problem.extra(factors, with_value))
            values.append(problem.objective(factors))
        scale = 1e-9 * max(map(abs, values))
        assert (np.diff(values) <= scale).all(), f"seed {seed}: {values}"
        fallen += values[-1] < values[0] - scale
    assert fallen >= 49  # and it does go down


@pytest.mark.parametrize("name", LOSSES)
def test_sweep_keeps_s_symmetric_and_both_non_negative(name):
    for seed in range(50):
        problem = Problem(seed, name)
        factors = problem.start
        for _ in range(5):
            factors = sweep(problem.net, problem.loss, factors, problem.extra(factors, True))
            np.testing.assert_array_equal(factors.S, factors.S.T)
            assert (factors.S >= 0).all()
            assert (factors.U >= 0).all()
            assert np.isfinite(factors.U).all()


@pytest.mark.parametrize("name", LOSSES)
def test_bold_step_is_dropped_where_it_would_rise(name):
    """A value that grows at every look stands for a rise: then only the careful step is left."""
    for seed in range(10):
        problem = Problem(seed, name)
        plain = problem.extra(problem.start, False)
        looks = iter(range(10**6))
        rising = Extra(plain.ridge, plain.push_U, plain.pull_U, lambda _, n=looks: 1e9 * next(n))
        careful = sweep(problem.net, problem.loss, problem.start, plain)
        after = sweep(problem.net, problem.loss, problem.start, rising)
        np.testing.assert_array_equal(after.U, careful.U)
        np.testing.assert_array_equal(after.S, careful.S)
        assert next(looks) >= 2  # it did look


def test_bold_step_is_taken_where_it_falls():
    """With `value` a sweep reaches lower than the careful one, on the plain loss."""
    lower = 0
    for seed in range(30):
        problem = Problem(seed, "squared")
        careful = bold = problem.start
        for _ in range(10):
            careful = sweep(problem.net, problem.loss, careful, Extra())
            bold = sweep(problem.net, problem.loss, bold, Extra(value=lambda _: 0.0))
        values = [loss_at("squared", dense(f), problem.net, problem.rho) for f in (bold, careful)]
        lower += values[0] < values[1]
    assert lower > 20


def block_network():
    """Two complete groups of 3 and 4 without links between: Ω = U S Uᵀ off the diagonal."""
    U = np.zeros((7, 2))
    U[:3, 0] = U[3:, 1] = 1.0
    graph = nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(4))
    return lp.Network.from_networkx(graph), Factors(U, np.eye(2))


@pytest.mark.parametrize("value", [None, lambda _: 0.0])
def test_an_exact_solution_is_a_fixed_point(value):
    net, exact = block_network()
    loss = SquaredLoss(0.3)
    assert loss.value(net, exact) == pytest.approx(0.0, abs=1e-12)
    after = sweep(net, loss, exact, Extra(value=value))
    np.testing.assert_allclose(after.U, exact.U, atol=1e-12)
    np.testing.assert_allclose(after.S, exact.S, atol=1e-12)


def test_an_exact_solution_of_target_and_data_is_a_fixed_point():
    """η/2·‖X − Y‖² with Y = X on top: still nothing to gain."""
    net, exact = block_network()
    Y = dense(exact)
    extra = Extra(0.4, pull_U=0.4 * Y @ exact.U)
    after = sweep(net, SquaredLoss(0.3), exact, extra)
    np.testing.assert_allclose(after.U, exact.U, atol=1e-12)
    np.testing.assert_allclose(after.S, exact.S, atol=1e-12)


def test_sweeps_find_an_exact_solution_from_nearby():
    net, exact = block_network()
    rng = np.random.default_rng(1)
    factors = Factors(exact.U + 0.2 * rng.random((7, 2)), exact.S + 0.2)
    for _ in range(400):
        factors = sweep(net, SquaredLoss(0.3), factors, Extra(value=lambda _: 0.0))
    off = ~np.eye(7, dtype=bool)
    np.testing.assert_allclose(dense(factors)[off], net.adjacency.toarray()[off], atol=1e-3)


@pytest.mark.at_length
@pytest.mark.parametrize("name", LOSSES)
def test_many_sweeps_end_where_the_gradient_cannot_help(name):
    """At the limit: entries of U that stay positive have slope 0, the others a slope ≥ 0."""
    net = lp.Network.from_networkx(nx.karate_club_graph())
    rng, loss, rho = np.random.default_rng(2), LOSSES[name](0.4), 0.4
    factors = Factors(rng.random((34, 2)), np.eye(2) + 0.2)
    for _ in range(3000):
        factors = sweep(net, loss, factors, Extra(value=lambda _: 0.0))

    def value(U):
        return loss_at(name, U @ factors.S @ U.T, net, rho)

    slopes = np.zeros_like(factors.U)
    for at in np.ndindex(*slopes.shape):
        bump = np.zeros_like(slopes)
        bump[at] = 1e-6
        slopes[at] = (value(factors.U + bump) - value(factors.U - bump)) / 2e-6
    assert np.abs(slopes * factors.U).max() < 1e-2
    assert slopes.min() > -1e-2


def test_zeros_in_factors_stay_zero_and_finite():
    net, exact = block_network()
    dead = Factors(exact.U * [1.0, 0.0], exact.S)
    after = sweep(net, SquaredLoss(0.3), dead, Extra(value=lambda _: 0.0))
    np.testing.assert_array_equal(after.U[:, 1], 0.0)
    np.testing.assert_allclose(after.U[:3, 0], 1.0)
    assert np.isfinite(after.S).all()


@pytest.mark.parametrize("with_value", [True, False])
@pytest.mark.parametrize("name", LOSSES)
def test_factors_of_any_magnitude_stay_finite_non_negative_and_fall(name, with_value):
    """Long fits drive entries to 1e-30 and below, where taking the diagonal out of W∘X cancels.

    What is left must not be rounded to a negative number: its root is NaN.
    """
    extra = Extra(value=(lambda _: 0.0) if with_value else None)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        net = lp.Network.from_networkx(nx.gnm_random_graph(8, 10, seed=seed))
        U = rng.random((8, 4)) * 10.0 ** -rng.choice([0, 8, 16, 33], (8, 4))
        S = rng.random((4, 4)) * 10.0 ** -rng.choice([0, 0, 8, 30], (4, 4))
        factors, values = Factors(U, S + S.T), []
        for _ in range(5):
            values.append(loss_at(name, dense(factors), net, 0.5))
            factors = sweep(net, LOSSES[name](0.5), factors, extra)
            assert np.isfinite(factors.U).all(), f"seed {seed}"
            assert min(factors.U.min(), factors.S.min()) >= 0, f"seed {seed}"
        assert (np.diff(values) <= 1e-9 * np.abs(values[:-1])).all(), f"seed {seed}: {values}"

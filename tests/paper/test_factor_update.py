"""The weighted tri-factorization under `Step_One`: multiplicative updates that never rise.

One sweep minimises F(X) + ridge·‖X‖² + 2·⟨push − pull, X⟩ over X = U S Uᵀ. Here that function is
written out densely, so that nothing of the package judges itself.
"""

import networkx as nx
import numpy as np
import pytest
from tests.paper import dense
from tests.paper.dense import KARATE, product

import linkprior as lp
from linkprior.model.factors import Factors
from linkprior.model.losses import LOSSES, SquaredLoss
from linkprior.solvers.direct import Extra, sweep

BOLD = Extra(value=lambda _: 0.0)


class Problem:
    """A random network, loss, target Y (with negatives) and extra push, and a random start."""

    def __init__(self, seed, name):
        rng = np.random.default_rng(seed)
        p, rank = int(rng.integers(4, 12)), int(rng.integers(1, 5))
        self.net = dense.gnm(p, int(rng.integers(2, 2 * p)), seed)
        self.name, self.rho = name, float(rng.uniform(0.05, 0.95))
        self.loss = LOSSES[name](self.rho)
        self.half = float(rng.choice([0.0, 0.05, 0.5, 3.0]))  # η/2
        Y = rng.normal(0.2, 1, (p, p))
        G = rng.random((p, p)) * rng.choice([0.0, 0.3])
        self.Y, self.G = dense.half_sum(Y), dense.half_sum(G)
        S = rng.random((rank, rank))
        scale = rng.choice([0.01, 1.0, 10.0])  # far below, near and far above the data
        self.start = Factors(rng.random((p, rank)), (S + S.T) * scale)

    def data(self, factors):
        return dense.loss(self.name, product(factors), self.net, self.rho)

    def added(self, factors):
        X = product(factors)
        return self.half * ((X - self.Y) ** 2).sum() + 2 * (self.G * X).sum()

    def extra(self, factors, value=None):
        pull, push = (self.half * np.maximum(s * self.Y, 0) for s in (1, -1))
        return Extra(self.half, (push + self.G) @ factors.U, pull @ factors.U, value)


@pytest.mark.parametrize("with_value", [True, False])
@pytest.mark.parametrize("name", LOSSES)
def test_sweep_never_raises_the_objective(name, with_value):
    """50 problems for each loss, with and without the bold step: 200 in all, ten sweeps each."""
    fallen = 0
    for seed in range(50):
        problem = Problem(seed, name)
        factors, values = problem.start, []
        for _ in range(11):
            values.append(problem.data(factors) + problem.added(factors))
            extra = problem.extra(factors, problem.added if with_value else None)
            factors = sweep(problem.net, problem.loss, factors, extra)
            np.testing.assert_array_equal(factors.S, factors.S.T)
            assert min(factors.S.min(), factors.U.min()) >= 0
            assert np.isfinite(factors.U).all()
        scale = 1e-9 * max(map(abs, values))
        assert (np.diff(values) <= scale).all(), f"seed {seed}: {values}"
        fallen += values[-1] < values[0] - scale
    assert fallen >= 49  # and it does go down


@pytest.mark.parametrize("name", LOSSES)
def test_bold_step_is_dropped_where_it_would_rise(name):
    """A value that grows at every look stands for a rise: then only the careful step is left."""
    for seed in range(10):
        problem = Problem(seed, name)
        looks = iter(range(10**6))
        rising = problem.extra(problem.start, lambda _, n=looks: 1e9 * next(n))
        careful = sweep(problem.net, problem.loss, problem.start, problem.extra(problem.start))
        after = sweep(problem.net, problem.loss, problem.start, rising)
        np.testing.assert_array_equal(after.U, careful.U)
        np.testing.assert_array_equal(after.S, careful.S)
        assert next(looks) >= 2  # it did look


@pytest.mark.parametrize(("step", "power"), [(-0.1, 0.5), (0.0, 0.5), (0.1, 0.25)])
def test_the_bold_step_is_taken_where_the_objective_does_not_rise(step, power):
    """Without a push the bold step has exponent ½, the careful one ¼."""

    class Plain(SquaredLoss):
        def value(self, net, factors):
            return 0.0

    start, looks = dense.random_factors(34), iter([0.0, step])
    after = sweep(KARATE, Plain(0.4), start, Extra(value=lambda _: next(looks)))
    omega, M = dense.observed(KARATE, 0.4)
    U, S = start.U, after.S
    curve, pull = M * (U @ S @ U.T), M * omega
    np.testing.assert_allclose(after.U, U * ((pull @ U @ S) / (curve @ U @ S)) ** power, rtol=1e-9)


def block_network():
    """Two complete groups of 3 and 4 without links between: Ω = U S Uᵀ off the diagonal."""
    U = np.zeros((7, 2))
    U[:3, 0] = U[3:, 1] = 1.0
    graph = nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(4))
    return lp.Network.from_networkx(graph), Factors(U, np.eye(2))


def test_an_exact_solution_of_data_and_target_is_a_fixed_point():
    """η/2·‖X − Y‖² with Y = X on top: still nothing to gain."""
    net, exact = block_network()
    loss = SquaredLoss(0.3)
    assert loss.value(net, exact) == pytest.approx(0.0, abs=1e-12)
    for extra in (Extra(), BOLD, Extra(0.4, pull_U=0.4 * product(exact) @ exact.U)):
        after = sweep(net, loss, exact, extra)
        np.testing.assert_allclose(after.U, exact.U, atol=1e-12)
        np.testing.assert_allclose(after.S, exact.S, atol=1e-12)


def test_sweeps_find_an_exact_solution_from_nearby():
    net, exact = block_network()
    rng = np.random.default_rng(1)
    factors = Factors(exact.U + 0.2 * rng.random((7, 2)), exact.S + 0.2)
    for _ in range(400):
        factors = sweep(net, SquaredLoss(0.3), factors, BOLD)
    off = ~np.eye(7, dtype=bool)
    np.testing.assert_allclose(product(factors)[off], net.adjacency.toarray()[off], atol=1e-3)


@pytest.mark.at_length
@pytest.mark.parametrize("name", LOSSES)
def test_many_sweeps_end_where_the_gradient_cannot_help(name):
    """At the limit: entries of U that stay positive have slope 0, the others a slope ≥ 0."""
    rng, loss = np.random.default_rng(2), LOSSES[name](0.4)
    factors = Factors(rng.random((34, 2)), np.eye(2) + 0.2)
    for _ in range(3000):
        factors = sweep(KARATE, loss, factors, BOLD)
    half, U = loss.half_gradient(KARATE, factors), factors.U
    slopes = 4 * sum(
        sign * part.times(U, factors) @ factors.S
        for sign, part in ((1, half.curve), (1, half.push), (-1, half.pull))
    )
    assert np.abs(slopes * U).max() < 1e-2
    assert slopes.min() > -1e-2


def test_zeros_in_factors_stay_zero_and_finite():
    net, exact = block_network()
    dead = Factors(exact.U * [1.0, 0.0], exact.S)
    after = sweep(net, SquaredLoss(0.3), dead, BOLD)
    np.testing.assert_array_equal(after.U[:, 1], 0.0)
    np.testing.assert_allclose(after.U[:3, 0], 1.0)
    assert np.isfinite(after.S).all()


@pytest.mark.parametrize("extra", [BOLD, Extra()], ids=["bold", "careful"])
@pytest.mark.parametrize("name", LOSSES)
def test_factors_of_any_magnitude_stay_finite_non_negative_and_fall(name, extra):
    """Long fits drive entries to 1e-30 and below, where taking the diagonal out of W∘X cancels.

    What is left must not be rounded to a negative number: its root is NaN.
    """
    for seed in range(100):
        rng = np.random.default_rng(seed)
        net = dense.gnm(8, 10, seed)
        U = rng.random((8, 4)) * 10.0 ** -rng.choice([0, 8, 16, 33], (8, 4))
        S = rng.random((4, 4)) * 10.0 ** -rng.choice([0, 0, 8, 30], (4, 4))
        factors, values = Factors(U, S + S.T), []
        for _ in range(5):
            values.append(dense.loss(name, product(factors), net, 0.5))
            factors = sweep(net, LOSSES[name](0.5), factors, extra)
            assert np.isfinite(factors.U).all(), f"seed {seed}"
            assert min(factors.U.min(), factors.S.min()) >= 0, f"seed {seed}"
        assert (np.diff(values) <= 1e-9 * np.abs(values[:-1])).all(), f"seed {seed}: {values}"

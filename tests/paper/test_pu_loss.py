"""Eq. `e:obj`: the positive-unlabelled loss, dense as printed and as sparse + low rank."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.model.factors import Factors
from linkprior.model.losses import PoissonLoss, SquaredLoss

RATES = [0.05, 0.5, 0.9]
NETWORKS = {
    "karate": lp.Network.from_networkx(nx.karate_club_graph()),
    "star and two alone": lp.Network.from_edges([(0, k) for k in (1, 2, 3)], nodes=range(6)),
    "one edge": lp.Network.from_edges([(0, 1)]),
    "complete": lp.Network.from_networkx(nx.complete_graph(5)),
    "no edge": lp.Network.from_edges([], nodes=range(4)),
    "compiled kernels": lp.Network.from_networkx(nx.gnm_random_graph(260, 700, seed=1)),
}
SMALL = [name for name in NETWORKS if name != "compiled kernels"]


def naive_loss(X, net, rho):
    """The printed sums, pair by pair."""
    omega, total = net.adjacency.toarray(), 0.0
    for i in range(net.n_nodes):
        for j in range(net.n_nodes):
            if i != j and omega[i, j] == 1:
                total += (1 - rho / 2) * (X[i, j] - 1) ** 2
            elif i != j:
                total += rho / 2 * X[i, j] ** 2
    return total


def weights(net, rho):
    M = np.where(net.adjacency.toarray() == 1, 1 - rho / 2, rho / 2)
    np.fill_diagonal(M, 0.0)
    return M


def random_factors(net, seed, rank=3):
    rng = np.random.default_rng(seed)
    S = rng.random((rank, rank))
    return Factors(rng.random((net.n_nodes, rank)), (S + S.T) / 2)


def dense(factors):
    return factors.U @ factors.S @ factors.U.T


def numerical_gradient(function, X, at, step=1e-6):
    bump = np.zeros_like(X)
    bump[at] = step
    return (function(X + bump) - function(X - bump)) / (2 * step)


# ---- dense -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", SMALL)
def test_loss_is_the_printed_sum(name, rho):
    net = NETWORKS[name]
    X = np.random.default_rng(1).normal(0.5, 1, (net.n_nodes, net.n_nodes))
    assert lp.theory.pu_loss(X, net, rho) == pytest.approx(naive_loss(X, net, rho), rel=1e-12)


def test_loss_of_a_worked_case():
    """Path 0–1–2, ρ = 0.4: two edges at 0.5 cost 4·0.8·0.25, the other pair at 0.3 2·0.2·0.09."""
    net = lp.Network.from_edges([(0, 1), (1, 2)])
    X = np.array([[7, 0.5, 0.3], [0.5, 7, 0.5], [0.3, 0.5, 7]])
    assert lp.theory.pu_loss(X, net, 0.4) == pytest.approx(0.8 + 0.036)


@pytest.mark.parametrize("rho", RATES)
def test_loss_vanishes_at_the_observation_only(rho):
    net = NETWORKS["karate"]
    X = net.adjacency.toarray()
    assert lp.theory.pu_loss(X, net, rho) == 0.0
    X[0, 9] += 0.1
    assert lp.theory.pu_loss(X, net, rho) > 0.0


def test_loss_and_gradient_ignore_the_diagonal():
    net = NETWORKS["karate"]
    X = np.random.default_rng(2).random((34, 34))
    loss, gradient = lp.theory.pu_loss(X, net, 0.3), lp.theory.pu_gradient(X, net, 0.3)
    np.testing.assert_array_equal(np.diagonal(gradient), 0.0)
    np.fill_diagonal(X, 50.0)
    assert lp.theory.pu_loss(X, net, 0.3) == loss
    np.testing.assert_array_equal(lp.theory.pu_gradient(X, net, 0.3), gradient)


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", SMALL)
def test_gradient_is_the_slope_of_the_loss(name, rho):
    net = NETWORKS[name]
    rng = np.random.default_rng(3)
    X = rng.normal(0.5, 1, (net.n_nodes, net.n_nodes))
    gradient = lp.theory.pu_gradient(X, net, rho)
    np.testing.assert_allclose(gradient, 2 * weights(net, rho) * (X - net.adjacency.toarray()))
    for i, j in rng.integers(0, net.n_nodes, (40, 2)):
        slope = numerical_gradient(lambda Y: lp.theory.pu_loss(Y, net, rho), X, (i, j))
        assert gradient[i, j] == pytest.approx(slope, abs=1e-5)


def test_loss_ties_the_two_kinds_of_pairs_at_one():
    """As ρ → 1 edges and non-edges weigh the same, ½; as ρ → 0 non-edges weigh nothing."""
    net = NETWORKS["karate"]
    X = np.random.default_rng(4).random((34, 34))
    np.fill_diagonal(X, 0.0)
    omega = net.adjacency.toarray()
    assert lp.theory.pu_loss(X, net, 1 - 1e-9) == pytest.approx(((X - omega) ** 2).sum() / 2)
    assert lp.theory.pu_loss(X, net, 1e-9) == pytest.approx((omega * (X - 1) ** 2).sum())


# ---- sparse + low rank -------------------------------------------------------------------------


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", NETWORKS)
def test_squared_loss_of_factors_is_the_dense_loss(name, rho):
    net, factors = NETWORKS[name], random_factors(NETWORKS[name], 5)
    expected = lp.theory.pu_loss(dense(factors), net, rho)
    assert SquaredLoss(rho).value(net, factors) == pytest.approx(expected, rel=1e-10)


def poisson(X, net, rho):
    """Σ Mᵢⱼ(Xᵢⱼ − Ωᵢⱼ log Xᵢⱼ), pair by pair."""
    omega, total = net.adjacency.toarray(), 0.0
    for i in range(net.n_nodes):
        for j in range(net.n_nodes):
            if i != j and omega[i, j] == 1:
                total += (1 - rho / 2) * (X[i, j] - math.log(X[i, j]))
            elif i != j:
                total += rho / 2 * X[i, j]
    return total


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", SMALL)
def test_poisson_loss_of_factors_is_the_dense_loss(name, rho):
    net, factors = NETWORKS[name], random_factors(NETWORKS[name], 6)
    expected = poisson(dense(factors), net, rho)
    assert PoissonLoss(rho).value(net, factors) == pytest.approx(expected, rel=1e-10)


def half_gradient_matrices(loss, net, factors):
    half, eye = loss.half_gradient(net, factors), np.eye(net.n_nodes)
    return [part.times(eye, factors) for part in (half.curve, half.push, half.pull)]


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", NETWORKS)
def test_squared_half_gradient_is_half_the_dense_gradient(name, rho):
    net, factors = NETWORKS[name], random_factors(NETWORKS[name], 7)
    curve, push, pull = half_gradient_matrices(SquaredLoss(rho), net, factors)
    X, M = dense(factors), weights(net, rho)
    np.testing.assert_allclose(curve, M * X, atol=1e-12)
    np.testing.assert_array_equal(push, 0.0)
    np.testing.assert_allclose(pull, M * net.adjacency.toarray(), atol=1e-14)
    gradient = lp.theory.pu_gradient(X, net, rho)
    np.testing.assert_allclose(2 * (curve + push - pull), gradient, atol=1e-11)


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", SMALL)
def test_poisson_half_gradient_is_half_the_slope_of_its_value(name, rho):
    net, factors = NETWORKS[name], random_factors(NETWORKS[name], 8)
    curve, push, pull = half_gradient_matrices(PoissonLoss(rho), net, factors)
    X, M, omega = dense(factors), weights(net, rho), net.adjacency.toarray()
    np.testing.assert_allclose(2 * (curve + push - pull), M * (1 - omega / X), atol=1e-12)
    for i, j in np.random.default_rng(8).integers(0, net.n_nodes, (15, 2)):
        slope = numerical_gradient(lambda Y: poisson(Y, net, rho), X, (i, j))
        assert 2 * (curve + push - pull)[i, j] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("loss", [SquaredLoss(0.3), PoissonLoss(0.3)])
def test_parts_are_non_negative_and_leave_the_diagonal_out(loss):
    net, factors = NETWORKS["karate"], random_factors(NETWORKS["karate"], 9)
    for part in half_gradient_matrices(loss, net, factors):
        assert (part >= -1e-12).all()
        np.testing.assert_allclose(np.diagonal(part), 0.0, atol=1e-12)
        np.testing.assert_allclose(part, part.T, atol=1e-12)


@pytest.mark.parametrize("loss", [SquaredLoss(0.3), PoissonLoss(0.3)])
def test_factor_losses_ignore_the_diagonal(loss):
    """One group per node: then S holds X itself, and its diagonal must not matter."""
    net = NETWORKS["star and two alone"]
    X = np.random.default_rng(10).random((6, 6))
    X = X + X.T
    first = Factors(np.eye(6), X)
    second = Factors(np.eye(6), X + np.diag([3.0, 0, 1, 8, 2, 5]))
    assert loss.value(net, first) == pytest.approx(loss.value(net, second), rel=1e-12)
    for a, b in zip(
        half_gradient_matrices(loss, net, first),
        half_gradient_matrices(loss, net, second),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_products_with_thin_matrices_are_those_of_the_dense_matrix():
    net, factors = NETWORKS["compiled kernels"], random_factors(NETWORKS["compiled kernels"], 11)
    V = np.random.default_rng(12).random((net.n_nodes, 4))
    half = SquaredLoss(0.2).half_gradient(net, factors)
    np.testing.assert_allclose(
        half.curve.times(V, factors), (weights(net, 0.2) * dense(factors)) @ V, atol=1e-9
    )


# ---- factors without X -------------------------------------------------------------------------


def test_factors_know_x_without_forming_it():
    net, factors = NETWORKS["karate"], random_factors(NETWORKS["karate"], 13)
    X = dense(factors)
    off = X - np.diag(np.diagonal(X))
    pairs = np.array([[0, 1], [5, 5], [33, 2]])
    np.testing.assert_allclose(factors.rows(3, 9), X[3:9])
    np.testing.assert_allclose(factors.at(pairs), X[pairs[:, 0], pairs[:, 1]])
    np.testing.assert_allclose(factors.diagonal, np.diagonal(X))
    np.testing.assert_allclose(factors.row_sums(), off.sum(axis=1))
    assert factors.square_norm == pytest.approx((X**2).sum())
    at = np.repeat(np.arange(34), net.degrees), net.adjacency.indices
    np.testing.assert_allclose(factors.on_evidence(net), X[at])


# ---- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [lp.theory.pu_loss, lp.theory.pu_gradient])
def test_refusals_name_the_parameter(function):
    net, X = NETWORKS["complete"], np.ones((5, 5))
    for rho in (0.0, 1.0, -0.1, np.nan, "0.5"):
        with pytest.raises(ParameterError, match=r"^rho must"):
            function(X, net, rho)
    for bad in (np.ones((4, 4)), np.ones((5, 4)), np.full((5, 5), np.nan), np.ones(5)):
        with pytest.raises(ParameterError, match=r"^X must"):
            function(bad, net, 0.5)

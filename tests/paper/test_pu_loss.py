"""Eq. `e:obj`: the positive-unlabelled loss, dense as printed and as sparse + low rank."""

import networkx as nx
import numpy as np
import pytest
from tests.paper import dense
from tests.paper.dense import KARATE, product, random_factors

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.model.factors import Factors
from linkprior.model.losses import LOSSES, PoissonLoss, SquaredLoss

RATES = [0.05, 0.5, 0.9]
NETWORKS = {
    "karate": KARATE,
    "star and two alone": lp.Network.from_edges([(0, k) for k in (1, 2, 3)], nodes=range(6)),
    "one edge": lp.Network.from_edges([(0, 1)]),
    "complete": lp.Network.from_networkx(nx.complete_graph(5)),
    "no edge": lp.Network.from_edges([], nodes=range(4)),
    "compiled kernels": dense.gnm(260, 700, 1),
}
SMALL = [name for name in NETWORKS if name != "compiled kernels"]


def printed_loss(X, net, rho):
    """The printed sums, pair by pair."""
    omega, total = net.adjacency.toarray(), 0.0
    for i in range(net.n_nodes):
        for j in range(net.n_nodes):
            if i != j and omega[i, j] == 1:
                total += (1 - rho / 2) * (X[i, j] - 1) ** 2
            elif i != j:
                total += rho / 2 * X[i, j] ** 2
    return total


def slope_at(function, X, at, step=1e-6):
    bump = np.zeros_like(X)
    bump[at] = step
    return (function(X + bump) - function(X - bump)) / (2 * step)


# ---- dense -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", SMALL)
def test_loss_is_the_printed_sum(name, rho):
    net = NETWORKS[name]
    X = np.random.default_rng(1).normal(0.5, 1, (net.n_nodes, net.n_nodes))
    assert lp.theory.pu_loss(X, net, rho) == pytest.approx(printed_loss(X, net, rho), rel=1e-12)


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", SMALL)
def test_gradient_is_the_slope_of_the_loss(name, rho):
    net = NETWORKS[name]
    rng = np.random.default_rng(3)
    X = rng.normal(0.5, 1, (net.n_nodes, net.n_nodes))
    gradient = lp.theory.pu_gradient(X, net, rho)
    np.testing.assert_array_equal(np.diagonal(gradient), 0.0)
    for i, j in rng.integers(0, net.n_nodes, (40, 2)):
        slope = slope_at(lambda Y: lp.theory.pu_loss(Y, net, rho), X, (i, j))
        assert gradient[i, j] == pytest.approx(slope, abs=1e-5)


# ---- sparse + low rank -------------------------------------------------------------------------


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("loss", LOSSES)
def test_loss_of_factors_is_the_dense_loss(loss, name, rho):
    net, factors = NETWORKS[name], random_factors(NETWORKS[name].n_nodes, 5)
    expected = dense.loss(loss, product(factors), net, rho)
    assert LOSSES[loss](rho).value(net, factors) == pytest.approx(expected, rel=1e-10)


def half_gradient(loss, net, factors):
    """Curve, push and pull as matrices."""
    half, eye = loss.half_gradient(net, factors), np.eye(net.n_nodes)
    return [part.times(eye, factors) for part in (half.curve, half.push, half.pull)]


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", NETWORKS)
def test_squared_half_gradient_is_half_the_dense_gradient(name, rho):
    net, factors = NETWORKS[name], random_factors(NETWORKS[name].n_nodes, 7)
    curve, push, pull = half_gradient(SquaredLoss(rho), net, factors)
    X, (omega, M) = product(factors), dense.observed(net, rho)
    np.testing.assert_allclose(curve, M * X, atol=1e-12)
    np.testing.assert_array_equal(push, 0.0)
    np.testing.assert_allclose(pull, M * omega, atol=1e-14)
    gradient = lp.theory.pu_gradient(X, net, rho)
    np.testing.assert_allclose(2 * (curve + push - pull), gradient, atol=1e-11)


@pytest.mark.parametrize("rho", RATES)
@pytest.mark.parametrize("name", SMALL)
def test_poisson_half_gradient_is_half_the_slope_of_its_value(name, rho):
    net, factors = NETWORKS[name], random_factors(NETWORKS[name].n_nodes, 8)
    curve, push, pull = half_gradient(PoissonLoss(rho), net, factors)
    X, (omega, M) = product(factors), dense.observed(net, rho)
    np.testing.assert_allclose(2 * (curve + push - pull), M * (1 - omega / X), atol=1e-12)
    for i, j in np.random.default_rng(8).integers(0, net.n_nodes, (15, 2)):
        slope = slope_at(lambda Y: dense.loss("poisson", Y, net, rho), X, (i, j))
        assert 2 * (curve + push - pull)[i, j] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("rho", [0.2, 0.7])
def test_unsure_edges_and_known_non_edges_pull_by_what_they_are_sure(rho):
    net = dense.weighted_network()
    factors = random_factors(net.n_nodes, 1)
    X, (M, pull) = product(factors), dense.observed_in_part(net, rho)
    for loss, expected in (
        (SquaredLoss(rho), M * X - pull),
        (PoissonLoss(rho), (M - pull / X) / 2),
    ):
        parts = half_gradient(loss, net, factors)
        np.testing.assert_allclose(parts[0] + parts[1] - parts[2], expected, atol=1e-12)
    np.testing.assert_allclose(lp.theory.pu_gradient(X, net, rho), 2 * (M * X - pull), atol=1e-12)


@pytest.mark.parametrize("loss", [SquaredLoss(0.3), PoissonLoss(0.3)])
def test_parts_are_non_negative_and_leave_the_diagonal_out(loss):
    """With one group per node S is X itself, and its diagonal must not matter."""
    net = NETWORKS["star and two alone"]
    X = np.random.default_rng(10).random((6, 6))
    X = X + X.T
    one, other = (Factors(np.eye(6), X + np.diag(d)) for d in ([0] * 6, [3.0, 0, 1, 8, 2, 5]))
    assert loss.value(net, one) == pytest.approx(loss.value(net, other), rel=1e-12)
    parts = half_gradient(loss, net, one)
    np.testing.assert_allclose(parts, half_gradient(loss, net, other), atol=1e-12)
    for part in parts:
        assert (part >= -1e-12).all()
        np.testing.assert_allclose(np.diagonal(part), 0.0, atol=1e-12)


# ---- factors without X -------------------------------------------------------------------------


def test_factors_know_x_without_forming_it():
    factors = random_factors(34, 13)
    X = product(factors)
    pairs = np.array([[0, 1], [5, 5], [33, 2]])
    np.testing.assert_allclose(factors.rows(3, 9), X[3:9])
    np.testing.assert_allclose(factors.at(pairs), X[pairs[:, 0], pairs[:, 1]])
    np.testing.assert_allclose(factors.diagonal, np.diagonal(X))
    np.testing.assert_allclose(factors.row_sums(), dense.without_diagonal(X).sum(axis=1))
    assert factors.square_norm == pytest.approx((X**2).sum())
    at = np.repeat(np.arange(34), KARATE.degrees), KARATE.adjacency.indices
    np.testing.assert_allclose(factors.on_evidence(KARATE), X[at])


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
    with pytest.raises(ParameterError, match="net must be a linkprior Network, got ndarray"):
        function(X, X, 0.5)

"""Degrees, priors and losses at the edge of what they take, and what they give where none says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, ParameterError
from linkprior.model.construction import construct
from linkprior.model.degrees import estimate_degrees, prior_degrees
from linkprior.model.factors import Factors
from linkprior.model.losses import PoissonLoss, SquaredLoss, pu_gradient, pu_loss
from linkprior.model.priors import ScaleFreePrior, rank_weights
from linkprior.model.sbm import Partition
from linkprior.network.side_information import NON_EDGE_WEIGHT
from linkprior.solvers.direct import DirectSolver

TREE = lp.Network.from_edges([(0, 1), (0, 2), (0, 3), (3, 4), (4, 5), (4, 6)])


def test_a_plain_matrix_is_no_network():
    matrix = np.zeros((3, 3))
    with pytest.raises(ParameterError, match="net must be a linkprior Network, got ndarray"):
        estimate_degrees(matrix)
    for function in (pu_loss, pu_gradient):
        with pytest.raises(ParameterError, match="net must be a linkprior Network, got ndarray"):
            function(matrix, matrix, 0.5)


def test_two_nodes_have_one_edge_and_no_other_number():
    pair = lp.Network.from_edges([("a", "b")])
    assert estimate_degrees(pair, 1).tolist() == [1, 1]
    for n_edges in (0, 2):
        with pytest.raises(ParameterError, match="n_edges must be a whole number in 1…1"):
            estimate_degrees(pair, n_edges)


def test_a_single_node_is_told_that_it_has_no_edges():
    with pytest.raises(InputError, match="a network without edges"):
        estimate_degrees(lp.Network.from_edges([], nodes="a"), 1)


def test_degrees_are_those_observed_and_shuffled_by_seed_zero_where_nothing_is_said():
    assert prior_degrees(TREE).tolist() == TREE.degrees.tolist()
    given = [1, 2, 3, 1, 2, 3, 1]
    assert prior_degrees(TREE, given=given).tolist() == given
    shuffled = prior_degrees(TREE, given="shuffled").tolist()
    assert shuffled == prior_degrees(TREE, given="shuffled", seed=0).tolist()
    assert sorted(shuffled) == sorted(TREE.degrees.tolist())
    assert shuffled != prior_degrees(TREE, given="shuffled", seed=1).tolist()


def test_a_table_of_weights_has_at_least_one_rank():
    assert rank_weights([1, 2], 1).tolist() == [[1.0], [1.0]]
    with pytest.raises(ParameterError, match="n_ranks must be a whole number ≥ 1, got 0"):
        rank_weights([1, 2], 0)


def test_a_sequence_of_ranks_begins_above_zero():
    for least in (-0.5, 0.0):
        with pytest.raises(ParameterError, match="positive, strictly increasing"):
            rank_weights([1, 2], 3, H=lambda k, least=least: k - 1.0 + least)
    assert rank_weights([1], 2, H=lambda k: k - 0.5).tolist() == [[1.0, 3.0]]


def test_the_scale_free_prior_tells_its_value_at_new_factors():
    """It has no ranks: Σ log of the row sums + 1, whatever the order of the entries."""
    rng = np.random.default_rng(0)
    new = Factors(rng.random((7, 2)), np.array([[0.5, 0.2], [0.2, 0.7]]))
    dense = new.U @ new.S @ new.U.T
    rows = dense.sum(axis=1) - np.diag(dense)
    solver = DirectSolver(TREE, SquaredLoss(0.4), 2, ScaleFreePrior(), 0.05)
    value = solver._extra(solver.init(rng)).value
    assert value is not None
    assert value(new) == pytest.approx(0.05 * np.log(rows + 1.0).sum())


def test_the_cheapest_pair_comes_first_even_where_its_cost_is_too_small_for_a_float():
    """On a path the two inner nodes cost (log 2 / log 3)^α each, the ends 1: inner ones first."""
    scores = np.zeros((4, 4))
    scores[np.triu_indices(4, 1)] = [1, 2, 3, 4, 5, 6]
    scores += scores.T
    for alpha in (1.0, 5000.0):
        placed = construct(scores, [1, 2, 2, 1], alpha)
        assert placed[1, 2] == 6, alpha
        assert (placed >= 4).sum(axis=1).tolist() == [1, 2, 2, 1]


def gradients_by_pair(X, rho):
    """Return ½∇ of both losses, pair by pair: how sure a pair is, and whether it is an edge."""
    known = {(0, 1): (1.0, 1), (1, 2): (0.5, 1), (2, 3): (0.25, 1), (0, 2): (0.1, 0)}
    squared, poisson = np.zeros((2, 4, 4))
    for i in range(4):
        for j in range(4):
            if i != j:
                sure, edge = known.get((min(i, j), max(i, j)), (0.0, 0))
                as_edge, unseen = sure * (1 - rho / 2), (1 - sure) * rho / 2
                squared[i, j] = as_edge * (X[i, j] - edge) + unseen * X[i, j]
                poisson[i, j] = (as_edge * (1 - edge / X[i, j]) + unseen) / 2
    return squared, poisson


def test_unsure_edges_and_known_non_edges_pull_by_what_they_are_sure():
    net = lp.Network.from_indices(np.array([[0, 1], [1, 2], [2, 3]]), list("abcd"))
    net = net.with_weights([1.0, 0.5, 0.25]).with_negatives([[0, 2]])
    rng, rho = np.random.default_rng(1), 0.3
    factors = Factors(rng.random((4, 2)) + 0.1, np.array([[0.9, 0.3], [0.3, 0.6]]))
    expected = gradients_by_pair(factors.U @ factors.S @ factors.U.T, rho)
    for loss, right in zip((SquaredLoss(rho), PoissonLoss(rho)), expected, strict=True):
        half, unit = loss.half_gradient(net, factors), np.eye(4)
        parts = [part.times(unit, factors) for part in (half.curve, half.push, half.pull)]
        np.testing.assert_allclose(parts[0] + parts[1] - parts[2], right, atol=1e-12)


def test_of_scores_the_one_below_zero_is_named():
    X = np.array([[0.0, 0.5, 0.2], [0.5, 0.0, -1.0], [0.2, -1.0, 0.0]])
    with pytest.raises(ParameterError, match=r"X\[1, 2\] is -1"):
        construct(X, np.array([1, 1, 1]))


RHO, LAM = 0.2, 0.3


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


def test_the_loss_of_a_weighted_network_has_the_same_gradient():
    net, non_edges = weighted_network()
    net = net.with_negatives(non_edges)
    X = np.random.default_rng(4).random((net.n_nodes, net.n_nodes))
    M, pull = known_matrices(net, non_edges)
    expected = 2.0 * (M * X - pull)
    np.testing.assert_allclose(lp.theory.pu_gradient(X, net, RHO), expected, atol=1e-12)


def test_the_description_length_is_its_four_parts_in_whole_numbers():
    net = lp.planted_network(n_nodes=30, n_groups=3, mean_degree=5, seed=1)
    labels = np.arange(30) % 4
    part = Partition.of(net.adjacency, labels)
    N, B, E = 30, 4, net.n_edges
    sizes = np.bincount(labels)
    ways = math.comb(B * (B + 1) // 2 + E - 1, E)
    orders = math.factorial(N) // math.prod(math.factorial(int(size)) for size in sizes)
    told = math.log(ways) + math.log(N) + math.log(math.comb(N - 1, B - 1)) + math.log(orders)
    assert part.description_length() == pytest.approx(told - part.log_likelihood(), rel=1e-10)

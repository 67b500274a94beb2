"""What the degree prior, its weights and its prox promise for all inputs, against brute force."""

from fractions import Fraction
from itertools import permutations
from math import ceil

import hypothesis.strategies as st
import networkx as nx
import numpy as np
from hypothesis import given
from tests.properties.made import by_example, exact, few, networks, permuted, symmetric, vectors

from linkprior import theory
from linkprior.network.pairs import n_pairs

sizes = st.integers(3, 6)
alphas = st.sampled_from([0.3, 1.0, 2.0])


@st.composite
def penalised(draw, matrices=1):
    """Matrices of one size, degrees and an exponent."""
    p = draw(sizes)
    degrees = np.array(draw(st.lists(st.integers(1, p - 1), min_size=p, max_size=p)))
    made = [draw(symmetric(p)) for _ in range(matrices)]
    return (*made, degrees, draw(alphas))


@by_example
@given(penalised())
def test_the_prior_is_the_cheapest_way_to_give_out_the_weights_of_each_row(case):
    X, degrees, alpha = case
    weights = theory.rank_weights(degrees, len(X) - 1, alpha)
    cheapest = sum(
        min(float(np.dot(order, np.delete(X[i], i))) for order in permutations(weights[i]))
        for i in range(len(X))
    )
    assert np.isclose(theory.degree_prior(X, degrees, alpha), cheapest, rtol=1e-12)


@by_example
@given(penalised(), st.randoms(use_true_random=False))
def test_the_prior_does_not_depend_on_the_numbers_of_nodes(case, chance):
    X, degrees, alpha = case
    order = list(range(len(X)))
    chance.shuffle(order)
    moved = theory.degree_prior(permuted(X, order), degrees[order], alpha)
    assert np.isclose(moved, theory.degree_prior(X, degrees, alpha), rtol=1e-12)


@by_example
@given(penalised(2))
def test_the_prior_never_falls_when_scores_rise(case):
    X, more, degrees, alpha = case
    low, high = (theory.degree_prior(M, degrees, alpha) for M in (X, X + more))
    assert high >= low * (1 - 1e-12)


@by_example
@given(penalised(2), st.sampled_from([0.25, 0.5, 0.75]))
def test_the_prior_is_concave_and_grows_in_proportion(case, part):
    X, other, degrees, alpha = case
    one, two, mixed, double = (
        theory.degree_prior(M, degrees, alpha)
        for M in (X, other, part * X + (1 - part) * other, 2 * X)
    )
    assert mixed >= (part * one + (1 - part) * two) * (1 - 1e-12)
    assert np.isclose(double, 2 * one, rtol=1e-12)


@by_example
@given(penalised(), st.data())
def test_on_sets_of_pairs_the_prior_is_supermodular(case, data):
    # The cost of a set of partners is convex in its size: the Lovász extension of such a function.
    X, degrees, alpha = case
    one, other = (data.draw(symmetric(len(X), st.sampled_from([0.0, 1.0]))) for _ in range(2))
    union, common = np.maximum(one, other), np.minimum(one, other)
    costs = [theory.degree_prior(M, degrees, alpha) for M in (union, common, one, other)]
    assert costs[0] + costs[1] >= (costs[2] + costs[3]) * (1 - 1e-12)


@by_example
@given(penalised(), st.data())
def test_a_node_that_is_wished_more_partners_pays_less(case, data):
    X, degrees, alpha = case
    node = data.draw(st.integers(0, len(X) - 1))
    more = degrees.copy()
    more[node] = min(more[node] + 1, len(X) - 1)
    dear, cheap = (theory.degree_prior(X, d, alpha) for d in (degrees, more))
    assert cheap <= dear * (1 + 1e-12)


@by_example
@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(1, 12), alphas)
def test_weights_rise_and_are_one_at_the_wished_degree(degrees, n_ranks, alpha):
    weights = theory.rank_weights(np.array(degrees), n_ranks, alpha)
    assert (np.diff(weights, axis=1) > 0).all()
    at = np.minimum(degrees, n_ranks) - 1
    np.testing.assert_allclose(weights[np.arange(len(degrees)), at], 1.0, rtol=1e-14)


@st.composite
def rows(draw):
    n = draw(st.integers(1, 5))
    a = draw(vectors(n, st.integers(-32, 64).map(lambda k: k / 16)))
    return a, np.sort(draw(vectors(n)))


def row_objective(x, a, weights):
    return 0.5 * ((x - a) ** 2).sum() + np.dot(weights, -np.sort(-x))


@by_example
@given(rows())
def test_the_prox_of_a_row_is_the_best_over_all_orders(case):
    a, weights = case
    found = theory.prox_rows(a[None, :], weights[None, :])[0] if len(a) > 1 else None
    if found is None:  # one entry is a diagonal
        return
    # For a fixed order the penalty is linear, and never below the sorted one: min over all orders.
    ways = [np.maximum(a - np.array(order), 0.0) for order in permutations(weights)]
    least = min(row_objective(x, a, weights) for x in ways)
    assert row_objective(found, a, weights) <= least + 1e-12
    assert (found >= 0).all()


@by_example
@given(rows(), st.randoms(use_true_random=False))
def test_the_prox_moves_with_its_entries_and_keeps_their_order(case, chance):
    a, weights = case
    a = a + np.arange(len(a)) / 1024  # no ties: those go by index
    order = list(range(len(a)))
    chance.shuffle(order)
    if len(a) == 1:
        return
    plain = theory.prox_rows(a[None, :], weights[None, :])[0]
    moved = theory.prox_rows(a[None, order], weights[None, :])[0]
    np.testing.assert_array_equal(moved, plain[order])
    by_size = np.argsort(-a)
    assert (np.diff(plain[by_size]) <= 0).all()


def whole_objective(X, A, weights):
    off = ~np.eye(len(X), dtype=bool)
    rows = X[off].reshape(len(X), -1)
    return 0.5 * ((X - A)[off] ** 2).sum() + (weights * -np.sort(-rows, axis=1)).sum()


@few
@given(penalised(), st.sampled_from(["mm", "dual"]))
def test_the_symmetric_prox_is_symmetric_and_no_worse_than_doing_nothing(case, method):
    A, degrees, alpha = case
    weights = 0.5 * theory.rank_weights(degrees, len(A) - 1, alpha)
    found = theory.prox_symmetric(A, weights, method=method)
    np.testing.assert_array_equal(found.X, found.X.T)
    assert (found.X >= 0).all()
    reached = whole_objective(found.X, A, weights)
    assert reached <= whole_objective(np.maximum(A, 0.0), A, weights) + 1e-9
    assert reached <= whole_objective(np.zeros_like(A), A, weights) + 1e-9


@few
@given(penalised())
def test_mm_ends_where_its_own_ranks_lead(case):
    A, degrees, alpha = case
    A = A + np.add.outer(*[np.sqrt(np.arange(2.0, 2 + len(A)))] * 2) / 1000  # hardly any ties
    np.fill_diagonal(A, 0.0)
    weights = 0.5 * theory.rank_weights(degrees, len(A) - 1, alpha)
    Q = theory.prox_symmetric(A, weights, method="mm").Q
    B = np.zeros_like(A)
    for i in range(len(A)):
        others = [j for j in range(len(A)) if j != i]
        others.sort(key=lambda j: (-Q[i, j], j))
        B[i, others] = weights[i]
    off = ~np.eye(len(A), dtype=bool)
    np.testing.assert_allclose(Q[off], (A - (B + B.T) / 2)[off], atol=1e-9)


@by_example
@given(networks(nodes=(3, 8)), st.integers(0, 60), st.sampled_from([0.5, 1.0, 1.5]))
def test_expected_degrees_are_the_formula_in_fractions(net, more, c):
    n_edges = min(net.n_edges + more, n_pairs(net.n_nodes))
    wished = [
        max(
            1,
            min(
                ceil(Fraction(c) * ceil(Fraction(2 * int(o) * n_edges, 2 * net.n_edges))),
                net.n_nodes - 1,
            ),
        )
        for o in net.degrees
    ]
    assert theory.estimate_degrees(net, n_edges, c).tolist() == wished


@few
@given(networks(nodes=(3, 7)), st.data(), alphas)
def test_construct_keeps_the_scores_and_meets_the_degrees(net, data, alpha):
    X = data.draw(symmetric(net.n_nodes))
    X += np.triu(np.arange(X.size).reshape(X.shape), 1) / 2**20  # all different
    X = np.triu(X, 1) + np.triu(X, 1).T
    found = theory.construct(X, net.degrees, alpha)
    upper = np.triu_indices(net.n_nodes, 1)
    np.testing.assert_array_equal(np.sort(found[upper]), np.sort(X[upper]))
    kept = found >= -np.sort(-found[upper])[net.n_edges - 1]
    np.fill_diagonal(kept, False)
    assert kept.sum(axis=1).tolist() == net.degrees.tolist()


@by_example
@given(st.lists(st.integers(0, 7), min_size=1, max_size=8))
def test_which_degrees_are_those_of_a_graph_is_what_networkx_says(degrees):
    assert theory.is_graphical(np.array(degrees)) == nx.is_graphical(degrees)


@by_example
@given(networks(nodes=(3, 7)), st.data(), st.sampled_from([0.1, 0.5, 0.9]))
def test_the_loss_is_the_sum_over_all_ordered_pairs(net, data, rho):
    X, A = data.draw(symmetric(net.n_nodes)), net.adjacency.toarray()
    total = sum(
        (1 - rho / 2) * (X[i, j] - 1) ** 2 if A[i, j] else rho / 2 * X[i, j] ** 2
        for i in range(net.n_nodes)
        for j in range(net.n_nodes)
        if i != j
    )
    assert np.isclose(theory.pu_loss(X, net, rho), total, rtol=1e-12)


@by_example
@given(vectors(6, exact), st.integers(0, 5), exact)
def test_raising_one_score_changes_the_prior_by_at_most_its_dearest_weight(row, at, step):
    X = np.zeros((7, 7))
    X[0, 1:] = X[1:, 0] = row
    raised = X.copy()
    raised[0, at + 1] += step
    raised[at + 1, 0] += step
    degrees = np.full(7, 2)
    weights = theory.rank_weights(degrees, 6)
    change = theory.degree_prior(raised, degrees) - theory.degree_prior(X, degrees)
    assert -1e-12 <= change <= 2 * step * weights.max() * (1 + 1e-12) + 1e-12

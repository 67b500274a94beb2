"""What the degree prior, its weights and its prox promise for all inputs, against brute force."""

from itertools import permutations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given
from tests.properties.made import by_example, permuted, symmetric, vectors

from linkprior import theory

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
def test_the_prior_does_not_depend_on_the_numbers_of_nodes(case, rng):
    X, degrees, alpha = case
    order = list(range(len(X)))
    rng.shuffle(order)
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
def test_a_node_with_a_higher_target_degree_pays_less(case, data):
    X, degrees, alpha = case
    node = data.draw(st.integers(0, len(X) - 1))
    more = degrees.copy()
    more[node] = min(more[node] + 1, len(X) - 1)
    dear, cheap = (theory.degree_prior(X, d, alpha) for d in (degrees, more))
    assert cheap <= dear * (1 + 1e-12)


@st.composite
def rows(draw):
    n = draw(st.integers(1, 5))
    a = draw(vectors(n, st.integers(-32, 64).map(lambda k: k / 16)))
    return a, np.sort(draw(vectors(n)))


@by_example
@given(rows(), st.randoms(use_true_random=False))
def test_the_prox_moves_with_its_entries_and_keeps_their_order(case, rng):
    a, weights = case
    a = a + np.arange(len(a)) / 1024  # no ties: those go by index
    order = list(range(len(a)))
    rng.shuffle(order)
    if len(a) == 1:
        return
    plain = theory.prox_rows(a[None, :], weights[None, :])[0]
    moved = theory.prox_rows(a[None, order], weights[None, :])[0]
    np.testing.assert_array_equal(moved, plain[order])
    by_size = np.argsort(-a)
    assert (np.diff(plain[by_size]) <= 0).all()

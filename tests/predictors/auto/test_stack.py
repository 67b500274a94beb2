"""The stack: its terms, the weights learned from samples, and the prior they are shrunk to."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.predictors.auto.made import sample, with_signal

import linkprior as lp
from linkprior import kernels
from linkprior.predictors.auto.holdout import OBJECTIVES, average_precision, degree_terms
from linkprior.predictors.auto.regression import Regression
from linkprior.predictors.auto.sources import SOURCES, choose
from linkprior.predictors.auto.stack import (
    Described,
    Learned,
    Prior,
    Stack,
    columns,
    learn,
    prior_for,
    terms,
)

LABELS = ("ra", "l3", "mps")
N_TERMS = len(columns(LABELS))
LEVEL = columns(LABELS).index("intercept")


def flat(precision=1.0):
    """A prior that says no more than that weights are small."""
    precisions = np.full(N_TERMS, precision)
    precisions[LEVEL] = 1e-3
    zeros = np.zeros(N_TERMS)
    return Prior(zeros, np.ones(N_TERMS), zeros, precisions, zeros)


def terms_of(one):
    return terms(one, LABELS)


def log_odds(stack, one):
    return stack.of_terms(terms_of(one))


# ---------------------------------------------------------------------- terms


def stack_of(labels, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=len(columns(labels)))
    half = 0.1 * rng.normal(size=(len(weights), len(weights)))
    return Stack(tuple(labels), weights, half @ half.T)


def test_a_block_of_pairs_has_the_log_odds_of_its_pairs():
    labels = [source.label for source in SOURCES]
    rng, stack = np.random.default_rng(1), stack_of(labels)
    U = (4 * rng.normal(size=(len(labels), 5, 7))).astype(np.float32)
    a, b = (rng.normal(size=n).astype(np.float32) for n in (5, 7))
    levels = rng.normal(size=(len(labels), 12)).astype(np.float32)
    i, j = (part.ravel() for part in np.indices((5, 7)))
    D = np.stack(degree_terms(a[i], b[j]), axis=1)
    N = (levels[:, i] + levels[:, 5 + j]).T
    expected = stack.of_terms(terms(Described(U[:, i, j].T, N, D), labels))
    D_block = np.stack(degree_terms(a[:, None], b))
    found = kernels.stack_sums(U, D_block, 0, stack.sums(levels))
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-4, atol=1e-2)


def test_beyond_some_rank_a_better_one_makes_no_difference():
    U = np.array([[9.0], [12.0], [-9.0], [-40.0]])
    one = sample(np.repeat(U, 3, axis=1), np.zeros(4))
    found = log_odds(stack_of(LABELS), one)
    assert found[0] == found[1]
    assert found[2] == found[3]


# ---------------------------------------------------------------------- the regression


def regression(seed=0, n=400, p=5):
    rng = np.random.default_rng(seed)
    X = np.c_[rng.normal(size=(n, p - 1)), np.ones(n)].astype(np.float32)
    y = (rng.random(n) < 1 / (1 + np.exp(1 - X[:, 0] + X[:, 1]))).astype(float)
    mean, precision = rng.normal(size=p), rng.uniform(0.5, 20.0, p)
    return Regression(X, y, rng.uniform(0.5, 5.0, n), mean, precision)


@pytest.mark.parametrize("seed", range(3))
def test_the_weights_found_are_the_minimum(seed):
    problem = regression(seed)
    X, y, weight = problem.X.astype(float), problem.y, problem.weight

    def value_and_slope(beta):
        z, off = X @ beta, beta - problem.mean
        value = (weight * (np.logaddexp(0, z) - y * z)).sum() + 0.5 * (
            problem.precision * off**2
        ).sum()
        return value, X.T @ (weight * (1 / (1 + np.exp(-z)) - y)) + problem.precision * off

    best = minimize(value_and_slope, problem.mean, jac=True, tol=1e-8)
    beta, _ = problem.solve()
    assert value_and_slope(beta)[0] == pytest.approx(best.fun, abs=2e-3)
    np.testing.assert_allclose(beta, best.x, atol=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_weights_of_almost_the_same_problem_are_found_from_those_of_the_other(seed):
    whole = regression(seed)
    rows = np.arange(len(whole.y)) % 5 != 0
    part = replace(whole, X=whole.X[rows], y=whole.y[rows], weight=1.25 * whole.weight[rows])
    near, beta = part.near(whole.solve()[0]), part.solve()[0]
    assert part.expanded(near)[0] == pytest.approx(part.expanded(beta)[0], abs=2e-3)
    np.testing.assert_allclose(near, beta, atol=0.02)


def test_slope_and_curvature_are_those_of_the_function():
    problem, rng = regression(), np.random.default_rng(1)
    beta, step = rng.normal(size=5), 1e-2
    value, slope, bend = problem.expanded(beta)
    curvature = problem.curvature(bend)
    for at in range(5):
        away = np.where(np.arange(5) == at, step, 0.0)
        above, below = (problem.expanded(beta + sign * away) for sign in (1, -1))
        assert slope[at] == pytest.approx((above[0] - below[0]) / (2 * step), rel=1e-3)
        np.testing.assert_allclose(
            curvature[at], (above[1] - below[1]) / (2 * step), rtol=1e-2, atol=0.05
        )
    assert value > 0


# ---------------------------------------------------------------------- learning


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_stack_does_better_where_sources_complete_each_other(objective):
    samples = [with_signal(seed, [1.0, 1.0, 0.0]) for seed in range(4)]
    learned = learn(samples, LABELS, flat(), seed=0)
    fresh, measure = with_signal(50, [1.0, 1.0, 0.0], n=20_000), OBJECTIVES[objective]
    alone = max(measure(fresh.U[:, at], fresh) for at in range(3))
    assert measure(log_odds(learned.stack, fresh), fresh) > alone


def test_log_odds_are_those_of_the_pairs():
    samples = [with_signal(seed, [1.0, 0.5, 0.0], n=20_000) for seed in range(2)]
    learned, fresh = learn(samples, LABELS, flat(), 0), with_signal(9, [1.0, 0.5, 0.0])
    expected = fresh.U @ np.array([1.0, 0.5, 0.0]) - 5.0
    found = log_odds(learned.stack, fresh)
    assert np.abs(found - expected).mean() < 0.25
    spread = learned.stack.spread(terms_of(fresh))
    off = np.abs(found - expected) / spread
    assert np.median(off) < 2
    assert spread[np.argmax(np.abs(fresh.U).max(axis=1))] > 2 * np.median(spread)


def test_a_sample_is_evaluated_by_weights_that_had_not_seen_it():
    """Labels that are pure chance cannot be told; by heart they could."""
    rng = np.random.default_rng(0)
    samples = [sample(rng.normal(size=(60, 3)), rng.random(60) < 0.3) for _ in range(6)]
    learned = learn(samples, LABELS, flat(0.01), 0)
    seen = np.mean([average_precision(log_odds(learned.stack, one), one) for one in samples])
    unseen = np.mean(
        [average_precision(*one) for one in zip(learned.crossed, samples, strict=True)]
    )
    assert unseen < 0.36
    assert seen > 0.4


def test_few_hidden_edges_leave_the_weights_of_the_prior_and_many_do_not():
    mean = np.zeros(N_TERMS)
    mean[[columns(LABELS).index("mps"), LEVEL]] = 1.0, -5.0
    prior = replace(flat(100.0), mean=mean)
    fresh = with_signal(9, [1.0, 0.0, 0.0])
    for n, follows in ((30, "mps"), (30_000, "ra")):
        stack = learn([with_signal(0, [1.0, 0.0, 0.0], n, offset=4)], LABELS, prior, 0).stack
        rank = fresh.U[:, LABELS.index(follows)]
        assert np.corrcoef(log_odds(stack, fresh), rank)[0, 1] > 0.8


def test_an_edge_that_was_hidden_again_is_no_new_evidence():
    samples = [with_signal(seed, [1.0, 0.5, 0.0], n=800, offset=3) for seed in range(5)]
    once, twice = learn(samples, LABELS, flat(), 0), learn(2 * samples, LABELS, flat(), 0, rounds=2)
    np.testing.assert_allclose(once.stack.weights, twice.stack.weights, atol=0.02)
    np.testing.assert_allclose(once.stack.covariance, twice.stack.covariance, rtol=0.05, atol=1e-3)


def test_terms_are_standardized_for_the_prior_only():
    """With hardly a prior it makes no difference where terms are centred and how scaled."""
    samples = [with_signal(seed, [1.0, 0.5, 0.0], n=800, offset=3) for seed in range(2)]
    rng, prior = np.random.default_rng(0), flat(1e-3)
    centre, scale = rng.normal(size=N_TERMS), rng.uniform(0.5, 2.0, N_TERMS)
    centre[LEVEL], scale[LEVEL] = 0.0, 1.0
    moved = replace(prior, centre=centre, scale=scale)
    one, other = (learn(samples, LABELS, each, 0).stack for each in (prior, moved))
    # Where bends have pairs enough on both sides; beyond, any small prior decides.
    X = terms(samples[0], LABELS, samples[0].U.max(axis=1) < 1.5)
    np.testing.assert_allclose(one.of_terms(X), other.of_terms(X), atol=0.1)


def test_importance_is_the_part_of_each_source_in_what_tells_pairs_apart():
    weights = np.zeros(N_TERMS)
    weights[[columns(LABELS).index(name) for name in ("ra", "l3 above 0")]] = 1.0, -2.0
    weights[LEVEL] = -9.0
    X = terms_of(with_signal(0, [1.0, 1.0, 1.0]))
    found = Stack(LABELS, weights, np.eye(N_TERMS)).importance(X)
    assert list(found) == ["l3", "ra", "mps", "degrees"]
    assert found["l3"] == pytest.approx(2 / 3, abs=0.03)
    assert found["mps"] == found["degrees"] == 0.0
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_kept_stack_is_the_same():
    stack = stack_of(LABELS)
    again = Stack.restored(LABELS, stack.arrays())
    X = terms_of(with_signal(0, [1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(again.of_terms(X), stack.of_terms(X))
    np.testing.assert_array_equal(again.spread(X), stack.spread(X))


# ---------------------------------------------------------------------- the prior that ships


@pytest.mark.parametrize("effort", ["fast", "normal", "thorough"])
def test_the_prior_knows_its_sources_and_says_nothing_of_others(planted, effort):
    labels = [source.label for source in choose(planted, effort).sources]
    prior = prior_for(planted, labels, effort)
    for part in vars(prior).values():
        assert part.shape == (len(columns(labels)),)
        assert np.isfinite(part).all()
    assert (prior.scale > 0).all()
    assert (prior.precision > 0).all()
    told = dict(zip(columns(labels), prior.mean, strict=True))
    asked = {source.label for source in choose(planted, "normal").sources}
    for label in labels:
        assert (told[label] != 0.0) == (label in asked)


def test_on_a_network_of_groups_the_prior_finds_links_by_itself():
    whole = lp.planted_network(120, 4, 10.0, seed=2)
    hidden = whole.edges[::10]
    left = whole.hide(hidden)
    model = lp.make("auto", effort="fast", holdouts=0).fit(left)
    others = np.stack(np.triu_indices(whole.n_nodes, 1), axis=1)
    others = others[whole.adjacency.toarray()[tuple(others.T)] == 0]
    higher = model.score_pairs(hidden)[:, None] > model.score_pairs(others)
    assert higher.mean() > 0.65


def test_without_samples_the_prior_is_the_stack(planted):
    prior = prior_for(planted, LABELS, "fast")
    learned = Learned.of_prior(LABELS, prior)
    X = terms_of(with_signal(0, [1.0, 1.0, 1.0]))
    expected = ((X - prior.centre) / prior.scale) @ prior.mean
    np.testing.assert_allclose(learned.stack.of_terms(X), expected, atol=1e-5)
    assert learned.others == learned.crossed == []

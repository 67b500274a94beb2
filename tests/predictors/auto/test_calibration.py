"""Probabilities and expected hits, from hidden edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.auto.made import sample
from tests.predictors.small import slowly

from linkprior.predictors.auto import calibration
from linkprior.predictors.auto.calibration import Calibration, expected_hits


def simulated(seed, n=20_000, offset=4.0, scale=1.5):
    """Normal scores; a pair is a hidden edge with log-odds score − offset."""
    rng = np.random.default_rng(seed)
    scores = scale * rng.normal(size=n)
    return scores, sample(np.zeros((n, 1)), rng.random(n) < rate(scores, offset))


def rate(scores, offset=4.0):
    return 1 / (1 + np.exp(offset - scores))


def test_calibration_finds_the_rates_that_were_simulated():
    known = Calibration.learn([simulated(seed) for seed in range(4)], ratio=1.0)
    scores = np.linspace(-1.0, 4.0, 11)
    expected = calibration._missing_rate(rate(scores), 1.0)
    np.testing.assert_allclose(known.probability(scores), expected, rtol=0.3)
    fresh, truth = simulated(99)
    found = known.probability(fresh)
    assert found.sum() == pytest.approx(calibration._missing_rate(rate(fresh), 1.0).sum(), rel=0.1)
    assert known.spread == calibration.LEAST_SPREAD
    assert truth.y.sum() > 100


def test_a_pair_that_stands_for_many_counts_for_them():
    scores, whole = simulated(5, n=60_000)
    rng = np.random.default_rng(0)
    kept = whole.y | (rng.random(len(scores)) < 0.1)
    part = sample(whole.X[kept], whole.y[kept], np.where(whole.y, 1.0, 10.0)[kept])
    known = Calibration.learn([(scores, whole)], 1.0)
    thinned = Calibration.learn([(scores[kept], part)], 1.0)
    at = np.linspace(-1, 2, 7)
    np.testing.assert_allclose(thinned.probability(at), known.probability(at), rtol=0.25)


def test_scores_that_tie_share_one_rate():
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 3, 6000) * 1.0
    y = rng.random(6000) < np.array([0.02, 0.05, 0.2])[scores.astype(int)]
    known = Calibration.learn([(scores, sample(np.zeros((6000, 1)), y))], 1.0)
    share = np.array([y[scores == score].mean() for score in range(3)])
    np.testing.assert_allclose(known.probability(np.arange(3.0)), share / (1 - share), rtol=1e-9)


@slowly
@given(st.integers(0, 999), st.floats(0.05, 20.0))
def test_probabilities_never_fall_and_stay_below_one(seed, ratio):
    known = Calibration.learn([simulated(seed, n=800, offset=2.5)], ratio)
    probabilities = known.probability(np.linspace(-20, 20, 300))
    assert (np.diff(probabilities) >= 0).all()
    assert 0 < probabilities[0] <= probabilities[-1] <= calibration.SUREST


@slowly
@given(st.integers(0, 999), st.floats(0.0, 1.0))
def test_score_threshold_is_the_lowest_score_of_a_probability(seed, part):
    known = Calibration.learn([simulated(seed, n=800, offset=2.5)], 1.0)
    low, high = known.probabilities[0], known.probabilities[-1]
    wanted = low + part * (high - low)
    score = known.score_threshold(wanted)
    if score == -calibration.BEYOND:
        assert wanted <= low
        return
    assert known.probability(score) == pytest.approx(wanted, rel=1e-9)
    assert known.probability(score - 1e-6 * max(1.0, abs(score))) < wanted


def test_score_at_is_the_start_of_a_plateau():
    known = Calibration(np.arange(5.0), np.array([0.1, 0.4, 0.4, 0.9, 0.9]))
    assert [known.score_threshold(probability) for probability in (0.4, 0.9)] == [1.0, 3.0]
    assert known.score_threshold(0.05) == -calibration.BEYOND
    assert known.score_threshold(0.95) == calibration.BEYOND


def test_a_kept_calibration_is_the_same():
    known = Calibration.learn([simulated(1), simulated(2)], 1.0)
    again = Calibration.restored(known.arrays())
    at = np.linspace(-3, 5, 50)
    np.testing.assert_array_equal(again.probability(at), known.probability(at))
    assert again.spread == known.spread


def test_too_few_hidden_edges_give_no_calibration():
    y = np.arange(100) < 2 * calibration.FEWEST_HITS - 1
    assert Calibration.learn([(np.arange(100.0), sample(np.zeros((100, 1)), y))], 1.0) is None


def test_hold_outs_that_differ_widen_what_is_expected():
    evaluated = [simulated(0, offset=2.0), simulated(1, offset=6.0)]
    assert Calibration.learn(evaluated, 1.0).spread > 2 * calibration.LEAST_SPREAD


@pytest.mark.parametrize("seed", range(3))
def test_nine_of_ten_simulated_lists_have_as_many_hits_as_expected(seed):
    rng = np.random.default_rng(seed)
    probabilities = np.sort(rng.beta(1, 3, 400))[::-1]
    mean, low, high = expected_hits(probabilities, spread=0.0)
    hits = np.cumsum(rng.random((3000, 400)) < probabilities, axis=1)
    np.testing.assert_allclose(hits.mean(axis=0)[[49, 399]], mean[[49, 399]], rtol=0.02)
    for k in (50, 200, 400):
        share = ((hits[:, k - 1] >= low[k - 1]) & (hits[:, k - 1] <= high[k - 1])).mean()
        assert 0.88 <= share <= 0.96


def test_expected_hits_lie_between_none_and_all():
    probabilities = np.array([0.99, 0.99, 0.5, 0.01])
    mean, low, high = expected_hits(probabilities, spread=3.0)
    np.testing.assert_allclose(mean, np.cumsum(probabilities))
    assert (low >= 0).all()
    assert (high <= np.arange(1, 5)).all()
    assert all(len(part) == 0 for part in expected_hits(np.empty(0), 0.1))

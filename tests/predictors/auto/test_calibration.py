"""Probabilities and expected hits, from hidden edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.auto.made import sample

from linkprior.predictors.auto import calibration
from linkprior.predictors.auto.calibration import (
    BEYOND,
    SUREST,
    Calibration,
    expected_hits,
    probability_of,
    score_of,
)


def simulated(seed, n=20_000, offset=4.0, times=1.0):
    """Log-odds z a stack might give, and hidden edges whose log-odds are times·z − offset."""
    rng = np.random.default_rng(seed)
    z = 1.5 * rng.normal(size=n)
    return z, sample(np.zeros((n, 1)), rng.random(n) < 1 / (1 + np.exp(offset - times * z)))


def learned(*simulations, ratio=1.0):
    return Calibration.learn(*zip(*simulations, strict=True), ratio)


def test_the_line_that_was_simulated_is_found():
    known = learned(*(simulated(seed, times=1.3) for seed in range(4)))
    assert (known.slope, known.intercept) == pytest.approx((1.3, -4.0), abs=0.15)
    z, fresh = simulated(99, times=1.3)
    rates = 1 / (1 + np.exp(-known.score(z)))
    assert rates.sum() == pytest.approx(fresh.y.sum(), rel=0.05)
    assert known.spread == calibration.LEAST_SPREAD


def test_what_a_stack_says_holds_where_few_edges_say_otherwise():
    few = learned(simulated(0, n=50, offset=0.0, times=0.2))
    many = learned(simulated(0, n=60_000, offset=0.0, times=0.2))
    assert many.slope == pytest.approx(0.2, abs=0.05)
    assert 2 * many.slope < few.slope < 1.0


def test_a_better_log_odds_never_counts_against_a_pair():
    assert learned(simulated(0, offset=1.0, times=-3.0)).slope > 0


def test_a_pair_that_stands_for_many_counts_for_them():
    z, whole = simulated(5, n=60_000)
    kept = whole.y | (np.random.default_rng(0).random(len(z)) < 0.1)
    part = sample(whole.U[kept], whole.y[kept], np.where(whole.y, 1.0, 10.0)[kept])
    one, other = learned((z, whole)), learned((z[kept], part))
    assert (one.slope, one.intercept) == pytest.approx((other.slope, other.intercept), abs=0.15)


@pytest.mark.parametrize("ratio", [0.1, 2.0])
def test_odds_grow_with_the_number_of_missing_edges_for_each_hidden_one(ratio):
    plain, more = learned(simulated(1)), learned(simulated(1), ratio=ratio)
    z = np.linspace(-6, 0, 7)
    odds = [np.exp(one.score(z)) for one in (plain, more)]
    np.testing.assert_allclose(odds[1], ratio * odds[0])
    np.testing.assert_allclose(probability_of(plain.score(z)), odds[0], rtol=0.01)  # all are small


@given(st.lists(st.floats(-1e4, 1e4), min_size=2))
def test_probabilities_never_fall_and_stay_below_one(scores):
    probabilities = probability_of(np.sort(scores))
    assert (np.diff(probabilities) >= 0).all()
    assert 0 < probabilities[0] <= probabilities[-1] <= SUREST < 1


@given(st.floats(1e-9, SUREST))
def test_the_score_of_a_probability_is_the_lowest_that_has_it(wanted):
    score = score_of(wanted)
    assert probability_of(score) == pytest.approx(wanted, rel=1e-9)
    assert probability_of(score - 1e-6 * max(1.0, abs(score))) < wanted


def test_every_pair_has_a_probability_of_none_and_no_pair_a_higher_one_than_is_stated():
    assert score_of(0.0) == -BEYOND
    assert score_of(0.999) == BEYOND


def test_a_kept_calibration_is_the_same():
    known = learned(simulated(1), simulated(2), ratio=0.7)
    assert Calibration.restored(known.arrays()) == known


def test_too_few_hidden_edges_give_no_calibration():
    def known(n_hidden):
        z = np.arange(100.0)
        return learned((z, sample(np.zeros((100, 1)), z >= 100 - n_hidden)))

    assert known(calibration.FEWEST_HITS - 1) is None
    assert known(calibration.FEWEST_HITS) is not None


def test_hold_outs_that_differ_widen_what_is_expected():
    differing = learned(simulated(0, offset=2.0), simulated(1, offset=6.0))
    assert differing.spread > 2 * calibration.LEAST_SPREAD


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

"""Scores in bins, and ranks read from them: against sorting, and the same bits on both engines."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy.stats import rankdata
from tests.kernels.conftest import RELAXED

from linkprior import _config, kernels
from linkprior.kernels.bins import N_BINS, bins_of
from linkprior.predictors.auto.features import RankSketch

SCORES = {
    "plain": lambda rng, shape: rng.normal(size=shape),
    "ties": lambda rng, shape: rng.integers(-2, 3, shape) * 0.1,
    "zeros": lambda rng, shape: rng.choice([0.0, -0.0, 1.0], shape),
    "all equal": lambda rng, shape: np.full(shape, -7.25),
    "tiny": lambda rng, shape: rng.normal(size=shape) * 1e-41,
    "huge": lambda rng, shape: rng.normal(size=shape) * 8e37,
    "many sizes": lambda rng, shape: rng.choice([-1, 1], shape) * 10.0 ** rng.uniform(-9, 9, shape),
    "close": lambda rng, shape: 1.0 + rng.random(shape) * 1e-4,
}


def matrix(kind, seed=0, p=40):
    upper = np.triu(SCORES[kind](np.random.default_rng(seed), (p, p)), 1).astype(np.float32)
    return upper + upper.T


def in_blocks(scores, height=7):
    bins = kernels.Bins.empty()
    for start in range(0, len(scores), height):
        bins.add(kernels.count_bins(scores[start : start + height], start))
    return bins


def later(scores):
    return scores[np.triu_indices(len(scores), 1)]


@pytest.mark.parametrize("kind", SCORES)
def test_bins_hold_the_sorted_scores_in_order_and_agree_to_one_percent(engine, kind):
    scores = matrix(kind)
    ranked = np.sort(later(scores))
    bins = in_blocks(scores)
    at = np.flatnonzero(bins.counts)
    low, high = bins.low[at], bins.high[at]
    first, last = np.searchsorted(ranked, low), np.searchsorted(ranked, high, side="right")
    np.testing.assert_array_equal(last - first, bins.counts[at])
    np.testing.assert_array_equal(np.r_[0, last[:-1]], first)
    assert last[-1] == len(ranked)
    normal = np.abs(high) > 2e-38  # below, float32 has fewer digits
    assert (np.abs(high - low)[normal] <= 0.01 * np.abs(high)[normal]).all()


@RELAXED
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(SCORES)), height=st.integers(1, 40))
def test_bins_do_not_depend_on_blocks_or_on_the_engine(seed, kind, height):
    scores = matrix(kind, seed, p=17)
    found = []
    for name in ("portable", "numba"):
        with _config.using(kernels=name):
            found += [in_blocks(scores, height), in_blocks(scores, 17)]
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("scores", [[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0]], ids=str)
def test_minus_zero_is_zero(engine, scores):
    scores = np.array([[0.0, *scores]], np.float32)
    bins = kernels.count_bins(scores, 0)
    at = np.flatnonzero(bins.counts)
    assert bins.counts[at].tolist() == [2]
    assert not np.signbit([bins.low[at], bins.high[at]]).any()
    table = RankSketch.of(bins).table()
    assert len(np.unique(kernels.rank_features(scores, table))) == 1


@pytest.mark.parametrize("odd", [np.nan, -np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 2), (1, 4), (2, 4)])
def test_scores_that_are_not_finite_have_no_bins(engine, odd, place):
    scores = np.ones((3, 5), np.float32)
    scores[place] = odd
    with pytest.raises(ValueError, match="scores are not finite"):
        kernels.count_bins(scores, 1)


def test_what_is_no_pair_of_the_block_is_not_looked_at(engine):
    scores = np.full((2, 4), np.nan, np.float32)
    scores[0, 2:], scores[1, 3] = 1.0, -2.0
    assert kernels.count_bins(scores, 1).counts.sum() == 3


@pytest.mark.parametrize("kind", SCORES)
def test_rank_features_lie_within_the_ranks_of_a_bin_and_never_fall(engine, kind):
    scores = matrix(kind)
    values = later(scores)
    bins = in_blocks(scores)
    table = RankSketch.of(bins).table()
    found = later(kernels.rank_features(scores, table)).astype(np.float64)
    assert np.isfinite(found).all()
    at = np.flatnonzero(bins.counts)
    own = at[np.searchsorted(bins.high[at], values)]  # the first bin that ends at or above it
    above = np.array([(values > high).sum() for high in bins.high[own]])
    best, worst = (
        -np.log((above + 1) / len(values)),
        -np.log((above + bins.counts[own]) / len(values)),
    )
    assert (found <= best + 1e-5).all()
    assert (found >= worst - 1e-5).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(found[order]) >= -1e-5).all()


@pytest.mark.parametrize("kind", ["ties", "zeros", "all equal"])
def test_a_score_alone_in_its_bin_has_the_middle_rank_of_its_ties(engine, kind):
    scores = matrix(kind)
    found = later(kernels.rank_features(scores, RankSketch.of(in_blocks(scores)).table()))
    exact = -np.log(rankdata(-later(scores)) / len(found))
    np.testing.assert_allclose(found, exact, atol=1e-6)


def test_rank_features_of_scores_far_apart_are_exact(engine):
    scores = np.zeros((30, 30), np.float32)
    i, j = np.triu_indices(30, 1)
    values = np.float32(1.05) ** np.random.default_rng(3).permutation(len(i)).astype(np.float32)
    scores[i, j] = scores[j, i] = values
    found = later(kernels.rank_features(scores, RankSketch.of(in_blocks(scores)).table()))
    np.testing.assert_allclose(found, -np.log(rankdata(-values) / len(i)), atol=1e-5)


def test_a_score_that_was_never_counted_ranks_between_its_neighbours(engine):
    bins = kernels.count_bins(np.array([[0, 1.0, 2.0, 4.0]], np.float32), 0)
    table = RankSketch.of(bins).table()
    found = kernels.rank_features(np.array([[-3.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0]]), table)[0]
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(found[[1, 3, 5]], -np.log(np.array([3, 2, 1]) / 3), atol=1e-6)


@RELAXED
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(SCORES)))
def test_rank_features_of_both_engines_are_the_same_bits(seed, kind):
    rng = np.random.default_rng(seed)
    scores = SCORES[kind](rng, (5, 23)).astype(np.float32)
    table = rng.normal(size=(N_BINS, 4)).astype(np.float32)
    table[:, :2].sort(axis=1)
    table[:, :2] *= np.float32(100)
    found = []
    for name in ("portable", "numba"):
        with _config.using(kernels=name):
            found.append(kernels.rank_features(scores, table))
    np.testing.assert_array_equal(*found)


def test_every_upper_half_of_a_number_has_a_bin_of_its_own_in_the_order_of_the_numbers():
    halves = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    numbers = halves.view(np.float32)
    numbers = np.sort(numbers[np.isfinite(numbers) & (halves != 1 << 31)])  # −0 is 0
    bins = bins_of(numbers)
    assert (np.diff(bins.astype(int)) >= 1).all()
    assert 0 <= bins[0] <= bins[-1] < N_BINS

"""Paired tests and the mark of the best, against SciPy, brute force and counts by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.evaluation.support import by_metric

from linkprior.errors import ParameterError
from linkprior.evaluation import statistics


def brute_force_signed_rank(d):
    """The share of all assignments of signs whose rank sum is as far from the middle."""
    kept = [x for x in d if x]
    ranks = stats.rankdata(np.abs(kept))
    middle = ranks.sum() / 2
    seen = abs(sum(r for r, x in zip(ranks, kept, strict=True) if x > 0) - middle)
    sums = [
        sum(r for r, up in zip(ranks, signs, strict=True) if up)
        for signs in itertools.product((0, 1), repeat=len(kept))
    ]
    return np.mean([abs(total - middle) >= seen - 1e-9 for total in sums])


@given(st.lists(st.integers(-6, 6), min_size=2, max_size=9))
def test_signed_ranks_with_ties_and_zeros_are_as_by_brute_force(steps):
    p = statistics.signed_rank_p(np.array(steps, dtype=float) * 0.01)
    if not any(steps):
        assert p is None
    else:
        assert p == pytest.approx(brute_force_signed_rank(steps))


def test_steps_of_one_size_tie_though_their_last_bits_differ():
    first = np.array([[0.3, 0.2], [0.2, 0.1], [0.1, 0.2], [0.7, 0.6]])
    d = statistics.differences(first)
    assert len(set(d.tolist())) > 2  # they do differ
    assert statistics.signed_rank_p(d) == pytest.approx(brute_force_signed_rank([1, 1, -1, 1]))


@pytest.mark.parametrize(
    ("d", "p"),
    [
        ([], None),
        ([1.0], None),
        ([0.0, 0.0], None),
        ([1.0, 0.0], 1.0),
        ([1.0, 1.0], 0.5),
        ([1.0, -1.0], 1.0),
        ([-1.0, -1.0, -1.0], 0.25),
        ([1, 2, 3, 4, -5, 0.0], 12 / 32),  # 4 of 5: 2·(5 + 1)/32; zeros do not count
    ],
)
def test_the_sign_test_by_hand(d, p):
    assert statistics.sign_p(np.array(d)) == (None if p is None else pytest.approx(p))
    assert p is not None or statistics.signed_rank_p(np.array(d)) is None


@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_the_smallest_p_is_that_of_winning_every_split(n):
    d = np.arange(1.0, n + 1)
    assert statistics.smallest_p(n) == pytest.approx(2.0 ** (1 - n))
    assert statistics.smallest_p(n) == pytest.approx(statistics.signed_rank_p(d))
    assert statistics.smallest_p(n) == pytest.approx(statistics.sign_p(d))
    assert statistics.smallest_p(0) is statistics.smallest_p(1) is None


def test_every_other_model_is_compared_with_the_chosen_one():
    judged = by_metric("auprc", a=[0.5, 0.6, 0.7], b=[0.4, 0.6, 0.9], c=[0.1, 0.2, 0.3])
    b, c = statistics.compare(judged, "auprc")
    assert (b.model, b.against, c.model, c.against) == ("b", "a", "c", "a")
    assert (b.wins, b.ties, b.losses) == (1, 1, 1)
    assert b.difference == pytest.approx((-0.1 + 0.0 + 0.2) / 3)
    assert (c.wins, c.losses, c.wilcoxon, c.sign) == (0, 3, 0.25, 0.25)
    assert [one.model for one in statistics.compare(judged, "auprc", "b")] == ["a", "c"]


def test_less_time_is_a_win():
    judged = by_metric("seconds", slow=[5.0, 6.0], fast=[1.0, 2.0])
    (fast,) = statistics.compare(judged, "seconds")
    assert (fast.wins, fast.losses, fast.difference) == (2, 0, -4.0)


def test_splits_without_a_value_are_left_out_of_the_pairs():
    judged = by_metric("auprc_low", a=[0.1, math.nan, 0.3], b=[0.2, 0.9, math.nan])
    (b,) = statistics.compare(judged, "auprc_low")
    assert (b.wins, b.ties, b.losses, b.wilcoxon) == (1, 0, 0, None)
    assert b.difference == pytest.approx(0.1)
    (none,) = statistics.compare(by_metric("x", a=[math.nan], b=[1.0]), "x")
    assert math.isnan(none.difference)


def test_an_unknown_model_to_compare_with_is_named_with_its_nearest():
    judged = by_metric("auprc", tri=[0.1], pa=[0.2])
    with pytest.raises(ParameterError, match=r"'trj' is evaluated. Did you mean tri\?"):
        statistics.compare(judged, "auprc", "trj")


@pytest.mark.parametrize(
    ("ahead", "behind", "leads"),
    [
        ([0.4, 0.5, 0.6], [0.38, 0.39, 0.40], True),  # by 0.11, sds 0.1 and 0.01
        ([0.4, 0.5, 0.6], [0.40, 0.41, 0.42], False),
        ([0.58, 0.59, 0.60], [0.4, 0.5, 0.6], False),  # the runner-up's spread counts too
        ([1.25] * 3, [-1.0, 0.0, 1.0], True),
        ([1.0] * 3, [-1.0, 0.0, 1.0], False),  # just one standard deviation
        ([0.5, 0.5], [0.5, 0.5], False),
        ([0.9], [0.1], False),
        ([0.9, 0.91], [0.1, 0.11], True),
        ([0.9, 0.91], [0.1, math.nan], False),  # with one value there is no spread
        ([0.9, math.nan], [0.1, 0.11], False),
        ([0.9, 0.91], [math.nan] * 2, False),
    ],
)
def test_the_best_must_lead_by_more_than_the_larger_standard_deviation(ahead, behind, leads):
    judged = by_metric("auprc", b=behind, a=ahead)
    assert statistics.best(judged, "auprc") == ("a" if leads else None)
    assert statistics.best(by_metric("auprc", a=ahead), "auprc") is None  # nobody to lead


def test_what_a_model_costs_or_resembles_makes_it_neither_best_nor_worst():
    values = {"a": [1.0, 1.1], "b": [9.0, 9.1]}
    assert statistics.best(by_metric("ndcg", **values), "ndcg") == "b"
    for no_merit in ("seconds", "peak_mb", "spearman_degree"):
        assert statistics.best(by_metric(no_merit, **values), no_merit) is None


@pytest.mark.parametrize("n", [2, 10, 49, 50, 51, 90])
def test_up_to_fifty_differences_are_counted_exactly(n):
    """Of 2**n ways to give signs, two are as far out as all wins."""
    won = np.arange(1.0, n + 1.0)
    if n <= 50:
        assert statistics.signed_rank_p(won) == pytest.approx(2.0 ** (1 - n), rel=1e-9)
    mixed = won * np.where(won % 3 == 0, -1.0, 1.0)
    expected = stats.wilcoxon(mixed, method="exact" if n <= 50 else "approx").pvalue
    assert statistics.signed_rank_p(mixed) == pytest.approx(expected, rel=1e-9)


def test_the_unit_of_a_difference_does_not_matter():
    """Ranks 1, 2 and 3, the least of them lost: two of eight rank sums are at most 1."""
    for unit in (1e-12, 1e-6, 1.0, 1e6):
        d = unit * np.array([-1.0, 2.0, 3.0])
        assert statistics.signed_rank_p(d) == pytest.approx(2 * 2 / 8), unit


def test_of_a_metric_without_a_good_end_the_higher_value_counts_as_won():
    judged = by_metric("spearman_degree", a=[0.1, 0.2, 0.3], b=[0.3, 0.1, 0.4])
    (b,) = statistics.compare(judged, "spearman_degree")
    assert (b.wins, b.ties, b.losses) == (2, 0, 1)


def test_small_values_differ_by_what_is_large_next_to_them():
    both = np.array([[1e-13, 3e-13], [1e-3, 1e-3 + 1e-17], [0.0, 0.0], [5e-14, 0.0]])
    assert statistics.differences(both) == pytest.approx([-2e-13, 0.0, 0.0, 5e-14], abs=1e-20)
    rounded = np.array([[0.1 + 0.2, 0.3], [1e-8 * (0.1 + 0.2), 0.3e-8]])
    assert statistics.differences(rounded).tolist() == [0.0, 0.0]


def test_steps_that_differ_by_rounding_tie_next_to_a_tiny_one():
    """Of three differences two tie: ranks 1, 2.5, 2.5, so that half of all signs are as far out."""
    step, same = 0.3 - 0.2, 0.2 - 0.1
    assert step < same
    assert statistics.signed_rank_p(np.array([-step, same, 1e-8])) == pytest.approx(1.0)
    apart = np.array([-0.1, 0.2, 1e-8])  # ranks 1, 2, 3: three of eight rank sums up to 2
    assert statistics.signed_rank_p(apart) == pytest.approx(2 * 3 / 8)

"""Bounds and errors by numbers worked out by hand, and at both ends of what they allow."""

import math

import numpy as np
import pytest

from linkprior.errors import ParameterError
from linkprior.model import bounds
from linkprior.model.bounds import (
    RecoveryBound,
    expected_label_error,
    expected_squared_loss,
    gamma,
    gamma_weak,
    label_error,
    loss_minimiser,
    recovery_bound,
    recovery_error,
    smoothness_bound,
)

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
GIVEN = {
    "rho": 0.5,
    "q": 0.25,
    "n_edges": 8,
    "d_max_true": 4,
    "d_max": 3,
    "trace": 2.0,
    "prior": 5.0,
    "alpha": 2.0,
    "delta": 2 / math.e**2,
}


@pytest.mark.parametrize(
    ("t", "delta", "d", "alpha", "bound"),
    [
        (0, 0, 1, 0.5, 0.0),
        (0, 1, 1, 0.5, 1.0),
        (0, 3, 1, 0.5, math.sqrt(2)),
        (1, 2, 3, 1.0, 0.5),
        (1, 2, 1, 2.0, 4.0),  # α·H_{t+δ}·log 2 / H_d² = 2 · log 4 · log 2 / log² 2
        (0, 1, 3, 3.0, 3 / 8),
        (4, 0, 1, 3.0, 0.0),
    ],
)
def test_the_gap_of_weights_is_bounded_by_its_formula(t, delta, d, alpha, bound):
    assert smoothness_bound(t, delta, d, alpha) == pytest.approx(bound)


@pytest.mark.parametrize(("rho", "best"), [(0.5, 0.75), (0.25, 0.7), (0.75, 1.25 / 1.5)])
def test_the_best_score_of_an_edge(rho, best):
    assert loss_minimiser(rho) == pytest.approx(best)
    grid = np.linspace(0, 1, 2001)
    assert grid[expected_squared_loss(grid, True, rho).argmin()] == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize(
    ("rho", "q", "strong", "weak"),
    [(0.5, 0.25, 16.0, 16.0), (0.5, 0.7, 200.0, 1 / (1.5 * 0.09)), (0.75, 0.5, 6.0, 4.0)],
)
def test_both_constants_of_the_lemma(rho, q, strong, weak):
    assert gamma(rho, q) == pytest.approx(strong)
    assert gamma_weak(rho, q) == pytest.approx(weak)


NO_SHARE = (0.0, 1.0, 1.5, -0.5)


@pytest.mark.parametrize("bad", NO_SHARE)
def test_shares_and_thresholds_lie_between_zero_and_one(bad):
    for call in (
        lambda: loss_minimiser(bad),
        lambda: gamma(bad, 0.5),
        lambda: gamma_weak(bad, 0.5),
        lambda: label_error(PATH, PATH, bad, 0.5),
        lambda: expected_label_error(0.5, True, bad, 0.5),
        lambda: expected_squared_loss(0.5, True, bad),
        lambda: recovery_bound(**{**GIVEN, "rho": bad}),
    ):
        with pytest.raises(ParameterError, match=r"^rho must be a number in \(0, 1\)"):
            call()
    with pytest.raises(ParameterError, match=r"^q must be a number in \(0, 1\)"):
        gamma_weak(0.5, bad)
    with pytest.raises(ParameterError, match=r"^delta must be a number in \(0, 1\)"):
        recovery_bound(**{**GIVEN, "delta": bad})


# ---------------------------------------------------------------------- the recovery bound


def test_the_pieces_of_the_bound():
    """s = 16: A = 2 (2·2 + 2), B = 5 · log₂(4)², chance = √(16 · 2 / 2), γ = 16."""
    bound = recovery_bound(**GIVEN)
    assert (bound.gamma, bound.A, bound.B) == pytest.approx((16.0, 12.0, 20.0))
    assert bound == pytest.approx(4 * 16 * 3 * (2 * 12 + 4))
    assert bound.active == "A"
    assert repr(bound) == "RecoveryBound(5376, gamma=16, A=12, B=20, active='A')"
    assert recovery_bound(**GIVEN, C=1.0) == bound
    assert recovery_bound(**GIVEN, C=2.0).A == pytest.approx(24.0)
    assert recovery_bound(**GIVEN, C=2.0).active == "B"


@pytest.mark.parametrize(("A", "B", "active"), [(1.0, 2.0, "A"), (2.0, 1.0, "B"), (1.0, 1.0, "A")])
def test_the_smaller_piece_is_active(A, B, active):
    assert RecoveryBound(1.0, 1.0, A, B).active == active


def test_a_prior_of_nothing_bounds_by_nothing_however_large_its_exponent():
    assert recovery_bound(**{**GIVEN, "prior": 0.0, "alpha": 1e6}).B == 0.0
    assert recovery_bound(**{**GIVEN, "alpha": 1e6}).B == math.inf
    assert recovery_bound(**{**GIVEN, "trace": 0.0}).A == 0.0


@pytest.mark.parametrize("name", ["n_edges", "d_max_true", "d_max"])
def test_counts_go_from_one_to_the_largest_that_floats_can_tell(name):
    for count in (1, bounds.LARGEST_COUNT):
        assert math.isfinite(recovery_bound(**{**GIVEN, name: count}))
    for count in (0, bounds.LARGEST_COUNT + 1):
        with pytest.raises(ParameterError, match=f"^{name} must be a whole number in 1…"):
            recovery_bound(**{**GIVEN, name: count})


@pytest.mark.parametrize(
    ("name", "bad"), [("trace", -0.1), ("prior", -0.1), ("alpha", 0.0), ("C", 0.0), ("C", -1.0)]
)
def test_constraints_and_exponents_are_not_negative(name, bad):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        recovery_bound(**{**GIVEN, name: bad})


# ---------------------------------------------------------------------- errors


def test_a_score_at_the_threshold_says_no_edge():
    X = 0.5 * PATH
    assert recovery_error(X, PATH, 0.5) == 4
    assert recovery_error(X, PATH, 0.49) == 0
    assert label_error(X, PATH, 0.5, 0.5) == pytest.approx(4 * 0.75)
    assert label_error(X, PATH, 0.5, 0.49) == 0.0
    assert expected_label_error(0.5, True, 0.5, 0.5) == pytest.approx(0.75 * 0.5)
    assert expected_label_error(0.51, True, 0.5, 0.5) == pytest.approx(0.25 * 0.5)


def test_missed_edges_and_new_ones_have_their_own_weights():
    X = np.array([[0.0, 0.9, 0.9], [0.1, 0.0, 0.1], [0.1, 0.9, 9.0]])
    assert recovery_error(X, PATH, 0.5) == 3  # 1 – 0, 1 – 2 are missed, 0 – 2 is new
    assert label_error(X, PATH, 0.4, 0.5) == pytest.approx(2 * 0.8 + 1 * 0.2)
    assert recovery_error(X, PATH, -1.0) == 2  # any threshold is allowed
    assert recovery_error(X, -7 * PATH, 0.5) == 3  # any weight makes an edge


@pytest.mark.parametrize(
    ("edge", "x", "q"), [(True, 0.3, 0.5), (True, 0.7, 0.5), (False, 0.7, 0.5)]
)
def test_expected_errors_are_means_over_what_may_be_seen(edge, x, q):
    rho = 0.4
    seen = rho if edge else 0.0
    missed, new = (1 - rho / 2) * (x <= q), rho / 2 * (x > q)
    assert expected_label_error(x, edge, rho, q) == pytest.approx(seen * missed + (1 - seen) * new)
    loss = (1 - rho / 2) * seen * (x - 1) ** 2 + rho / 2 * (1 - seen) * x**2
    assert expected_squared_loss(x, edge, rho) == pytest.approx(loss)


@pytest.mark.parametrize("good", [1, True, np.uint8(1), [0.5, 1], np.float32(1.0)])
def test_scores_may_be_any_kind_of_number(good):
    assert expected_squared_loss(good, True, 0.5).shape == np.shape(good)


@pytest.mark.parametrize("bad", [math.nan, [0.5, math.inf], "1", 1j])
def test_scores_must_be_finite_numbers(bad):
    for call in (
        lambda: expected_squared_loss(bad, True, 0.5),
        lambda: expected_label_error(bad, True, 0.5, 0.5),
    ):
        with pytest.raises(ParameterError, match="^x must be finite numbers"):
            call()


def test_another_number_of_nodes_is_told():
    with pytest.raises(ParameterError, match="net must have 4 nodes as X has, got 3"):
        recovery_error(np.zeros((4, 4)), PATH, 0.5)
    with pytest.raises(ParameterError, match="observed must have 4 nodes as X has, got 3"):
        label_error(np.zeros((4, 4)), PATH, 0.5, 0.5)

"""Eq. `degree_inducing`: the degree prior S_H and its table of rank weights."""

import math
from itertools import pairwise

import numpy as np
import pytest
from tests.paper.dense import printed_prior

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.model.priors import DegreePrior, L1Prior, ScaleFreePrior

SEQUENCES = {
    "log": lambda k: np.log(k + 1),
    "square root": np.sqrt,
    "linear": lambda k: k + 0.0,
    "bounded": lambda k: k / (k + 3),
}
ALPHAS = [0.1, 0.5, 1.0, 2.5]


def random_case(seed, p=7):
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((p, p)), 1)  # rounded: ties occur
    return X, rng.integers(1, p, p)


# ---- the value ---------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("p", [2, 3, 8])
def test_prior_is_the_printed_sum(p, alpha):
    for seed in range(10):
        X, d = random_case(seed, p)
        expected = printed_prior(X, d, alpha)
        assert lp.theory.degree_prior(X, d, alpha) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("name", SEQUENCES)
def test_prior_takes_any_increasing_sequence(name, alpha):
    H = SEQUENCES[name]
    X, d = random_case(3)
    expected = printed_prior(X, d, alpha, lambda k: float(H(np.float64(k))))
    assert lp.theory.degree_prior(X, d, alpha, H=H) == pytest.approx(expected, rel=1e-12)


def test_prior_ignores_the_diagonal():
    X, d = random_case(4)
    before = lp.theory.degree_prior(X, d)
    for value in (-3.0, 0.0, 100.0):
        np.fill_diagonal(X, value)
        assert lp.theory.degree_prior(X, d) == before


def test_prior_becomes_the_l1_norm_as_alpha_vanishes():
    X, d = random_case(6)
    l1 = X.sum() - np.trace(X)
    gaps = [abs(lp.theory.degree_prior(X, d, alpha) - l1) for alpha in (1e-1, 1e-2, 1e-3, 1e-4)]
    assert gaps[0] > 1e-2 * l1  # at 0.1 it is not yet the norm
    for wide, narrow in pairwise(gaps):
        assert narrow < 0.15 * wide  # first order in α
    assert lp.theory.degree_prior(X, d, 1e-9) == pytest.approx(l1, rel=1e-7)


# ---- the weights -------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", ALPHAS)
def test_rank_weights_are_the_formula(alpha):
    d = [1, 2, 3, 6]
    table = lp.theory.rank_weights(d, 6, alpha)
    for i, degree in enumerate(d):
        for k in range(1, 7):
            expected = (math.log(k + 1) / math.log(degree + 1)) ** alpha
            assert table[i, k - 1] == pytest.approx(expected, rel=1e-13)
        assert table[i, degree - 1] == 1.0  # the coefficient at the node's own degree


@pytest.mark.parametrize("alpha", ALPHAS)
def test_rank_weights_rise_with_the_rank(alpha):
    assert (np.diff(lp.theory.rank_weights([1, 5, 30], 40, alpha), axis=1) > 0).all()


def test_rank_weights_clamp_degrees_to_the_ranks():
    low, high = lp.theory.rank_weights([0, 1], 4), lp.theory.rank_weights([4, 5, 10**6], 4)
    np.testing.assert_array_equal(low[0], low[1])
    np.testing.assert_array_equal(high[0], high[1])
    np.testing.assert_array_equal(high[0], high[2])


def test_amplification_multiplies_degrees_and_rounds_up():
    plain = lp.theory.rank_weights(np.arange(1, 13), 12)
    amplified = lp.theory.rank_weights([1, 2, 3, 4, 10, 11], 12, c=1.1)
    # ⌈1.1⌉ = 2, ⌈2.2⌉ = 3, ⌈3.3⌉ = 4, ⌈4.4⌉ = 5, ⌈11⌉ = 11 (in floats 1.1·10 > 11), ⌈12.1⌉ → 12
    np.testing.assert_array_equal(amplified, plain[[1, 2, 3, 4, 10, 11]])
    shrunk = lp.theory.rank_weights([1, 4, 5], 12, c=0.5)
    np.testing.assert_array_equal(shrunk, plain[[0, 1, 2]])


@pytest.mark.parametrize("alpha", ALPHAS)
def test_larger_degrees_have_smoother_weights(alpha):
    """The paper's first property: all gaps between ranks shrink as the degree grows."""
    gaps = np.diff(lp.theory.rank_weights([1, 2, 5, 10, 19], 20, alpha), axis=1)
    assert (np.diff(gaps, axis=0) < 0).all()


def test_close_ranks_have_close_weights():
    """The paper's second property, α ≤ 1: the gap to the next rank shrinks with the rank."""
    for alpha in (0.5, 1.0):
        gaps = np.diff(lp.theory.rank_weights([3], 50, alpha)[0])
        assert (np.diff(gaps) < 0).all()


# ---- the priors a solver holds -----------------------------------------------------------------


@pytest.mark.parametrize("alpha", ALPHAS)
def test_degree_prior_object_splits_the_table_into_scale_and_profile(alpha):
    X, d = random_case(9)
    prior = DegreePrior(d, alpha)
    scale, profile = prior.scale(np.zeros(7)), prior.profile(6)
    np.testing.assert_allclose(np.outer(scale, profile), lp.theory.rank_weights(d, 6, alpha))
    off = X[~np.eye(7, dtype=bool)].reshape(7, 6)
    row_sums = -np.sort(-off, axis=1) @ profile
    assert prior.value(row_sums) == pytest.approx(lp.theory.degree_prior(X, d, alpha))


def test_l1_prior_object_is_the_sum():
    assert L1Prior().value(np.array([1.0, 2.5])) == 3.5
    np.testing.assert_array_equal(np.outer(L1Prior().scale(np.zeros(2)), L1Prior().profile(3)), 1.0)


def test_scale_free_weights_are_the_slope_of_its_value():
    prior, mass, step = ScaleFreePrior(0.7), np.array([0.0, 0.4, 3.0]), 1e-6
    assert prior.value(mass) == pytest.approx(sum(math.log(m + 0.7) for m in mass))
    for i in range(3):
        bump = np.eye(3)[i] * step
        slope = (prior.value(mass + bump) - prior.value(mass - bump)) / (2 * step)
        assert prior.scale(mass)[i] == pytest.approx(slope, rel=1e-6)
    # Concave in the mass: the tangent at one mass lies above the value at any other.
    other = np.array([2.0, 0.1, 5.0])
    assert prior.value(other) < prior.value(mass) + prior.scale(mass) @ (other - mass)


# ---- refusals ----------------------------------------------------------------------------------

X3 = np.ones((3, 3))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        *[("X", {"X": X}) for X in ([[0, np.nan], [1, 0]], np.ones((2, 3)), [1.0], [["a"]], [[1]])],
        *[("degrees", {"degrees": d}) for d in ([1, 1], [[1, 1, 1]], [1, 1, -1], [1, 1, 1.5])],
        ("degrees", {"degrees": ["1", "1", "1"]}),
        *[("alpha", {"alpha": alpha}) for alpha in (1000.5, -1.0, np.nan, "1", None, True)],
    ],
)
def test_the_prior_refuses(name, change):
    given = {"X": X3, "degrees": [1, 1, 1], **change}
    if name == "X":
        given["degrees"] = [1] * len(given["X"])
    with pytest.raises(ParameterError, match=f"^{name} must"):
        lp.theory.degree_prior(**given)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("degrees", ([-1, 2], [0.5, 1], [[1], [2]], [np.inf, 1])),
        ("n_ranks", (0, -1, 2.5, "3", True)),
        ("alpha", (1000.5, -1.0, np.inf)),
        ("c", (0.0, -0.5, np.nan, np.inf, "2")),
    ],
)
def test_weights_refuse(name, values):
    for value in values:
        with pytest.raises(ParameterError, match=f"^{name} must"):
            lp.theory.rank_weights(**{"degrees": [1, 1], "n_ranks": 3, name: value})


def test_one_rank_and_a_sequence_that_begins_just_above_zero_are_enough():
    assert lp.theory.rank_weights([1, 2], 1).tolist() == [[1.0], [1.0]]
    assert lp.theory.rank_weights([1], 2, H=lambda k: k - 0.5).tolist() == [[1.0, 3.0]]


@pytest.mark.parametrize(
    "H",
    [
        lambda k: -k,  # falls
        np.ones_like,  # stays
        lambda k: k - 1.0,  # starts at 0, which divides
        lambda k: np.where(k < 3, k, np.nan),
        lambda k: k[:-1],  # too short
    ],
)
def test_sequence_that_does_not_increase_is_refused(H):
    with pytest.raises(ParameterError, match=r"^H must"):
        lp.theory.rank_weights([1, 1], 4, H=H)
    with pytest.raises(ParameterError, match=r"^H must"):
        lp.theory.degree_prior(np.ones((5, 5)), [1] * 5, H=H)

"""What learns: the same as scikit-learn, and the same bits once kept."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from linkprior.errors import LinkpriorError
from linkprior.predictors.auto import learners
from linkprior.predictors.auto.learners import KINDS, Linear, kinds_for, learn, learner_from


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.exponential([1.0, 3.0, 0.2], size=(1500, 3)).astype(np.float32)
    y = rng.random(1500) < 1 / (1 + np.exp(3 - X[:, 0] - 0.3 * X[:, 1]))
    return X, y


@pytest.mark.parametrize("kind", KINDS)
def test_a_kept_learner_gives_the_same_bits(data, kind):
    X, y = data
    learner = learn(kind, X, y)
    again = learner_from({name: part.copy() for name, part in learner.arrays().items()})
    np.testing.assert_array_equal(again.log_odds(X, 10), learner.log_odds(X, 10))
    assert all(part.dtype.kind in "fi" for part in learner.arrays().values())


def test_trees_that_are_kept_in_another_way_than_we_read_them_are_refused(data, monkeypatch):
    read = learners._arrays_of
    monkeypatch.setattr(
        learners, "_arrays_of", lambda model: read(model)._replace(value=-read(model).value)
    )
    with pytest.raises(LinkpriorError, match="keeps boosted trees in a way that is not known"):
        learn("free", *data)


def test_the_linear_learner_is_logistic_regression_of_standardised_features(data):
    X, y = data
    mean, sd = X.mean(axis=0, dtype=float), X.std(axis=0, dtype=float)
    model = LogisticRegression(C=1.0, max_iter=1000, tol=1e-8).fit((X - mean) / sd, y)
    found = learn("linear", X, y).log_odds(X, 10)
    np.testing.assert_allclose(found, model.decision_function((X - mean) / sd), atol=0.01)


def test_a_feature_that_never_changes_has_no_say(data):
    X, y = data
    with_constant = np.c_[X, np.full(len(X), 7, np.float32)]
    learner = learn("linear", with_constant, y)
    assert isinstance(learner, Linear)
    assert learner.weights[3] == 0.0
    np.testing.assert_allclose(
        learner.log_odds(with_constant, 10), learn("linear", X, y).log_odds(X, 10), atol=1e-3
    )


def test_monotone_trees_never_hold_a_better_rank_against_a_pair(data):
    X, y = data
    learner = learn("monotone", X, y)
    for column in range(3):
        rows = np.repeat(X[:20], 50, axis=0).reshape(20, 50, 3)
        rows[:, :, column] = np.linspace(0, 12, 50)
        found = learner.log_odds(rows.reshape(-1, 3), 10).reshape(20, 50)
        assert (np.diff(found, axis=1) >= -1e-12).all()


def test_trees_find_what_no_line_tells():
    rng = np.random.default_rng(1)
    X = rng.random((3000, 2)).astype(np.float32)
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    right = {kind: ((learn(kind, X, y).log_odds(X, 10) > 0) == y).mean() for kind in KINDS}
    assert right["linear"] < 0.7
    assert right["free"] > 0.95


def test_few_hidden_edges_are_learned_from_by_the_linear_model_alone():
    assert kinds_for(learners.FEWEST_FOR_TREES - 1) == ("linear",)
    assert kinds_for(learners.FEWEST_FOR_TREES) == KINDS


def test_shares_are_weights_times_deviations_or_gains_as_parts_of_the_whole():
    rng = np.random.default_rng(2)
    X = (rng.normal(size=(4000, 3)) * [1.0, 2.0, 4.0]).astype(np.float32)
    pull = np.abs([1.0, -1.0, 0.5]) * X.std(axis=0)
    linear = Linear(np.array([1.0, -1.0, 0.5]), 0.0)
    np.testing.assert_allclose(linear.shares(X), pull / pull.sum(), rtol=1e-5)
    forest = learn("free", X, X[:, 1] + 0.1 * rng.normal(size=4000) > 0)
    shares = forest.shares(X)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[1] > 0.95


def test_a_rounded_threshold_parts_the_same_numbers():
    rng = np.random.default_rng(3)
    thresholds = np.r_[rng.normal(size=200) * 10.0 ** rng.uniform(-6, 6, 200), 0.5, 0.0]
    rounded = learners._at_most(thresholds)
    near = thresholds.astype(np.float32)
    for number in (near, np.nextafter(near, np.float32(9e9)), np.nextafter(near, np.float32(-9e9))):
        np.testing.assert_array_equal(number > rounded, number.astype(float) > thresholds)

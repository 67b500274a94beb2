"""From samples to a stack: learners, how they are chosen, and how they are stored."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.predictors.auto.made import sample, with_signal

from linkprior.errors import LinkpriorError
from linkprior.predictors.auto import learners
from linkprior.predictors.auto.holdout import OBJECTIVES, average_precision
from linkprior.predictors.auto.learners import KINDS, Linear, kinds_for, learn
from linkprior.predictors.auto.stack import Stack, Trainer, fusion, stack_from

LABELS = ("ra", "l3", "nmf64")
WHERE = {"columns": (0, 1, 2), "floor": 3.0, "n_pairs": 3000}


def train(samples, objective="auprc"):
    return Trainer(samples, LABELS, objective, n_nodes=10).train(**WHERE)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_stack_wins_where_sources_complete_each_other(objective):
    samples = [with_signal(seed, [1.0, 1.0, 0.0]) for seed in range(4)]
    found = train(samples, objective)
    assert found.stack.kind == "stack"
    assert next(iter(found.validation)) == "stack"
    fresh = with_signal(50, [1.0, 1.0, 0.0], n=20_000)
    measure = OBJECTIVES[objective]
    alone = max(measure(fresh.X[:, column], fresh) for column in range(3))
    assert measure(found.stack.scores(fresh.X, 10), fresh) > alone


def test_a_source_alone_wins_where_what_is_learned_does_not_hold():
    samples = [with_signal(seed, [1.5, (-1) ** seed, 0.0], offset=6) for seed in range(4)]
    fresh = with_signal(9, [1.0, 0.0, 0.0])
    alone = train(samples, "recall")
    assert alone.validation["stack"] < alone.validation["ra"]
    assert (alone.stack.kind, alone.stack.column) == ("source", 0)
    np.testing.assert_array_equal(alone.stack.scores(fresh.X, 10), fresh.X[:, 0])


@pytest.mark.at_length
def test_where_one_source_ranks_the_top_what_was_learned_still_ranks_the_rest():
    samples = [with_signal(seed, [1.5, (-1) ** seed, 0.0], offset=6) for seed in range(4)]
    fresh = with_signal(9, [1.0, 0.0, 0.0])
    found = train(samples)
    assert found.stack.top_blend == ("single",)
    assert found.validation["stack"] >= 0.95 * found.validation["ra"]
    scores = found.stack.scores(fresh.X, 10)
    near = fresh.X.max(axis=1) > WHERE["floor"]
    assert 10 < near.sum() < len(near)
    order = np.argsort(fresh.X[near, 0])
    assert (np.diff(scores[near][order]) >= 0).all()
    rest = found.stack.rest.log_odds(fresh.X, 10, found.stack.rest_blend)
    np.testing.assert_array_equal(scores[~near], rest[~near])


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_chosen_is_best_on_edges_not_learned_from(seed, objective):
    strength = np.random.default_rng(seed).choice([0.0, 0.2, 1.0], 3)
    samples = [with_signal(10 * seed + at, strength, n=800, offset=4) for at in range(3)]
    found = train(samples, objective)
    name = {"stack": "stack", "fusion": "fusion"}.get(found.stack.kind)
    name = name or LABELS[found.stack.column]
    least = 0.95 if found.stack.top_blend == ("single",) else 1.0
    assert found.validation[name] >= least * max(found.validation.values())
    values = list(found.validation.values())
    assert values == sorted(values, reverse=True)
    assert np.mean([OBJECTIVES[objective](*one) for one in found.evaluated]) == pytest.approx(
        found.validation[name]
    )


def test_validation_scores_come_from_learners_that_had_not_seen_the_sample():
    """Labels that are pure probability cannot be told; by heart they could."""
    rng = np.random.default_rng(0)
    samples = [
        sample(rng.exponential(size=(4000, 3)), rng.random(4000) < 0.1, top=rng.random(4000) < 0.2)
        for _ in range(2)
    ]
    found = Trainer(samples, LABELS, "auprc", 10).train(**WHERE)
    assert found.validation["stack"] < 0.16


def test_one_lucky_hit_among_few_does_not_choose_the_source():
    """`ra` has one of 30 hidden edges first and the others nowhere; `l3` has all in the top 2 %."""
    rng, samples = np.random.default_rng(0), []
    for _ in range(4):
        y = np.arange(3000) < 30
        lucky = np.where(np.arange(3000) == 0, 3001.0, rng.permutation(3000))
        good = np.where(y, rng.integers(2950, 3000, 3000), rng.permutation(3000)) + 0.5
        X = np.c_[lucky, good, rng.permutation(3000)]
        samples.append(sample(X, y, np.where(y, 1.0, 10.0), top=X.max(axis=1) > 2900))
    plain = [np.mean([average_precision(s.X[:, c], s) for s in samples]) for c in (0, 1)]
    found = train(samples).validation
    assert found["l3"] > 2 * found["ra"]
    assert found["l3"] / found["ra"] > 1.5 * plain[1] / plain[0]


def test_one_hold_out_is_enough_to_choose_but_not_to_learn():
    found = train([with_signal(0, [0.0, 2.0, 0.0])])
    assert (found.stack.kind, found.stack.column) == ("source", 1)
    assert "stack" not in found.validation


def test_without_hold_outs_ranks_are_fused():
    found = train([])
    assert found.stack.kind == "fusion"
    assert found.evaluated == []


def test_fusion_adds_reciprocal_ranks():
    ranks = np.array([[1.0, 10.0], [500.0, 2.0]])
    found = fusion((-np.log(ranks / 3000)).astype(np.float32), 3000)
    np.testing.assert_allclose(found, (1 / (60 + ranks)).sum(axis=1), rtol=1e-5)
    labels = ("ra", "l3", "prior:ra")
    X = np.c_[-np.log(ranks / 3000), [5.0, 1.0]].astype(np.float32)
    np.testing.assert_allclose(Stack("fusion", labels, n_pairs=3000).scores(X, 10), found)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_kept_stack_scores_the_same_bits(objective):
    samples = [with_signal(seed, [1.0, 1.0, 0.0], n=1500, offset=3) for seed in range(2)]
    stack = train(samples, objective).stack
    again = stack_from(stack.arrays(), stack.facts())
    X = with_signal(9, [1.0, 1.0, 0.0]).X
    np.testing.assert_array_equal(again.scores(X, 10), stack.scores(X, 10))


def test_near_a_top_the_top_learners_speak():
    samples = [with_signal(seed, [1.0, 1.0, 0.0], n=2000, offset=3) for seed in range(2)]
    stack = train(samples).stack
    assert stack.top is not None
    X = with_signal(9, [1.0, 1.0, 0.0]).X
    top = X.max(axis=1) > 3.0
    found = stack.scores(X, 10)
    near = stack.top.log_odds(X[top], 10, stack.top_blend)
    np.testing.assert_allclose(found[top], near, atol=1e-5)
    rest = stack.rest.log_odds(X[~top], 10, stack.rest_blend)
    np.testing.assert_allclose(found[~top], rest, atol=1e-5)  # sums of BLAS: as rows come


def few(n_hidden):
    """Return two holdouts with so many hidden edges together, found by the first source alone."""
    samples = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        y = np.arange(500) < n_hidden // 2
        X = rng.uniform(0.0, 3.0, (500, 3)).astype(np.float32)
        X[y, 0] = 6.0
        samples.append(sample(X, y))
    return samples


def test_with_too_few_hidden_edges_nothing_is_chosen_by_them():
    labels = ("ra", "l3", "prior:l3")
    found = Trainer(few(18), labels, "auprc", n_nodes=10).train(**WHERE)
    assert next(iter(found.validation)) == "ra"
    assert found.stack.kind == "prior"
    X = few(18)[0].X
    np.testing.assert_allclose(found.stack.scores(X, 10), X[:, 2])
    enough_found = Trainer(few(22), labels, "auprc", n_nodes=10).train(**WHERE)
    assert enough_found.stack.kind != "prior"


# ----------------------------------------------------------------------
# What learns: the same as scikit-learn, and the same bits once kept.


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.exponential([1.0, 3.0, 0.2], size=(1500, 3)).astype(np.float32)
    y = rng.random(1500) < 1 / (1 + np.exp(3 - X[:, 0] - 0.3 * X[:, 1]))
    return X, y


def test_trees_that_are_kept_in_another_way_than_we_read_them_are_refused(data, monkeypatch):
    read = learners._arrays_of
    monkeypatch.setattr(
        learners, "_arrays_of", lambda model: read(model)._replace(value=-read(model).value)
    )
    with pytest.raises(LinkpriorError, match="stores boosted trees in an unknown format"):
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

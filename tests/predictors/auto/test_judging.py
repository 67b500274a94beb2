"""What hidden edges reach, against scikit-learn and against counting pair by pair."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score
from tests.predictors.auto.made import sample

from linkprior.predictors.auto import holdout


def case(seed, ties):
    rng = np.random.default_rng(seed)
    y = rng.random(80) < 0.2
    scores = rng.integers(0, 6, 80) * 1.0 if ties else rng.permutation(80) * 0.1
    weight = np.where(y, 1.0, rng.integers(1, 9, 80))
    return scores, sample(np.zeros((80, 1)), y, weight, product=rng.integers(1, 30, 80))


@pytest.mark.parametrize("seed", range(5))
def test_without_ties_the_average_precision_is_scikit_learns(seed):
    scores, pairs = case(seed, ties=False)
    expected = average_precision_score(pairs.y, scores, sample_weight=pairs.weight)
    assert holdout.average_precision(scores, pairs) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_areas_are_scikit_learns(seed, ties):
    scores, pairs = case(seed, ties)
    even = roc_auc_score(pairs.y, scores, sample_weight=pairs.weight)
    assert holdout.area(scores, pairs) == pytest.approx(even, abs=1e-12)
    weight = np.where(pairs.y, 1.0, pairs.weight * pairs.degree_product)
    matched = roc_auc_score(pairs.y, scores, sample_weight=weight)
    assert holdout.matched_area(scores, pairs) == pytest.approx(matched, abs=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_half_of_the_pairs_that_tie_count_as_above(seed, ties):
    scores, pairs = case(seed, ties)
    precision, near = [], 0
    ranked = sorted(
        (score for score, hit in zip(scores, pairs.y, strict=True) if hit), reverse=True
    )
    for hits, score in enumerate(ranked, start=1):
        others = [
            w * (1.0 if other > score else 0.5 if other == score else 0.0)
            for other, hit, w in zip(scores, pairs.y, pairs.weight, strict=True)
            if not hit
        ]
        precision.append(hits / (hits + sum(others)))
        near += hits + sum(others) <= 0.05 * pairs.n_pairs
    assert holdout.average_precision(scores, pairs) == pytest.approx(np.mean(precision))
    assert holdout.recall_of_five_percent(scores, pairs) == pytest.approx(near / len(ranked))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_as_if_more_were_hidden_is_every_hidden_edge_taken_several_times(seed, ties):
    scores, pairs = case(seed, ties)
    times = 300 / pairs.y.sum()
    weight = np.where(pairs.y, times, pairs.weight)
    found = holdout.steady_precision(scores, pairs)
    if not ties:
        expected = average_precision_score(pairs.y, scores, sample_weight=weight)
        assert found == pytest.approx(expected, abs=1e-12)
    assert holdout.average_precision(scores, pairs) < found < 1.0


def test_where_enough_are_hidden_nothing_is_counted_twice():
    y = np.arange(1000) % 3 == 0
    scores = np.random.default_rng(0).random(1000)
    pairs = sample(np.zeros((1000, 1)), y, np.ones(1000))
    plain = holdout.average_precision(scores, pairs)
    assert y.sum() > holdout.FEW_HIDDEN
    assert holdout.steady_precision(scores, pairs) == plain


@pytest.mark.parametrize("measure", holdout.OBJECTIVES.values())
def test_the_order_of_the_pairs_does_not_matter(measure):
    scores, pairs = case(3, ties=True)
    order = np.random.default_rng(0).permutation(len(scores))
    mixed = sample(pairs.X[order], pairs.y[order], pairs.weight[order], pairs.degree_product[order])
    assert measure(scores[order], mixed) == pytest.approx(measure(scores, pairs), abs=1e-12)


@pytest.mark.parametrize("measure", holdout.OBJECTIVES.values())
def test_a_sample_without_hidden_edges_or_without_others_has_a_finite_value(measure):
    for y in (np.zeros(4, bool), np.ones(4, bool)):
        assert 0.0 <= measure(np.arange(4.0), sample(np.zeros((4, 1)), y)) <= 1.0

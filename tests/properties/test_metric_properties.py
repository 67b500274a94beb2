"""Metrics see the order alone, and count ties by the mean over all orders of the tied pairs."""

from itertools import pairwise, permutations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from tests.evaluation.support import Given
from tests.properties.made import by_example, few, networks, permuted, symmetric

from linkprior.evaluation.metrics import METRICS, measure, ndcg, precision_at, recall_at
from linkprior.evaluation.ranks import Places, rank_hidden_edges
from linkprior.evaluation.splits import Split, uniform

MAPS = {
    "cube": lambda X: X**3,
    "exp": np.exp,
    "shift and scale": lambda X: 5.0 * X - 7.0,
    "ranks": lambda X: np.searchsorted(np.unique(X), X).astype(float),
}


@st.composite
def judged(draw):
    """A split of a small network and scores of its pairs, many of them tied."""
    net = draw(networks(least=4, nodes=(5, 9)))
    split = uniform(net, 0.6, draw(st.integers(0, 99)), rule="all-nodes")
    values = st.integers(0, 4).map(float)
    return split, draw(symmetric(net.n_nodes, values))


@pytest.mark.parametrize("name", MAPS)
@few
@given(judged())
def test_an_increasing_map_of_scores_changes_no_metric(name, case):
    split, X = case
    plain, mapped = (measure(rank_hidden_edges(Given(M), split)) for M in (X, MAPS[name](X)))
    assert set(plain) == set(METRICS)
    for metric, value in plain.items():
        np.testing.assert_allclose(mapped[metric], value, rtol=1e-12, err_msg=metric)


@st.composite
def short_lists(draw):
    """At most six candidates with scores of two or three values, some of them hidden edges."""
    n = draw(st.integers(2, 6))
    scores = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    hidden = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True))
    return scores, hidden


def orders(scores):
    """Yield every order of the candidates that goes with their scores."""
    n = len(scores)
    for order in permutations(range(n)):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            yield {item: at for at, item in enumerate(order)}


def as_places(scores, hidden):
    above = [sum(s > scores[h] for s in scores) for h in hidden]
    return Places(
        np.array(above, float), np.array([scores.count(scores[h]) for h in hidden], float)
    )


@by_example
@given(short_lists(), st.integers(0, 6))
def test_ties_count_by_the_mean_over_all_orders(case, k):
    scores, hidden = case
    ways, places = list(orders(scores)), as_places(scores, hidden)
    means = [np.mean([at[h] < k for at in ways]) for h in hidden]
    np.testing.assert_allclose(places.probability_within(k), means, atol=1e-12)
    ideal = sum(1 / np.log2(2 + at) for at in range(len(hidden)))
    gains = [sum(1 / np.log2(2 + at[h]) for h in hidden) / ideal for at in ways]
    np.testing.assert_allclose(ndcg(places), np.mean(gains), rtol=1e-12)


@by_example
@given(judged())
def test_turning_the_scores_round_turns_auroc_round(case):
    split, X = case
    there, back = (measure(rank_hidden_edges(Given(M), split))["auroc"] for M in (X, -X))
    if np.isnan(there):  # every candidate is a hidden edge
        assert np.isnan(back)
        return
    np.testing.assert_allclose(there + back, 1.0, rtol=1e-12)


@by_example
@given(judged(), st.integers(1, 40))
def test_precision_and_recall_count_the_same_hits(case, k):
    split, X = case
    standing = rank_hidden_edges(Given(X), split)
    percent = 100.0 * k / split.n_pairs
    hits = precision_at(standing, k) * k
    np.testing.assert_allclose(recall_at(standing, percent) * len(split.hidden), hits, rtol=1e-12)
    assert 0.0 <= hits <= min(k, len(split.hidden)) + 1e-12


@by_example
@given(judged(), st.randoms(use_true_random=False))
def test_the_numbers_of_nodes_change_no_metric(case, rng):
    split, X = case
    order = list(range(len(X)))
    rng.shuffle(order)  # node i of the new network is node order[i] of the old one
    number = np.argsort(order)
    train = type(split.train).from_indices(number[split.train.edges], split.train.names)
    hidden = np.sort(number[split.hidden], axis=1)
    moved = Split(train, hidden[np.lexsort(hidden.T[::-1])], split.rule, split.label)
    there = measure(rank_hidden_edges(Given(permuted(X, order)), moved))
    here = measure(rank_hidden_edges(Given(X), split))
    for metric, value in here.items():
        np.testing.assert_allclose(there[metric], value, rtol=1e-9, atol=1e-12, err_msg=metric)

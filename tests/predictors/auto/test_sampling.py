"""Features of pairs against the models themselves, and which pairs are learned from."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import rankdata

import linkprior as lp
from linkprior.predictors.auto.features import PRIOR, fit_sources, restored
from linkprior.predictors.auto.holdout import draw, hide, near_top, top_columns, top_feature
from linkprior.predictors.auto.sources import BY_LABEL

LABELS = ("pa", "ra", "l3")
SOURCES = [BY_LABEL[label] for label in LABELS]


@pytest.fixture(scope="module")
def case():
    """A network with three nodes that have no edge, an exercise, and its features."""
    planted = lp.planted_network(n_nodes=50, n_groups=3, mean_degree=7, seed=2)
    names = [*planted.names, "x", "y", "z"]
    net = lp.Network.from_indices(planted.edges, names)
    exercise = hide(net, 0.1, np.random.default_rng(0))
    features = fit_sources(exercise.train, SOURCES, seed=0, prior=True)
    return net, exercise, features, features.block(0, net.n_nodes)


def candidates(network):
    edges = set(map(tuple, network.edges.tolist()))
    linked = set(np.flatnonzero(network.degrees).tolist())
    pairs = combinations(range(network.n_nodes), 2)
    return np.array([p for p in pairs if p not in edges and linked.issuperset(p)])


def test_rank_features_are_the_models_ranks(case):
    _, exercise, features, block = case
    i, j = np.triu_indices(exercise.train.n_nodes, 1)
    for at, label in enumerate(LABELS):
        scores = lp.make(label).fit(exercise.train).score_rows(0, exercise.train.n_nodes)[i, j]
        exact = -np.log(rankdata(-scores.astype(np.float32)) / len(i))
        found = block[i, j, at]
        assert np.corrcoef(exact, found)[0, 1] > 0.99
        order = np.argsort(scores, kind="stable")
        assert (np.diff(found[order]) >= -1e-5).all()
    assert features.labels == [*LABELS, f"{PRIOR}ra", f"{PRIOR}l3"]


def test_blocks_of_features_are_parts_of_the_whole_and_survive_keeping(case):
    _, exercise, features, block = case
    np.testing.assert_array_equal(features.block(10, 17), block[10:17])
    again = restored(exercise.train, *features.state(), seed=0)
    np.testing.assert_array_equal(again.block(0, len(block)), block)


def test_without_the_prior_no_feature_has_it(case):
    _, exercise, *_ = case
    assert fit_sources(exercise.train, SOURCES, seed=0, prior=False).labels == list(LABELS)


def test_all_candidates_are_there_when_enough_are_drawn(case):
    _, exercise, features, block = case
    found = draw(features, exercise, 10**6, [0], matched=False)
    pairs = candidates(exercise.train)
    i, j = pairs.T
    hidden = set(map(tuple, exercise.hidden.tolist()))
    np.testing.assert_array_equal(found.X, block[i, j])
    np.testing.assert_array_equal(found.y, [tuple(pair) in hidden for pair in pairs.tolist()])
    np.testing.assert_array_equal(found.drawn, ~found.y)
    assert (found.weight == 1.0).all()
    linked = exercise.train.n_nodes - 3
    assert found.n_pairs == len(pairs) == exercise.train.n_non_edges - 3 * linked - 3
    k = exercise.train.degrees
    np.testing.assert_array_equal(found.degree_product, k[i] * k[j])


def test_hidden_edges_and_pairs_near_a_top_are_never_left_out(case):
    _, exercise, features, block = case
    i, j = candidates(exercise.train).T
    columns, floor = top_columns(features.labels), top_feature(features)
    assert [features.labels[at] for at in columns] == ["ra", "l3"]
    n_all = exercise.train.n_nodes * (exercise.train.n_nodes - 1) / 2
    assert floor == pytest.approx(-np.log(exercise.train.n_edges / n_all))
    near = (block[i, j][:, columns] > floor).any(axis=1)
    np.testing.assert_array_equal(near_top(block[i, j], columns, floor), near)
    found = draw(features, exercise, 30, [7], matched=False)
    assert len(found.y) < 0.7 * len(i)
    assert found.y.sum() == len(exercise.hidden)
    np.testing.assert_array_equal(found.X[found.top], block[i, j][near])


@pytest.mark.parametrize("matched", [False, True])
def test_weights_add_up_to_the_candidates(case, matched):
    _, exercise, features, block = case
    i, j = candidates(exercise.train).T
    columns, floor = top_columns(features.labels), top_feature(features)
    hidden = set(map(tuple, exercise.hidden.tolist()))
    lot = ~near_top(block[i, j], columns, floor)
    lot &= np.array([pair not in hidden for pair in zip(i.tolist(), j.tolist(), strict=True)])
    k = exercise.train.degrees.astype(float)
    n_all = exercise.train.n_nodes * (exercise.train.n_nodes - 1) / 2
    share = np.full(len(i), 200 / n_all)
    if matched:
        whole = sum(k[a] * k[b] for a, b in combinations(range(len(k)), 2))
        share = np.minimum(1.0, 200 * k[i] * k[j] / whole)
    sd = np.sqrt(((1 - share) / share)[lot].sum())
    sums = [draw(features, exercise, 200, [seed], matched).weight.sum() for seed in range(40)]
    assert abs(np.mean(sums) - len(i)) < 4 * sd / np.sqrt(40)
    assert np.std(sums) == pytest.approx(sd, rel=0.5)


def test_matched_draws_are_in_proportion_to_degree_products(case):
    _, exercise, features, _ = case
    i, j = candidates(exercise.train).T
    k = exercise.train.degrees.astype(float)
    hidden = set(map(tuple, exercise.hidden.tolist()))
    other = np.array([pair not in hidden for pair in zip(i.tolist(), j.tolist(), strict=True)])
    product = (k[i] * k[j])[other]
    whole = sum(k[a] * k[b] for a, b in combinations(range(len(k)), 2))
    times, rounds = np.zeros(int(product.max()) + 1), 150
    for seed in range(rounds):
        found = draw(features, exercise, 150, [seed], matched=True)
        drawn = found.degree_product[found.drawn].astype(int)
        times += np.bincount(drawn, minlength=len(times))
    half = np.median(product)
    for own in (product < half, product >= half):
        expected = rounds * np.minimum(1.0, 150 * product[own] / whole).sum()
        values = np.unique(product[own].astype(int))
        assert abs(times[values].sum() - expected) < 5 * np.sqrt(expected)


def test_the_draw_follows_its_seed(case):
    _, exercise, features, _ = case
    one, same, other = (draw(features, exercise, 100, [seed], False).X for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert one.shape != other.shape or (one != other).any()

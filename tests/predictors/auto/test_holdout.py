"""Hidden edges, samples of pairs, what they are evaluated by, and what two releases teach."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, roc_auc_score
from tests.predictors.auto.made import sample, with_signal
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior.evaluation.evaluate import evaluate_cell
from linkprior.evaluation.metrics import measure
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import release
from linkprior.predictors.auto import holdout
from linkprior.predictors.auto.calibration import Calibration
from linkprior.predictors.auto.features import PRIOR, fit_sources, restored
from linkprior.predictors.auto.holdout import (
    draw,
    hide,
    n_drawn,
    n_hidden,
    near_top,
    top_columns,
    top_feature,
)
from linkprior.predictors.auto.sources import BY_LABEL
from linkprior.predictors.auto.stack import Trainer


@slowly
@given(networks(), st.floats(0.01, 0.89), st.integers(0, 99))
def test_every_node_keeps_an_edge_and_hidden_pairs_were_edges(net, share, seed):
    found = hide(net, share, np.random.default_rng(seed))
    edges = set(map(tuple, net.edges.tolist()))
    hidden = set(map(tuple, found.hidden.tolist()))
    assert len(hidden) == len(found.hidden) <= max(1, round(share * net.n_edges))
    assert hidden <= edges
    assert set(map(tuple, found.train.edges.tolist())) == edges - hidden
    assert found.train.names == net.names
    np.testing.assert_array_equal(found.train.degrees > 0, net.degrees > 0)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.5])
def test_where_no_node_is_short_of_edges_the_share_is_hidden(share):
    ring = [(i, (i + step) % 60) for i in range(60) for step in range(1, 11)]
    net = lp.Network.from_edges(ring)
    found = hide(net, share, np.random.default_rng(1))
    assert len(found.hidden) == n_drawn(net, share) == round(share * 600)


def test_every_edge_is_as_likely_to_be_hidden():
    net = lp.Network.from_edges([(i, j) for i in range(9) for j in range(i)])
    counts = np.zeros(net.n_edges)
    code = {tuple(edge): at for at, edge in enumerate(net.edges.tolist())}
    for seed in range(400):
        for edge in hide(net, 0.25, np.random.default_rng(seed)).hidden.tolist():
            counts[code[tuple(edge)]] += 1
    assert np.abs(counts - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)


def test_nothing_is_hidden_where_every_edge_is_a_nodes_last():
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 9)])
    found = hide(star, 0.5, np.random.default_rng(0))
    assert len(found.hidden) == 0
    assert found.train is star


def test_no_edge_is_hidden_twice(planted):
    found = [hide(planted, 0.15, np.random.default_rng(3), number).hidden for number in range(6)]
    edges = [tuple(edge) for hidden in found for edge in hidden.tolist()]
    assert len(edges) == len(set(edges)) > planted.n_edges / 2
    more = hide(planted, 0.15, np.random.default_rng(3), 60)  # all have had their turn
    assert len(more.hidden) > 0
    assert more.train.n_edges + len(more.hidden) == planted.n_edges


def test_the_number_of_edges_that_can_be_hidden_is_foreseen(planted):
    sizes = [len(hide(planted, 0.1, np.random.default_rng(seed)).hidden) for seed in range(60)]
    assert n_hidden(planted, 0.1) == pytest.approx(np.mean(sizes), rel=0.15)
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 30)])
    assert n_hidden(star, 0.1) == 1.0


# ----------------------------------------------------------------------
# Features of pairs against the models themselves, and which pairs are learned from.


LABELS = ("pa", "ra", "l3")
SOURCES = [BY_LABEL[label] for label in LABELS]


@pytest.fixture(scope="module")
def case():
    """A network with three nodes that have no edge, an holdout, and its features."""
    planted = lp.planted_network(n_nodes=50, n_groups=3, mean_degree=7, seed=2)
    names = [*planted.names, "x", "y", "z"]
    net = lp.Network.from_indices(planted.edges, names)
    holdout = hide(net, 0.1, np.random.default_rng(0))
    features = fit_sources(holdout.train, SOURCES, seed=0, prior=True)
    return net, holdout, features, features.block(0, net.n_nodes)


def candidates(network):
    edges = set(map(tuple, network.edges.tolist()))
    linked = set(np.flatnonzero(network.degrees).tolist())
    pairs = combinations(range(network.n_nodes), 2)
    return np.array([p for p in pairs if p not in edges and linked.issuperset(p)])


def test_rank_features_are_the_models_ranks(case):
    _, holdout, features, block = case
    i, j = np.triu_indices(holdout.train.n_nodes, 1)
    for at, label in enumerate(LABELS):
        scores = lp.make(label).fit(holdout.train).score_rows(0, holdout.train.n_nodes)[i, j]
        exact = -np.log(rankdata(-scores.astype(np.float32)) / len(i))
        found = block[i, j, at]
        assert np.corrcoef(exact, found)[0, 1] > 0.99
        order = np.argsort(scores, kind="stable")
        assert (np.diff(found[order]) >= -1e-5).all()
    assert features.labels == [*LABELS, f"{PRIOR}ra", f"{PRIOR}l3"]


def test_blocks_of_features_are_parts_of_the_whole_and_survive_keeping(case):
    _, holdout, features, block = case
    np.testing.assert_array_equal(features.block(10, 17), block[10:17])
    again = restored(holdout.train, *features.state(), seed=0)
    np.testing.assert_array_equal(again.block(0, len(block)), block)


def test_without_the_prior_no_feature_has_it(case):
    _, holdout, *_ = case
    assert fit_sources(holdout.train, SOURCES, seed=0, prior=False).labels == list(LABELS)


def test_all_candidates_are_there_when_enough_are_drawn(case):
    _, holdout, features, block = case
    found = draw(features, holdout, 10**6, [0], matched=False)
    pairs = candidates(holdout.train)
    i, j = pairs.T
    hidden = set(map(tuple, holdout.hidden.tolist()))
    np.testing.assert_array_equal(found.X, block[i, j])
    np.testing.assert_array_equal(found.y, [tuple(pair) in hidden for pair in pairs.tolist()])
    np.testing.assert_array_equal(found.drawn, ~found.y)
    assert (found.weight == 1.0).all()
    linked = holdout.train.n_nodes - 3
    assert found.n_pairs == len(pairs) == holdout.train.n_non_edges - 3 * linked - 3
    k = holdout.train.degrees
    np.testing.assert_array_equal(found.degree_product, k[i] * k[j])


def test_hidden_edges_and_pairs_near_a_top_are_never_left_out(case):
    _, holdout, features, block = case
    i, j = candidates(holdout.train).T
    columns, floor = top_columns(features.labels), top_feature(features)
    assert [features.labels[at] for at in columns] == ["ra", "l3"]
    n_all = holdout.train.n_nodes * (holdout.train.n_nodes - 1) / 2
    assert floor == pytest.approx(-np.log(holdout.train.n_edges / n_all))
    near = (block[i, j][:, columns] > floor).any(axis=1)
    np.testing.assert_array_equal(near_top(block[i, j], columns, floor), near)
    found = draw(features, holdout, 30, [7], matched=False)
    assert len(found.y) < 0.7 * len(i)
    assert found.y.sum() == len(holdout.hidden)
    np.testing.assert_array_equal(found.X[found.top], block[i, j][near])


@pytest.mark.parametrize("matched", [False, True])
def test_weights_add_up_to_the_candidates(case, matched):
    _, holdout, features, block = case
    i, j = candidates(holdout.train).T
    columns, floor = top_columns(features.labels), top_feature(features)
    hidden = set(map(tuple, holdout.hidden.tolist()))
    lot = ~near_top(block[i, j], columns, floor)
    lot &= np.array([pair not in hidden for pair in zip(i.tolist(), j.tolist(), strict=True)])
    k = holdout.train.degrees.astype(float)
    n_all = holdout.train.n_nodes * (holdout.train.n_nodes - 1) / 2
    share = np.full(len(i), 200 / n_all)
    if matched:
        whole = sum(k[a] * k[b] for a, b in combinations(range(len(k)), 2))
        share = np.minimum(1.0, 200 * k[i] * k[j] / whole)
    sd = np.sqrt(((1 - share) / share)[lot].sum())
    sums = [draw(features, holdout, 200, [seed], matched).weight.sum() for seed in range(40)]
    assert abs(np.mean(sums) - len(i)) < 4 * sd / np.sqrt(40)
    assert np.std(sums) == pytest.approx(sd, rel=0.5)


# ----------------------------------------------------------------------
# What hidden edges reach, against scikit-learn and against counting pair by pair.


def case_judging(seed, ties):
    rng = np.random.default_rng(seed)
    y = rng.random(80) < 0.2
    scores = rng.integers(0, 6, 80) * 1.0 if ties else rng.permutation(80) * 0.1
    weight = np.where(y, 1.0, rng.integers(1, 9, 80))
    return scores, sample(np.zeros((80, 1)), y, weight, product=rng.integers(1, 30, 80))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_areas_are_scikit_learns(seed, ties):
    scores, pairs = case_judging(seed, ties)
    even = roc_auc_score(pairs.y, scores, sample_weight=pairs.weight)
    assert holdout.area(scores, pairs) == pytest.approx(even, abs=1e-12)
    weight = np.where(pairs.y, 1.0, pairs.weight * pairs.degree_product)
    matched = roc_auc_score(pairs.y, scores, sample_weight=weight)
    assert holdout.matched_area(scores, pairs) == pytest.approx(matched, abs=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_half_of_the_pairs_that_tie_count_as_above(seed, ties):
    scores, pairs = case_judging(seed, ties)
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
    scores, pairs = case_judging(seed, ties)
    times = 300 / pairs.y.sum()
    weight = np.where(pairs.y, times, pairs.weight)
    found = holdout.steady_precision(scores, pairs)
    if not ties:
        expected = average_precision_score(pairs.y, scores, sample_weight=weight)
        assert found == pytest.approx(expected, abs=1e-12)
    assert holdout.average_precision(scores, pairs) < found < 1.0


@pytest.mark.parametrize("measure", holdout.OBJECTIVES.values())
def test_a_sample_without_hidden_edges_or_without_others_has_a_finite_value(measure):
    for y in (np.zeros(4, bool), np.ones(4, bool)):
        assert 0.0 <= measure(np.arange(4.0), sample(np.zeros((4, 1)), y)) <= 1.0


# ----------------------------------------------------------------------
# Learning from two releases instead of hidden edges.


def releases(seed=0, finds=60, rounds=2):
    """Networks in time: edges follow groups, but what is found afterwards joins large hubs."""
    rng = np.random.default_rng(seed)
    found = [lp.planted_network(150, n_groups=5, mean_degree=6.0, seed=seed)]
    k = found[0].degrees.astype(float)
    probability = np.triu(np.outer(k, k) ** 2, 1).ravel()
    for _ in range(rounds):
        p, chance_now = len(k), probability.copy()
        chance_now[found[-1].edges @ [p, 1]] = 0.0
        new = rng.choice(p * p, finds, replace=False, p=chance_now / chance_now.sum())
        pairs = np.concatenate([found[-1].edges, np.stack(np.divmod(new, p), axis=1)])
        found.append(lp.Network.from_indices(pairs, found[-1].names))
    return found


@pytest.fixture(scope="module")
def fitted():
    older, newer, _ = releases()
    return lp.make("auto", effort="fast").fit(newer.with_history(older, newer))


def test_halves_by_hub_share_no_hub_and_both_have_hits():
    hub = np.repeat(np.arange(20), 30)
    y = np.zeros(600, bool)
    y[::7] = True
    one, other = sample(np.zeros((600, 1)), y, hub=hub).halves_by_hub(np.random.default_rng(1))
    assert not set(one.hub) & set(other.hub)
    assert len(one.y) + len(other.y) == 600
    assert min(one.y.sum(), other.y.sum()) > 0.3 * y.sum()


@pytest.mark.at_length
def test_probabilities_are_evaluated_separately_where_samples_depend_on_each_other():
    labels, where = ("a", "b"), {"columns": (0,), "floor": 3.0, "n_pairs": 3000}
    samples = [with_signal(seed, [1.0, 0.2]) for seed in (1, 2)]
    apart = [with_signal(seed, [1.0, 0.2]) for seed in (3, 4)]
    trained = Trainer(samples, labels, "auprc", 10, apart).train(**where)
    evaluated = [one for _, one in trained.evaluated]
    assert len(evaluated) == 2
    assert {id(one) for one in evaluated} == {id(one) for one in apart}


def test_without_a_ratio_probabilities_are_the_rates_at_which_pairs_were_found():
    y = np.repeat([True, False], [300, 700])
    np.random.default_rng(0).shuffle(y)
    known = Calibration.learn([(np.zeros(1000), sample(np.zeros((1000, 1)), y))], None)
    assert known.probability(np.array([0.0]))[0] == pytest.approx(0.3)


def test_auto_says_that_it_learned_from_releases_and_what_probabilities_rest_on(fitted):
    assert "newer release found" in fitted.summary()[0]
    assert "next release" in fitted.assumption()


@pytest.mark.at_length
def test_what_releases_taught_finds_more_of_the_next_one_than_hidden_edges_do(fitted):
    """Hidden edges teach that links follow groups; here what is found next joins hubs."""
    older, newer, newest = releases()
    del older
    split = release(newer, newest)
    plain = evaluate_cell("auto", lp.make("auto", effort="fast"), split).values["auprc"]
    taught = measure(rank_hidden_edges(fitted, split))["auprc"]
    assert len(split.hidden) == 60
    assert taught > 1.5 * plain


@pytest.mark.at_length
def test_too_few_finds_leave_auto_with_hidden_edges():
    older, newer, _ = releases(finds=holdout.FEWEST_FOUND - 5)
    model = lp.make("auto", effort="fast").fit(newer.with_history(older, newer))
    assert "too few to learn from" in model.summary()[0]
    plain = lp.make("auto", effort="fast").fit(newer)
    assert model.predict_edges(20).names == plain.predict_edges(20).names
    assert "% of all links are missing" in model.assumption()


def test_a_model_that_learned_from_releases_is_saved_without_them(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    again = lp.load(tmp_path / "model")
    assert again.network_.known.history is None
    assert again.predict_edges(50).names == fitted.predict_edges(50).names
    assert again.assumption() == fitted.assumption()

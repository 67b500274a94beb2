"""Hidden edges, samples of pairs, what they are evaluated by, and what two releases teach."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score
from tests.predictors.auto.made import sample
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior import parallel
from linkprior.evaluation.evaluate import evaluate_cell
from linkprior.evaluation.metrics import measure
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import release
from linkprior.predictors.auto import holdout
from linkprior.predictors.auto.calibration import Calibration, probability_of
from linkprior.predictors.auto.features import fit_sources, restored
from linkprior.predictors.auto.holdout import (
    MOST_DRAWN,
    STEEPNESS,
    draw,
    hide,
    hold_out,
    joining_share,
    n_drawn,
)
from linkprior.predictors.auto.sources import BY_LABEL


@slowly
@given(networks(), st.floats(0.01, 0.89), st.integers(0, 99))
def test_every_node_keeps_an_edge_and_hidden_pairs_were_edges(net, share, seed):
    found = hide(net, share, np.random.default_rng(seed).random(net.n_edges))
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
    found = hide(net, share, np.random.default_rng(1).random(net.n_edges))
    assert len(found.hidden) == n_drawn(net, share) == round(share * 600)


def test_every_edge_is_as_likely_to_be_hidden():
    net = lp.Network.from_edges([(i, j) for i in range(9) for j in range(i)])
    counts = np.zeros(net.n_edges)
    code = {tuple(edge): at for at, edge in enumerate(net.edges.tolist())}
    for seed in range(400):
        for edge in hide(
            net, 0.25, np.random.default_rng(seed).random(net.n_edges)
        ).hidden.tolist():
            counts[code[tuple(edge)]] += 1
    assert np.abs(counts - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)


def test_an_edge_less_leaves_most_hold_outs_as_they_were():
    net = lp.planted_network(100, seed=3)
    less = net.hide(net.edges[[7]])
    for number in range(5):
        before, after = (
            set(map(tuple, hold_out(one, 0.1, 0, number).hidden.tolist())) for one in (net, less)
        )
        assert len(before & after) >= 0.9 * len(before)


def test_nothing_is_hidden_where_every_edge_is_a_nodes_last():
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 9)])
    found = hide(star, 0.5, np.random.default_rng(0).random(star.n_edges))
    assert len(found.hidden) == 0
    assert found.train is star


def pairs_of(hidden):
    return [tuple(pair) for pair in hidden.tolist()]


@pytest.mark.parametrize("share", [0.1, 0.15])
def test_a_round_of_hold_outs_hides_each_edge_once_and_the_next_one_in_other_company(share):
    clique = lp.Network.from_edges([*combinations(range(16), 2)])  # no node runs short of edges
    n = int(np.ceil(1 / share))
    rounds = [
        [hold_out(clique, share, 3, number).hidden for number in range(at * n, at * n + n)]
        for at in range(2)
    ]
    for hidden in rounds:
        assert {pair for one in hidden for pair in pairs_of(one)} == {*pairs_of(clique.edges)}
        first = [pair for one in hidden[:-1] for pair in pairs_of(one)]  # the last one fills up
        assert len(first) == len(set(first))
    assert not {frozenset(pairs_of(one)) for one in rounds[0]} & {
        frozenset(pairs_of(one)) for one in rounds[1]
    }


def test_the_seed_says_which_edges_are_hidden(planted):
    for number in (0, 7, 12):
        one, same, other = (hold_out(planted, 0.1, seed, number).hidden for seed in (1, 1, 2))
        np.testing.assert_array_equal(one, same)
        assert len({*pairs_of(one)} & {*pairs_of(other)}) < 0.5 * len(one)


def test_in_a_tree_all_hidden_edges_join_two_parts_and_in_a_clique_none():
    tree = lp.Network.from_networkx(nx.balanced_tree(3, 4))
    clique = lp.Network.from_networkx(nx.complete_graph(12))
    assert joining_share([hold_out(tree, 0.1, 0, at) for at in range(3)]) == 1.0
    assert joining_share([hold_out(clique, 0.1, 0, at) for at in range(3)]) == 0.0
    assert 0.0 < joining_share([hold_out(net, 0.1, 0, 0) for net in (tree, clique)]) < 1.0
    star = lp.Network.from_networkx(nx.star_graph(9))
    assert joining_share([hold_out(star, 0.1, 0, 0)]) == 0.0  # nothing is hidden


# ----------------------------------------------------------------------
# Features of pairs against the models themselves, and which pairs are learned from.


LABELS = ("pa", "ra", "l3")
SOURCES = [BY_LABEL[label] for label in LABELS]


@pytest.fixture(scope="module")
def case():
    """A network with three nodes that have no edge, a hold-out, and its features."""
    planted = lp.planted_network(n_nodes=50, n_groups=3, mean_degree=7, seed=2)
    names = [*planted.names, "x", "y", "z"]
    net = lp.Network.from_indices(planted.edges, names)
    holdout = hide(net, 0.1, np.random.default_rng(0).random(net.n_edges))
    blocks = parallel.blocks(net.n_nodes)
    features, reasons = fit_sources(holdout.train, SOURCES, 0, blocks)
    assert not reasons
    return net, holdout, features, features.block(0, net.n_nodes)


def candidates(network):
    edges = set(map(tuple, network.edges.tolist()))
    linked = set(np.flatnonzero(network.degrees).tolist())
    pairs = combinations(range(network.n_nodes), 2)
    return np.array([p for p in pairs if p not in edges and linked.issuperset(p)])


def test_rank_features_are_the_models_ranks_and_zero_where_the_best_edges_end(case):
    _, holdout, features, block = case
    i, j = np.triu_indices(holdout.train.n_nodes, 1)
    for at, label in enumerate(LABELS):
        scores = lp.make(label).fit(holdout.train).score_rows(0, holdout.train.n_nodes)[i, j]
        exact = np.log(holdout.train.n_edges / rankdata(-scores.astype(np.float32)))
        found = block[at, i, j]
        assert np.corrcoef(exact, found)[0, 1] > 0.99
        assert abs(np.median(exact - found)) < 0.05
        order = np.argsort(scores, kind="stable")
        assert (np.diff(found[order]) >= -1e-5).all()
    assert features.labels == [*LABELS]


def test_blocks_of_features_are_parts_of_the_whole_and_survive_keeping(case):
    _, holdout, features, block = case
    np.testing.assert_array_equal(features.block(10, 17), block[:, 10:17])
    again = restored(holdout.train, *features.state(), seed=0, held={})
    np.testing.assert_array_equal(again.block(0, block.shape[1]), block)
    np.testing.assert_array_equal(features.without(["ra"]).block(10, 17), block[[0, 2], 10:17])


def test_scores_that_are_held_give_the_same_sample(case):
    _, holdout, features, _ = case
    held, _ = fit_sources(holdout.train, SOURCES, 0, features.blocks, hold=True)
    one, other = (draw(each, holdout, 200, [1]) for each in (features, held))
    for name in vars(one):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def near_top(holdout, features, block):
    """Of the candidates, those from which on all are looked at, and which are hidden."""
    i, j = candidates(holdout.train).T
    near = np.zeros(len(i), bool)
    for at, label in enumerate(LABELS):
        scores = lp.make(label).fit(holdout.train).score_rows(0, holdout.train.n_nodes)
        near |= scores[i, j].astype(np.float32) >= np.float32(features.thresholds[at])
    hidden = set(pairs_of(holdout.hidden))
    return near, np.array([pair in hidden for pair in zip(i.tolist(), j.tolist(), strict=True)])


def test_as_many_pairs_as_edges_are_near_a_top_or_a_tenth_where_degrees_decide_it(case):
    _, holdout, features, _ = case
    i, j = np.triu_indices(holdout.train.n_nodes, 1)
    for at, label in enumerate(LABELS):
        scores = lp.make(label).fit(holdout.train).score_rows(0, holdout.train.n_nodes)[i, j]
        n = (scores.astype(np.float32) >= np.float32(features.thresholds[at])).sum()
        wanted = holdout.train.n_edges * (0.1 if label == "pa" else 1.0)
        assert wanted <= n < 1.3 * wanted + 10


def test_hidden_edges_and_the_best_pairs_are_never_left_out(case):
    _, holdout, features, block = case
    i, j = candidates(holdout.train).T
    near, hidden = near_top(holdout, features, block)
    best = (block[:, i, j].T - features.tops).max(axis=1) >= -np.log(MOST_DRAWN) / STEEPNESS
    assert 3 < best.sum() < near.sum() / 2
    found = draw(features, holdout, 30, [7])
    assert (best | hidden).sum() <= len(found.y) < 0.9 * len(i)
    assert found.y.sum() == hidden.sum() == len(holdout.hidden)
    assert (found.weight[found.y] == 1.0).all()
    drawn = {row.tobytes() for row in found.U}
    assert {row.tobytes() for row in block[:, i, j].T[best | hidden]} <= drawn
    only = draw(features, holdout, 0, [7])  # what the list is taken from
    assert len(only.y) == (near | hidden).sum()
    assert (only.weight == 1.0).all()


def test_a_sample_holds_what_belongs_to_its_pairs(case):
    _, holdout, features, block = case
    i, j = candidates(holdout.train).T
    near, hidden = near_top(holdout, features, block)
    i, j = i[near | hidden], j[near | hidden]
    found, k = draw(features, holdout, 0, [0]), holdout.train.degrees
    np.testing.assert_array_equal(found.U, block[:, i, j].T)
    np.testing.assert_array_equal(found.y, hidden[near | hidden])
    np.testing.assert_array_equal(found.degree_product, k[i] * k[j])
    np.testing.assert_array_equal(found.hub, np.where(k[i] >= k[j], i, j))
    a, b = (np.log(k[part] * (k > 0).sum() / k.sum()) for part in (i, j))
    expected = np.stack([a + b, a * b, a**2 + b**2, abs(a - b)], axis=1)
    np.testing.assert_allclose(found.D, expected, atol=1e-5)
    np.testing.assert_array_equal(found.N, (found.levels[:, i] + found.levels[:, j]).T)
    assert found.n_pairs == len(candidates(holdout.train))


def test_a_node_s_level_says_how_often_it_is_near_the_top_for_its_degree(case):
    _, holdout, features, _ = case
    net, found = holdout.train, draw(features, holdout, 0, [0])
    for one, threshold, level in zip(
        features.fitted, features.thresholds, found.levels, strict=True
    ):
        near = one.rows(0, net.n_nodes) >= threshold
        near = np.triu(near, 1) | np.triu(near, 1).T
        expected = np.log((near.sum(axis=0) + 1) / (net.degrees + 1))
        np.testing.assert_allclose(level, expected, atol=1e-5)


def test_weights_add_up_to_the_candidates(case):
    _, holdout, features, _ = case
    n = len(candidates(holdout.train))
    samples = [draw(features, holdout, 200, [seed]) for seed in range(40)]
    sums = [one.weight.sum() for one in samples]
    assert abs(np.mean(sums) - n) < 4 * np.std(sums) / np.sqrt(40)
    assert 0 < np.std(sums) < 0.25 * n


def test_the_higher_any_source_ranks_a_pair_the_fewer_it_stands_for(case):
    _, holdout, features, _ = case
    found = draw(features, holdout, 20, [0])
    rest = found.weight > 1.0
    order = np.argsort((found.U[rest] - features.tops).max(axis=1))
    assert (np.diff(found.weight[rest][order]) <= 0).all()
    assert len(np.unique(found.weight[rest])) > 2


def test_matched_weights_leave_degrees_nothing_to_tell(case):
    _, holdout, features, _ = case
    found = draw(features, holdout, 10**6, [0])
    ratio = found.matched_weight[~found.y] / found.weight[~found.y]
    product = found.degree_product[~found.y]
    np.testing.assert_allclose(ratio / product, (ratio / product)[0])
    np.testing.assert_allclose(found.matched_weight.sum(), found.weight.sum())
    assert (found.matched_weight[found.y] == 1.0).all()


def test_the_seed_says_which_pairs_are_drawn(case):
    _, holdout, features, _ = case
    one, same, other = (draw(features, holdout, 30, [seed, 0, 1]) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.U, same.U)
    assert one.U.tobytes() != other.U.tobytes()


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


def test_without_a_ratio_probabilities_are_the_rates_at_which_pairs_were_found():
    y = np.arange(10_000) % 20 == 0
    z = np.full(len(y), -3.0)
    known = Calibration.learn([z], [sample(np.zeros((len(y), 1)), y)], None)
    assert probability_of(known.score(z[:1]))[0] == pytest.approx(0.05, rel=0.1)


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
    assert taught > 1.2 * plain


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

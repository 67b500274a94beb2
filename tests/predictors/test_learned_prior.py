"""weights="learned": rank weights from hidden edges, for tri-degree and degree:NAME."""

import json

import numpy as np
import pytest
from tests.predictors.small import all_scores, every_pair

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.evaluation.metrics import recall_at
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import uniform
from linkprior.model.learned_weights import (
    LearnedWeights,
    Sample,
    learn_weights,
    missing_share,
    ridge_logistic,
    soft_log,
)
from linkprior.predictors import degree_prior, tri_degree

QUICK = {"rank": 6, "n_starts": 1, "warmup": 30, "max_iter": 5}
MODELS = [("tri-degree", QUICK), ("degree:l3", {}), ("degree:pu", {})]
both = pytest.mark.parametrize(("name", "params"), MODELS, ids=[name for name, _ in MODELS])


@pytest.fixture(scope="module")
def network():
    """About 300 nodes, some of them left without an edge."""
    whole = lp.planted_network(n_nodes=300, n_groups=6, mean_degree=6, seed=0)
    return uniform(whole, 0.8, 3, "all-nodes").train


def hubs(seed=0, n=400, n_hubs=12):
    """A few hubs and many leaves; the partners of a hub have nothing in common but the hub."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.full(n_hubs, 0.6))
    edges = {(hub, n_hubs + leaf) for leaf in range(n) for hub in rng.choice(n_hubs, 3, p=chances)}
    return lp.Network.from_edges(sorted(edges))


def fitted(name, params, net, **more):
    return lp.make(name, **params, weights="learned", **more).fit(net)


# ---------------------------------------------------------------------- the function


def sample(seed=0, n=4000, slope=4.0):
    """Pairs whose log-odds fall by `slope` with the mean x of both ends."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, 2)), rng.random((n, 2)) * 0.6
    odds = 1.0 - slope * x.mean(axis=1) + 2.0 * y.mean(axis=1)
    hidden = rng.random(n) < 1.0 / (1.0 + np.exp(-odds))
    return Sample(rng.normal(size=n), x, y, hidden, 1.0)


def test_learning_finds_planted_weights():
    found = learn_weights([sample(n=40_000)])
    curve = found.curve([1, 999], [1, 30], 1000)
    np.testing.assert_allclose(curve[:, 1] - curve[:, 0], 4.0, rtol=0.15)
    assert found.score == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("slope", [-5.0, 0.0, 5.0])
def test_no_pair_gains_by_a_worse_rank_whatever_was_seen(slope):
    found = learn_weights([sample(slope=slope)])
    x = np.linspace(0.0, 1.0, 21)
    y = (np.full(1, 0.2), np.full(1, 0.7))
    for other in (0.0, 0.5, 1.0):
        for own, remote in (y, y[::-1]):
            sloped = 0.5 * (found.slopes(own) * x + found.slopes(remote) * other)
            odds = found.log_odds(np.zeros(1), (own, remote), sloped, x * other)
            assert (np.diff(odds) <= 1e-9).all()


def test_coefficients_survive_json():
    found = learn_weights([sample()])
    assert LearnedWeights.from_facts(json.loads(json.dumps(found.as_facts()))) == found


def test_drawing_fewer_non_edges_leaves_the_odds_as_they_are():
    rng = np.random.default_rng(0)
    f = rng.normal(size=(200_000, 1))
    hidden = rng.random(len(f)) < 1.0 / (1.0 + np.exp(4.0 - f[:, 0]))
    kept = hidden | (rng.random(len(f)) < 0.1)
    offset = np.full(int(kept.sum()), -np.log(0.1))
    whole = ridge_logistic(f, hidden, np.zeros(len(f)), [True])
    part = ridge_logistic(f[kept], hidden[kept], offset, [True])
    assert part[0] == pytest.approx(whole[0], abs=0.1)
    assert part[1] == pytest.approx(whole[1], abs=0.1)


def test_a_feature_that_never_changes_does_no_harm():
    features = np.stack([np.ones(50), np.arange(50.0)], axis=1)
    constant, found = ridge_logistic(features, np.arange(50) > 20, np.zeros(50), [True, True])
    assert np.isfinite([constant, *found]).all()


def test_f_rises_and_is_one_at_the_unit():
    f = soft_log(np.array([-3.0, 0.0, 1.0, 1.0001, 3.0, 50.0]), 1.0, 2.0)
    assert (np.diff(f) > 0).all()
    assert f[2] == 0.0
    assert f[4] == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_the_missing_share_is_estimated_from_nodes_that_lost_all_edges(share):
    whole = lp.planted_network(n_nodes=3000, n_groups=5, mean_degree=4, seed=1)
    train = uniform(whole, 1.0 - share, 0, "all-nodes").train
    assert missing_share(train.degrees) == pytest.approx(share, abs=0.08)
    assert missing_share(np.array([3, 4, 5])) < 0.02
    assert missing_share(np.array([3, 4, 5, *[0] * 50])) > 0.8


# ---------------------------------------------------------------------- the models


def test_learned_beats_fixed_where_the_fixed_one_is_wrong():
    found = {"learned": [], "paper": []}
    for seed in range(2):
        split = uniform(hubs(seed), 0.8, seed)
        for kind, values in found.items():
            model = lp.make("tri-degree", **QUICK, weights=kind).fit(split.train)
            values.append(recall_at(rank_hidden_edges(model, split), 2))
    assert np.mean(found["learned"]) > np.mean(found["paper"]) + 0.05


@both
def test_the_summary_reports_what_was_learned(name, params, network):
    told = fitted(name, params, network).learned_.facts["weights"]
    assert told["kind"] == "learned"
    assert told["holdouts"] == 3
    assert 30 <= told["hidden"] <= 0.3 * network.n_edges + 3
    curve = told["curve"]
    shape = len(curve["degrees"]), len(curve["ranks"])
    assert np.shape(curve["learned"]) == np.shape(curve["paper"]) == shape
    assert (np.diff(curve["learned"], axis=1) >= -1e-9).all()
    assert curve["paper"][0][0] == pytest.approx(1.0)
    json.dumps(told)


@both
def test_pairs_of_connected_nodes_do_not_depend_on_the_term_for_isolated_ones(
    name, params, network
):
    with_term = fitted(name, params, network)
    without = fitted(name, params, network, isolated=False)
    assert with_term.learned_.facts["weights"]["isolated"] is not None
    assert without.learned_.facts["weights"]["isolated"] is None
    pairs = every_pair(network)
    connected = (network.degrees[pairs] > 0).all(axis=1)
    one, other = (model.score_pairs(pairs) for model in (with_term, without))
    assert (one[connected] == other[connected]).all()
    assert (one[~connected] != other[~connected]).any()


@both
def test_tables_of_ranks_give_nearly_what_exact_ranks_do(name, params, network, monkeypatch):
    exact = all_scores(fitted(name, params, network))
    for module in (degree_prior, tri_degree):
        monkeypatch.setattr(module, "DENSE_LIMIT", 10)
    model, pairs = fitted(name, params, network), every_pair(network)
    assert "rank_table" in model.learned_.arrays
    scores = all_scores(model)
    assert np.corrcoef(scores[tuple(pairs.T)], exact[tuple(pairs.T)])[0, 1] > 0.98
    np.testing.assert_allclose(scores, scores.T, rtol=1e-5)
    np.testing.assert_allclose(model.score_pairs(pairs), scores[tuple(pairs.T)], atol=2e-3)


@both
def test_too_few_edges_leave_the_weights_to_the_paper(name, params):
    net = lp.planted_network(n_nodes=30, n_groups=2, mean_degree=4, seed=0)
    model = fitted(name, params, net)
    told = model.learned_.facts["weights"]
    assert told["kind"] == "paper"
    assert "too few" in told["why"]
    plain = lp.make(name, **params).fit(net)
    assert all_scores(model).tobytes() == all_scores(plain).tobytes()


def test_a_network_of_single_edges_falls_back_too():
    net = lp.Network.from_edges([(2 * k, 2 * k + 1) for k in range(120)])
    assert fitted("degree:pa", {}, net).learned_.facts["weights"]["kind"] == "paper"


def test_what_does_not_go_together_is_reported(network):
    for name, params in MODELS:
        with pytest.raises(ParameterError, match="leave degrees .--degrees. out"):
            fitted(name, params, network, degrees="shuffled")
    with pytest.raises(ParameterError, match="rank_by='q'"):
        fitted("tri-degree", QUICK, network, rank_by="x")
    with pytest.raises(ParameterError, match="ranks='auto'"):
        fitted("degree:pu", {}, network, ranks="exact")


def test_a_complete_network_takes_the_papers_weights_and_says_so():
    import networkx as nx

    model = lp.make("tri-degree", weights="learned").fit(nx.complete_graph(20))
    assert model.learned_.facts["weights"]["kind"] == "paper"
    assert model.summary()[-1].startswith("Rank weights: the paper's, since ")


@pytest.mark.parametrize("name", ["tri-degree", "degree:l3"])
def test_the_summary_tells_what_was_learned_from(name):
    net = lp.planted_network(120, seed=1)
    model = lp.make(name, weights="learned").fit(net)
    hidden = model.learned_.facts["weights"]["hidden"]
    assert model.summary()[-1] == f"Rank weights: learned on {hidden} edges hidden in 3 rounds."

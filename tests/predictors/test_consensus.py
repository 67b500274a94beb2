"""consensus:NAME: means over members that differ by seed or by the edges they see."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import all_scores, networks, slowly

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.predictors import consensus, evidence
from linkprior.predictors.registry import make

TRI = {"rank": 4, "max_iter": 30}


def members_alone(model, net):
    """The members fitted again, without the wrapper, from their seeds."""
    params = {k: v for k, v in model._new().get_params().items() if k != "seed"}
    base = type(model).wrapped.name
    return [make(base, **params, seed=seed).fit(net) for seed in model.learned_.facts["seeds"]]


def top(scores, net, k):
    """The k best non-edges, ties by pair."""
    i, j = np.triu_indices(net.n_nodes, 1)
    free = net.adjacency.toarray()[i, j] == 0
    i, j = i[free], j[free]
    order = np.lexsort((j, i, -scores[i, j]))[:k]
    return set(zip(i[order].tolist(), j[order].tolist(), strict=True))


# ---------------------------------------------------------------------- scores


def test_scores_are_the_mean_and_the_spread_is_the_sd_over_members(planted):
    model = make("consensus:tri", most=4, settled=1.0, **TRI).fit(planted)
    alone = np.array([all_scores(member) for member in members_alone(model, planted)])
    assert len(alone) == 4
    np.testing.assert_allclose(all_scores(model), alone.mean(axis=0), rtol=1e-12, atol=1e-14)
    pairs = np.array([(0, 5), (9, 3), (2, 30)])
    expected = alone[:, pairs[:, 0], pairs[:, 1]].std(axis=0, ddof=1)
    np.testing.assert_allclose(model.spread(pairs), expected, rtol=1e-9)
    names = [(planted.names[i], planted.names[j]) for i, j in pairs]
    np.testing.assert_array_equal(model.spread(names), model.spread(pairs))
    assert len(np.unique(alone.sum(axis=(1, 2)))) == 4  # no two members are the same


def test_one_member_is_the_base_and_has_no_spread(planted):
    model = make("consensus:tri", most=1, **TRI).fit(planted)
    only = members_alone(model, planted)[0]
    np.testing.assert_array_equal(all_scores(model), all_scores(only))
    assert model.spread([(0, 1)]).tolist() == [0.0]
    assert model.learned_.facts["overlap"] == []
    assert model.learned_.facts["settled"] is False


def test_a_prior_of_the_members_is_reported(planted):
    model = make("consensus:tri-degree", most=2, warmup=5, max_iter=2).fit(planted)
    pairs = np.array([(0, 5), (3, 9)])
    alone = members_alone(model, planted)
    expected = np.mean([member.explain(pairs).base for member in alone], axis=0)
    np.testing.assert_allclose(model.explain(pairs).base, expected, rtol=1e-9)


# ---------------------------------------------------------------------- when it settles


def test_members_are_added_until_the_best_pairs_stay(planted):
    model = make("consensus:tri", most=9, settled=0.9, **TRI).fit(planted)
    facts, k = model.learned_.facts, planted.n_edges
    alone = [all_scores(member) for member in members_alone(model, planted)]
    means = [sum(alone[:n]) / n for n in range(1, len(alone) + 1)]
    best = [top(mean, planted, k) for mean in means]
    overlaps = [len(a & b) / k for a, b in pairwise(best)]
    assert facts["overlap"] == pytest.approx(overlaps, abs=2 / k)  # rounding may part a tie
    assert facts["members"] == len(alone) >= 3
    assert facts["settled"]
    assert overlaps[-1] >= 0.9
    assert all(overlap < 0.9 for overlap in overlaps[1:-1])


def test_more_members_leave_the_first_as_they_are(planted):
    few, many = (
        make("consensus:tri", most=most, settled=1.0, seed=5, **TRI).fit(planted) for most in (2, 4)
    )
    assert many.learned_.facts["seeds"][:2] == few.learned_.facts["seeds"]
    assert not many.learned_.facts["settled"]
    assert len(set(many.learned_.facts["seeds"])) == 4


def test_members_that_are_all_alike_settle_with_the_least(planted):
    model = make("consensus:l3", resample=1e-9, most=8, least=5)
    alike = lp.Network.from_edges([(0, leaf) for leaf in range(1, 9)])  # no edge can be hidden
    assert model.fit(alike).learned_.facts["members"] == 5
    assert model.learned_.facts["overlap"] == [1.0] * 4


def test_a_large_network_is_compared_on_some_of_its_rows(monkeypatch):
    """The even sample stands for the whole: nearly the same overlaps, far fewer rows."""
    net = lp.planted_network(n_nodes=1600, n_groups=6, mean_degree=8, seed=2)
    params = {"most": 3, "settled": 1.0, **TRI}
    whole = make("consensus:tri", **params).fit(net)
    monkeypatch.setattr(consensus, "DENSE_LIMIT", 800)
    part = make("consensus:tri", **params).fit(net)
    rows = consensus._BestPairs(net).rows
    assert len(rows) < 0.5 * net.n_nodes
    overlaps = [model.learned_.facts["overlap"] for model in (whole, part)]
    np.testing.assert_allclose(*overlaps, atol=0.08)
    np.testing.assert_array_equal(whole.score_rows(0, 9), part.score_rows(0, 9))


# ---------------------------------------------------------------------- resampling


@slowly
@given(networks(), st.floats(0.01, 0.99), st.integers(0, 100))
def test_every_node_keeps_an_edge_and_no_more_are_hidden_than_asked(net, share, seed):
    hidden = consensus._hidden(net, share, np.random.default_rng(seed))
    left = np.bincount(net.edges[~hidden].ravel(), minlength=net.n_nodes)
    assert ((left > 0) == (net.degrees > 0)).all()
    assert hidden.sum() <= max(1, round(share * net.n_edges))


def test_the_share_asked_for_is_hidden_where_nodes_have_edges_to_spare(planted):
    hidden = consensus._hidden(planted, 0.2, np.random.default_rng(0))
    assert hidden.sum() == round(0.2 * planted.n_edges)


def test_members_do_not_see_what_is_hidden_and_score_it(planted):
    model = make("consensus:l3", resample=0.2, most=4, settled=1.0).fit(planted)
    hidden = model.learned_.arrays["hidden"]
    assert hidden.shape == (4, planted.n_edges)
    expected = [
        all_scores(
            make("l3").fit(lp.Network.from_indices(planted.edges[~one], list(planted.names)))
        )
        for one in hidden
    ]
    np.testing.assert_allclose(all_scores(model), np.mean(expected, axis=0), rtol=1e-12)
    assert np.isfinite(model.score_pairs(planted.edges[hidden[0]])).all()
    assert (model.spread(planted.edges[:50]) > 0).any()
    ranking = model.predict_edges(planted.n_non_edges)
    assert (planted.adjacency.toarray()[tuple(ranking.pairs.T)] == 0).all()


# ---------------------------------------------------------------------- evidence and parameters


def test_the_spread_is_a_column_of_evidence(planted, monkeypatch):
    monkeypatch.setattr(evidence, "_PAIRS_AT_ONCE", 7)
    model = make("consensus:tri", most=3, **TRI).fit(planted)
    ranking = evidence.with_evidence(model, model.predict_edges(20))
    assert ranking.columns[-2:] == ["prior_share", "spread"]
    frame = ranking.to_frame()
    np.testing.assert_array_equal(frame["spread"], model.spread(ranking.pairs))
    assert (frame["spread"] > 0).any()
    plain = make("tri", **TRI).fit(planted)
    assert "spread" not in evidence.with_evidence(plain, plain.predict_edges(5)).columns
    none = evidence.with_evidence(model, model.predict_edges(0))
    assert len(none.evidence["spread"]) == 0


def test_what_has_nothing_random_is_refused_in_one_line(planted):
    with pytest.raises(ParameterError, match="l3 has no seed, so there is nothing random") as told:
        make("consensus:l3").fit(planted)
    assert "\n" not in str(told.value)


def test_fewer_members_at_most_than_at_least_are_taken_as_they_are(planted):
    model = make("consensus:tri", most=2, least=5, settled=1.0, **TRI).fit(planted)
    assert model.learned_.facts["members"] == 2

"""Some partners of each node in place of all pairs: which they are, and what they miss."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior import _config
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.predictors import evidence
from linkprior.ranking import retrieval
from linkprior.ranking.candidates import Candidates
from linkprior.ranking.recall import measure_recall
from linkprior.ranking.retrieval import Block, default_kind

QUICK = {"pu": {"rank": 4, "max_iter": 3}, "tri": {"rank": 3, "n_starts": 2, "max_iter": 5}}


@pytest.fixture(scope="module")
def larger():
    """A network large enough for compiled kernels and for several blocks of nodes."""
    return lp.large_network(600, mean_degree=8, n_groups=6, seed=5)


def fitted(name, net):
    return lp.make(name, **QUICK.get(name, {})).fit(net)


def codes(net, pairs):
    return set((np.asarray(pairs) @ [net.n_nodes, 1]).tolist())


def dense_l3(net):
    """A·D^-½·A·D^-½·A."""
    a = net.adjacency.toarray()
    root = np.diag(np.maximum(a.sum(axis=1), 1) ** -0.5)
    return a @ root @ a @ root @ a


def lists_by_l3(net, most, within=None):
    """The partners of each node by dense products: non-edges of the largest sums."""
    sums = dense_l3(net)
    sums[net.adjacency.toarray() > 0] = 0
    np.fill_diagonal(sums, 0)
    if within is not None:
        outside = np.setdiff1d(np.arange(net.n_nodes), within)
        sums[outside] = sums[:, outside] = 0
    return [
        {y for y in np.lexsort((np.arange(len(row)), -row.round(9)))[:most].tolist() if row[y] > 0}
        for row in sums
    ]


def partners_of(source, net):
    found = source.lists(Block(0, np.arange(net.n_nodes)))
    return [set(part.tolist()) for part in np.split(found.partners, np.cumsum(found.counts)[:-1])]


# ---------------------------------------------------------------------- which partners


@slowly
@given(net=networks())
def test_with_room_for_all_the_partners_by_paths_are_those_of_the_dense_product(net):
    near = lp.nearby_pairs(net, "paths3", partners=net.n_nodes)
    assert partners_of(retrieval.PathPartners(near), net) == lists_by_l3(net, net.n_nodes)


@pytest.mark.parametrize("engine", ["numba", "portable"])
@pytest.mark.parametrize("most", [1, 7, 50])
def test_the_strongest_partners_come_first_in_either_engine(larger, engine, most):
    with _config.using(kernels=engine):
        found = partners_of(retrieval.PathPartners(lp.nearby_pairs(larger, partners=most)), larger)
    sums = dense_l3(larger)
    sums[larger.adjacency.toarray() > 0] = 0
    np.fill_diagonal(sums, 0)
    for row, mine in zip(sums, found, strict=True):
        expected = -np.sort(-row[row > 0])[:most]  # by sums: ties may fall either way by rounding
        assert np.allclose(-np.sort(-row[list(mine)]), expected)


def test_ties_go_to_the_smaller_node():
    leaves = [(f"l{n}", "v") for n in range(9)]
    net = lp.Network.from_edges([("x", "u"), ("u", "v"), *leaves])
    found = partners_of(retrieval.PathPartners(lp.nearby_pairs(net, partners=4)), net)
    assert {net.names[y] for y in found[net.index_of("x")]} == {"l0", "l1", "l2", "l3"}


def test_no_more_steps_are_taken_than_a_budget_allows(planted, monkeypatch):
    near, found = lp.nearby_pairs(planted, partners=planted.n_nodes), []
    for budget in (0, 40, 10_000):
        monkeypatch.setattr(retrieval, "STEPS", budget)
        partners = partners_of(retrieval.PathPartners(near), planted)
        found.append(sum(map(len, partners)))
    assert found[0] == 0 < found[1] < found[2]
    assert partners == lists_by_l3(planted, planted.n_nodes)


def test_partners_are_chosen_among_the_nodes_asked_about(planted):
    some = list(range(0, planted.n_nodes, 2))
    near = lp.nearby_pairs(planted, partners=3, within=[planted.names[i] for i in some])
    found = partners_of(retrieval.PathPartners(near), planted)
    expected = lists_by_l3(planted, 3, some)
    sums = dense_l3(planted)
    for x in some:
        assert np.allclose(sorted(sums[x, list(found[x])]), sorted(sums[x, list(expected[x])]))
        assert found[x] <= set(some)


@pytest.mark.parametrize("name", ["pu", "tri"])
@pytest.mark.parametrize("exact", [True, False])
def test_partners_by_factors_are_those_of_the_highest_scores(larger, monkeypatch, name, exact):
    if not exact:
        monkeypatch.setattr(retrieval, "EXACT_UP_TO", 10)
    model = fitted(name, larger)
    near = lp.nearby_pairs(larger, "knn", partners=20)
    nearest = retrieval.FactorPartners.of(near, model)
    scores = model.score_rows(0, larger.n_nodes).astype(np.float64)
    scores[larger.adjacency.toarray() > 0] = -np.inf
    np.fill_diagonal(scores, -np.inf)
    kept = []
    for block in nearest.blocks(np.arange(larger.n_nodes)):
        found = nearest.lists(Block(0, block))
        assert (found.counts == 20).all()
        for node, mine in zip(block, found.partners.reshape(-1, 20), strict=True):
            best = -np.sort(-scores[node])[:20]
            kept.append((scores[node, mine] >= best[-1] - 1e-5 * abs(best[-1])).mean())
            assert len(set(mine.tolist())) == 20
            assert (scores[node, mine] > -np.inf).all(), "edges and the node itself are barred"
    assert np.mean(kept) == 1.0 if exact else np.mean(kept) > 0.8


# ---------------------------------------------------------------------- the best pairs


@pytest.mark.at_length
@slowly
@given(net=networks(), data=st.data())
def test_with_room_for_all_the_ranking_by_l3_is_that_of_all_pairs(net, data):
    pair = st.tuples(st.sampled_from(net.names), st.sampled_from(net.names))
    barred = data.draw(st.lists(pair, max_size=6))
    k = data.draw(st.integers(1, 40))
    model = fitted("l3", net)
    near = lp.nearby_pairs(net, partners=net.n_nodes, exclude=barred)
    every = model.predict_edges(k, Candidates.of(net, exclude=barred))
    # Hubs are all nodes here, so that pairs without a path are candidates too.
    found = model.predict_edges(k, near)
    # A pair may come from its other end, whose sum differs in the last bit: near ties may swap.
    assert np.allclose(found.scores, every.scores, rtol=1e-12, atol=1e-14)
    assert np.allclose(model.score_pairs(found.pairs), every.scores, rtol=1e-12, atol=1e-14)
    assert len({tuple(pair) for pair in found.pairs.tolist()}) == len(every)


ASKED = [(name, "paths3") for name in ("pa", "cn", "l3", "pu", "tri")]


@pytest.mark.parametrize(("name", "kind"), [*ASKED, ("pu", "knn"), ("tri", "knn")])
def test_a_ranking_holds_the_best_of_some_non_edges_each_once(larger, name, kind):
    model = fitted(name, larger)
    ranking = model.predict_edges(500, lp.nearby_pairs(larger, kind, partners=30))
    i, j = ranking.pairs.T
    assert (i < j).all()
    assert len(codes(larger, ranking.pairs)) == 500
    assert not codes(larger, ranking.pairs) & codes(larger, larger.edges)
    assert (np.diff(ranking.scores) <= 0).all()
    assert np.allclose(ranking.scores, model.score_pairs(ranking.pairs), rtol=1e-5)
    every = codes(larger, model.predict_edges(500).pairs)
    if name != "cn":  # paths of length 2 are not what partners are chosen by
        assert len(every & codes(larger, ranking.pairs)) > 250


def test_known_non_edges_are_no_candidates(planted):
    model = fitted("pa", planted)
    best = model.predict_edges(5).pairs
    net = planted.with_negatives(best)
    found = fitted("pa", net).predict_edges(50, lp.nearby_pairs(net, partners=60))
    assert not codes(net, best) & codes(net, found.pairs)


@pytest.mark.parametrize("kind", ["paths3", "knn"])
def test_the_number_of_workers_changes_nothing(larger, monkeypatch, kind):
    monkeypatch.setattr(retrieval, "EXACT_UP_TO", 10)
    model = fitted("pu", larger)
    answers = []
    for workers in (1, 2, 5):
        with lp.use_workers(workers):
            near = lp.nearby_pairs(larger, kind, partners=10, seed=3)
            ranking = model.predict_edges(300, near)
            share = measure_recall(model, near, ranking, 300)
            answers.append((ranking.pairs.tobytes(), ranking.scores.tobytes(), share))
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("name", ["pu", "tri"])
def test_leaving_out_early_what_scores_too_low_changes_nothing(larger, monkeypatch, name):
    model, near = fitted(name, larger), lp.nearby_pairs(larger, "knn", partners=40)
    early = [model.predict_edges(k, near) for k in (1, 20, 400)]
    pair = replace(model._factor_pair(), exact=False)
    monkeypatch.setattr(type(model), "_factor_pair", lambda _: pair)
    for ranking in early:
        late = model.predict_edges(len(ranking), near)
        assert ranking.pairs.tolist() == late.pairs.tolist()
        assert np.allclose(ranking.scores, late.scores, rtol=1e-12)


@pytest.mark.parametrize("threshold", [-0.02, 0.0, 0.02])
def test_factors_leave_out_no_pair_at_or_above_a_threshold(larger, threshold):
    """Of pu, too, whose scores are half the product of its stacked factors."""
    model, near = fitted("pu", larger), lp.nearby_pairs(larger, "knn", partners=600)
    found = model.predict_edges(None, near, threshold)
    every = model.predict_edges(None, threshold=threshold)
    assert len(found) == len(every) > 0


def test_a_threshold_and_restrictions_hold(planted):
    model, node = fitted("pa", planted), planted.names[7]
    near = lp.nearby_pairs(planted, partners=60, around=[node])
    found = model.predict_edges(None, near, threshold=20)
    expected = model.predict_edges(None, Candidates.of(planted, around=[node]), threshold=20)
    assert found.pairs.tolist() == expected.pairs.tolist()
    assert len(found) > 0


# ---------------------------------------------------------------------- what is missed


def brute_share(model, net, ranking):
    """The share of the k best of all pairs that is listed, ties with the k-th best aside."""
    every, k = model.predict_edges(None), len(ranking)
    best = codes(net, every.pairs[every.scores > every.scores[k - 1] * (1 + 1e-9)])
    return 1.0 - len(best - codes(net, ranking.pairs)) / k


@pytest.mark.parametrize("name", ["pa", "l3", "pu", "tri"])
def test_the_share_is_exact_where_all_nodes_are_sampled(planted, name):
    model, near = fitted(name, planted), lp.nearby_pairs(planted, partners=2)
    ranking = model.predict_edges(60, near)
    share = measure_recall(model, near, ranking, 60)
    assert share.share == pytest.approx(brute_share(model, planted, ranking))
    assert share.share < 1.0
    assert (share.margin, share.n_nodes) == (0.0, planted.n_nodes)
    assert f"{100 * share.share:.1f} %" in share.text()


@pytest.mark.at_length
def test_the_share_measured_on_some_nodes_is_right_on_average(larger):
    model, near = fitted("pu", larger), lp.nearby_pairs(larger, partners=4)
    ranking = model.predict_edges(2000, near)
    exact = brute_share(model, larger, ranking)
    judged = [measure_recall(model, near, ranking, 2000, n_nodes=100, seed=s) for s in range(40)]
    within = np.mean([abs(one.share - exact) <= one.margin for one in judged])
    assert np.mean([one.share for one in judged]) == pytest.approx(exact, abs=0.01)
    assert within > 0.8


def test_a_list_that_misses_nothing_says_so(planted):
    model, near = fitted("pa", planted), lp.nearby_pairs(planted, partners=60)
    share = measure_recall(model, near, model.predict_edges(50, near), 50)
    assert (share.share, share.missed) == (1.0, 0)
    assert "all of the best pairs" in share.text()


def test_what_stands_at_a_threshold_is_missed_too(planted):
    model, near = fitted("cn", planted), lp.nearby_pairs(planted, partners=1)
    ranking = model.predict_edges(None, near, threshold=2)
    every = model.predict_edges(None, threshold=2)
    assert measure_recall(model, near, ranking, None, 2).share == pytest.approx(
        len(ranking) / len(every)
    )


# ---------------------------------------------------------------------- evidence


@pytest.mark.parametrize("entries", [1, 500, 1 << 20])
def test_paths_are_counted_without_a_row_of_all_nodes(planted, monkeypatch, entries):
    every = np.array(np.triu_indices(planted.n_nodes, 1)).T
    by_rows = evidence.count_paths(planted, every)
    monkeypatch.setattr(evidence, "_SPREAD_OUT", 1)
    monkeypatch.setattr(evidence, "_ENTRIES", entries)
    found = evidence.count_paths(planted, every)
    a = planted.adjacency.toarray().astype(np.int64)
    degrees, (i, j) = a.sum(axis=1), every.T
    along = a[i, j] * (degrees[i] + degrees[j] - 1)  # walks of length 3 that are no paths
    assert (found.two == (a @ a)[i, j]).all()
    assert (found.three == (a @ a @ a)[i, j] - along).all()
    assert (found.partners == by_rows.partners).all()


# ---------------------------------------------------------------------- asking


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"partners": 0}, "partners"),
        ({"partners": 2.5}, "partners"),
        ({"kind": "near"}, "paths3, knn"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_makes_no_sense_is_refused(planted, changes, said):
    with pytest.raises(ParameterError, match=said):
        lp.nearby_pairs(planted, **changes)


def test_a_model_without_factors_has_no_nearest_ones(planted):
    with pytest.raises(ParameterError, match="l3 has no factors: take paths3"):
        fitted("l3", planted).predict_edges(5, lp.nearby_pairs(planted, "knn"))


def test_candidates_of_another_network_are_refused(planted, larger):
    with pytest.raises(InputError, match="another network"):
        fitted("pa", planted).predict_edges(5, lp.nearby_pairs(larger))


def test_too_many_pairs_without_a_limit_are_refused(planted, monkeypatch):
    monkeypatch.setattr("linkprior.ranking.topk.MOST_PAIRS", 10)
    with pytest.raises(LinkpriorError, match="more than 10 candidate pairs"):
        fitted("pa", planted).predict_edges(None, lp.nearby_pairs(planted, partners=20))


def test_all_pairs_are_the_default_until_there_are_too_many(planted, monkeypatch):
    every, one = Candidates.of(planted), Candidates.of(planted, around=[planted.names[0]])
    models = lp.make("l3"), lp.make("pu")
    assert [default_kind(model, every) for model in models] == ["all", "all"]
    monkeypatch.setattr("linkprior.ranking.retrieval.ALL_UP_TO", planted.n_nodes - 1)
    assert [default_kind(model, every) for model in models] == ["paths3", "knn"]
    assert default_kind(models[0], one) == "all", "the row of one node is little"


# ---------------------------------------------------------------------- networks to try it on


def test_a_large_network_has_the_edges_asked_for_and_hubs_within_the_stated_bound():
    net = lp.large_network(5000, mean_degree=12, n_groups=20, hubs=1.5, seed=2)
    bound = 2 * np.sqrt(5000)
    assert net.n_edges == 30_000
    assert 0.8 * bound < net.degrees.max() < bound + 6 * np.sqrt(bound)
    assert net.merged == type(net.merged)()
    assert lp.large_network(5000, 12, 20, 1.5, seed=2).digest == net.digest
    assert lp.large_network(5000, 12, 20, 1.5, seed=3).digest != net.digest


@pytest.mark.parametrize("size", [2, 3, 10])
def test_a_large_network_may_be_tiny(size):
    net = lp.large_network(size, mean_degree=1, n_groups=1)
    assert net.n_edges == max(1, round(size / 2))


def test_more_edges_than_can_be_drawn_are_refused():
    with pytest.raises(ParameterError, match="mean_degree"):
        lp.large_network(100, mean_degree=50)

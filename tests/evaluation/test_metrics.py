"""recall@x% over all candidate pairs, against the definition computed pair by pair."""

from itertools import combinations

import numpy as np
import pytest

import linkprior as lp
from linkprior.evaluation.metrics import PERCENTS, Places, places, recall_at_percents
from linkprior.evaluation.splits import Split, release, uniform
from linkprior.predictors.registry import make

both_rules = pytest.mark.parametrize("rule", ["connected", "all-nodes"])


class Given:
    """A model whose scores are a matrix."""

    def __init__(self, matrix):
        self.matrix = np.asarray(matrix, dtype=np.float64)

    def score_rows(self, start, stop):
        block = self.matrix[start:stop].copy()
        block[np.arange(stop - start), np.arange(start, stop)] = 0.0
        return block


def questions(model, split):
    """All candidate pairs with their scores, and which of them are hidden edges."""
    train, p = split.train.adjacency.toarray(), split.train.n_nodes
    allowed = np.ones(p, bool) if split.rule == "all-nodes" else train.sum(axis=1) > 0
    scores = np.asarray(model.score_rows(0, p))
    pairs = [(i, j) for i, j in combinations(range(p), 2) if allowed[i] and allowed[j]]
    asked = [pair for pair in pairs if train[pair] == 0]
    hidden = set(map(tuple, split.hidden.tolist()))
    wanted = np.array([pair in hidden for pair in asked])
    return np.array([scores[pair] for pair in asked]), wanted, len(pairs)


def naive_recall(model, split, percent):
    """The expectation over all ways to break ties: k places, filled group of ties by group."""
    scores, wanted, n_pairs = questions(model, split)
    left, found = round(percent / 100 * n_pairs), 0.0
    for value in sorted(set(scores.tolist()), reverse=True):
        group = scores == value
        taken = min(left, int(group.sum()))
        found += wanted[group].sum() * taken / group.sum()
        left -= taken
    return found / wanted.sum()


def recalls(model, split, percents=PERCENTS):
    return recall_at_percents(places(model, split), split, percents)


def networks():
    return {
        "planted": lp.planted_network(n_nodes=60, n_groups=4, mean_degree=6, seed=3),
        "ring": lp.Network.from_edges([(i, (i + 1) % 30) for i in range(30)]),
        "sparse": lp.planted_network(n_nodes=80, n_groups=2, mean_degree=2, hubs=1.3, seed=1),
        "grid": lp.Network.from_edges(
            [(5 * i + j, 5 * i + j + d) for i in range(5) for j in range(4) for d in (1,)]
            + [(5 * i + j, 5 * i + j + 5) for i in range(4) for j in range(5)]
        ),
    }


@both_rules
@pytest.mark.parametrize("kind", networks())
@pytest.mark.parametrize("name", ["pa", "l3", "tri"])
def test_recall_is_the_naive_count(kind, name, rule):
    """pa on a ring or a grid ties nearly all pairs; tri ties hardly any."""
    params = {"n_starts": 1, "max_iter": 10} if name == "tri" else {}
    split = uniform(networks()[kind], 0.7, 4, rule)
    model = make(name, **params).fit(split.train)
    for percent in (*PERCENTS, 25, 60, 100):
        got = recalls(model, split, [percent])[f"recall@{percent}%"]
        assert got == pytest.approx(naive_recall(model, split, percent), abs=1e-12)


def test_the_cases_above_do_have_ties_and_barred_nodes():
    split = uniform(networks()["ring"], 0.7, 4, "connected")
    scores, _, n_pairs = questions(make("pa").fit(split.train), split)
    assert len(set(scores.tolist())) <= 4
    assert not split.eligible.all()
    assert n_pairs < 30 * 29 // 2


@both_rules
def test_recall_is_the_mean_over_random_tie_breaks(rule):
    """Ties broken by lot 1000 times; five standard errors."""
    split = uniform(networks()["sparse"], 0.7, 1, rule)
    model = make("pa").fit(split.train)
    scores, wanted, n_pairs = questions(model, split)
    rng, k = np.random.default_rng(0), round(0.05 * n_pairs)
    drawn = []
    for _ in range(1000):
        lot = rng.uniform(size=len(scores))
        drawn.append(wanted[np.lexsort((lot, -scores))[:k]].sum() / wanted.sum())
    error = np.std(drawn) / np.sqrt(len(drawn))
    assert error > 0  # the cut falls among ties
    assert abs(recalls(model, split, [5])["recall@5%"] - np.mean(drawn)) < 5 * error


@both_rules
def test_a_perfect_model_finds_all_and_the_worst_none(planted, rule):
    split = uniform(planted, 0.9, 0, rule)
    truth = np.zeros((planted.n_nodes,) * 2)
    truth[tuple(split.hidden.T)] = truth[tuple(split.hidden.T[::-1])] = 1.0
    assert set(recalls(Given(truth), split, [2, 5, 10]).values()) == {1.0}
    assert set(recalls(Given(-truth), split).values()) == {0.0}
    at = places(Given(truth), split)
    assert (at.above == 0).all()
    assert (at.tied == len(split.hidden)).all()


@both_rules
def test_a_model_that_knows_nothing_has_the_recall_of_chance(planted, rule):
    split = uniform(planted, 0.9, 0, rule)
    _, wanted, n_pairs = questions(Given(np.zeros((planted.n_nodes,) * 2)), split)
    got = recalls(Given(np.zeros((planted.n_nodes,) * 2)), split, [1, 5])
    for percent in (1, 5):
        chance = round(percent / 100 * n_pairs) / len(wanted)
        assert got[f"recall@{percent}%"] == pytest.approx(chance)


def test_observed_edges_take_no_places(planted):
    """A model that scores observed edges highest loses nothing by it."""
    split = uniform(planted, 0.8, 0, "all-nodes")
    noise = np.random.default_rng(0).uniform(size=(planted.n_nodes,) * 2)
    noise = noise + noise.T
    raised = noise + 100 * split.train.adjacency.toarray()
    assert recalls(Given(noise), split) == recalls(Given(raised), split)


def test_the_diagonal_takes_no_places():
    """All scores are negative, so the zeros on the diagonal would come first."""
    net = networks()["grid"]
    split = uniform(net, 0.8, 0, "all-nodes")
    noise = np.random.default_rng(1).uniform(size=(net.n_nodes,) * 2)
    low, high = Given(noise + noise.T - 10), Given(noise + noise.T + 10)
    assert recalls(low, split) == recalls(high, split)
    assert (places(low, split).above == places(high, split).above).all()


def test_connected_bars_pairs_of_nodes_without_edges_however_well_they_score():
    older = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")], nodes="abcdxyz")
    newer = lp.Network.from_edges([("a", "c"), ("a", "x")])
    scores = np.zeros((7, 7))
    scores[4:, :] = scores[:, 4:] = 9.0
    scores[0, 2] = scores[2, 0] = 1.0
    barred = places(Given(scores), release(older, newer, "connected"))
    assert (barred.above.tolist(), barred.tied.tolist()) == ([0], [1])
    free = places(Given(scores), release(older, newer, "all-nodes"))
    assert free.above.tolist() == [15, 0]  # 4·3 + 3 pairs with x, y or z
    assert free.tied.tolist() == [1, 15]


def test_chance_within_k_places():
    at = Places(np.array([0, 2, 10]), np.array([1, 4, 2]))
    assert at.chance_within(0).tolist() == [0, 0, 0]
    assert at.chance_within(3).tolist() == [1, 0.25, 0]
    assert at.chance_within(6).tolist() == [1, 1, 0]
    assert at.chance_within(11).tolist() == [1, 1, 0.5]
    assert at.chance_within(100).tolist() == [1, 1, 1]


def test_recall_never_falls_with_more_pairs(planted):
    split = uniform(planted, 0.8, 2)
    model = make("l3").fit(split.train)
    values = list(recalls(model, split, range(1, 101)).values())
    assert values == sorted(values)
    assert values[-1] == 1.0


def test_percents_name_the_metric(planted):
    split = uniform(planted, 0.8, 2)
    assert list(recalls(make("pa").fit(split.train), split, [0.5, 1, 10])) == [
        "recall@0.5%",
        "recall@1%",
        "recall@10%",
    ]


def test_the_number_of_workers_changes_nothing():
    """Enough nodes for several blocks of rows."""
    net = lp.planted_network(n_nodes=330, n_groups=5, mean_degree=5, seed=2)
    split = uniform(net, 0.8, 0)
    model = make("pa").fit(split.train)
    results = []
    for workers in (1, 3):
        with lp.use_workers(workers):
            at = places(model, split)
        results.append((at.above.tolist(), at.tied.tolist()))
    assert results[0] == results[1]
    assert recalls(model, split)["recall@5%"] == pytest.approx(naive_recall(model, split, 5))


def test_hidden_edges_keep_their_own_places_in_any_number_of_blocks():
    """Each hidden edge has its own score, so its place tells whether rows were mixed up."""
    net = lp.planted_network(n_nodes=330, n_groups=5, mean_degree=5, seed=2)
    split = uniform(net, 0.9, 0, "all-nodes")
    scores = np.zeros((net.n_nodes,) * 2)
    order = np.random.default_rng(0).permutation(len(split.hidden))
    for at, (i, j) in zip(order, split.hidden.tolist(), strict=True):
        scores[i, j] = scores[j, i] = 1.0 + at
    found = places(Given(scores), split)
    assert (found.tied == 1).all()
    assert (found.above == len(order) - 1 - order).all()


def test_a_split_may_be_made_by_hand(planted):
    split = Split(planted, np.array([planted_gap(planted)]), "all-nodes", "by hand")
    model = make("pa").fit(planted)
    assert recalls(model, split, [100]) == {"recall@100%": 1.0}


def planted_gap(net):
    return next(iter(np.argwhere(np.triu(net.adjacency.toarray() == 0, 1))))

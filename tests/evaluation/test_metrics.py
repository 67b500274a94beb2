"""Every metric over all candidate pairs, against its definition computed pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score, roc_auc_score

import linkprior as lp
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.evaluation import ranks as standing_module
from linkprior.evaluation.metrics import (
    METRICS,
    _discounts,
    curve,
    expected_average_precision,
    measure,
    measure_random,
    recall_at,
    refuse_unknown_metric,
)
from linkprior.evaluation.ranks import Places, rank_hidden_edges
from linkprior.evaluation.splits import noisy, release, uniform
from linkprior.predictors.registry import make

LUCKY = ("auprc", "auprc_lift", "auprc_low")  # what comes early by luck counts for more
both_rules = pytest.mark.parametrize("rule", ["connected", "all-nodes"])


class Given:
    """A model whose scores are a matrix."""

    def __init__(self, matrix):
        self.matrix = np.asarray(matrix, dtype=np.float64)

    def score_rows(self, start, stop):
        block = self.matrix[start:stop].copy()
        block[np.arange(stop - start), np.arange(start, stop)] = 0.0
        return block


class Naive:
    """All candidates in one list; metrics by their definitions, slowly."""

    def __init__(self, model, split):
        train, p = split.train.adjacency.toarray(), split.train.n_nodes
        allowed = np.ones(p, bool) if split.rule == "all-nodes" else train.sum(axis=1) > 0
        barred = set(map(tuple, split.barred.tolist()))
        scores = np.asarray(model.score_rows(0, p))
        pairs = [(i, j) for i, j in combinations(range(p), 2) if allowed[i] and allowed[j]]
        self.n_pairs = len(pairs)
        self.pairs = [pair for pair in pairs if train[pair] == 0 and pair not in barred]
        hidden = set(map(tuple, split.hidden.tolist()))
        self.wanted = np.array([pair in hidden for pair in self.pairs])
        self.scores = np.array([scores[pair] for pair in self.pairs])
        self.k = train.sum(axis=1)
        self.products = np.array([self.k[i] * self.k[j] for i, j in self.pairs])
        self.low = np.median(self.k[allowed])

    def hits(self, n, scores=None, wanted=None):
        """Expected hits among the first n: groups of ties one after the other."""
        scores = self.scores if scores is None else scores
        wanted = self.wanted if wanted is None else wanted
        left, found = n, 0.0
        for value in sorted(set(scores.tolist()), reverse=True):
            group = scores == value
            taken = min(left, int(group.sum()))
            found += wanted[group].sum() * taken / group.sum()
            left -= taken
        return found

    def ndcg(self):
        discount, gain, rank = 1 / np.log2(np.arange(2, len(self.pairs) + 2)), 0.0, 0
        for value in sorted(set(self.scores.tolist()), reverse=True):
            group = self.scores == value
            gain += self.wanted[group].mean() * discount[rank : rank + group.sum()].sum()
            rank += group.sum()
        return gain / discount[: self.wanted.sum()].sum()

    def dc_auroc(self):
        weights = np.where(self.wanted, 1.0, self.products)
        return roc_auc_score(self.wanted, self.scores, sample_weight=weights)

    def auprc_low(self):
        low = np.array([max(self.k[i], self.k[j]) <= self.low for i, j in self.pairs])
        if not self.wanted[low].any():
            return np.nan
        return average_precision_score(self.wanted[low], self.scores[low])

    def per_node(self, lowest=0, highest=np.inf):
        shares = []
        for node in range(len(self.k)):
            own = np.array([node in pair for pair in self.pairs])
            if own.any() and self.wanted[own].any() and lowest <= self.k[node] <= highest:
                hits = self.hits(10, self.scores[own], self.wanted[own])
                shares.append(hits / self.wanted[own].sum())
        return np.mean(shares) if shares else np.nan

    def spearman(self):
        if len(set(self.scores)) == 1 or len(set(self.products)) == 1:
            return np.nan
        return spearmanr(self.scores, self.products).statistic

    def all(self):
        m = int(self.wanted.sum())
        auprc = average_precision_score(self.wanted, self.scores)
        percents = {f"recall@{x}%": self.hits(round(x / 100 * self.n_pairs)) / m for x in (1, 2, 5)}
        return {
            **percents,
            "recall@10%": self.hits(round(0.1 * self.n_pairs)) / m,
            "auprc": auprc,
            "auprc_lift": auprc / self.wanted.mean(),
            "p@100": self.hits(100) / 100,
            "p@500": self.hits(500) / 500,
            "p@hidden": self.hits(m) / m,
            "ndcg": self.ndcg(),
            "auroc": roc_auc_score(self.wanted, self.scores),
            "dc_auroc": self.dc_auroc(),
            "recall@10/node": self.per_node(),
            "recall@10/node:1-2": self.per_node(1, 2),
            "recall@10/node:3-5": self.per_node(3, 5),
            "recall@10/node:6-20": self.per_node(6, 20),
            "recall@10/node:21+": self.per_node(21),
            "auprc_low": self.auprc_low(),
            "spearman_degree": self.spearman(),
        }


def networks():
    return {
        "planted": lp.planted_network(n_nodes=60, n_groups=4, mean_degree=6, seed=3),
        "ring": lp.Network.from_edges([(i, (i + 1) % 30) for i in range(30)]),
        "sparse": lp.planted_network(n_nodes=80, n_groups=2, mean_degree=2, hubs=1.3, seed=1),
        "hubs": lp.planted_network(n_nodes=70, n_groups=2, mean_degree=16, hubs=1.1, seed=2),
        "grid": lp.Network.from_edges(
            [(5 * i + j, 5 * i + j + 1) for i in range(5) for j in range(4)]
            + [(5 * i + j, 5 * i + j + 5) for i in range(4) for j in range(5)]
        ),
    }


@both_rules
@pytest.mark.parametrize("kind", networks())
@pytest.mark.parametrize("name", ["pa", "l3", "tri"])
def test_every_metric_is_what_its_definition_says(kind, name, rule):
    """pa on a ring or a grid ties nearly all pairs; tri ties hardly any."""
    params = {"n_starts": 1, "max_iter": 10} if name == "tri" else {}
    split = uniform(networks()[kind], 0.7, 4, rule)
    model = make(name, **params).fit(split.train)
    got, expected = measure(rank_hidden_edges(model, split)), Naive(model, split).all()
    assert got.keys() == expected.keys() == METRICS.keys()
    for metric, value in expected.items():
        assert got[metric] == pytest.approx(value, abs=1e-9, nan_ok=True), metric


@both_rules
def test_every_metric_on_a_split_with_barred_pairs(planted_small, rule):
    split = noisy(uniform(planted_small, 0.7, 0, rule), 0.3, 1)
    model = make("l3").fit(split.train)
    got, expected = measure(rank_hidden_edges(model, split)), Naive(model, split).all()
    for metric, value in expected.items():
        assert got[metric] == pytest.approx(value, abs=1e-9, nan_ok=True), metric


@pytest.fixture
def planted_small():
    return networks()["planted"]


def test_the_cases_above_do_have_ties_barred_nodes_and_every_metric():
    split = uniform(networks()["ring"], 0.7, 4, "connected")
    naive = Naive(make("pa").fit(split.train), split)
    assert len(set(naive.scores.tolist())) <= 4
    assert not split.eligible.all()
    values = [
        Naive(make("l3").fit(s.train), s).all()
        for s in (uniform(networks()[kind], 0.7, 4) for kind in ("sparse", "hubs"))
    ]
    for metric in METRICS:
        assert any(not np.isnan(v[metric]) for v in values), metric


@both_rules
def test_with_a_sample_of_limits_only_spearman_is_not_exact(monkeypatch, planted_small, rule):
    """On large networks not every score is a limit: hidden edges still stand exactly."""
    monkeypatch.setattr(standing_module, "SAMPLED", 300)
    split = uniform(planted_small, 0.8, 0, rule)
    model = make("tri", n_starts=1, max_iter=10).fit(split.train)
    got, expected = measure(rank_hidden_edges(model, split)), Naive(model, split).all()
    for metric, value in expected.items():
        error = 1e-3 if metric == "spearman_degree" else 1e-9
        assert got[metric] == pytest.approx(value, abs=error, nan_ok=True), metric
    assert got["spearman_degree"] != expected["spearman_degree"]


def test_scores_that_are_not_kept_are_made_again(monkeypatch, planted_small):
    split = uniform(planted_small, 0.8, 0)
    model = make("l3").fit(split.train)
    kept = measure(rank_hidden_edges(model, split))
    monkeypatch.setattr(standing_module, "KEPT", 0)
    np.testing.assert_equal(measure(rank_hidden_edges(model, split)), kept)


@both_rules
def test_recall_is_the_mean_over_random_tie_breaks(rule):
    """Ties broken by lot 1000 times; five standard errors."""
    split = uniform(networks()["sparse"], 0.7, 1, rule)
    model = make("pa").fit(split.train)
    naive = Naive(model, split)
    rng, k = np.random.default_rng(0), round(0.05 * naive.n_pairs)
    drawn = []
    for _ in range(1000):
        lot = rng.uniform(size=len(naive.scores))
        first = np.lexsort((lot, -naive.scores))[:k]
        drawn.append(naive.wanted[first].sum() / naive.wanted.sum())
    error = np.std(drawn) / np.sqrt(len(drawn))
    assert error > 0  # the cut falls among ties
    assert abs(recall_at(rank_hidden_edges(model, split), 5) - np.mean(drawn)) < 5 * error


@both_rules
def test_a_perfect_model_finds_all_and_the_worst_none(planted, rule):
    split = uniform(planted, 0.9, 0, rule)
    truth = np.zeros((planted.n_nodes,) * 2)
    truth[tuple(split.hidden.T)] = truth[tuple(split.hidden.T[::-1])] = 1.0
    best, worst = (measure(rank_hidden_edges(Given(sign * truth), split)) for sign in (1, -1))
    for metric in ("recall@2%", "auprc", "p@hidden", "ndcg", "auroc", "dc_auroc"):
        assert best[metric] == pytest.approx(1.0), metric
    for metric in ("recall@10%", "p@hidden", "auroc", "dc_auroc"):
        assert worst[metric] == pytest.approx(0.0), metric


@both_rules
@pytest.mark.parametrize("kind", networks())
def test_chance_is_what_a_model_gets_that_ties_all_pairs(kind, rule):
    split = uniform(networks()[kind], 0.7, 4, rule)
    tied = measure(rank_hidden_edges(Given(np.zeros((split.train.n_nodes,) * 2)), split))
    floor = measure_random(split)
    for metric in METRICS:
        if metric not in ("spearman_degree", *LUCKY):
            assert floor[metric] == pytest.approx(tied[metric], abs=1e-12, nan_ok=True), metric
    assert (floor["auroc"], floor["spearman_degree"]) == (pytest.approx(0.5), 0.0)


@pytest.mark.at_length
def test_chance_is_the_mean_of_many_random_rankings(planted_small):
    split = uniform(planted_small, 0.7, 0)
    rng, p = np.random.default_rng(0), planted_small.n_nodes
    drawn = []
    for _ in range(200):
        scores = rng.uniform(size=(p, p))
        drawn.append(measure(rank_hidden_edges(Given(scores + scores.T), split)))
    floor = measure_random(split)
    for metric in ("recall@5%", "p@100", "ndcg", "auroc", "dc_auroc", "recall@10/node", *LUCKY):
        values = [d[metric] for d in drawn]
        error = np.std(values) / np.sqrt(len(values))
        assert abs(np.mean(values) - floor[metric]) < 5 * error, metric


def test_observed_edges_take_no_places(planted):
    """A model that scores observed edges highest loses nothing by it."""
    split = uniform(planted, 0.8, 0, "all-nodes")
    noise = np.random.default_rng(0).uniform(size=(planted.n_nodes,) * 2)
    noise = noise + noise.T
    raised = noise + 100 * split.train.adjacency.toarray()
    plain, other = (measure(rank_hidden_edges(Given(scores), split)) for scores in (noise, raised))
    # Scores of edges may be among the limits, between which Spearman takes scores for tied.
    np.testing.assert_equal({**plain, "spearman_degree": 0}, {**other, "spearman_degree": 0})


def test_the_diagonal_takes_no_places():
    """All scores are negative, so the zeros on the diagonal would come first."""
    net = networks()["grid"]
    split = uniform(net, 0.8, 0, "all-nodes")
    noise = np.random.default_rng(1).uniform(size=(net.n_nodes,) * 2)
    low, high = Given(noise + noise.T - 10), Given(noise + noise.T + 10)
    assert (
        rank_hidden_edges(low, split).places.above == rank_hidden_edges(high, split).places.above
    ).all()


def test_connected_bars_pairs_of_nodes_without_edges_however_well_they_score():
    older = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")], nodes="abcdxyz")
    newer = lp.Network.from_edges([("a", "c"), ("a", "x")])
    scores = np.zeros((7, 7))
    scores[4:, :] = scores[:, 4:] = 9.0
    scores[0, 2] = scores[2, 0] = 1.0
    barred = rank_hidden_edges(Given(scores), release(older, newer, "connected")).places
    assert (barred.above.tolist(), barred.tied.tolist()) == ([0], [1])
    free = rank_hidden_edges(Given(scores), release(older, newer, "all-nodes")).places
    assert free.above.tolist() == [15, 0]  # 4·3 + 3 pairs with x, y or z
    assert free.tied.tolist() == [1, 15]


def test_chance_within_k_places():
    at = Places(np.array([0.0, 2.0, 10.0]), np.array([1.0, 4.0, 2.0]))
    assert at.probability_within(0).tolist() == [0, 0, 0]
    assert at.probability_within(3).tolist() == [1, 0.25, 0]
    assert at.probability_within(6).tolist() == [1, 1, 0]
    assert at.probability_within(11).tolist() == [1, 1, 0.5]
    assert at.probability_within(100).tolist() == [1, 1, 1]


def test_discounts_beyond_the_table_are_the_sum():
    at = np.array([0, 1, 65536, 65537, 100_000, 300_001])
    summed = np.concatenate([[0], np.cumsum(1 / np.log2(1 + np.arange(1, at[-1] + 1)))])
    np.testing.assert_allclose(_discounts(at.astype(float)), summed[at], rtol=1e-12)


def test_the_curve_counts_expected_hits(planted_small):
    split = uniform(planted_small, 0.7, 0)
    model = make("l3").fit(split.train)
    drawn, naive = curve(rank_hidden_edges(model, split), points=40), Naive(model, split)
    assert drawn["predicted"][0] == 1
    assert drawn["predicted"][-1] == len(naive.pairs)
    for k, found in zip(drawn["predicted"], drawn["found"], strict=True):
        assert found == pytest.approx(naive.hits(k), abs=1e-6)


@pytest.mark.at_length
def test_the_number_of_workers_changes_nothing():
    """Enough nodes for several blocks of rows."""
    net = lp.planted_network(n_nodes=330, n_groups=5, mean_degree=5, seed=2)
    split = uniform(net, 0.8, 0)
    model = make("pa").fit(split.train)
    results = []
    for workers in (1, 3):
        with lp.use_workers(workers):
            results.append(measure(rank_hidden_edges(model, split)))
    np.testing.assert_equal(results[0], results[1])
    expected = Naive(model, split).all()
    for metric, value in expected.items():
        error = 1e-5 if metric == "spearman_degree" else 1e-9
        assert results[0][metric] == pytest.approx(value, abs=error, nan_ok=True), metric


def test_hidden_edges_keep_their_own_places_in_any_number_of_blocks():
    """Each hidden edge has its own score, so its place tells whether rows were mixed up."""
    net = lp.planted_network(n_nodes=330, n_groups=5, mean_degree=5, seed=2)
    split = uniform(net, 0.9, 0, "all-nodes")
    scores = np.zeros((net.n_nodes,) * 2)
    order = np.random.default_rng(0).permutation(len(split.hidden))
    for at, (i, j) in zip(order, split.hidden.tolist(), strict=True):
        scores[i, j] = scores[j, i] = 1.0 + at
    found = rank_hidden_edges(Given(scores), split).places
    assert (found.tied == 1).all()
    assert (found.above == len(order) - 1 - order).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_no_numbers_are_refused(planted_small, bad):
    split = uniform(planted_small, 0.8, 0)
    scores = np.zeros((planted_small.n_nodes,) * 2)
    scores[tuple(split.hidden[0])] = bad
    with pytest.raises(LinkpriorError, match="no finite numbers"):
        rank_hidden_edges(Given(scores), split)


def test_unknown_metrics_are_refused_with_the_nearest():
    assert refuse_unknown_metric("auprc") == "auprc"
    with pytest.raises(ParameterError, match=r"no metric is called 'aupr'. Did you mean auprc"):
        refuse_unknown_metric("aupr")


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 4), (2, 5), (3, 6), (5, 5)])
def test_the_expected_average_precision_is_the_mean_over_all_orders(m, n):
    every = [
        average_precision_score([at in chosen for at in range(n)], -np.arange(n))
        for chosen in combinations(range(n), m)
    ]
    assert expected_average_precision(m, n) == pytest.approx(np.mean(every))

"""Every metric over all candidate pairs, against its definition computed pair by pair."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score, roc_auc_score
from tests.evaluation.support import Given

import linkprior as lp
from linkprior import parallel
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.evaluation import metrics, ranks
from linkprior.evaluation.metrics import (
    METRICS,
    _discounts,
    curve,
    expected_average_precision,
    measure,
    measure_random,
    refuse_unknown_metric,
)
from linkprior.evaluation.ranks import Places, rank_hidden_edges
from linkprior.evaluation.splits import Split, noisy, uniform
from linkprior.predictors.registry import make

both_rules = pytest.mark.parametrize("rule", ["connected", "all-nodes"])


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
        shares = (1, 2, 5, 10)
        return {
            **{f"recall@{x}%": self.hits(round(x / 100 * self.n_pairs)) / m for x in shares},
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


def agree(model, split, spearman=1e-9):
    """Measure a model; every metric is what its definition says."""
    got, expected = measure(rank_hidden_edges(model, split)), Naive(model, split).all()
    assert got.keys() == expected.keys() == METRICS.keys()
    for metric, value in expected.items():
        error = spearman if metric == "spearman_degree" else 1e-9
        assert got[metric] == pytest.approx(value, abs=error, nan_ok=True), metric
    return got, expected


@both_rules
@pytest.mark.parametrize("kind", networks())
@pytest.mark.parametrize("name", ["pa", "l3", "tri"])
def test_every_metric_is_what_its_definition_says(monkeypatch, kind, name, rule):
    """pa on a ring or a grid ties nearly all pairs; tri ties hardly any. In blocks of 16 rows."""
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    params = {"n_starts": 1, "max_iter": 10} if name == "tri" else {}
    # In order of names: the two halves of what l3 gives may differ in the last bit.
    split = uniform(networks()[kind].sorted(), 0.7, 4, rule)
    agree(make(name, **params).fit(split.train), split)


@both_rules
def test_every_metric_on_a_split_with_barred_pairs(rule):
    split = noisy(uniform(networks()["planted"], 0.7, 0, rule), 0.3, 1)
    agree(make("l3").fit(split.train), split)


@both_rules
@pytest.mark.parametrize("kind", networks())
def test_the_random_baseline_is_what_a_model_gets_that_ties_all_pairs(kind, rule):
    """Average precision alone gains by luck: it is the mean over all orders."""
    split = uniform(networks()[kind], 0.7, 4, rule)
    model = Given(np.zeros((split.train.n_nodes,) * 2))
    tied, naive = measure(rank_hidden_edges(model, split)), Naive(model, split)
    baseline = measure_random(split)
    low = np.array([naive.k[list(pair)].max() <= naive.low for pair in naive.pairs])
    m, n = naive.wanted.sum(), len(naive.pairs)
    lucky = {
        "auprc": expected_average_precision(m, n),
        "auprc_lift": expected_average_precision(m, n) * n / m,
        "auprc_low": expected_average_precision(naive.wanted[low].sum(), low.sum()),
        "spearman_degree": 0.0,
    }
    for metric, value in (tied | lucky).items():
        assert baseline[metric] == pytest.approx(value, abs=1e-12, nan_ok=True), metric


@both_rules
def test_with_a_sample_of_limits_only_spearman_is_not_exact(monkeypatch, rule):
    """On large networks not every score is a limit: hidden edges still stand exactly."""
    monkeypatch.setattr(ranks, "SAMPLED", 300)
    split = uniform(networks()["planted"], 0.8, 0, rule)
    got, expected = agree(make("tri", n_starts=1, max_iter=10).fit(split.train), split, 1e-3)
    assert got["spearman_degree"] != expected["spearman_degree"]


def test_the_diagonal_takes_no_places():
    """All scores are negative, so the zeros on the diagonal would come first."""
    net = networks()["grid"]
    split = uniform(net, 0.8, 0, "all-nodes")
    noise = np.random.default_rng(1).uniform(size=(net.n_nodes,) * 2)
    low, high = Given(noise + noise.T - 10), Given(noise + noise.T + 10)
    assert (
        rank_hidden_edges(low, split).places.above == rank_hidden_edges(high, split).places.above
    ).all()


def test_discounts_beyond_the_table_are_the_sum():
    at = np.array([0, 1, 65536, 65537, 100_000, 300_001])
    summed = np.concatenate([[0], np.cumsum(1 / np.log2(1 + np.arange(1, at[-1] + 1)))])
    np.testing.assert_allclose(_discounts(at.astype(float)), summed[at], rtol=1e-12)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 4), (2, 5), (3, 6), (5, 5)])
def test_the_expected_average_precision_is_the_mean_over_all_orders(m, n):
    every = [
        average_precision_score([at in chosen for at in range(n)], -np.arange(n))
        for chosen in combinations(range(n), m)
    ]
    assert expected_average_precision(m, n) == pytest.approx(np.mean(every))


def places(above, tied):
    return Places(np.array(above, float), np.array(tied, float))


def given(hidden, node_above, degrees):
    """Return what the metrics by node read of a standing, each place being a node's own."""
    above = np.array(node_above, float)
    return SimpleNamespace(
        split=SimpleNamespace(hidden=np.array(hidden)),
        node_places=Places(above, np.ones(len(above))),
        degrees=SimpleNamespace(degrees=np.array(degrees)),
    )


@pytest.mark.parametrize(
    ("name", "degrees"),
    [("1-2", {1, 2}), ("3-5", {3, 4, 5}), ("6-20", {6, 20}), ("21+", {21, 500})],
)
def test_a_class_of_degrees_takes_its_first_and_its_last(name, degrees):
    """Every node has one hidden edge; the nodes of the class find it, the others do not."""
    every = [1, 2, 3, 4, 5, 6, 20, 21, 500, 0]
    hidden = np.arange(10).reshape(2, 5).T
    found = [0 if degree in degrees else 99 for degree in every]
    assert METRICS[f"recall@10/node:{name}"](given(hidden, found, every)) == 1.0
    others = [99 - place for place in found]
    assert METRICS[f"recall@10/node:{name}"](given(hidden, others, every)) == 0.0


def test_a_class_without_nodes_has_no_number_and_nodes_count_alike():
    ranks = given([[0, 1], [0, 2], [0, 3]], [0, 0, 99, 0, 0, 99], [4, 1, 1, 1])
    assert np.isnan(METRICS["recall@10/node:21+"](ranks))
    assert METRICS["recall@10/node:3-5"](ranks) == pytest.approx(2 / 3)
    assert METRICS["recall@10/node"](ranks) == pytest.approx((2 / 3 + 1 + 1 + 0) / 4)


def test_nothing_hidden_has_no_precision():
    assert np.isnan(metrics.expected_average_precision(0, 5))
    assert np.isnan(metrics.average_precision(places([], [])))


@pytest.mark.parametrize(("total", "defined"), [(2.0, False), (3.0, True)])
def test_without_a_non_edge_there_is_no_area(total, defined):
    one = np.ones(2)
    area = metrics.area_under_roc(places([0, 1], [1, 1]), total, one, np.array([0.0, 1.0]))
    assert np.isnan(area) != defined


def cut(p=40):
    """A ring with chords: some are hidden, one node has no edge."""
    edges = [(node, node + 1) for node in range(p - 2)] + [(0, 20), (3, 30)]
    names = [str(node) for node in range(p)]
    hidden = np.array([(0, 7), (2, 30), (3, 7), (5, 38), (21, 33)])
    return Split(lp.Network.from_indices(np.array(edges), names), hidden, "connected", "by hand")


def counted(split, matrix, of=None):
    """Return what is above each hidden edge and ties with it, among the pairs that have `of`."""
    taken = split.train.adjacency.toarray() > 0
    on = split.eligible
    open_pairs = [
        (i, j) for i, j in combinations(range(len(on)), 2) if on[i] and on[j] and not taken[i, j]
    ]
    rows = []
    for number, pair in enumerate(map(tuple, split.hidden.tolist())):
        chosen = [one for one in open_pairs if of is None or of(number) in one]
        scores = np.array([matrix[one] for one in chosen])
        rows.append(((scores > matrix[pair]).sum(), (scores == matrix[pair]).sum()))
    return np.array(rows, float).T.tolist()


@pytest.mark.parametrize("kept", [0, 1 << 29])
@pytest.mark.parametrize("sampled", [3, 8192])
def test_hidden_edges_are_counted_exactly_whatever_is_kept_or_sampled(monkeypatch, kept, sampled):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(ranks, "KEPT", kept)
    monkeypatch.setattr(ranks, "SAMPLED", sampled)
    split, half = cut(), np.triu(np.random.default_rng(0).integers(0, 9, (40, 40)), 1)
    model = Given(half + half.T)
    found = rank_hidden_edges(model, split)
    assert np.array(found.places).tolist() == counted(split, model.matrix)
    first, second = (
        counted(split, model.matrix, lambda n, end=end: split.hidden[n, end]) for end in (0, 1)
    )
    expected = np.concatenate([first, second], axis=1)
    assert np.array(found.node_places).tolist() == expected.tolist()
    blocks = len(parallel.blocks(40))
    if kept:
        assert len(model.asked) == blocks
    else:  # rows without a pair to read are made once
        assert (len(model.asked) == 2 * blocks) == (sampled == 8192)


def test_a_curve_of_few_pairs_begins_at_one():
    """A quarter of a percent of its pairs is less than half a pair."""
    net = lp.Network.from_edges(list(combinations(range(6), 2))[:12])
    split = uniform(net, 0.75, seed=1)
    model = make("pa").fit(split.train)
    found = curve(rank_hidden_edges(model, split))
    assert found["predicted"] == list(range(1, len(Naive(model, split).pairs) + 1))


def test_unknown_metrics_are_refused_with_the_nearest():
    for name in ("auprc", "seconds", "peak_mb"):
        assert refuse_unknown_metric(name) == name
    with pytest.raises(ParameterError, match=r"no metric is called 'aupr'. Did you mean auprc"):
        refuse_unknown_metric("aupr")


P = 40
EDGES = [(node, node + 1) for node in range(P - 1)] + [(0, node) for node in range(2, 30, 3)]
PAIRS = P * (P - 1) // 2
CANDIDATES = [pair for pair in combinations(range(P), 2) if pair not in EDGES]
RANKS = [8, 9, 16, 17, 39, 40, 78, 79, 100, 101, 500, 501]  # 780 pairs: 8 are 1 %, 78 are 10 %


@pytest.fixture(scope="module")
def order():
    """All candidates, best first."""
    drawn = np.random.default_rng(5).permutation(len(CANDIDATES))
    return [CANDIDATES[at] for at in drawn]


@pytest.fixture(scope="module")
def standing(order):
    matrix = np.zeros((P, P))
    for rank, (i, j) in enumerate(order):
        matrix[i, j] = matrix[j, i] = 1000.0 - rank
    names = [str(node) for node in range(P)]
    hidden = np.array(sorted(order[rank - 1] for rank in RANKS))
    net = lp.Network.from_indices(np.array(EDGES), names)
    return rank_hidden_edges(Given(matrix), Split(net, hidden, "connected", "by rank"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall@1%", 1 / 12),
        ("recall@2%", 3 / 12),
        ("recall@5%", 5 / 12),
        ("recall@10%", 7 / 12),
        ("p@100", 9 / 100),
        ("p@500", 11 / 500),
        ("p@hidden", 2 / 12),
        ("auprc", np.mean([(n + 1) / rank for n, rank in enumerate(RANKS)])),
        ("ndcg", sum(1 / np.log2(1 + np.array(RANKS))) / sum(1 / np.log2(np.arange(2, 14)))),
    ],
)
def test_what_stands_at_a_limit_counts_and_what_stands_behind_it_does_not(standing, name, value):
    assert measure(standing)[name] == pytest.approx(value)


def test_the_curve_counts_the_hidden_edges_among_the_first(standing):
    found = curve(standing)
    k = found["predicted"]
    assert found["found"] == [sum(rank <= at for rank in RANKS) for at in k]
    assert (k[0], k[-1]) == (1, len(CANDIDATES))
    for share in np.arange(1, 41) / 400:  # the paper's figures are read at these
        assert round(share * PAIRS) in k
    few = curve(standing, points=2)["predicted"]
    assert len(few) <= 42


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_are_refused_with_the_split(standing, bad):
    matrix = np.zeros((P, P))
    i, j = standing.split.hidden[0]
    matrix[i, j] = matrix[j, i] = bad
    with pytest.raises(LinkpriorError, match="by rank: the model gave scores"):
        rank_hidden_edges(Given(matrix), standing.split)

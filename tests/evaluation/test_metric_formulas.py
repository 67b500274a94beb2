"""Metrics from places that are given by hand, and places of hidden edges in small networks."""

from itertools import combinations, permutations
from types import SimpleNamespace

import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.evaluation import metrics, ranks
from linkprior.evaluation.metrics import METRICS
from linkprior.evaluation.ranks import HiddenEdgeRanks, Places, rank_hidden_edges
from linkprior.evaluation.splits import Split


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


# ---------------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("above", "tied", "k", "chance"),
    [(0, 1, 1, 1), (1, 1, 1, 0), (2, 4, 3, 0.25), (2, 4, 2, 0), (2, 4, 6, 1), (2, 4, 9, 1)],
)
def test_the_chance_to_be_among_the_first(above, tied, k, chance):
    assert places([above], [tied]).probability_within(k).tolist() == [chance]


@pytest.mark.parametrize(("place", "within"), [(8, 1.0), (9, 1.0), (10, 0.0), (11, 0.0)])
def test_ten_places_of_a_node_count(place, within):
    found = METRICS["recall@10/node"](given([[0, 1]], [place, place], [1, 1]))
    assert found == within


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


# ---------------------------------------------------------------------- formulas


def precision_of(order):
    """Return the average precision of a list that tells which are hidden edges."""
    hits = [sum(order[: at + 1]) / (at + 1) for at, hidden in enumerate(order) if hidden]
    return sum(hits) / len(hits)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 2), (2, 2), (1, 4), (2, 5), (4, 5)])
def test_the_expected_precision_is_the_mean_over_every_order(m, n):
    orders = set(permutations([True] * m + [False] * (n - m)))
    mean = np.mean([precision_of(order) for order in orders])
    assert metrics.expected_average_precision(m, n) == pytest.approx(mean)


def test_nothing_hidden_has_no_precision():
    assert np.isnan(metrics.expected_average_precision(0, 5))
    assert np.isnan(metrics.average_precision(places([], [])))


def test_the_area_is_the_share_of_won_comparisons_by_weight():
    """Candidates in four groups of equal scores; each has a weight, some are hidden edges."""
    scores = np.array([4, 4, 3, 3, 3, 2, 1, 1.0])
    weight = np.array([2, 1, 1, 3, 2, 5, 1, 4.0])
    hidden = np.array([0, 1, 1, 0, 1, 0, 0, 1], bool)
    own = scores[hidden]
    above = np.array([weight[scores > score].sum() for score in own])
    tied = np.array([weight[scores == score].sum() for score in own])
    won = [
        (weight[~hidden] * ((score > scores[~hidden]) + 0.5 * (score == scores[~hidden]))).sum()
        for score in own
    ]
    expected = np.mean(won) / weight[~hidden].sum()
    found = metrics.area_under_roc(Places(above, tied), weight.sum(), weight[hidden], -own)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("total", "defined"), [(2.0, False), (3.0, True)])
def test_without_a_non_edge_there_is_no_area(total, defined):
    one = np.ones(2)
    area = metrics.area_under_roc(places([0, 1], [1, 1]), total, one, np.array([0.0, 1.0]))
    assert np.isnan(area) != defined


@pytest.mark.parametrize(
    ("above", "tied", "gain"),
    [
        ([0, 1], [1, 1], 1.0),
        ([1], [1], 1 / np.log2(3)),
        ([0], [2], (1 + 1 / np.log2(3)) / 2),
        ([2, 5], [2, 1], ((0.5 + 1 / np.log2(5)) / 2 + 1 / np.log2(7)) / (1 + 1 / np.log2(3))),
    ],
)
def test_the_discounted_gain_is_relative_to_the_first_places(above, tied, gain):
    assert metrics.ndcg(places(above, tied)) == pytest.approx(gain)


def test_discounts_go_on_smoothly_beyond_the_ranks_that_are_summed():
    n = np.array([0, 1, 2, 65535, 65536, 65537, 70000])
    exact = np.concatenate([[0.0], np.cumsum(1.0 / np.log2(np.arange(2, 70002)))])
    np.testing.assert_allclose(metrics._discounts(n.astype(float)), exact[n], atol=1e-8, rtol=0)


def test_names_of_costs_are_metrics_too():
    for name in ("auprc", "seconds", "peak_mb"):
        assert metrics.refuse_unknown_metric(name) == name


# ---------------------------------------------------------------------- standing


class Given:
    """A model whose scores are a symmetric matrix; it notes which rows it is asked for."""

    def __init__(self, p):
        half = np.triu(np.random.default_rng(0).integers(0, 9, (p, p)), 1)
        self.matrix, self.asked = (half + half.T).astype(float), []

    def score_rows(self, start, stop):
        self.asked.append(start)
        return self.matrix[start:stop]


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
    split, model = cut(), Given(40)
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


@pytest.mark.parametrize(("limit", "whole"), [(3, True), (2, False)])
def test_few_pairs_are_all_limits_many_are_drawn(monkeypatch, limit, whole):
    monkeypatch.setattr(ranks, "SAMPLED", limit)
    names = [str(node) for node in range(5)]
    net = lp.Network.from_indices(np.array([(0, 2), (2, 3)]), names)
    found = ranks._sample(Split(net, np.array([[0, 3]]), "connected", ""))
    every = [[0, 2], [0, 3], [2, 3]]
    assert all(pair in every for pair in found.tolist())
    assert (found.tolist() == every) == whole
    assert len(found) <= limit


def test_by_lot_every_hidden_edge_ties_with_all_that_are_open():
    split = cut()
    chance, open_pairs = HiddenEdgeRanks.of_random(split), 39 * 38 // 2 - split.train.n_edges
    assert chance.places.above.tolist() == [0.0] * 5
    assert chance.places.tied.tolist() == [open_pairs] * 5
    own = [38 - split.train.degrees[node] for node in split.hidden.T.ravel()]
    assert chance.node_places.tied.tolist() == own
    assert chance.node_places.above.tolist() == [0.0] * 10
    assert chance.spearman == 0.0

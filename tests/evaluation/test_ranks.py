"""Measures, comparisons and protocols at their limits, the right answers counted by hand."""

import math
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import linkprior as lp
from linkprior.evaluation import metrics, ranks
from linkprior.evaluation.ranks import Places
from linkprior.evaluation.splits import Split

RING = lp.Network.from_edges([(node, (node + 1) % 12) for node in range(12)])


def test_no_hidden_edge_can_beat_a_non_edge_where_there_is_none():
    first = Places(np.array([0.0, 1.0]), np.ones(2))
    for candidates, area in ((2, math.nan), (3, 1.0)):
        found = metrics.area_under_roc(first, candidates, np.ones(2), first.above)
        assert found == pytest.approx(area, nan_ok=True), candidates


class ByDistance:
    """Scores nodes of a ring by how far apart they are; remembers which rows were asked for."""

    def __init__(self):
        self.asked = []

    def score_rows(self, start, stop):
        self.asked += range(start, stop)
        apart = np.abs(np.arange(start, stop)[:, None] - np.arange(12))
        return np.minimum(apart, 12 - apart).astype(np.float64)


def test_scores_are_made_once_where_they_fit_in_memory_and_else_once_per_pass(monkeypatch):
    split = Split(RING, np.array([[0, 2], [1, 7]]), "connected", "by hand")
    for room, times in ((1 << 20, 1), (0, 2)):
        monkeypatch.setattr(ranks, "KEPT", room)
        model = ByDistance()
        found = ranks.rank_hidden_edges(model, split)
        assert sorted(model.asked) == sorted(list(range(12)) * times), room
        # Six pairs are six steps apart, and twelve are two steps apart: the last of 66 − 12.
        assert found.places.above.tolist() == [42, 0]
        assert found.places.tied.tolist() == [12, 6]


# ---------------------------------------------------------------------- judged by hand


# Four hidden edges at ranks 100, 101, 500 and 501 of 1,000 candidates.
RANKS = np.array([100.0, 101.0, 500.0, 501.0])
HIDDEN = np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
DEGREES = np.array([5, 6, 20, 21, 1, 1, 1, 1])


def places(above):
    return Places(np.asarray(above, float), np.ones(len(above)))


def by_hand():
    """Node 1 has its edge at the tenth place, node 2 at the eleventh, all others at the first."""
    own = np.zeros(8)
    own[1], own[2] = 9, 10
    return SimpleNamespace(
        split=SimpleNamespace(hidden=HIDDEN, n_pairs=1200),
        degrees=SimpleNamespace(degrees=DEGREES, n_candidates=1000, weight=1e6),
        places=places(RANKS - 1),
        weighted=places(RANKS - 1),
        low=places([]),
        node_places=places(own[HIDDEN.T.ravel()]),
        spearman=0.25,
    )


def test_every_metric_of_four_ranks_is_what_counting_gives():
    found = metrics.measure(by_hand())
    precision = (1 / 100 + 2 / 101 + 3 / 500 + 4 / 501) / 4
    expected = {
        "recall@10%": 2 / 4,  # 120 of 1,200 pairs
        "p@100": 1 / 100,
        "p@500": 3 / 500,
        "p@hidden": 0.0,
        "auprc": precision,
        "auprc_lift": precision / (4 / 1000),
        "recall@10/node": 7 / 8,
        "recall@10/node:3-5": 1.0,  # node 0
        "recall@10/node:6-20": 1 / 2,  # nodes 1 and 2
        "recall@10/node:21+": 1.0,  # node 3
        "spearman_degree": 0.25,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_a_class_of_degrees_is_named_by_its_ends():
    assert metrics._class_name(3, 5) == "3-5"
    assert metrics._class_name(21, None) == "21+"


def test_a_curve_begins_at_one_pair_and_then_at_a_quarter_of_a_percent():
    """Of 4,000 pairs a quarter of a percent is ten; two points by factors are the two ends."""
    judged = by_hand()
    judged.split.n_pairs = 4000
    found = metrics.curve(judged, points=2)
    assert found["predicted"] == [1, *range(10, 401, 10), 1000]
    assert found["found"][-1] == 4


def test_luck_at_the_top_is_counted_in_every_order_of_the_candidates():
    for m, n in ((1, 1), (2, 2), (2, 3), (2, 5), (4, 6)):
        orders = [
            np.mean([(hit + 1) / (at + 1) for hit, at in enumerate(chosen)])
            for chosen in combinations(range(n), m)
        ]
        assert metrics.expected_average_precision(m, n) == pytest.approx(np.mean(orders)), (m, n)


# ---------------------------------------------------------------------- scores kept and drawn


def test_scores_of_ten_thousand_nodes_are_kept_and_those_of_twenty_thousand_made_twice():
    """Half a matrix of float64 is 0.4 GB, and 1.6 GB: too much beside a model."""
    kept = {n: ranks._Blocks(None, n).keep for n in (100, 10_000, 20_000)}
    assert kept == {100: True, 10_000: True, 20_000: False}


def test_every_node_is_as_often_in_the_pairs_drawn_as_any_other():
    p = 200
    net = lp.Network.from_edges([(node, (node + 1) % p) for node in range(p)])
    drawn = ranks._sample(Split(net, np.array([[0, 5]]), "connected", "ring"))
    count, mean = np.bincount(drawn.ravel(), minlength=p), 2 * len(drawn) / p
    assert mean > 50
    # Rare events vary by about the root of their mean; none of 200 strays six times as far.
    assert np.abs(count - mean).max() < 6 * math.sqrt(mean)

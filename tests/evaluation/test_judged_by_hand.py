"""Metrics of a standing made by hand, and what models are compared by, at both sides of limits."""

import math
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from tests.evaluation.made import by_metric

import linkprior as lp
from linkprior.evaluation import metrics, ranks, statistics
from linkprior.evaluation.ranks import Places
from linkprior.evaluation.splits import Split

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


# ---------------------------------------------------------------------- comparisons


def test_of_a_metric_without_a_good_end_the_higher_value_counts_as_won():
    judged = by_metric("spearman_degree", a=[0.1, 0.2, 0.3], b=[0.3, 0.1, 0.4])
    (b,) = statistics.compare(judged, "spearman_degree")
    assert (b.wins, b.ties, b.losses) == (2, 0, 1)


def test_small_values_differ_by_what_is_large_beside_them():
    both = np.array([[1e-13, 3e-13], [1e-3, 1e-3 + 1e-17], [0.0, 0.0], [5e-14, 0.0]])
    assert statistics.differences(both) == pytest.approx([-2e-13, 0.0, 0.0, 5e-14], abs=1e-20)


def test_steps_that_rounding_tells_apart_tie_beside_a_tiny_one():
    """Of three differences two tie: ranks 1, 2.5, 2.5, so that half of all signs are as far out."""
    step, same = 0.3 - 0.2, 0.2 - 0.1
    assert step < same
    assert statistics.signed_rank_p(np.array([-step, same, 1e-8])) == pytest.approx(1.0)
    apart = np.array([-0.1, 0.2, 1e-8])  # ranks 1, 2, 3: three of eight rank sums up to 2
    assert statistics.signed_rank_p(apart) == pytest.approx(2 * 3 / 8)


def test_two_splits_can_give_one_half_and_a_single_one_nothing():
    assert [statistics.smallest_p(n) for n in (0, 1, 2, 3)] == [None, None, 0.5, 0.25]


def test_a_runner_up_with_one_value_has_no_spread_to_lead_by():
    ahead, once = [0.9, 0.91], [0.1, math.nan]
    assert statistics.best(by_metric("auprc", a=ahead, b=once), "auprc") is None
    assert statistics.best(by_metric("auprc", a=[0.9, math.nan], b=[0.1, 0.11]), "auprc") is None
    assert statistics.best(by_metric("auprc", a=ahead, b=[0.1, 0.11]), "auprc") == "a"

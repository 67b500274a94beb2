"""Measures, comparisons and protocols at their limits, the right answers counted by hand."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.evaluation.made import by_metric

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.evaluation import metrics, ranks, statistics
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.ranks import Places
from linkprior.evaluation.splits import Split, write_split

RING = lp.Network.from_edges([(node, (node + 1) % 12) for node in range(12)])

# ---------------------------------------------------------------------- measures


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


# ---------------------------------------------------------------------- comparisons


def test_fifty_wins_without_a_loss_are_counted_exactly():
    """Of 2**n ways to give signs, two are as far out as all wins."""
    for n in (2, 10, 49, 50):
        won = np.arange(1.0, n + 1.0)
        assert statistics.signed_rank_p(won) == pytest.approx(2.0 ** (1 - n), rel=1e-9), n
        mixed = won * np.where(won % 3 == 0, -1.0, 1.0)
        exact = stats.wilcoxon(mixed, method="exact").pvalue
        assert statistics.signed_rank_p(mixed) == pytest.approx(exact, rel=1e-9), n


def test_the_unit_of_a_difference_does_not_matter():
    """Ranks 1, 2 and 3, the least of them lost: two of eight rank sums are at most 1."""
    for unit in (1e-12, 1e-6, 1.0, 1e6):
        d = unit * np.array([-1.0, 2.0, 3.0])
        assert statistics.signed_rank_p(d) == pytest.approx(2 * 2 / 8), unit


def test_signs_of_less_than_two_splits_are_no_test():
    table = (
        ([], None),
        ([1.0], None),
        ([0.0, 0.0], None),
        ([1.0, 0.0], 1.0),
        ([1.0, 1.0], 0.5),
        ([1.0, -1.0], 1.0),
        ([-1.0, -1.0, -1.0], 0.25),
    )
    for d, p in table:
        assert statistics.sign_p(np.array(d)) == (None if p is None else pytest.approx(p)), d


def test_a_lead_of_just_one_standard_deviation_is_none():
    spread = [-1.0, 0.0, 1.0]  # standard deviation 1
    table = (([1.0] * 3, None), ([1.25] * 3, "a"), (spread, None))
    for ahead, leader in table:
        assert statistics.best(by_metric("auprc", a=ahead, b=spread), "auprc") == leader, ahead
    alike = by_metric("auprc", a=[0.5, 0.5], b=[0.5, 0.5])
    assert statistics.best(alike, "auprc") is None


# ---------------------------------------------------------------------- protocols


def test_what_does_not_go_with_a_protocol_is_refused():
    table = (
        (Plan("uniform:0.5", folds=[0]), "folds are for kfold:K, not for uniform"),
        (Plan("release", null="rewired", newer=RING), "a null network has no release"),
        (Plan("kfold:3", newer=RING), "a newer network is for release, not for kfold"),
    )
    for plan, told in table:
        with pytest.raises(ParameterError, match=told):
            plan.make(RING)


def test_the_part_of_a_protocol_that_is_no_number_is_named():
    table = (
        ("biased:half", "'half'"),
        ("biased:0.5", "''"),
        ("biased:half:0.5", "'half'"),
        ("biased:0.5:1:2", "'1:2'"),
    )
    for protocol, part in table:
        with pytest.raises(ParameterError, match=f"RATE:FACTOR needs a number, got {part}$"):
            Plan(protocol).make(RING)


def test_the_first_fold_that_there_is_not_is_named():
    for folds, wrong in (([3, -1], 3), ([0, 3], 3), ([-1, 3], -1)):
        with pytest.raises(ParameterError, match=f"fold must be .* in 0…2, got {wrong}$"):
            Plan("kfold:3", "all-nodes", folds=folds).make(RING)
    assert len(Plan("kfold:3", "all-nodes", folds=[2, 0]).make(RING)) == 2


def test_edges_that_stand_alone_are_folds_left_out(caplog):
    """A triangle and two lone edges: of five folds of one edge, two leave nothing to ask for."""
    net = lp.Network.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (5, 6)])
    with caplog.at_level("INFO", logger="linkprior"):
        assert len(Plan("kfold:5").make(net)) == 3
    assert ": 2 folds without an edge to ask for left out" in caplog.text


def test_a_label_is_written_in_its_own_letters(tmp_path):
    path = tmp_path / "split.tsv"
    write_split(Split(RING, np.array([[0, 5]]), "connected", "größer:½"), RING, path)
    assert '"label": "größer:½"' in path.read_text(encoding="utf-8").splitlines()[0]

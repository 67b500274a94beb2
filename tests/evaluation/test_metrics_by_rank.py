"""Every metric of a ranking in which the hidden edges stand at both sides of each limit."""

from itertools import combinations

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import LinkpriorError
from linkprior.evaluation.metrics import curve, measure, measure_random
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import Split

P = 40
EDGES = [(node, node + 1) for node in range(P - 1)] + [(0, node) for node in range(2, 30, 3)]
PAIRS = P * (P - 1) // 2
CANDIDATES = [pair for pair in combinations(range(P), 2) if pair not in EDGES]
RANKS = [8, 9, 16, 17, 39, 40, 78, 79, 100, 101, 500, 501]  # 780 pairs: 8 are 1 %, 78 are 10 %
DEGREES = np.bincount(np.array(EDGES).ravel())


class Given:
    def __init__(self, matrix):
        self.matrix = matrix

    def score_rows(self, start, stop):
        return self.matrix[start:stop]


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


def test_the_lift_is_over_the_share_of_hidden_edges(standing):
    found, share = measure(standing), len(RANKS) / len(CANDIDATES)
    assert found["auprc_lift"] == pytest.approx(found["auprc"] / share)
    chance = measure_random(standing.split)
    assert chance["auprc_lift"] == pytest.approx(chance["auprc"] / share)


@pytest.mark.parametrize(
    ("name", "weigh"),
    [("auroc", lambda i, j: 1.0), ("dc_auroc", lambda i, j: DEGREES[i] * DEGREES[j])],
)
def test_areas_are_shares_of_the_non_edges_behind_by_their_weight(standing, order, name, weigh):
    hidden = {order[rank - 1] for rank in RANKS}
    weights = np.array([0.0 if pair in hidden else weigh(*pair) for pair in order])
    behind = [weights[rank:].sum() / weights.sum() for rank in RANKS]
    assert measure(standing)[name] == pytest.approx(np.mean(behind))


def test_pairs_of_two_low_degrees_are_ranked_among_themselves(standing, order):
    low = [pair for pair in order if all(DEGREES[node] <= np.median(DEGREES) for node in pair)]
    places = [at + 1 for at, pair in enumerate(low) if order.index(pair) + 1 in RANKS]
    assert 0 < len(places) < len(RANKS)
    expected = np.mean([(n + 1) / place for n, place in enumerate(places)])
    assert measure(standing)["auprc_low"] == pytest.approx(expected)
    chance = measure_random(standing.split)["auprc_low"]
    assert len(places) / len(low) < chance < 2 * len(places) / len(low) + 0.05


def test_each_node_has_its_own_ten_places(standing, order):
    found = {}
    for pair in (order[rank - 1] for rank in RANKS):
        for node in pair:
            own = [one for one in order if node in one]
            found.setdefault(node, []).append(own.index(pair) < 10)
    shares = {node: np.mean(hits) for node, hits in found.items()}
    assert measure(standing)["recall@10/node"] == pytest.approx(np.mean(list(shares.values())))
    for name, low, high in (("1-2", 1, 2), ("3-5", 3, 5)):
        own = [share for node, share in shares.items() if low <= DEGREES[node] <= high]
        assert measure(standing)[f"recall@10/node:{name}"] == pytest.approx(np.mean(own))


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


def test_the_caller_is_told_once_when_all_scores_are_made(standing):
    told = []
    rank_hidden_edges(Given(np.zeros((P, P))), standing.split, lambda: told.append(1))
    assert told == [1]

"""Numbers a reader of results takes at their word: the lift of chance, the first places, seeds."""

from itertools import combinations

import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.errors import ParameterError
from linkprior.evaluation import ranks
from linkprior.evaluation.metrics import METRICS, curve, measure_random
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import biased, uniform


class Given:
    """A model whose scores are a symmetric matrix."""

    def __init__(self, matrix):
        self.matrix = matrix

    def score_rows(self, start, stop):
        return self.matrix[start:stop]


def drawn(p, seed=0):
    matrix = np.random.default_rng(seed).random((p, p))
    return matrix + matrix.T


def candidates(split):
    """Return all pairs a model is asked for."""
    taken = split.train.adjacency.toarray()
    on = taken.sum(axis=1) > 0
    every = combinations(range(len(taken)), 2)
    return [(i, j) for i, j in every if on[i] and on[j] and not taken[i, j]]


@pytest.fixture(scope="module")
def split():
    net = lp.planted_network(n_nodes=80, n_groups=4, mean_degree=6, seed=2)
    return uniform(net, 0.8, seed=0)


def test_the_lift_of_chance_is_its_precision_over_the_share_of_hidden_edges(split):
    chance = measure_random(split)
    share = len(split.hidden) / len(candidates(split))
    assert chance["auprc_lift"] == pytest.approx(chance["auprc"] / share)


def test_precision_at_five_hundred_counts_five_hundred_places(split):
    matrix, hidden = drawn(split.train.n_nodes), set(map(tuple, split.hidden.tolist()))
    ranked = sorted(candidates(split), key=lambda pair: -matrix[pair])
    found = sum(pair in hidden for pair in ranked[:500])
    assert found
    assert METRICS["p@500"](rank_hidden_edges(Given(matrix), split)) == pytest.approx(found / 500)


def test_the_curve_of_a_small_network_begins_at_one_pair():
    """A quarter of a percent of its pairs is less than half a pair."""
    net = lp.Network.from_edges(list(combinations(range(6), 2))[:12])
    split = uniform(net, 0.75, seed=1)
    found = curve(rank_hidden_edges(Given(drawn(net.n_nodes)), split))
    assert found["predicted"] == list(range(1, len(candidates(split)) + 1))


def test_blocks_without_a_wanted_pair_are_read_as_nothing(monkeypatch):
    """Scores that are not kept: blocks of 16 rows, of which two hold the pairs asked for."""
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(ranks, "KEPT", 0)
    matrix, pairs = drawn(80), np.array([[70, 79], [3, 5], [3, 78], [71, 72]])
    read = ranks._Blocks(Given(matrix), 80).read(pairs)
    assert read.tolist() == [matrix[i, j] for i, j in pairs.tolist()]


def test_a_negative_seed_is_refused_even_where_nothing_is_drawn():
    """Two releases are what they are; the seed would still be written into the results."""
    older = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    newer = lp.Network.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("a", "c")])
    assert len(Plan("release", newer=newer).make(older)[0].hidden) == 1
    with pytest.raises(ParameterError, match="seed"):
        Plan("release", newer=newer, seed=-1).make(older)


def test_all_training_edges_may_be_noise():
    net = lp.planted_network(n_nodes=60, n_groups=3, mean_degree=4, seed=1)
    (made,) = Plan("uniform:0.8", "all-nodes", noise=1.0).make(net)
    true = set(map(tuple, net.edges.tolist()))
    assert true.isdisjoint(map(tuple, made.train.edges.tolist()))


def test_a_biased_split_without_a_seed_is_that_of_seed_zero(planted):
    made, zero = biased(planted, 0.8, 0.6), biased(planted, 0.8, 0.6, seed=0)
    assert made.hidden.tobytes() == zero.hidden.tobytes()
    assert made.label == zero.label

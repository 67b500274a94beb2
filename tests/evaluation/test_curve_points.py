"""The points of a curve: growing by factors, and by quarters of a percent of all pairs."""

from itertools import combinations

import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.evaluation import ranks
from linkprior.evaluation.metrics import curve
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import uniform


class Drawn:
    """Scores drawn by lot, all different."""

    def __init__(self, p, seed=0):
        matrix = np.random.default_rng(seed).random((p, p))
        self.matrix = matrix + matrix.T

    def score_rows(self, start, stop):
        return self.matrix[start:stop]


@pytest.fixture(scope="module")
def split():
    net = lp.planted_network(n_nodes=80, n_groups=4, mean_degree=6, seed=2)
    return uniform(net, 0.8, seed=0)


def test_a_curve_has_a_point_at_every_quarter_of_a_percent_up_to_ten(split):
    points = set(curve(rank_hidden_edges(Drawn(split.train.n_nodes), split))["predicted"])
    for quarter in range(1, 41):
        assert round(quarter / 400 * split.n_pairs) in points


def test_a_curve_runs_from_one_to_all_candidates_and_counts_the_hidden_edges_found(split):
    model = Drawn(split.train.n_nodes)
    found = curve(rank_hidden_edges(model, split), points=25)
    taken = split.train.adjacency.toarray()
    p = split.train.n_nodes
    on = np.ones(p, bool) if split.rule == "all-nodes" else taken.sum(axis=1) > 0
    allowed = [(i, j) for i, j in combinations(range(p), 2) if on[i] and on[j] and not taken[i, j]]
    ranked = sorted(allowed, key=lambda pair: -model.matrix[pair])
    hidden = set(map(tuple, split.hidden.tolist()))
    hits = np.cumsum([pair in hidden for pair in ranked])
    assert found["predicted"][0] == 1
    assert found["predicted"][-1] == len(ranked)
    assert found["found"] == [hits[k - 1] for k in found["predicted"]]


@pytest.mark.parametrize("kept", [0, 1 << 29])
def test_places_are_the_same_in_one_block_and_in_several(split, monkeypatch, kept):
    """Blocks of at most 16 rows: each reads its own rows, and no others."""
    p = split.train.n_nodes
    whole = rank_hidden_edges(Drawn(p), split)
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(ranks, "KEPT", kept)
    assert len(parallel.blocks(p)) > 3
    parts = rank_hidden_edges(Drawn(p), split)
    for name in ("places", "weighted", "low", "node_places"):
        for one, other in zip(getattr(parts, name), getattr(whole, name), strict=True):
            np.testing.assert_array_equal(one, other)

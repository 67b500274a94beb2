"""L3N, CH2-L3 and MPS are their formulas, on networks counted by hand."""

from math import sqrt

import networkx as nx
import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel

PEERS = ("l3", "l3n", "ch2-l3", "mps")
every = pytest.mark.parametrize("name", PEERS)


def one_path():
    """x–u–v–y with one more partner for u."""
    return lp.Network.from_edges([("x", "u"), ("u", "v"), ("v", "y"), ("u", "z")])


def test_one_path_scores_as_counted_by_hand():
    """k_x = k_y = 1, k_u = 3, k_v = 2; u has v inside and z outside, v has u inside.

    x shares u with v and z; y shares v with u. N(x) = {u}, N(v) = {u, y}: J = 1/2;
    N(u) = {v, x, z}, N(y) = {v}: J = 1/3.
    """
    pair = [("x", "y")]
    scores = {name: lp.make(name).fit(one_path()).score_pairs(pair)[0] for name in PEERS}
    assert scores["l3"] == pytest.approx(1 / sqrt(6))
    assert scores["l3n"] == pytest.approx((1 / 2) ** 2 * (1 / 3) ** 2)
    assert scores["ch2-l3"] == pytest.approx(sqrt(2 / 2) * sqrt(2 / 1))
    assert scores["mps"] == pytest.approx(1 / 2 + 1 / 3, rel=1e-6)


def test_mps_is_the_best_jaccard_index_of_networkx(planted):
    graph = nx.from_scipy_sparse_array(planted.adjacency)
    pairs = [(0, 9), (2, 31), (7, 50), (11, 12), (40, 51)]

    def best(a, b):
        """The highest index of `a` with a partner of `b`."""
        others = [(a, partner) for partner in graph[b] if partner != a]
        return max((j for _, _, j in nx.jaccard_coefficient(graph, others)), default=0)

    expected = [best(x, y) + best(y, x) for x, y in pairs]
    assert max(expected) > 0
    scores = lp.make("mps").fit(planted).score_pairs(pairs)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


def test_mps_breaks_ties_by_degree_and_by_less_than_a_millionth():
    """Paths of four nodes, the inner two doubled: their ends' scores are equal, degrees are not.

    In a path x–u–v–y, J(x, v) = J(u, y) = 1/2; with m twins of u and of v, all joined, N(x) is all
    u and N(v) is all u and y, or all u and all y where y has m twins, too.
    """
    plain = [("x", "u"), ("u", "v"), ("v", "y")]
    doubled = [(f"X{i}", f"U{j}") for i in range(2) for j in range(2)]
    doubled += [(f"U{i}", f"V{j}") for i in range(2) for j in range(2)]
    doubled += [(f"V{i}", f"Y{j}") for i in range(2) for j in range(2)]
    model = lp.make("mps").fit(lp.Network.from_edges([*plain, *doubled]))
    lower, higher, none = model.score_pairs([("x", "y"), ("X0", "Y0"), ("x", "Y0")])
    assert 1.0 < lower < higher < 1.0 + 1e-6
    assert none == 0.0


@pytest.mark.at_length
@every
def test_pairs_are_read_from_rows_to_the_last_bit(name):
    net = lp.planted_network(n_nodes=270, n_groups=5, mean_degree=6, seed=2)
    model = lp.make(name).fit(net)
    i, j = np.triu_indices(net.n_nodes, 1)
    some = np.random.default_rng(1).permutation(len(i))[:4000]
    pairs = np.stack([i[some], j[some]], axis=1)
    rows = model.score_rows(0, net.n_nodes)
    by_pair = [model.score_pairs(pairs)]
    for workers in (1, 3):
        with parallel.use_workers(workers):
            by_pair.append(model.score_pairs(pairs))
    for scores in by_pair:
        assert scores.tobytes() == rows[pairs[:, 0], pairs[:, 1]].tobytes()
    assert len(model.score_pairs(np.empty((0, 2), int))) == 0

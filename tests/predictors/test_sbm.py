"""The block model: its description length, its search, and its scores."""

from itertools import combinations
from math import comb, factorial, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior import _config
from linkprior.kernels import sbm as kernels
from linkprior.solvers.sbm_search import BlockSearch, Partition, levels, xlogx_table


def planted_blocks(seed, n=400, n_blocks=4, mean_degree=14.0, contrast=7.0):
    """A network of blocks with hubs in each: Poisson edges, θ_i θ_j, `contrast` within a block."""
    rng = np.random.default_rng(seed)
    block, weight = rng.integers(0, n_blocks, n), 1.0 + rng.pareto(2.5, n)
    i, j = np.triu_indices(n, 1)
    rate = weight[i] * weight[j] * np.where(block[i] == block[j], contrast, 1.0)
    rate *= mean_degree * n / 2.0 / rate.sum()
    drawn = rng.random(len(i)) < -np.expm1(-rate)
    names = [str(node) for node in range(n)]
    return lp.Network.from_indices(np.stack([i, j], axis=1)[drawn], names), block


def slow_counts(net, group):
    """m_rs by looking at every edge from both ends."""
    counts = np.zeros((max(group) + 1,) * 2, dtype=np.int64)
    for i, j in net.edges.tolist():
        counts[group[i], group[j]] += 1
        counts[group[j], group[i]] += 1
    return counts


def slow_likelihood(net, group):
    """Σ over edges of log(m_rs / (κ_r κ_s)), Karrer & Newman's profile likelihood."""
    counts = slow_counts(net, group)
    totals = counts.sum(axis=1)
    ends = [(group[i], group[j]) for i, j in net.edges.tolist()]
    return sum(log(counts[r, s] / (totals[r] * totals[s])) for r, s in ends)


def random_partition(net, seed, n_blocks=4):
    labels = np.random.default_rng(seed).integers(0, n_blocks, net.n_nodes)
    return Partition.of(net.adjacency, np.unique(labels, return_inverse=True)[1])


@pytest.fixture(params=["portable", "numba"])
def engine(request):
    with _config.using(kernels=request.param):
        yield


@slowly
@given(networks(), st.integers(0, 5))
def test_likelihood_and_counts_are_those_of_single_edges(net, seed):
    part = random_partition(net, seed)
    assert (part.counts == slow_counts(net, part.group)).all()
    assert (part.sizes == np.bincount(part.group)).all()
    assert part.log_likelihood() == pytest.approx(slow_likelihood(net, part.group), abs=1e-9)


def test_description_length_counts_what_could_have_been_encoded():
    net = lp.planted_network(n_nodes=40, mean_degree=5, seed=1)
    part = random_partition(net, 3, n_blocks=3)
    N, E, B = net.n_nodes, net.n_edges, 3
    cells = B * (B + 1) // 2
    tables = comb(cells + E - 1, E)  # ways to spread E edges over the cells
    sizes = comb(N - 1, B - 1) * N  # sizes of B blocks, and B itself
    nodes = factorial(N)
    for size in part.sizes.tolist():
        nodes //= factorial(size)
    expected = -slow_likelihood(net, part.group) + log(tables) + log(sizes) + log(nodes)
    assert part.description_length() == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_a_sweep_moves_each_node_to_its_best_block(engine, seed):
    net = lp.planted_network(n_nodes=30, mean_degree=5, seed=seed)
    part = random_partition(net, seed)
    group, order = part.group.copy(), np.random.default_rng(seed).permutation(net.n_nodes)
    expected = 0
    for node in order.tolist():
        best, home = slow_likelihood(net, group), int(group[node])
        choice = home
        if (group == home).sum() > 1:
            for block in range(part.n_blocks):
                tried = group.copy()
                tried[node] = block
                value = slow_likelihood(net, tried)
                if value > best + 1e-8:
                    best, choice = value, block
        group[node] = choice
        expected += choice != home
    a = net.adjacency
    pattern = a.indptr.astype(np.int64), a.indices.astype(np.int64)
    table = xlogx_table(net.n_edges)
    moved = kernels.move_nodes(pattern, order, part.group, part.sizes, part.counts, table)
    assert moved == expected > 0
    assert (part.group == group).all()
    assert (part.counts == slow_counts(net, group)).all()
    assert (part.sizes == np.bincount(group)).all()


@pytest.mark.parametrize("seed", range(4))
def test_merge_losses_are_differences_of_likelihoods(engine, seed):
    net = lp.planted_network(n_nodes=40, mean_degree=6, seed=seed)
    part = random_partition(net, seed, n_blocks=6)
    losses = kernels.merge_losses(part.counts, xlogx_table(net.n_edges), net.n_nodes)
    before = slow_likelihood(net, part.group)
    for r, s in combinations(range(part.n_blocks), 2):
        group = np.where(part.group == s, r, part.group)
        group = np.unique(group, return_inverse=True)[1]
        assert losses[r, s] == pytest.approx(losses[s, r], abs=1e-8)
        assert losses[r, s] == pytest.approx(before - slow_likelihood(net, group), abs=1e-8)
    assert np.isinf(losses.diagonal()).all()


def test_the_number_of_blocks_falls_by_a_tenth_and_then_one_by_one():
    path = levels(100)
    assert path[:3] == [100, 90, 81]
    assert path[-18:] == list(range(18, 0, -1))
    assert levels(12, 9) == [12, 11, 10, 9]


@pytest.mark.at_length
@pytest.mark.parametrize("seed", [0, 1])
def test_four_planted_blocks_are_found(seed):
    net, truth = planted_blocks(seed)
    model = lp.make("dcsbm", n_starts=2).fit(net)
    group, linked = model.learned_.arrays["group"], net.degrees > 0
    assert model.learned_.facts["n_blocks"] == 4
    table = np.zeros((4, 4))
    np.add.at(table, (group[linked], truth[linked]), 1)
    assert table.max(axis=1).sum() > 0.85 * linked.sum()
    planted = Partition.of(net.adjacency[linked][:, linked], truth[linked])
    assert model.learned_.facts["description_length"] <= planted.description_length()


@pytest.mark.at_length
def test_a_network_without_blocks_has_one():
    net, _ = planted_blocks(3, n=200, contrast=1.0)
    model = lp.make("dcsbm", n_starts=2).fit(net)
    assert model.learned_.facts["n_blocks"] == 1
    k = net.degrees
    np.testing.assert_allclose(
        model.score_pairs([(0, 1), (5, 9)]),
        [k[0] * k[1] / k.sum(), k[5] * k[9] / k.sum()],
    )


@slowly
@given(networks())
def test_scores_are_the_expected_number_of_edges(net):
    """k_i k_j m_rs/(κ_r κ_s) from counts by hand; 0 without edges; each degree comes back."""
    model = lp.make("dcsbm", n_starts=1).fit(net)
    group, k = model.learned_.arrays["group"], net.degrees
    counts = slow_counts(net, group)
    totals = counts.sum(axis=1)
    scores = model._rows(0, net.n_nodes)
    for i in range(net.n_nodes):
        for j in range(net.n_nodes):
            r, s = group[i], group[j]
            assert scores[i, j] == pytest.approx(k[i] * k[j] * counts[r, s] / totals[r] / totals[s])
    np.testing.assert_allclose(scores.sum(axis=1), k)
    i, j = np.triu_indices(net.n_nodes, 1)
    np.testing.assert_allclose(model.score_pairs(np.stack([i, j], axis=1)), scores[i, j])


@pytest.mark.parametrize("wanted", [1, 3, 9])
def test_the_number_of_blocks_can_be_given(wanted):
    net, _ = planted_blocks(2, n=120)
    model = lp.make("dcsbm", n_blocks=wanted, n_starts=1).fit(net)
    assert model.learned_.facts["n_blocks"] == wanted
    assert len(np.unique(model.learned_.arrays["group"])) == wanted


@pytest.mark.at_length
def test_more_starts_are_never_worse():
    net, _ = planted_blocks(4, n=150, contrast=3.0)
    facts = [lp.make("dcsbm", n_starts=n).fit(net).learned_.facts for n in (1, 3)]
    assert facts[1]["starts"][0] == facts[0]["starts"][0]
    assert facts[1]["description_length"] == min(facts[1]["starts"])


def test_each_level_keeps_every_block_and_never_loses_likelihood_by_moving():
    net, _ = planted_blocks(5, n=100)
    search = BlockSearch(net.drop_isolated().adjacency, 12, None, 5)
    rng = np.random.default_rng(0)
    part = Partition.of(search.adjacency, search._cut(rng))
    for one in search._descend(part, levels(part.n_blocks), rng):
        before = Partition.of(search.adjacency, one.group).log_likelihood()
        search._settle(one, rng)
        assert one.log_likelihood() >= before - 1e-9
        assert (one.sizes > 0).all()

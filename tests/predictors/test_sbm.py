"""The block model: its description length, its search, and its scores."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.predictors.small import networks, slowly

import linkprior as lp
from linkprior.solvers.sbm_search import BlockSearch, Partition, levels


def planted_blocks(seed, n=400, n_blocks=4, mean_degree=14.0, contrast=7.0):
    """A network of blocks with hubs in each: Poisson edges, θ_i θ_j, `contrast` within a block."""
    rng = np.random.default_rng(seed)
    block, weight = rng.integers(0, n_blocks, n), 1.0 + rng.pareto(2.5, n)
    i, j = np.triu_indices(n, 1)
    rate = weight[i] * weight[j] * np.where(block[i] == block[j], contrast, 1.0)
    rate *= mean_degree * n / 2.0 / rate.sum()
    drawn = rng.random(len(i)) < -np.expm1(-rate)
    names = [f"n{node:04d}" for node in range(n)]
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


@slowly
@given(networks(), st.integers(0, 5))
def test_likelihood_and_counts_are_those_of_single_edges(net, seed):
    part = random_partition(net, seed)
    assert (part.counts == slow_counts(net, part.group)).all()
    assert (part.sizes == np.bincount(part.group)).all()
    assert part.log_likelihood() == pytest.approx(slow_likelihood(net, part.group), abs=1e-9)


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
        model.score_pairs([(0, 1), (5, 9)]), [k[0] * k[1] / k.sum(), k[5] * k[9] / k.sum()]
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


@pytest.mark.parametrize("n_nodes", [60, 300])  # the readable and the compiled kernel
def test_the_mean_is_over_the_partitions_of_all_starts(n_nodes):
    net = lp.planted_network(n_nodes, 4, 6.0, seed=3)
    model = lp.make("dcsbm", combine="mean", n_starts=3, seed=5).fit(net)
    arrays, k = model.learned_.arrays, net.degrees
    n_nodes = net.n_nodes
    assert arrays["group"].shape == (6, n_nodes)
    tables = zip(arrays["group"], arrays["rates"], strict=True)
    expected = np.mean([table[group][:, group] for group, table in tables], axis=0)
    expected *= np.outer(k, k)
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(model.score_rows(0, n_nodes), expected, rtol=1e-12)
    pairs = np.stack(np.triu_indices(n_nodes, 1), axis=1)
    np.testing.assert_allclose(model.score_pairs(pairs), expected[tuple(pairs.T)], rtol=1e-12)


def test_each_partition_of_the_mean_has_the_rates_of_its_blocks():
    net = lp.planted_network(60, 4, 6.0, seed=3)
    arrays = lp.make("dcsbm", combine="mean", n_starts=2).fit(net).learned_.arrays
    for group, table in zip(arrays["group"], arrays["rates"], strict=True):
        rates = Partition.of(net.adjacency, group).rates()
        np.testing.assert_allclose(table[: len(rates), : len(rates)], rates)

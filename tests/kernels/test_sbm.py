"""Moves and merges of blocks, against the objective counted anew."""

import numpy as np
import pytest

from linkprior.kernels import sbm as blocks


def f_up_to(top):
    x = np.arange(top + 1.0)
    return x * np.log(np.maximum(x, 1.0))


def counts_of(a, group, n_blocks):
    """Edges between each two blocks, twice those within one."""
    member = np.eye(n_blocks, dtype=np.int64)[group]
    return member.T @ a @ member


def objective(a, group, n_blocks):
    """½Σ f(m_rs) − Σ f(κ_r), from nothing but the definition."""
    counts, f = counts_of(a, group, n_blocks), f_up_to(a.sum())
    return f[counts].sum() / 2 - f[counts.sum(axis=1)].sum()


def moved(a, group, n_blocks, order):
    """Return the blocks after these nodes were moved, and how many were."""
    after, sizes = np.array(group), np.bincount(group, minlength=n_blocks)
    counts = counts_of(a, after, n_blocks)
    pattern = np.concatenate([[0], a.sum(axis=1).cumsum()]), np.nonzero(a)[1]
    n_moved = blocks.move_nodes(pattern, np.array(order), after, sizes, counts, f_up_to(a.sum()))
    assert sizes.tolist() == np.bincount(after, minlength=n_blocks).tolist()
    assert counts.tolist() == counts_of(a, after, n_blocks).tolist()
    return after.tolist(), n_moved


def matrix_of(edges, p):
    a = np.zeros((p, p), np.int64)
    for i, j in edges:
        a[i, j] = a[j, i] = 1
    return a


def clique(*nodes):
    return [(a, b) for a in nodes for b in nodes if a < b]


def two_triangles(p=6):
    return matrix_of([*clique(0, 1, 2), *clique(3, 4, 5), (2, 5)], p)


def test_a_block_of_two_can_lose_one_node_and_a_block_of_one_none(engine):
    """Nodes 2 and 5 make a block between the others of their triangles."""
    a = two_triangles()
    assert moved(a, [0, 0, 2, 1, 1, 2], 3, [2]) == ([0, 0, 0, 1, 1, 2], 1)
    assert moved(a, [0, 0, 2, 1, 1, 2], 3, [2, 5]) == ([0, 0, 0, 1, 1, 2], 1)
    assert moved(a, [0, 0, 2, 1, 1, 2], 3, [5, 2]) == ([0, 0, 2, 1, 1, 1], 1)


@pytest.mark.parametrize("seed", range(8))
def test_a_node_moves_to_the_block_of_the_largest_objective(engine, seed):
    """Whatever the size of its block, as long as it is not alone there."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((9, 9)) < 0.4, 1)
    a, n_blocks = (upper | upper.T).astype(np.int64), 4
    group = rng.permutation([0, 0, 1, 1, 1, 2, 3, 3, 3])
    for node in range(9):
        reached = []
        for block in range(n_blocks):
            there = group.copy()
            there[node] = block
            reached.append(objective(a, there, n_blocks))
        best, own = np.max(reached), group[node]
        stays = (group == own).sum() == 1 or best < reached[own] + 1e-8
        first = int(np.argmax(np.array(reached) > best - 1e-8))
        after, _ = moved(a, group, n_blocks, [node])
        assert after[node] == (own if stays else first)
    one_by_one = group
    for node in range(9):
        one_by_one, _ = moved(a, one_by_one, n_blocks, [node])
    assert moved(a, group, n_blocks, range(9))[0] == one_by_one


def test_merging_two_blocks_loses_what_the_objective_says(engine):
    a, group = two_triangles(), np.array([0, 1, 2, 0, 3, 3])
    losses = blocks.merge_losses(counts_of(a, group, 4), f_up_to(a.sum()), len(a))
    for r, s in np.ndindex(4, 4):
        merged = objective(a, np.where(group == s, r, group), 4)
        expected = objective(a, group, 4) - merged if r != s else np.inf
        assert losses[r, s] == pytest.approx(expected, abs=1e-12)


# A node of block 0 has two links into block 3 and one each into blocks 4 and 5. With f(x) = x·log x
# it is f(2m+2) − f(2m) = 2(f(m+1) − f(m)) + 2·log 2. Blocks 1 and 2 below take turns in which of m
# and n is told by the two links at once: their gains are the same number, rounded in two ways.
@pytest.fixture(scope="module")
def many():
    """Enough of f for millions of edges: only there does rounding exceed 1e-9."""
    return f_up_to(5_600_000)


def joined(counts, f):
    """Return the block that the node joins."""
    group = np.array([0, 3, 3, 4, 5, 0])
    pattern = np.array([0, 4, 4, 4, 4, 4, 4]), np.array([1, 2, 3, 4])  # other rows are not read
    sizes = np.array([2, 9, 9, 9, 9, 9])
    blocks.move_nodes(pattern, np.array([0]), group, sizes, counts.copy(), f[: counts.sum() + 1])
    return int(group[0])


def network_between(m, n):
    counts = np.zeros((6, 6), np.int64)
    counts[1, 3:] = counts[3:, 1] = 2 * m, n, n
    counts[2, 3:] = counts[3:, 2] = 2 * n, m, m
    counts[0, 3:] = counts[3:, 0] = 2, 1, 1
    counts[0, 0] = 100_000
    return counts


def test_of_gains_that_differ_by_rounding_alone_the_first_block_wins(engine, many):
    for step in range(30):
        assert joined(network_between(330_000 + step, 331_000 - 3 * step), many) == 1


def test_a_gain_that_is_larger_by_more_than_rounding_wins_wherever_it_stands(engine, many):
    for more in (1_000, 50_000):
        counts = network_between(330_000, 331_000)
        counts[2, 3] += more
        counts[3, 2] += more
        counts[1, 1] += more  # both have as many links in all
        assert joined(counts, many) == 2


def test_the_only_node_of_a_block_stays_and_the_nodes_after_it_still_move(engine):
    """Nodes 3 and 7 are in the other's place."""
    a = matrix_of([*clique(0, 1, 2, 3), *clique(4, 5, 6, 7), (0, 8), (4, 8)], 9)
    group = expected = np.array([0, 0, 0, 1, 1, 1, 1, 0, 2])
    for node in (3, 7):
        tried = [np.where(np.arange(9) == node, block, expected) for block in range(3)]
        expected = max(tried, key=lambda there: objective(a, there, 3))
    assert (expected != group).sum() == 2
    assert moved(a, group, 3, [8, 3, 7]) == (expected.tolist(), 2)


def test_a_node_that_gains_nothing_stays_where_it_is():
    """Without edges it is worth the same everywhere, to the last bit: no slack is needed."""
    a, group, sizes = two_triangles(7), np.array([0, 0, 0, 1, 1, 1, 1]), np.array([3, 4])
    pattern = np.concatenate([[0], a.sum(axis=1).cumsum()]), np.nonzero(a)[1]
    counts, f = counts_of(a, group, 2), f_up_to(a.sum())
    part = group, sizes, counts
    assert blocks.move_nodes_numba(pattern, np.array([6]), part, f, 0.0) == 0
    assert group[6] == 1
    assert sizes.tolist() == [3, 4]


@pytest.mark.parametrize("n_partitions", [1, 2, 5])
def test_mean_rates_are_the_mean_over_partitions(engine, n_partitions):
    rng = np.random.default_rng(n_partitions)
    groups = rng.integers(0, 4, (n_partitions, 30))
    rates = rng.random((n_partitions, 4, 4))
    found = blocks.mean_rates(groups, rates, 10, 25)
    expected = np.mean(
        [
            [[table[group[i], group[j]] for j in range(30)] for i in range(10, 25)]
            for group, table in zip(groups, rates, strict=True)
        ],
        axis=0,
    )
    np.testing.assert_allclose(found, expected, rtol=1e-14)

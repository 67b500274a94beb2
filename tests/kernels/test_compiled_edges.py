"""Compiled kernels where their loops end: flat and tall blocks, tiles, single rows, ties, zeros."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import xlogy

from linkprior import kernels
from linkprior.kernels import blocks, numba_blocks
from linkprior.kernels import numba_sort as ns

# ---------------------------------------------------------------------- ADMM


@pytest.mark.parametrize("shape", [(2, 5), (5, 2), (1, 3), (3, 1)])
def test_a_block_of_any_shape_is_split_whole(engine, shape):
    rng = np.random.default_rng(1)
    fitted, G, Q, Y = (rng.standard_normal(shape) for _ in range(4))
    A = fitted + np.maximum(Q, 0) - Y
    X, before = np.maximum(A - G, 0), np.maximum(Q, 0)
    terms = (fitted - X, X - before, fitted, X, 2 * X - A)
    expected = A - G, 2 * X - A
    squares = kernels.split_rows(fitted, G, Q, Y)
    np.testing.assert_allclose((Q, Y), expected, atol=1e-14)
    np.testing.assert_allclose(squares, [(term**2).sum() for term in terms], rtol=1e-12)


@pytest.mark.parametrize(("p", "start", "stop"), [(70, 0, 70), (64, 62, 64), (130, 126, 129)])
def test_the_linearised_prior_is_that_of_the_whole_matrix_beyond_one_tile(engine, p, start, stop):
    rng = np.random.default_rng(p)
    B, Q = rng.standard_normal((p, p)), rng.standard_normal((p, p))
    scale, G = rng.random(p) + 0.5, np.full((p, p), 9.0)
    sums = kernels.linearise_rows(B, Q, scale, start, stop, G)
    weighted = scale[:, None] * B
    expected = np.full((p, p), 9.0)  # other rows are those of other blocks
    expected[start:stop] = ((weighted + weighted.T) / 2)[start:stop]
    np.testing.assert_allclose(G, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(sums, (B * np.maximum(Q, 0)).sum(axis=1)[start:stop], rtol=1e-10)


# ---------------------------------------------------------------------- blocks of nodes


def network(edges, p):
    """Return the pattern of a network, and its edges between the blocks of any labels."""
    i, j = np.array(edges).T
    a = sp.csr_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), shape=(p, p))
    a.sort_indices()

    def counts(group):
        picked = np.eye(group.max() + 1)[group]
        return np.rint(picked.T @ a.toarray() @ picked).astype(np.int64)

    return tuple(np.ascontiguousarray(part, np.int64) for part in (a.indptr, a.indices)), counts


def likelihood(m):
    kappa = m.sum(axis=1)
    return 0.5 * xlogy(m, m).sum() - xlogy(kappa, kappa).sum()


def clique(*nodes):
    return [(a, b) for a in nodes for b in nodes if a < b]


def test_the_only_node_of_a_block_stays_and_the_nodes_after_it_still_move(engine):
    edges = [*clique(0, 1, 2, 3), *clique(4, 5, 6, 7), (0, 8), (4, 8)]
    pattern, counts = network(edges, 9)
    group = np.array([0, 0, 0, 1, 1, 1, 1, 0, 2])  # 3 and 7 are in the other's place
    sizes, m, expected, order = np.bincount(group), counts(group), group.copy(), [8, 3, 7]
    for node in order[1:]:
        tried = [np.where(np.arange(9) == node, s, expected) for s in range(3)]
        expected = max(tried, key=lambda labels: likelihood(counts(labels)))
    assert (expected != group).tolist() == [node in (3, 7) for node in range(9)]
    x = np.arange(2.0 * len(edges) + 1)
    moved = blocks.move_nodes(pattern, np.array(order), group, sizes, m, xlogy(x, x))
    assert moved == 2
    assert group.tolist() == expected.tolist()
    assert sizes.tolist() == np.bincount(expected).tolist()
    assert m.tolist() == counts(expected).tolist()


def test_a_node_that_gains_nothing_stays_where_it_is():
    """Without edges it is worth the same everywhere, to the last bit: no slack is needed."""
    pattern, counts = network([*clique(0, 1, 2), *clique(3, 4, 5)], 7)
    group = np.array([0, 0, 0, 1, 1, 1, 1])
    sizes, m, x = np.bincount(group), counts(group), np.arange(13.0)
    moved = numba_blocks.move_nodes(*pattern, np.array([6]), group, sizes, m, xlogy(x, x), 0.0)
    assert moved == 0
    assert group[6] == 1
    assert sizes.tolist() == [3, 4]


@pytest.mark.parametrize(("slack", "best"), [(0.0, 2), (0.5, 2), (1.0, 1), (1.5, 1)])
def test_the_first_of_the_largest_gains_is_the_best(slack, best):
    gains = np.array([-np.inf, 2.0, 3.0, 3.0])
    assert numba_blocks.first_best(gains, slack) == best


# ---------------------------------------------------------------------- least squares


def test_a_single_row_is_solved_by_itself(engine):
    """The least of ½‖w‖² + ½(w·h)² − 6w·h is at w = 6h / (1 + ‖h‖²) = h, one step from 0."""
    h, zero = np.array([[1.0, 2.0]]), np.zeros((1, 2))
    pattern = np.array([0, 1]), np.array([0])
    w, product = kernels.descend_rows(zero, [0.0], h, pattern, [1.0], [6.0], 1)
    np.testing.assert_allclose(w, h, rtol=1e-14)
    np.testing.assert_allclose(product, [5.0], rtol=1e-14)


# ---------------------------------------------------------------------- order of a row


@pytest.mark.parametrize("p", [20, 256, 512])  # digits of 4, 7 and 8 bits
def test_plain_passes_look_at_the_topmost_of_64_bits_and_at_no_bit_twice(p):
    work = ns.scratch_for(np.empty((1, p), np.uint64))
    key = [2**63 + 1, 1, 2**63, 0, 2**64 - 1, 2**62]
    work[0][: len(key)] = np.array(key, np.uint64)
    ns.radix_order(len(key), np.uint64(0), np.uint64(2**64 - 1), work)
    assert work[4][: len(key)].tolist() == [3, 1, 5, 2, 0, 4]


class Watched(int):
    """A number that is shifted by less than its 64 bits only."""

    def __rshift__(self, shift):
        assert shift < 64
        return np.uint64(int(self) >> int(shift))


@pytest.mark.parametrize("p", [20, 70, 256, 512])
def test_no_pass_shifts_by_all_64_bits(p):
    """NumPy makes that 0; compiled it may be no shift at all, and the lowest bits sort again."""
    work = ns.scratch_for(np.empty((1, p), np.uint64))
    work[0][:3] = np.array([2**64 - 1, 0, 5], np.uint64)
    passes = getattr(ns.radix_order, "py_func", ns.radix_order)
    passes(3, np.uint64(0), Watched(2**64 - 1), work)
    assert work[4][:3].tolist() == [1, 2, 0]


def test_a_row_of_its_diagonal_alone_has_no_places():
    bits = np.array([[1.0]]).view(np.uint64)
    found = ns.order_row(bits[0], np.uint64(2**63 - 1), 0, ns.scratch_for(bits))
    assert found[:0].tolist() == []


def test_rows_without_columns_have_an_order_of_nothing(engine, dtype):
    assert kernels.argsort_rows(np.empty((2, 0), dtype), -1).shape == (2, 0)


@pytest.mark.parametrize("first", [0, 1])
def test_clipped_scores_have_no_minus_before_a_zero(engine, dtype, first):
    """Written to a file, or compared by their bytes, −0 is not what 0 is."""
    values = np.array([[-0.0, -0.0, 2.0, -1.0]], dtype)
    found = kernels.prox_rows(values, [1.0], [0.0, 0.0, 0.0], first, clip=True)
    assert found.tolist() == [[0.0, 0.0, 2.0, 0.0]]
    assert not np.signbit(found).any()

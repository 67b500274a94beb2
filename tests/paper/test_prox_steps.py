"""The prox of the degree prior step by step, against sorted lists."""

from itertools import pairwise

import numpy as np
import pytest

from linkprior import parallel
from linkprior.errors import ParameterError
from linkprior.solvers import symmetric_prox as prox


def symmetric(p, seed=0):
    half = np.random.default_rng(seed).normal(0.5, 1.0, (p, p))
    return half + half.T


def rising(p, n, seed=1):
    return np.cumsum(np.random.default_rng(seed).random((p, n)) / n, axis=1)


def charged(keys, weights, diagonal=True):
    """Return the weight at the rank of each entry; none on the diagonal."""
    out = np.zeros_like(keys)
    for i, row in enumerate(keys):
        others = [j for j in range(len(row)) if not diagonal or j != i]
        for rank, j in enumerate(sorted(others, key=lambda j: (-row[j], j))):
            out[i, j] = weights[i, rank]
    return out


def cost(A, Q, weights):
    X = np.maximum(Q, 0.0)
    return 0.5 * ((X - A) ** 2).sum() + (charged(Q, weights) * X).sum()


# ---------------------------------------------------------------------- rows


def test_each_row_is_charged_by_rank_and_clipped():
    A, w = symmetric(5), rising(5, 4)
    np.testing.assert_allclose(prox.prox_rows(A, w), np.maximum(A - charged(A, w), 0.0))
    wide, w = symmetric(5)[:3], rising(3, 5)
    expected = np.maximum(wide - charged(wide, w, diagonal=False), 0.0)
    np.testing.assert_allclose(prox.prox_rows(wide, w), expected)


@pytest.mark.parametrize(("shape", "fits"), [((3, 3), (3, 2)), ((3, 4), (3, 4)), ((4, 3), (4, 3))])
def test_weights_have_one_column_less_only_where_there_is_a_diagonal(shape, fits):
    A = np.ones(shape)
    assert prox.prox_rows(A, np.zeros(fits)).shape == shape
    for wrong in ((fits[0], fits[1] + 1), (fits[0] + 1, fits[1])):
        with pytest.raises(ParameterError, match=r"weights must have shape \("):
            prox.prox_rows(A, np.zeros(wrong))


@pytest.mark.parametrize("good", [[[0.0, 0.0]], [[0.0, 1.0]], [[1.0, 1.0]]])
def test_weights_may_be_equal_or_zero(good):
    assert prox.prox_rows(np.ones((1, 2)), good).shape == (1, 2)


@pytest.mark.parametrize("bad", [[[1.0, 0.9]], [[-0.1, 0.0]], [[-0.1, 0.1]], [[0.0, 2.0, 1.0]]])
def test_weights_that_fall_or_are_negative_are_refused(bad):
    with pytest.raises(ParameterError, match="non-negative and non-decreasing"):
        prox.prox_rows(np.ones((1, len(bad[0]))), bad)


# ---------------------------------------------------------------------- majorise – minimise


@pytest.mark.parametrize("steps", [1, 2, 50])
def test_each_step_is_the_minimiser_at_the_ranks_before(steps):
    A, w = symmetric(12, 1), 4 * rising(12, 11)
    Q, B, history, done = A, charged(A, w), [cost(A, A, w)], False
    for _ in range(steps):
        Q = A - (B + B.T) / 2
        history.append(cost(A, Q, w))
        if (charged(Q, w) == B).all():
            done = True
            break
        B = charged(Q, w)
    found = prox.prox_symmetric(A, w, "mm", steps)
    np.testing.assert_allclose(found.Q, Q)
    np.testing.assert_allclose(found.X, np.maximum(Q, 0.0))
    np.testing.assert_allclose(found.history, history)
    assert found.converged is done
    assert found.lower_bound is None
    assert done == (steps == 50)
    assert all(later <= before + 1e-12 for before, later in pairwise(history))


def test_a_matrix_is_made_symmetric_first():
    A, w = np.random.default_rng(4).random((4, 4)), rising(4, 3)
    one, other = (prox.prox_symmetric(M, w, "mm") for M in (A, (A + A.T) / 2))
    assert one.X.tolist() == other.X.tolist()


@pytest.mark.parametrize("bad", [{"method": "primal"}, {"max_iter": 0}])
def test_unknown_methods_and_no_steps_are_refused(bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        prox.prox_symmetric(symmetric(3), rising(3, 2), **bad)


# ---------------------------------------------------------------------- dual decomposition


@pytest.mark.parametrize(("seed", "steps"), [(2, 1), (2, 2), (2, 5), (1, 5), (3, 5)])
def test_rows_move_against_their_asymmetry_by_shorter_and_shorter_steps(seed, steps):
    """Of five steps the best is the first (seed 2), the fourth (1) or the last (3)."""
    A, w = symmetric(12, seed), 4 * rising(12, 11)
    shifted, history, bound, best = A.copy(), [cost(A, A, w)], -np.inf, A
    for k in range(steps):
        rows = shifted - charged(shifted, w)
        bound = max(bound, cost(shifted, rows, w) - 0.5 * ((A - shifted) ** 2).sum())
        Q = (rows + rows.T) / 2
        history.append(cost(A, Q, w))
        if history[-1] == min(history):
            best = Q
        X = np.maximum(rows, 0.0)
        shifted = shifted - (X - X.T) / (2 * np.sqrt(k + 1))
    found = prox.prox_symmetric(A, w, max_iter=steps)
    np.testing.assert_allclose(found.history, history)
    np.testing.assert_allclose(found.Q, best)
    np.testing.assert_allclose(found.X, np.maximum(best, 0.0))
    assert found.lower_bound == pytest.approx(bound)
    assert found.lower_bound <= min(history) + 1e-12
    assert found.converged is False


def test_rows_that_agree_end_the_search_at_once():
    A = symmetric(5, 3)
    found = prox.prox_symmetric(A, np.zeros((5, 4)))
    assert found.converged is True
    assert len(found.history) == 2
    np.testing.assert_allclose(found.X, np.maximum(A, 0.0))


def test_the_result_is_never_worse_than_where_it_began():
    """One step leads uphill here: a single entry is charged on both sides."""
    A = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    found = prox.prox_symmetric(A, np.tile([0.0, 5.0], (3, 1)), max_iter=3)
    at = cost(A, found.Q, np.tile([0.0, 5.0], (3, 1)))
    assert at == pytest.approx(min(found.history))


# ---------------------------------------------------------------------- in blocks and passes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_of_scale_and_profile_are_a_table(monkeypatch, dtype):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    keys, scale, profile = symmetric(20).astype(dtype), np.arange(1.0, 21.0), np.arange(19.0)
    found = prox.separable_penalty(scale, profile, dtype)(keys)
    assert found.dtype == dtype
    assert len(parallel.blocks(20)) > 1
    np.testing.assert_allclose(found, charged(keys, np.outer(scale, profile)))


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("passes", [0, 1, 2, 3])
def test_passes_by_blocks_are_passes_of_whole_matrices(monkeypatch, on_disk, passes):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    A, scale, profile = symmetric(20, 5), np.linspace(0.5, 2.0, 20), np.log(2 + np.arange(19.0))
    Q = A
    for _ in range(passes):
        Q = prox.mm_pass(A, charged(Q, np.outer(scale, profile)))
    found = prox.mm_passes(A, scale, profile, passes, on_disk)
    np.testing.assert_allclose(found, Q, atol=1e-12)


@pytest.mark.parametrize("on_disk", [False, True])
def test_half_the_sum_with_the_transpose(monkeypatch, on_disk):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    monkeypatch.setattr(prox, "DISK_ROWS", 7)
    M = np.random.default_rng(6).random((20, 20))
    out = np.empty_like(M)
    prox.half_sum(M, out, on_disk)
    np.testing.assert_allclose(out, (M + M.T) / 2)


def test_a_prox_by_hand_says_nothing_of_bounds_or_convergence():
    found = prox.SymmetricProx(np.eye(2), np.eye(2))
    assert (found.history, found.lower_bound, found.converged) == ([], None, False)

"""The inner loops of solvers: ADMM's p × p work, and least squares row by row, done plainly."""

import numpy as np
import pytest
import scipy.sparse as sp

from linkprior import kernels
from linkprior.errors import ParameterError


@pytest.fixture
def matrices(size, dtype):
    rng = np.random.default_rng(size)
    return [rng.standard_normal((size, size)).astype(dtype) for _ in range(4)]


def close(found, expected, dtype):
    np.testing.assert_allclose(
        found, expected, rtol=50 * np.finfo(dtype).eps, atol=1e-4 if dtype == np.float32 else 1e-12
    )


@pytest.mark.parametrize("rows", [1, 4, None])
def test_split_rows_does_the_x_and_z_steps_in_place(engine, dtype, matrices, rows):
    fitted, G, Q, Y = (matrix[:rows] for matrix in matrices)
    before = np.maximum(Q, 0)
    A = fitted + (before - Y)
    X = np.maximum(A - G, 0)
    expected_Y = X - (A - X)
    squares = kernels.split_rows(fitted, G, Q, Y)
    close(Q, A - G, dtype)
    close(Y, expected_Y, dtype)
    terms = (fitted - X, X - before, fitted, X, expected_Y)
    assert squares.dtype == np.float64
    expected = [(term.astype(float) ** 2).sum() for term in terms]
    np.testing.assert_allclose(squares, expected, rtol=1e-4 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("step", [1, 7, 64])
def test_linearise_rows_over_any_blocks(engine, dtype, matrices, step):
    B, Q, G, _ = matrices
    p = len(B)
    scale = np.linspace(0.5, 2, p).astype(dtype)
    row_sums = np.concatenate(
        [kernels.linearise_rows(B, Q, scale, a, min(a + step, p), G) for a in range(0, p, step)]
    )
    weighted = scale[:, None] * B
    close(G, (weighted + weighted.T) / 2, dtype)
    close(row_sums, (B.astype(float) * np.maximum(Q, 0)).sum(axis=1), dtype)


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


# ---------------------------------------------------------------------- conjugate gradient steps


def problem(p, rank, dtype, seed=0):
    """Return a pattern with an empty row and a negative curvature, and numbers for its entries."""
    rng = np.random.default_rng(seed)
    dense = rng.random((p, p)) < 0.3
    dense[0] = False
    pattern = sp.csr_array(dense.astype(float))
    others = (0.3 * rng.standard_normal((p, rank))).astype(dtype)
    curve = rng.uniform(0.2, 1.0, pattern.nnz)
    if pattern.nnz:
        curve[0] = -0.05
    pull = rng.uniform(0.0, 1.0, pattern.nnz)
    X = rng.standard_normal((p, rank)).astype(dtype)
    return pattern, others, curve, pull, X


def at_entries(X, others, pattern):
    rows, columns = np.repeat(np.arange(len(X)), np.diff(pattern.indptr)), pattern.indices
    return (X[rows].astype(float) * others[columns].astype(float)).sum(axis=1)


def solved(pattern, others, curve, pull):
    """Return the least of ½‖w‖² + Σ ½·curve·(w·h)² − pull·w·h for every row."""
    wide = others.astype(float)
    found = np.zeros((pattern.shape[0], wide.shape[1]))
    for i in range(len(found)):
        own = slice(pattern.indptr[i], pattern.indptr[i + 1])
        near = wide[pattern.indices[own]]
        normal = np.eye(wide.shape[1]) + (curve[own, None] * near).T @ near
        found[i] = np.linalg.solve(normal, pull[own] @ near)
    return found


@pytest.mark.parametrize("rank", [1, 5])
def test_enough_steps_solve_every_row(engine, dtype, rank):
    pattern, others, curve, pull, X = problem(40, rank, dtype)
    x = at_entries(X, others, pattern)
    kept = X.copy(), x.copy()
    where = pattern.indptr, pattern.indices
    new_X, new_x = kernels.descend_rows(X, x, others, where, curve, pull, 2 * rank)
    close = {"atol": 2e-5 if dtype == np.float32 else 1e-10, "rtol": 0}
    np.testing.assert_allclose(new_X, solved(pattern, others, curve, pull), **close)
    np.testing.assert_allclose(new_x, at_entries(new_X, others, pattern), **close)
    assert new_X.dtype == dtype
    assert new_x.dtype == np.float64
    np.testing.assert_array_equal(X, kept[0])
    np.testing.assert_array_equal(x, kept[1])


def test_the_first_step_goes_down_the_steepest_way_to_its_least(engine):
    pattern, others, curve, pull, X = problem(12, 4, np.float64, seed=3)
    x = at_entries(X, others, pattern)
    where = pattern.indptr, pattern.indices
    found, _ = kernels.descend_rows(X, x, others, where, curve, pull, 1)
    for i in range(12):
        own = slice(pattern.indptr[i], pattern.indptr[i + 1])
        near = others[pattern.indices[own]]
        normal = np.eye(4) + (curve[own, None] * near).T @ near
        down = pull[own] @ near - normal @ X[i]
        step = down @ down / (down @ normal @ down)
        np.testing.assert_allclose(found[i], X[i] + step * down, atol=1e-12)


def test_rows_that_are_done_stay(engine, dtype):
    pattern, others, curve, pull, _ = problem(20, 3, dtype)
    where = pattern.indptr, pattern.indices
    zero, none = np.zeros((20, 3), dtype), np.zeros(pattern.nnz)
    found, products = kernels.descend_rows(zero, none, others, where, curve, 0.0 * pull, 4)
    assert not found.any()
    assert not products.any()


def test_no_step_changes_nothing(engine, dtype):
    pattern, others, curve, pull, X = problem(20, 3, dtype)
    x = at_entries(X, others, pattern)
    where = pattern.indptr, pattern.indices
    found, products = kernels.descend_rows(X, x, others, where, curve, pull, 0)
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(products, x)


def test_shapes_that_do_not_match_are_refused():
    pattern, others, curve, pull, X = problem(20, 3, np.float64)
    x, where = at_entries(X, others, pattern), (pattern.indptr, pattern.indices)
    with pytest.raises(ParameterError, match="do not match"):
        kernels.descend_rows(X[:, :2], x, others, where, curve, pull, 1)
    with pytest.raises(ParameterError, match="every stored entry"):
        kernels.descend_rows(X, x[:-1], others, where, curve, pull, 1)

"""Conjugate gradient steps for rows of a factor, against solving each row."""

import numpy as np
import pytest
import scipy.sparse as sp

from linkprior import kernels
from linkprior.errors import ParameterError


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

"""Coordinate descent on rows of non-negative factors, against sums of squares."""

import numpy as np
import pytest
import scipy.sparse as sp

from linkprior import kernels
from linkprior.errors import ParameterError

N, RANK = 60, 7


@pytest.fixture
def problem():
    rng = np.random.default_rng(1)
    H = np.where(rng.random((N, RANK)) < 0.5, 0.0, rng.random((N, RANK))).astype(np.float32)
    H[:, 3] = 0.0  # a column of nothing
    W = np.where(rng.random((40, RANK)) < 0.5, 0.0, rng.random((40, RANK))).astype(np.float32)
    a = sp.random_array((40, N), density=0.05, rng=rng, format="csr", dtype=np.float32)
    return a, W, H


def descended(problem):
    a, W, H = problem
    return kernels.descend_coordinates(W, H, H.T @ H, (a.indptr, a.indices), a.data)


def one_by_one(problem):
    """Set each coordinate to the least of its parabola, from values of the objective alone."""
    dense, W, H = (np.asarray(x, np.float64) for x in (problem[0].toarray(), *problem[1:]))
    for row, w in zip(dense, W, strict=True):
        for t in range(RANK):
            rest = row - H @ w + H[:, t] * w[t]
            if H[:, t].any():
                w[t] = max(0.0, H[:, t] @ rest / (H[:, t] @ H[:, t]))
    return W


def test_each_coordinate_is_set_to_its_best(engine, problem):
    before = problem[1].copy()
    found = descended(problem)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, one_by_one(problem), atol=1e-5)
    np.testing.assert_array_equal(problem[1], before)


def test_rows_do_not_depend_on_the_block(engine, problem):
    a, W, H = problem
    whole = descended(problem)
    np.testing.assert_array_equal(whole[10:20], descended((sp.csr_array(a[10:20]), W[10:20], H)))


def test_arrays_that_do_not_match_are_refused(problem):
    a, W, H = problem
    with pytest.raises(ParameterError, match="do not match"):
        descended((a, W[:, 1:], H))
    with pytest.raises(ParameterError, match="every stored entry"):
        descended((a, W[1:], H))

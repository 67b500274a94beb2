"""ADMM's p × p work against whole matrices."""

import numpy as np
import pytest

from linkprior import kernels


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

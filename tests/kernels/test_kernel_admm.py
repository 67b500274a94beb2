"""ADMM's p × p kernels against whole-matrix formulas."""

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


def test_split_rows_does_the_x_and_z_steps_in_place(engine, dtype, matrices):
    fitted, G, Q, Y = matrices
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

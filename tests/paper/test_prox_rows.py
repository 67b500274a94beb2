"""Eq. `small_problem`: the row prox, sort – subtract – clip, against brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError

DTYPES = [np.float32, np.float64]
CLOSE = {np.float32: 1e-5, np.float64: 1e-12}


def objective(x, a, w):
    """½‖x − a‖² + Σ_k w_k·x_[k] in float64, as printed."""
    x, a, w = (np.asarray(v, dtype=np.float64) for v in (x, a, w))
    return 0.5 * ((x - a) ** 2).sum() + (w * np.sort(x)[::-1]).sum()


def best_over_rank_orders(a, w):
    """The exact optimum: rising weights on falling values are the least of w·x over all orders."""
    a, w = np.asarray(a, dtype=np.float64), np.asarray(w, dtype=np.float64)
    orders = w[np.array(list(permutations(range(len(a)))))]
    x = np.maximum(a - orders, 0)
    return (0.5 * (x - a) ** 2 + orders * x).sum(axis=1).min()


def random_row(rng, n, dtype):
    """A row with negatives, zeros and ties, and weights that may tie or vanish too."""
    a = np.round(rng.normal(0.4, 0.8, n), int(rng.integers(0, 4)))
    a[rng.random(n) < 0.15] = 0.0
    w = np.sort(np.round(rng.random(n) * rng.choice([0.2, 1.0]), int(rng.integers(1, 4))))
    return a.astype(dtype), w.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_no_order_of_ranks_does_better(n, dtype):
    rng = np.random.default_rng(n)
    for _ in range(60):
        a, w = random_row(rng, n, dtype)
        A = np.stack([a] * (n + 1))  # n + 1 equal rows: not square
        X = lp.theory.prox_rows(A, np.stack([w] * (n + 1)))
        assert X.dtype == dtype
        assert (X >= 0).all()
        assert objective(X[0], a, w) == pytest.approx(best_over_rank_orders(a, w), abs=CLOSE[dtype])
        np.testing.assert_array_equal(X, np.stack([X[0]] * (n + 1)))


def test_ties_go_by_index_and_lose_nothing():
    X = lp.theory.prox_rows([[1.0, 1.0, 1.0, -1.0]], [[0.1, 0.2, 0.3, 0.4]])
    np.testing.assert_allclose(X, [[0.9, 0.8, 0.7, 0.0]])
    a, w = [1.0, 1.0, 1.0, -1.0], [0.1, 0.2, 0.3, 0.4]
    assert objective(X[0], a, w) == pytest.approx(best_over_rank_orders(a, w))


# ---- square: a network's matrix ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_square_rows_rank_all_but_the_diagonal(p, dtype):
    rng = np.random.default_rng(20 + p)
    for _ in range(40):
        A = np.stack([random_row(rng, p, dtype)[0] for _ in range(p)])
        W = np.stack([random_row(rng, p - 1, dtype)[1] for _ in range(p)])
        X = lp.theory.prox_rows(A, W)
        assert X.dtype == dtype
        for i in range(p):
            x, a = np.delete(X[i], i), np.delete(A[i], i)
            best = best_over_rank_orders(a, W[i])
            assert objective(x, a, W[i]) == pytest.approx(best, abs=CLOSE[dtype])


def test_diagonal_passes_through_and_is_not_ranked():
    A = np.array([[9.0, 2.0, 1.0], [2.0, -4.0, 3.0], [1.0, 3.0, 0.5]])
    W = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    X = lp.theory.prox_rows(A, W)
    np.testing.assert_array_equal(np.diagonal(X), [9.0, 0.0, 0.5])
    np.testing.assert_allclose(X[0, 1:], [1.9, 0.8])
    for value in (-7.0, 0.0, 2.5, 1e6):
        np.fill_diagonal(A, value)
        changed = lp.theory.prox_rows(A, W)
        np.testing.assert_array_equal(np.diagonal(changed), [max(value, 0.0)] * 3)
        off = ~np.eye(3, dtype=bool)
        np.testing.assert_array_equal(changed[off], X[off])


def test_larger_networks_give_what_small_rows_give():
    """300 nodes take the compiled kernels; each row must still be sort – subtract – clip."""
    rng = np.random.default_rng(6)
    A = np.round(rng.normal(0.2, 1, (300, 300)), 2)
    W = lp.theory.rank_weights(rng.integers(1, 40, 300), 299)
    X = lp.theory.prox_rows(A, W)
    for i in range(0, 300, 7):
        others = np.delete(np.arange(300), i)
        order = others[np.argsort(-A[i, others], kind="stable")]
        np.testing.assert_array_equal(X[i, order], np.maximum(A[i, order] - W[i], 0))
        assert X[i, i] == max(A[i, i], 0)


def test_input_stays():
    A, W = np.arange(9.0).reshape(3, 3), np.ones((3, 2))
    lp.theory.prox_rows(A, W)
    np.testing.assert_array_equal(A, np.arange(9.0).reshape(3, 3))
    np.testing.assert_array_equal(W, 1.0)


def test_one_node_has_a_diagonal_only():
    np.testing.assert_array_equal(lp.theory.prox_rows([[-2.0]], np.empty((1, 0))), [[0.0]])


# ---- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "A", "weights"),
    [
        (r"A must be finite, but A\[0, 2\]", [[1, 2, np.nan]], np.ones((1, 3))),
        ("weights must be finite", np.ones((1, 3)), [[1, 2, np.inf]]),
        (r"weights must have shape \(", np.ones((3, 3)), np.ones((3, 3))),  # p − 1 are needed
        (r"weights must have shape \(", np.ones((2, 3)), np.ones((2, 2))),
        (r"weights must have shape \(", np.ones((3, 2)), np.ones((3, 1))),
        (r"weights must have shape \(", np.ones((2, 3)), np.ones((3, 3))),
        ("weights must be .*non-decreasing", np.ones((1, 3)), [[1.0, 0.5, 2.0]]),
        ("weights must be non-negative", np.ones((1, 3)), [[-0.1, 0.0, 2.0]]),
        ("weights must", np.ones((2, 3)), np.ones(3)),
        ("A must", np.ones(3), np.ones((1, 3))),
        ("A must", [["a", "b", "c"]], np.ones((1, 3))),
    ],
)
def test_wrong_shapes_and_weights_are_refused(name, A, weights):
    with pytest.raises(ParameterError, match=f"^{name}"):
        lp.theory.prox_rows(A, weights)

"""The penalty read from rank tables, against plain Python."""

import numpy as np
import pytest

from linkprior import kernels
from linkprior.errors import ParameterError


def naive_weight(score, table, weights):
    tied = [weight for knot, weight in zip(table, weights, strict=True) if knot == score]
    if tied:
        return (tied[0] + tied[-1]) / 2
    if score >= table[0]:
        return weights[0]
    if score < table[-1]:
        return weights[-1]
    k = next(k for k in range(len(table)) if table[k] <= score)
    part = (float(table[k - 1]) - float(score)) / (float(table[k - 1]) - float(table[k]))
    return weights[k - 1] + part * (weights[k] - weights[k - 1])


def naive_penalty(scores, first, tables, scale, weights):
    out = np.zeros(scores.shape)
    for r, j in np.ndindex(scores.shape):
        i, s = first + r, scores[r, j]
        if i != j:
            own = scale[i] * naive_weight(s, tables[i], weights)
            out[r, j] = 0.5 * (own + scale[j] * naive_weight(s, tables[j], weights))
    return out


@pytest.mark.parametrize("kind", ["normal", "ties", "equal"])
@pytest.mark.parametrize("n_knots", [1, 2, 5, 8, 21, 33])  # the last 20 are counted apart
def test_lookup_penalty(engine, dtype, kind, n_knots):
    p, rng = 40, np.random.default_rng(n_knots)
    half = {
        "normal": rng.standard_normal((p, p)),
        "ties": rng.integers(-2, 3, (p, p)),
        "equal": np.ones((p, p)),
    }[kind]
    scores = (half + half.T).astype(dtype)
    ranks = np.linspace(0, p - 2, n_knots).astype(int)
    tables = kernels.row_quantiles(scores, 0, ranks)
    scale, weights = rng.random(p), np.log(2 + ranks)
    for first, b in [(0, p), (13, 5)]:
        block = scores[first : first + b]
        found = kernels.lookup_penalty(block, first, tables, scale, weights)
        expected = naive_penalty(block, first, tables, scale, weights)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("n_knots", [126, 127, 128, 300])
def test_more_knots_than_a_byte_counts(n_knots):
    table, weights = np.arange(n_knots, 0, -1.0), np.log(2 + np.arange(n_knots))
    scores = np.array([-1.0, 0.5, 1.0, 1.5, n_knots / 2, n_knots, n_knots + 1.0])
    found = kernels.weights_at(scores, table, weights)
    expected = [naive_weight(score, table, weights) for score in scores]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_every_rank_a_knot_gives_the_exact_penalty(engine):
    p, rng = 30, np.random.default_rng(1)
    half = rng.random((p, p))
    scores, scale, profile = half + half.T, rng.random(p), np.log(2 + np.arange(p - 1))
    tables = kernels.row_quantiles(scores, 0, np.arange(p - 1))
    exact = kernels.rank_penalty(scores, scale, profile, 0)
    found = kernels.lookup_penalty(scores, 0, tables, scale, profile)
    np.testing.assert_allclose(found, (exact + exact.T) / 2, rtol=1e-12)


def test_shared_knots_give_the_middle_of_their_weights(engine):
    tables = np.array([[2.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    weights, scale = np.array([1.0, 4.0, 9.0]), np.ones(2)
    for score, weight in [(3.0, 1.0), (2.0, 1.0), (1.0, 2.5), (0.0, 6.5), (-1.0, 9.0)]:
        found = kernels.lookup_penalty(np.full((2, 2), score), 0, tables, scale, weights)
        np.testing.assert_array_equal(found, weight * (1 - np.eye(2)))


def test_unfit_tables_are_refused(engine):
    with pytest.raises(ParameterError, match="tables must have shape"):
        kernels.lookup_penalty(np.eye(3), 0, np.ones((2, 4)), np.ones(3), np.ones(4))

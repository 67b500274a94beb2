"""Candidates, counts and products at stored entries, against plain Python."""

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

from linkprior import kernels
from linkprior.errors import ParameterError

RELAXED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def random_network(p, rng, share=0.2):
    upper = np.triu(rng.random((p, p)) < share, 1)
    return sp.csr_array((upper | upper.T).astype(float))


def naive_candidates(scores, first, adjacency):
    stored = adjacency.toarray() != 0
    b, p = scores.shape
    pairs = [(first + r, j) for r in range(b) for j in range(first + r + 1, p)]
    return [(float(scores[i - first, j]), i, j) for i, j in pairs if not stored[i, j]]


def naive_top(scores, first, adjacency, k, floor):
    found = [c for c in naive_candidates(scores, first, adjacency) if c[0] > floor]
    return sorted(found, key=lambda c: (-c[0], c[1], c[2]))[:k]


def triples(result):
    rows, columns, scores = result
    assert rows.dtype == columns.dtype == np.int64
    return [(float(s), int(i), int(j)) for i, j, s in zip(rows, columns, scores, strict=True)]


def score_matrices(p, rng, dtype):
    yield rng.standard_normal((p, p)).astype(dtype)
    yield rng.integers(-2, 3, (p, p)).astype(dtype)
    yield np.zeros((p, p), dtype)
    yield np.arange(p * p, dtype=dtype).reshape(p, p)  # rising: every candidate beats the last


def test_top_pairs(engine, dtype, size):
    rng = np.random.default_rng(size)
    adjacency = random_network(size, rng, 0.02 if size > 100 else 0.3)
    pattern = adjacency.indptr, adjacency.indices
    first = size // 3
    b = min(9, size - first)
    for scores in score_matrices(size, rng, dtype):
        block = scores[first : first + b]
        for k, floor in [(1, -np.inf), (7, -np.inf), (10**9, -np.inf), (20, 0.1), (5, 1e12)]:
            result = triples(kernels.top_pairs(block, first, *pattern, k, floor))
            assert result == naive_top(block, first, adjacency, k, floor)


@RELAXED
@given(seed=st.integers(0, 10**6), k=st.integers(0, 60), block=st.integers(1, 14))
def test_floor_from_earlier_blocks_loses_nothing(engine, dtype, seed, k, block):
    rng = np.random.default_rng(seed)
    scores, adjacency = rng.integers(0, 5, (14, 14)).astype(dtype), random_network(14, rng)
    found, floor = [], -np.inf
    for a in range(0, 14, block):
        rows = scores[a : a + block]
        found += triples(kernels.top_pairs(rows, a, adjacency.indptr, adjacency.indices, k, floor))
        found = sorted(found, key=lambda c: (-c[0], c[1], c[2]))[:k]
        floor = found[-1][0] if len(found) == k > 0 else -np.inf
    assert found == naive_top(scores, 0, adjacency, k, -np.inf)


def test_floor_is_compared_as_float64(engine):
    scores = np.full((3, 3), np.float32(0.1))
    empty = np.zeros(4, np.int32), np.zeros(0, np.int32)
    assert len(kernels.top_pairs(scores, 0, *empty, 9, 0.1)[0]) == 3  # float32(0.1) > 0.1
    assert len(kernels.top_pairs(scores, 0, *empty, 9, float(np.float32(0.1)))[0]) == 0


def test_count_above(engine, dtype, size):
    rng = np.random.default_rng(size)
    adjacency = random_network(size, rng, 0.02 if size > 100 else 0.3)
    first = size // 4
    b = min(9, size - first)
    for scores in score_matrices(size, rng, dtype):
        block = scores[first : first + b]
        values = np.array([c[0] for c in naive_candidates(block, first, adjacency)])
        some = values[:: max(1, values.size // 20)]
        thresholds = np.sort(np.concatenate([some, some[:2], [-3.5, 0.0, 0.25, 1e9]]))
        above, equal = kernels.count_above(
            block, first, adjacency.indptr, adjacency.indices, thresholds
        )
        assert above.dtype == equal.dtype == np.int64
        np.testing.assert_array_equal(above, [(values > t).sum() for t in thresholds])
        np.testing.assert_array_equal(equal, [(values == t).sum() for t in thresholds])


def test_no_thresholds_no_counts(engine):
    empty = np.zeros(4, np.int32), np.zeros(0, np.int32)
    above, equal = kernels.count_above(np.eye(3), 0, *empty, [])
    assert above.size == equal.size == 0


@pytest.mark.parametrize("rank", [1, 3, 4, 7, 20])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_edge_products(engine, dtype, rank, index):
    rng = np.random.default_rng(rank)
    left, right = rng.random((30, rank)).astype(dtype), rng.random((30, rank)).astype(dtype)
    adjacency = random_network(30, rng)
    indptr, indices = adjacency.indptr.astype(index), adjacency.indices.astype(index)
    rows = np.repeat(np.arange(30), np.diff(indptr))
    expected = (left.astype(float)[rows] * right.astype(float)[indices]).sum(1)
    out = np.empty(indices.size)
    assert kernels.edge_products(left, right, indptr, indices, out) is out
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    part = kernels.edge_products(left[10:20], right, indptr[10:21], indices)
    np.testing.assert_array_equal(part, out[indptr[10] : indptr[20]])


def test_unfit_arguments_are_refused(engine):
    scores, indptr, indices = np.eye(3), np.zeros(4, int), np.zeros(0, int)
    with pytest.raises(ParameterError, match="indptr must have 4"):
        kernels.top_pairs(scores, 0, indptr[1:], indices, 1)
    with pytest.raises(ParameterError, match="first = -1"):
        kernels.top_pairs(scores, -1, indptr, indices, 1)
    with pytest.raises(ParameterError, match="do not match"):
        kernels.edge_products(scores, scores[:, :2], indptr, indices)

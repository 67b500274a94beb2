"""The best pairs of a block, and products at stored entries, against plain Python."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from tests.kernels.conftest import RELAXED, random_network

from linkprior import kernels
from linkprior.errors import ParameterError
from linkprior.kernels import pairs as selection


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
    out = kernels.edge_products(left, right, indptr, indices)
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    part = kernels.edge_products(left[10:20], right, indptr[10:21], indices)
    np.testing.assert_array_equal(part, out[indptr[10] : indptr[20]])


def test_unfit_arguments_are_refused(engine):
    scores, indptr, indices = np.eye(3), np.zeros(4, int), np.zeros(0, int)
    with pytest.raises(ParameterError, match="indptr must have 4"):
        kernels.top_pairs(scores, 0, indptr[1:], indices, 1)
    with pytest.raises(ParameterError, match="do not match"):
        kernels.edge_products(scores, scores[:, :2], indptr, indices)


KINDS = {
    "rising": np.arange(144.0).reshape(12, 12),  # every pair is better than all before
    "falling": -np.arange(144.0).reshape(12, 12),
    "ties": np.random.default_rng(3).integers(0, 4, (12, 12)).astype(float),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 4, 8])
def test_a_full_buffer_neither_loses_nor_repeats_one_of_the_best_pairs(
    engine, monkeypatch, kind, k
):
    """The search pauses within a row, raises its floor to the k-th best and goes on from there."""
    monkeypatch.setattr(selection, "buffer_size", lambda n_rows, n_columns, k: k + 2)
    a, scores = random_network(12, np.random.default_rng(4), 0.3), KINDS[kind][2:11]
    stored = a.toarray()
    pairs = [(i, j) for i in range(2, 11) for j in range(i + 1, 12) if not stored[i, j]]
    best = sorted(pairs, key=lambda pair: (-scores[pair[0] - 2, pair[1]], pair))[:k]
    assert len(pairs) > 2 * (k + 2)
    found = kernels.top_pairs(scores, 2, a.indptr, a.indices, k)
    assert triples(found) == [(scores[i - 2, j], i, j) for i, j in best]


@pytest.mark.parametrize(
    ("scores", "k", "kept"),
    [
        ([3, 1, 1, 1, 1], 2, [0, 1]),
        ([1, 1, 3, 1, 4, 1], 3, [0, 2, 4]),
        ([1, 1, 3, 1, 4, 1], 4, [0, 1, 2, 4]),
        ([1, 1, 3, 1, 4, 1], 2, [2, 4]),
        ([2, 2, 2], 2, [0, 1]),
        ([2, 1], 2, [0, 1]),
        ([2, 1], 3, [0, 1]),
    ],
)
def test_of_equal_scores_only_the_earliest_that_still_fit_are_kept(scores, k, kept):
    scores, codes = np.array(scores, float), np.arange(len(scores))
    best, at = selection.keep_best(scores, codes, k)
    assert at.tolist() == kept
    assert best.tolist() == scores[kept].tolist()


def test_pairs_of_falling_score_are_all_found_however_many_are_asked_for(engine):
    """No later pair beats one before, so that the k best are the first k."""
    p, rows = 80, 40
    falling = np.arange(rows * p, 0, -1, dtype=float).reshape(rows, p)
    nothing = np.zeros(p + 1, np.int64), np.zeros(0, np.int64)
    pairs = [[i, j] for i in range(rows) for j in range(i + 1, p)]
    for k in (1, 1000, 1500, 2000, len(pairs), 10**9):
        found = kernels.top_pairs(falling, 0, *nothing, k)
        assert np.stack(found[:2], axis=1).tolist() == pairs[:k]


def test_a_block_without_rows_has_no_pairs(engine, dtype):
    for p, first in ((0, 0), (3, 0), (3, 3)):
        nothing = np.zeros(p + 1, np.int64), np.zeros(0, np.int64)
        found = kernels.top_pairs(np.empty((0, p), dtype), first, *nothing, 2)
        assert [(len(part), part.dtype) for part in found] == [
            (0, np.int64),
            (0, np.int64),
            (0, dtype),
        ]

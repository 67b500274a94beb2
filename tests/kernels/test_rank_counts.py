"""Sums over candidates by score bin, against plain Python."""

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from tests.kernels.conftest import RELAXED

from linkprior import kernels
from linkprior.errors import ParameterError


def case(seed, p=13):
    """A symmetric score matrix with ties, stored pairs, closed nodes, kinds and a table."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-3, 4, (p, p)), 1) * rng.choice([0.1, 1.0])
    stored = np.triu(rng.random((p, p)) < 0.2, 1)
    closed = (rng.random(p) < 0.2).astype(np.int64)
    kinds, table = rng.integers(0, 3, p), rng.integers(0, 9, (3, 3, 2)).astype(float)
    return upper + upper.T, sp.csr_array((stored | stored.T) * 1.0), closed, kinds, table


def candidates(scores, stored, closed, first, last):
    barred, p = stored.toarray() != 0, len(scores)
    pairs = [(i, j) for i in range(first, last) for j in range(i + 1, p)]
    return [(i, j) for i, j in pairs if not (barred[i, j] or closed[i] or closed[j])]


def bin_of(score, limits):
    return 2 * sum(limit < score for limit in limits) + (score in limits)


@RELAXED
@given(seed=st.integers(0, 10**6), first=st.integers(0, 12), b=st.integers(1, 6))
def test_tally_sums_the_table_over_candidates_by_bin(engine, dtype, seed, first, b):
    scores, stored, closed, kinds, table = case(seed)
    scores = scores.astype(dtype)
    last = min(first + b, len(scores))
    limits = np.unique([-1.5, float(scores[0, 1]), float(scores[2, 5]), float(scores[3, 4])])
    expected = np.zeros((2 * len(limits) + 1, 2))
    for i, j in candidates(scores, stored, closed, first, last):
        expected[bin_of(float(scores[i, j]), limits.tolist())] += table[kinds[i], kinds[j]]
    pattern = stored.indptr, stored.indices
    got = kernels.tally(scores[first:last, first:], first, *pattern, closed, limits, kinds, table)
    np.testing.assert_array_equal(got, expected)


@RELAXED
@given(seed=st.integers(0, 10**6), first=st.integers(0, 12), b=st.integers(1, 6))
def test_tally_nodes_counts_each_candidate_for_both_of_its_nodes(engine, dtype, seed, first, b):
    scores, stored, closed, *_ = case(seed)
    scores = scores.astype(dtype)
    p, last = len(scores), min(first + b, len(scores))
    rng = np.random.default_rng(seed)
    own = [np.unique(rng.choice(scores[i], rng.integers(0, 4))).tolist() for i in range(p)]
    starts = np.concatenate([[0], np.cumsum([len(limits) for limits in own])])
    expected = np.zeros(2 * starts[-1] + p)
    for pair in candidates(scores, stored, closed, first, last):
        for node in pair:
            expected[2 * starts[node] + node + bin_of(float(scores[pair]), own[node])] += 1
    got = kernels.tally_nodes(
        scores[first:last, first:],
        first,
        stored.indptr,
        stored.indices,
        closed,
        starts,
        np.concatenate([np.array(limits, float) for limits in own]),
    )
    np.testing.assert_array_equal(got, expected)


def test_tally_of_many_columns_takes_several_tiles(engine):
    rng = np.random.default_rng(0)
    row = rng.integers(0, 5, 200).astype(float)
    nothing = np.zeros(201, np.int64), np.zeros(0, np.int64)
    open_nodes = np.zeros(200, np.int64)
    got = kernels.tally(
        row[None, :], 0, *nothing, open_nodes, [1.0, 3.5], open_nodes, np.ones((1, 1, 1))
    )[:, 0]
    values = row[1:]
    assert got.tolist() == [
        (values < 1).sum(),
        (values == 1).sum(),
        ((values > 1) & (values < 3.5)).sum(),
        0,
        (values > 3.5).sum(),
    ]


def test_above_and_equal_read_the_bins():
    above, equal = kernels.above_and_equal(np.array([1, 2, 3, 4, 5]))
    assert (above.tolist(), equal.tolist()) == ([12, 5], [2, 4])


def test_unfit_arguments_are_refused(engine):
    nothing = np.zeros(4, int), np.zeros(0, int), np.zeros(3, int)
    kinds, table = np.zeros(3, int), np.ones((1, 1, 1))
    for limits in ([], [1.0, 0.0], [1.0, 1.0]):
        with pytest.raises(ParameterError, match="ascending, distinct"):
            kernels.tally(np.eye(3), 0, *nothing, limits, kinds, table)
    with pytest.raises(ParameterError, match="must have 2 columns"):
        kernels.tally(np.eye(3), 1, *nothing, [0.0], kinds, table)

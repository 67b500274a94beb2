"""Pairs and products of a part of the rows, and of a buffer that fills up many times on the way."""

import numpy as np
import pytest
import scipy.sparse as sp

from linkprior import kernels
from linkprior.kernels import selection


@pytest.fixture
def engines(monkeypatch):
    """Go through both engines in one test."""

    def each():
        for name in ("portable", "numba"):
            monkeypatch.setenv("LINKPRIOR_KERNELS", name)
            yield name

    return each


def network(p, seed):
    upper = np.triu(np.random.default_rng(seed).random((p, p)) < 0.3, 1)
    return sp.csr_array((upper | upper.T).astype(float))


def test_products_of_some_rows_are_written_from_the_first_place_on(engines):
    """The rows' entries begin somewhere in the network's; what is returned begins with them."""
    a, rng = network(9, 1), np.random.default_rng(2)
    left, right = rng.random((9, 2)), rng.random((9, 2))
    rows, columns = a[4:7].nonzero()
    expected = (left[4 + rows] * right[columns]).sum(axis=1)
    assert len(expected) < a.indptr[4]
    for name in engines():
        found = kernels.edge_products(left[4:7], right, a.indptr[4:8], a.indices)
        np.testing.assert_allclose(found, expected, rtol=1e-14, err_msg=name)


KINDS = {
    "rising": np.arange(144.0).reshape(12, 12),  # every pair is better than all before
    "falling": -np.arange(144.0).reshape(12, 12),
    "ties": np.random.default_rng(3).integers(0, 4, (12, 12)).astype(float),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 4, 8])
def test_a_full_buffer_neither_loses_nor_repeats_one_of_the_best_pairs(
    engines, monkeypatch, kind, k
):
    """The search pauses within a row, raises its floor to the k-th best and goes on from there."""
    monkeypatch.setattr(selection, "buffer_size", lambda n_rows, n_columns, k: k + 2)
    a, scores = network(12, 4), KINDS[kind][2:11]
    stored = a.toarray()
    pairs = [(i, j) for i in range(2, 11) for j in range(i + 1, 12) if not stored[i, j]]
    best = sorted(pairs, key=lambda pair: (-scores[pair[0] - 2, pair[1]], pair))[:k]
    assert len(pairs) > 2 * (k + 2)
    for name in engines():
        rows, columns, found = kernels.top_pairs(scores, 2, a.indptr, a.indices, k)
        assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == best, name
        assert found.tolist() == [scores[i - 2, j] for i, j in best], name

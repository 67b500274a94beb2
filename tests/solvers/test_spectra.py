"""Spectra against their formulas in dense matrices, ranks against those of SciPy."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import rankdata

from linkprior import parallel
from linkprior.model import spectra

BOTH = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def matrix_of(graph):
    return nx.to_scipy_sparse_array(graph, format="csr", dtype=float)


def pieces():
    """A path, a star, a ring and two nodes without edges."""
    parts = [nx.path_graph(4), nx.star_graph(3), nx.cycle_graph(5), nx.empty_graph(2)]
    return matrix_of(nx.disjoint_union_all(parts))


def close(found, expected, dtype):
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, atol=1e-4 if dtype == np.float32 else 1e-9)


@BOTH
def test_eigenpairs_of_all_components_are_those_of_the_matrix(dtype):
    a = pieces()
    values, vectors = spectra.eigenpairs(a, dtype)
    close(np.sort(values), np.linalg.eigvalsh(a.toarray()), dtype)
    close(vectors.T @ vectors, np.eye(15), dtype)
    close(vectors @ np.diag(values) @ vectors.T, a.toarray(), dtype)
    component = np.repeat([0, 1, 2, 3, 4], [4, 4, 5, 1, 1])
    for vector in vectors.T:
        assert len(set(component[np.abs(vector) > 1e-4])) == 1


@pytest.mark.parametrize(
    ("dtype", "near", "far"), [(np.float32, 3e-7, 1e-5), (np.float64, 3e-10, 1e-8)]
)
@pytest.mark.parametrize("largest", [1.0, -1.0])
def test_eigenvalues_are_equal_up_to_the_rounding_of_their_type(dtype, near, far, largest):
    values = np.array([0.5, largest, 0.25, 0.5 + near, 0.25 + far], dtype)
    spaces = sorted(sorted(space.tolist()) for space in spectra.eigenspaces(values))
    assert spaces == [[0, 3], [1], [2], [4]]


@BOTH
@pytest.mark.parametrize("rows", [1, 4, 7])
def test_a_product_by_blocks_is_the_product(monkeypatch, dtype, rows):
    monkeypatch.setattr(spectra, "_AT_ONCE", 2)
    rng = np.random.default_rng(rows)
    left, right = rng.random((rows, 3)).astype(dtype), rng.random((5, 3)).astype(dtype)
    close(spectra.product(left, right), left @ right.T, dtype)


@BOTH
@pytest.mark.parametrize("threshold", [0.3, 2.0])
def test_the_filter_leaves_large_eigenvalues_and_takes_small_ones(dtype, threshold):
    a = pieces()
    values, vectors = np.linalg.eigh(a.toarray())
    M = threshold * values.max()
    expected = vectors @ np.diag(values**3 / (values**2 + M**2)) @ vectors.T
    close(spectra.filtered(*spectra.eigenpairs(a, dtype), threshold), expected, dtype)


@BOTH
@pytest.mark.parametrize("noise", [0.5, 3.0])
def test_the_wiener_filter_is_its_formula(dtype, noise):
    a = pieces()
    dense, degrees = a.toarray(), a.sum(axis=1)
    values, vectors = np.linalg.eigh(dense)
    S = vectors @ np.diag(np.abs(values)) @ vectors.T
    N = noise * np.diag(np.maximum(degrees, 1) ** (1 / 3))
    R = S @ np.linalg.inv(S + N)
    found = spectra.wiener(a, *spectra.eigenpairs(a, dtype), degrees, noise)
    close(found, R @ dense @ R.T, dtype)


@BOTH
@pytest.mark.parametrize("graph", ["path", "ring", "pieces"])
def test_a_perturbation_adds_what_each_eigenspace_sees_of_it(dtype, graph):
    """A ring has eigenvalues of two vectors each: only their space is sure."""
    a = {"path": matrix_of(nx.path_graph(6)), "ring": matrix_of(nx.cycle_graph(6))}
    kept = a.get(graph, pieces())
    p = kept.shape[0]
    upper = np.triu(np.random.default_rng(1).random((p, p)) < 0.4, 1) * 1.0
    dropped = upper + upper.T
    values, vectors = np.linalg.eigh(kept.toarray())
    expected = kept.toarray()
    for value in np.unique(values.round(6)):
        own = vectors[:, np.abs(values - value) < 1e-5]
        # What single vectors of zero would add depends on the basis; their space does not.
        P = own @ own.T
        expected = expected + P @ dropped @ P
    close(spectra.perturbed(kept, sp.csr_array(dropped), dtype), expected, dtype)


@pytest.mark.parametrize("p", [2, 3, 6, 17, 33])
@pytest.mark.parametrize("parts", [1, 2])
def test_the_upper_half_goes_to_a_list_and_back(monkeypatch, p, parts):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    half = np.triu(np.arange(1.0, p * p + 1).reshape(p, p), 1)
    matrix = half + half.T
    entries = spectra.upper(np.array_split(matrix + np.eye(p), parts), p)
    assert entries.tolist() == matrix[np.triu_indices(p, 1)].tolist()
    back = spectra.symmetric(entries, p, np.float32)
    assert back.dtype == np.float32
    assert back.tolist() == matrix.tolist()


RANKED = [
    [3.0, 1.0, 2.0],
    [1.0, 1.0, 5.0, 1.0, 5.0],
    [-2.0, -2.0, -1.0, 0.0],
    [0.0, 0.0, 0.0],
    [1e-9, 2e-9, 3e-9, 3e-9],
    [7.0],
    [-0.11, -0.12, -0.4, -0.11, -0.3],
]


@pytest.mark.parametrize("entries", RANKED)
@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
def test_ranks_are_those_of_scipy_however_many_ties_are_ranked_at_a_time(
    monkeypatch, entries, at_once
):
    monkeypatch.setattr(spectra, "_TIES_AT_ONCE", at_once)
    given = np.array(entries)
    found = spectra.descending_ranks(given.copy(), 1e-6)
    assert found.tolist() == rankdata(-given).tolist()


@pytest.mark.parametrize("scale", [1e-6, 1.0, -1.0, 1e6])
def test_entries_that_differ_by_noise_of_the_largest_are_tied(scale):
    entries = scale * np.array([100.0, 1.0, 1.0 + 1e-3, 50.0, 1.5])
    found = spectra.descending_ranks(entries.copy(), 1e-3)
    tied = np.array([100.0, 1.0, 1.0, 50.0, 1.5])
    assert found.tolist() == rankdata(-scale * tied).tolist()


def test_nothing_has_no_ranks():
    assert spectra.descending_ranks(np.empty(0), 1e-6).tolist() == []

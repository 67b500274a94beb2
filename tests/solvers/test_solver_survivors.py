"""Steps of solvers and of what they are made of, against dense formulas and definitions."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import rankdata

import linkprior as lp
from linkprior import parallel
from linkprior.errors import ParameterError
from linkprior.model import spectra
from linkprior.model.construction import construct
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior
from linkprior.model.sbm import Partition
from linkprior.solvers.direct import DirectSolver
from linkprior.solvers.sbm_search import BlockSearch
from linkprior.solvers.symmetric_prox import dual_decomposition
from linkprior.solvers.tri_admm import AdmmSolver

KARATE = lp.Network.from_networkx(nx.karate_club_graph())
RANKED = DegreePrior(KARATE.degrees.astype(float))
LOSS = SquaredLoss(0.4)


def factors_of(p, seed, rank=3):
    rng = np.random.default_rng(seed)
    S = rng.random((rank, rank)) / 4
    return Factors(rng.random((p, rank)), S + S.T)


def admm(**options):
    options = {"dtype": np.float64, "workers": 1, **options}
    return AdmmSolver(KARATE, LOSS, 3, RANKED, 0.05, 0.3, **options)


# ---------------------------------------------------------------------- solvers


def test_only_a_prior_without_ranks_tells_its_value_at_new_factors():
    """It is the sum of all entries; one with ranks would need a pass over all pairs."""
    new = factors_of(34, 1)
    dense = new.U @ new.S @ new.U.T
    flat = DirectSolver(KARATE, LOSS, 3, L1Prior(), 0.05)
    value = flat._extra(flat.init(np.random.default_rng(0))).value
    assert value(new) == pytest.approx(0.05 * (dense.sum() - np.trace(dense)))
    ranked = DirectSolver(KARATE, LOSS, 3, RANKED, 0.05)
    assert ranked._extra(ranked.init(np.random.default_rng(0))).value is None


def test_the_product_with_y_is_the_same_in_several_blocks(monkeypatch):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    solver = admm()
    assert len(parallel.blocks(34)) > 1
    state, U = solver.init(np.random.default_rng(3)), factors_of(34, 2).U
    plain, doubled = solver._times_Y(state, U, [lambda Y: Y, lambda Y: 2 * Y])
    np.testing.assert_allclose(plain, state.Y @ U, rtol=1e-12)
    np.testing.assert_allclose(doubled, 2 * (state.Y @ U), rtol=1e-12)


def test_a_second_pass_goes_from_the_same_point_by_the_new_ranks():
    """A = USUᵀ + Z stays; Q = A − G, and Y = X − Z with X = max(Q, 0) and Z = A − X."""
    solver, factors = admm(passes=2), factors_of(34, 4)
    state = solver.init(np.random.default_rng(5))
    A = factors.U @ factors.S @ factors.U.T + state.Z
    solver._split(state, factors)
    solver._linearise(state)
    G = state.G.copy()
    solver._pass_again(state)
    X = np.maximum(A - G, 0.0)
    np.testing.assert_allclose(state.Q, A - G, atol=1e-12)
    np.testing.assert_allclose(state.Y, X - (A - X), atol=1e-12)


def test_rows_that_agree_at_once_end_the_dual_decomposition():
    A = np.random.default_rng(0).random((6, 6))
    found = dual_decomposition(A + A.T, lambda keys: np.full_like(keys, 0.3), max_iter=50)
    assert found.converged
    assert len(found.history) == 2
    np.testing.assert_allclose(found.X, np.maximum(A + A.T - 0.3, 0.0))


# ---------------------------------------------------------------------- blocks


def cliques(count, size):
    """Return a ring of cliques, and the clique of each node."""
    graph = nx.disjoint_union_all([nx.complete_graph(size)] * count)
    graph.add_edges_from((n * size, (n + 1) % count * size + 1) for n in range(count))
    return nx.to_scipy_sparse_array(graph, format="csr"), np.repeat(np.arange(count), size)


def test_the_picture_of_a_small_network_is_as_wide_as_that_of_a_large_one():
    small, large = (BlockSearch(cliques(count, 4)[0], 8, None, 5) for count in (8, 40))
    assert small.picture.shape[1] == large.picture.shape[1] < 32
    np.testing.assert_allclose(np.linalg.norm(small.picture, axis=1), 1.0)


def test_the_search_returns_a_partition_no_longer_than_that_of_one_block():
    # Cliques of different sizes: with equal ones the eigenvectors, and so the search's start,
    # would be up to the processor.
    graph = nx.disjoint_union_all([nx.complete_graph(size) for size in (7, 8, 9, 10)])
    graph.add_edges_from([(0, 8), (7, 16), (15, 25), (24, 1)])
    adjacency = nx.to_scipy_sparse_array(graph, format="csr")
    found = BlockSearch(adjacency, 8, None, 5).run(np.random.default_rng(0))
    whole = Partition.of(adjacency, np.zeros(34, np.int64))
    assert found.n_blocks == 4
    assert found.description_length() < whole.description_length()


def test_the_number_of_blocks_is_refined_between_the_levels_of_the_search():
    """Levels of 25, 23, 21 … leave out numbers that the second, slow descent goes through."""
    adjacency, _ = cliques(22, 9)
    seen = []
    search = BlockSearch(adjacency, 25, None, 5)
    descend = BlockSearch._descend

    def watched(self, start, path, rng):
        seen.append(list(path))
        return descend(self, start, path, rng)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BlockSearch, "_descend", watched)
        found = search.run(np.random.default_rng(0))
    assert seen[1][0] >= found.n_blocks >= seen[1][-1]
    assert len(seen[1]) <= 5


@pytest.mark.parametrize("wanted", [7, 6, 5])
def test_merges_leave_as_many_blocks_as_were_asked_for(wanted):
    adjacency, group = cliques(8, 4)
    search = BlockSearch(adjacency, 8, None, 5)
    labels = search._merged(Partition.of(adjacency, group), wanted)
    assert len(np.unique(labels)) == wanted


# ---------------------------------------------------------------------- spectra


def scattered(p=24, share=0.12, seed=1):
    """A random network in several components, some of them single nodes."""
    upper = np.triu(np.random.default_rng(seed).random((p, p)) < share, 1)
    return sp.csr_array((upper | upper.T).astype(float))


def test_the_eigenpairs_of_all_components_put_the_matrix_together_again():
    adjacency = scattered()
    values, vectors = spectra.eigenpairs(adjacency, np.float64)
    np.testing.assert_allclose(
        vectors @ np.diag(values) @ vectors.T, adjacency.toarray(), atol=1e-9
    )
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(24), atol=1e-9)


def test_the_filter_is_its_formula_in_matrices():
    A = scattered().toarray()
    M = 0.9 * np.linalg.eigvalsh(A).max()
    dense = A @ A @ A @ np.linalg.inv(A @ A + M**2 * np.eye(24))
    found = spectra.filtered(*spectra.eigenpairs(sp.csr_array(A), np.float64), 0.9)
    np.testing.assert_allclose(found, dense, atol=1e-9)


@pytest.mark.parametrize("p", [2, 7, 40])
def test_the_upper_half_is_taken_off_and_put_back(monkeypatch, p):
    monkeypatch.setattr(parallel, "_BLOCK_ENTRIES", 1)
    matrix = np.random.default_rng(p).random((p, p))
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    entries = spectra.upper(np.array_split(matrix, 3), p)
    assert entries.tolist() == matrix[np.triu_indices(p, 1)].tolist()
    np.testing.assert_array_equal(spectra.symmetric(entries, p, np.float64), matrix)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_which_eigenvalues_are_equal_does_not_depend_on_their_scale(scale):
    values = scale * np.array([3.0, 1.0, 3.0 + 1e-10, -2.0, 1.0 + 1e-7])
    spaces = [sorted(space.tolist()) for space in spectra.eigenspaces(values)]
    assert sorted(spaces) == [[0, 2], [1], [3], [4]]


def test_negative_entries_are_ranked_apart_like_others():
    entries = -np.array([0.11, 0.12, 0.4, 0.11, 0.3])
    expected = rankdata(-entries)
    np.testing.assert_array_equal(spectra.descending_ranks(entries.copy(), 1e-9), expected)


def test_of_scores_the_one_below_zero_is_named():
    X = np.array([[0.0, 0.5, 0.2], [0.5, 0.0, -1.0], [0.2, -1.0, 0.0]])
    with pytest.raises(ParameterError, match=r"X\[1, 2\] is -1"):
        construct(X, np.array([1, 1, 1]))

"""Non-negative factors: as near as scikit-learn's, from a fixed start."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF

import linkprior as lp
from linkprior.solvers import nonnegative


def squares(a, W, H):
    return np.linalg.norm(a.toarray() - W.astype(float) @ H.T.astype(float)) ** 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("rank", [4, 16])
def test_ten_sweeps_come_near_sixty_of_scikit_learn(rank):
    a = lp.planted_network(400, n_groups=12, mean_degree=12, seed=4).confidence
    theirs = NMF(rank, init="nndsvda", max_iter=60, random_state=0)
    W = theirs.fit_transform(a.astype(float))
    reached = squares(a, *nonnegative.factorise(a, rank, 10))
    assert reached < 1.02 * squares(a, W, theirs.components_.T)


def test_more_sweeps_come_nearer(planted):
    a = planted.confidence
    reached = [squares(a, *nonnegative.factorise(a, 6, sweeps)) for sweeps in (1, 3, 10, 30)]
    assert sorted(reached, reverse=True) == reached


def test_blocks_and_threads_change_no_byte(monkeypatch):
    monkeypatch.setattr(nonnegative, "BLOCK_ROWS", 64)
    a = lp.planted_network(300, seed=2).confidence
    found = set()
    for workers in (1, 3):
        with lp.use_workers(workers):
            W, H = nonnegative.factorise(a, 8, 3)
        found.add(W.tobytes() + H.tobytes())
    assert len(found) == 1


def test_leading_vectors_are_eigenvectors(planted):
    a = planted.confidence.astype(np.float32)
    values, V = nonnegative.leading_vectors(a, 3)
    exact = np.linalg.eigvalsh(a.toarray())
    expected = exact[np.argsort(-np.abs(exact))][:3]
    np.testing.assert_allclose(values[0], expected[0], rtol=1e-3)
    np.testing.assert_allclose(np.abs(values), np.abs(expected), rtol=0.1)
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e-4)


def test_a_star_has_two_eigenvalues_and_any_number_of_factors():
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 30)])
    values, _ = nonnegative.leading_vectors(star.confidence.astype(np.float32), 10)
    np.testing.assert_allclose(sorted(values), [-np.sqrt(29), np.sqrt(29)], rtol=1e-5)
    W, H = nonnegative.factorise(star.confidence, 10, 20)
    assert W.shape == H.shape == (30, 10)
    np.testing.assert_allclose(W @ H.T, star.confidence.toarray(), atol=0.05)


def test_where_an_eigenvalue_is_negative_its_two_parts_are_joined():
    # Two sides, all edges between them: ±λ, of which the second joins the sides.
    a = sp.csr_array(np.kron([[0.0, 1.0], [1.0, 0.0]], np.ones((5, 5))))
    W, H = nonnegative.start_factors(a.astype(np.float32), 2)
    assert sorted(((W > 0.51) ^ (H > 0.51)).all(axis=0)) == [False, True]

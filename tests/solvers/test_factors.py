"""Products over stored entries: in parts on several threads they are what they are at once."""

import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.model import factors as stored
from linkprior.model.factors import Factors
from linkprior.solvers.direct import spectral_factors


@pytest.fixture
def net():
    return lp.planted_network(120, seed=1)


def test_parts_give_the_same_bytes_as_all_rows_at_once(net, monkeypatch):
    rng = np.random.default_rng(0)
    left, right = rng.random((2, net.n_nodes, 5))
    values = rng.random(net.evidence.pattern.nnz)
    with parallel.use_workers(1):
        once = (stored.edge_products(left, right, net), stored.evidence_times(net, values, left))
    asked = []
    usual = parallel.map_tasks
    monkeypatch.setattr(stored, "_ENTRIES", 37)
    monkeypatch.setattr(
        parallel, "map_tasks", lambda w, parts: asked.append(len(parts)) or usual(w, parts)
    )
    with parallel.use_workers(3):
        parts = (stored.edge_products(left, right, net), stored.evidence_times(net, values, left))
    assert min(asked) > 5
    for one, other in zip(once, parts, strict=True):
        assert one.tobytes() == other.tobytes()
    a = net.evidence.pattern
    dense = np.zeros(a.shape)
    rows = np.repeat(np.arange(net.n_nodes), np.diff(a.indptr))
    dense[rows, a.indices] = values
    np.testing.assert_allclose(once[1], dense @ left, rtol=1e-12)
    np.testing.assert_allclose(once[0], (left @ right.T)[rows, a.indices], rtol=1e-12)


def test_scores_on_edges_are_kept_for_one_network_only(net):
    rng = np.random.default_rng(0)
    factors = Factors(rng.random((net.n_nodes, 3)), np.eye(3))
    first = factors.on_evidence(net)
    assert factors.on_evidence(net) is first
    other = net.hide(net.edges[:5])
    assert len(factors.on_evidence(other)) == len(first) - 10


def test_what_follows_from_factors_is_not_sent_along():
    import copy
    import pickle

    factors = Factors(np.ones((500, 4)), np.eye(4))
    plain = len(pickle.dumps(factors))
    _ = factors.US, factors.gram
    assert len(pickle.dumps(factors)) == plain
    np.testing.assert_array_equal(copy.copy(factors).US, factors.US)


def test_a_spectral_start_has_the_parts_of_eigenvectors_and_fits_the_network():
    two = np.kron(np.eye(2), np.ones((8, 8))) - np.eye(16)  # two cliques that nothing joins
    two[0, 8] = two[8, 0] = 1
    net = lp.Network.from_indices(np.argwhere(np.triu(two)), [str(n) for n in range(16)])
    one, other = (spectral_factors(net, 4, np.random.default_rng(seed)) for seed in (1, 2))
    inside = two > 0
    np.fill_diagonal(inside, False)
    X = one.rows(0, 16)
    assert X[inside].mean() > 1.5 * X[:8, 8:].mean()
    assert X.sum() == pytest.approx(two.sum(), rel=0.2)
    assert (one.U > 0).all()
    assert (one.S >= 0).all()
    assert not np.array_equal(one.U, other.U)


def test_a_spectral_start_of_a_star_has_as_many_groups_as_are_asked_for():
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 20)])
    start = spectral_factors(star, 7, np.random.default_rng(0))
    assert start.U.shape == (20, 7)
    assert np.isfinite(start.S).all()
    assert lp.make("tri", start="spectral", max_iter=3).fit(star).score_rows(0, 20).any()

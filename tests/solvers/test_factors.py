"""Products over stored entries: in parts on several threads they are what they are at once."""

import numpy as np
import pytest

import linkprior as lp
from linkprior import parallel
from linkprior.model import factors as stored
from linkprior.model.factors import Factors


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


@pytest.mark.parametrize(
    ("entries", "workers", "parts"),
    [(60, 2, 1), (40, 2, 1), (30, 2, 2), (30, 1, 1), (20, 3, 3), (11, 2, 5)],
)
def test_rows_are_cut_where_there_is_work_for_two_threads(monkeypatch, entries, workers, parts):
    """A ring of 30 nodes has 60 stored entries, two in each row."""
    net = lp.Network.from_edges([(node, (node + 1) % 30) for node in range(30)])
    ends = net.evidence.pattern.indptr
    assert ends[-1] == 60
    monkeypatch.setattr(stored, "_ENTRIES", entries)
    asked = []

    def work(rows):
        asked.append((rows.start, rows.stop))
        return np.arange(rows.start, rows.stop)

    with parallel.use_workers(workers):
        found = stored._in_parts(work, np.empty(0), net)
    assert found.tolist() == list(range(30))
    asked.sort()
    assert len(asked) == parts
    assert asked[0][0] == 0
    assert asked[-1][1] == 30
    sizes = [stop - start for start, stop in asked]
    assert max(sizes) - min(sizes) <= 1


def test_parts_have_as_many_entries_each_whatever_the_number_of_rows(monkeypatch):
    """The last row of a star holds a half of all entries."""
    names = [str(node) for node in range(21)]
    net = lp.Network.from_indices(np.array([(leaf, 20) for leaf in range(20)]), names)
    monkeypatch.setattr(stored, "_ENTRIES", 20)
    asked = []
    with parallel.use_workers(2):
        stored._in_parts(lambda rows: asked.append(rows) or np.empty(0), np.empty(0), net)
    assert sorted((rows.start, rows.stop) for rows in asked) == [(0, 20), (20, 21)]

"""node2vec through gensim: seeded walks along edges, and scores that are its own products."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.experiments.models import make_peer

NET = lp.planted_network(n_nodes=60, n_groups=3, mean_degree=6, seed=2)
LONELY = lp.Network.from_edges([("a", "b"), ("b", "c")], nodes=["a", "b", "c", "d"])


def node2vec(**params):
    pytest.importorskip("gensim", reason="gensim is not installed (make benchmark does)")
    return make_peer("node2vec", rank=8, **params)


def test_walks_go_along_edges_and_start_at_every_node_with_one():
    walks = make_peer("node2vec", length=12, walks=3)._walks(NET)
    assert walks.shape == (3 * (NET.degrees > 0).sum(), 12)
    steps = np.stack([walks[:, :-1].ravel(), walks[:, 1:].ravel()])
    assert (NET.adjacency.toarray()[steps[0], steps[1]] == 1).all()
    assert (np.bincount(walks[:, 0], minlength=NET.n_nodes) == 3 * (NET.degrees > 0)).all()


def test_steps_go_to_all_neighbours_alike():
    walks = make_peer("node2vec", length=400, walks=40)._walks(LONELY)
    after_b = walks[:, 1:][walks[:, :-1] == 1]
    assert np.bincount(after_b)[0] / len(after_b) == pytest.approx(0.5, abs=0.03)
    assert 3 not in walks


def test_same_seed_same_bytes():
    one, again, other = (node2vec(seed=s).fit(NET).score_rows(0, NET.n_nodes) for s in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert one.tobytes() != other.tobytes()


def test_scores_are_symmetric_products_and_a_node_without_an_edge_has_none():
    model = node2vec().fit(LONELY)
    own, context = (model.learned_.arrays[side] for side in ("left", "right"))
    expected = (own @ context.T + context @ own.T) / 2
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(model.score_rows(0, 4), expected, rtol=1e-6)
    assert (expected[3] == 0).all()


def test_it_learns_the_network():
    rows = node2vec(iterations=5).fit(NET).score_rows(0, NET.n_nodes)
    seen = NET.adjacency.toarray() > 0
    assert rows[seen].mean() > rows[~seen].mean() + rows[~seen].std() / 2


def test_what_the_library_refuses_is_an_error_of_ours():
    with pytest.raises(LinkpriorError, match="sklearn-nmf: sklearn gave up"):
        make_peer("sklearn-nmf", rank=-1).fit(NET)


def test_an_unknown_peer_is_told_the_nearest():
    with pytest.raises(ParameterError, match=r"Did you mean node2vec"):
        make_peer("node2vek")

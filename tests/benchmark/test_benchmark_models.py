"""Other libraries' models as predictors: judged like ours, and their scores are their own."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.experiments.models import make_peer

PEERS = ("sklearn-nmf", "implicit-als", "implicit-bpr", "node2vec")
NET = lp.planted_network(n_nodes=60, n_groups=3, mean_degree=6, seed=2)
LONELY = lp.Network.from_edges([("a", "b"), ("b", "c")], nodes=["a", "b", "c", "d"])


def fitted(name, net=NET, **params):
    if name.startswith("implicit"):
        pytest.importorskip("implicit", reason="implicit is not installed (make bench does)")
    if name == "node2vec":
        pytest.importorskip("gensim", reason="gensim is not installed (make benchmark does)")
    return make_peer(name, rank=8 if name == "node2vec" else 4, **params).fit(net)


@pytest.mark.parametrize("name", PEERS)
def test_rows_and_pairs_agree_and_are_symmetric(name):
    model = fitted(name)
    rows = model.score_rows(0, NET.n_nodes)
    i, j = np.triu_indices(NET.n_nodes, 1)
    np.testing.assert_allclose(rows, rows.T, rtol=1e-5, atol=1e-6)
    scores = model.score_pairs(np.stack([i, j], axis=1))
    np.testing.assert_allclose(rows[i, j], scores, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", PEERS)
def test_they_learn_the_network(name):
    """Observed edges score above other pairs on average."""
    params = {"iterations": 5} if name == "node2vec" else {}
    rows = fitted(name, **params).score_rows(0, NET.n_nodes)
    seen = NET.adjacency.toarray() > 0
    assert rows[seen].mean() > rows[~seen].mean() + rows[~seen].std() / 2


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")
def test_the_factors_are_scikit_learns():
    from sklearn.decomposition import NMF

    model = fitted("sklearn-nmf")
    theirs = NMF(4, init="nndsvda", max_iter=200, random_state=0)
    product = theirs.fit_transform(NET.adjacency.toarray()) @ theirs.components_
    expected = (product + product.T) / 2
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(model.score_rows(0, NET.n_nodes), expected, rtol=1e-6, atol=1e-9)


def test_they_are_evaluated_like_ours():
    result = lp.evaluate([make_peer("sklearn-nmf", rank=4), "pa"], NET)
    assert result.models == ["sklearn-nmf", "pa"]
    assert 0 <= result.mean("sklearn-nmf", "auprc") <= 1


def test_what_the_library_refuses_is_an_error_of_ours():
    with pytest.raises(LinkpriorError, match="sklearn-nmf: sklearn failed"):
        make_peer("sklearn-nmf", rank=-1).fit(NET)
    with pytest.raises(ParameterError, match=r"Did you mean node2vec"):
        make_peer("node2vek")


# ---------------------------------------------------------------------- node2vec


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
    zero, again, other = (fitted("node2vec", seed=s).score_rows(0, NET.n_nodes) for s in (1, 1, 2))
    assert zero.tobytes() == again.tobytes() != other.tobytes()


def test_scores_are_symmetric_products_and_a_node_without_an_edge_has_none():
    model = fitted("node2vec", LONELY)
    own, context = (model.learned_.arrays[side] for side in ("left", "right"))
    expected = (own @ context.T + context @ own.T) / 2
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(model.score_rows(0, 4), expected, rtol=1e-6)
    assert (expected[3] == 0).all()

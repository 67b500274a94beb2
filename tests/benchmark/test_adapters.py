"""Other libraries' models as predictors: judged like ours, and their scores are their own."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.experiments.models import make_peer

PEERS = ("sklearn-nmf", "implicit-als", "implicit-bpr")
NET = lp.planted_network(n_nodes=60, n_groups=3, mean_degree=6, seed=2)


def fitted(name):
    if name.startswith("implicit"):
        pytest.importorskip("implicit", reason="implicit is not installed (make bench does)")
    return make_peer(name, rank=4).fit(NET)


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
    rows = fitted(name).score_rows(0, NET.n_nodes)
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


def test_they_are_judged_like_ours():
    result = lp.evaluate([make_peer("sklearn-nmf", rank=4), "pa"], NET)
    assert result.models == ["sklearn-nmf", "pa"]
    assert 0 <= result.mean("sklearn-nmf", "auprc") <= 1

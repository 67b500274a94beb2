"""Recall of hidden edges on real networks, at the defaults: the goals the package is held to."""

import os

import pytest
from benchmarks import data

from linkprior.evaluation import splits
from linkprior.evaluation.metrics import recall_at
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.predictors.registry import make

STARTS = 10

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"),
    reason="NUMBA_DISABLE_JIT is set: ten starts on 1,565 nodes need compiled kernels",
)


def recall(name, split, n_starts=STARTS):
    model = make(name, n_starts=n_starts).fit(split.train)
    return recall_at(rank_hidden_edges(model, split), 5)


@pytest.fixture(scope="module")
def dream5(data_folder):
    """90 % of DREAM5 network 1, seeds 0 and 1, the paper's rule."""
    net = data.dream5(data_folder)
    return [splits.uniform(net, 0.9, seed, "all-nodes") for seed in (0, 1)]


@pytest.fixture(scope="module")
def tri_on_dream5(dream5):
    return [recall("tri", split) for split in dream5]


@pytest.mark.at_length
def test_tri_on_dream5(tri_on_dream5):
    """Measured: 0.710 and 0.730."""
    assert sum(tri_on_dream5) / 2 >= 0.68


@pytest.mark.at_length
def test_tri_degree_on_dream5(dream5, tri_on_dream5):
    """Measured: 0.730 on seed 0, where tri has 0.710."""
    found = recall("tri-degree", dream5[0])
    assert found >= 0.70
    assert found >= tri_on_dream5[0] - 0.01


@pytest.mark.at_length
def test_a_later_release_of_the_rat(data_folder):
    """Measured: tri 0.620, tri-degree 0.715 of the 358 edges new in 3.2.104.

    To save time tri-degree gets half the starts, which is to its disadvantage (ten: 0.726).
    """
    older, newer = (data.rat(data_folder, version) for version in ("3.1.94", "3.2.104"))
    split = splits.release(older, newer, "all-nodes")
    tri, tri_degree = recall("tri", split), recall("tri-degree", split, STARTS // 2)
    assert tri >= 0.50
    assert tri_degree - tri >= 0.05

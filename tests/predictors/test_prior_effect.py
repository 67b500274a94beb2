"""Does the degree prior help, and is it the degrees that help?

Theory says it should where edges are few, hubs are strong and groups explain only a part: factors
of a sparsely observed node are noise, its degree is not. So the networks here are drawn with heavy
hubs (Pareto exponent 1.2), 4 groups and 4 edges per node, and half the edges are hidden. On the
default `planted_network` (milder hubs, more edges per node, groups that explain much) the same
comparison shows no effect either way (+0.000 ± 0.005 with half the edges hidden); that is a
property of the network, and no test claims otherwise.

The kind of network was chosen on seeds 0-9; the seeds here are others. Measured on them, recall@5%
(all-nodes): tri 0.187, tri-degree 0.231, degrees shuffled 0.112. More starts help tri more than
tri-degree: the gain is 0.043 with 2 starts (taken here to save time), 0.029 with 5, 0.021 with 10.
"""

import numpy as np
import pytest
from scipy import stats

import linkprior as lp
from linkprior.evaluation import splits
from linkprior.evaluation.metrics import recall_at
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.model.degrees import estimate_degrees
from linkprior.model.factors import Factors
from linkprior.model.priors import DegreePrior
from linkprior.predictors.registry import make
from linkprior.predictors.scores import DenseScores, dense_prox

SEEDS = range(100, 108)
STARTS = 2


class Given:
    """Scores as a matrix, in the shape the metrics ask for."""

    def __init__(self, matrix):
        self.matrix = matrix

    def score_rows(self, start, stop):
        return DenseScores(self.matrix).rows(start, stop)


def recall(model, split):
    return recall_at(rank_hidden_edges(model, split), 5)


def reranked(model, degrees):
    """Rank the model's own factors again, by the prox of the prior with other degrees."""
    prior, p = DegreePrior(degrees, model.alpha), len(degrees)
    scale = model.lam / model.eta * prior.scale(np.zeros(p))
    arrays = model.learned_.arrays
    layers = [Factors(U, S) for U, S in zip(arrays["U"], arrays["S"], strict=True)]
    Q = sum(dense_prox(f, scale, prior.profile(p - 1)) for f in layers)
    return Given(Q / np.float32(len(layers)))


pytestmark = pytest.mark.at_length


@pytest.fixture(scope="module")
def recalls():
    """One row per seed: tri, tri-degree, its factors with true degrees, with shuffled ones."""
    rows = []
    for seed in SEEDS:
        net = lp.planted_network(n_nodes=270, n_groups=4, mean_degree=4, hubs=1.2, seed=seed)
        split = splits.uniform(net, 0.5, seed, "all-nodes")
        tri = make("tri", n_starts=STARTS, seed=seed).fit(split.train)
        full = make("tri-degree", n_starts=STARTS, seed=seed).fit(split.train)
        degrees = estimate_degrees(split.train)
        mixed = np.random.default_rng(seed).permutation(degrees)
        models = (tri, full, reranked(full, degrees), reranked(full, mixed))
        rows.append([recall(model, split) for model in models])
    return np.array(rows).T


def interval(differences):
    """The 95 % t interval of a mean over seeds."""
    return stats.t.interval(0.95, len(differences) - 1, differences.mean(), stats.sem(differences))


def test_the_degree_prior_finds_more_hidden_edges_than_tri_alone(recalls):
    """Measured: +0.043, 95 % interval 0.036 … 0.051, with equal starts and equal steps."""
    tri, full, *_ = recalls
    low, _ = interval(full - tri)
    assert low > 0


def test_the_gain_is_lost_when_degrees_are_dealt_to_other_nodes(recalls):
    """The same factors, the same multiset of degrees: only who has which is changed."""
    tri, full, same, shuffled = recalls
    np.testing.assert_allclose(same, full)  # the helper is the model, but for the degrees
    low, _ = interval(same - shuffled)
    assert low > 0
    assert (shuffled - tri).mean() < 0

"""Models that heed how sure edges are, and known non-edges: by dense formulas, and in effect."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from tests.predictors.small import non_edges

import linkprior as lp
from linkprior.evaluation.evaluate import evaluate_cell
from linkprior.evaluation.splits import Split
from linkprior.model.factors import random_factors
from linkprior.model.losses import PoissonLoss, SquaredLoss, pu_gradient, pu_loss
from linkprior.network import pairs as pr
from linkprior.network.side_information import NON_EDGE_WEIGHT
from linkprior.predictors.auto.holdout import hide
from linkprior.predictors.base import WEIGHTS
from linkprior.predictors.registry import MODELS, find

RHO = 0.3


@pytest.fixture(scope="module")
def net():
    """Forty nodes, confidences between 0.05 and 1, and thirty known non-edges."""
    rng = np.random.default_rng(5)
    plain = lp.planted_network(40, n_groups=3, mean_degree=6.0, seed=5)
    sure = plain.with_weights(rng.uniform(0.05, 1.0, plain.n_edges))
    open_ = non_edges(plain)
    return sure.with_negatives(open_[rng.choice(len(open_), 30, replace=False)])


def dense(net):
    """Confidence, and whether a pair is a known non-edge, as whole matrices."""
    p = net.n_nodes
    w, no = np.zeros((p, p)), np.zeros((p, p), bool)
    for (i, j), weight in zip(net.edges, net.known.weights, strict=True):
        w[i, j] = w[j, i] = weight
    for i, j in net.known.negatives:
        no[i, j] = no[j, i] = True
    return w, no


def loss_by_definition(X, net, entry):
    """Σ over pairs: w·known(x) + (1 − w)·unlabelled(x), with w small at known non-edges."""
    w, no = dense(net)
    total = 0.0
    for i in range(net.n_nodes):
        for j in range(net.n_nodes):
            if i == j:
                continue
            x = X[i, j]
            unlabelled = RHO / 2 * entry(x, 0)
            if no[i, j]:
                total += NON_EDGE_WEIGHT * (1 - RHO / 2) * entry(x, 0)
                total += (1 - NON_EDGE_WEIGHT) * unlabelled
            else:
                total += w[i, j] * (1 - RHO / 2) * entry(x, 1) + (1 - w[i, j]) * unlabelled
    return total


@pytest.mark.parametrize(
    ("loss", "entry"),
    [(SquaredLoss, lambda x, t: (x - t) ** 2), (PoissonLoss, lambda x, t: x - t * np.log(x))],
)
def test_an_edge_counts_as_much_as_it_is_sure_and_a_known_non_edge_a_little(net, loss, entry):
    factors = random_factors(net.n_nodes, 4, 0.2, np.random.default_rng(0))
    X = factors.rows(0, net.n_nodes)
    value = loss(RHO).value(net, factors)
    assert value == pytest.approx(loss_by_definition(X, net, entry), rel=1e-10)


def test_the_dense_loss_and_gradient_agree_with_the_definition(net):
    rng = np.random.default_rng(2)
    X = rng.random((net.n_nodes, net.n_nodes))
    X = (X + X.T) / 2
    assert pu_loss(X, net, RHO) == pytest.approx(
        loss_by_definition(X, net, lambda x, t: (x - t) ** 2)
    )
    step = np.zeros_like(X)
    step[3, 7] = 1e-6
    slope = (pu_loss(X + step, net, RHO) - pu_loss(X - step, net, RHO)) / 2e-6
    assert pu_gradient(X, net, RHO)[3, 7] == pytest.approx(slope, rel=1e-6)


DENSE = {
    "pa": lambda A, k: np.outer(k, k),
    "cn": lambda A, k: A @ A,
    "aa": lambda A, k: A @ np.diag(np.where(k > 1, 1 / np.log(np.maximum(k, 2)), 0)) @ A,
    "ra": lambda A, k: A @ np.diag(1 / np.maximum(k, 1)) @ A,
    "l3": lambda A, k: A @ np.diag(k**-0.5) @ A @ np.diag(k**-0.5) @ A,
    "lrw": lambda A, k: A @ np.diag(1 / k) @ A @ np.diag(1 / k) @ A / (k.sum() / 2),
}


@pytest.mark.parametrize("name", DENSE)
def test_peers_are_their_formula_with_confidences_for_entries(net, name):
    A, _ = dense(net)
    expected = DENSE[name](A, A.sum(axis=1))
    np.fill_diagonal(expected, 0.0)
    found = lp.make(name).fit(net).score_rows(0, net.n_nodes)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)
    pairs = np.array([[0, 5], [3, 20], [7, 31]])
    at = expected[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_allclose(lp.make(name).fit(net).score_pairs(pairs), at, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in MODELS if n not in ("auto", "random")])
def test_equal_weights_change_nothing_but_the_scale(net, name):
    bare = lp.Network.from_indices(net.edges, net.names)
    plain = lp.make(name).fit(bare)
    equal = lp.make(name).fit(bare.with_weights(np.full(bare.n_edges, 7.0)))
    np.testing.assert_allclose(
        equal.score_rows(0, net.n_nodes), plain.score_rows(0, net.n_nodes), rtol=2e-4, atol=1e-6
    )


@pytest.mark.parametrize("name", [n for n in MODELS if n != "auto"])
def test_a_model_uses_weights_where_it_declares_so(net, name):
    bare = lp.Network.from_indices(net.edges, net.names)
    plain, sure = (lp.make(name).fit(one).score_rows(0, net.n_nodes) for one in (bare, net))
    same = np.allclose(plain, sure, rtol=1e-9)
    assert same == (not find(name).supported() & WEIGHTS)


def test_known_non_edges_lower_their_own_scores():
    net = lp.planted_network(120, seed=1)
    best = lp.make("tri", seed=1).fit(net).predict_edges(30)
    told = net.with_negatives(best.pairs)
    for name in ("tri", "pu", "nuclear-degree"):
        before = lp.make(name).fit(net).score_pairs(best.pairs).mean()
        after = lp.make(name).fit(told).score_pairs(best.pairs).mean()
        assert after < before, name


def test_surer_edges_are_hidden_more_often_in_holdouts():
    net = lp.planted_network(200, seed=2)
    weights = np.where(np.arange(net.n_edges) % 2 == 0, 1.0, 0.1)
    draws = np.random.default_rng(0).random(net.n_edges)
    drawn = hide(net.with_weights(weights), 0.2, draws).hidden
    at = np.searchsorted(pr.encode(net.edges, net.n_nodes), pr.encode(drawn, net.n_nodes))
    assert (at % 2 == 0).mean() > 0.8


# ---------------------------------------------------------------------- in effect


def noisy_network(seed, noise=0.3):
    """A clean network, the same with wrong edges, with confidences too, and what is to be found."""
    rng = np.random.default_rng(seed)
    truth = lp.planted_network(240, seed=seed)
    p, m = truth.n_nodes, truth.n_edges
    observed = np.sort(rng.permutation(m)[: int(0.7 * m)])
    clean = lp.Network.from_indices(truth.edges[observed], truth.names)
    open_ = non_edges(truth)
    wrong = open_[rng.choice(len(open_), int(noise * len(observed)), replace=False)]
    noisy = lp.Network.from_indices(np.concatenate([clean.edges, wrong]), truth.names)
    right = np.isin(pr.encode(noisy.edges, p), pr.encode(clean.edges, p))
    sure = np.where(right, rng.beta(6, 2, len(right)), rng.beta(2, 6, len(right)))
    hidden = np.delete(truth.edges, observed, axis=0)
    linked = clean.degrees > 0
    return clean, noisy, noisy.with_weights(sure + 0.01), hidden[linked[hidden].all(axis=1)]


@pytest.mark.at_length
@pytest.mark.parametrize("name", ["pu", "tri", "tri-degree", "l3"])
def test_confidences_make_up_for_half_of_what_noise_cost(name):
    found = []
    for seed in range(4):
        *nets, hidden = noisy_network(seed)
        splits = (Split(one, hidden, "connected", "noise") for one in nets)
        found.append([evaluate_cell(name, lp.make(name), one).values["auprc"] for one in splits])
    clean, noisy, sure = np.mean(found, axis=0)
    assert noisy < clean
    assert sure - noisy >= 0.5 * (clean - noisy)


@pytest.mark.at_length
def test_auto_is_no_worse_for_confidences():
    found = []
    for seed in range(2):
        _, noisy, sure, hidden = noisy_network(seed)
        splits = (Split(one, hidden, "connected", "noise") for one in (noisy, sure))
        model = lp.make("auto", effort="fast")
        found.append([evaluate_cell("auto", model, one).values["auprc"] for one in splits])
    noisy, sure = np.mean(found, axis=0)
    assert sure > 0.97 * noisy


@pytest.mark.at_length
@pytest.mark.parametrize("name", ["pu", "tri", "nuclear-degree"])
def test_known_non_edges_leave_the_rest_of_the_ranking_as_good_or_better(name):
    """Judged on pairs that are not among them: leaving these out would improve any ranking."""
    before, after = [], []
    for seed in range(3):
        clean, _, _, hidden = noisy_network(seed)
        p = clean.n_nodes
        open_ = np.setdiff1d(pr.encode(non_edges(clean), p), pr.encode(hidden, p))
        given = np.random.default_rng(seed).choice(open_, len(open_) // 5, replace=False)
        rest = np.concatenate([hidden, pr.decode(np.setdiff1d(open_, given), p)])
        y = np.arange(len(rest)) < len(hidden)
        told = clean.with_negatives(pr.decode(np.sort(given), p))
        for net, found in ((clean, before), (told, after)):
            scores = lp.make(name).fit(net).score_pairs(rest)
            found.append(average_precision_score(y, scores))
    assert np.mean(after) >= 0.97 * np.mean(before)


@pytest.mark.at_length
@pytest.mark.parametrize("name", ["tri-degree", "degree:l3"])
def test_the_true_number_of_edges_leaves_the_ranking_as_good_or_better(name):
    found = []
    for seed in range(3):
        clean, _, _, hidden = noisy_network(seed)
        split = Split(clean, hidden, "connected", "coverage")
        whole = round(clean.n_edges / 0.7)
        models = (lp.make(name), lp.make(name, n_edges=whole))
        found.append([evaluate_cell(name, model, split).values["auprc"] for model in models])
    plain, told = np.mean(found, axis=0)
    assert told >= 0.97 * plain

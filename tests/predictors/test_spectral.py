"""RNM and SPM against dense transcriptions of their formulas; ranks against scipy."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import sqrtm
from scipy.stats import rankdata

import linkprior as lp
from linkprior.errors import InputError
from linkprior.model import spectra
from linkprior.predictors import spectral


def scattered(seed, p=24, share=0.15):
    """A random network; sparse ones have isolated nodes, twins and equal eigenvalues."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(p), 2) if rng.random() < share]
    return lp.Network.from_indices(pairs or [(0, 1)], [f"n{node:02d}" for node in range(p)])


def slow_rnm(net, noise=3.0, threshold=0.95):
    """−(mean of the three ranks), from the formulas: matrix roots and inverses."""
    A, k = net.adjacency.toarray(), net.degrees.astype(float)
    on = k > 0
    B, size = A[np.ix_(on, on)], k[on]
    S = np.real(sqrtm(B @ B + 1e-13 * np.eye(len(B))))
    R = S @ np.linalg.inv(S + noise * np.diag(size ** (1 / 3)))
    M = threshold * np.linalg.eigvalsh(B).max()
    faded = B @ B @ B @ np.linalg.inv(B @ B + M**2 * np.eye(len(B)))
    halves = np.diag(size**-0.5)
    values = [R @ B @ R.T, faded, B @ halves @ B @ halves @ B]
    i, j = np.triu_indices(len(A), 1)
    ranks = np.zeros(len(i))
    for value in values:
        whole = np.zeros_like(A)
        whole[np.ix_(on, on)] = value
        ranks += rankdata(-np.round(whole[i, j] / np.abs(value).max(), 7))
    return i, j, -ranks / 3.0


@pytest.mark.parametrize("seed", range(6))
def test_rnm_is_the_negative_mean_of_three_ranks(seed):
    net = scattered(seed, share=0.08 + 0.04 * seed)
    i, j, expected = slow_rnm(net)
    scores = lp.make("rnm").fit(net).score_rows(0, net.n_nodes)
    np.testing.assert_allclose(scores[i, j], expected, rtol=1e-6)
    assert (scores == scores.T).all()


def test_rnm_follows_its_parameters():
    net = scattered(3, share=0.2)
    i, j, expected = slow_rnm(net, noise=0.5, threshold=0.3)
    model = lp.make("rnm", noise=0.5, threshold=0.3).fit(net)
    np.testing.assert_allclose(model.score_rows(0, 24)[i, j], expected, rtol=1e-6)
    assert not np.allclose(expected, slow_rnm(net)[2])


def test_rnm_ties_what_is_alike():
    """Leaves of a star cannot be told apart, whatever rounding says."""
    star = lp.Network.from_edges([(0, leaf) for leaf in range(1, 40)])
    scores = lp.make("rnm").fit(star).score_rows(0, 40)
    i, j = np.triu_indices(40, 1)
    assert len(np.unique(scores[i, j][i == 0])) == 1
    assert len(np.unique(scores[i, j][i > 0])) == 1


def slow_spm(kept, dropped, noise=1e-7):
    """Σ (λ + Δλ) x xᵀ, x diagonalising ΔA within each eigenspace."""
    values, vectors = np.linalg.eigh(kept)
    total, done = np.zeros_like(kept), np.zeros(len(values), dtype=bool)
    for value in values:
        space = (np.abs(values - value) < noise) & ~done
        done |= space
        if space.any():
            shifts, turn = np.linalg.eigh(vectors[:, space].T @ dropped @ vectors[:, space])
            for x, shift in zip((vectors[:, space] @ turn).T, shifts, strict=True):
                total += (value + shift) * np.outer(x, x)
    return total


def cut(net, seed, share):
    """The dense matrices of a random share of the edges, and of the others."""
    rng = np.random.default_rng(seed)
    count = max(1, round(share * net.n_edges))
    kept = net.hide(net.edges[rng.permutation(net.n_edges)[:count]]).adjacency.toarray()
    return kept, net.adjacency.toarray() - kept


@pytest.mark.parametrize("seed", range(4))
def test_perturbation_does_not_depend_on_the_order_of_nodes(seed):
    """A new order gives LAPACK another basis of every space of equal eigenvalues."""
    rng = np.random.default_rng(seed)
    wheel, spokes = [(i, (i + 1) % 12) for i in range(12)], [(12, i) for i in range(13, 22)]
    net = lp.Network.from_edges([*wheel, *spokes, (0, 12)], nodes=range(22))
    kept = net.adjacency.toarray()
    assert max(map(len, spectra.eigenspaces(np.linalg.eigvalsh(kept)))) > 2
    extra = np.triu(rng.random((22, 22)) < 0.1, 1) & (kept == 0)
    dropped, turn = (extra | extra.T).astype(float), rng.permutation(22)
    one, other = (
        spectra.perturbed(sp.csr_array(k), sp.csr_array(d), np.float64)
        for k, d in ((kept, dropped), (kept[turn][:, turn], dropped[turn][:, turn]))
    )
    np.testing.assert_allclose(other, one[turn][:, turn], atol=1e-10)
    np.testing.assert_allclose(one, slow_spm(kept, dropped), atol=1e-10)


def test_spm_is_the_mean_over_its_random_drops():
    net = scattered(1, share=0.25)
    seeds = np.random.SeedSequence(5).spawn(4)
    parts = [slow_spm(*cut(net, seed, 0.2)) for seed in seeds]
    scores = lp.make("spm", n=4, share=0.2, seed=5).fit(net).score_rows(0, 24)
    expected = np.mean(parts, axis=0)
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    others = lp.make("spm", n=4, share=0.2, seed=6).fit(net).score_rows(0, 24)
    assert not np.allclose(scores, others, atol=1e-3)


@pytest.mark.parametrize("name", ["rnm", "spm"])
def test_single_precision_tells_nearly_the_same(name, monkeypatch):
    net = lp.planted_network(n_nodes=120, seed=2)
    double = lp.make(name).fit(net).score_rows(0, net.n_nodes)
    monkeypatch.setattr(spectral, "DOUBLE_UP_TO", 10)
    single = lp.make(name).fit(net).score_rows(0, net.n_nodes)
    limit = 1e-4 if name == "spm" else 15.0  # ranks among 7,000 pairs
    assert np.abs(double - single).max() < limit


@pytest.mark.parametrize("name", ["rnm", "spm"])
def test_networks_too_large_are_refused_in_one_line(name, monkeypatch):
    monkeypatch.setattr(spectral, "LARGEST_SPECTRAL", 20)
    with pytest.raises(InputError, match=f"{name} needs .*at most 20 nodes, got 24; use l3"):
        lp.make(name).fit(scattered(0))

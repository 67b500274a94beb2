"""Peers that use the eigenvalues of the whole network: rnm and spm.

Both hold matrices of all pairs and take time in n³: they are for networks of some thousand nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import real_number, whole_number
from linkprior.errors import InputError
from linkprior.model import spectra
from linkprior.network import Network
from linkprior.network.pairs import n_pairs
from linkprior.predictors.base import WEIGHTS, Array, Learned, ScoredPredictor
from linkprior.predictors.cost import PICK, Cost, amount
from linkprior.predictors.multistart import MOST_STARTS, SEED_LIMIT
from linkprior.predictors.paths import L3
from linkprior.predictors.scores import DenseScores
from linkprior.predictors.spaces import Axis

LARGEST_SPECTRAL = 20_000  # nodes beyond which all eigenvectors take hours and tens of gigabytes
DOUBLE_UP_TO = 5_000  # nodes up to which matrices are float64; above, float32
TIED = {4: 1e-6, 8: 1e-10}  # of the largest value, by bytes per number: a tie when ranking


def _dtype(network: Network) -> type:
    return np.float64 if network.n_nodes <= DOUBLE_UP_TO else np.float32


@dataclass(eq=False, kw_only=True)
class Spectral(ScoredPredictor):
    """Base of the models that need every eigenvector, and learn a matrix of scores."""

    # Bytes are nearly the same for float32, as NumPy's LAPACK works in float64 inside.
    score_time = {"entries": PICK}

    def _check(self, network: Network) -> None:
        if network.n_nodes > LARGEST_SPECTRAL:
            raise InputError(
                f"{type(self).name} needs every eigenvector of the network: expected at most "
                f"{LARGEST_SPECTRAL} nodes, got {network.n_nodes}; use l3 or tri-degree for "
                "larger networks"
            )

    def _cost(self, network: Network) -> Cost:
        self._check(network)
        return super()._cost(network)

    def _scores(self) -> DenseScores:
        return DenseScores(self._state()[1].arrays["scores"])


@dataclass(eq=False, kw_only=True)
class RNM(Spectral):
    """RNM: the mean of three ranks among all pairs, negative so that higher is likelier.

    Two filters of the network seen as signal plus noise, and L3: (1) the Wiener filter R A Rᵀ,
    R = S(S + N)⁻¹, S = |A|, N = noise·diag(k^⅓); (2) eigenvalues l turned into l³/(l² + M²),
    M = threshold·l₁; (3) L3. Rank 1 is best; ties share the mean of their ranks. All eigenvectors
    are needed, so time grows with n³; above 5,000 nodes the filters are kept in float32.

    Parameters
    ----------
    noise
        Weight of the noise N in the Wiener filter.
    threshold
        M over the largest eigenvalue: smaller eigenvalues than M fade.
    """

    name = "rnm"
    summary_line = "mean rank by two spectral filters and L3, up to 20,000 nodes (2023)"
    search_space = {
        "noise": Axis(0.3, 30.0, (1.0, 3.0, 10.0)),
        "threshold": Axis(0.2, 4.0, (0.5, 0.95, 1.5)),
    }
    fit_time = {"cubes_alone": 0.35, "entries": 100.0}
    fit_bytes = {"entries": 55.0}
    supports = WEIGHTS
    noise: float = 3.0
    threshold: float = 0.95

    def _fit(self, network: Network) -> Learned:
        self._check(network)
        ranks = np.zeros(n_pairs(network.n_nodes))
        with progress.stage("fitting rnm", 10) as fitting:
            for units, tied, entries in self._parts(network):
                ranks += spectra.descending_ranks(entries, tied)
                del entries
                fitting.advance(units)
        return Learned({"scores": spectra.symmetric(ranks / -3.0, network.n_nodes, np.float32)})

    def _check(self, network: Network) -> None:
        super()._check(network)
        real_number("noise", self.noise, 0.0)
        real_number("threshold", self.threshold, 0.0)

    def _parts(self, network: Network) -> Iterator[tuple[int, float, Array]]:
        """Yield what is ranked, each with its share of the work and how near a tie is."""
        a, p = network.confidence, network.n_nodes
        values, vectors = spectra.eigenpairs(a, _dtype(network))
        tied = TIED[values.dtype.itemsize]
        yield 6, tied, spectra.upper([spectra.filtered(values, vectors, self.threshold)], p)
        cleaned = spectra.wiener(a, values, vectors, network.strengths, self.noise)
        del values, vectors
        yield 3, tied, spectra.upper([cleaned], p)
        del cleaned
        yield 1, TIED[8], spectra.upper(parallel.map_blocks(L3().fit(network)._rows, p), p)


@dataclass(eq=False, kw_only=True)
class SPM(Spectral):
    """SPM: structural perturbation (Lü et al. 2015), the mean of Σ (λ_k + Δλ_k) x_k x_kᵀ.

    Each of `n` times a share of the edges, ΔA, is dropped at random; λ_k, x_k are the eigenpairs of
    the rest, and Δλ_k = x_kᵀΔA x_k is what ΔA changes them by to first order. Where eigenvalues
    are equal, first-order theory for equal eigenvalues is used, so that the scores do not depend
    on the choice of eigenvectors. Time grows with n³; above 5,000 nodes matrices are float32.

    Parameters
    ----------
    n
        How many times edges are dropped.
    share
        Share of the edges dropped each time; at least one edge is.
    seed
        Same seed, same bytes.
    """

    name = "spm"
    summary_line = "structural perturbation, up to 20,000 nodes (Lü et al. 2015)"
    search_space = {"share": Axis(0.02, 0.4, (0.05, 0.1, 0.2))}
    n: int = 10
    share: float = 0.1
    seed: int = 0

    def _fit(self, network: Network) -> Learned:
        self._check(network)
        seeds = np.random.SeedSequence(self.seed).spawn(self.n)

        count = max(1, round(self.share * network.n_edges))

        def one_time(own: np.random.SeedSequence) -> Array:
            drawn = np.random.default_rng(own).permutation(network.n_edges)[:count]
            kept = network.hide(network.edges[drawn]).adjacency
            return spectra.perturbed(kept, network.adjacency - kept, _dtype(network))

        total: Array = np.zeros((network.n_nodes, network.n_nodes), _dtype(network))
        for one in parallel.map_tasks(one_time, seeds, stage="fitting spm"):
            total += one
        total /= self.n
        return Learned({"scores": total.astype(np.float32, copy=False)})

    def _check(self, network: Network) -> None:
        super()._check(network)
        whole_number("seed", self.seed, 0, SEED_LIMIT)
        real_number("share", self.share, 0.0, 1.0)
        whole_number("n", self.n, 1, MOST_STARTS)

    def _cost(self, network: Network) -> Cost:
        plain, at_once = super()._cost(network), min(self.n, parallel.current_workers())
        fit = amount({"cubes_alone": 0.2 * -(-self.n // at_once)}, network)
        return Cost(fit, plain.scores, amount({"entries": 45.0 * at_once + 8.0}, network))

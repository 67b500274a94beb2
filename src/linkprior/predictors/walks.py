"""Peers that sum over walks of many lengths, or follow a walker for some steps."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linkprior._validation import real_number, whole_number
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.base import WEIGHTS, Array, Learned
from linkprior.predictors.effort import Effort, Growth, amount
from linkprior.predictors.paths import PathPredictor
from linkprior.predictors.spaces import Axis

_STEP: Growth = {"edge_nodes": 0.42, "entries": 0.3}  # A times a dense block, over all sources
SERIES_ERROR = 1e-12  # what is left out of Katz's series, beside the whole
FEWEST_TERMS = 16  # with a small β, so that far pairs still have a score
_DENSE_EIGENVALUES = 250  # nodes up to which all eigenvalues take no time
_LANCZOS_STEPS = 3000  # at most; only chains and lattices of thousands of nodes come that far
_EIGENVALUE_ERROR = 1e-10  # of the residual, so of λ₁ at worst; mostly λ₁ is exact to rounding


@dataclass(eq=False, kw_only=True)
class WalkScores(PathPredictor):
    """Base: scores that come by columns, as powers of A times unit vectors.

    A column depends on its source alone, not on the block it is computed in, so rows and pairs
    give the same bits; the score of (i, j) and of (j, i) agree to rounding. Where edges have
    confidences, these are the entries of A.
    """

    supports = WEIGHTS
    score_time = {"entries": 5.5}

    @abstractmethod
    def _dense_steps(self) -> int:
        """Check the parameters, and return how often A is multiplied with a dense block."""

    def _effort(self, network: Network) -> Effort:
        plain, steps = super()._effort(network), self._dense_steps()
        return Effort(plain.fit, plain.scores + steps * amount(_STEP, network))

    @abstractmethod
    def _columns(self, sources: Ints) -> Array:
        """Return the scores of all nodes (rows) with some sources (columns)."""

    def _source_rows(self, sources: Ints) -> Array:
        return np.ascontiguousarray(self._columns(sources).T)


@dataclass(eq=False, kw_only=True)
class Katz(WalkScores):
    """Katz: walks of all lengths l, each counting β^l: Σ β^l·A^l = (I − βA)^-1 − I (Katz 1953).

    The series is summed until what is left out is below 1e-12 of the whole, about 40 terms for the
    default; a `beta` near 1 takes many more.

    Parameters
    ----------
    beta
        β times λ₁, the largest eigenvalue of A; below 1. The smaller, the more short walks count.
    """

    name = "katz"
    summary_line = "walks of all lengths, longer ones counting less (Katz 1953)"
    search_space = {"beta": Axis(0.02, 0.95, (0.05, 0.1, 0.2, 0.5, 0.7, 0.9), log=False)}
    fit_time = {"edges": 200.0, "nodes": 1000.0}
    beta: float = 0.5

    def _dense_steps(self) -> int:
        beta = real_number("beta", self.beta, 0.0, 1.0)
        return max(FEWEST_TERMS, math.ceil(math.log(SERIES_ERROR) / math.log(beta))) - 1

    def _fit(self, network: Network) -> Learned:
        terms = self._dense_steps() + 1
        factor = float(self.beta) / largest_eigenvalue(network.confidence)
        return Learned({"factor": np.array([factor])}, {"terms": terms})

    def _columns(self, sources: Ints) -> Array:
        step = self.network_.confidence * self.learned_.arrays["factor"][0]
        walks, at = step[sources].toarray().T.copy(), np.arange(len(sources))
        for _ in range(self.learned_.facts["terms"] - 1):
            walks[sources, at] += 1.0
            walks = step @ walks
        return walks


@dataclass(eq=False, kw_only=True)
class LocalRandomWalk(WalkScores):
    """LRW: q_x·π_xy(t) + q_y·π_yx(t), a random walk of t steps from either node (Liu and Lü 2010).

    π_xy(t) is the share of walkers from x that stand at y after t steps, and q = k/2m. Both terms
    are equal, as a walk and its way back are alike: the score is A·(D^-1·A)^(t−1)/m.

    Parameters
    ----------
    steps
        t, the steps a walker takes; few see the neighbourhood, many only the degrees.
    """

    name = "lrw"
    summary_line = "a random walk of a few steps from either node (Liu and Lü 2010)"
    search_space = {"steps": Axis(2, 10, (2, 3, 4, 5, 6, 8, 10), log=False, whole=True)}
    fit_time = {"nodes": 1.0}
    score_time = {"two_steps": 10.0, "entries": 5.5}
    steps: int = 3

    def _dense_steps(self) -> int:
        return max(0, whole_number("steps", self.steps, 1) - 2)

    def _fit(self, network: Network) -> Learned:
        steps = whole_number("steps", self.steps, 1)
        leave = np.where(network.degrees > 0, network.strengths, 1.0)
        return Learned({"leave": 1.0 / leave}, {"steps": steps})

    def _columns(self, sources: Ints) -> Array:
        a, leave = self.network_.confidence, self.learned_.arrays["leave"]
        steps, reached = self.learned_.facts["steps"], a[sources]
        if steps > 1:  # two steps reach few nodes in most networks
            reached.data = reached.data * leave[reached.indices]
            reached = sp.csr_array(reached @ a)
        walkers = reached.toarray().T.copy()
        for _ in range(steps - 2):
            walkers *= leave[:, None]
            walkers = a @ walkers
        return walkers / (a.sum() / 2.0)


def largest_eigenvalue(a: sp.csr_array) -> float:
    """Return λ₁ of a symmetric non-negative matrix, the same bits each time.

    By Lanczos without restarts: where eigenvalues crowd at the top, as in chains and lattices,
    restarts go on for hours, and ARPACK restarts at random when it finds an invariant subspace.
    """
    if a.shape[0] <= _DENSE_EIGENVALUES:
        return float(np.linalg.eigvalsh(a.toarray())[-1])
    from scipy.linalg import eigh_tridiagonal

    found, check = 0.0, 16
    for step, (diagonal, beside) in enumerate(_lanczos(a), start=1):
        ended = beside[-1] <= _EIGENVALUE_ERROR * max(1.0, found)  # an invariant subspace
        if ended or step in (check, _LANCZOS_STEPS):
            top = (step - 1, step - 1)
            values, vectors = eigh_tridiagonal(diagonal, beside[:-1], select="i", select_range=top)
            found, last = float(values[0]), abs(float(vectors[-1, 0]))
            if ended or beside[-1] * last <= _EIGENVALUE_ERROR * found:
                break
            check = step * 4 // 3
    return found


def _lanczos(a: sp.csr_array) -> Iterator[tuple[list[float], list[float]]]:
    """Yield the tridiagonal matrix after each step: its diagonal, and what stands beside it."""
    # A positive start is never orthogonal to the eigenvector looked for (Perron–Frobenius).
    start = np.random.default_rng(0).uniform(0.5, 1.5, a.shape[0])
    now, before = start / np.linalg.norm(start), np.zeros(a.shape[0])
    diagonal: list[float] = []
    beside: list[float] = []
    for _ in range(_LANCZOS_STEPS):
        after = a @ now - (beside[-1] if beside else 0.0) * before
        diagonal.append(float(now @ after))
        after -= diagonal[-1] * now
        beside.append(float(np.linalg.norm(after)))
        yield diagonal, beside
        before, now = now, after / beside[-1]

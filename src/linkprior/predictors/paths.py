"""Peers that count walks of any length, or paths of length 3, between the two nodes."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linkprior import kernels, parallel
from linkprior._validation import real_number, whole_number
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.base import WEIGHTS, Array, Learned, LinkPredictor
from linkprior.predictors.cost import Cost, Growth, amount
from linkprior.predictors.spaces import Axis

_STEP: Growth = {"edge_nodes": 0.42, "entries": 0.3}  # A times a dense block, over all sources
SERIES_ERROR = 1e-12  # what is left out of Katz's series, relative to the whole
FEWEST_TERMS = 16  # with a small β, so that far pairs still have a score
_DENSE_EIGENVALUES = 250  # nodes up to which all eigenvalues take no time
_LANCZOS_STEPS = 3000  # at most; only chains and lattices of thousands of nodes come that far
_EIGENVALUE_ERROR = 1e-10  # of the residual, so of λ₁ at worst; mostly λ₁ is exact to rounding
TIE_BREAK = 5e-7  # of a score: what the product of degrees may add at most


@dataclass(eq=False, kw_only=True)
class PathPredictor(LinkPredictor):
    """Base of predictors whose rows come from one kernel, a row at a time, or by columns.

    Pairs are read from the rows of their first nodes, so that they agree with rows to the last bit.
    """

    search_space = {}
    fit_time = {}

    @abstractmethod
    def _source_rows(self, sources: Ints) -> Array:
        """Return the rows of some nodes, all different, as a fresh block."""

    def _fit(self, network: Network) -> Learned:
        return Learned()

    def _rows(self, start: int, stop: int) -> Array:
        return self._source_rows(np.arange(start, stop))

    def _pairs(self, pairs: Ints) -> Array:
        sources, at = np.unique(pairs[:, 0], return_inverse=True)
        order = np.argsort(at, kind="stable")
        begins = np.searchsorted(at[order], np.arange(len(sources) + 1))
        scores = np.empty(len(pairs))

        def read(block: tuple[int, int]) -> None:
            start, stop = block
            mine = order[begins[start] : begins[stop]]
            rows = self._source_rows(sources[start:stop])
            scores[mine] = rows[at[mine] - start, pairs[mine, 1]]

        height = parallel.blocks(self.network_.n_nodes)[0][1]
        for _ in parallel.map_tasks(read, parallel.blocks(len(sources), height)):
            pass
        return scores


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

    def _cost(self, network: Network) -> Cost:
        plain, steps = super()._cost(network), self._dense_steps()
        return Cost(plain.fit, plain.scores + steps * amount(_STEP, network))

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
    terms
        Lengths of walks that are summed; None: until what is left out is below 1e-12 of the whole.
    """

    name = "katz"
    summary_line = "walks of all lengths, longer ones counting less (Katz 1953)"
    search_space = {"beta": Axis(0.02, 0.95, (0.05, 0.1, 0.2, 0.5, 0.7, 0.9), log=False)}
    fit_time = {"edges": 200.0, "nodes": 1000.0}
    beta: float = 0.5
    terms: int | None = None

    def _dense_steps(self) -> int:
        beta = real_number("beta", self.beta, 0.0, 1.0)
        if self.terms is not None:
            return whole_number("terms", self.terms, 2, 10_000) - 1
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

    π_xy(t) is the share of walkers from x that are at y after t steps, and q = k/2m. Both terms
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


@dataclass(eq=False, kw_only=True)
class L3(PathPredictor):
    """L3: Σ 1/√(k_u·k_v) over paths i–u–v–j, i.e. A·D^-½·A·D^-½·A (Kovács et al. 2019)."""

    name = "l3"
    summary_line = "paths of length 3, weighted by degree (Kovács et al. 2019)"
    lighter = "pa"
    supports = WEIGHTS
    score_time = {"third_steps": 1.0, "entries": 1.5}

    def _fit(self, network: Network) -> Learned:
        with np.errstate(divide="ignore"):
            weight = np.where(network.degrees > 0, network.strengths**-0.5, 0.0)
        return Learned({"weight": weight})

    def _source_rows(self, sources: Ints) -> Array:
        a, weight = self.network_.adjacency, self.learned_.arrays["weight"]
        if self.network_.known.weights is None:
            return kernels.l3_rows(a.indptr, a.indices, weight, sources)
        # A path counts as much as the product of its edges' confidences.
        sure = self.network_.confidence
        first = sure[sources]
        first.data = first.data * weight[first.indices]
        second = sp.csr_array(first @ sure)
        second.data = second.data * weight[second.indices]
        rows: Array = sp.csr_array(second @ sure).toarray()
        return rows


@dataclass(eq=False, kw_only=True)
class L3N(PathPredictor):
    """L3N′(f1): (|U|/k_x)(|V|/k_y) Σ (c_vx/k_v)²(c_uy/k_u)² over paths x–u–v–y.

    c counts common neighbours; U are the neighbours of x on such paths, V those of y (Yuen and
    Jansson 2023). The shares ask whether the nodes on the way have all the neighbours they would
    have if x and y belonged together.
    """

    name = "l3n"
    summary_line = "paths of length 3, normalized by neighbours (Yuen and Jansson 2023)"
    score_time = {"three_steps": 2.7, "walk_ends": 3.5, "entries": 3.5}

    def _source_rows(self, sources: Ints) -> Array:
        a = self.network_.adjacency
        return kernels.l3n_rows(a.indptr, a.indices, sources)


@dataclass(eq=False, kw_only=True)
class CH2L3(PathPredictor):
    """CH2-L3: Σ √((1+i_u)(1+i_v)) / √((1+e_u)(1+e_v)) over paths x–u–v–y (Muscoloni et al. 2020).

    i counts a node's neighbours among all nodes on such paths, e those that are neither among them
    nor x or y. On an observed pair the four nodes of a path are different, too.
    """

    name = "ch2-l3"
    summary_line = "paths of length 3 within their community (Muscoloni et al. 2020)"
    score_time = {"three_steps": 3.0, "walk_ends": 7.0, "entries": 3.5}

    def _remember(self, network: Network, learned: Learned) -> None:
        # Listed once, before threads ask for rows; not saved, as they follow from the network.
        a = network.adjacency
        self._cached_triangles = kernels.list_triangles(a.indptr, a.indices)
        super()._remember(network, learned)

    def _source_rows(self, sources: Ints) -> Array:
        a = self.network_.adjacency
        return kernels.ch2_rows(a.indptr, a.indices, self._cached_triangles, sources)

    def _cost(self, network: Network) -> Cost:
        plain, a, d = super()._cost(network), network.adjacency, network.degrees
        starts, ends = kernels.list_triangles(a.indptr, a.indices)
        per_edge = np.diff(starts)
        reach = np.minimum(a @ d.astype(np.float64), float(network.n_nodes))
        seen = amount({"third_steps": len(ends) / len(a.indices)}, network)
        scores = plain.scores + 0.02 * float(per_edge @ reach[a.indices]) + 1.5 * seen
        triangles = np.bincount(np.repeat(np.arange(len(d)), d)[per_edge > 0], minlength=1)
        entries = len(a.indices)
        each = float(triangles.max()) * network.n_nodes + 24.0 * entries  # for each thread
        held = 4.0 * len(ends) + 8.0 * len(starts) + parallel.current_workers() * each
        return Cost(plain.fit, scores, held)


@dataclass(eq=False, kw_only=True)
class MPS(PathPredictor):
    """MPS(T): max_{v∈N(y)} J(N(x), N(v)) + max_{u∈N(x)} J(N(u), N(y)), J the Jaccard index.

    Is there a partner of y that x is like, and one of x that y is like? (Wang et al. 2023.) Neither
    x nor y is such a partner itself. Equal scores are ordered by k_x·k_y, which adds less than a
    millionth to each.
    """

    name = "mps"
    summary_line = "similarity to a partner of the other (Wang et al. 2023)"
    score_time = {"walk_ends": 3.0, "entries": 4.5}

    def _source_rows(self, sources: Ints) -> Array:
        a, k = self.network_.adjacency, self.network_.degrees.astype(np.float64)
        rows = kernels.mps_rows(a.indptr, a.indices, sources)
        rows *= 1.0 + np.outer(TIE_BREAK / k.max() ** 2 * k[sources], k)
        return rows


def largest_eigenvalue(a: sp.csr_array) -> float:
    """Return λ₁ of a symmetric non-negative matrix, the same bits each time.

    By Lanczos without restarts: where eigenvalues crowd at the top, as in chains and lattices,
    restarts go on for hours, and ARPACK restarts at random when it finds an invariant subspace.
    """
    if a.shape[0] <= _DENSE_EIGENVALUES:
        return float(np.linalg.eigvalsh(a.toarray())[-1])
    from scipy.linalg import eigh_tridiagonal

    largest, check = 0.0, 16
    for step, (diagonal, off_diagonal) in enumerate(_lanczos(a), start=1):
        ended = off_diagonal[-1] <= _EIGENVALUE_ERROR * max(1.0, largest)  # an invariant subspace
        if ended or step in (check, _LANCZOS_STEPS):
            top = (step - 1, step - 1)
            values, vectors = eigh_tridiagonal(
                diagonal, off_diagonal[:-1], select="i", select_range=top
            )
            largest, last = float(values[0]), abs(float(vectors[-1, 0]))
            if ended or off_diagonal[-1] * last <= _EIGENVALUE_ERROR * largest:
                break
            check = step * 4 // 3
    return largest


def _lanczos(a: sp.csr_array) -> Iterator[tuple[list[float], list[float]]]:
    """Yield the tridiagonal matrix after each step: its diagonal, and what is next to it."""
    # A positive start is never orthogonal to the eigenvector looked for (Perron–Frobenius).
    start = np.random.default_rng(0).uniform(0.5, 1.5, a.shape[0])
    now, before = start / np.linalg.norm(start), np.zeros(a.shape[0])
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    for _ in range(_LANCZOS_STEPS):
        after = a @ now - (off_diagonal[-1] if off_diagonal else 0.0) * before
        diagonal.append(float(now @ after))
        after -= diagonal[-1] * now
        off_diagonal.append(float(np.linalg.norm(after)))
        yield diagonal, off_diagonal
        before, now = now, after / off_diagonal[-1]

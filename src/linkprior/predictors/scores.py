"""Where scores come from once factors are known: the factors, or the prior's prox over them.

Ranking by the prox *before clipping*, Q = A − τ·½(B + Bᵀ) with B_ij = b_i(rank of j in row i of Q),
is where the degree prior pays; clipped, nearly all pairs tie at zero. Small networks hold Q as a
matrix. Large ones hold, per row, the scores at some dozens of ranks for each pass of the prox, and
read the weight of any pair from these tables (a rank sketch).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linkprior import _progress as progress
from linkprior import kernels, parallel
from linkprior.model.degrees import prior_degrees
from linkprior.model.factors import Factors
from linkprior.model.priors import DegreePrior, checked_alpha, rows_of, sequence_of
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.parallel.memory import matrices, release
from linkprior.parallel.threads import scratch
from linkprior.solvers.symmetric_prox import half_sum, mm_passes

Array = NDArray[Any]
PASSES = 5  # passes of the prox when ranking; on real networks ranks hardly move after the third
_KNOTS_PER_OCTAVE = 4
_ROUNDING = 1e-6  # of a score: closer ones count as equal


class Scores(Protocol):
    """Scores of all pairs, by row block or by pair (i < j)."""

    def rows(self, start: int, stop: int) -> Array: ...

    def at(self, pairs: Ints) -> Array: ...


@dataclass(frozen=True)
class FactorScores:
    """The mean of U S Uᵀ over several starts."""

    U: Array  # (starts, p, r)
    S: Array  # (starts, r, r)

    @property
    def layers(self) -> list[Factors]:
        """The factors of each start."""
        return [Factors(u, s) for u, s in zip(self.U, self.S, strict=True)]

    @cached_property
    def mean(self) -> Factors:
        """One wide pair of factors whose X is the mean of all starts' X."""
        return merge(self.layers)

    def rows(self, start: int, stop: int) -> Array:
        return self.mean.rows(start, stop)

    def at(self, pairs: Ints) -> Array:
        return self.mean.at(pairs)


@dataclass(frozen=True)
class ProductScores:
    """L Rᵀ of factors whose product is symmetric."""

    L: Array  # (p, r)
    R: Array

    def rows(self, start: int, stop: int) -> Array:
        return np.asarray(self.L[start:stop] @ self.R.T)

    def at(self, pairs: Ints) -> Array:
        given = self.L[pairs[:, 0]], self.R[pairs[:, 1]]
        return np.asarray(np.einsum("ea,ea->e", *given, dtype=np.float64))


@dataclass(frozen=True)
class BilinearScores:
    """The mean over starts of ½(w_i·h_j + w_j·h_i)."""

    W: Array  # (starts, p, r)
    H: Array

    def rows(self, start: int, stop: int) -> Array:
        both = zip(self.W, self.H, strict=True)
        total: Any = sum(W[start:stop] @ H.T + H[start:stop] @ W.T for W, H in both)
        return np.asarray(total / (2.0 * len(self.W)))

    def at(self, pairs: Ints) -> Array:
        forth, back = (
            np.einsum("sea,sea->e", self.W[:, a], self.H[:, b], dtype=np.float64)
            for a, b in (pairs.T, pairs.T[::-1])
        )
        return np.asarray((forth + back) / (2.0 * len(self.W)))


@dataclass(frozen=True)
class DenseScores:
    """A symmetric matrix of scores."""

    matrix: Array

    def rows(self, start: int, stop: int) -> Array:
        rows = self.matrix[start:stop].copy()
        release(self.matrix, start, stop)
        return rows

    def at(self, pairs: Ints) -> Array:
        return self.matrix[pairs[:, 0], pairs[:, 1]].astype(np.float64)


@dataclass(frozen=True)
class SketchScores:
    """The prox over factors, with ranks read from per-row tables; the mean over layers."""

    layers: list[Factors]  # one per start, or a single merged one
    tables: Array  # (layers, passes, p, knots) descending scores of each row at the knots' ranks
    scale: Array  # τ·g_i per node,
    weights: Array  # and h at the knots: together the rank weights

    def rows(self, start: int, stop: int) -> Array:
        total = np.zeros((stop - start, len(self.scale)), dtype=np.float32)
        for factors, tables in zip(self.layers, self._own_tables, strict=True):
            A = base_rows(factors, start, stop)
            total += adjust(A, start, tables, self.scale, self.weights)
        return total / np.float32(len(self.layers))

    def rows_above(self, start: int, stop: int, floor: float) -> Array:
        """Return a block in which scores of pairs j > i above `floor` are exact, others not above.

        A pair's score is at most what it is before the prior, so most are known to be too low
        without a look into the tables.
        """
        if floor == -np.inf:
            return self.rows(start, stop)
        shape = (len(self.layers), stop - start, len(self.scale))
        bases = scratch("sketch bases", shape, np.float32)
        for base, factors in zip(bases, self.layers, strict=True):
            base[:] = base_rows(factors, start, stop)
        return kernels.sketch_above(bases, start, self._own_tables, self.scale, self.weights, floor)

    @cached_property
    def _own_tables(self) -> Array:
        """The tables as kernels take them: a model that was read has arrays not to be written."""
        return np.require(self.tables, np.float32, ["C", "W"])

    def at(self, pairs: Ints) -> Array:
        total = np.zeros(len(pairs))
        for factors, tables in zip(self.layers, self.tables, strict=True):
            A = factors.at(pairs).astype(np.float32)  # as blocks are: a tie must stay a tie
            total += adjust_pairs(A, pairs, tables, self.scale, self.weights)
        return total / len(self.layers)


def prior_of(model: Any, network: Network) -> DegreePrior:
    """Check a model's parameters of the degree prior, and return the prior."""
    alpha, H = checked_alpha(model.alpha), sequence_of(model.H, network.n_nodes - 1)
    seed = getattr(model, "seed", 0)
    degrees = prior_degrees(network, model.n_edges, model.c, model.degrees, seed, model.list_size)
    return DegreePrior(degrees, alpha, H)


def merge(layers: list[Factors]) -> Factors:
    """Stack factors side by side so that U S Uᵀ is the mean of theirs."""
    from scipy.linalg import block_diag

    S = block_diag(*[f.S for f in layers]) / len(layers)
    return Factors(np.concatenate([f.U for f in layers], axis=1), S)


def knots(n_ranks: int) -> Ints:
    """Return 0-based ranks at geometric distances: every rank at first, then a few per octave."""
    octaves = np.log2(n_ranks) if n_ranks > 1 else 0.0
    steps = np.linspace(0.0, octaves, int(np.ceil(octaves * _KNOTS_PER_OCTAVE)) + 1)
    return np.unique(np.rint(2.0**steps).astype(np.int64)) - 1


def build_tables(factors: Factors, scale: Array, profile: Array, passes: int = PASSES) -> Array:
    """Return the rank tables (passes, p, knots) of the prox over one layer, pass by pass."""
    rows = partial(base_rows, factors)
    return make_tables(rows, len(factors.U), scale, profile, passes, remote=True)


def base_rows(factors: Factors, start: int, stop: int) -> Array:
    """Return a block of U S Uᵀ as float32, in memory used again."""
    shape = (stop - start, len(factors.U))
    X, A = scratch("sketch X", shape, np.float64), scratch("sketch A", shape, np.float32)
    np.matmul(factors.US[start:stop], factors.U.T, out=X)
    A[:] = X
    return A


def lookup_pairs(scores: Array, pairs: Ints, table: Array, scale: Array, weights: Array) -> Array:
    """Return ½(τg_i·w_i(s) + τg_j·w_j(s)) for single pairs (blocks: `lookup_penalty`)."""
    total = np.zeros(len(scores))
    for ends in (pairs[:, 0], pairs[:, 1]):
        for at in np.array_split(np.arange(len(ends)), max(1, len(ends) // 4096)):
            total[at] += (
                0.5 * scale[ends[at]] * kernels.weights_at(scores[at], table[ends[at]], weights)
            )
    return total


def dense_prox(
    factors: Factors, scale: Array, profile: Array, on_disk: bool = False
) -> NDArray[np.float32]:
    """Return Q for one layer as a matrix, by exact ranks; at most three of its size are held.

    `on_disk` holds them in files (`parallel.memory`); the result is the same.
    """
    A = _symmetric(factors, on_disk)
    return mm_passes(A, scale, profile, PASSES, on_disk)


def _symmetric(factors: Factors, on_disk: bool) -> Array:
    """Return U S Uᵀ as float32, the same to the last bit on both sides of the diagonal."""
    raw, A = matrices(2, len(factors.U), np.float32, on_disk)

    def fill(start: int, stop: int) -> None:
        raw[start:stop] = factors.rows(start, stop)
        release(raw, start, stop)

    for _ in parallel.map_blocks(fill, len(raw)):
        pass
    half_sum(raw, A, on_disk)
    return A


def mean_matrix(layers: Iterable[Array], n_nodes: int, on_disk: bool = False) -> Array:
    """Return the mean of matrices that are made one after the other."""
    (total,), count = matrices(1, n_nodes, np.float32, on_disk), np.float32(0)
    blocks = parallel.blocks(n_nodes)
    for Q in layers:
        count += np.float32(1)
        for start, stop in blocks:
            total[start:stop] += Q[start:stop]
            release(Q, start, stop)
            release(total, start, stop)
        del Q  # before the next one is made
    for start, stop in blocks:
        total[start:stop] /= count
        release(total, start, stop)
    return total


Rows = Callable[[int, int], Array]
Combine = Callable[[Array, Array], Array]  # scores and penalties → penalised scores


def subtract(scores: Array, penalty: Array) -> Array:
    """Return the scores less the penalty, in the scores' own precision."""
    return scores - penalty.astype(scores.dtype, copy=False)


# ---------------------------------------------------------------------- tables of ranks


def make_tables(
    rows: Rows,
    n_nodes: int,
    scale: Array,
    profile: Array,
    passes: int = 1,
    combine: Combine = subtract,
    begun: Sequence[Array] | Array = (),
    remote: bool = False,
) -> Array:
    """Return (passes, p, knots) descending scores of every row at the ranks `knots(p − 1)`.

    The first table has the ranks of the scores that `rows` gives, each further one those of the
    scores as penalised by the tables before, with b_i(k) = scale_i·profile_k. `begun` are first
    tables that are there already.
    """
    tables, ranks = list(begun), knots(len(profile))

    def one_block(there: Sequence[Array], start: int, stop: int) -> Array:
        block = adjust(rows(start, stop), start, there, scale, profile[ranks], combine)
        return kernels.row_quantiles(np.asarray(block, np.float32), start, ranks)  # a fresh array

    with progress.stage(total=sum(range(len(tables) + 1, passes + 1))):
        while len(tables) < passes:
            with progress.part(len(tables) + 1):  # as many tables to look into, and one to make
                fill = partial(one_block, tuple(tables))
                blocks = parallel.map_blocks(fill, n_nodes, stage="", remote=remote)
                made = np.concatenate(list(blocks))
            tables.append(made)
    return np.stack(tables)


def adjust(
    block: Array,
    start: int,
    tables: Sequence[Array] | Array,
    scale: Array,
    weights: Array,
    combine: Combine = subtract,
) -> Array:
    """Return a block of rows penalised by ranks read from tables; `weights` is h at the knots.

    Where scores tie, each gets the middle of the first and the last weight of the tie.
    """
    adjusted, out = block, scratch("penalty", block.shape, np.float32)
    for table in tables:
        keys = np.asarray(adjusted, np.float32)  # as in the tables: a tie must stay a tie
        kernels.lookup_penalty(keys, start, table, scale, weights, out)
        adjusted = combine(block, out)
    return adjusted


def adjust_pairs(
    scores: Array,
    pairs: Ints,
    tables: Sequence[Array] | Array,
    scale: Array,
    weights: Array,
    combine: Combine = subtract,
) -> Array:
    """Return scores of single pairs, penalised as `adjust` does."""
    adjusted = scores
    for table in tables:
        penalty = lookup_pairs(np.asarray(adjusted, np.float32), pairs, table, scale, weights)
        adjusted = combine(scores, penalty.astype(np.float32))
    return adjusted


def unit_of(table: Array, n_ranks: int, n_edges: int) -> tuple[float, float]:
    """Return the score of the `n_edges`-th best pair less the median, and the median.

    `table` holds the scores of each row at the ranks `knots(n_ranks)`; each stands for the ranks
    that are nearest. Where that many pairs do not rise above the median, the best score is taken
    for them, and where no score does, the unit is 1.
    """
    ranks = knots(n_ranks)
    ends = np.concatenate([[0.0], (ranks[1:] + ranks[:-1] + 1) / 2.0, [float(n_ranks)]])
    values, counts = table.ravel(), np.tile(np.diff(ends), len(table))
    order = np.argsort(-values, kind="stable")
    reached = np.cumsum(counts[order])
    # A row has each pair again.
    places = np.searchsorted(reached, [2.0 * n_edges, reached[-1] / 2.0, 0.0])
    return _unit(*values[order[np.minimum(places, len(order) - 1)]].tolist())


def _unit(reached: float, median: float, best: float) -> tuple[float, float]:
    above = _ROUNDING * max(abs(best), abs(median))  # two ways to add up the same terms differ
    return next((top - median for top in (reached, best) if top - median > above), 1.0), median


# ---------------------------------------------------------------------- exact ranks


def exact_scores(rows: Rows, n_nodes: int) -> Array:
    """Return all scores as a matrix, the same on both sides of the diagonal."""
    A = np.concatenate(list(parallel.map_blocks(rows, n_nodes, stage="")))
    symmetric: Array = (A + A.T) * A.dtype.type(0.5)
    return symmetric


def exact_penalty(
    A: Array, scale: Array, profile: Array, passes: int = 1, combine: Combine = subtract
) -> Array:
    """Return the symmetric matrix ½(B + Bᵀ) of penalties by exact ranks, for symmetric scores A."""

    def one_pass(scores: Array) -> Array:
        keys = scores.astype(np.float32)

        def one_block(start: int, stop: int) -> Array:
            own = rows_of(profile, start, stop)
            return scale[start:stop, None] * weights_in_rows(keys[start:stop], start, own)

        B = np.concatenate(list(parallel.map_blocks(one_block, len(keys), stage="")))
        return np.asarray((B + B.T) * 0.5, np.float32)

    penalty = one_pass(A)
    for _ in range(passes - 1):
        penalty = one_pass(combine(A, penalty))
    return penalty


def exact_unit(A: Array, n_edges: int) -> tuple[float, float]:
    """Return the score of the `n_edges`-th best pair less the median, and the median.

    Exceptions are those of `unit_of`.
    """
    ranked = np.sort(A[np.triu_indices(len(A), 1)])[::-1]
    places = [min(n_edges, len(ranked)) - 1, (len(ranked) - 1) // 2, 0]
    return _unit(*ranked[places].tolist())


def weights_in_rows(keys: Array, first: int, profile: Array) -> Array:
    """Return the weight at each column's rank; what ties gets the middle of its ends' weights."""
    order = kernels.argsort_rows(keys, first).astype(np.int64)
    ranked, n = np.take_along_axis(keys, order, axis=1), order.shape[1]
    same, at = ranked[:, 1:] == ranked[:, :-1], np.arange(n)
    begins, ends = np.zeros(order.shape, np.int64), np.full(order.shape, n - 1)
    begins[:, 1:] = np.where(same, 0, at[1:])
    ends[:, :-1] = np.where(same, n - 1, at[:-1])
    np.maximum.accumulate(begins, axis=1, out=begins)
    ends = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    weights = np.zeros(keys.shape)
    rows = np.arange(len(keys))[:, None]
    low, high = (profile[rows, at] if profile.ndim == 2 else profile[at] for at in (begins, ends))
    np.put_along_axis(weights, order, 0.5 * (low + high), axis=1)
    return weights

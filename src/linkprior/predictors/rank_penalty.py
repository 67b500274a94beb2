"""Penalties by rank over rows of scores, by exact ranks or by tables of ranks; no model needed.

Small networks rank exactly and keep the penalties as a matrix; large ones keep for each row the
scores at some dozens of ranks, and read the weight of any score from these tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkprior import kernels, parallel
from linkprior.model.priors import rows_of
from linkprior.network.pairs import Ints
from linkprior.predictors.base import Array
from linkprior.predictors.scores import knots, lookup_pairs

Rows = Callable[[int, int], Array]
Combine = Callable[[Array, Array], Array]  # scores and penalties → penalised scores

_ROUNDING = 1e-6  # of a score: closer ones count as equal


def subtract(scores: Array, penalty: Array) -> Array:
    """Return the scores less the penalty, in the scores' own precision."""
    return scores - penalty.astype(scores.dtype)


# ---------------------------------------------------------------------- tables of ranks


def make_tables(
    rows: Rows,
    n_nodes: int,
    scale: Array,
    profile: Array,
    passes: int = 1,
    combine: Combine = subtract,
    begun: Sequence[Array] | Array = (),
) -> Array:
    """Return (passes, p, knots) descending scores of every row at the ranks `knots(p − 1)`.

    Parameters
    ----------
    rows
        (start, stop) → fresh block of symmetric scores; called once for each block and pass.
    scale, profile
        One number per node and one per rank: b_i(k) = scale_i·profile_k.
    passes
        The first table has the scores' own ranks, each further one those of the scores as
        penalised by the tables before it.
    combine
        How a penalty changes scores.
    begun
        First tables that are there already.
    """
    ranks, tables = knots(len(profile)), list(begun)
    weights = profile[ranks]

    def one_block(start: int, stop: int) -> Array:
        block = adjust(rows(start, stop), start, tables, scale, weights, combine)
        return kernels.row_quantiles(block.astype(np.float32), start, ranks)

    while len(tables) < passes:
        blocks = parallel.map_blocks(one_block, n_nodes, stage="")
        tables.append(np.concatenate(list(blocks)))
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
    found = block
    for table in tables:
        keys = found.astype(np.float32)  # as in the tables: a tie must stay a tie
        found = combine(block, kernels.lookup_penalty(keys, start, table, scale, weights))
    return found


def adjust_pairs(
    scores: Array,
    pairs: Ints,
    tables: Sequence[Array] | Array,
    scale: Array,
    weights: Array,
    combine: Combine = subtract,
) -> Array:
    """Return scores of single pairs, penalised as `adjust` does."""
    found = scores
    for table in tables:
        keys = found.astype(np.float32)
        penalty = lookup_pairs(keys, pairs, table, scale, weights).astype(np.float32)
        found = combine(scores, penalty)
    return found


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

    def at(place: float) -> float:
        found = np.searchsorted(reached, place)
        return float(values[order[min(int(found), len(order) - 1)]])

    return _unit(at(2.0 * n_edges), at(reached[-1] / 2.0), at(0.0))  # a row has each pair again


def _unit(reached: float, median: float, best: float) -> tuple[float, float]:
    above = _ROUNDING * max(abs(best), abs(median))  # two ways to add up the same terms differ
    return next((top - median for top in (reached, best) if top - median > above), 1.0), median


# ---------------------------------------------------------------------- exact ranks


def exact_penalty(
    A: Array, scale: Array, profile: Array, passes: int = 1, combine: Combine = subtract
) -> Array:
    """Return the symmetric matrix ½(B + Bᵀ) of penalties by exact ranks, for symmetric scores A."""
    penalty = _exact_pass(A, scale, profile)
    for _ in range(passes - 1):
        penalty = _exact_pass(combine(A, penalty), scale, profile)
    return penalty


def _exact_pass(scores: Array, scale: Array, profile: Array) -> Array:
    keys = scores.astype(np.float32)

    def one_block(start: int, stop: int) -> Array:
        own = rows_of(profile, start, stop)
        return scale[start:stop, None] * weights_in_rows(keys[start:stop], start, own)

    B = np.concatenate(list(parallel.map_blocks(one_block, len(keys), stage="")))
    penalty: Array = ((B + B.T) * 0.5).astype(np.float32)
    return penalty


def exact_unit(A: Array, n_edges: int) -> tuple[float, float]:
    """Return the score of the `n_edges`-th best pair less the median, and the median.

    Exceptions are those of `unit_of`.
    """
    ranked = np.sort(A[np.triu_indices(len(A), 1)])[::-1]
    middle = float(ranked[(len(ranked) - 1) // 2])
    return _unit(float(ranked[min(n_edges, len(ranked)) - 1]), middle, float(ranked[0]))


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

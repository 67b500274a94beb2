"""Arrays in, arrays out: the inner loops over one block of rows, and the choice of their engine.

A *block* is a run of consecutive rows of a square p × p score matrix; `first` is the index of its
first row, so that the diagonal of block row r is column ``first + r``. ``first = -1`` says that the
rows belong to no square matrix and that no column is special. Scores are float32 or float64 and
free of NaN. Every kernel is serial and releases the GIL: threads map over blocks, and since no
kernel looks beyond its block, results do not depend on their number.

``LINKPRIOR_KERNELS=portable|numba|auto`` picks the engine; *auto* takes the readable NumPy text for
networks so small that compiled code would not pay. The choice depends on the network's size only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkprior.errors import ParameterError
from linkprior.kernels.arguments import n_ranks, plain, row_block, stored_in, target_for, vector_of
from linkprior.kernels.engine import engine_for, seconds_compiling
from linkprior.kernels.least_squares import descend_rows
from linkprior.kernels.partners import l3_partners
from linkprior.kernels.paths import ch2_rows, l3_rows, l3n_rows, list_triangles, mps_rows
from linkprior.kernels.portable import weights_at
from linkprior.kernels.rank_counts import above_and_equal, count_above, tally, tally_nodes
from linkprior.kernels.stack import Bins, Trees, add_trees, count_bins, rank_features

__all__ = [
    "Bins",
    "Trees",
    "above_and_equal",
    "add_trees",
    "argsort_rows",
    "ch2_rows",
    "count_above",
    "count_bins",
    "descend_rows",
    "edge_products",
    "l3_partners",
    "l3_rows",
    "l3n_rows",
    "linearise_rows",
    "list_triangles",
    "lookup_penalty",
    "mps_rows",
    "prox_rows",
    "rank_features",
    "rank_penalty",
    "row_quantiles",
    "seconds_compiling",
    "sketch_above",
    "split_rows",
    "tally",
    "tally_nodes",
    "top_pairs",
    "weights_at",
]

Array = NDArray[Any]


def argsort_rows(keys: ArrayLike, first: int) -> Array:
    """Order the columns of each row by descending key, ties by smaller column.

    The diagonal is left out when ``first >= 0``; 0.0 and -0.0 are equal.

    Returns
    -------
    int32 array of shape (b, p - 1), or (b, p) when ``first = -1``.
    """
    block = row_block(keys, first)
    order: Array = engine_for(block.shape[1]).argsort_rows(block, first)
    return order


def rank_penalty(
    keys: ArrayLike,
    scale: ArrayLike,
    profile: ArrayLike,
    first: int,
    out: Array | None = None,
) -> Array:
    """Write ``scale[r] * profile[k]``, k the 0-based rank of a column in its row; diagonal 0.

    Parameters
    ----------
    keys : (b, p) block; ranks are positions in `argsort_rows`.
    scale : one number per row of the block.
    profile : one number per rank: p - 1 of them, or p when ``first = -1``; or a row of them for
        each row of the block.
    out : array of the shape and dtype of `keys`, made when None. It may be `keys` itself.

    Returns
    -------
    `out`. Products are formed in the dtype of `keys`.
    """
    block = row_block(keys, first)
    target = target_for(out, block.shape, block.dtype)
    factors = vector_of("scale", scale, block.shape[0], block.dtype)
    if np.ndim(profile) == 2:
        return _penalty_by_rows(block, factors, np.asarray(profile), first, target)
    steps = vector_of("profile", profile, n_ranks(block, first), block.dtype)
    engine_for(block.shape[1]).rank_penalty(block, factors, steps, first, target)
    return target


def _penalty_by_rows(
    block: Array, scale: Array, profile: Array, first: int, target: Array
) -> Array:
    """Do `rank_penalty` where each row has a profile of its own."""
    expected = (block.shape[0], n_ranks(block, first))
    if profile.shape != expected:
        raise ParameterError(f"profile must have shape {expected}, got {profile.shape}")
    order = argsort_rows(block, first)
    target[:] = 0
    weights = scale[:, None] * profile.astype(block.dtype)
    np.put_along_axis(target, order.astype(np.int64), weights, axis=1)
    return target


def prox_rows(
    values: ArrayLike,
    scale: ArrayLike,
    profile: ArrayLike,
    first: int,
    out: Array | None = None,
    *,
    clip: bool = False,
) -> Array:
    """Subtract the rank penalty from each row: the row prox before clipping.

    The diagonal passes through. With ``clip=True`` everything, the diagonal too, is clipped at 0,
    which makes it the whole prox. Parameters as in `rank_penalty`.
    """
    block = row_block(values, first)
    target = target_for(out, block.shape, block.dtype)
    factors = vector_of("scale", scale, block.shape[0], block.dtype)
    steps = vector_of("profile", profile, n_ranks(block, first), block.dtype)
    engine_for(block.shape[1]).prox_rows(block, factors, steps, first, clip, target)
    return target


def row_quantiles(keys: ArrayLike, first: int, ranks: ArrayLike) -> Array:
    """Return the (b, m) keys at m 0-based ranks of each row's descending order."""
    block = row_block(keys, first)
    at = plain(ranks, np.int64)
    if at.ndim != 1 or ((at < 0) | (at >= n_ranks(block, first))).any():
        raise ParameterError(f"ranks must lie in 0…{n_ranks(block, first) - 1}, got {ranks!r}")
    table: Array = engine_for(block.shape[1]).row_quantiles(block, first, at)
    return table


def edge_products(
    left: ArrayLike, right: ArrayLike, indptr: Array, indices: Array, out: Array | None = None
) -> Array:
    """Return ``left[i] · right[j]`` for every stored entry (i, j) of a CSR pattern, in float64.

    For a block of rows hand in ``left[a:b]`` and ``indptr[a:b + 1]`` with the whole `indices`.
    """
    rows, others = plain(left), plain(right)
    starts = np.asarray(indptr).astype(np.int64)
    columns = np.require(np.asarray(indices)[starts[0] : starts[-1]], None, ["C", "W"])
    if starts.size != rows.shape[0] + 1 or rows.shape[1] != others.shape[1]:
        raise ParameterError(
            f"left {rows.shape}, right {others.shape} and indptr ({starts.size},) do not match"
        )
    target = target_for(out, columns.shape, np.float64)
    starts -= starts[0]
    engine_for(others.shape[0]).edge_products(rows, others, starts, columns, target)
    return target


def top_pairs(
    scores: ArrayLike,
    first: int,
    indptr: Array,
    indices: Array,
    k: int,
    floor: float = -np.inf,
) -> tuple[Array, Array, Array]:
    """Return the best candidate pairs of a block: j > i, not stored, score above `floor`.

    Parameters
    ----------
    scores : (b, p) block.
    indptr, indices : CSR pattern of the whole network, columns sorted.
    k : how many pairs at most.
    floor : scores must be strictly greater. The k-th best score of *earlier* rows is a valid floor,
        since later pairs lose ties; a floor from later rows must be taken one float lower.

    Returns
    -------
    rows, columns (int64, of the whole matrix) and scores; best first, ties by smaller (i, j), also
    at the boundary. Memory grows with k and b, not with b·p.
    """
    block = row_block(scores, first, square=True)
    if k < 1 or block.shape[0] == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, block.dtype)
    pattern = stored_in(block, first, indptr, indices)
    best: tuple[Array, Array, Array] = engine_for(block.shape[1]).top_pairs(
        block, first, *pattern, int(k), np.float64(floor)
    )
    return best


def lookup_penalty(
    scores: ArrayLike,
    first: int,
    tables: ArrayLike,
    scale: ArrayLike,
    weights_at_knots: ArrayLike,
    out: Array | None = None,
) -> Array:
    """Write ``½(scale_i w_i(s) + scale_j w_j(s))`` with weights read from rank tables; diagonal 0.

    Parameters
    ----------
    scores : (b, p) block.
    tables : (p, m) descending scores of every row at m knots, as from `row_quantiles`.
    scale : (p,) one number per node.
    weights_at_knots : (m,) the non-decreasing rank profile at the knots.

    Notes
    -----
    w_i(s) is linear in s between neighbouring knots; above the first knot it is the first weight,
    below the last knot the last. Where several knots share the score it is the middle of their
    weights: what ties broken at random would give, and without it nodes whose scores all tie (no
    observed edge) would look as if every partner ranked first.
    """
    block = row_block(scores, first, square=True)
    knots, p = plain(tables, block.dtype), block.shape[1]
    weights = plain(weights_at_knots, np.float64)
    if weights.ndim != 1 or weights.size == 0 or knots.shape != (p, weights.size):
        raise ParameterError(
            f"tables must have shape ({p}, number of knots), got {knots.shape} "
            f"for weights of shape {weights.shape}"
        )
    target = target_for(out, block.shape, block.dtype)
    factors = vector_of("scale", scale, p, np.float64)
    engine_for(p).lookup_penalty(block, first, knots, factors, weights, target)
    return target


def sketch_above(
    bases: ArrayLike,
    first: int,
    tables: ArrayLike,
    scale: ArrayLike,
    weights_at_knots: ArrayLike,
    floor: float,
    *,
    clip: bool = False,
) -> Array:
    """Return the mean over layers of scores after all passes of `lookup_penalty`, where high.

    Parameters
    ----------
    bases : (layers, b, p) scores before the first pass.
    tables : (layers, passes, p, m); the score after a pass is the base less the penalty that the
        pass's table tells for the score before.
    floor : scores of pairs j > i above it are exact; all others are at most it, or their own value.
    clip : whether to clip each layer at zero.
    """
    blocks = np.ascontiguousarray(bases)
    knots, (_, b, p) = plain(tables, blocks.dtype), blocks.shape
    weights = plain(weights_at_knots, np.float64)
    expected = (len(blocks), *knots.shape[1:2], p, weights.size)
    if knots.shape != expected or knots.size == 0:
        raise ParameterError(
            f"tables must have shape ({len(blocks)}, passes, {p}, {weights.size}), got "
            f"{knots.shape}"
        )
    out, factors = np.empty((b, p), blocks.dtype), vector_of("scale", scale, p, np.float64)
    bar = np.float64(floor)
    engine_for(p).sketch_above(blocks, first, knots, factors, weights, clip, bar, out)
    return out


def split_rows(fitted: Array, G: Array, Q: Array, Y: Array) -> Array:
    """Do ADMM's X and Z steps for one block of rows, with Y = X − Z in the place of Z.

    From X = max(Q, 0) and Z = X − Y it forms A = X̂ + Z and the new Q = A − G, X = max(Q, 0),
    Z = A − X. All are C-contiguous blocks of one shape and dtype; `Q` and `Y` are written over.

    Returns
    -------
    The five sums of squares of X̂ − X, X − X_before, X̂, X and Y, in float64.
    """
    squares: Array = engine_for(fitted.shape[1]).split_rows(fitted, G, Q, Y)
    return squares


def linearise_rows(B: Array, Q: Array, scale: Array, start: int, stop: int, G: Array) -> Array:
    """Write rows start…stop of G = ½(scale∘B + (scale∘B)ᵀ), all matrices p × p of one dtype.

    Returns
    -------
    Σ_j B_ij·max(Q_ij, 0) for these rows, in float64.
    """
    row_sums: Array = engine_for(len(B)).linearise_rows(B, Q, scale, start, stop, G)
    return row_sums

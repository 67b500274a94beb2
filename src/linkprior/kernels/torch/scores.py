"""Scores of all pairs on a device: products of factors, less penalties read from rank tables.

A table holds descending scores at some ranks of a row, and `weights` the rank weights there. The
weight of a score is linear between neighbouring entries; equal entries share the middle of theirs:
what `kernels.lookup_penalty` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from linkprior.kernels.torch.cuda import compiled, on_gpu

MOST_KNOTS = 127  # of the kernel's search in seven steps
_COLUMNS, _ROWS = 128, 32  # of a tile: their tables lie in shared memory
_AT_ONCE = 1 << 19  # single pairs whose tables are gathered at a time
_BISECTIONS = 40

_SOURCE = r"""
__device__ __forceinline__ float weight(float s, const float* table, int pitch, int m,
                                        const float* weights)
{
    int above = 0;                                       // entries larger than s
    #pragma unroll
    for (int step = 64; step > 0; step >>= 1)
        if (above + step <= m && table[(above + step - 1) * pitch] > s) above += step;
    float low = above < m ? table[above * pitch] : 0.0f;
    if (above < m && low == s) {
        int last = above;
        while (last + 1 < m && table[(last + 1) * pitch] == s) ++last;
        return 0.5f * (weights[above] + weights[last]);
    }
    if (above == 0) return weights[0];
    if (above == m) return weights[m - 1];
    float high = table[(above - 1) * pitch], first = weights[above - 1];
    return first + (high - s) / (high - low) * (weights[above] - first);
}

extern "C" __global__ void __launch_bounds__(128)
penalise(const float* __restrict__ base, const float* __restrict__ scores,
         const float* __restrict__ row_tables, const float* __restrict__ row_scale,
         const float* __restrict__ column_tables, const float* __restrict__ column_scale,
         const float* __restrict__ weights, float* __restrict__ out, int rows, int n, int m)
{
    extern __shared__ float shared[];
    float* own = shared;                                 // m × 128: a column's table, bank by lane
    float* others = own + m * 128;                       // 32 × m: tables of some rows
    float* h = others + 32 * m;                          // m
    const int column = blockIdx.x * 128 + threadIdx.x;
    for (int k = threadIdx.x; k < m; k += 128) h[k] = weights[k];
    for (int k = 0; k < m; ++k)
        own[k * 128 + threadIdx.x] = column < n ? column_tables[(long long)k * n + column] : 0.0f;
    const float scale = column < n ? 0.5f * column_scale[column] : 0.0f;
    for (int begin = blockIdx.y * 32; begin < rows; begin += gridDim.y * 32) {
        const int end = min(rows, begin + 32);
        __syncthreads();
        for (int k = threadIdx.x; k < (end - begin) * m; k += 128)
            others[k] = row_tables[(long long)begin * m + k];
        __syncthreads();
        if (column < n)
            for (int row = begin; row < end; ++row) {
                const long long at = (long long)row * n + column;
                const float s = scores[at];
                float penalty = scale * weight(s, own + threadIdx.x, 128, m, h);
                penalty += 0.5f * row_scale[row] * weight(s, others + (row - begin) * m, 1, m, h);
                out[at] = base[at] - penalty;
            }
    }
}
"""


def penalised(
    base: Tensor,
    scores: Tensor,
    rows: tuple[Tensor, Tensor],
    columns: tuple[Tensor, Tensor],
    weights: Tensor,
) -> Tensor:
    """Return base − ½(scale_i·w_i(score) + scale_j·w_j(score)) for a block of scores (b, n).

    `rows` and `columns` are tables (b, m) and (n, m), with a scale for each; `weights` are m.
    """
    m = len(weights)
    shared = 4 * m * (_COLUMNS + _ROWS + 1)
    kernel = None
    if on_gpu(scores) and m <= MOST_KNOTS:
        kernel = compiled(_SOURCE, "penalise", 4 * MOST_KNOTS * (_COLUMNS + _ROWS + 1))
    if kernel is None:
        return base - penalty(scores, rows, columns, weights)
    b, n = scores.shape
    out = torch.empty_like(base)
    tall = columns[0].T.contiguous()
    given = [base, scores, rows[0], rows[1], tall, columns[1], weights]
    grid = (-(-n // _COLUMNS), min(8, -(-b // _ROWS)), 1)
    arguments = [one.contiguous() for one in given] + [out, b, n, m]
    kernel(grid, (_COLUMNS, 1, 1), arguments, shared_mem=shared)
    return out


def penalty(
    scores: Tensor, rows: tuple[Tensor, Tensor], columns: tuple[Tensor, Tensor], weights: Tensor
) -> Tensor:
    """Return the penalty of a block by torch operations alone: the oracle of the kernel."""
    own = rows[1][:, None] * weights_at(scores, rows[0], weights)
    other = columns[1][:, None] * weights_at(scores.T.contiguous(), columns[0], weights)
    return 0.5 * (own + other.T)


def weights_at(scores: Tensor, tables: Tensor, weights: Tensor) -> Tensor:
    """Return the weights of scores (b, n) in tables (b, m)."""
    rising, wanted, last = -tables.contiguous(), -scores.contiguous(), tables.shape[1] - 1
    above = torch.searchsorted(rising, wanted)
    reached = torch.searchsorted(rising, wanted, right=True)
    lower, upper = above.clamp(max=last), (above - 1).clamp(min=0)
    high, low = tables.gather(1, upper), tables.gather(1, lower)
    inside = (above > 0) & (above <= last)
    part = torch.where(inside, (high - scores) / (high - low), 0.0)
    start = torch.where(inside, weights[upper], weights[lower])
    between = start + part * (weights[lower] - start)
    middle = 0.5 * (weights[lower] + weights[(reached - 1).clamp(min=0)])
    return torch.where(reached > above, middle, between)


@dataclass(frozen=True)
class ScoreBlocks:
    """Scores left·rightᵀ (symmetric), penalised by as many passes as there are tables."""

    left: Tensor  # (p, r) factors, float32
    right: Tensor
    scale: Tensor  # (p,): rank weights are scale_i·weights_k at the knots of the tables
    weights: Tensor  # (m,)
    tables: Sequence[Tensor] = ()  # (p, m): descending scores after the passes before

    def __len__(self) -> int:
        return len(self.left)

    def products(self, rows: Tensor, begin: int = 0) -> Tensor:
        """Return left·rightᵀ at these rows, columns from `begin` on, with −∞ on the diagonal."""
        block = self.left[rows] @ self.right[begin:].T
        here = torch.arange(len(rows), device=rows.device)
        inside = rows >= begin
        block[here[inside], rows[inside] - begin] = -torch.inf
        return block

    def block(self, rows: Tensor, begin: int = 0) -> Tensor:
        """Return penalised scores at these rows, columns from `begin` on."""
        base = scores = self.products(rows, begin)
        for table in self.tables:
            own, others = (table[rows], self.scale[rows]), (table[begin:], self.scale[begin:])
            scores = penalised(base, scores, own, others, self.weights)
        return scores

    def pairs(self, base: Tensor, i: Tensor, j: Tensor) -> Tensor:
        """Return penalised scores of single pairs, given their products."""
        scores = base
        for table in self.tables:
            charged = torch.zeros_like(base)
            for nodes in (i, j):
                for begin in range(0, len(base), _AT_ONCE):
                    some = slice(begin, begin + _AT_ONCE)
                    at = nodes[some]
                    weights = weights_at(scores[some, None], table[at], self.weights)[:, 0]
                    charged[some] += 0.5 * self.scale[at] * weights
            scores = base - charged
        return scores

    def cuts(self, floor: float) -> Tensor:
        """Return for each node a product that a pair must exceed if its score is to reach `floor`.

        Scores rise with products, and fall with the other node's penalty, of which the least is
        taken; so the bound is found by bisection between the least and the largest penalty.
        """
        if not self.tables:
            return torch.full_like(self.scale, floor)
        least = 0.5 * self.scale.min() * self.weights[0]
        low = floor + 0.5 * self.scale * self.weights[0] + least
        high = floor + 0.5 * (self.scale + self.scale.max()) * self.weights[-1]
        for _ in range(_BISECTIONS):
            score = middle = 0.5 * (low + high)
            for table in self.tables:
                own = weights_at(score[:, None], table, self.weights)[:, 0]
                score = middle - (0.5 * self.scale * own + least)
            reaches = score >= floor
            low, high = torch.where(reaches, low, middle), torch.where(reaches, middle, high)
        return low - 1e-6 * (low.abs() + high.abs())  # rounding

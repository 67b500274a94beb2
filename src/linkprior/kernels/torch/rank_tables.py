"""Ranks in long rows on a device: counted, bounded, and held in tables at some knots.

Short rows are sorted. In long ones the first ranks come from a partial sort; deeper ones from a
sample of columns, whose scores are then counted in the whole row, so that bounds hold all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from linkprior.kernels.torch.cuda import compiled, on_gpu
from linkprior.kernels.torch.ops import block_rows, in_blocks
from linkprior.kernels.torch.scores import ScoreBlocks

SORTED = 1 << 16  # columns up to which a row is sorted
TOP = 1024  # ranks of a longer row that are found exactly
SAMPLE = 1 << 14  # columns that stand for the rest
_COUNTED = 8  # ranks up to an eighth of the row are counted; nobody asks deeper for sure
_CHUNK, _THREADS = 1 << 16, 256  # columns and threads of a block
_HELD = 2048  # queries of a row that fit the shared memory, with their counts
_AT_ONCE = 1 << 19
_BYTES = 40.0  # per entry of a block while it is sorted

_SOURCE = r"""
extern "C" __global__ void __launch_bounds__(256)
tally(const float* __restrict__ block, const float* __restrict__ queries,
      const long long* __restrict__ starts, int* __restrict__ above, int* __restrict__ reached,
      int n)
{
    extern __shared__ int shared[];
    const int row = blockIdx.y;
    const long long first = starts[row];
    const int m = (int)(starts[row + 1] - first);
    if (m == 0) return;
    const bool held = m <= 2048;
    const float* asked = queries + first;
    int *more = above + first, *same = reached + first;
    if (held) {
        float* own = (float*)shared;
        int* counts = shared + 2048;
        for (int k = threadIdx.x; k < m; k += 256) { own[k] = asked[k]; counts[k] = 0; }
        for (int k = threadIdx.x; k < m; k += 256) counts[2048 + k] = 0;
        asked = own; more = counts; same = counts + 2048;
        __syncthreads();
    }
    const float least = asked[m - 1];
    const long long base = (long long)row * n;
    const int begin = blockIdx.x * 65536, end = min(n, begin + 65536);
    for (int j = begin + threadIdx.x; j < end; j += 256) {
        const float x = block[base + j];
        if (x < least) continue;
        int low = 0, high = m;                           // queries ≥ x: all before `low`
        while (low < high) {
            int middle = (low + high) >> 1;
            if (asked[middle] >= x) low = middle + 1; else high = middle;
        }
        if (low < m) atomicAdd(more + low, 1);           // above every query from here on
        while (low > 0 && asked[low - 1] == x) --low;
        atomicAdd(same + low, 1);                        // and at least equal to these
    }
    if (held) {
        __syncthreads();
        for (int k = threadIdx.x; k < m; k += 256) {
            if (more[k]) atomicAdd(above + first + k, more[k]);
            if (same[k]) atomicAdd(reached + first + k, same[k]);
        }
    }
}
"""


def counts(block: Tensor, queries: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many entries of its row are above each query, and how many at least equal.

    Those of row i are ``queries[starts[i]:starts[i + 1]]``, in descending order.
    """
    kernel = compiled(_SOURCE, "tally") if on_gpu(block) else None
    if kernel is None:
        return _counts_by_sorting(block, queries, starts)
    above = torch.zeros(len(queries), dtype=torch.int32, device=block.device)
    reached = torch.zeros_like(above)
    b, n = block.shape
    arguments = [block.contiguous(), queries.contiguous(), starts.contiguous(), above, reached, n]
    kernel((-(-n // _CHUNK), b, 1), (_THREADS, 1, 1), arguments, shared_mem=4 * 3 * _HELD)
    return _summed(above, starts), _summed(reached, starts)


def _summed(tally: Tensor, starts: Tensor) -> Tensor:
    """Return running sums within each row."""
    total = torch.cat([tally.new_zeros(1, dtype=torch.int64), torch.cumsum(tally, 0)])
    lengths = starts[1:] - starts[:-1]
    return total[1:] - torch.repeat_interleave(total[starts[:-1]], lengths)


def _counts_by_sorting(block: Tensor, queries: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
    """Do the same with sorted rows: the oracle of the kernel."""
    rising, lengths = torch.sort(block, dim=1).values, (starts[1:] - starts[:-1]).tolist()
    asked = [some.contiguous() for some in queries.split(lengths)]
    above, reached = (
        block.shape[1]
        - torch.cat(
            [torch.searchsorted(*one, right=right) for one in zip(rising, asked, strict=True)]
        )
        for right in (True, False)
    )
    return above, reached


@dataclass(frozen=True)
class Knots:
    """Scores of each row, descending, and bounds for the ranks of others; all are (b, m)."""

    values: Tensor
    least: Tensor  # a score below `values` has at least so many entries above it
    most: Tensor  # of a score above `values`, at most so many are as large or larger
    at: Tensor  # the rank of each value from 0 on, which may be an estimate

    def at_ranks(self, ranks: Tensor) -> Tensor:
        """Return scores at given ranks, linear in the logarithm of the rank between knots."""
        log_at = torch.log1p(self.at.float()).contiguous()
        asked = torch.log1p(ranks.float()).expand(len(log_at), -1).contiguous()
        upper = torch.searchsorted(log_at, asked).clamp(max=log_at.shape[1] - 1)
        lower = (upper - 1).clamp(min=0)
        x0, x1 = log_at.gather(1, lower), log_at.gather(1, upper)
        y0, y1 = self.values.gather(1, lower), self.values.gather(1, upper)
        part = torch.where(x1 > x0, (asked - x0) / (x1 - x0), 1.0).clamp(0.0, 1.0)
        return torch.where(part == 1.0, y1, y0 + part * (y1 - y0))


def row_knots(block: Tensor, ranks: Tensor, columns: Tensor | None = None) -> Knots:
    """Return the knots of a block whose diagonal is −∞, at or near the given ranks from 0 on.

    `columns` is the sample for rows that are too long to sort (None: they are sorted).
    """
    if columns is None or block.shape[1] <= SORTED:
        values = torch.sort(block, dim=1, descending=True).values[:, ranks]
        at = ranks.expand(len(block), -1)
        return Knots(values, at + 1, at, at)
    first = ranks[ranks < TOP]
    top = torch.topk(block, TOP, dim=1).values[:, first]
    at = first.expand(len(block), -1)
    deep = _deep_knots(block, ranks[ranks >= TOP], columns, top[:, -1:])
    return Knots(
        torch.cat([top, deep.values], 1),
        torch.cat([at + 1, deep.least], 1),
        torch.cat([at, deep.most], 1),
        torch.cat([at, deep.at], 1),
    )


def _deep_knots(block: Tensor, ranks: Tensor, columns: Tensor, below: Tensor) -> Knots:
    """Return knots beyond the first ranks: scores of sampled columns, counted in the whole row."""
    b, n = block.shape
    sampled = torch.sort(block[:, columns], dim=1, descending=True).values
    places = (ranks.double() * len(columns) / n).round().long()
    places = places.clamp(max=len(columns) - 2)  # the last may be the row's own column, −∞
    values = torch.minimum(sampled[:, places], below)
    counted = int((ranks <= n // _COUNTED).sum())
    asked = values[:, :counted]
    starts = torch.arange(b + 1, device=block.device) * counted
    above, reached = (one.view(b, counted) for one in counts(block, asked.reshape(-1), starts))
    rest = ranks[counted:].expand(b, -1)
    sure = reached[:, -1:] if counted else torch.full_like(rest[:, :1], TOP)
    at = torch.cummax(torch.cat([above.clamp(min=TOP), rest], 1), 1).values
    least = torch.cat([reached, sure.expand(b, rest.shape[1])], 1)
    most = torch.cat([above, torch.full_like(rest, n - 1)], 1)
    return Knots(values, least, most, at)


def sampled_columns(n: int, device: torch.device, seed: int = 0) -> Tensor | None:
    """Return the sample for rows of n entries, None where they are sorted."""
    if n <= SORTED:
        return None
    drawn = torch.randperm(n, generator=torch.Generator().manual_seed(seed))[:SAMPLE]
    return drawn.sort().values.to(device)


@dataclass(frozen=True)
class Bounds:
    """What is known of ranks in every row; tensors are (p, m)."""

    values: Tensor  # descending scores
    low: Tensor  # the rank weight of a score below `values` is at least this
    high: Tensor  # and that of one above at most this
    first: float  # the least weight of all
    last: float

    def of(self, scores: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the least and the largest weight that scores may have in the rows of nodes."""
        parts = map(self._of, scores.split(_AT_ONCE), nodes.split(_AT_ONCE))
        low, high = (torch.cat(part) for part in zip(*parts, strict=True))
        return low, high

    def _of(self, scores: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
        m, rising, asked = self.values.shape[1], -self.values[nodes], -scores[:, None]
        above = torch.searchsorted(rising, asked)
        reached = torch.searchsorted(rising, asked, right=True)
        low = self.low[nodes].gather(1, (above - 1).clamp(min=0))
        high = self.high[nodes].gather(1, reached.clamp(max=m - 1))
        low = torch.where(above > 0, low, self.first)
        return low[:, 0], torch.where(reached < m, high, self.last)[:, 0]


def with_tables(matrix: ScoreBlocks, ranks: Tensor, passes: int) -> ScoreBlocks:
    """Return the matrix with a table for each pass: scores at these ranks after those before."""
    columns = sampled_columns(len(matrix), matrix.left.device)

    def run(height: int) -> Tensor:
        runs = torch.arange(len(matrix), device=matrix.left.device).split(height)
        return torch.cat(
            [row_knots(matrix.block(rows), ranks, columns).at_ranks(ranks) for rows in runs]
        )

    while len(matrix.tables) < passes:
        table = in_blocks(run, block_rows(len(matrix), _BYTES, matrix.left.device))
        matrix = replace(matrix, tables=[*matrix.tables, table])
    return matrix


def bounds_of(matrix: ScoreBlocks, ranks: Tensor, profile: Tensor) -> tuple[Tensor, Bounds]:
    """Return the first table, and its bounds for ranks by products alone."""
    columns, most = sampled_columns(len(matrix), matrix.left.device), len(profile) - 1
    plain = replace(matrix, tables=[])

    def run(height: int) -> tuple[Tensor, Bounds]:
        parts = []
        for rows in torch.arange(len(matrix), device=matrix.left.device).split(height):
            knots = row_knots(plain.block(rows), ranks, columns)
            low = profile[knots.least.clamp(max=most)]
            high = profile[(knots.most - 1).clamp(0, most)]
            parts.append((knots.at_ranks(ranks), knots.values, low, high))
        table, values, low, high = (torch.cat(part) for part in zip(*parts, strict=True))
        return table, Bounds(values, low, high, float(profile[0]), float(profile[-1]))

    return in_blocks(run, block_rows(len(matrix), _BYTES, matrix.left.device))

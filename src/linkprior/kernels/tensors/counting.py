"""How many entries of a row are above given scores: the ranks of these scores, without a sort."""

from __future__ import annotations

import itertools

import torch

from linkprior.kernels.tensors.nvrtc import compiled, on_gpu

_CHUNK, _THREADS = 1 << 16, 256  # columns and threads of a block
_HELD = 2048  # queries of a row that fit the shared memory, with their counts

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


def counts(
    block: torch.Tensor, queries: torch.Tensor, starts: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return how many entries of its row are above each query, and how many at least equal.

    Parameters
    ----------
    block : (b, n)
    queries, starts : scores in descending order for each row; those of row i are
        ``queries[starts[i]:starts[i + 1]]``.
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


def _summed(tally: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
    """Return running sums within each row."""
    total = torch.cat([tally.new_zeros(1, dtype=torch.int64), torch.cumsum(tally, 0)])
    lengths = starts[1:] - starts[:-1]
    return total[1:] - torch.repeat_interleave(total[starts[:-1]], lengths)


def _counts_by_sorting(
    block: torch.Tensor, queries: torch.Tensor, starts: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Do the same with sorted rows: the oracle of the kernel."""
    n, rising = block.shape[1], torch.sort(block, dim=1).values
    above, reached = [queries.new_zeros(0, dtype=torch.int64)] * 2
    found: list[tuple[torch.Tensor, torch.Tensor]] = [(above, reached)]
    edges = starts.tolist()
    for row, (begin, end) in enumerate(itertools.pairwise(edges)):
        asked = queries[begin:end].contiguous()
        found.append(
            (
                n - torch.searchsorted(rising[row], asked, right=True),
                n - torch.searchsorted(rising[row], asked),
            )
        )
    return torch.cat([one for one, _ in found]), torch.cat([one for _, one in found])

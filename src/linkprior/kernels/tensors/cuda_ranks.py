"""Ranks of rows on a CUDA device: one block of threads sorts one row in its shared memory.

A row's keys stay where they are; what moves is a permutation of 16-bit columns, by four stable
counting passes over 8 bits each. Every warp owns a run of places, counts its digits, and after a
scan over digits and warps writes its columns in order, so that ties stay by column. The weight of
each rank is then written to the column that has it. A row is read once and written once.

It does the rows that `cuda_buckets`, which is faster, leaves undone.
"""

from __future__ import annotations

import torch

from linkprior.kernels.tensors import cuda_buckets
from linkprior.kernels.tensors.nvrtc import SHARED, compiled, on_gpu

WARPS = 32
THREADS = 32 * WARPS
_COUNTERS = 4 * 256 * WARPS

_SOURCE = r"""
extern "C" __global__ void __launch_bounds__(1024)
rank_weights(const float* __restrict__ keys, const float* __restrict__ scale,
             const float* __restrict__ profile, float* __restrict__ out,
             const int* __restrict__ wanted, int n, int first, int rows)
{
    extern __shared__ unsigned int shared[];
    unsigned int* key = shared;                                   // n
    unsigned int* counts = shared + n;                            // 256 * 32
    unsigned short* from = (unsigned short*)(counts + 256 * 32);  // n
    unsigned short* to = from + n;                                // n; an even number of swaps
    __shared__ unsigned int totals[256];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    if (!wanted[row]) continue;
    __syncthreads();
    const long long base = (long long)row * n;
    const int diagonal = first + row;

    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        float value = keys[base + j] + 0.0f;                      // -0 is 0
        unsigned int bits = __float_as_uint(value);
        bits = (bits & 0x80000000u) ? bits : ~(bits | 0x80000000u);  // ascending: largest first
        key[j] = (j == diagonal) ? 0xffffffffu : bits;            // the diagonal comes last
        from[j] = (unsigned short)j;
    }
    const int run = ((n + 1023) / 1024) * 32;                     // places of one warp
    const int begin = min(n, warp * run), end = min(n, begin + run);
    for (int shift = 0; shift < 32; shift += 8) {
        for (int i = threadIdx.x; i < 256 * 32; i += blockDim.x) counts[i] = 0;
        __syncthreads();
        unsigned int* own_counts = counts + warp * 256;  // digits side by side: no conflict
        for (int t = begin + lane; t < end; t += 32)
            atomicAdd(own_counts + ((key[from[t]] >> shift) & 255u), 1u);
        __syncthreads();
        if (warp < 8) {                                           // a thread scans a digit
            unsigned int sum = 0;
            for (int w = 0; w < 32; ++w) {
                unsigned int c = counts[w * 256 + threadIdx.x];
                counts[w * 256 + threadIdx.x] = sum;
                sum += c;
            }
            totals[threadIdx.x] = sum;
        }
        __syncthreads();
        if (warp == 0) {                                          // and a warp all digits
            unsigned int before = 0;
            for (int part = 0; part < 8; ++part) {
                unsigned int own = totals[part * 32 + lane], scan = own;
                for (int step = 1; step < 32; step *= 2) {
                    unsigned int other = __shfl_up_sync(0xffffffffu, scan, step);
                    if (lane >= step) scan += other;
                }
                totals[part * 32 + lane] = before + scan - own;
                before += __shfl_sync(0xffffffffu, scan, 31);
            }
        }
        __syncthreads();
        for (int t = begin + lane; t < begin + run; t += 32) {
            bool inside = t < end;
            unsigned short column = inside ? from[t] : 0;
            unsigned int digit = inside ? (key[column] >> shift) & 255u : 0u;
            unsigned int same = __ballot_sync(0xffffffffu, inside);
            #pragma unroll
            for (int bit = 0; bit < 8; ++bit) {                   // lanes that have the same digit
                unsigned int set = __ballot_sync(0xffffffffu, (digit >> bit) & 1u);
                same &= ((digit >> bit) & 1u) ? set : ~set;
            }
            unsigned int lower = __popc(same & ((1u << lane) - 1u));
            if (inside) to[totals[digit] + own_counts[digit] + lower] = column;
            __syncwarp();
            if (inside && lower == 0) own_counts[digit] += __popc(same);
            __syncwarp();
        }
        __syncthreads();
        unsigned short* swap = from; from = to; to = swap;
    }
    float* weight = (float*)key;                                  // keys are done with
    const float own = scale[row];
    for (int t = threadIdx.x; t < n; t += blockDim.x)
        weight[from[t]] = (t < n - 1) ? own * profile[t] : 0.0f;  // the last is the diagonal
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += blockDim.x) out[base + j] = weight[j];
  }
}
"""


def shared_bytes(n: int) -> int:
    """Bytes of shared memory for rows of n entries."""
    return 8 * n + _COUNTERS


def fits(keys: torch.Tensor) -> bool:
    """Whether the kernel can take rows like these: float32 on a GPU, and short enough."""
    short = shared_bytes(keys.shape[1]) <= SHARED - 4096
    return on_gpu(keys) and short and compiled(_SOURCE, "rank_weights", SHARED - 2048) is not None


def rank_weights(
    keys: torch.Tensor,
    scale: torch.Tensor,
    profile: torch.Tensor,
    first: int,
    out: torch.Tensor,
) -> None:
    """Write scale_r·profile_k, k the rank of a column in its row, and 0 on the diagonal."""
    rows, n = keys.shape
    given = [keys.contiguous(), scale.contiguous(), profile.contiguous(), out]
    if cuda_buckets.fits(keys):
        wanted = cuda_buckets.rank_weights(given, first)
    else:
        wanted = keys.new_ones(rows, dtype=torch.int32)
    kernel = compiled(_SOURCE, "rank_weights", SHARED - 2048)
    blocks = min(rows, torch.cuda.get_device_properties(keys.device).multi_processor_count)
    more = [wanted, n, first, rows]
    kernel((blocks, 1, 1), (THREADS, 1, 1), given + more, shared_mem=shared_bytes(n))

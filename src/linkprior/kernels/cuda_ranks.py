"""Ranks of rows on a CUDA device: one block of threads sorts one row in its shared memory.

A row's keys stay where they are; what moves is a permutation of 16-bit columns, by four stable
counting passes over 8 bits each. Every warp owns a run of places, counts its digits, and after a
scan over digits and warps writes its columns in order, so that ties stay by column. The weight of
each rank is then written to the column that has it. A row is read once and written once.

The kernel is compiled by NVRTC, which comes with PyTorch; where that fails, `torch_ops` sorts.
"""

from __future__ import annotations

import functools
import logging
from typing import Any

import torch

WARPS = 32
THREADS = 32 * WARPS
_COUNTERS = 4 * 256 * WARPS
_SHARED = 227 * 1024  # bytes a block may have on Hopper; less on older chips

_SOURCE = r"""
extern "C" __global__ void __launch_bounds__(1024)
rank_weights(const float* __restrict__ keys, const float* __restrict__ scale,
             const float* __restrict__ profile, float* __restrict__ out,
             int n, int first, int rows)
{
    extern __shared__ unsigned int shared[];
    unsigned int* key = shared;                                   // n
    unsigned int* counts = shared + n;                            // 256 * 32
    unsigned short* from = (unsigned short*)(counts + 256 * 32);  // n
    unsigned short* to = from + n;                                // n
    __shared__ unsigned int totals[256];
    const int row = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (row >= rows) return;
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
"""


def shared_bytes(n: int) -> int:
    """Bytes of shared memory for rows of n entries."""
    return 8 * n + _COUNTERS


def fits(keys: torch.Tensor) -> bool:
    """Whether the kernel can take rows like these: float32 on a GPU, and short enough."""
    on_gpu = keys.device.type == "cuda" and keys.dtype == torch.float32
    return on_gpu and shared_bytes(keys.shape[1]) <= _SHARED - 4096 and _kernel() is not None


@functools.cache
def _kernel() -> Any:
    """Compile the kernel; None, and one line, where that is not possible."""
    try:
        kernel = torch.cuda._compile_kernel(_SOURCE, "rank_weights")
        kernel.set_shared_memory_config(_SHARED - 2048)
    except Exception as problem:  # NVRTC, the driver and torch all have errors of their own
        logging.getLogger("linkprior").warning(
            "the CUDA kernel for ranks was not compiled (%s): sorting is several times slower",
            str(problem).splitlines()[0] if str(problem) else type(problem).__name__,
        )
        return None
    return kernel


def rank_weights(
    keys: torch.Tensor, scale: torch.Tensor, profile: torch.Tensor, first: int
) -> torch.Tensor:
    """Return scale_r·profile_k, k the rank of a column in its row; the diagonal is 0."""
    rows, n = keys.shape
    out = torch.empty_like(keys)
    arguments = [keys.contiguous(), scale.contiguous(), profile.contiguous(), out, n, first, rows]
    _kernel()((rows, 1, 1), (THREADS, 1, 1), arguments, shared_mem=shared_bytes(n))
    return out

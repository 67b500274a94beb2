"""Ranks of rows on a CUDA device by buckets: one block of threads ranks one row.

A sample of the row tells how its keys spread over the exponents of floats; each exponent gets as
many buckets as its share, 32,768 in all. Every key is counted into its bucket, a scan over buckets
tells where each begins, and a key's rank is that place plus the number of smaller keys in its own
bucket, ties by column: no sort, and a handful of accesses to shared memory for each key. Rows whose
keys crowd into few buckets (ties, most often) are flagged, and left to the sort of `cuda_ranks`.
"""

from __future__ import annotations

from typing import Any

import torch

from linkprior.kernels.tensors.nvrtc import SHARED, compiled, on_gpu

THREADS = 1024
_BUCKETS, _COARSE = 32768, 2048
_CROWDED = 12  # comparisons per key beyond which sorting is faster

_SOURCE = r"""
#define COARSE 2048
#define BUCKETS 32768
__device__ __forceinline__ unsigned int warp_scan(unsigned int own, int lane)
{
    #pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        unsigned int other = __shfl_up_sync(0xffffffffu, own, step);
        if (lane >= step) own += other;
    }
    return own;
}

extern "C" __global__ void __launch_bounds__(1024)
rank_weights(const float* __restrict__ keys, const float* __restrict__ scale,
             const float* __restrict__ profile, float* __restrict__ out,
             int* __restrict__ crowded, int n, int first)
{
    extern __shared__ unsigned int shared[];
    unsigned int* counts = shared;                        // 16,384 words of two counters each
    unsigned short* base = (unsigned short*)(counts + BUCKETS / 2);      // first bucket, 2,048
    unsigned short* width = base + COARSE;                               // number of them, 2,048
    unsigned int* member = (unsigned int*)(width + COARSE);              // n keys by bucket
    unsigned short* column = (unsigned short*)(member + n);              // and their columns
    __shared__ unsigned int totals[32];
    __shared__ unsigned int work;
    const int row = blockIdx.x, t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const long long at = (long long)row * n;
    const int diagonal = first + row;

    unsigned int key[KPT];
    #pragma unroll
    for (int k = 0; k < KPT; ++k) {
        int j = k * 1024 + t;
        unsigned int bits = 0xffffffffu;
        if (j < n && j != diagonal) {
            bits = __float_as_uint(keys[at + j] + 0.0f);                 // -0 is 0
            bits = (bits & 0x80000000u) ? bits : ~(bits | 0x80000000u);  // largest first
        }
        key[k] = bits;                                                   // the diagonal comes last
    }
    for (int i = t; i < COARSE; i += 1024) counts[i] = 0;
    if (t == 0) work = 0;
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < KPT; k += 4)
        if (k * 1024 + t < n) atomicAdd(counts + (key[k] >> 21), 1u);
    __syncthreads();
    unsigned int seen = 0;
    for (int k = 0; k < KPT; k += 4) seen += max(0, min(1024, n - k * 1024));
    unsigned int one = counts[2 * t], two = counts[2 * t + 1];
    one = 1u + (unsigned int)((unsigned long long)one * (BUCKETS - COARSE) / seen);
    two = 1u + (unsigned int)((unsigned long long)two * (BUCKETS - COARSE) / seen);
    unsigned int sum = warp_scan(one + two, lane);
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    if (warp == 0) { unsigned int s = warp_scan(totals[lane], lane); totals[lane] = s; }
    __syncthreads();
    unsigned int before = sum - one - two + (warp ? totals[warp - 1] : 0u);
    base[2 * t] = (unsigned short)before;  width[2 * t] = (unsigned short)one;
    base[2 * t + 1] = (unsigned short)(before + one);  width[2 * t + 1] = (unsigned short)two;
    for (int i = t; i < BUCKETS / 2; i += 1024) counts[i] = 0;
    __syncthreads();

    unsigned short slot[KPT];
    #pragma unroll
    for (int k = 0; k < KPT; ++k) {
        if (k * 1024 + t >= n) continue;
        unsigned int d = key[k] >> 21, b = base[d] + __umulhi(key[k] << 11, (unsigned int)width[d]);
        unsigned int shift = (b & 1u) * 16u;
        slot[k] = (unsigned short)(atomicAdd(counts + (b >> 1), 1u << shift) >> shift);
    }
    __syncthreads();
    unsigned int carry = 0, squares = 0;                  // a warp scans 512 words
    for (int i = 0; i < 16; ++i) {
        unsigned int w = counts[warp * 512 + i * 32 + lane], a = w & 0xffffu, c = w >> 16;
        carry += a + c;
        squares += a * a + c * c;
    }
    #pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        carry += __shfl_xor_sync(0xffffffffu, carry, step);
        squares += __shfl_xor_sync(0xffffffffu, squares, step);
    }
    if (lane == 0) { totals[warp] = carry; atomicAdd(&work, squares); }
    __syncthreads();
    if (work > CROWDED * (unsigned int)n) {
        if (t == 0) crowded[row] = 1;
        return;
    }
    if (warp == 0) { unsigned int s = warp_scan(totals[lane], lane); totals[lane] = s; }
    __syncthreads();
    carry = warp ? totals[warp - 1] : 0u;
    for (int i = 0; i < 16; ++i) {
        unsigned int* place = counts + warp * 512 + i * 32 + lane;
        unsigned int w = *place, a = w & 0xffffu, c = w >> 16, scan = warp_scan(a + c, lane);
        unsigned int begin = carry + scan - a - c;
        *place = begin | ((begin + a) << 16);
        carry += __shfl_sync(0xffffffffu, scan, 31);
    }
    __syncthreads();
    const unsigned short* begins = (const unsigned short*)counts;        // little endian
    #pragma unroll
    for (int k = 0; k < KPT; ++k) {
        int j = k * 1024 + t;
        if (j >= n) continue;
        unsigned int d = key[k] >> 21, b = base[d] + __umulhi(key[k] << 11, (unsigned int)width[d]);
        unsigned int place = begins[b] + slot[k];
        member[place] = key[k];
        column[place] = (unsigned short)j;
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < KPT; ++k) {
        int j = k * 1024 + t;
        if (j >= n) continue;
        unsigned int own = key[k], d = own >> 21;
        unsigned int b = base[d] + __umulhi(own << 11, (unsigned int)width[d]);
        unsigned int begin = begins[b], end = b + 1 < BUCKETS ? begins[b + 1] : n;
        unsigned int rank = begin;
        if (end - begin > 1)
            for (unsigned int q = begin; q < end; ++q) {
                unsigned int other = member[q];
                rank += other < own || (other == own && column[q] < j);
            }
        slot[k] = (unsigned short)rank;
    }
    __syncthreads();
    float* weight = (float*)member;                                      // keys are done with
    for (int j = t; j < n - 1; j += 1024) weight[j] = profile[j];
    if (t == 0) weight[n - 1] = 0.0f;                                    // the diagonal
    __syncthreads();
    const float own = scale[row];
    #pragma unroll
    for (int k = 0; k < KPT; ++k) {
        int j = k * 1024 + t;
        if (j < n) out[at + j] = own * weight[slot[k]];
    }
}
"""


def shared_bytes(n: int) -> int:
    """Bytes of shared memory for rows of n entries."""
    return 2 * _BUCKETS + 4 * _COARSE + 6 * n + 8


def fits(keys: torch.Tensor) -> bool:
    """Whether the kernel can take rows like these: float32 on a GPU, and short enough."""
    n = keys.shape[1]
    return on_gpu(keys) and n > 1 and shared_bytes(n) <= SHARED - 4096 and _kernel(n) is not None


def _kernel(n: int) -> Any:
    source = _SOURCE.replace("CROWDED", str(_CROWDED)).replace("KPT", str(-(-n // THREADS)))
    return compiled(source, "rank_weights", SHARED - 2048)


def rank_weights(given: list[torch.Tensor], first: int) -> torch.Tensor:
    """Write scale_r·profile_k at each column's rank k; return which rows were left undone.

    `given` holds keys, scale, profile and what is written to, all contiguous.
    """
    rows, n = given[0].shape
    crowded = given[0].new_zeros(rows, dtype=torch.int32)
    kernel = _kernel(n)
    kernel((rows, 1, 1), (THREADS, 1, 1), [*given, crowded, n, first], shared_mem=shared_bytes(n))
    return crowded

"""CUDA kernels: compiling them at first use, and the ranks of rows, a row to a block of threads.

*Buckets*. A sample of the row shows how its keys spread over the exponents of floats; each exponent
gets as many buckets as its share, 32,768 in all. Every key is counted into its bucket, a scan over
buckets gives where each begins, and a key's rank is that place plus the number of smaller keys in
its own bucket, ties by column: no sort, and a handful of accesses to shared memory for each key.
Rows whose keys crowd into few buckets (ties, most often) are flagged, and left to the sort.

*Sort*. A row's keys stay where they are; what moves is a permutation of 16-bit columns, by four
stable counting passes over 8 bits each. Every warp owns a run of places, counts its digits, and
after a scan over digits and warps writes its columns in order, so that ties stay by column. The
weight of each rank is then written to the column that has it. A row is read once and written once.
"""

from __future__ import annotations

import functools
import logging
from typing import Any

import torch
from torch import Tensor

SHARED = 227 * 1024  # bytes of shared memory a block may have on Hopper; less on older chips
THREADS = 1024
_BUCKETS, _COARSE = 32768, 2048
_CROWDED = 12  # comparisons per key beyond which sorting is faster


@functools.cache
def compiled(source: str, name: str, shared: int = 0) -> Any:
    """Return a kernel, or None where NVRTC or the driver refuses it."""
    try:
        kernel = torch.cuda._compile_kernel(source, name)
        if shared > 48 * 1024:
            kernel.set_shared_memory_config(shared)
    except Exception as problem:  # NVRTC, the driver and torch all have errors of their own
        logging.getLogger("linkprior").warning(
            "a CUDA kernel (%s) was not compiled (%s): PyTorch's own operations are slower",
            name,
            str(problem).splitlines()[0] if str(problem) else type(problem).__name__,
        )
        return None
    return kernel


def on_gpu(tensor: Tensor) -> bool:
    """Whether a kernel can take this tensor."""
    return tensor.device.type == "cuda" and tensor.dtype == torch.float32


_BUCKETS_SOURCE = r"""
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

_SORT_SOURCE = r"""
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


def _bucket_bytes(n: int) -> int:
    """Bytes of shared memory that ranks by buckets take for rows of n entries."""
    return 2 * _BUCKETS + 4 * _COARSE + 6 * n + 8


def _sort_bytes(n: int) -> int:
    """Bytes of shared memory that ranks by sorting take for rows of n entries."""
    return 8 * n + 4 * 256 * THREADS // 32


def _bucket_kernel(n: int) -> Any:
    source = _BUCKETS_SOURCE.replace("CROWDED", str(_CROWDED)).replace("KPT", str(-(-n // THREADS)))
    return compiled(source, "rank_weights", SHARED - 2048)


def _sort_kernel() -> Any:
    return compiled(_SORT_SOURCE, "rank_weights", SHARED - 2048)


def fits(keys: Tensor) -> bool:
    """Whether the kernels can take rows like these: float32 on a GPU, and short enough."""
    short = _sort_bytes(keys.shape[1]) <= SHARED - 4096
    return on_gpu(keys) and short and _sort_kernel() is not None


def rank_weights(keys: Tensor, scale: Tensor, profile: Tensor, first: int, out: Tensor) -> None:
    """Write scale_r·profile_k, k the rank of a column in its row, and 0 on the diagonal."""
    rows, n = keys.shape
    given = [keys.contiguous(), scale.contiguous(), profile.contiguous(), out]
    left = keys.new_ones(rows, dtype=torch.int32)  # rows that are to be sorted
    if n > 1 and _bucket_bytes(n) <= SHARED - 4096 and _bucket_kernel(n) is not None:
        left.zero_()
        arguments = [*given, left, n, first]
        shared = _bucket_bytes(n)
        _bucket_kernel(n)((rows, 1, 1), (THREADS, 1, 1), arguments, shared_mem=shared)
    blocks = min(rows, torch.cuda.get_device_properties(keys.device).multi_processor_count)
    arguments = [*given, left, n, first, rows]
    _sort_kernel()((blocks, 1, 1), (THREADS, 1, 1), arguments, shared_mem=_sort_bytes(n))

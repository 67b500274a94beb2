"""Micro-benchmarks of the kernels against plain NumPy: ratios of one run, best of several repeats.

Run it with ``python benchmarks/kernels_micro.py``; ``--quick`` takes smaller inputs.
"""

from __future__ import annotations

import argparse
import platform
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior import kernels

Array = NDArray[Any]
BLOCK = 64


def best_of(task: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several timings: the one others on the machine disturbed least."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        task()
        times.append(time.perf_counter() - begin)
    return min(times)


def peak_megabytes(task: Callable[[], object]) -> float:
    """Return the most memory a task held at a time, in a run of its own."""
    tracemalloc.start()
    task()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def score_kinds(p: int) -> dict[str, Array]:
    """Return matrices with the distributions the sort meets."""
    rng = np.random.default_rng(0)
    factors = rng.gamma(0.1, 1.0, (p, 20)).astype(np.float32)
    factors[factors < 1e-3] = 1e-9
    return {
        "uniform": rng.random((p, p), dtype=np.float32),
        "normal": rng.standard_normal((p, p), dtype=np.float32),
        "factor scores": factors @ factors.T,
        "70 % zeros": (rng.pareto(1, (p, p)) * (rng.random((p, p)) < 0.3)).astype(np.float32),
    }


def numpy_prox(values: Array, scale: Array, profile: Array) -> Array:
    """Do the row prox as one writes it in NumPy: sort, subtract, put back, clip."""
    keys = values.copy()
    np.fill_diagonal(keys, -np.inf)
    order = np.argsort(-keys, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    ordered[:, :-1] -= scale[:, None] * profile
    result = np.empty_like(values)
    np.put_along_axis(result, order, ordered, axis=1)
    return np.maximum(result, 0, out=result)


def kernel_prox(values: Array, scale: Array, profile: Array, out: Array, workers: int) -> None:
    """Do the row prox by the kernel, mapped over row blocks by threads."""

    def block(begin: int) -> None:
        rows = slice(begin, begin + BLOCK)
        kernels.prox_rows(values[rows], scale[rows], profile, begin, out[rows], clip=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(block, range(0, len(values), BLOCK)))


def bench_prox(p: int, repeats: int) -> None:
    """Print the ratios of `prox_rows` to NumPy on one and two threads."""
    print(f"\nprox_rows, {p} x {p}, NumPy (one thread) = 1; higher is faster")
    print(f"{'scores':16}{'dtype':9}{'NumPy s':>9}{'1 thread':>10}{'2 threads':>11}")
    for name, single in score_kinds(p).items():
        for dtype in (np.float32, np.float64):
            values = single.astype(dtype)
            scale = np.random.default_rng(1).random(p).astype(dtype)
            profile = np.log(np.arange(2, p + 1)).astype(dtype)
            out = np.empty_like(values)
            kernel_prox(values, scale, profile, out, 1)
            plain = best_of(lambda: numpy_prox(values, scale, profile), max(2, repeats // 2))  # noqa: B023
            ours = [
                best_of(lambda: kernel_prox(values, scale, profile, out, workers), repeats)  # noqa: B023
                for workers in (1, 2)
            ]
            ratios = f"{plain / ours[0]:9.1f}x{plain / ours[1]:10.1f}x"
            print(f"{name:16}{np.dtype(dtype).name:9}{plain:9.3f}{ratios}")


def whole_top(factors: Array, indptr: Array, indices: Array, k: int) -> Array:
    """Form all scores, mask what is no candidate, partition, sort."""
    scores = factors @ factors.T
    for i in range(len(scores)):
        scores[i, : i + 1] = -np.inf
        scores[i, indices[indptr[i] : indptr[i + 1]]] = -np.inf
    flat = scores.ravel()
    best = np.argpartition(flat, flat.size - k)[flat.size - k :]
    return best[np.argsort(-flat[best], kind="stable")]


def blocked_top(factors: Array, indptr: Array, indices: Array, k: int) -> Array:
    """Form scores block by block and keep the k best so far."""
    p = len(factors)
    codes, scores, floor = np.empty(0, np.int64), np.empty(0, factors.dtype), -np.inf
    for begin in range(0, p, BLOCK):
        block = factors[begin : begin + BLOCK] @ factors.T
        rows, columns, found = kernels.top_pairs(block, begin, indptr, indices, k, floor)
        scores, codes = np.append(scores, found), np.append(codes, rows * p + columns)
        order = np.argsort(-scores, kind="stable")[:k]
        scores, codes = scores[order], codes[order]
        floor = float(scores[-1]) if len(scores) == k else -np.inf
    return codes


def bench_top(p: int, rank: int, k: int, repeats: int) -> None:
    """Print time and peak memory of top-k over blocks against the whole matrix."""
    rng = np.random.default_rng(2)
    factors = rng.gamma(0.3, 1.0, (p, rank)).astype(np.float32)
    stored = [np.unique(rng.integers(0, p, 20)) for _ in range(p)]
    indptr = np.concatenate([[0], np.cumsum([len(s) for s in stored])])
    pattern = indptr, np.concatenate(stored).astype(np.int32)
    same = set(blocked_top(factors, *pattern, k)) == set(whole_top(factors, *pattern, k))
    whole = best_of(lambda: whole_top(factors, *pattern, k), max(2, repeats // 2))
    ours = best_of(lambda: blocked_top(factors, *pattern, k), repeats)
    whole_mb = peak_megabytes(lambda: whole_top(factors, *pattern, k))
    ours_mb = peak_megabytes(lambda: blocked_top(factors, *pattern, k))
    print(f"\ntop {k} pairs of {p} nodes, rank {rank}: blocks against the whole matrix")
    print(f"whole  {whole:7.3f} s {whole_mb:9.1f} MB\nblocks {ours:7.3f} s {ours_mb:9.1f} MB")
    print(f"{whole / ours:.1f}x the speed, 1/{whole_mb / ours_mb:.0f} of the memory, same: {same}")


def main() -> None:
    """Print the machine, then every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller inputs")
    quick = parser.parse_args().quick
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    bench_prox(800 if quick else 3000, 3 if quick else 7)
    bench_top(2000 if quick else 8000, 32, 1000, 2 if quick else 4)


if __name__ == "__main__":
    main()

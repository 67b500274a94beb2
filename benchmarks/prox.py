"""The fused row prox against the same written in NumPy, on one and two threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import side_by_side
from linkprior import kernels, parallel

Array = NDArray[Any]
SIZE = 3000


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


def numpy_rank_penalty(keys: Array, scale: Array, profile: Array, first: int, out: Array) -> Array:
    """Do `kernels.rank_penalty` as one writes it in NumPy: default sort, put back."""
    hidden = keys.copy()
    at = np.arange(len(keys))
    hidden[at, first + at] = -np.inf
    order = np.argsort(-hidden, axis=1)
    weights = np.append(profile, 0).astype(keys.dtype)
    np.put_along_axis(out, order, scale[:, None].astype(keys.dtype) * weights, axis=1)
    return out


def numpy_prox(values: Array, scale: Array, profile: Array) -> Array:
    """Do the whole row prox in NumPy: sort, subtract, put back, clip."""
    keys = values.copy()
    np.fill_diagonal(keys, -np.inf)
    order = np.argsort(-keys, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    ordered[:, :-1] -= scale[:, None] * profile
    result = np.empty_like(values)
    np.put_along_axis(result, order, ordered, axis=1)
    return np.maximum(result, 0, out=result)


def kernel_prox(values: Array, scale: Array, profile: Array, workers: int) -> Array:
    """Do the row prox by the kernel, mapped over row blocks."""
    out = np.empty_like(values)

    def block(start: int, stop: int) -> None:
        rows = slice(start, stop)
        kernels.prox_rows(values[rows], scale[rows], profile, start, out[rows], clip=True)

    for _ in parallel.map_blocks(block, len(values), workers):
        pass
    return out


def run() -> Iterator[str]:
    """Yield the lines to print."""
    yield f"row prox {SIZE} × {SIZE} float32: speed against NumPy (goal ≥ 3× and ≥ 5×)"
    yield f"{'scores':16}{'NumPy s':>9}{'1 thread':>10}{'2 threads':>11}"
    for name, values in score_kinds(SIZE).items():
        scale = np.random.default_rng(1).random(SIZE).astype(np.float32)
        profile = np.log(np.arange(2, SIZE + 1)).astype(np.float32)
        if not np.array_equal(
            np.sort(kernel_prox(values, scale, profile, 1), axis=1),
            np.sort(numpy_prox(values, scale, profile), axis=1),
        ):
            raise SystemExit(f"the two disagree on {name}")
        plain, one, two = side_by_side(
            [
                lambda v=values, s=scale, h=profile: numpy_prox(v, s, h),
                lambda v=values, s=scale, h=profile: kernel_prox(v, s, h, 1),
                lambda v=values, s=scale, h=profile: kernel_prox(v, s, h, 2),
            ]
        )
        yield f"{name:16}{plain:9.3f}{plain / one:9.1f}×{plain / two:10.1f}×"

"""Kernels, solvers and models against NumPy and implicit, and two threads against one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks import data
from benchmarks.data import peak_megabytes, side_by_side
from linkprior import kernels, parallel
from linkprior.io.read import read_network
from linkprior.model.degrees import estimate_degrees
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior
from linkprior.network import Network
from linkprior.network.generate import large_network, planted_network
from linkprior.parallel import one_blas_thread, use_workers
from linkprior.predictors.scores import build_tables
from linkprior.ranking.topk import best_pairs
from linkprior.solvers.base import Measure, solve
from linkprior.solvers.direct import DirectSolver, ranked_pass
from linkprior.solvers.pu_als import PuAlsSolver

if TYPE_CHECKING:
    from implicit.cpu.als import AlternatingLeastSquares

# ---------------------------------------------------------------------- prox

Array = NDArray[Any]
SIZE = 3000


def score_kinds(p: int) -> dict[str, Array]:
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
    keys = values.copy()
    np.fill_diagonal(keys, -np.inf)
    order = np.argsort(-keys, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    ordered[:, :-1] -= scale[:, None] * profile
    result = np.empty_like(values)
    np.put_along_axis(result, order, ordered, axis=1)
    return np.maximum(result, 0, out=result)


def kernel_prox(values: Array, scale: Array, profile: Array, workers: int) -> Array:
    out = np.empty_like(values)

    def block(start: int, stop: int) -> None:
        rows = slice(start, stop)
        kernels.rank_penalty(values[rows], scale[rows], profile, start, out[rows])
        np.subtract(values[rows], out[rows], out=out[rows])
        np.maximum(out[rows], 0, out=out[rows])

    list(parallel.map_blocks(block, len(values), workers))
    return out


def prox() -> Iterator[str]:
    yield f"row prox {SIZE} × {SIZE} float32: speed against NumPy (goal ≥ 3× and ≥ 5×)"
    yield f"{'scores':16}{'NumPy s':>9}{'1 thread':>10}{'2 threads':>11}"
    for name, values in score_kinds(SIZE).items():
        scale = np.random.default_rng(1).random(SIZE).astype(np.float32)
        profile = np.log(np.arange(2, SIZE + 1)).astype(np.float32)
        given = (values, scale, profile)
        ways = [
            partial(numpy_prox, *given),
            partial(kernel_prox, *given, 1),
            partial(kernel_prox, *given, 2),
        ]
        theirs, ours = (np.sort(way(), axis=1) for way in ways[:2])
        if not np.array_equal(ours, theirs):
            raise SystemExit(f"the two disagree on {name}")
        plain, one, two = side_by_side(ways)
        yield f"{name:16}{plain:9.3f}{plain / one:9.1f}×{plain / two:10.1f}×"


# ---------------------------------------------------------------------- threads

NODES, THREADS_RANK = 8000, 32


def threads() -> Iterator[str]:
    with one_blas_thread():
        net = large_network(NODES, mean_degree=12, seed=1)
        plain = DirectSolver(net, SquaredLoss(0.2), THREADS_RANK)
        factors: Factors = solve(plain, np.random.default_rng(0), 20, 0.0).state.factors
        prior, p = DegreePrior(estimate_degrees(net), 0.5), len(factors.U)
        scale, profile = prior.scale(np.zeros(p)), prior.profile(p - 1)
        tasks: dict[str, Callable[[], object]] = {
            "streaming pass (goal ≥ 1.7×)": lambda: ranked_pass(factors, prior),
            "rank tables, two passes": lambda: build_tables(factors, scale, profile, passes=2),
        }
        yield f"two threads against one, {p} nodes, rank {THREADS_RANK}"
        for name, task in tasks.items():
            task()
            one, two = side_by_side([use_workers(n)(task) for n in (1, 2)])
            yield f"{name}: one thread {one:.2f} s, two {two:.2f} s: {one / two:.2f}×"


# ---------------------------------------------------------------------- topk

TOPK_NODES, TOPK_RANK, TOP = 8000, 32, 1000


def whole_matrix(factors: np.ndarray, net: Network, k: int) -> np.ndarray:
    scores = factors @ factors.T
    scores[np.tril_indices(len(scores))] = -np.inf
    rows = np.repeat(np.arange(len(scores)), net.degrees)
    scores[rows, net.adjacency.indices] = -np.inf
    flat = scores.ravel()
    best = np.argpartition(flat, flat.size - k)[flat.size - k :]
    best = best[np.argsort(-flat[best], kind="stable")]
    return np.stack(np.divmod(best, len(scores)), axis=1)


def topk() -> Iterator[str]:
    rng = np.random.default_rng(2)
    factors = rng.gamma(0.3, 1.0, (TOPK_NODES, TOPK_RANK)).astype(np.float32)
    ends = rng.integers(0, TOPK_NODES, (80_000, 2))  # anywhere: only their number matters here
    net = Network.from_indices(ends, [str(i) for i in range(TOPK_NODES)])

    def blocks(workers: int) -> np.ndarray:
        return best_pairs(lambda i, j: factors[i:j] @ factors.T, net, TOP, workers)[0]

    with one_blas_thread():
        same = {*map(tuple, blocks(1))} == {*map(tuple, whole_matrix(factors, net, TOP))}
        tasks = [lambda: whole_matrix(factors, net, TOP), lambda: blocks(1), lambda: blocks(2)]
        whole, one, two = side_by_side(tasks, repeats=3)
        whole_mb, block_mb = (peak_megabytes(task) for task in (tasks[0], tasks[2]))
    yield f"top {TOP} of {TOPK_NODES} nodes, rank {TOPK_RANK} (goal: not slower, ≤ 1/10 memory)"
    yield f"whole matrix {whole:6.2f} s {whole_mb:7.0f} MB   (one BLAS thread)"
    yield f"blocks       {one:6.2f} s, two threads {two:.2f} s {block_mb:7.0f} MB"
    yield f"{whole / one:.1f}× and {whole / two:.1f}× the speed, same pairs: {same}"


# ---------------------------------------------------------------------- pu

RANK, SWEEPS = 64, 15
RHO, LAM = 0.05, 0.1


def our_run(net: Network, threads: int) -> list[Measure]:
    solver = PuAlsSolver(net, RANK, RHO, LAM, workers=threads)
    return solve(solver, np.random.default_rng(0), SWEEPS, 0.0).history


def implicit_als_of(
    net: Network, rank: int, rounds: int, threads: int, seed: int
) -> tuple[AlternatingLeastSquares, Any]:
    """Return implicit's model with the same loss, and what it is fitted to."""
    from implicit.cpu.als import AlternatingLeastSquares

    confidence = sp.csr_matrix(net.adjacency).astype(np.float32) * ((2.0 - RHO) / RHO)
    model = AlternatingLeastSquares(
        factors=rank,
        regularization=LAM * 2.0 / RHO,
        iterations=rounds,
        num_threads=threads,
        random_state=seed,
    )
    return model, confidence


def implicit_run(net: Network, threads: int) -> AlternatingLeastSquares:
    model, confidence = implicit_als_of(net, RANK, SWEEPS, threads, 0)
    model.fit(confidence, show_progress=False)
    return model


def pu() -> Iterator[str]:
    folder = data.folder()
    if folder is None:
        label, net = "generated", planted_network(8272, mean_degree=12.6)
    else:
        label, net = "HuRI", read_network(folder / data.HURI)
    yield (
        f"pu and implicit's ALS, {label}: {net.n_nodes} nodes, {net.n_edges} edges, rank {RANK}, "
        f"{SWEEPS} sweeps of 3 CG steps (goal: within 2×, then faster)"
    )
    yield "threads   linkprior s/sweep   implicit s/sweep   implicit/linkprior"
    with one_blas_thread():
        history, model = our_run(net, 1), implicit_run(net, 1)
        solver = PuAlsSolver(net, RANK, RHO, LAM)
        theirs = solver.measure(solver.state(model.user_factors, model.item_factors)).objective
        for threads in (1, 2):
            ours, other = side_by_side(
                [lambda n=threads: our_run(net, n), lambda n=threads: implicit_run(net, n)]
            )
            yield f"{threads:7}{ours / SWEEPS:20.4f}{other / SWEEPS:19.4f}{other / ours:20.2f}×"
    yield (
        f"objective after {SWEEPS} sweeps (lower is better): linkprior "
        f"{history[-1].objective:.0f}, implicit {theirs:.0f}"
    )

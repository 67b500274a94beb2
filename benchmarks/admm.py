"""One tri-degree ADMM fit against the same on portable kernels with NumPy's own sort."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import data
from benchmarks.prox import numpy_rank_penalty
from benchmarks.timing import peak_megabytes, side_by_side
from linkprior import _config, kernels, parallel
from linkprior.model.degrees import estimate_degrees
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior
from linkprior.network import Network
from linkprior.network.generate import planted_network
from linkprior.solvers.base import solve
from linkprior.solvers.tri_admm import AdmmSolver

RANK, STEPS = 20, 50


def load_network() -> tuple[str, Network]:
    """Return DREAM5 network 1 where the data folder is known, else a generated one of its size."""
    folder = data.folder()
    if folder is None:
        return "generated", planted_network(1565, mean_degree=5.1)
    return "DREAM5 network 1", data.dream5(folder)


class Stopwatch:
    """Adds up the seconds spent in a function, over all threads."""

    def __init__(self, function: Any) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter()
        try:
            return self.function(*args, **kwargs)
        finally:
            self.seconds += time.perf_counter() - began


def fit(net: Network, workers: int) -> None:
    """Run 50 outer steps from a random start, nothing else."""
    prior = DegreePrior(estimate_degrees(net), 0.5)
    solver = AdmmSolver(net, SquaredLoss(0.2), RANK, prior, 0.003, 0.003, workers=workers)
    solve(solver, np.random.default_rng(0), STEPS, 0.0)


def numpy_fit(net: Network, workers: int) -> None:
    """Run the same on the portable kernels, with NumPy's default argsort and scatter."""
    with (
        _config.using(kernels="portable"),
        patch.object(kernels, "rank_penalty", numpy_rank_penalty),
    ):
        fit(net, workers)


def shares(net: Network) -> str:
    """Tell how one thread spends its time: sort, BLAS and the rest."""
    sort = Stopwatch(kernels.rank_penalty)
    blas = Stopwatch(blas_only)
    with patch.object(kernels, "rank_penalty", sort):
        began = time.perf_counter()
        fit(net, 1)
        total = time.perf_counter() - began
    blas(net)
    rest = max(0.0, total - sort.seconds - blas.seconds)
    parts = {"sort": sort.seconds, "BLAS": blas.seconds, "rest": rest}
    return ", ".join(f"{name} {100 * s / total:.0f} %" for name, s in parts.items())


def blas_only(net: Network) -> None:
    """Do the dense products of a fit and nothing else: three thin ones and a wide one per step."""
    p = net.n_nodes
    wide, thin = np.ones((p, p), np.float32), np.ones((p, RANK), np.float32)
    for _ in range(STEPS):
        for start, stop in parallel.blocks(p):
            for _ in range(4):
                wide[start:stop] @ thin
            thin[start:stop] @ thin.T


def run() -> Iterator[str]:
    """Yield the lines to print."""
    label, net = load_network()
    with parallel.one_blas_thread():
        fit(net, 2)
        ours, plain, one = side_by_side(
            [lambda: fit(net, 2), lambda: numpy_fit(net, 2), lambda: fit(net, 1)], repeats=3
        )
        spent = shares(net)
        held = peak_megabytes(lambda: fit(net, 2)) * 1e6 / (4.0 * net.n_nodes**2)
    yield f"tri-degree ADMM, {label}, {net.n_nodes} nodes, rank {RANK}, {STEPS} steps (goal ≥ 3×)"
    yield f"two threads: {ours:.2f} s, NumPy's sort and portable kernels {plain:.2f} s: "
    yield f"             {plain / ours:.1f}× the speed"
    yield f"one thread:  {one:.2f} s ({spent})"
    yield f"memory:      {held:.2f} p × p arrays of float32, blocks included (goal: four arrays)"

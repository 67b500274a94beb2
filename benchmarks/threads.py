"""Two threads against one: a streaming pass, its parts, and the pass that makes rank tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.timing import side_by_side
from linkprior.model.degrees import estimate_degrees
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior
from linkprior.network.generate import large_network
from linkprior.parallel import one_blas_thread, use_workers
from linkprior.predictors.scores import build_tables
from linkprior.solvers.base import solve
from linkprior.solvers.direct import DirectSolver, ranked_pass

NODES, RANK = 8000, 32


def fitted() -> tuple[Factors, DegreePrior]:
    """Return factors after some plain sweeps, and the prior of their network."""
    net = large_network(NODES, mean_degree=12, seed=1)
    plain = DirectSolver(net, SquaredLoss(0.2), RANK)
    factors: Factors = solve(plain, np.random.default_rng(0), 20, 0.0).state.factors
    return factors, DegreePrior(estimate_degrees(net), 0.5)


def both_ways(task: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of a task on one thread and on two, taken in turns."""

    def on(workers: int) -> None:
        with use_workers(workers):
            task()

    one, two = side_by_side([lambda: on(1), lambda: on(2)])
    return one, two


def run() -> Iterator[str]:
    """Yield the lines to print."""
    with one_blas_thread():
        factors, prior = fitted()
        p = len(factors.U)
        scale, profile = prior.scale(np.zeros(p)), prior.profile(p - 1)
        tasks: dict[str, Callable[[], object]] = {
            "streaming pass (goal ≥ 1.7×)": lambda: ranked_pass(factors, prior),
            "rank tables, two passes": lambda: build_tables(factors, scale, profile, passes=2),
        }
        yield f"two threads against one, {p} nodes, rank {RANK}"
        for name, task in tasks.items():
            task()
            one, two = both_ways(task)
            yield f"{name}: one thread {one:.2f} s, two {two:.2f} s: {one / two:.2f}×"

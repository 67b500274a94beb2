"""Several random starts of one solver, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from linkprior import parallel
from linkprior.checks import whole_number
from linkprior.solvers.base import Solution

T = TypeVar("T")
SEED_LIMIT = 2**63 - 1


def run_starts(
    seed: int, n_starts: int, one_start: Callable[[np.random.Generator, int], T]
) -> list[T]:
    """Return one_start(rng, workers) for each start, each with a spawned seed of its own.

    Starts run in threads; threads left over work on row blocks inside a start.
    """
    n_starts = whole_number("n_starts", n_starts, 1)
    seeds = np.random.SeedSequence(whole_number("seed", seed, 0, SEED_LIMIT)).spawn(n_starts)
    workers = parallel.current_workers()
    outer = min(workers, n_starts)
    inner = max(1, workers // outer)
    return list(
        parallel.map_tasks(lambda s: one_start(np.random.default_rng(s), inner), seeds, outer)
    )


def facts_of(solutions: Sequence[Solution[Any]]) -> dict[str, Any]:
    """Tell how each start ended."""
    return {
        "status": [solution.status for solution in solutions],
        "n_iter": [solution.n_iter for solution in solutions],
        "objective": [solution.history[-1].objective for solution in solutions],
    }

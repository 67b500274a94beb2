"""Several random starts of one solver, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import whole_number
from linkprior.kernels._engine import current_device
from linkprior.solvers.base import Solution

T = TypeVar("T")
SEED_LIMIT = 2**63 - 1
MOST_STARTS = 10_000  # each has a seed, a task and a result of its own


def run_starts(
    seed: int, n_starts: int, one_start: Callable[[np.random.Generator, int], T], units: float = 1.0
) -> list[T]:
    """Return one_start(rng, workers) for each start, each with a spawned seed of its own.

    Starts run in threads; threads left over work on row blocks inside a start. Each is a part of
    the current stage of the progress, worth `units`.
    """
    n_starts = whole_number("n_starts", n_starts, 1, MOST_STARTS)
    seeds = np.random.SeedSequence(whole_number("seed", seed, 0, SEED_LIMIT)).spawn(n_starts)
    outer, inner = threads(n_starts)

    def run(own: np.random.SeedSequence) -> T:
        with progress.part(units):
            # On a worker of a cluster there may be fewer threads than here.
            own_threads = min(inner, parallel.current_workers())
            with parallel.use_workers(own_threads):
                return one_start(np.random.default_rng(own), own_threads)

    return list(parallel.map_tasks(run, seeds, outer, remote=True))


def threads(n_starts: int) -> tuple[int, int]:
    """Return how many starts run at once, and with how many threads each."""
    workers = parallel.current_workers()
    outer = min(workers, n_starts) if current_device() == "cpu" else 1  # a device has one memory
    return outer, max(1, workers // outer)


def idle_factor(n_starts: int) -> float:
    """Return the time all cores take for the starts over the work there is: some cores may idle."""
    outer, inner = threads(n_starts)
    return -(-n_starts // outer) * parallel.current_workers() / (n_starts * inner)


def facts_of(solutions: Sequence[Solution[Any]]) -> dict[str, Any]:
    """Describe how each start ended: residuals too, where the method has any."""
    last = [solution.history[-1] for solution in solutions]
    residuals = {name: [getattr(one, name) for one in last] for name in ("primal", "dual")}
    return {
        "status": [solution.status for solution in solutions],
        "n_iter": [solution.n_iter for solution in solutions],
        "objective": [one.objective for one in last],
        **{name: values for name, values in residuals.items() if None not in values},
    }


def convergence(facts: Mapping[str, Any]) -> list[str]:
    """Return in one sentence how the starts ended, from `facts_of`; nothing without."""
    if "status" not in facts or "n_iter" not in facts:
        return []
    status, steps = _listed(facts["status"]), _listed(facts["n_iter"])
    n, done = len(status), status.count("converged")
    starts = f"{n} start{'s' * (n != 1)}"
    ended = "converged" if done == n else f"{done} of them converged" if done else "not converged"
    figures = [_range("objective", _listed(facts["objective"]), ".6g")]
    for name in ("primal", "dual"):
        if facts.get(name) is not None:
            figures.append(_range(f"{name} residual", _listed(facts[name]), ".2g"))
    return [f"Fit: {starts} of {_range('', steps, 'd')} steps, {ended}; {', '.join(figures)}."]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _range(name: str, values: list[Any], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return f"{name} {low}".strip() if low == high else f"{name} {low} to {high}".strip()

"""The one loop under every solver: init, step, measure, stop; and what it hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np

from linkprior import _progress as progress
from linkprior.errors import LinkpriorError

State = TypeVar("State")
Status = Literal["converged", "max_iter"]


@dataclass(frozen=True)
class Measure:
    """The state of a solver after a step; relative residuals are None where it has none."""

    objective: float
    primal: float | None = None
    dual: float | None = None


@dataclass(frozen=True)
class Solution(Generic[State]):
    """The last state, why the loop ended, and every measure on the way (the start's first)."""

    state: State
    status: Status
    history: list[Measure] = field(default_factory=list)

    @property
    def n_iter(self) -> int:
        return len(self.history) - 1


class Solver(Protocol[State]):
    """An iterative method: a start, a step, and a measure of the state."""

    def init(self, rng: np.random.Generator) -> State: ...

    def step(self, state: State) -> State: ...

    def measure(self, state: State) -> Measure: ...


def solve(
    solver: Solver[State], rng: np.random.Generator, max_iter: int, tol: float
) -> Solution[State]:
    """Step until settled or until `max_iter` steps are done."""
    with progress.stage(total=max_iter + 1):  # the start counts like a step
        with progress.part(1):
            state = solver.init(rng)
            history = [solver.measure(state)]
        for number in range(1, max_iter + 1):
            with progress.part(1):
                state = solver.step(state)
                history.append(solver.measure(state))
            if not np.isfinite(history[-1].objective):
                raise LinkpriorError(
                    f"the objective became {history[-1].objective} at step {number}: try other "
                    "parameters (a smaller lam, alpha or eta)"
                )
            if settled(history, tol):
                return Solution(state, "converged", history)
    return Solution(state, "max_iter", history)


def settled(history: list[Measure], tol: float, patience: int = 3) -> bool:
    """Return whether the last `patience` steps changed nothing worth another step.

    The objective must have stood still for several steps in a row, and the residuals, where the
    method has them, must be small as well. A primal residual alone says nothing: it is zero from
    the first step on for a method without prior.
    """
    if len(history) <= patience:
        return False
    recent = [m.objective for m in history[-patience - 1 :]]
    still = max(recent) - min(recent) <= tol * max(abs(recent[-1]), 1e-300)
    residuals = [r for r in (history[-1].primal, history[-1].dual) if r is not None]
    return still and all(r <= tol for r in residuals)

"""Would the last permutation help the next sort? `python -m benchmarks.permutation`

Rows of U S Uᵀ are ranked at one streaming step; at the next they are taken in that order, which is
nearly sorted, and sorted again: by insertion (moves only what has moved), by NumPy's stable sort
(which takes up runs), and as linkprior does, by radix sort without any memory of the step before.
The order costs p × p numbers to keep, which the streaming solver has no room for anyway.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.data import machine, side_by_side
from linkprior import kernels
from linkprior.model.degrees import estimate_degrees
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior
from linkprior.network.generate import large_network
from linkprior.parallel import one_blas_thread
from linkprior.solvers.direct import DirectSolver

Array = NDArray[np.generic]
NODES, ROWS, RANK, STEPS = 8000, 128, 32, (3, 10, 40)


@njit(cache=True)  # type: ignore[untyped-decorator]
def insertion(keys: Array, order: Array) -> None:
    """Sort each row's order by descending key, beginning with the order given."""
    for row in range(len(keys)):
        columns = order[row]
        for at in range(1, columns.size):
            column = columns[at]
            key = keys[row, column]
            place = at
            while place > 0 and keys[row, columns[place - 1]] < key:
                columns[place] = columns[place - 1]
                place -= 1
            columns[place] = column


def main() -> None:
    print(machine())
    net = large_network(NODES, 20.0, seed=1)
    prior = DegreePrior(estimate_degrees(net), 0.5)
    solver = DirectSolver(net, SquaredLoss(0.2), RANK, prior, 0.003)
    state, step = solver.init(np.random.default_rng(0)), 0
    with one_blas_thread():
        for wanted in STEPS:
            while step < wanted:
                state, step = solver.step(state), step + 1
            before = state.factors.rows(0, ROWS).astype(np.float32)
            state, step = solver.step(state), step + 1
            now = state.factors.rows(0, ROWS).astype(np.float32)
            print(line(step, before, now))


def line(step: int, before: Array, now: Array) -> str:
    """Return the times of three sorts of the same rows, in milliseconds."""
    last, new = kernels.argsort_rows(before, -1), kernels.argsort_rows(now, -1)
    place = np.empty_like(last)
    np.put_along_axis(place, last, np.arange(last.shape[1], dtype=last.dtype)[None, :], axis=1)
    moved = np.abs(np.take_along_axis(place, new, axis=1) - np.arange(last.shape[1]))
    arranged = np.take_along_axis(now, last, axis=1)
    insertion(now[:1], last[:1].copy())
    sorts = {
        "radix": lambda: kernels.argsort_rows(now, -1),
        "insertion": lambda: insertion(now, last.copy()),
        "stable sort": lambda: np.argsort(-arranged, axis=1, kind="stable"),
    }
    times = zip(sorts, side_by_side(list(sorts.values())), strict=True)
    shown = ", ".join(f"{name} {1000 * t:.0f} ms" for name, t in times)
    return f"step {step}: an entry moves {moved.mean():.0f} places on average; {shown}"


if __name__ == "__main__":
    main()

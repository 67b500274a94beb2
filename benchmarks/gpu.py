"""What a GPU makes of it: `python -m benchmarks.gpu [--quick]` on a machine that has one.

admm   the dense ADMM, 20,000 nodes, rank 32, 100 outer steps of 3 prox passes
prox   ranks and penalty of all rows, 20,000 × 20,000, against the time to read and write them once
streaming  the same by direct descent, which holds row blocks only; rows of 100,000 are sorted

Nothing but PyTorch, NumPy and SciPy is needed; without numba the portable kernels run. Results:
benchmarks/results/gpu.json (written where the command runs).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

os.environ.setdefault("LINKPRIOR_KERNELS", "portable")

from benchmarks.gpu_pairs import clock, run_works
from linkprior.model.degrees import estimate_degrees
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior
from linkprior.network import Network
from linkprior.solvers.device import DeviceAdmm, DeviceDirect
from linkprior.solvers.tri_admm import AdmmSolver


def random_network(n_nodes: int) -> Network:
    """Draw ten edges per node between nodes of uneven weight (Chung and Lu)."""
    rng = np.random.default_rng(0)
    weight = 1.0 + rng.pareto(2.5, n_nodes)
    ends = rng.choice(n_nodes, (10 * n_nodes, 2), p=weight / weight.sum())
    return Network.from_indices(ends, [str(i) for i in range(n_nodes)])


def fastest(work: Callable[[], Any]) -> float:
    """Return the seconds of the fastest of three runs, after one to warm up."""
    work()
    return min(clock(work)[1] for _ in range(3))


def admm_solver(net: Network, cls: type[AdmmSolver], **more: Any) -> AdmmSolver:
    prior = DegreePrior(estimate_degrees(net), alpha=0.5)
    return cls(net, SquaredLoss(0.2), 32, prior, 0.05, 1.0, passes=3, **more)


def clocked_steps(solver: Any, steps: int) -> tuple[float, float]:
    """Return the seconds of some steps after a first one, and the peak memory in GB."""
    import torch

    torch.cuda.reset_peak_memory_stats()
    state = solver.step(solver.init(np.random.default_rng(0)))

    def walk() -> None:
        nonlocal state
        for _ in range(steps):
            state = solver.step(state)

    _, seconds = clock(walk)
    return seconds, torch.cuda.max_memory_allocated() / 1e9


def admm(n_nodes: int, steps: int) -> dict[str, float]:
    solver = admm_solver(random_network(n_nodes), DeviceAdmm, device="cuda")
    seconds, peak = clocked_steps(solver, steps)
    return {"nodes": n_nodes, "steps": steps, "seconds": seconds, "peak_gb": peak}


def streaming(n_nodes: int, steps: int) -> dict[str, float]:
    net = random_network(n_nodes)
    prior = DegreePrior(estimate_degrees(net), alpha=0.5)
    solver = DeviceDirect(net, SquaredLoss(0.2), 32, prior, 0.05, device="cuda")
    seconds, peak = clocked_steps(solver, steps)
    return {"nodes": n_nodes, "seconds_per_step": seconds / steps, "peak_gb": peak}


def parity(n_nodes: int = 1500, steps: int = 10) -> dict[str, float]:
    """Return the largest relative difference between device and NumPy after some steps."""
    net = random_network(n_nodes)
    solvers = [admm_solver(net, DeviceAdmm, device="cuda"), admm_solver(net, AdmmSolver)]
    states = [one.init(np.random.default_rng(0)) for one in solvers]
    for _ in range(steps):
        states = [one.step(state) for one, state in zip(solvers, states, strict=True)]
    U = solvers[0].back(states[0]).factors.U  # type: ignore[attr-defined]
    expected = states[1].factors.U
    values = [one.measure(s).objective for one, s in zip(solvers, states, strict=True)]
    return {
        "factors": float(np.abs(U - expected).max() / np.abs(expected).max()),
        "objective": abs(values[0] / values[1] - 1.0),
    }


def prox(n_nodes: int) -> dict[str, float]:
    import torch

    from linkprior.kernels.torch.ops import rank_penalty, sorted_penalty

    keys = torch.randn(n_nodes, n_nodes, device="cuda")
    profile = torch.log(torch.arange(2, n_nodes + 1, device="cuda").float()).sqrt()
    scale, out = torch.rand(n_nodes, device="cuda"), torch.empty_like(keys)
    blocks = [slice(i, min(n_nodes, i + 2048)) for i in range(0, n_nodes, 2048)]

    def all_rows() -> None:
        for rows in blocks:
            rank_penalty(keys[rows], scale[rows], profile, rows.start, out[rows])

    def sorts(stable: bool) -> None:
        for rows in blocks:
            torch.sort(keys[rows], dim=1, descending=True, stable=stable)

    few = keys[:2048]
    same = [
        torch.equal(
            *(way(some, scale[:2048], profile, 0) for way in (rank_penalty, sorted_penalty))
        )
        for some in (few, (few * 4).round())  # with ties too
    ]
    return {
        "nodes": n_nodes,
        "copy": fastest(lambda: out.copy_(keys)),
        "rank_penalty": fastest(all_rows),
        "same": float(all(same)),
        "sort": fastest(lambda: sorts(False)),
        "stable_sort": fastest(lambda: sorts(True)),
    }


def main() -> None:
    import scipy
    import torch

    quick = "--quick" in sys.argv
    versions = {one.__name__: one.__version__ for one in (torch, np, scipy)}
    nodes = 4000 if quick else 20_000
    works: dict[str, Callable[[], Any]] = {
        "parity": parity,
        "prox": lambda: prox(nodes),
        "admm": lambda: admm(nodes, 20 if quick else 100),
        "streaming": lambda: streaming(nodes, 10),
        "streaming_large": lambda: streaming(8000 if quick else 100_000, 2),
    }
    run_works("gpu.json", works, versions=versions)


if __name__ == "__main__":
    main()

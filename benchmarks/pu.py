"""pu against implicit's AlternatingLeastSquares: the same loss, rank, sweeps and threads, one run.

With LINKPRIOR_DATA set it takes the HuRI network, else a
generated one of the same size. implicit's confidences are scaled so that both minimise the same
sum of squares, up to the diagonal, which implicit takes for data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from benchmarks import data
from benchmarks.timing import side_by_side
from linkprior import parallel
from linkprior.io.read import read_network
from linkprior.network import Network
from linkprior.network.generate import planted_network
from linkprior.solvers.base import Measure, solve
from linkprior.solvers.pu_als import PuAlsSolver

if TYPE_CHECKING:
    from implicit.cpu.als import AlternatingLeastSquares

RANK, SWEEPS = 64, 15
RHO, LAM = 0.05, 0.1


def load_network() -> tuple[str, Network]:
    """Return HuRI where the data folder is known, else a generated network of its size."""
    folder = data.folder()
    if folder is None:
        return "generated", planted_network(8272, mean_degree=12.6)
    return "HuRI", read_network(folder / "ppi-challenge2023" / "HuRI.csv.gz")


def our_run(net: Network, threads: int) -> list[Measure]:
    """Fit and return the history of the objective."""
    solver = PuAlsSolver(net, RANK, RHO, LAM, workers=threads)
    return solve(solver, np.random.default_rng(0), SWEEPS, 0.0).history


def implicit_run(net: Network, threads: int) -> AlternatingLeastSquares:
    """Fit by implicit's default conjugate gradient."""
    from implicit.cpu.als import AlternatingLeastSquares

    confidence = sp.csr_matrix(net.adjacency).astype(np.float32) * ((2.0 - RHO) / RHO)
    model = AlternatingLeastSquares(
        factors=RANK,
        regularization=LAM * 2.0 / RHO,
        iterations=SWEEPS,
        num_threads=threads,
        random_state=0,
    )
    model.fit(confidence, show_progress=False)
    return model


def objective_of(net: Network, model: AlternatingLeastSquares) -> float:
    """Return our objective at implicit's factors."""
    solver = PuAlsSolver(net, RANK, RHO, LAM)
    return solver.measure(solver.state(model.user_factors, model.item_factors)).objective


def run() -> Iterator[str]:
    """Yield the lines to print."""
    label, net = load_network()
    yield (
        f"pu and implicit's ALS, {label}: {net.n_nodes} nodes, {net.n_edges} edges, rank {RANK}, "
        f"{SWEEPS} sweeps of 3 CG steps (goal: within 2×, then faster)"
    )
    yield "threads   linkprior s/sweep   implicit s/sweep   implicit/linkprior"
    with parallel.one_blas_thread():
        history, theirs = our_run(net, 1), objective_of(net, implicit_run(net, 1))
        for threads in (1, 2):
            ours, other = side_by_side(
                [lambda n=threads: our_run(net, n), lambda n=threads: implicit_run(net, n)]
            )
            yield f"{threads:7}{ours / SWEEPS:20.4f}{other / SWEEPS:19.4f}{other / ours:20.2f}×"
    yield (
        f"objective after {SWEEPS} sweeps (lower is better): linkprior "
        f"{history[-1].objective:.0f}, implicit {theirs:.0f}"
    )

"""One cell of `benchmarks.growth`: one contender on one generated network, in this process.

    python -m benchmarks.growth_cells NAME NODES MEAN_DEGREE      prints JSON

tri-degree    one streaming pass, the rank tables, and the best pairs by them; rank 32
tri, pu       20 sweeps of tri, 15 of pu (3 CG steps), rank 32: what NMF and ALS are compared with
top           the best pairs by U S Uᵀ, over row blocks: what dense-usu is compared with
l3            the fit and the best pairs by the peer l3: what dense-l3 is compared with
sklearn-nmf   20 iterations (coordinate descent), rank 32
implicit-als  15 iterations (3 CG steps), rank 32
networkx      its resource allocation index of all non-edges
dense-usu     U S Uᵀ as a matrix, and all pairs of it sorted
dense-l3      A·D^-½·A·D^-½·A by dense products, and all pairs of it sorted

As many pairs are asked for as there are nodes. Time and memory count from after the drawing of the
network and the compiling of kernels; what takes less than a second runs three times, the best
counts. `cpu_seconds` adds up all cores, so that others on the machine disturb it less.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import heapq
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed_models import LAM, RHO, implicit_als_of
from linkprior import machine, parallel
from linkprior.model.degrees import estimate_degrees
from linkprior.model.factors import Factors
from linkprior.model.losses import SquaredLoss
from linkprior.model.priors import DegreePrior
from linkprior.network import Network
from linkprior.network.generate import large_network
from linkprior.predictors.registry import make
from linkprior.predictors.scores import FactorScores, SketchScores, build_tables, knots
from linkprior.ranking.topk import best_pairs
from linkprior.solvers.base import solve
from linkprior.solvers.direct import DirectSolver, ranked_pass, start_factors
from linkprior.solvers.pu_als import PuAlsSolver

RANK, SWEEPS, ROUNDS, SEED = 32, 20, 15, 1
SHORT, REPEATS = 1.0, 3


@dataclass
class Watch:
    """Adds up the seconds of some work by parts, and those of all cores together."""

    parts: dict[str, float] = field(default_factory=dict)
    cpu: float = 0.0

    @property
    def seconds(self) -> float:
        return sum(self.parts.values())

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        """Do some work and count it."""
        began, used = time.perf_counter(), time.process_time()
        result = work()
        self.parts[name] = self.parts.get(name, 0.0) + time.perf_counter() - began
        self.cpu += time.process_time() - used
        return result


@cache
def warm_factors(net: Network) -> Factors:
    """Return factors after some sweeps: scores spread as those of a fit do."""
    solver = DirectSolver(net, SquaredLoss(0.2), RANK)
    found: Factors = solve(solver, np.random.default_rng(SEED), 5, 0.0).state.factors
    return found


def tri_degree(net: Network, watch: Watch) -> None:
    factors, p = warm_factors(net), net.n_nodes
    prior = DegreePrior(estimate_degrees(net), 0.5)
    scale, profile = prior.scale(np.zeros(p)), prior.profile(p - 1)
    watch.timed("pass", lambda: ranked_pass(factors, prior))
    tables = watch.timed("tables", lambda: build_tables(factors, scale, profile))
    scores = SketchScores([factors], tables[None], scale, profile[knots(p - 1)])
    watch.timed("top", lambda: best_pairs(scores.rows, net, p))


def tri(net: Network, watch: Watch) -> None:
    solver = DirectSolver(net, SquaredLoss(0.2), RANK)
    watch.timed("fit", lambda: solve(solver, np.random.default_rng(SEED), SWEEPS, 0.0))


def pu(net: Network, watch: Watch) -> None:
    solver = PuAlsSolver(net, RANK, RHO, LAM)
    watch.timed("fit", lambda: solve(solver, np.random.default_rng(SEED), ROUNDS, 0.0))


def top(net: Network, watch: Watch) -> None:
    factors = start_factors(net, RANK, np.random.default_rng(SEED))
    scores = FactorScores(factors.U[None], factors.S[None])
    watch.timed("top", lambda: best_pairs(scores.rows, net, net.n_nodes))


def l3(net: Network, watch: Watch) -> None:
    watch.timed("fit and top", lambda: make("l3").fit(net).predict_edges(net.n_nodes))


def sklearn_nmf(net: Network, watch: Watch) -> None:
    from sklearn.decomposition import NMF

    A = net.adjacency.astype(np.float32)
    model = NMF(RANK, init="random", max_iter=SWEEPS, tol=0.0, random_state=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge: rounds are counted here
        watch.timed("fit", lambda: model.fit(A))


def implicit_als(net: Network, watch: Watch) -> None:
    model, confidence = implicit_als_of(net, RANK, ROUNDS, parallel.current_workers(), SEED)
    watch.timed("fit", lambda: model.fit(confidence, show_progress=False))


def networkx(net: Network, watch: Watch) -> None:
    import networkx as nx

    graph = nx.from_scipy_sparse_array(net.adjacency)

    def best() -> list[Any]:
        every = nx.resource_allocation_index(graph)  # all non-edges, one after the other
        return heapq.nlargest(net.n_nodes, every, key=lambda found: found[2])

    watch.timed("all pairs", best)


def sorted_pairs(X: NDArray[Any], k: int) -> NDArray[Any]:
    """Return the codes of the k best pairs i < j by a full sort."""
    codes = np.flatnonzero(np.triu(np.ones(X.shape, bool), 1))
    best: NDArray[Any] = codes[np.argsort(-X.ravel()[codes])[:k]]
    return best


def dense_usu(net: Network, watch: Watch) -> None:
    factors = start_factors(net, RANK, np.random.default_rng(SEED))
    U, S = factors.U.astype(np.float32), factors.S.astype(np.float32)
    X = watch.timed("product", lambda: U @ S @ U.T)
    watch.timed("sort", lambda: sorted_pairs(X, net.n_nodes))


def dense_l3(net: Network, watch: Watch) -> None:
    root = (1.0 / np.sqrt(net.degrees)).astype(np.float32)

    def product() -> NDArray[Any]:
        A = net.adjacency.toarray().astype(np.float32)
        X: NDArray[Any] = (A * root) @ A @ (root[:, None] * A)
        return X

    X = watch.timed("product", product)
    watch.timed("sort", lambda: sorted_pairs(X, net.n_nodes))


CELLS: dict[str, Callable[[Network, Watch], None]] = {
    work.__name__.replace("_", "-"): work
    for work in (
        tri_degree,
        tri,
        sklearn_nmf,
        pu,
        implicit_als,
        top,
        dense_usu,
        l3,
        dense_l3,
        networkx,
    )
}
# Ours run as in the package, implicit as it asks for; the others with all threads of BLAS.
ONE_BLAS_THREAD = ("tri-degree", "tri", "pu", "top", "implicit-als")


def cell(name: str, n_nodes: int, degree: float) -> dict[str, Any]:
    net = large_network(n_nodes, degree, seed=SEED)
    CELLS[name](large_network(600, 10.0, seed=SEED), Watch())  # compiles, imports
    if name == "tri-degree":
        warm_factors(net)
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # what is freed no longer counts as taken
        ctypes.CDLL(None).malloc_trim(0)  # glibc only
    machine.reset_peak_memory()
    before = machine.peak_memory()
    runs: list[Watch] = []
    while len(runs) < REPEATS and (not runs or runs[-1].seconds < SHORT):
        runs.append(Watch())
        CELLS[name](net, runs[-1])
    watch, peak = min(runs, key=lambda watch: watch.seconds), machine.peak_memory()
    return {
        "model": name,
        "nodes": net.n_nodes,
        "edges": net.n_edges,
        "rank": RANK,
        "seconds": round(watch.seconds, 4),
        "cpu_seconds": round(watch.cpu, 4),
        "parts": {part: round(took, 4) for part, took in watch.parts.items()},
        "peak_bytes": peak,
        "added_bytes": peak - before,
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    name, n_nodes, degree = sys.argv[1:]
    alone = name in ONE_BLAS_THREAD
    with parallel.one_blas_thread() if alone else contextlib.nullcontext():
        print(json.dumps(cell(name, int(n_nodes), float(degree))))


if __name__ == "__main__":
    main()

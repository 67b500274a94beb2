"""Models on HuRI and yeast against networkx, scipy and implicit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from benchmarks import data
from linkprior import parallel
from linkprior.io.read import read_network
from linkprior.network import Network
from linkprior.network.generate import planted_network
from linkprior.parallel import use_workers
from linkprior.predictors.registry import make
from linkprior.solvers.base import Measure, solve
from linkprior.solvers.pu_als import PuAlsSolver

if TYPE_CHECKING:
    from implicit.cpu.als import AlternatingLeastSquares


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
    label, net = "generated", planted_network(8272, mean_degree=12.6)
    if folder is not None:
        label, net = "HuRI", read_network(folder / data.HURI)
    yield (
        f"pu and implicit's ALS, {label}: {net.n_nodes} nodes, {net.n_edges} edges, rank {RANK}, "
        f"{SWEEPS} sweeps of 3 CG steps (goal: within 2×, then faster)"
    )
    yield "threads   linkprior s/sweep   implicit s/sweep   implicit/linkprior"
    with parallel.one_blas_thread():
        history, model = our_run(net, 1), implicit_run(net, 1)
        solver = PuAlsSolver(net, RANK, RHO, LAM)
        theirs = solver.measure(solver.state(model.user_factors, model.item_factors)).objective
        for threads in (1, 2):
            ours, other = data.side_by_side(
                [lambda n=threads: our_run(net, n), lambda n=threads: implicit_run(net, n)]
            )
            yield f"{threads:7}{ours / SWEEPS:20.4f}{other / SWEEPS:19.4f}{other / ours:20.2f}×"
    yield (
        f"objective after {SWEEPS} sweeps (lower is better): linkprior "
        f"{history[-1].objective:.0f}, implicit {theirs:.0f}"
    )


EVERY = 40  # networkx is given one non-edge in so many
TOP = 100


def peers() -> Iterator[str]:
    import networkx as nx

    others: dict[str, Any] = {
        "pa": nx.preferential_attachment,
        # Its common neighbours have one more term, off.
        "cn": lambda graph, pairs: nx.common_neighbor_centrality(graph, pairs, alpha=1.0),
        "aa": nx.adamic_adar_index,
        "ra": nx.resource_allocation_index,
        "jaccard": nx.jaccard_coefficient,
    }
    folder = data.folder()
    label, net = "generated", planted_network(1966, mean_degree=2.8)
    if folder is not None:
        label, net = "yeast", read_network(folder / data.YEAST)
    make("pa").fit(net).predict_edges(1)  # compiles the kernels, before any clock runs
    yield (
        f"peers ({label}): {net.n_nodes} nodes, all {net.n_non_edges} non-edges; networkx "
        f"measured on every {EVERY}th, one thread (goal: ≥ 50×)"
    )
    yield "model    linkprior s    networkx s      ratio"
    graph = nx.from_scipy_sparse_array(net.adjacency)
    pairs = list(nx.non_edges(graph))[::EVERY]
    for name, other in others.items():
        theirs = [score for _, _, score in other(graph, pairs)]
        same = np.allclose(make(name).fit(net).score_pairs(pairs), theirs, rtol=1e-9)
        tasks = [
            lambda name=name: make(name).fit(net).predict_edges(TOP),
            lambda other=other: list(other(graph, pairs)),
        ]
        with use_workers(1):
            ours, slow = data.side_by_side(tasks, repeats=3)
        slow *= net.n_non_edges / len(pairs)
        yield f"{name:8}{ours:14.3f}{slow:14.1f}{slow / ours:11.0f}×   same scores: {same}"

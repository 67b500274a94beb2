"""Models on HuRI and yeast against networkx, scipy and implicit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from benchmarks import data
from benchmarks.data import huri_or_generated, side_by_side
from linkprior import machine, parallel
from linkprior.evaluation.metrics import METRICS, measure
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import kfold
from linkprior.io.read import read_network
from linkprior.network import Network
from linkprior.network.generate import planted_network
from linkprior.parallel import one_blas_thread, use_workers
from linkprior.predictors.registry import make
from linkprior.ranking.topk import best_pairs
from linkprior.solvers.base import Measure, solve
from linkprior.solvers.pu_als import PuAlsSolver

if TYPE_CHECKING:
    from implicit.cpu.als import AlternatingLeastSquares

# ---------------------------------------------------------------------- pu

RANK, SWEEPS = 64, 15
RHO, LAM = 0.05, 0.1


def our_run(net: Network, threads: int) -> list[Measure]:
    """Fit and return the history of the objective."""
    solver = PuAlsSolver(net, RANK, RHO, LAM, workers=threads)
    return solve(solver, np.random.default_rng(0), SWEEPS, 0.0).history


def implicit_als_of(
    net: Network, rank: int, rounds: int, threads: int, seed: int
) -> tuple[AlternatingLeastSquares, Any]:
    """Return implicit's model with the same loss, and what it is fitted to."""
    from implicit.cpu.als import AlternatingLeastSquares

    confidence = sp.csr_matrix(net.adjacency).astype(np.float32) * ((2.0 - RHO) / RHO)
    model = AlternatingLeastSquares(
        rank, LAM * 2.0 / RHO, iterations=rounds, num_threads=threads, random_state=seed
    )
    return model, confidence


def implicit_run(net: Network, threads: int) -> AlternatingLeastSquares:
    """Fit by implicit's default conjugate gradient."""
    model, confidence = implicit_als_of(net, RANK, SWEEPS, threads, 0)
    model.fit(confidence, show_progress=False)
    return model


def pu() -> Iterator[str]:
    label, net = huri_or_generated()
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
            ours, other = side_by_side(
                [lambda n=threads: our_run(net, n), lambda n=threads: implicit_run(net, n)]
            )
            yield f"{threads:7}{ours / SWEEPS:20.4f}{other / SWEEPS:19.4f}{other / ours:20.2f}×"
    yield (
        f"objective after {SWEEPS} sweeps (lower is better): linkprior "
        f"{history[-1].objective:.0f}, implicit {theirs:.0f}"
    )


# ---------------------------------------------------------------------- peers

EVERY = 40  # networkx is given one non-edge in so many
TOP = 100
PASSES = ("cn", "ra", "jaccard", "random", "lrw", "katz")


def load_networks() -> tuple[str, Network, Network]:
    """Return what they are, a small network and a large one."""
    folder = data.folder()
    if folder is None:
        return "generated", planted_network(1966, mean_degree=2.8), planted_network(8245)
    return "yeast, HuRI", read_network(folder / data.YEAST), read_network(folder / data.HURI)


def others() -> dict[str, Callable[[Any, Any], Any]]:
    """Return networkx's functions by our names; its common neighbours have one more term, off."""
    import networkx as nx

    return {
        "pa": nx.preferential_attachment,
        "cn": lambda graph, pairs: nx.common_neighbor_centrality(graph, pairs, alpha=1.0),
        "aa": nx.adamic_adar_index,
        "ra": nx.resource_allocation_index,
        "jaccard": nx.jaccard_coefficient,
    }


def against_networkx(net: Network) -> Iterator[str]:
    """Yield one line per peer, after checking that both give the same scores."""
    import networkx as nx

    graph = nx.from_scipy_sparse_array(net.adjacency)
    pairs = list(nx.non_edges(graph))[::EVERY]
    for name, other in others().items():
        model = make(name).fit(net)
        theirs = [score for _, _, score in other(graph, pairs)]
        same = np.allclose(model.score_pairs(pairs), theirs, rtol=1e-9)
        tasks = [
            lambda name=name: make(name).fit(net).predict_edges(TOP),
            lambda other=other: list(other(graph, pairs)),
        ]
        with use_workers(1):
            ours, slow = side_by_side(tasks, repeats=3)
        slow *= net.n_non_edges / len(pairs)
        yield f"{name:8}{ours:14.3f}{slow:14.1f}{slow / ours:11.0f}×   same scores: {same}"


def passes(net: Network) -> Iterator[str]:
    """Yield one line per peer: a fit and a ranking of all pairs."""
    for name in PASSES:
        took = []
        for workers in (1, 2):
            with use_workers(workers):
                took += data.clocked(lambda: make(name).fit(net).predict_edges(TOP))[:1]  # noqa: B023
        yield f"{name:8}{took[0]:14.2f}{took[1]:14.2f}"


def peers() -> Iterator[str]:
    label, small, large = load_networks()
    make("pa").fit(small).predict_edges(1)  # compiles the kernels, before any clock runs
    yield (
        f"peers ({label}): {small.n_nodes} nodes, all {small.n_non_edges} non-edges; networkx "
        f"measured on every {EVERY}th, one thread (goal: ≥ 50×)"
    )
    yield "model    linkprior s    networkx s      ratio"
    yield from against_networkx(small)
    yield f"whole passes: {large.n_nodes} nodes, {large.n_edges} edges (goal: ra ≤ 5 s on two)"
    yield "model      1 thread s   2 threads s"
    yield from passes(large)


# ---------------------------------------------------------------------- paths

PATHS_TOP = 1000
# Seconds on two cores for models together; MPS has its own.
GOALS = {("l3",): 5.0, ("l3n", "ch2-l3"): 40.0, ("mps",): 25.0}


def by_products(net: Network) -> np.ndarray:
    """Rank by L3 as scipy's sparse products give it, in the same blocks and threads."""
    a, w = net.adjacency, sp.diags_array(1.0 / np.sqrt(np.maximum(net.degrees, 1)))
    half = sp.csr_array(a @ w @ a @ w)
    with one_blas_thread():
        return best_pairs(lambda i, j: (half[i:j] @ a).toarray(), net, PATHS_TOP)[0]


def paths() -> Iterator[str]:
    folder = data.folder()
    if folder is None:
        yield "paths: skipped, LINKPRIOR_DATA is unset"
        return
    net = read_network(folder / data.HURI)
    names = [name for group in GOALS for name in group]

    def ranked(name: str) -> np.ndarray:
        return make(name).fit(net).predict_edges(PATHS_TOP).pairs

    same = {*map(tuple, by_products(net))} == {*map(tuple, ranked("l3"))}
    tasks = [lambda: by_products(net), *(lambda name=name: ranked(name) for name in names)]
    products, *times = side_by_side(tasks, repeats=2)
    took = dict(zip(names, times, strict=True))
    yield f"path peers, fit and top {PATHS_TOP} of HuRI ({net.n_nodes} nodes, {net.n_edges} edges)"
    yield f"l3 by sparse products {products:.2f} s: {products / took['l3']:.1f}× ours, same: {same}"
    for group, goal in GOALS.items():
        parts = " + ".join(f"{name} {took[name]:.2f}" for name in group)
        share = sum(took[name] for name in group) / goal
        yield f"{parts} s   {share:.2f} of the goal of {goal:.0f} s on two cores"


# ---------------------------------------------------------------------- judging


def judging() -> Iterator[str]:
    label, net = huri_or_generated()
    split = kfold(net, 10, 0, 0, "all-nodes")
    candidates = split.n_pairs - split.train.n_edges
    yield (
        f"{len(METRICS)} metrics, {label}: {candidates:,} candidates, {len(split.hidden):,} hidden "
        f"edges, {parallel.current_workers()} threads (goal: ≤ 10 s and ≤ 1 GB)"
    )
    yield "model   scoring s   metrics s   peak MB of the process"
    for name in ("pa", "l3"):
        model = make(name).fit(split.train)
        # Everything is compiled, and in the cache, from here on.
        measure(rank_hidden_edges(model, kfold(net, 10, 1, 0, "all-nodes")))
        machine.reset_peak_memory()
        scored: list[float] = []
        began = time.perf_counter()
        measure(rank_hidden_edges(model, split, lambda: scored.append(time.perf_counter())))  # noqa: B023
        ended = time.perf_counter()
        peak = machine.peak_memory() / 1e6
        yield f"{name:8}{scored[0] - began:9.2f}{ended - scored[0]:12.2f}{peak:12.0f}"

"""How time and memory grow, ours and others': exponents from log–log lines, each cell a process.

    python -m benchmarks.growth [NAME …] [--over nodes|edges] [--most NODES] [--draw]

About ten minutes on two cores.

nodes  mean degree 20, from 2,000 nodes on, doubling; goal: tri-degree's exponent ≤ 2.1
edges  8,000 nodes, mean degrees from 5 on, doubling

Writes benchmarks/results/growth.json and docs/figures/growth.svg (--draw: the picture alone, from
the results there are). What a cell measures:

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

import argparse
import contextlib
import ctypes
import gc
import heapq
import os
import warnings
from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import data
from benchmarks.speed import LAM, RHO, implicit_als_of
from benchmarks.studies_base import legend_below, save_figure, tidy
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

SIZES = [2_000, 4_000, 8_000, 16_000, 32_000]
DEGREE, DEGREES, FIXED = 20, [5, 10, 20, 40, 80], 8_000
GOAL = 2.1  # tri-degree's exponent of time in nodes
# Others stop where they would take minutes or most of the memory.
MOST_NODES = {"networkx": 2_000, "dense-l3": 8_000, "dense-usu": 16_000}
LEAST_NODES = {"networkx": 500}
WITH_EDGES = ("tri", "sklearn-nmf", "pu", "implicit-als", "l3", "tri-degree")
# Figures below these are noise and do not count; memory is that beyond libraries and network.
NOISE = {"seconds": 1e-3, "cpu_seconds": 1e-3, "added_bytes": 4e6}
Cells = list[dict[str, Any]]
Points = list[tuple[int, float]]


# ---------------------------------------------------------------------- cells

RANK, SWEEPS, ROUNDS, SEED = 32, 20, 15, 1
SHORT, REPEATS = 1.0, 3


# Each makes ready what is not timed and returns the work that is.
Work = Callable[[], object]


@cache
def warm_factors(net: Network) -> Factors:
    """Return factors after some sweeps: scores spread as those of a fit do."""
    solver = DirectSolver(net, SquaredLoss(0.2), RANK)
    found: Factors = solve(solver, np.random.default_rng(SEED), 5, 0.0).state.factors
    return found


def tri_degree(net: Network) -> Work:
    factors, p = warm_factors(net), net.n_nodes
    prior = DegreePrior(estimate_degrees(net), 0.5)
    scale, profile = prior.scale(np.zeros(p)), prior.profile(p - 1)

    def work() -> None:
        ranked_pass(factors, prior)
        tables = build_tables(factors, scale, profile)
        scores = SketchScores([factors], tables[None], scale, profile[knots(p - 1)])
        best_pairs(scores.rows, net, p)

    return work


def tri(net: Network) -> Work:
    solver = DirectSolver(net, SquaredLoss(0.2), RANK)
    return lambda: solve(solver, np.random.default_rng(SEED), SWEEPS, 0.0)


def pu(net: Network) -> Work:
    solver = PuAlsSolver(net, RANK, RHO, LAM)
    return lambda: solve(solver, np.random.default_rng(SEED), ROUNDS, 0.0)


def top(net: Network) -> Work:
    factors = start_factors(net, RANK, np.random.default_rng(SEED))
    scores = FactorScores(factors.U[None], factors.S[None])
    return lambda: best_pairs(scores.rows, net, net.n_nodes)


def l3(net: Network) -> Work:
    return lambda: make("l3").fit(net).predict_edges(net.n_nodes)


def sklearn_nmf(net: Network) -> Work:
    from sklearn.decomposition import NMF

    warnings.simplefilter("ignore")  # that it did not converge: rounds are counted here
    A = net.adjacency.astype(np.float32)
    model = NMF(RANK, init="random", max_iter=SWEEPS, tol=0.0, random_state=SEED)
    return lambda: model.fit(A)


def implicit_als(net: Network) -> Work:
    model, confidence = implicit_als_of(net, RANK, ROUNDS, parallel.current_workers(), SEED)
    return lambda: model.fit(confidence, show_progress=False)


def networkx(net: Network) -> Work:
    import networkx as nx

    graph = nx.from_scipy_sparse_array(net.adjacency)
    index = nx.resource_allocation_index
    return lambda: heapq.nlargest(net.n_nodes, index(graph), key=itemgetter(2))


def sorted_pairs(X: NDArray[Any], k: int) -> NDArray[Any]:
    """Return the codes of the k best pairs i < j by a full sort."""
    codes = np.flatnonzero(np.triu(np.ones(X.shape, bool), 1))
    return codes[np.argsort(-X.ravel()[codes])[:k]]


def dense_usu(net: Network) -> Work:
    factors = start_factors(net, RANK, np.random.default_rng(SEED))
    U, S = factors.U.astype(np.float32), factors.S.astype(np.float32)
    return lambda: sorted_pairs(U @ S @ U.T, net.n_nodes)


def dense_l3(net: Network) -> Work:
    root = (1.0 / np.sqrt(net.degrees)).astype(np.float32)

    def work() -> None:
        A = net.adjacency.toarray().astype(np.float32)
        sorted_pairs((A * root) @ A @ (root[:, None] * A), net.n_nodes)

    return work


_ALL = (tri_degree, tri, sklearn_nmf, pu, implicit_als, top, dense_usu, l3, dense_l3, networkx)
CELLS = {work.__name__.replace("_", "-"): work for work in _ALL}
# Ours run as in the package, implicit as it asks for; the others with all threads of BLAS.
ONE_BLAS_THREAD = ("tri-degree", "tri", "pu", "top", "implicit-als")


def cell(name: str, n_nodes: int, degree: float) -> dict[str, Any]:
    with parallel.one_blas_thread() if name in ONE_BLAS_THREAD else contextlib.nullcontext():
        return _cell(name, n_nodes, degree)


def _cell(name: str, n_nodes: int, degree: float) -> dict[str, Any]:
    net = large_network(n_nodes, degree, seed=SEED)
    CELLS[name](large_network(600, 10.0, seed=SEED))()  # compiles, imports
    if name == "tri-degree":
        warm_factors(net)
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # what is freed no longer counts as taken
        ctypes.CDLL(None).malloc_trim(0)  # glibc only
    machine.reset_peak_memory()
    before = machine.peak_memory()
    runs: list[tuple[float, float]] = []
    while len(runs) < REPEATS and (not runs or runs[-1][0] < SHORT):
        runs.append(data.clocked(CELLS[name](net)))
    (seconds, busy), peak = min(runs), machine.peak_memory()
    return {
        **{"model": name, "nodes": net.n_nodes, "edges": net.n_edges, "rank": RANK},
        **{"seconds": round(seconds, 4), "cpu_seconds": round(busy, 4)},
        **{"peak_bytes": peak, "added_bytes": peak - before},
        "load": round(os.getloadavg()[0], 1),
    }


# ---------------------------------------------------------------------- measurements


def exponent(cells: Cells, over: str, of: str) -> float | None:
    """Return the slope of the line nearest to a figure, both in logarithms, of three or more."""
    points = [(one[over], one[of]) for one in cells if one[of] >= NOISE[of]]
    if len(points) < 3:
        return None
    x, y = np.log(np.array(points, float)).T
    return round(float(np.polyfit(x, y, 1)[0]), 2)


def measure(name: str, points: Points, over: str) -> dict[str, Any]:
    cells: Cells = []
    for point in points:
        one = data.apart("benchmarks.growth", "cell", name, *point)
        cells.append(one)
        print(f"{name:14}{one['nodes']:>7,} nodes{one['edges']:>9,} edges "
              f"{one['seconds']:9.3f} s {one['cpu_seconds']:9.3f} core s "
              f"{one['added_bytes'] / 1e6:8.0f} MB", flush=True)  # fmt: skip
    found = {of: exponent(cells, over, of) for of in NOISE}
    goal = f" (goal ≤ {GOAL})" if (name, over) == ("tri-degree", "nodes") else ""
    print(f"{name}: in {over} time grows by {found['seconds']}{goal}, that of all cores by "
          f"{found['cpu_seconds']}, memory by {found['added_bytes']}", flush=True)  # fmt: skip
    return {"cells": cells, "exponents": found}


def jobs(most_nodes: int) -> list[tuple[str, str, Points]]:
    found: list[tuple[str, str, Points]] = []
    for name in CELLS:
        least, most = LEAST_NODES.get(name, SIZES[0]), min(MOST_NODES.get(name, 10**9), most_nodes)
        sizes = [n for n in (500, 1_000, *SIZES) if least <= n <= most]
        found.append(("nodes", name, [(size, float(DEGREE)) for size in sizes]))
    points = [(FIXED, float(degree)) for degree in DEGREES]
    return found + [("edges", name, points) for name in WITH_EDGES]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("names", nargs="*", help="contenders; others are kept as they are")
    options.add_argument("--over", choices=["nodes", "edges"], help="one of the two only")
    options.add_argument("--most", type=int, default=SIZES[-1], help="nodes at most")
    options.add_argument("--draw", action="store_true", help="only draw what was kept")
    given = options.parse_args()
    path = data.RESULTS / "growth.json"
    found = data.read_results(path) | {"threads": parallel.current_workers(), "goal": GOAL}
    for over, name, points in [] if given.draw else jobs(given.most):
        if given.over in (None, over) and (not given.names or name in given.names):
            found["machine"] = data.machine()
            found.setdefault(over, {})[name] = measure(name, points, over)
            data.write_results(path, found)
    save_figure("growth", draw, found, (8.6, 7.4))


# ---------------------------------------------------------------------- figure

# Okabe and Ito's colours, safe for the colour-blind; markers and dashes tell the same again.
STYLES = {
    "tri-degree": ("tri-degree: pass, tables, top", "#d55e00", "o", "-"),
    "tri": ("tri, 20 sweeps", "#e69f00", "s", "-"),
    "pu": ("pu, 15 sweeps", "#009e73", "^", "-"),
    "top": ("best pairs of U S Uᵀ", "#0072b2", "D", "-"),
    "l3": ("l3: fit and best pairs", "#000000", "v", "-"),
    "sklearn-nmf": ("scikit-learn NMF, 20 iterations", "#e69f00", "s", "--"),
    "implicit-als": ("implicit ALS, 15 iterations", "#009e73", "^", "--"),
    "dense-usu": ("dense U S Uᵀ, sorted", "#0072b2", "D", "--"),
    "dense-l3": ("dense L3, sorted", "#000000", "v", "--"),
    "networkx": ("networkx RA, all non-edges", "#cc79a7", "x", "--"),
}
PANELS = [
    (over, of, f"{what}, {where}", unit)
    for over, where in (("nodes", "mean degree 20"), ("edges", "8,000 nodes"))
    for of, what, unit in (
        ("cpu_seconds", "time", "seconds of all cores"),
        ("added_bytes", "memory", "MB beyond libraries and network"),
    )
]


def draw(drawing: Any, found: dict[str, Any]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    every = drawing.subplots(2, 2).ravel()
    for axes, (over, of, title, unit) in zip(every, PANELS, strict=True):
        scale, sizes = 1e6 if of == "added_bytes" else 1.0, set()
        for name, measured in found.get(over, {}).items():
            label, colour, marker, dashes = STYLES[name]
            first = name == "tri-degree"
            x = [one[over] for one in measured["cells"]]
            y = [max(1e-3, one[of] / scale) for one in measured["cells"]]
            axes.plot(x, y, color=colour, marker=marker, markersize=4, linestyle=dashes,
                      linewidth=2.4 if first else 1.4, zorder=3 if first else 2,
                      label=label)  # fmt: skip
            sizes |= set(x)
        axes.set(xscale="log", yscale="log")
        # The sizes that were measured, as people write them, and few values beside.
        axes.set_xticks(sorted(sizes), [f"{n:,}" for n in sorted(sizes)], rotation=30, ha="right")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.minorticks_off()
        tidy(axes, title, over, unit)
    legend_below(drawing, every[0], columns=3)


if __name__ == "__main__":
    main()

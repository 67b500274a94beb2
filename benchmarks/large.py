"""Very large generated networks: fit, rank with some partners per node, judge what that misses.

    python -m benchmarks.large [--million] [--kind knn|paths3] [--models pu,tri]

Each cell (model × number of nodes) runs in a process of its own, so that its peak memory is its
own. Networks have mean degree 20 and a largest degree of about 2√nodes; as many pairs are ranked as
there are nodes. Slopes are of seconds over edges, both in logarithms, from one size to the next.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from benchmarks import data
from linkprior import machine
from linkprior.network.generate import large_network
from linkprior.parallel import current_workers
from linkprior.predictors.evidence import with_evidence
from linkprior.predictors.registry import make
from linkprior.ranking.candidates import PARTNERS, nearby_pairs
from linkprior.ranking.recall import measure_recall

SIZES, MILLION, MEAN_DEGREE, SEED = (10_000, 100_000), 1_000_000, 20.0, 1
MODELS: dict[str, dict[str, Any]] = {"pu": {"rank": 32}, "tri": {"rank": 32, "n_starts": 1}}
GOAL_SLOPE, GOAL_BYTES = 1.3, 12e9
R = TypeVar("R")


def cell(name: str, n_nodes: int, kind: str) -> dict[str, Any]:
    seconds: dict[str, float] = {}

    def timed(step: str, work: Callable[[], R]) -> R:
        began = time.perf_counter()
        result = work()
        seconds[step] = round(time.perf_counter() - began, 2)
        return result

    small = large_network(2000, MEAN_DEGREE, seed=SEED)  # kernels are compiled, all is imported
    fitted = make(name, **MODELS[name]).fit(small)
    with_evidence(fitted, fitted.predict_edges(100, nearby_pairs(small, kind)))
    net = timed("drawing", lambda: large_network(n_nodes, MEAN_DEGREE, seed=SEED))
    machine.reset_peak_memory()
    near = nearby_pairs(net, kind, seed=SEED)
    model = timed("fitting", lambda: make(name, seed=SEED, **MODELS[name]).fit(net))
    ranking = timed("ranking", lambda: model.predict_edges(n_nodes, near))
    timed("evidence", lambda: with_evidence(model, ranking))
    share = timed("judging", lambda: measure_recall(model, near, ranking, n_nodes, seed=SEED))
    return {
        **{"model": name, "nodes": net.n_nodes, "edges": net.n_edges},
        **{"largest_degree": int(net.degrees.max()), "top": n_nodes, "seconds": seconds},
        "predict_seconds": round(sum(seconds.values()) - seconds["drawing"], 2),
        "peak_bytes": machine.peak_memory(),
        **{"share": round(share.share, 5), "margin": round(share.margin, 5)},
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--million", action="store_true", help="a million nodes, too")
    options.add_argument("--kind", default="knn", choices=["knn", "paths3"])
    options.add_argument("--models", default="pu,tri")
    given = options.parse_args()
    found: dict[str, Any] = {"machine": data.machine(), "threads": current_workers()}
    found["partners"] = PARTNERS
    for name in given.models.split(","):
        cells = []
        for n_nodes in [*SIZES, *[MILLION] * given.million]:
            cells.append(data.apart("benchmarks.large", "cell", name, n_nodes, given.kind))
            print(line(cells[-1]), flush=True)
        edges, took = (np.log([one[key] for one in cells]) for key in ("edges", "predict_seconds"))
        slopes = [round(float(one), 2) for one in np.diff(took) / np.diff(edges)]
        found[name] = {"cells": cells, "slopes": slopes}
        print(f"{name}: slope in edges {slopes} (goal ≤ {GOAL_SLOPE})", flush=True)
    path = data.RESULTS / "large.json"
    data.write_results(path, {**data.read_results(path), given.kind: found})


def line(one: dict[str, Any]) -> str:
    steps = ", ".join(f"{step} {took:g} s" for step, took in one["seconds"].items())
    return (
        f"{one['model']:4} {one['nodes']:>9,} nodes {one['edges']:>10,} edges: {steps}; "
        f"{one['peak_bytes'] / 1e9:.2f} GB (goal ≤ {GOAL_BYTES / 1e9:.0f} at a million nodes); "
        f"candidates hold {100 * one['share']:.1f} % (±{100 * one['margin']:.1f})"
    )


if __name__ == "__main__":
    main()

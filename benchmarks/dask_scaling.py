"""evaluate on one and on two dask workers of one thread each: seconds, ratio, the same results.

python -m benchmarks.dask_scaling   writes benchmarks/results/dask_scaling.json
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from benchmarks.data import folder
from benchmarks.timing import machine
from linkprior import parallel
from linkprior.evaluation.evaluate import evaluate
from linkprior.evaluation.results import Evaluation
from linkprior.io.atomic_files import whole_file
from linkprior.io.read import read_network
from linkprior.network import Network

MODELS = ("tri", "l3", "pu")
PROTOCOL, FOLDS = "kfold:10", range(6)
GOAL = 1.5
TARGET = Path(__file__).parent / "results" / "dask_scaling.json"


def measured(net: Network, workers: int) -> tuple[float, str, Evaluation]:
    """Return the seconds of one evaluation on so many workers, its traffic, and its results."""
    with parallel.use_workers(workers), parallel.use_dask("local") as engine:
        evaluate(MODELS, net, PROTOCOL, folds=range(2))  # kernels compiled and loaded everywhere
        before = engine.traffic.sent, engine.traffic.received
        began = time.perf_counter()
        found = evaluate(MODELS, net, PROTOCOL, folds=FOLDS)
        seconds = time.perf_counter() - began
        moved = engine.traffic.sent - before[0], engine.traffic.received - before[1]
        return seconds, f"{moved[0] / 1e6:.1f} MB sent, {moved[1] / 1e6:.1f} MB received", found


def untimed(found: Evaluation) -> list[Any]:
    """Return all that an evaluation tells but times and memory."""
    return [
        (cell.model, cell.split, {k: v for k, v in cell.values.items() if "_mb" not in k}
         | {"seconds": 0.0}, repr(cell.curve))
        for cell in found.cells
    ]  # fmt: skip


def main() -> None:
    """Measure, print and keep."""
    data = folder()
    if data is None:
        print("dask_scaling: LINKPRIOR_DATA is not set")
        return
    net = read_network(data / "ppi-challenge2023" / "Yeast.csv")
    began = machine()
    # In turns, the best of two each: others on the machine disturb both alike.
    runs = [(workers, *measured(net, workers)) for workers in (1, 2, 1, 2)]
    one, two = (min(seconds for w, seconds, *_ in runs if w == n) for n in (1, 2))
    same = all(repr(untimed(found)) == repr(untimed(runs[0][3])) for *_, found in runs)
    facts = {
        "network": f"yeast: {net.n_nodes} nodes, {net.n_edges} edges",
        "evaluation": f"{', '.join(MODELS)}; {PROTOCOL}, folds 0 to 5, rule connected, seed 0",
        "machine": f"{began}; at the end {machine()}",
        "seconds": [[workers, round(seconds, 2)] for workers, seconds, *_ in runs],
        "one_worker": round(one, 2),
        "two_workers": round(two, 2),
        "ratio": round(one / two, 3),
        "goal": GOAL,
        "traffic": runs[0][2],
        "same_results": same,
    }
    with whole_file(TARGET) as stream:
        json.dump(facts, stream, indent=1)
        stream.write("\n")
    for name, value in facts.items():
        print(f"{name:14}{value}")


if __name__ == "__main__":
    main()

"""evaluate on one and on two dask workers of one thread each: seconds, ratio, the same results.

python -m benchmarks.dask_scaling   writes benchmarks/results/dask_scaling.json
"""

from __future__ import annotations

from typing import Any

from benchmarks import data
from linkprior import parallel
from linkprior.evaluation.evaluate import evaluate
from linkprior.evaluation.results import Evaluation
from linkprior.io.read import read_network
from linkprior.network import Network

MODELS = ("tri", "l3", "pu")
PROTOCOL, FOLDS, GOAL = "kfold:10", range(6), 1.5


def measured(net: Network, workers: int) -> tuple[float, str, list[Any]]:
    """Return the seconds of one evaluation on so many workers, its traffic, and its results."""
    found: list[Evaluation] = []
    with parallel.use_workers(workers), parallel.use_dask("local") as engine:
        evaluate(MODELS, net, PROTOCOL, folds=range(2))  # kernels compiled and loaded everywhere
        sent, received = engine.traffic.sent, engine.traffic.received
        seconds, _ = data.clocked(
            lambda: found.append(evaluate(MODELS, net, PROTOCOL, folds=FOLDS))
        )
        sent, received = engine.traffic.sent - sent, engine.traffic.received - received
    untimed = [
        (cell.model, cell.split, repr(cell.curve),
         {k: repr(v) for k, v in cell.values.items() if "_mb" not in k and k != "seconds"})
        for cell in found[0].cells
    ]  # fmt: skip
    return seconds, f"{sent / 1e6:.1f} MB sent, {received / 1e6:.1f} MB received", untimed


def main() -> None:
    net = read_network(data.required_folder() / data.YEAST)
    began = data.machine()
    # In turns, the best of two each: others on the machine disturb both alike.
    runs = [(workers, *measured(net, workers)) for workers in (1, 2, 1, 2)]
    one, two = (min(seconds for w, seconds, *_ in runs if w == n) for n in (1, 2))
    facts = {
        "network": f"yeast: {net.n_nodes} nodes, {net.n_edges} edges",
        "evaluation": f"{', '.join(MODELS)}; {PROTOCOL}, folds 0 to 5, rule connected, seed 0",
        "machine": f"{began}; at the end {data.machine()}",
        "seconds": [[workers, round(seconds, 2)] for workers, seconds, *_ in runs],
        "one_worker": round(one, 2),
        "two_workers": round(two, 2),
        "ratio": round(one / two, 3),
        "goal": GOAL,
        "traffic": runs[0][2],
        "same_results": all(results == runs[0][3] for *_, results in runs),
    }
    data.write_results(data.RESULTS / "dask_scaling.json", facts)
    for name, value in facts.items():
        print(f"{name:14}{value}")


if __name__ == "__main__":
    main()

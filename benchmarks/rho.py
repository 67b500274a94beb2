"""What ρ does to pu: `python -m benchmarks.rho`

The default, four times the density, is made for recall. Larger ones are judged beside it on edges
hidden inside the *training* networks of first splits of the suite, so that no test edge is looked
at. Results are kept in benchmarks/results/rho.json; a finished network is not done again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import data
from linkprior.evaluation.evaluate import evaluate_cell
from linkprior.evaluation.splits import uniform
from linkprior.experiments.suite import SUITE
from linkprior.network import Network
from linkprior.predictors.completion import PU, default_rho

NETWORKS = ("DREAM5-1 90 %", "DREAM5-3", "rat 94-104", "Plasmodium", "yeast", "USAir", "Celegans")
NETWORKS += ("PPI", "HI-II-14")
TIMES, MOST_RHO, SEEDS = (1, 3, 10, 30, 100), 0.9, range(3)
SHOWN = ("auprc", "recall@5%", "auroc")


def measure(train: Network) -> dict[str, Any]:
    found: dict[str, Any] = {"digest": train.digest, "seeds": list(SEEDS)}
    for times in TIMES:
        rho = min(MOST_RHO, times * default_rho(train))
        values = [
            evaluate_cell("pu", PU(rho=rho), uniform(train, 0.9, seed)).values for seed in SEEDS
        ]
        means = {metric: float(np.mean([one[metric] for one in values])) for metric in SHOWN}
        found[str(times)] = {"rho": rho, **means}
    return found


def main() -> None:
    folder, path = data.required_folder(), data.RESULTS / "rho.json"
    found = data.read_results(path)
    for case in (one for one in SUITE if one.name in NETWORKS and one.name not in found):
        found[case.name] = measure(case.split(folder, 0)[1].train)
        data.write_results(path, found)
    rows = []
    for network, one in found.items():
        cells = (f"{c['auprc']:.3f}, {c['recall@5%']:.2f}" for c in (one[str(t)] for t in TIMES))
        rows.append([network, f"{one['1']['rho']:.3f}", *cells])
    print(data.table(["network", "default ρ", *(f"× {times}" for times in TIMES)], rows))


if __name__ == "__main__":
    main()

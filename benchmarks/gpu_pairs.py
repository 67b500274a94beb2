"""All pairs of a million nodes on a GPU: `python -m benchmarks.gpu_pairs [--nodes N]`

Factors of rank 32 with uneven nodes (drawn, as a fit would take longer), the degree prior over
them, and the best million pairs by rank tables (one pass and two) and by exact ranks, with what
share of pairs both have in common. Results: benchmarks/results/gpu_pairs.json.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from linkprior.predictors.scores import knots, unit_of

RESULTS = Path(os.environ.get("OUT", Path(__file__).parent / "results"))
RANK, ALPHA, MEAN_DEGREE, SEED = 32, 0.5, 20.0, 0
GOALS = {"sketch, one pass": 180.0, "exact": 300.0}


def drawn(p: int, device: str) -> Any:
    """Return scores as of a fit: few groups per node, and nodes of uneven weight."""
    import torch

    from linkprior.kernels.torch.scores import ScoreBlocks

    rng = np.random.default_rng(SEED)
    weight = np.minimum(1.0 + rng.pareto(2.0, p), 2.0 * np.sqrt(p))
    groups = rng.gamma(0.2, 1.0, (p, RANK))
    U = (groups / groups.sum(axis=1, keepdims=True) * weight[:, None]).astype(np.float32)
    degrees = np.maximum(1, np.round(weight / weight.mean() * MEAN_DEGREE))
    scale = (1.0 / np.log(degrees + 1.0) ** ALPHA).astype(np.float32)
    profile = np.log(np.arange(1, p) + 1.0).astype(np.float32) ** ALPHA
    ranks = knots(p - 1)
    put = [torch.as_tensor(one, device=device) for one in (U, scale, profile, ranks)]
    sheet = ScoreBlocks(put[0], put[0], put[1], put[2][put[3]])
    return sheet, put[2], put[3]


def clock(work: Callable[[], Any]) -> tuple[Any, float]:
    import torch

    torch.cuda.synchronize()
    began = time.perf_counter()
    found = work()
    torch.cuda.synchronize()
    return found, time.perf_counter() - began


def measure(p: int, k: int, device: str = "cuda") -> dict[str, Any]:
    """Return seconds of each way, and how far their answers agree."""
    import torch

    from linkprior.kernels.torch import best, rank_tables

    sheet, profile, ranks = drawn(p, device)
    nobody = best.Barred(torch.empty(0, dtype=torch.int64, device=device), p)
    torch.cuda.reset_peak_memory_stats()
    figures: dict[str, Any] = {"nodes": p, "top": k, "rank": RANK, "seconds": {}}

    def note(name: str, seconds: float) -> None:
        figures["seconds"][name] = round(seconds, 2)
        goal = f" (goal ≤ {GOALS[name]:.0f} s)" if name in GOALS else ""
        print(f"{name}: {seconds:.1f} s{goal}", flush=True)

    (table, bounds), first = clock(lambda: rank_tables.bounds_of(sheet, ranks, profile))
    note("first table", first)
    unit, _ = unit_of(table.cpu().numpy(), p - 1, int(MEAN_DEGREE * p / 2))
    sheet = replace(sheet, scale=sheet.scale * unit, tables=[table])
    sketch, more = clock(lambda: best.best_candidates([sheet], nobody, k))
    note("sketch, one pass", first + more)
    sure, more = clock(lambda: best.exact_best(sheet, bounds, profile, nobody, k))
    note("exact", first + more)
    codes = [found[0] * p + found[1] for found in (sketch, sure)]
    figures["agree"] = float(torch.isin(*codes).sum()) / max(map(len, codes))
    twice, second = clock(lambda: rank_tables.with_tables(sheet, ranks, 2))
    _, more = clock(lambda: best.best_candidates([twice], nobody, k))
    note("sketch, two passes", first + second + more)
    figures["peak_gb"] = round(torch.cuda.max_memory_allocated() / 1e9, 1)
    some = torch.arange(512, device=device)  # every product once, in blocks of 512 rows
    sheet.products(some)
    _, eight = clock(lambda: [sheet.products(some) for _ in range(8)])
    figures["seconds"]["products alone"] = round(eight / 8 / 512 * p, 2)
    return figures


def fitted(p: int, k: int) -> dict[str, Any]:
    """Fit `degree:tri` to a generated network and rank all its pairs, as a user would."""
    import torch

    import linkprior as lp

    net, drawing = clock(lambda: lp.large_network(p, MEAN_DEGREE, seed=SEED))
    torch.cuda.reset_peak_memory_stats()
    with lp.use_device("cuda"):
        model = lp.make("degree:tri", n_starts=1, rank=RANK, passes=1)
        _, fitting = clock(lambda: model.fit(net))
        ranking, seconds = clock(lambda: model.predict_edges(k))
    steps = {"drawing": drawing, "fitting": fitting, "ranking": seconds}
    return {
        **{"nodes": net.n_nodes, "edges": net.n_edges, "links": len(ranking)},
        "seconds": {step: round(took, 1) for step, took in steps.items()},
        "peak_gb": round(torch.cuda.max_memory_allocated() / 1e9, 1),
    }


def run_works(file: str, works: dict[str, Callable[[], Any]], **found: Any) -> None:
    """Do works one after the other; print what each found and write what there is so far."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    found = {"gpu": torch.cuda.get_device_name(), **found}
    for name, work in works.items():
        found[name] = work()
        print(name, json.dumps(found[name]), flush=True)
        (RESULTS / file).write_text(json.dumps(found, indent=1) + "\n")


def main() -> None:
    import torch

    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--nodes", type=int, nargs="+", default=[100_000, 1_000_000])
    options.add_argument("--top", type=int, default=1_000_000)
    options.add_argument("--fitted", action="store_true", help="fit such a network, too")
    given = options.parse_args()
    works = {str(p): partial(measure, p, given.top) for p in given.nodes}
    if given.fitted:
        works["fitted"] = partial(fitted, given.nodes[-1], given.top)
    run_works("gpu_pairs.json", works, torch=torch.__version__)


if __name__ == "__main__":
    main()

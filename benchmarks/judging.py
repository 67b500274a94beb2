"""All metrics of one model over every candidate of HuRI: seconds and memory, scoring apart."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.pu import load_network
from linkprior import machine, parallel
from linkprior.evaluation.metrics import METRICS, measure
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import kfold
from linkprior.predictors.registry import make


def run() -> Iterator[str]:
    """Yield the lines to print."""
    label, net = load_network()
    split = kfold(net, 10, 0, 0, "all-nodes")
    candidates = split.n_pairs - split.train.n_edges
    yield (
        f"{len(METRICS)} metrics, {label}: {candidates:,} candidates, {len(split.hidden):,} hidden "
        f"edges, {parallel.current_workers()} threads (goal: ≤ 10 s and ≤ 1 GB)"
    )
    yield "model   scoring s   metrics s   peak MB of the process"
    for name in ("pa", "l3"):
        model = make(name).fit(split.train)
        measure(
            rank_hidden_edges(model, kfold(net, 10, 1, 0, "all-nodes"))
        )  # compiled, and in the cache
        machine.reset_peak_memory()
        scored: list[float] = []
        began = time.perf_counter()
        measure(rank_hidden_edges(model, split, lambda: scored.append(time.perf_counter())))  # noqa: B023
        ended = time.perf_counter()
        peak = machine.peak_memory() / 1e6
        yield f"{name:8}{scored[0] - began:9.2f}{ended - scored[0]:12.2f}{peak:12.0f}"

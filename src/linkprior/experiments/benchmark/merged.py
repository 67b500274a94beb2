"""Tables beside the metrics: where auto loses, its yield, its prior, costs, networks, left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkprior.experiments.benchmark.cells import Facts
from linkprior.experiments.benchmark.models import WITHOUT
from linkprior.experiments.benchmark.results import ALONE, METRICS, Floats, Results
from linkprior.experiments.benchmark.suite import SUITE
from linkprior.experiments.benchmark.table import (
    NOTHING,
    Cell,
    Table,
    count,
    decimals,
    difference,
    texts,
)

TENTH = ("uniform:0.9", "kfold:10")  # protocols that hide the tenth that auto takes to be missing
_NORMAL = 1.645  # sds on either side of the mean that hold nine in ten


def more_tables(results: Results) -> list[Table]:
    """Return these tables; those with nothing to show are left out."""
    makers = (_verdicts, _yields, _prior, _costs, _networks, _left_out)
    return [table for make in makers if (table := make(results)) is not None]


def _verdicts(results: Results) -> Table | None:
    """Return where another model is ahead of auto, with the sd of the paired difference."""
    if results.ours is None:
        return None
    heads = ["network", "measure", "ahead", "by", "how clear"]
    words = "Mean difference ± sd over the splits of both."
    rows = list(_behind(results, results.ours))
    return Table(f"Where {results.ours} loses", heads, rows, words, empty="Nowhere.")


def _behind(results: Results, ours: str) -> Iterator[list[Cell]]:
    for network in results.networks:
        for metric in METRICS:
            for model in results.models:
                gap = results.lead(network, model, ours, metric)
                if model != ours and len(gap) and gap.mean() > 0:
                    named = texts(network, metric, model)
                    yield [*named, difference(gap.tolist()), _verdict(gap)]


def _verdict(gap: Floats) -> Cell:
    if len(gap) < 2:
        return Cell("one split")
    clear = gap.mean() > gap.std(ddof=1)
    return Cell("more than one sd", mark=ALONE) if clear else Cell("within one sd")


def _yields(results: Results) -> Table | None:
    """Return expected against real hits, how often the interval held, and how wide it was."""
    told = list(_told(results))
    if not told:
        return None
    rows = [
        [
            Cell(f"{cell['network']}, split {cell['split']}"),
            Cell(f"{one['k']}", one["k"]),
            decimals(one["expected"], ".1f"),
            Cell(f"{one['low']:.0f}–{one['high']:.0f}", one["low"]),
            Cell(f"{one['hits']}", one["hits"]),
        ]
        for cell, one in told
    ]
    heads = ["network", "first pairs", "expected", "nine in ten", "real"]
    summed = _held([one for cell, one in told if cell.get("protocol") in TENTH])
    return Table(f"Expected yield of {results.ours}", heads, rows, summed)


def _told(results: Results) -> Iterator[tuple[Facts, Facts]]:
    for network in results.networks:
        for _, cell in sorted(results.judged[network].get(results.ours or "", {}).items()):
            for one in cell.get("yield", []):
                yield cell, one


def _held(told: list[Facts]) -> str:
    if not told:
        return ""
    held, widths = [], []
    for one in told:
        held.append(one["low"] <= one["hits"] <= one["high"])
        share = min(1.0, one["expected"] / one["k"])
        sd = max(0.3, float(np.sqrt(one["k"] * share * (1 - share))))
        widths.append((one["high"] - one["low"]) / (2 * _NORMAL * sd))
    return (
        f"On splits that hide a tenth the real number is inside in {np.mean(held):.0%} of "
        f"{len(held)}; the median width is {np.median(widths):.2f} of a binomial's."
    )


def _prior(results: Results) -> Table | None:
    """Return what auto gains by the sources with the degree prior."""
    rows = []
    for network in results.networks if results.ours else []:
        gains = [results.lead(network, results.ours or "", WITHOUT, m) for m in METRICS]
        if any(len(gain) for gain in gains):
            shown = (difference(gain.tolist(), "+") for gain in gains)
            rows.append([Cell(f"{network} ({max(map(len, gains))})"), *shown])
    return Table(f"{results.ours} less {WITHOUT}", ["network", *METRICS], rows) if rows else None


def _costs(results: Results) -> Table:
    """Return seconds and memory, model by model and network by network."""
    rows = [
        [Cell(model), *(_cost(results, n, model) for n in results.networks)]
        for model in _all(results)
    ]
    threads = sorted({int(c["threads"]) for c in results.cells if "threads" in c})
    with_threads = f" with {', '.join(map(str, threads))} threads" if threads else ""
    words = (
        f"Median seconds of a fit and of scoring all pairs{with_threads}, and the most memory of "
        "the process in MB."
    )
    return Table("Seconds and memory", ["model", *results.networks], rows, words)


def _cost(results: Results, network: str, model: str) -> Cell:
    seconds, memory = (
        list(results.values(network, model, metric).values()) for metric in ("seconds", "peak_mb")
    )
    if not seconds:
        return Cell(NOTHING)
    median = float(np.median(seconds))
    return Cell(f"{median:.3g} s, {max(memory, default=0.0):.0f}", median)


def _all(results: Results) -> list[str]:
    there = any(WITHOUT in models for models in results.judged.values())
    return [*results.models, *([WITHOUT] if there else [])]


def _networks(results: Results) -> Table:
    """Return what was judged on what: sizes, splits, hidden edges, digests."""
    rows = [_network(results, network) for network in results.networks]
    heads = ["network", "nodes", "edges", "protocol, rule", "splits", "hidden", "digest"]
    return Table("Networks", heads, rows)


def _network(results: Results, network: str) -> list[Cell]:
    counted, models = results.splits(network), results.judged[network].values()
    cells = [cell for by_split in models for n, cell in by_split.items() if n in counted]
    nodes, edges = next((case.size for case in SUITE if case.name == network), (0, 0))
    hidden = sorted({int(c["hidden"]) for c in cells if "hidden" in c})
    span = "–".join(dict.fromkeys(f"{n:,}" for n in (*hidden[:1], *hidden[-1:])))
    digests = sorted({str(c["data"])[:12] for c in cells if "data" in c})
    return [
        Cell(network),
        *(count(nodes), count(edges)),
        *texts(f"{cells[0].get('protocol', NOTHING)}, {cells[0].get('rule', NOTHING)}"),
        count(len(counted)),
        Cell(span or NOTHING, hidden[0] if hidden else None),
        *texts(", ".join(digests) or NOTHING),
    ]


def _left_out(results: Results) -> Table | None:
    """Return which models were not fitted to which networks, and why."""
    rows = [
        texts(model, ", ".join(networks), why)
        for (model, why), networks in results.left_out.items()
    ]
    return Table("Left out", ["model", "networks", "why"], rows) if rows else None

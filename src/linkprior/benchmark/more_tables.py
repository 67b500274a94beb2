"""Tables beside the metrics: where auto loses, its yield, its prior, costs, networks, left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkprior.benchmark.cells import Facts
from linkprior.benchmark.markdown import NOTHING, difference, table
from linkprior.benchmark.models import WITHOUT
from linkprior.benchmark.results import METRICS, Floats, Results
from linkprior.benchmark.suite import SUITE

TENTH = ("uniform:0.9", "kfold:10")  # protocols that hide the tenth that auto takes to be missing
_NORMAL = 1.645  # sds on either side of the mean that hold nine in ten


def more_parts(results: Results) -> list[str]:
    """Return these tables, each with its title; those with nothing to show are empty."""
    parts = (_verdicts, _yields, _prior, _costs, _networks, _left_out)
    return [part(results) for part in parts]


def _verdicts(results: Results) -> str:
    """Return where another model is ahead of auto, with the sd of the paired difference."""
    if results.ours is None:
        return ""
    lines = [f"- {line}" for line in _behind(results, results.ours)]
    title = f"## Where {results.ours} loses\n\nMean difference ± sd over the splits of both."
    return "\n".join([title, "", *(lines or ["Nowhere."])])


def _behind(results: Results, ours: str) -> Iterator[str]:
    for network in results.networks:
        for metric in METRICS:
            for model in results.models:
                gap = results.lead(network, model, ours, metric)
                if model != ours and len(gap) and gap.mean() > 0:
                    known = f"{network}, {metric}: {model} by {difference(gap.tolist())}"
                    yield f"{known} ({_verdict(gap)})"


def _verdict(gap: Floats) -> str:
    if len(gap) < 2:
        return "one split"
    return "within one sd" if gap.mean() <= gap.std(ddof=1) else "**more than one sd**"


def _yields(results: Results) -> str:
    """Return expected against real hits, how often the interval held, and how wide it was."""
    told = list(_told(results))
    if not told:
        return ""
    rows = [
        [
            f"{cell['network']}, split {cell['split']}",
            *(f"{one['k']}", f"{one['expected']:.1f}"),
            *(f"{one['low']:.0f}–{one['high']:.0f}", f"{one['hits']}"),
        ]
        for cell, one in told
    ]
    heads = ["network", "first pairs", "expected", "nine in ten", "real"]
    summed = _held([one for cell, one in told if cell.get("protocol") in TENTH])
    return f"## Expected yield of {results.ours}\n\n{summed}{table(heads, rows)}"


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
        f"{len(held)}; the median width is {np.median(widths):.2f} of a binomial's.\n\n"
    )


def _prior(results: Results) -> str:
    """Return what auto gains by the sources with the degree prior."""
    rows = []
    for network in results.networks if results.ours else []:
        gains = [results.lead(network, results.ours or "", WITHOUT, m) for m in METRICS]
        if any(len(gain) for gain in gains):
            shown = (difference(g.tolist(), "+") if len(g) else NOTHING for g in gains)
            rows.append([f"{network} ({max(map(len, gains))})", *shown])
    if not rows:
        return ""
    title = f"## {results.ours} less {WITHOUT}"
    return f"{title}\n\n{table(['network', *METRICS], rows)}"


def _costs(results: Results) -> str:
    """Return seconds and memory, model by model and network by network."""
    rows = [
        [model, *(_cost(results, n, model) for n in results.networks)] for model in _all(results)
    ]
    threads = sorted({int(c["threads"]) for c in results.cells if "threads" in c})
    with_threads = f" with {', '.join(map(str, threads))} threads" if threads else ""
    return (
        f"## Seconds and memory\n\nMedian seconds of a fit and of scoring all pairs{with_threads}, "
        "and the most memory of the process in MB.\n\n"
        f"{table(['model', *results.networks], rows)}"
    )


def _cost(results: Results, network: str, model: str) -> str:
    seconds, memory = (
        list(results.values(network, model, metric).values()) for metric in ("seconds", "peak_mb")
    )
    if not seconds:
        return NOTHING
    return f"{np.median(seconds):.3g} s, {max(memory, default=0.0):.0f}"


def _all(results: Results) -> list[str]:
    there = any(WITHOUT in models for models in results.judged.values())
    return [*results.models, *([WITHOUT] if there else [])]


def _networks(results: Results) -> str:
    """Return what was judged on what: sizes, splits, hidden edges, digests."""
    sizes = {case.name: case.size for case in SUITE}
    rows = []
    for network in results.networks:
        counted = results.splits(network)
        by_split = [
            cells for models in results.judged[network].values() for cells in models.items()
        ]
        cells = [cell for split, cell in by_split if split in counted]
        nodes, edges = sizes.get(network, (0, 0))
        hidden = sorted({int(c["hidden"]) for c in cells if "hidden" in c})
        span = "–".join(dict.fromkeys(f"{n:,}" for n in (*hidden[:1], *hidden[-1:])))
        digests = sorted({str(c["data"])[:12] for c in cells if "data" in c})
        facts = [f"{c.get('protocol', NOTHING)}, {c.get('rule', NOTHING)}" for c in cells[:1]]
        counts = [f"{nodes:,}" if nodes else NOTHING, f"{edges:,}" if edges else NOTHING]
        ends = [str(len(results.splits(network))), span or NOTHING, ", ".join(digests) or NOTHING]
        rows.append([network, *counts, *facts, *ends])
    heads = ["network", "nodes", "edges", "protocol, rule", "splits", "hidden", "digest"]
    return f"## Networks\n\n{table(heads, rows)}"


def _left_out(results: Results) -> str:
    """Return which models were not fitted to which networks, and why."""
    if not results.left_out:
        return ""
    rows = [
        [model, ", ".join(networks), why.replace("|", "/").replace("\n", " ")]
        for (model, why), networks in results.left_out.items()
    ]
    return f"## Left out\n\n{table(['model', 'networks', 'why'], rows)}"

"""The tables of a benchmark as Markdown: each metric, who wins, and mean ranks."""

from __future__ import annotations

import math

from linkprior.benchmark.markdown import NOTHING, number, table
from linkprior.benchmark.more_tables import more_parts
from linkprior.benchmark.ranks import Ranks, ranks_of
from linkprior.benchmark.results import ALONE, LEVEL, MAIN, METRICS, Results

RANKED = METRICS[:5]  # dc_auroc takes degree away, which is to be predicted too


def markdown(results: Results) -> str:
    """Return all tables of a benchmark."""
    parts = [
        "# Benchmark",
        _legend(results),
        *(_metric_table(results, metric) for metric in METRICS),
        _wins(results),
        _mean_ranks(results),
        *more_parts(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _legend(results: Results) -> str:
    versions = sorted({str(cell["linkprior"]) for cell in results.cells})
    trials = max((int(cell.get("trials", 0)) for cell in results.cells), default=0)
    how = f"every model tuned with {trials} settings" if trials else "default parameters"
    return (
        f"{len(results.cells)} cells, linkprior {', '.join(versions)}, {how}. Mean ± sd over the "
        "splits of a network; (n) where a model has n of them only. **Bold**: ahead of every other "
        "model by more than one sd of the paired difference. *Italics*: nobody is ahead like that, "
        "and these are within one sd of the best; with a single split only the best itself."
    )


def _metric_table(results: Results, metric: str) -> str:
    names = results.networks
    heads = [f"{name} ({len(results.splits(name))})" for name in names]
    columns = [_column(results, name, metric) for name in names]
    rows = [[model, *(column[model] for column in columns)] for model in results.models]
    return f"## {metric}\n\n{table(['model', *heads], rows)}"


def _column(results: Results, network: str, metric: str) -> dict[str, str]:
    marks, shown = results.standing(network, metric), {}
    for model in results.models:
        found = list(results.values(network, model, metric).values())
        text = number(found)
        if found and len(found) < len(results.splits(network)):
            text += f" ({len(found)})"
        around = {ALONE: "**", LEVEL: "*"}.get(marks.get(model, ""), "")
        shown[model] = f"{around}{text}{around}"
    return shown


def _wins(results: Results) -> str:
    """Return on how many networks each model is ahead alone, and on how many among the best."""
    counts = {model: wins_of(results, model) for model in results.models}
    rows = [
        [model, *(f"{alone} + {level}" if alone or level else "0" for alone, level in found)]
        for model, found in counts.items()
        if any(alone or level for alone, level in found)
    ]
    return (
        "## Wins\n\nNetworks on which a model is ahead alone + those on which it is within one sd "
        f"of the best.\n\n{table(['model', *METRICS], rows)}"
    )


def wins_of(results: Results, model: str) -> list[tuple[int, int]]:
    """Return, metric by metric, the networks a model wins alone and those it shares."""
    marks = {m: [results.standing(n, m).get(model) for n in results.networks] for m in METRICS}
    return [(found.count(ALONE), found.count(LEVEL)) for found in marks.values()]


def _mean_ranks(results: Results) -> str:
    by_metric = [ranks_of(results, metric) for metric in RANKED]
    first = by_metric[0]
    if len(first.models) < 2:
        return ""
    means = [ranks.means for ranks in by_metric]
    rows = [
        [model, *(f"{mean[model]:.2f}" if model in mean else NOTHING for mean in means)]
        for model in first.means
    ]
    rows.append(["critical difference", *(_decimals(r.critical_difference) for r in by_metric)])
    rows.append(["Friedman p", *(f"{r.friedman:.2g}" for r in by_metric)])
    missing = [model for model in results.models if model not in first.models]
    left = f" Not judged on all of these networks: {', '.join(missing)}." if missing else ""
    return (
        f"## Mean rank over {len(first.networks)} networks\n\n1 is the best; sorted by {MAIN} "
        "(mean_ranks.svg). Two models whose mean ranks differ by less than the critical difference "
        "(Nemenyi, 5 %) are not told apart. Networks of one source are no independent ones, so the "
        f"test is too optimistic.{left}\n\n{table(['model', *RANKED], rows)}"
    )


def _decimals(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:.2f}"


def summary(results: Results) -> list[str]:
    """Return a few lines for a terminal: who stands where by AUPRC, over all networks."""
    ranks: Ranks = ranks_of(results, MAIN)
    lines = [f"{MAIN} on {len(results.networks)} networks, {len(results.cells)} cells"]
    if len(ranks.models) < 2:
        return lines
    lines.append(f"{'model':20}{'mean rank':>10}{'ahead alone':>13}{'level with best':>17}")
    for model, mean in ranks.means.items():
        alone, level = wins_of(results, model)[METRICS.index(MAIN)]
        lines.append(f"{model:20}{mean:10.2f}{alone:13}{level:17}")
    lines.append(
        f"Mean ranks less than {ranks.critical_difference:.2f} apart are not told apart (Nemenyi, "
        f"5 %, {len(ranks.networks)} networks)"
    )
    return lines

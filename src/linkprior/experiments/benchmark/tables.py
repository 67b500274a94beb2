"""The tables of a benchmark: each metric, who wins, and mean ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from linkprior.experiments.benchmark.merged import more_tables
from linkprior.experiments.benchmark.ranks import Ranks, ranks_of
from linkprior.experiments.benchmark.results import ALONE, LEVEL, MAIN, METRICS, Results
from linkprior.experiments.benchmark.table import (
    NOTHING,
    Cell,
    Table,
    decimals,
    escaped,
    marked,
    number,
    texts,
)

RANKED = METRICS[:5]  # dc_auroc takes degree away, which is to be predicted too
MARKS = (
    "**Bold**: ahead of every other model by more than one sd of the paired difference. *Italics*: "
    "nobody is ahead like that, and these are within one sd of the best; with a single split only "
    "the best itself."
)


@dataclass(frozen=True)
class Tables:
    """All tables of a benchmark; those with nothing to show are not there."""

    about: str
    metrics: list[Table]
    standing: list[Table]
    more: list[Table]


def tables_of(results: Results) -> Tables:
    """Return all tables of a benchmark."""
    standing = [_wins(results), *_mean_ranks(results)]
    metrics = [_metric_table(results, metric) for metric in METRICS]
    return Tables(_about(results), metrics, standing, more_tables(results))


def markdown(results: Results) -> str:
    """Return all tables as one text."""
    found = tables_of(results)
    tables = (*found.metrics, *found.standing, *found.more)
    parts = [
        "# Benchmark",
        f"{escaped(found.about)} {MARKS}",
        *(table.markdown() for table in tables),
    ]
    return "\n\n".join(parts) + "\n"


def _about(results: Results) -> str:
    versions = sorted({str(cell["linkprior"]) for cell in results.cells})
    trials = max((int(cell.get("trials", 0)) for cell in results.cells), default=0)
    how = f"every model tuned with {trials} settings" if trials else "default parameters"
    return (
        f"{len(results.cells)} cells, linkprior {', '.join(versions)}, {how}. Mean ± sd over the "
        "splits of a network; (n) where a model has n of them only."
    )


def _metric_table(results: Results, metric: str) -> Table:
    names = results.networks
    heads = [f"{name} ({len(results.splits(name))})" for name in names]
    columns = [_column(results, name, metric) for name in names]
    rows = [[Cell(model), *(column[model] for column in columns)] for model in results.models]
    return Table(metric, ["model", *heads], rows)


def _column(results: Results, network: str, metric: str) -> dict[str, Cell]:
    marks, shown = results.standing(network, metric), {}
    for model in results.models:
        found = list(results.values(network, model, metric).values())
        some = found and len(found) < len(results.splits(network))
        after = f" ({len(found)})" if some else ""
        shown[model] = marked(number(found), marks.get(model, ""), after)
    return shown


def _wins(results: Results) -> Table:
    """Return on how many networks each model is ahead alone, and on how many among the best."""
    counts = {model: wins_of(results, model) for model in results.models}
    rows = [
        [Cell(model), *(_won(*pair) for pair in found)]
        for model, found in counts.items()
        if any(alone or level for alone, level in found)
    ]
    words = (
        "Networks on which a model is ahead alone + those on which it is within one sd of the best."
    )
    return Table("Wins", ["model", *METRICS], rows, words, empty="None.")


def _won(alone: int, level: int) -> Cell:
    return Cell(f"{alone} + {level}" if alone or level else "0", alone + level / 1000)


def wins_of(results: Results, model: str) -> list[tuple[int, int]]:
    """Return, metric by metric, the networks a model wins alone and those it shares."""
    marks = {m: [results.standing(n, m).get(model) for n in results.networks] for m in METRICS}
    return [(found.count(ALONE), found.count(LEVEL)) for found in marks.values()]


def _mean_ranks(results: Results) -> list[Table]:
    by_metric = [ranks_of(results, metric) for metric in RANKED]
    first = by_metric[0]
    if len(first.means) < 2:
        return []
    means = [ranks.means for ranks in by_metric]
    rows = [
        [Cell(model), *(decimals(m[model]) if model in m else Cell(NOTHING) for m in means)]
        for model in first.means
    ]
    tests = [
        [Cell("critical difference"), *(decimals(r.critical_difference) for r in by_metric)],
        texts("Friedman p", *(f"{r.friedman:.2g}" for r in by_metric)),
    ]
    missing = [model for model in results.models if model not in first.models]
    left = f" Not judged on all of these networks: {', '.join(missing)}." if missing else ""
    words = (
        f"1 is the best; sorted by {MAIN} (mean_ranks.svg). Two models whose mean ranks differ by "
        "less than the critical difference (Nemenyi, 5 %) are not told apart. Networks of one "
        f"source are no independent ones, so the test is too optimistic.{left}"
    )
    title = f"Mean rank over {len(first.networks)} networks"
    return [Table(title, ["model", *RANKED], rows, words, tests)]


def summary(results: Results) -> list[str]:
    """Return a few lines for a terminal: who stands where by AUPRC, over all networks."""
    ranks: Ranks = ranks_of(results, MAIN)
    n, m = len(results.networks), len(results.cells)
    lines = [f"{MAIN} on {n} network{'s' * (n != 1)}, {m} cell{'s' * (m != 1)}"]
    if len(ranks.means) < 2:  # nobody to be ranked with
        found = (
            (net, one, results.mean(net, one, MAIN))
            for net in results.networks
            for one in results.models
        )
        return lines + [
            f"{net:20}{one:20}{mean:8.4f}" for net, one, mean in found if not math.isnan(mean)
        ]
    lines.append(f"{'model':20}{'mean rank':>10}{'ahead alone':>13}{'level with best':>17}")
    for model, mean in ranks.means.items():
        alone, level = wins_of(results, model)[METRICS.index(MAIN)]
        lines.append(f"{model:20}{mean:10.2f}{alone:13}{level:17}")
    lines.append(
        f"Mean ranks less than {ranks.critical_difference:.2f} apart are not told apart (Nemenyi, "
        f"5 %, {len(ranks.networks)} networks)"
    )
    return lines

"""The tables of a benchmark as data, which Markdown and the report page render."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from linkprior.errors import visible
from linkprior.evaluation.store import Record
from linkprior.evaluation.tables import piped, span
from linkprior.experiments.results import ALONE, LEVEL, MAIN, METRICS, Ranks, Results, ranks_of
from linkprior.experiments.suite import SUITE

NOTHING = "–"
RANKED = METRICS[:5]  # dc_auroc takes degree away, which is to be predicted too
MARKS = (
    "**Bold**: ahead of every other model by more than one sd of the paired difference. *Italics*: "
    "nobody is ahead like that, and these are within one sd of the best; with a single split only "
    "the best itself."
)
TENTH = ("uniform:0.9", "kfold:10")  # protocols that hide the tenth that auto takes to be missing
_NORMAL = 1.645  # sds on either side of the mean that hold 90 %
_AROUND = {ALONE: "**", LEVEL: "*"}


@dataclass(frozen=True)
class Cell:
    """What a cell says, the number it is sorted by, and whether it is ahead alone or level."""

    text: str
    value: float | None = None
    mark: str = ""

    def markdown(self) -> str:
        """Return the text, in bold or italics by its mark."""
        around = _AROUND.get(self.mark, "")
        return f"{around}{escaped(self.text.replace('|', '/'))}{around}"


@dataclass(frozen=True)
class Table:
    """A title, some text, and rows of cells, the first of which names the row."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    words: str = ""
    footers: Sequence[Sequence[Cell]] = ()  # no entries of the table: tests over its columns
    empty: str = ""  # what to say instead of a table without rows

    def markdown(self) -> str:
        """Return title, text and table, numbers right-aligned."""
        parts = [f"## {escaped(self.title)}", escaped(self.words)]
        if self.rows:
            heads = [escaped(head.replace("|", "/")) for head in self.heads]
            rows = ([cell.markdown() for cell in row] for row in (*self.rows, *self.footers))
            parts.append(piped(heads, rows))
        else:
            parts.append(self.empty)
        return "\n\n".join(part for part in parts if part)


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is: names come from files, and are no HTML."""
    plain = visible(text.replace("\n", " "))
    return plain.replace("<", "&lt;").replace(">", "&gt;")


# ---------------------------------------------------------------------- cells


def texts(*words: str) -> list[Cell]:
    """Return cells of text."""
    return [Cell(text) for text in words]


def count(number: int) -> Cell:
    """Return a whole number; a dash for nothing."""
    return Cell(f"{number:,}", float(number)) if number else Cell(NOTHING)


def decimals(value: float, form: str = ".2f") -> Cell:
    """Return a number of this form; a dash where there is none."""
    return Cell(NOTHING) if np.isnan(value) else Cell(f"{value:{form}}", value)


def number(values: Sequence[float], places: int | None = None) -> Cell:
    """Return mean ± sd, with three decimals or four for small numbers; a dash for nothing."""
    if not len(values):
        return Cell(NOTHING)
    mean = float(np.mean(values))
    places = places or (3 if abs(mean) >= 0.1 else 4)
    spread = f" ± {np.std(values, ddof=1):.{places}f}" if len(values) > 1 else ""
    return Cell(f"{mean:.{places}f}{spread}", mean)


# ---------------------------------------------------------------------- all tables


@dataclass(frozen=True)
class Tables:
    """All tables of a benchmark; those with nothing to show are not there."""

    about: str
    metrics: list[Table]
    ranking: list[Table]
    more: list[Table]


def tables_of(results: Results) -> Tables:
    """Return all tables of a benchmark."""
    ranking = [_wins(results), *_mean_ranks(results)]
    metrics = [_metric_table(results, metric) for metric in METRICS]
    makers = (_verdicts, _yields, _costs, _networks, _left_out)
    more = [table for make in makers if (table := make(results)) is not None]
    return Tables(_about(results), metrics, ranking, more)


def markdown(results: Results) -> str:
    """Return all tables as one text."""
    all_tables = tables_of(results)
    tables = (
        one.markdown() for one in (*all_tables.metrics, *all_tables.ranking, *all_tables.more)
    )
    return "\n\n".join(["# Benchmark", f"{escaped(all_tables.about)} {MARKS}", *tables]) + "\n"


def _about(results: Results) -> str:
    versions = sorted({str(cell["linkprior"]) for cell in results.cells})
    trials = max((int(cell.get("trials", 0)) for cell in results.cells), default=0)
    how = f"every model tuned with {trials} settings" if trials else "default parameters"
    return (
        f"{len(results.cells)} cells, linkprior {', '.join(versions)}, {how}. Mean ± sd over the "
        "splits of a network; (n) where a model has n of them only."
    )


def _metric_table(results: Results, metric: str) -> Table:
    heads, rows = ["model"], [[Cell(model)] for model in results.models]
    for network in results.networks:
        marks, splits = results.marks(network, metric), len(results.splits(network))
        heads.append(f"{network} ({splits})")
        for model, row in zip(results.models, rows, strict=True):
            values = list(results.values(network, model, metric).values())
            cell = number(values)
            after = f" ({len(values)})" if 0 < len(values) < splits else ""
            row.append(replace(cell, text=cell.text + after, mark=marks.get(model, "")))
    return Table(metric, heads, rows)


def _wins(results: Results) -> Table:
    """Return on how many networks each model is ahead alone, and on how many among the best."""
    rows = []
    for model in results.models:
        counts = wins_of(results, model)
        if any(alone or level for alone, level in counts):
            won = (
                Cell(f"{alone} + {level}" if alone or level else "0", alone + level / 1000)
                for alone, level in counts
            )
            rows.append([Cell(model), *won])
    words = (
        "Networks on which a model is ahead alone + those on which it is within one sd of the best."
    )
    return Table("Wins", ["model", *METRICS], rows, words, empty="None.")


def wins_of(results: Results, model: str) -> list[tuple[int, int]]:
    """Return, metric by metric, the networks a model wins alone and those it shares."""
    marks = {m: [results.marks(n, m).get(model) for n in results.networks] for m in METRICS}
    return [(given.count(ALONE), given.count(LEVEL)) for given in marks.values()]


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
    left = f" Not evaluated on all of these networks: {', '.join(missing)}." if missing else ""
    words = (
        f"1 is the best; sorted by {MAIN} (mean_ranks.svg). Two models whose mean ranks differ by "
        "less than the critical difference (Nemenyi, 5 %) do not differ significantly. Networks "
        f"of one source are not independent, so the test is too optimistic.{left}"
    )
    title = f"Mean rank over {len(first.networks)} networks"
    return [Table(title, ["model", *RANKED], rows, words, tests)]


def summary(results: Results) -> list[str]:
    """Return a few lines for a terminal: the mean ranks by AUPRC over all networks."""
    ranks: Ranks = ranks_of(results, MAIN)
    n, m = len(results.networks), len(results.cells)
    lines = [f"{MAIN} on {n} network{'s' * (n != 1)}, {m} cell{'s' * (m != 1)}"]
    if len(ranks.means) < 2:  # no model to be ranked with
        for net, one in product(results.networks, results.models):
            if not math.isnan(mean := results.mean(net, one, MAIN)):
                lines.append(f"{net:20}{one:20}{mean:8.4f}")
        return lines
    lines.append(f"{'model':20}{'mean rank':>10}{'ahead alone':>13}{'level with best':>17}")
    for model, mean in ranks.means.items():
        alone, level = wins_of(results, model)[METRICS.index(MAIN)]
        lines.append(f"{model:20}{mean:10.2f}{alone:13}{level:17}")
    ranked = len(ranks.networks)
    lines.append(
        f"Mean ranks less than {ranks.critical_difference:.2f} apart do not differ significantly "
        f"(Nemenyi, 5 %, {ranked} network{'s' * (ranked != 1)})"
    )
    return lines


# ---------------------------------------------------------------------- besides the metrics


def _verdicts(results: Results) -> Table | None:
    """Return where another model is ahead of auto, with the sd of the paired difference."""
    if results.ours is None:
        return None
    heads, rows = ["network", "measure", "ahead", "by", "how clear"], []
    for named in product(results.networks, METRICS, results.models):
        network, metric, model = named
        gap = results.lead(network, model, results.ours, metric)
        if model != results.ours and len(gap) and gap.mean() > 0:
            verdict = Cell("one split" if len(gap) < 2 else "within one sd")
            if len(gap) > 1 and gap.mean() > gap.std(ddof=1):
                verdict = Cell("more than one sd", mark=ALONE)
            rows.append([*texts(*named), number(gap.tolist(), 4), verdict])
    words = "Mean difference ± sd over the splits of both."
    return Table(f"Where {results.ours} loses", heads, rows, words, empty="Nowhere.")


def _yields(results: Results) -> Table | None:
    """Return expected against real hits, how often the interval held, and how wide it was."""
    yields: list[tuple[Record, Record]] = [
        (cell, one)
        for network in results.networks
        for _, cell in sorted(results.measured[network].get(results.ours or "", {}).items())
        for one in cell.get("yield", [])
    ]
    if not yields:
        return None
    rows = [
        [
            Cell(f"{cell['network']}, split {cell['split']}"),
            Cell(f"{one['k']}", one["k"]),
            decimals(one["expected"], ".1f"),
            Cell(f"{one['low']:.0f}–{one['high']:.0f}", one["low"]),
            Cell(f"{one['hits']}", one["hits"]),
        ]
        for cell, one in yields
    ]
    heads = ["network", "first pairs", "expected", "90 % interval", "real"]
    summed = _held([one for cell, one in yields if cell.get("protocol") in TENTH])
    return Table(f"Expected yield of {results.ours}", heads, rows, summed)


def _held(yields: list[Record]) -> str:
    if not yields:
        return ""
    held, widths = [], []
    for one in yields:
        held.append(one["low"] <= one["hits"] <= one["high"])
        share = min(1.0, one["expected"] / one["k"])
        sd = max(0.3, float(np.sqrt(one["k"] * share * (1 - share))))
        widths.append((one["high"] - one["low"]) / (2 * _NORMAL * sd))
    return (
        f"On splits that hide a tenth the real number is inside in {np.mean(held):.0%} of "
        f"{len(held)}; the median width is {np.median(widths):.2f} of a binomial's."
    )


def _costs(results: Results) -> Table:
    """Return seconds and memory, model by model and network by network."""
    rows = []
    for model in results.models:
        row = [Cell(model)]
        for network in results.networks:
            seconds, memory = (
                list(results.values(network, model, metric).values())
                for metric in ("seconds", "peak_mb")
            )
            median = float(np.median(seconds)) if seconds else None
            text = f"{median:.3g} s, {max(memory, default=0.0):.0f}" if seconds else NOTHING
            row.append(Cell(text, median))
        rows.append(row)
    threads = sorted({int(c["threads"]) for c in results.cells if "threads" in c})
    with_threads = f" with {', '.join(map(str, threads))} threads" if threads else ""
    words = (
        f"Median seconds of a fit and of scoring all pairs{with_threads}, and the most memory of "
        "the process in MB."
    )
    return Table("Seconds and memory", ["model", *results.networks], rows, words)


def _networks(results: Results) -> Table:
    """Return what was evaluated on what: sizes, splits, hidden edges, digests."""
    sizes, rows = {case.name: case.size for case in SUITE}, []
    for network in results.networks:
        counted, models = results.splits(network), results.measured[network].values()
        cells = [cell for by_split in models for n, cell in by_split.items() if n in counted]
        hidden = sorted({int(c["hidden"]) for c in cells if "hidden" in c})
        digests = sorted({str(c["data"])[:12] for c in cells if "data" in c})
        rows.append(
            [
                Cell(network),
                *map(count, sizes.get(network, (0, 0))),
                Cell(f"{cells[0].get('protocol', NOTHING)}, {cells[0].get('rule', NOTHING)}"),
                count(len(counted)),
                Cell(span(hidden) or NOTHING, hidden[0] if hidden else None),
                Cell(", ".join(digests) or NOTHING),
            ]
        )
    heads = ["network", "nodes", "edges", "protocol, rule", "splits", "hidden", "digest"]
    return Table("Networks", heads, rows)


def _left_out(results: Results) -> Table | None:
    """Return which models were not fitted to which networks, and why."""
    rows = [
        texts(model, ", ".join(networks), why)
        for (model, why), networks in results.left_out.items()
    ]
    return Table("Left out", ["model", "networks", "why"], rows) if rows else None

"""The tables in README.md and under docs that tell what was measured and kept.

    python -m benchmarks.told             prints them
    python -m benchmarks.told --write     puts them into the pages

All is read from benchmarks/results: cells of the benchmark from suite/, the rest from the files
beside it (docs/reliability.md: told_reliability.py; the paper: told_paper.py). Nothing is fitted or
tried. A test holds the pages against this module.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import told_paper, told_reliability
from benchmarks.pages import table, written
from linkprior.experiments.benchmark import results_in
from linkprior.experiments.models import AUTO, WITHOUT
from linkprior.experiments.results import ALONE, METRICS, Results, ranks_of
from linkprior.experiments.tables import RANKED
from linkprior.io.atomic_files import whole_file

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
NAMES = {"auprc": "AUPRC", "recall@5%": "recall at 5 %", "p@500": "P@500", "ndcg": "NDCG"}
NAMES |= {"auroc": "AUROC", "dc_auroc": "dc_auroc"}
IN_README = ("DREAM5-1 90 %", "DREAM5-3", "yeast", "HI-II-14", "HuRI", "PPI", "USAir")
IN_README += ("Plasmodium", "rat 94-104")
RELEASED = ("auto with history", "auto", "pa", "l3", "pu", "tri-degree")
MOST_PAIRS = 500
TRIALS = 10  # of the tuned models whose cells are kept


def figures(value: float, sign: str = "") -> str:
    """Return a number with three digits behind the point, four where it is small, no leading 0."""
    text = f"{value:{sign}.{3 if abs(value) >= 0.0995 or sign else 4}f}"
    return re.sub(r"^([+-]?)0\.", r"\1.", text)


def spread(values: list[float], sign: str = "") -> str:
    """Return mean ± sd of some splits."""
    if len(values) < 2:
        return figures(float(np.mean(values)), sign)
    return f"{figures(float(np.mean(values)), sign)} ± {np.std(values, ddof=1):.3f}".replace(
        "± 0.", "± ."
    )


# ---------------------------------------------------------------------- auto and the others


def own(results: Results, network: str, metric: str) -> str:
    """Return auto's mean ± sd, bold where it is ahead of every other model."""
    shown = spread(list(results.values(network, AUTO, metric).values()))
    return f"**{shown}**" if results.marks(network, metric).get(AUTO) == ALONE else shown


def best_other(results: Results, network: str, metric: str) -> tuple[float, str]:
    """Return the best mean of another model, and which it is."""
    others = [model for model in results.models if model != AUTO]
    means = [(results.mean(network, model, metric), model) for model in others]
    return max((one for one in means if not np.isnan(one[0])), key=lambda one: one[0])


def standing(results: Results) -> str:
    """Return auto beside the best other model: every network, every measure."""
    rows = []
    for network in results.networks:
        cells = []
        for metric in METRICS:
            value, model = best_other(results, network, metric)
            cells.append(f"{own(results, network, metric)} ({model} {figures(value)})")
        rows.append([f"{network} ({len(results.splits(network))})", *cells])
    return table(["network (splits)", *NAMES.values()], rows)


def short(results: Results) -> str:
    """Return the same in short: AUPRC on some networks."""
    ours, others = ["`auto`"], ["the best other"]
    for network in IN_README:
        value, model = best_other(results, network, "auprc")
        ours.append(own(results, network, "auprc"))
        others.append(f"{figures(value)} (`{model}`)")
    return table(["", *IN_README], [ours, others])


def mean_ranks(results: Results) -> str:
    """Return auto's mean ranks and those of the next."""
    by_metric = [ranks_of(results, metric) for metric in RANKED]
    ours = [f"{ranks.means[AUTO]:.2f}" for ranks in by_metric]
    others = []
    for ranks in by_metric:
        model, mean = next(item for item in ranks.means.items() if item[0] != AUTO)
        others.append(f"{mean:.2f} (`{model}`)")
    counted = f"mean rank over {len(by_metric[0].networks)} networks"
    heads = [f"{counted}, {len(by_metric[0].models)} models", *(NAMES[m] for m in RANKED)]
    return table(heads, [["`auto`", *ours], ["the next", *others]])


def prior(results: Results) -> str:
    """Return what auto gains by its sources with the degree prior."""
    rows = []
    for network in results.networks:
        gains = [results.lead(network, AUTO, WITHOUT, metric).tolist() for metric in METRICS]
        if len(gains[0]):
            rows.append([f"{network} ({len(gains[0])})", *(spread(gain, "+") for gain in gains)])
    return table(["network (splits)", *NAMES.values()], rows)


# ---------------------------------------------------------------------- tuned models


def tuned(results: Results) -> str:
    """Return AUPRC by default and after tuning, on the splits where both are there."""
    folder = RESULTS / "suite" / f"tuned-{TRIALS}"
    after = results_in(folder)
    counts = {network: len(after.splits(network)) for network in after.networks}
    ours = [figures(after.mean(network, AUTO, "auprc")) for network in counts]
    rows = [[f"`{AUTO}` (nothing to tune)", *ours]]
    for model in sorted(m for m in after.models if _has_trials(after, m)):
        rows.append([f"`{model}`", *(_both(results, after, network, model) for network in counts)])
    return table(["AUPRC", *(f"{network} ({n})" for network, n in counts.items())], rows)


def _has_trials(results: Results, model: str) -> bool:
    cells = (models.get(model, {}) for models in results.measured.values())
    return any(cell["trials"] for by_split in cells for cell in by_split.values())


def _both(before: Results, after: Results, network: str, model: str) -> str:
    values = [one.values(network, model, "auprc") for one in (before, after)]
    splits = values[0].keys() & values[1].keys()
    if not splits:
        return "–"
    means = [figures(float(np.mean([one[split] for split in splits]))) for one in values]
    return " → ".join(means)


# ---------------------------------------------------------------------- releases


def releases(_: Results) -> str:
    """Return what a history teaches: auto with and without one, and peers."""
    path = RESULTS / "history.json"
    rows = list(_released(json.loads(path.read_text()))) if path.exists() else []
    heads = ["releases (found before, to be found)", "model", "AUPRC", "recall at 5 %", "P@500"]
    return table([*heads, "AUROC", f"expected among {MOST_PAIRS}, real"], rows)


def _released(found: dict[str, Any]) -> Iterator[list[str]]:
    for name, cells in found.items():
        counts = f"{name} ({cells['found_before']}, {cells['hidden']})"
        for model in RELEASED:
            runs = cells.get(model)
            if not runs:
                continue
            means = [np.mean([run[m] for run in runs]) for m in METRICS if m in _RELEASE_SHOWN]
            yields = [y for run in runs for y in run.get("yield", []) if y["k"] == MOST_PAIRS]
            told = "; ".join(
                f"{y['expected']:.1f} ({y['low']:.0f}–{y['high']:.0f}), {y['hits']}" for y in yields
            )
            shown = [figures(float(mean)) for mean in means]
            yield [counts, f"`{model.replace(' with history', ' --history')}`", *shown, told]


_RELEASE_SHOWN = ("auprc", "recall@5%", "p@500", "auroc")


# ---------------------------------------------------------------------- pages

PLACES: dict[str, tuple[str, Callable[[Results], str]]] = {
    "standing": ("docs/auto.md", standing),
    "prior": ("docs/auto.md", prior),
    "releases": ("docs/auto.md", releases),
    "ranks": ("docs/benchmark.md", mean_ranks),
    "tuned": ("docs/benchmark.md", tuned),
    "short": ("README.md", short),
}
RELIABILITY = "docs/reliability.md"


def tables() -> Iterator[tuple[str, str, str]]:
    """Yield each table: its name, the page it stands in, its text."""
    results = results_in(RESULTS / "suite")
    for name, (page, make) in PLACES.items():
        yield name, page, make(results)
    for name in told_reliability.TABLES:
        yield name, RELIABILITY, told_reliability.told(name)
    for name, (page, make_one) in told_paper.TABLES.items():
        yield name, page, make_one()


def main() -> None:
    """Print the tables, or write them."""
    for name, file, text in tables():
        if "--write" not in sys.argv[1:]:
            print(f"{file}, {name}\n\n{text}\n")
            continue
        page = written((ROOT / file).read_text(encoding="utf-8"), name, text)
        with whole_file(ROOT / file) as stream:
            stream.write(page)


if __name__ == "__main__":
    main()

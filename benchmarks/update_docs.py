"""The tables in README.md and under docs, made from benchmarks/results; nothing is measured here.

    python -m benchmarks.update_docs             prints them
    python -m benchmarks.update_docs --write     puts them into the pages

A test holds the pages against this module.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from benchmarks import reliability_tables, stability
from benchmarks.data import RESULTS, ROOT, mean_sd, narrow_table, saved, table
from linkprior.experiments.benchmark import results_in
from linkprior.experiments.models import AUTO
from linkprior.experiments.results import ALONE, METRICS, Results, ranks_of
from linkprior.experiments.tables import RANKED
from linkprior.io.atomic_files import whole_file

NAMES = {"auprc": "AUPRC", "recall@5%": "recall at 5 %", "p@500": "P@500", "ndcg": "NDCG"}
NAMES |= {"auroc": "AUROC", "dc_auroc": "dc_auroc"}
IN_README = ("DREAM5-1 90 %", "DREAM5-3", "yeast", "HI-II-14", "HuRI", "PPI", "USAir")
IN_README += ("Plasmodium", "rat 94-104")
RELEASED = ("auto with history", "auto", "pa", "l3", "pu", "tri-degree")
RELEASE_METRICS = ("auprc", "recall@5%", "p@500", "auroc")
MOST_PAIRS = 500
TRIALS = 10  # of the tuned models whose cells are kept
EXPERIMENTS = ("dream5", "plasmodium", "rat")
SHORT = (("uniform sampling", "uniform"), ("over-sampling", "over"), ("under-sampling", "under"))


def figures(value: float) -> str:
    """Return a number with three digits behind the point, four where it is small, no leading 0."""
    text = f"{value:.{3 if abs(value) >= 0.0995 else 4}f}"
    return re.sub(r"^([+-]?)0\.", r"\1.", text)


def spread(values: list[float]) -> str:
    """Return mean ± sd of some splits."""
    shown = figures(float(np.mean(values)))
    return (
        f"{shown} ± {np.std(values, ddof=1):.3f}".replace("± 0.", "± .")
        if len(values) > 1
        else shown
    )


def own(results: Results, network: str, metric: str) -> str:
    """Return auto's mean ± sd, bold where it is ahead of every other model."""
    shown = spread(list(results.values(network, AUTO, metric).values()))
    return f"**{shown}**" if results.marks(network, metric).get(AUTO) == ALONE else shown


def best_other(results: Results, network: str, metric: str) -> tuple[float, str]:
    """Return the best mean of another model, and which it is."""
    others = [model for model in results.models if model != AUTO]
    means = [(results.mean(network, model, metric), model) for model in others]
    return max((one for one in means if not np.isnan(one[0])), key=lambda one: one[0])


def suite(results: Results) -> str:
    """Return auto next to the best other model: every network, every measure."""
    rows = []
    for network in results.networks:
        cells = []
        for metric in METRICS:
            value, model = best_other(results, network, metric)
            cells.append(f"{own(results, network, metric)} ({model} {figures(value)})")
        rows.append([f"{network} ({len(results.splits(network))})", *cells])
    return table(["network (splits)", *NAMES.values()], rows)


def short(results: Results) -> str:
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


def tuned(results: Results) -> str:
    """Return AUPRC by default and after tuning, on the splits where both are there."""
    after = results_in(RESULTS / "suite" / f"tuned-{TRIALS}")
    counts = {network: len(after.splits(network)) for network in after.networks}

    def both(network: str, model: str) -> str:
        values = [one.values(network, model, "auprc") for one in (results, after)]
        splits = values[0].keys() & values[1].keys()
        means = (figures(float(np.mean([one[split] for split in splits]))) for one in values)
        return " → ".join(means) if splits else "–"

    ours = [figures(after.mean(network, AUTO, "auprc")) for network in counts]
    rows = [[f"`{AUTO}` (nothing to tune)", *ours]]
    for model in sorted(after.models):
        cells = [models.get(model, {}) for models in after.measured.values()]
        if any(cell["trials"] for by_split in cells for cell in by_split.values()):
            rows.append([f"`{model}`", *(both(network, model) for network in counts)])
    return table(["AUPRC", *(f"{network} ({n})" for network, n in counts.items())], rows)


def releases() -> str:
    """Return what a history teaches: auto with and without one, and peers."""
    rows = []
    for name, cells in saved("history").items():
        counts = f"{name} ({cells['found_before']}, {cells['hidden']})"
        for model in RELEASED:
            runs = cells[model]
            means = (np.mean([run[m] for run in runs]) for m in RELEASE_METRICS)
            yields = [y for run in runs for y in run.get("yield", []) if y["k"] == MOST_PAIRS]
            expected = "; ".join(
                f"{y['expected']:.1f} ({y['low']:.0f}–{y['high']:.0f}), {y['hits']}" for y in yields
            )
            label = f"`{model.replace(' with history', ' --history')}`"
            rows.append([counts, label, *(figures(float(mean)) for mean in means), expected])
    heads = ["releases (found before, to be found)", "model", "AUPRC", "recall at 5 %", "P@500"]
    return table([*heads, "AUROC", f"expected among {MOST_PAIRS}, real"], rows)


def _conditions(experiment: str) -> list[dict[str, Any]]:
    return saved(f"reproduction/{experiment}/results")["conditions"]


def _head(condition: dict[str, Any]) -> str:
    return reduce(lambda title, words: title.replace(*words), SHORT, str(condition["condition"]))


def reproduced(experiment: str) -> str:
    """Return recall at 5 % of every method, and how far the paper's, with variants, is ahead."""
    conditions = _conditions(experiment)

    def entry(condition: dict[str, Any], method: str) -> str:
        found = condition["methods"][method]
        values = found["recall"]["5%"]
        text = mean_sd(values) if len(set(values)) > 1 else f"{np.mean(values):.3f}"
        text += f" ({np.mean(np.multiply(values, condition['hidden'])):.0f})"
        text = f"**{text}**" if condition["ranking"][0] == method else text
        return text if found.get("paper") is None else f"{text} · {found['paper']:.3f}"

    def leads(name: str, margins: list[dict[str, Any]]) -> list[str]:
        shown = (f"{one['mean']:+.3f} ± {one['sd']:.3f} over {one['over']}" for one in margins)
        return [f"lead of {name}", *shown]

    methods = list(conditions[0]["methods"])
    rows = [[method, *(entry(one, method) for one in conditions)] for method in methods]
    rows.append(leads("Tri+Degree", [one["margin"] for one in conditions]))
    for name in conditions[0].get("margins of variants", {}):
        rows.append(leads(name, [one["margins of variants"][name] for one in conditions]))
    return table(["method", *map(_head, conditions)], rows)


def ablation(rule: str) -> str:
    """Return what each change to the paper's method is worth, by one rule."""
    numbers = saved("studies/ablation")["numbers"]
    titles, rows = list(numbers["hidden"]), []
    for row, found in numbers["recall"].items():
        rows.append([row, *(mean_sd([one[rule] for one in found[title]]) for title in titles)])
    return narrow_table(f"| recall@5%, {rule} | {' | '.join(titles)} |", rows)


def convergence() -> str:
    """Return where ADMM ended, and what X, the factors and Q rank there."""
    rows = []
    for run in saved("studies/convergence")["numbers"]["runs"]:
        recall = [f"{run['recall'][name]['all-nodes']:.3f}" for name in ("x", "factors", "q")]
        ends = [f"{run[name][-1]:.2g}" for name in ("primal", "dual")]
        end = [*ends, f"{run['objective'][-1]:.0f}", f"{100 * run['share of X above 0']:.1f} %"]
        rows.append([run["case"], run["prox"], f"{run['ratio']:g}", *end, *recall])
    rows.sort(key=lambda row: (row[0], row[1] != "mm", float(row[2])))
    heads = ["network", "Step_Two", "λ/η", "primal", "dual", "objective", "X above 0"]
    return table([*heads, "recall by X", "by factors", "by Q"], rows)


def ranked_variable() -> str:
    """Return recall by factors, X and Q, by both rules."""
    numbers = saved("studies/ranked_variable")["numbers"]
    rows = []
    for title, found in numbers["recall"].items():
        cells = []
        for rule in ("all-nodes", "connected"):
            for name in ("factors", "x", "q"):
                of = [one if rule == "all-nodes" else one["connected"] for one in found[name]]
                cells.append(mean_sd([one["recall@5%"] for one in of]))
        rows.append([title, str(numbers["hidden"][title]), *cells])
    heads = ["recall@5%", "hidden", "factors", "X", "Q"]
    return table([*heads, "factors, connected", "X, connected", "Q, connected"], rows)


def growth() -> str:
    """Return by which power of nodes and of edges time and memory grow."""
    found, rows = saved("growth"), []
    for name, one in found["nodes"].items():
        over_edges = found["edges"].get(name, {}).get("exponents", {})
        powers = [one["exponents"][key] for key in ("seconds", "cpu_seconds", "added_bytes")]
        powers.append(over_edges.get("cpu_seconds"))
        rows.append([name, *("–" if value is None else f"{value:.2f}" for value in powers)])
    heads = "| | time in p | core seconds in p | memory in p | core seconds in m |"
    sizes = [one["nodes"] for one in found["nodes"]["tri-degree"]["cells"]]
    where = (
        f"Exponents, tri-degree's from {sizes[0]:,} to {sizes[-1]:,} nodes at mean degree 20, and "
        f"with edges at 8,000 nodes (goal: tri-degree's time in p ≤ {found['goal']}; measured on "
        f"{found['machine']}):"
    )
    return f"{where}\n\n{narrow_table(heads, rows)}"


AUTO_PAGE, BENCHMARK, REPRODUCTION = "docs/auto.md", "docs/benchmark.md", "docs/reproduction.md"
# The name of each table, the page it is on, and what writes it.
TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    **{name: (REPRODUCTION, lambda name=name: reproduced(name)) for name in EXPERIMENTS},  # type: ignore[misc]
    "ablation": (REPRODUCTION, lambda: ablation("all-nodes")),
    "ablation-connected": (REPRODUCTION, lambda: ablation("connected")),
    "convergence": (REPRODUCTION, convergence),
    "ranked-variable": ("docs/reproduction_studies.md", ranked_variable),
    "releases": (AUTO_PAGE, releases),
    "growth": ("docs/scaling.md", growth),
    "stability": ("docs/stability.md", lambda: stability.table_of(saved("stability"))),
    **{name: ("docs/reliability.md", make) for name, make in reliability_tables.TABLES.items()},
}
OF_CELLS: dict[str, tuple[str, Callable[[Results], str]]] = {
    "suite": (AUTO_PAGE, suite),
    "ranks": (BENCHMARK, mean_ranks),
    "tuned": (BENCHMARK, tuned),
    "short": ("README.md", short),
}


def tables() -> Iterator[tuple[str, str, str]]:
    """Yield each table: its name, the page it is on, its text."""
    results = results_in(RESULTS / "suite")
    for name, (page, make) in OF_CELLS.items():
        yield name, page, make(results)
    for name, (page, make_one) in TABLES.items():
        yield name, page, make_one()


def marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: python -m benchmarks.update_docs --write -->", f"<!-- end of {name} -->"


def with_table(page: str, name: str, text: str) -> str:
    begin, end = marks(name)
    before, rest = page.split(begin, 1)
    return f"{before}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}"


def main() -> None:
    for name, file, text in tables():
        if "--write" not in sys.argv[1:]:
            print(f"{file}, {name}\n\n{text}\n")
            continue
        page = with_table((ROOT / file).read_text(encoding="utf-8"), name, text)
        with whole_file(ROOT / file) as stream:
            stream.write(page)


if __name__ == "__main__":
    main()

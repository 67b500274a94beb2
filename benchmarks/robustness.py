"""How models stand up to worse data: `python -m benchmarks.robustness [NETWORK …] [--tables]`

noise      0–25 % of the training edges replaced by random pairs
observed   only 10–90 % of the edges kept
rewired    ends of edges exchanged first, so that only degrees stay: what is still found is degree
prior      the degree prior off, with degrees of other nodes, and with the true degrees

Each finished cell is a small file under benchmarks/results/robustness; the next run goes on from
there; `--tables` prints what is there without fitting anything.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from linkprior.evaluation.evaluate import model_specs
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.store import read_cells
from linkprior.experiments.suite import SUITE, Case
from linkprior.io.atomic_files import whole_file

KEPT = Path(__file__).parent / "results" / "robustness"
MODELS = ("auto", "l3", "l3n", "ch2-l3", "mps", "pu", "tri", "tri-degree", "pa")
WITH_PRIOR = ("tri-degree", "degree:l3")
NOISE = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25)
OBSERVED = (0.9, 0.7, 0.5, 0.3, 0.1)
SPLITS, MORE_SPLITS = 3, 10  # the latter for yeast, without noise and with a tenth
AIM_LEVELS, AIM_MODELS = ("0%", "10%"), ("auto", "l3", "l3n", "ch2-l3", "mps", "pu", "pa")
SHOWN = ("auprc", "recall@5%", "auroc")
HEAD = (
    "# Worse data\n\nBy `python -m benchmarks.robustness` from the cells beside this file; means, "
    "with ± the sd over splits where there are several.\n\n"
)


@dataclass(frozen=True)
class Condition:
    """One way of making data worse, and who is judged on it."""

    kind: str
    level: str
    plan: dict[str, Any]
    models: tuple[str, ...] = MODELS


def conditions(case: Case) -> Iterator[Condition]:
    """Yield all conditions of a network; of HuRI only some noise, as a fit takes minutes."""
    large = case.size[0] > 5000
    for share in (0.0, 0.1) if large else NOISE:
        yield Condition("noise", f"{share:.0%}", {"protocol": "uniform:0.9", "noise": share})
    if large:
        return
    for rate in OBSERVED:
        yield Condition("observed", f"{rate:.0%}", {"protocol": f"uniform:{rate}"})
    yield Condition("rewired", "rewired", {"protocol": "uniform:0.9", "null": "rewired"})
    yield Condition("prior", "90%", {"protocol": "uniform:0.9"}, WITH_PRIOR)
    yield Condition("prior", "50%", {"protocol": "uniform:0.5"}, WITH_PRIOR)


def aimed_at(case: Case) -> Iterator[Condition]:
    """Yield what is judged on more splits: on yeast one alone says little."""
    for condition in conditions(case) if case.name == "yeast" else ():
        if condition.kind == "noise" and condition.level in AIM_LEVELS:
            yield replace(condition, models=AIM_MODELS)


NETWORKS = ("yeast", "DREAM5-1 90 %", "HuRI")


def fill(case: Case, condition: Condition, number: int, folder: Path) -> None:
    """Judge all models on one split under one condition, what is kept aside."""
    network = case.load(folder)
    split = Plan(rule="connected", seed=number, **condition.plan).make(network)[0]
    ablated = condition.kind == "prior"
    for one in model_specs(condition.models, ablations=ablated):
        file = one.label.replace(":", "-").replace(" ", "_")
        path = KEPT / case.folder / f"{condition.kind}-{condition.level}-{number}-{file}.json"
        about = {"network": case.name, "condition": condition.kind, "level": condition.level}
        about |= {"split": number, "model": one.label}
        data.fill_cell(path, one.make(split), split, network, about)


def text() -> str:
    """Return a table for each network, condition and measure: models by level."""
    found: dict[tuple[str, str, str], dict[str, dict[str, list[float]]]] = {}
    for cell in read_cells(KEPT):
        for metric in SHOWN:
            place = found.setdefault((cell["network"], cell["condition"], metric), {})
            levels = place.setdefault(cell["model"], defaultdict(list))
            levels[cell["level"]].append(float(cell["values"][metric] or 0.0))
    return "\n\n".join(_table(*key, rows) for key, rows in found.items())


def _table(network: str, kind: str, metric: str, rows: dict[str, dict[str, list[float]]]) -> str:
    levels = sorted({lv for row in rows.values() for lv in row}, key=lambda lv: (len(lv), lv))
    if kind == "observed":
        levels.reverse()
    lines = [f"**{network}, {kind}, {metric}**", "", f"| model | {' | '.join(levels)} |"]
    lines.append("|---" * (len(levels) + 1) + "|")
    for model, row in rows.items():
        shown = (_number(row.get(level, [])) for level in levels)
        lines.append(f"| {model} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _number(values: list[float]) -> str:
    if not values:
        return "–"
    spread = f" ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else ""
    mean = float(np.mean(values))
    return f"{mean:.4f}{spread}" if mean < 0.1 else f"{mean:.3f}{spread}"


def main() -> None:
    """Fill in what is missing, the first splits first, then print the tables."""
    wanted = [name for name in sys.argv[1:] if not name.startswith("--")] or NETWORKS
    cases = [case for case in SUITE if case.name in wanted]
    if "--tables" not in sys.argv:
        folder = data.required_folder()
        for number in range(MORE_SPLITS):
            for case in cases:
                for condition in conditions(case) if number < SPLITS else aimed_at(case):
                    fill(case, condition, number, folder)
    print(text())
    with whole_file(KEPT / "tables.md") as stream:
        stream.write(HEAD + text() + "\n")


if __name__ == "__main__":
    main()

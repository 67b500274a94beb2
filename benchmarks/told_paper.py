"""Tables of docs/reproduction.md and docs/reproduction_studies.md, from what was measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import table
from benchmarks.studies_printed import ablation_table

RESULTS = Path(__file__).parent / "results"
REPRODUCTION, STUDIES = "docs/reproduction.md", "docs/reproduction_studies.md"
EXPERIMENTS = ("dream5", "plasmodium", "rat")
SHORT = {"uniform sampling": "uniform", "over-sampling": "over", "under-sampling": "under"}
NOTICED = 0.0005  # a mean that moves by less is the same in the tables


def _read(path: str) -> Any:
    return json.loads((RESULTS / path).read_text(encoding="utf-8"))


def _conditions(experiment: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = _read(f"reproduction/{experiment}/results.json")["conditions"]
    return found


def _head(condition: dict[str, Any]) -> str:
    title = str(condition["condition"])
    for long, short in SHORT.items():
        title = title.replace(long, short)
    return title


def _entry(condition: dict[str, Any], method: str) -> str:
    found = condition["methods"][method]
    values = found["recall"]["5%"]
    text = f"{np.mean(values):.3f}"
    if len(set(values)) > 1:
        text += f" ± {np.std(values, ddof=1):.3f}"
    text += f" ({np.mean(np.multiply(values, condition['hidden'])):.0f})"
    if condition["ranking"][0] == method:
        text = f"**{text}**"
    return text if found.get("paper") is None else f"{text} · {found['paper']:.3f}"


def _lead(margin: dict[str, Any]) -> str:
    return f"{margin['mean']:+.3f} ± {margin['sd']:.3f} over {margin['over']}"


def reproduced(experiment: str) -> str:
    """Return recall at 5 % of every method, and how far the paper's, with variants, is ahead."""
    conditions = _conditions(experiment)
    methods = list(conditions[0]["methods"])
    rows = [[method, *(_entry(one, method) for one in conditions)] for method in methods]
    rows.append(["lead of Tri+Degree", *(_lead(one["margin"]) for one in conditions)])
    for name in conditions[0].get("margins of variants", {}):
        leads = (_lead(one["margins of variants"][name]) for one in conditions)
        rows.append([f"lead of {name}", *leads])
    return table(["method", *map(_head, conditions)], rows)


def changed() -> str:
    """Return every mean that differs from the one published before, both beside each other."""
    before, rows = _read("reproduction/before.json")["means"], []
    for experiment in EXPERIMENTS:
        for condition in _conditions(experiment):
            old = before[experiment][condition["condition"]]
            for method, mean in old.items():
                new = condition["methods"].get(method, {}).get("mean", {}).get("5%")
                if new is not None and abs(new - mean) > NOTICED:
                    name = f"{experiment}, {_head(condition)}"
                    rows.append([name, method, f"{mean:.3f}", f"{new:.3f}", f"{new - mean:+.3f}"])
    if not rows:
        return "No mean of the tables differs from the one published before by more than .0005."
    return table(["condition", "method", "before", "now", "difference"], rows)


def ablation(rule: str) -> str:
    """Return what each change to the paper's method is worth, by one rule."""
    return "\n".join(ablation_table(_read("studies/ablation.json")["numbers"], rule))


def convergence() -> str:
    """Return where ADMM ended, and what X, the factors and Q rank there."""
    rows = []
    for run in _read("studies/convergence.json")["numbers"]["runs"]:
        recall = [f"{run['recall'][name]['all-nodes']:.3f}" for name in ("x", "factors", "q")]
        ends = [f"{run[name][-1]:.2g}" for name in ("primal", "dual")]
        end = [*ends, f"{run['objective'][-1]:.0f}", f"{100 * run['share of X above 0']:.1f} %"]
        rows.append([run["case"], run["prox"], f"{run['ratio']:g}", *end, *recall])
    rows.sort(key=lambda row: (row[0], row[1] != "mm", float(row[2])))
    heads = ["network", "Step_Two", "λ/η", "primal", "dual", "objective", "X above 0"]
    return table([*heads, "recall by X", "by factors", "by Q"], rows)


def ranked_variable() -> str:
    """Return recall by factors, X and Q, by both rules."""
    numbers = _read("studies/ranked_variable.json")["numbers"]
    rows = []
    for title, found in numbers["recall"].items():
        cells = []
        for rule in ("all-nodes", "connected"):
            for name in ("factors", "x", "q"):
                of = [one if rule == "all-nodes" else one["connected"] for one in found[name]]
                values = [one["recall@5%"] for one in of]
                cells.append(f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}")
        rows.append([title, str(numbers["hidden"][title]), *cells])
    heads = ["recall@5%", "hidden", "factors", "X", "Q"]
    return table([*heads, "factors, connected", "X, connected", "Q, connected"], rows)


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "dream5": (REPRODUCTION, lambda: reproduced("dream5")),
    "plasmodium": (REPRODUCTION, lambda: reproduced("plasmodium")),
    "rat": (REPRODUCTION, lambda: reproduced("rat")),
    "changed": (REPRODUCTION, changed),
    "ablation": (REPRODUCTION, lambda: ablation("all-nodes")),
    "ablation-connected": (REPRODUCTION, lambda: ablation("connected")),
    "convergence": (REPRODUCTION, convergence),
    "ranked-variable": (STUDIES, ranked_variable),
}

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
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks import data
from linkprior.evaluation.evaluate import model_specs
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.store import read_cells
from linkprior.experiments.suite import SUITE, Case
from linkprior.io.atomic_files import whole_file

CELLS = data.RESULTS / "robustness"
NETWORKS = ("yeast", "DREAM5-1 90 %", "HuRI")
MODELS = ("auto", "l3", "l3n", "ch2-l3", "mps", "pu", "tri", "tri-degree", "pa")
WITH_PRIOR = ("tri-degree", "degree:l3")
NOISE = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25)
OBSERVED = (0.9, 0.7, 0.5, 0.3, 0.1)
SPLITS, MORE_SPLITS = 3, 10  # the latter for yeast, without noise and with a tenth: one says little
MORE_MODELS = ("auto", "l3", "l3n", "ch2-l3", "mps", "pu", "pa")
SHOWN = ("auprc", "recall@5%", "auroc")
HEAD = (
    "# Worse data\n\nBy `python -m benchmarks.robustness` from the cells beside this file; means, "
    "with ± the sd over splits where there are several.\n\n"
)


def conditions(case: Case, number: int) -> Iterator[tuple[str, str, dict[str, Any], Sequence[str]]]:
    """Yield kind, level, plan and models of all that is judged on one split of a network.

    Of HuRI there is only some noise, as a fit takes minutes.
    """
    large, more = case.size[0] > 5000, number >= SPLITS
    if more and case.name != "yeast":
        return
    for share in (0.0, 0.1) if large or more else NOISE:
        plan = {"protocol": "uniform:0.9", "noise": share}
        yield "noise", f"{share:.0%}", plan, MORE_MODELS if more else MODELS
    if large or more:
        return
    for rate in OBSERVED:
        yield "observed", f"{rate:.0%}", {"protocol": f"uniform:{rate}"}, MODELS
    yield "rewired", "rewired", {"protocol": "uniform:0.9", "null": "rewired"}, MODELS
    for rate in (0.9, 0.5):
        yield "prior", f"{rate:.0%}", {"protocol": f"uniform:{rate}"}, WITH_PRIOR


def text() -> str:
    """Return a table for each network, condition and measure: models by level."""
    found: dict[tuple[str, str, str], dict[str, dict[str, list[float]]]] = {}
    for cell in read_cells(CELLS):
        for metric in SHOWN:
            place = found.setdefault((cell["network"], cell["condition"], metric), {})
            levels = place.setdefault(cell["model"], defaultdict(list))
            levels[cell["level"]].append(float(cell["values"][metric] or 0.0))
    tables = []
    for (network, kind, metric), models in found.items():
        names = sorted({lv for row in models.values() for lv in row}, key=lambda lv: (len(lv), lv))
        names = names[::-1] if kind == "observed" else names
        rows = []
        for model, row in models.items():
            cells = (row.get(level, []) for level in names)
            shown = (data.mean_sd(c, 4 if np.mean(c) < 0.1 else 3) if c else "–" for c in cells)
            rows.append([model, *shown])
        shown = data.narrow_table(f"| model | {' | '.join(names)} |", rows)
        tables.append(f"**{network}, {kind}, {metric}**\n\n{shown}")
    return "\n\n".join(tables)


def main() -> None:
    wanted = [name for name in sys.argv[1:] if not name.startswith("--")] or NETWORKS
    cases = [case for case in SUITE if case.name in wanted]
    if "--tables" not in sys.argv:
        folder = data.required_folder()
        for number in range(MORE_SPLITS):
            for case in cases:
                for kind, level, plan, models in conditions(case, number):
                    network = case.load(folder)
                    split = Plan(rule="connected", seed=number, **plan).make(network)[0]
                    for one in model_specs(models, ablations=kind == "prior"):
                        file = one.label.replace(":", "-").replace(" ", "_")
                        path = CELLS / case.folder / f"{kind}-{level}-{number}-{file}.json"
                        about = {"network": case.name, "condition": kind, "level": level}
                        about |= {"split": number, "model": one.label}
                        data.fill_cell(path, one.make(split), split, network, about)
    print(text())
    with whole_file(CELLS / "tables.md") as stream:
        stream.write(HEAD + text() + "\n")


if __name__ == "__main__":
    main()

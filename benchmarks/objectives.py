"""What auto's objectives trade: `python -m benchmarks.objectives [--picture]`

auto learns for early precision (AUPRC), for recall, or for what degree does not tell (dc_auroc). On
the first splits of some networks of the suite each is judged by all three measures; the peers are
those of benchmarks/results/suite. Finished fits are kept in benchmarks/results/objectives; the
picture is docs/figures/objectives.svg, drawn anew from what is kept by `--picture`.
"""

from __future__ import annotations

import sys
from typing import Any

from benchmarks import data
from benchmarks.studies_base import save_figure
from linkprior.evaluation.store import read_cells
from linkprior.experiments.suite import SUITE
from linkprior.predictors.auto.auto import Auto

CELLS = data.RESULTS / "objectives"
NETWORKS = ("DREAM5-1 90 %", "DREAM5-3", "yeast", "USAir", "Plasmodium", "rat 94-104")
PEERS = ("pa", "l3", "l3n", "mps", "pu", "tri-degree", "sklearn-nmf")
OTHERS = ("recall", "dc_auroc")  # beside AUPRC, the default, which the suite has judged
SHOWN = ("auprc", "recall@5%", "dc_auroc")
SPLITS = 2


def means() -> dict[str, dict[str, dict[str, float]]]:
    """Return the mean of each measure by network and model, over the splits that are kept."""
    cells = [c for c in read_cells(data.RESULTS / "suite") if c["model"] in (*PEERS, "auto")]
    found: dict[str, dict[str, list[dict[str, float]]]] = {}
    for cell in [*cells, *read_cells(CELLS)]:
        if cell["network"] in NETWORKS and cell["split"] < SPLITS and "values" in cell:
            name = "auto, auprc" if cell["model"] == "auto" else cell["model"]
            found.setdefault(cell["network"], {}).setdefault(name, []).append(cell["values"])
    return {
        network: {
            model: {m: sum(v[m] for v in values) / len(values) for m in SHOWN}
            for model, values in models.items()
        }
        for network, models in found.items()
    }


def draw(drawing: Any, found: dict[str, dict[str, dict[str, float]]]) -> None:
    """Draw dc_auroc against AUPRC, a panel per network, objectives joined."""
    for axes, network in zip(drawing.subplots(2, 3).flat, NETWORKS, strict=True):
        at = {name: (one["auprc"], one["dc_auroc"]) for name, one in found[network].items()}
        autos = [name for name in ("auto, auprc", "auto, recall", "auto, dc_auroc") if name in at]
        joined = zip(*(at[name] for name in autos), strict=True)
        axes.plot(*joined, "-", color="#D55E00", linewidth=0.8, zorder=1)
        for name, point in at.items():
            ours = name in autos
            colour = "#D55E00" if ours else "#0072B2"
            axes.plot(*point, "o", color=colour, markersize=5 if ours else 3.5)
            offset = {"xytext": (4, 3), "textcoords": "offset points"}
            axes.annotate(name.replace("auto, ", "for "), point, **offset, size=7, color=colour)
        axes.set_title(network, size=9)
        axes.set_xlabel("AUPRC")
        axes.set_ylabel("AUROC against like degrees")
        axes.margins(0.18)
        axes.spines[["top", "right"]].set_visible(False)


def main() -> None:
    if "--picture" not in sys.argv:
        folder = data.required_folder()
        for case in (one for one in SUITE if one.name in NETWORKS):
            for number in range(min(SPLITS, case.rounds)):
                network, split = case.split(folder, number)
                for objective in OTHERS:
                    path = CELLS / case.folder / f"{number}-{objective}.json"
                    about = {"network": case.name, "split": number, "model": f"auto, {objective}"}
                    data.fill_cell(path, Auto(objective=objective), split, network, about)
    found = means()
    look = {"svg.fonttype": "none", "font.size": 8}
    save_figure("objectives", draw, found, (9.0, 5.6), **look)
    rows = [
        [network, name.removeprefix("auto, "), *(f"{values[m]:.3g}" for m in SHOWN)]
        for network in NETWORKS
        for name, values in found[network].items()
        if name.startswith("auto")
    ]
    print(data.table(["network", "learned for", "AUPRC", "recall at 5 %", "dc_auroc"], rows))
    data.write_results(CELLS / "means.json", found, sort_keys=True)


if __name__ == "__main__":
    main()

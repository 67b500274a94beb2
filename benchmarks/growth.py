"""How time and memory grow, ours and others': exponents from log–log lines, each cell a process.

    python -m benchmarks.growth [NAME …] [--over nodes|edges] [--most NODES] [--draw]

About ten minutes on two cores.

nodes  mean degree 20, from 2,000 nodes on, doubling; goal: tri-degree's exponent ≤ 2.1
edges  8,000 nodes, mean degrees from 5 on, doubling

Writes benchmarks/results/growth.json and docs/figures/growth.svg (--draw: the picture alone, from
the results there are). What each cell does is told in `benchmarks/growth_cells.py`.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmarks import data, growth_cells
from benchmarks.studies_base import figure, legend_below, tidy
from linkprior.io.atomic_files import whole_file
from linkprior.parallel import current_workers

SIZES = [2_000, 4_000, 8_000, 16_000, 32_000]
DEGREE, DEGREES, FIXED = 20, [5, 10, 20, 40, 80], 8_000
GOAL = 2.1  # tri-degree's exponent of time in nodes
# Others stop where they would take minutes or most of the memory.
MOST_NODES = {"networkx": 2_000, "dense-l3": 8_000, "dense-usu": 16_000}
LEAST_NODES = {"networkx": 500}
WITH_EDGES = ("tri", "sklearn-nmf", "pu", "implicit-als", "l3", "tri-degree")
# Figures below these are noise and do not count; memory is that beyond libraries and network.
NOISE = {"seconds": 1e-3, "cpu_seconds": 1e-3, "added_bytes": 4e6}
Cells = list[dict[str, Any]]
Points = list[tuple[int, float]]


def exponent(cells: Cells, over: str, of: str) -> float | None:
    """Return the slope of the line nearest to a figure, both in logarithms, of three or more."""
    points = [(one[over], one[of]) for one in cells if one[of] >= NOISE[of]]
    if len(points) < 3:
        return None
    x, y = np.log(np.array(points, float)).T
    return round(float(np.polyfit(x, y, 1)[0]), 2)


def measure(name: str, points: Points, over: str) -> dict[str, Any]:
    """Run a contender at some sizes, printing as they come."""
    cells: Cells = []
    for point in points:
        cells.append(data.apart("benchmarks.growth_cells", name, *point))
        print(line(cells[-1]), flush=True)
    found = {of: exponent(cells, over, of) for of in NOISE}
    goal = f" (goal ≤ {GOAL})" if (name, over) == ("tri-degree", "nodes") else ""
    print(
        f"{name}: in {over} time grows by {found['seconds']}{goal}, that of all cores by "
        f"{found['cpu_seconds']}, memory by {found['added_bytes']}",
        flush=True,
    )
    return {"cells": cells, "exponents": found}


def line(one: dict[str, Any]) -> str:
    parts = ", ".join(f"{part} {took:g}" for part, took in one["parts"].items())
    return (
        f"{one['model']:14}{one['nodes']:>7,} nodes{one['edges']:>9,} edges "
        f"{one['seconds']:9.3f} s {one['cpu_seconds']:9.3f} core s "
        f"{one['added_bytes'] / 1e6:8.0f} MB   {parts}"
    )


def jobs(most_nodes: int) -> list[tuple[str, str, Points]]:
    found: list[tuple[str, str, Points]] = []
    for name in growth_cells.CELLS:
        most = min(MOST_NODES.get(name, most_nodes), most_nodes)
        sizes = [n for n in (500, 1_000, *SIZES) if LEAST_NODES.get(name, SIZES[0]) <= n <= most]
        found.append(("nodes", name, [(size, float(DEGREE)) for size in sizes]))
    points = [(FIXED, float(degree)) for degree in DEGREES]
    return found + [("edges", name, points) for name in WITH_EDGES]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument(
        "names", nargs="*", help="contenders; those not named are kept as they are"
    )
    options.add_argument("--over", choices=["nodes", "edges"], help="one of the two only")
    options.add_argument("--most", type=int, default=SIZES[-1], help="nodes at most")
    options.add_argument("--draw", action="store_true", help="only draw what was kept")
    given = options.parse_args()
    path = data.RESULTS / "growth.json"
    found = data.read_results(path) | {"threads": current_workers(), "goal": GOAL}
    for over, name, points in [] if given.draw else jobs(given.most):
        if given.over in (None, over) and (not given.names or name in given.names):
            found["machine"] = data.machine()
            found.setdefault(over, {})[name] = measure(name, points, over)
            data.write_results(path, found)
    with whole_file(data.FIGURES / "growth.svg") as stream:
        stream.write(figure(draw, found, (8.6, 7.4), "svg").decode())


# ---------------------------------------------------------------------- figure

# Okabe and Ito's colours, safe for the colour-blind; markers and dashes tell the same again.
STYLES = {
    "tri-degree": ("tri-degree: pass, tables, top", "#d55e00", "o", "-"),
    "tri": ("tri, 20 sweeps", "#e69f00", "s", "-"),
    "pu": ("pu, 15 sweeps", "#009e73", "^", "-"),
    "top": ("best pairs of U S Uᵀ", "#0072b2", "D", "-"),
    "l3": ("l3: fit and best pairs", "#000000", "v", "-"),
    "sklearn-nmf": ("scikit-learn NMF, 20 iterations", "#e69f00", "s", "--"),
    "implicit-als": ("implicit ALS, 15 iterations", "#009e73", "^", "--"),
    "dense-usu": ("dense U S Uᵀ, sorted", "#0072b2", "D", "--"),
    "dense-l3": ("dense L3, sorted", "#000000", "v", "--"),
    "networkx": ("networkx RA, all non-edges", "#cc79a7", "x", "--"),
}
PANELS = [
    (over, of, f"{what}, {where}", unit)
    for over, where in (("nodes", "mean degree 20"), ("edges", "8,000 nodes"))
    for of, what, unit in (
        ("cpu_seconds", "time", "seconds of all cores"),
        ("added_bytes", "memory", "MB beyond libraries and network"),
    )
]


def draw(drawing: Any, found: dict[str, Any]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    every = drawing.subplots(2, 2).ravel()
    for axes, (over, of, title, unit) in zip(every, PANELS, strict=True):
        scale, sizes = 1e6 if of == "added_bytes" else 1.0, set()
        for name, measured in found.get(over, {}).items():
            label, colour, marker, dashes = STYLES[name]
            first = name == "tri-degree"
            x = [one[over] for one in measured["cells"]]
            y = [max(1e-3, one[of] / scale) for one in measured["cells"]]
            axes.plot(x, y, color=colour, marker=marker, markersize=4, linestyle=dashes,
                      linewidth=2.4 if first else 1.4, zorder=3 if first else 2,
                      label=label)  # fmt: skip
            sizes |= set(x)
        axes.set(xscale="log", yscale="log")
        # The sizes that were measured, as people write them, and few values beside.
        axes.set_xticks(sorted(sizes), [f"{n:,}" for n in sorted(sizes)], rotation=30, ha="right")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.minorticks_off()
        tidy(axes, title, over, unit)
    legend_below(drawing, every[0], columns=3)


if __name__ == "__main__":
    main()

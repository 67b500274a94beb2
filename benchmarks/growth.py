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
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import growth_cells
from benchmarks.studies_base import figure, legend_below, tidy
from benchmarks.timing import machine as where
from linkprior.io.atomic_files import whole_file
from linkprior.parallel import current_workers

# ---------------------------------------------------------------------- growth

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "growth.json"
FIGURE = ROOT / "docs" / "figures" / "growth.svg"
SIZES = [2_000, 4_000, 8_000, 16_000, 32_000]
DEGREE, DEGREES, FIXED = 20, [5, 10, 20, 40, 80], 8_000
GOAL = 2.1  # tri-degree's exponent of time in nodes
# Others stop where they would take minutes or most of the memory.
MOST_NODES = {"networkx": 2_000, "dense-l3": 8_000, "dense-usu": 16_000}
LEAST_NODES = {"networkx": 500}
WITH_EDGES = ("tri", "sklearn-nmf", "pu", "implicit-als", "l3", "tri-degree")


def apart(name: str, n_nodes: int, degree: float) -> dict[str, Any]:
    """Run one cell in a process of its own."""
    call = [sys.executable, "-m", "benchmarks.growth_cells", name, str(n_nodes), str(degree)]
    done = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def exponent(cells: list[dict[str, Any]], over: str, of: str, least: float) -> float | None:
    """Return the slope of the line nearest to a figure, both in logarithms.

    Figures below `least` are noise and do not count; two others are too few for a line.
    """
    points = [(one[over], one[of]) for one in cells if one[of] >= least]
    if len(points) < 3:
        return None
    x, y = np.log(np.array(points, float)).T
    return round(float(np.polyfit(x, y, 1)[0]), 2)


def exponents(cells: list[dict[str, Any]], over: str) -> dict[str, float | None]:
    """Return how seconds, and the memory beyond that of the libraries and network, grow."""
    least = {"seconds": 1e-3, "cpu_seconds": 1e-3, "added_bytes": 4e6}
    return {of: exponent(cells, over, of, noise) for of, noise in least.items()}


def sizes_of(name: str, most_nodes: int) -> list[int]:
    """Return the numbers of nodes a contender is measured at."""
    most = min(MOST_NODES.get(name, most_nodes), most_nodes)
    least = LEAST_NODES.get(name, SIZES[0])
    return [size for size in [500, 1_000, *SIZES] if least <= size <= most]


def measure(name: str, points: list[tuple[int, float]], over: str) -> dict[str, Any]:
    """Run a contender at some sizes, printing as they come."""
    cells = []
    for n_nodes, degree in points:
        cells.append(apart(name, n_nodes, degree))
        print(line(cells[-1]), flush=True)
    found = exponents(cells, over)
    goal = f" (goal ≤ {GOAL})" if (name, over) == ("tri-degree", "nodes") else ""
    print(
        f"{name}: in {over} time grows by {found['seconds']}{goal}, that of all cores by "
        f"{found['cpu_seconds']}, memory by {found['added_bytes']}",
        flush=True,
    )
    return {"cells": cells, "exponents": found}


def line(one: dict[str, Any]) -> str:
    """Return one cell in words."""
    parts = ", ".join(f"{part} {took:g}" for part, took in one["parts"].items())
    return (
        f"{one['model']:14}{one['nodes']:>7,} nodes{one['edges']:>9,} edges "
        f"{one['seconds']:9.3f} s {one['cpu_seconds']:9.3f} core s "
        f"{one['added_bytes'] / 1e6:8.0f} MB   {parts}"
    )


def jobs(most_nodes: int) -> list[tuple[str, str, list[tuple[int, float]]]]:
    """Return what is measured: over what, which contender, at which nodes and degrees."""
    by_nodes = [
        ("nodes", name, [(size, float(DEGREE)) for size in sizes_of(name, most_nodes)])
        for name in growth_cells.CELLS
    ]
    points = [(FIXED, float(degree)) for degree in DEGREES]
    return by_nodes + [("edges", name, points) for name in WITH_EDGES]


def keep(found: dict[str, Any]) -> None:
    """Write the results there are."""
    with whole_file(RESULTS) as stream:
        stream.write(json.dumps(found, indent=1) + "\n")


def main() -> None:
    """Measure, print, keep and draw."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument(
        "names", nargs="*", help="contenders; those not named are kept as they are"
    )
    options.add_argument("--over", choices=["nodes", "edges"], help="one of the two only")
    options.add_argument("--most", type=int, default=SIZES[-1], help="nodes at most")
    options.add_argument("--draw", action="store_true", help="only draw what was kept")
    given = options.parse_args()
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    found |= {"threads": current_workers(), "goal": GOAL}
    for over, name, points in [] if given.draw else jobs(given.most):
        if given.over in (None, over) and (not given.names or name in given.names):
            found["machine"] = where()
            found.setdefault(over, {})[name] = measure(name, points, over)
            keep(found)
    with whole_file(FIGURE) as stream:
        stream.write(draw(found).decode())


# ---------------------------------------------------------------------- growth figure

# Okabe and Ito's colours, safe for the colour-blind; markers and dashes tell the same again.
STYLES: dict[str, tuple[str, str, str, str]] = {
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
PANELS = (
    ("nodes", "cpu_seconds", "time, mean degree 20", "seconds of all cores"),
    ("nodes", "added_bytes", "memory, mean degree 20", "MB beyond libraries and network"),
    ("edges", "cpu_seconds", "time, 8,000 nodes", "seconds of all cores"),
    ("edges", "added_bytes", "memory, 8,000 nodes", "MB beyond libraries and network"),
)


def draw(found: dict[str, Any], kind: str = "svg") -> bytes:
    """Return the picture of the results."""
    return figure(_panels, found, (8.6, 7.4), kind)


def _panels(drawing: Any, found: dict[str, Any]) -> None:
    every = drawing.subplots(2, 2).ravel()
    for axes, (over, of, title, unit) in zip(every, PANELS, strict=True):
        measured = found.get(over, {})
        for name, one in measured.items():
            _line(axes, name, one["cells"], over, of)
        axes.set(xscale="log", yscale="log")
        _ticks(axes, sorted({cell[over] for one in measured.values() for cell in one["cells"]}))
        tidy(axes, title, over, unit)
    legend_below(drawing, every[0], columns=3)


def _line(axes: Any, name: str, cells: list[dict[str, Any]], over: str, of: str) -> None:
    label, colour, marker, dashes = STYLES[name]
    unit = 1e6 if of == "added_bytes" else 1.0
    axes.plot(
        [one[over] for one in cells],
        [max(1e-3, one[of] / unit) for one in cells],
        color=colour,
        marker=marker,
        markersize=4,
        linestyle=dashes,
        linewidth=2.4 if name == "tri-degree" else 1.4,
        zorder=3 if name == "tri-degree" else 2,
        label=label,
    )


def _ticks(axes: Any, sizes: list[int]) -> None:
    """Mark the sizes that were measured, as people write them, and few values beside."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    axes.set_xticks(sizes, [f"{size:,}" for size in sizes], rotation=30, ha="right")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.minorticks_off()


if __name__ == "__main__":
    main()

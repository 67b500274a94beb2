"""The picture of `benchmarks.growth`: time and memory over nodes and edges, log–log."""

from __future__ import annotations

from typing import Any

from benchmarks.studies_base import figure, legend_below, tidy

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

"""Figures of the studies, in the style of the reproduction: same colours, same bytes each time."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from linkprior.experiments.paper import METHODS
from linkprior.experiments.reproduction import OURS
from linkprior.experiments.reproduction_tables import COLOURS

NAMES = {**METHODS, "PA": "pa"}  # the paper's five, and degree alone
# Three readings of one method are three shades of its colour.
SHADES = {"q": COLOURS[OURS], "factors": "#5b2a00", "x": "#f3b58d"}
LABELS = {
    "q": "Q: prox before clipping",
    "factors": "factors U S Uᵀ",
    "x": "X of ADMM",
}


def figure(
    draw: Callable[[Any, Any], None], numbers: Any, size: tuple[float, float], kind: str
) -> bytes:
    """Return the drawing as "png" or "svg"."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "linkprior", "font.size": 9}):
        drawing = Figure(figsize=size, layout="constrained")
        draw(drawing, numbers)
        canvas = {"png": FigureCanvasAgg, "svg": FigureCanvasSVG}[kind](drawing)
        out = io.BytesIO()
        undated = {"Date": None} if kind == "svg" else {"Software": None}
        canvas.print_figure(out, format=kind, dpi=150, metadata=undated)
    return out.getvalue()


def tidy(axes: Any, title: str = "", x: str = "", y: str = "", grid: str = "both") -> None:
    """Give axes the house's look."""
    if title:
        axes.set_title(title, fontsize=9)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#e6e6e6", axis=grid)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def style(method: str) -> dict[str, Any]:
    """Return how a method's line looks."""
    return {
        "color": COLOURS[method],
        "label": method,
        "linewidth": 2.4 if method == OURS else 1.4,
        "linestyle": "-" if method in METHODS else "--",
        "zorder": 3 if method == OURS else 2,
    }


def legend_below(drawing: Any, axes: Any, columns: int = 6) -> None:
    """Put one legend under all panels."""
    handles, labels = axes.get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)

"""An evaluation as figures: precision against recall, and hidden edges found along the list.

Drawn without a screen and without a clock: the same evaluation gives the same bytes.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkprior.evaluation.store import BASELINE, Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linkprior.evaluation.results import Evaluation

Floats = NDArray[np.float64]

# Okabe and Ito's colours, distinct in all kinds of colour vision; yellow is left out, being
# hardly seen on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
STYLES = ("-", "--", "-.", (0, (4, 1, 1, 1, 1, 1)))  # when the colours are used up
_GREY = "#555555"
_FARTHEST = 10.0  # % of all pairs, as in the paper's figures
_RARE = 0.02  # a random precision below which precision needs a logarithmic axis
_POINTS = 241
_DPI = 160
FORMATS = {"png": "Software", "svg": "Date"}  # and the mark in which two drawings would differ
STYLE: Any = {
    "svg.hashsalt": "linkprior",
    "svg.fonttype": "none",  # text stays text
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#e6e6e6",
    "axes.axisbelow": True,
}


@dataclass(frozen=True)
class Line:
    """One model's curve, the mean over the splits."""

    label: str
    x: Floats
    y: Floats


def precision_recall(evaluation: Evaluation) -> list[Line]:
    """Return mean recall and mean precision among the first k pairs, for growing k.

    Curves begin where one hidden edge is found on average; before, precision is mostly luck.
    """
    length = min(int(cell.curve["predicted"][-1]) for cell in evaluation.cells)
    k = np.unique(np.round(np.geomspace(1, length, _POINTS)))
    lines = []
    for name, cells in _by_model(evaluation):
        per_cell = [_found(cell, k) for cell in cells]
        begun = np.mean(per_cell, axis=0) >= 1.0
        hidden = [float(cell.curve["found"][-1]) for cell in cells]
        recall = np.mean([hits / m for hits, m in zip(per_cell, hidden, strict=True)], axis=0)
        precision = np.mean([hits / k for hits in per_cell], axis=0)
        lines.append(Line(name, recall[begun], precision[begun]))
    return lines


def hidden_edges_found(evaluation: Evaluation) -> list[Line]:
    """Return the mean number of hidden edges among the best x % of all pairs."""
    splits = evaluation.facts.get("splits", [])
    pairs = {s["label"]: s["pairs"] for s in splits if isinstance(s.get("pairs"), int)}
    x, lines = np.linspace(0.0, _FARTHEST, _POINTS), []
    for name, cells in _by_model(evaluation):
        # Observed edges count among all pairs, though they are never predicted.
        sizes = (pairs.get(cell.split, cell.curve["predicted"][-1]) for cell in cells)
        hits = [_found(cell, x / 100.0 * n) for cell, n in zip(cells, sizes, strict=True)]
        lines.append(Line(name, x, np.mean(hits, axis=0)))
    return lines


def _found(cell: Cell, k: Floats) -> Floats:
    """Return the hidden edges found among the first k, between the points kept too."""
    at, hits = ([0.0, *cell.curve[name]] for name in ("predicted", "found"))
    return np.interp(k, at, hits)


def _by_model(evaluation: Evaluation) -> Iterator[tuple[str, list[Cell]]]:
    for name in evaluation.models:
        yield name, [cell for cell in evaluation.cells if cell.model == name]
    if evaluation.baseline:
        yield BASELINE, evaluation.baseline


# ---------------------------------------------------------------------- drawing


def draw_precision_recall(evaluation: Evaluation) -> dict[str, bytes]:
    """Return the figure of precision against recall, as `png` and as `svg`."""
    lines = precision_recall(evaluation)
    random = [line.y[-1] for line in lines if line.label == BASELINE]

    def draw(axes: Axes) -> None:
        for line, style in zip(lines, _styles(lines), strict=True):
            axes.plot(line.x, line.y, label=line.label, **style)
        if random and random[0] < _RARE:
            axes.set_yscale("log")
            axes.set_ylim(bottom=random[0] / 2.0, top=1.2)
            axes.yaxis.set_major_formatter("{x:g}")  # 0.01 says more than a power of ten
        else:
            axes.set_ylim(0.0, 1.02)
        axes.set_xlim(0.0, 1.0)
        axes.set(xlabel="recall: share of the hidden edges found", ylabel="precision")
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0))

    return _figure(draw, evaluation)


def draw_found(evaluation: Evaluation) -> dict[str, bytes]:
    """Return the figure of the hidden edges found along the list, as `png` and as `svg`."""
    lines = hidden_edges_found(evaluation)
    hidden = float(np.mean([cell.curve["found"][-1] for cell in evaluation.cells]))

    def draw(axes: Axes) -> None:
        styles = _styles(lines)
        for line, style in zip(lines, styles, strict=True):
            axes.plot(line.x, line.y, **style)
        top = 1.05 * max(line.y[-1] for line in lines)
        axes.set(xlim=(0.0, _FARTHEST), ylim=(0.0, top))
        axes.set(xlabel="predicted pairs, % of all pairs")
        axes.set(ylabel=f"hidden edges found, of {hidden:,.0f}")
        _label_ends(axes, lines, styles, top)

    return _figure(draw, evaluation)


def _styles(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return a colour for each model, and another dash when the colours repeat."""
    styles: list[dict[str, Any]] = []
    for number, line in enumerate(lines):
        again, at = divmod(number, len(COLOURS))
        dash = STYLES[again % len(STYLES)]
        styles.append({"color": COLOURS[at], "linestyle": dash, "linewidth": 1.6})
        if line.label == BASELINE:
            styles[-1] = {"color": _GREY, "linestyle": ":", "linewidth": 1.2}
    return styles


def _label_ends(
    axes: Axes, lines: Sequence[Line], styles: Sequence[dict[str, Any]], top: float
) -> None:
    """Write each name where its line ends, moved apart where they would overlap."""
    gap = top / 21.0
    order = sorted(range(len(lines)), key=lambda n: lines[n].y[-1])
    heights = spread([float(lines[n].y[-1]) for n in order], gap)
    for n, height in zip(order, heights, strict=True):
        axes.annotate(
            lines[n].label,
            xy=(_FARTHEST, lines[n].y[-1]),
            xytext=(1.03 * _FARTHEST, height),
            color=styles[n]["color"],
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": styles[n]["color"],
                "linewidth": 0.5,
                "relpos": (0.0, 0.5),  # from the first letter, not across the name
            },
        )


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Return ascending heights moved as little as needed to be `gap` apart.

    Neighbours that are too close form a group around its mean, until no two groups overlap.
    """
    groups: list[list[float]] = []

    def lowest(group: list[float]) -> float:
        return sum(group) / len(group) - gap * (len(group) - 1) / 2.0

    for height in heights:
        groups.append([height])
        while len(groups) > 1 and lowest(groups[-2]) + gap * len(groups[-2]) > lowest(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    return [lowest(group) + gap * at for group in groups for at in range(len(group))]


def _figure(draw: Callable[[Axes], None], evaluation: Evaluation) -> dict[str, bytes]:
    count, facts = len(evaluation.splits), evaluation.facts
    mean = f"mean of {count} splits" if count > 1 else "one split"
    parts = [str(facts[name]) for name in ("protocol", "rule") if name in facts]
    with drawing({**STYLE, "axes.grid": True, "grid.linewidth": 0.7}) as new_figure:
        figure = new_figure(figsize=(6.4, 4.2), dpi=_DPI, layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.set_title(", ".join([*parts, mean]), fontsize=9, color=_GREY, loc="left")
        layout = figure.get_layout_engine()
        if layout is not None:  # laid out now, not for each format: that costs more than drawing
            layout.execute(figure)
        figure.set_layout_engine(None)
        return {format: image_of(figure, format, _DPI) for format in FORMATS}


@contextmanager
def drawing(style: Any) -> Iterator[type[Figure]]:
    """Give matplotlib's figures, of a style; without what it logs, such as its fonts."""
    from matplotlib import rc_context

    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with rc_context(style):
            from matplotlib.figure import Figure

            yield Figure
    finally:
        log.setLevel(level)


def image_of(figure: Figure, format: str, dpi: float | str = "figure") -> bytes:
    """Return a figure as a file without the date and version of its drawing."""
    stream = io.BytesIO()
    figure.savefig(stream, format=format, metadata={FORMATS[format]: None}, dpi=dpi)
    return stream.getvalue()

"""The figures of a benchmark: mean ranks, and what a model finds for the time it takes.

Drawn without a screen and without a clock: the same cells give the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkprior.evaluation.plots import STYLE
from linkprior.experiments.models import PEERS
from linkprior.experiments.results import MAIN, Ranks, Results, ranks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, OTHERS, THEIRS = "#D55E00", "#0072B2", "#009E73"  # auto, ours, other libraries'
_GREY, _BAND = "#555555", "#f1e3c9"
# Where a name may stand beside its point, in points of the page: the first place that is free.
_PLACES = tuple((dx, dy) for dy in (0, 8, -8, 16, -16, 24, -24) for dx in (6, -6))
_LETTER, _LINE = 4.6, 8.5  # width and height of a small letter


def mean_ranks(results: Results, metric: str = MAIN) -> bytes:
    """Return the figure of mean ranks; models in the band are not distinguished from the best."""
    ranks = ranks_of(results, metric)
    height = 1.4 + 0.19 * max(4, len(ranks.models))
    return _figure(lambda axes: _draw_ranks(axes, ranks, results.ours), (6.4, height))


def _draw_ranks(axes: Axes, ranks: Ranks, ours: str | None) -> None:
    if len(ranks.models) < 2 or not ranks.networks:
        axes.text(0.5, 0.5, "fewer than two models were evaluated on every network", ha="center")
        axes.set_axis_off()
        return
    names, means = list(ranks.means), list(ranks.means.values())
    least = ranks.critical_difference
    axes.axvspan(means[0], means[0] + least, color=_BAND, linewidth=0, zorder=0)
    for place, (name, mean) in enumerate(zip(names, means, strict=True)):
        axes.plot(mean, place, "o", color=_colour(name, ours), markersize=5)
        axes.plot([1, mean], [place, place], color="#d0d0d0", linewidth=0.7, zorder=1)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(1, len(names))
    axes.set_xticks([1, *range(5, len(names) + 1, 5)])
    axes.set_xlabel(f"mean rank by {ranks.metric}, 1 the best")
    title = f"{len(ranks.networks)} networks; band: critical difference {least:.2f} (Nemenyi, 5 %)"
    axes.set_title(title, fontsize=9, color=_GREY, loc="left")


def scaling(results: Results, metric: str = MAIN) -> bytes:
    """Return the figure of what models find, relative to the best, against seconds per fit."""
    points = list(cost_and_merit(results, metric))
    return _figure(lambda axes: _draw_scaling(axes, points, results.ours, metric), (7.6, 5.2))


def cost_and_merit(results: Results, metric: str) -> Iterator[tuple[str, float, float, bool]]:
    """Yield model, median seconds, mean share of the best, and whether it has all networks.

    Seconds are the median over networks of the medians over splits; the share is that of the
    best model of each network.
    """
    networks = ranks_of(results, metric).networks
    best = {
        n: np.nanmax([results.mean(n, model, metric) for model in results.models]) for n in networks
    }
    for model in results.models:
        own = [n for n in networks if best[n] > 0 and results.values(n, model, metric)]
        spans = [list(results.values(n, model, "seconds").values()) for n in own]
        if own and all(spans):
            merit = float(np.mean([results.mean(n, model, metric) / best[n] for n in own]))
            seconds = float(np.median([np.median(span) for span in spans]))
            yield model, max(seconds, 1e-3), merit, len(own) == len(networks)


def _draw_scaling(
    axes: Axes, points: Sequence[tuple[str, float, float, bool]], ours: str | None, metric: str
) -> None:
    if not points:
        axes.text(0.5, 0.5, "nothing was evaluated", ha="center")
        axes.set_axis_off()
        return
    for name, seconds, merit, whole in points:
        colour = _colour(name, ours)
        face = colour if whole else "white"
        axes.plot(seconds, merit, "o", color=colour, markerfacecolor=face, markersize=5)
    axes.set_xscale("log")
    axes.margins(x=0.16, y=0.06)
    axes.set_xlabel("median seconds to fit and to score all pairs")
    axes.set_ylabel(f"{metric}, share of the best model's (mean over networks)")
    axes.grid(True)
    axes.set_title("open: not evaluated on every network", fontsize=9, color=_GREY, loc="left")
    _name_points(axes, points, ours)


def _name_points(
    axes: Axes, points: Sequence[tuple[str, float, float, bool]], ours: str | None
) -> None:
    """Write each name beside its point, where it covers no other name or point."""
    axes.autoscale_view()
    scale = 72.0 / axes.figure.dpi
    at = axes.transData.transform([(seconds, merit) for _, seconds, merit, _ in points]) * scale
    taken = [(x - 3, x + 3, y - 3, y + 3) for x, y in at.tolist()]
    for (name, seconds, merit, _), (x, y) in zip(points, at.tolist(), strict=True):
        boxes = [_box(name, x + dx, y + dy, dx) for dx, dy in _PLACES]
        free = [n for n, box in enumerate(boxes) if not any(_meet(box, other) for other in taken)]
        place = free[0] if free else 0
        taken.append(boxes[place])
        dx, dy = _PLACES[place]
        axes.annotate(
            name,
            (seconds, merit),
            xytext=(dx, dy),
            textcoords="offset points",
            ha="left" if dx > 0 else "right",
            va="center",
            fontsize=7.5,
            color=_colour(name, ours),
        )


def _box(name: str, x: float, y: float, side: int) -> tuple[float, float, float, float]:
    width = _LETTER * len(name)
    left = x if side > 0 else x - width
    return left, left + width, y - _LINE / 2, y + _LINE / 2


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    across = one[0] < other[1] and other[0] < one[1]
    return across and one[2] < other[3] and other[2] < one[3]


def _colour(name: str, ours: str | None) -> str:
    return OURS if name == ours else THEIRS if name in PEERS else OTHERS


def _figure(draw: Callable[[Axes], None], size: tuple[float, float]) -> bytes:
    import matplotlib as mpl

    with mpl.rc_context({**STYLE, "text.parse_math": False}):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure = Figure(figsize=size)
        inches = {"left": 1.55 if size[0] < 7 else 0.75, "bottom": 0.5}
        figure.subplots_adjust(
            left=inches["left"] / size[0],
            right=0.97,
            bottom=inches["bottom"] / size[1],
            top=1 - 0.35 / size[1],
        )
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()

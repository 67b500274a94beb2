"""The figures of a benchmark: mean ranks, and what a model finds for the time it takes.

Drawn without a screen and without a clock: the same cells give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkprior.evaluation.plots import STYLE, drawing, image_of
from linkprior.experiments.models import PEERS
from linkprior.experiments.results import MAIN, Results, ranks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, OTHERS, THEIRS = "#D55E00", "#0072B2", "#009E73"  # auto, ours, other libraries'
_GREY, _BAND = "#555555", "#f1e3c9"
# Where a name may be put next to its point, in points of the page: the first place that is free.
_PLACES = tuple((dx, dy) for dy in (0, 8, -8, 16, -16, 24, -24) for dx in (6, -6))
_LETTER, _LINE = 4.6, 8.5  # width and height of a small letter


def mean_ranks(results: Results) -> bytes:
    """Return the figure of mean ranks; models in the band are not distinguished from the best."""
    ranks = ranks_of(results, MAIN)
    names, means, least = list(ranks.means), list(ranks.means.values()), ranks.critical_difference

    def draw(axes: Axes) -> None:
        if len(ranks.models) < 2 or not ranks.networks:
            _say(axes, "fewer than two models were evaluated on every network")
            return
        axes.axvspan(means[0], means[0] + least, color=_BAND, linewidth=0, zorder=0)
        for place, (name, mean) in enumerate(zip(names, means, strict=True)):
            axes.plot(mean, place, "o", color=_colour(name, results.ours), markersize=5)
            axes.plot([1, mean], [place, place], color="#d0d0d0", linewidth=0.7, zorder=1)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(1, len(names))
        axes.set_xticks([1, *range(5, len(names) + 1, 5)])
        axes.set_xlabel(f"mean rank by {ranks.metric}, 1 the best")
        band = f"band: critical difference {least:.2f} (Nemenyi, 5 %)"
        title = f"{len(ranks.networks)} networks; {band}"
        axes.set_title(title, fontsize=9, color=_GREY, loc="left")

    return _figure(draw, (6.4, 1.4 + 0.19 * max(4, len(ranks.models))))


def scaling(results: Results) -> bytes:
    """Return the figure of what models find, relative to the best, against seconds per fit."""
    points, ours = list(cost_and_merit(results, MAIN)), results.ours

    def draw(axes: Axes) -> None:
        if not points:
            _say(axes, "nothing was evaluated")
            return
        for name, seconds, merit, whole in points:
            colour = _colour(name, ours)
            face = colour if whole else "white"
            axes.plot(seconds, merit, "o", color=colour, markerfacecolor=face, markersize=5)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")  # powers of ten are math text, which is off here
        axes.margins(x=0.16, y=0.06)
        axes.set_xlabel("median seconds to fit and to score all pairs")
        axes.set_ylabel(f"{MAIN}, share of the best model's (mean over networks)")
        axes.grid(True)
        axes.set_title("open: not evaluated on every network", fontsize=9, color=_GREY, loc="left")
        _name_points(axes, points, ours)

    return _figure(draw, (7.6, 5.2))


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
        evaluated = [n for n in networks if best[n] > 0 and results.values(n, model, metric)]
        spans = [list(results.values(n, model, "seconds").values()) for n in evaluated]
        if evaluated and all(spans):
            merit = float(np.mean([results.mean(n, model, metric) / best[n] for n in evaluated]))
            seconds = float(np.median([np.median(span) for span in spans]))
            yield model, max(seconds, 1e-3), merit, len(evaluated) == len(networks)


def _name_points(
    axes: Axes, points: Sequence[tuple[str, float, float, bool]], ours: str | None
) -> None:
    """Write each name next to its point, where it covers no other name or point."""
    from matplotlib.transforms import Bbox

    axes.autoscale_view()
    at = axes.transData.transform([(seconds, merit) for _, seconds, merit, _ in points])
    at *= 72.0 / axes.figure.dpi
    taken = [Bbox([(x - 3, y - 3), (x + 3, y + 3)]) for x, y in at.tolist()]
    for (name, seconds, merit, _), (x, y) in zip(points, at.tolist(), strict=True):
        width = _LETTER * len(name)
        boxes = [
            Bbox.from_bounds(x + dx - (width if dx < 0 else 0), y + dy - _LINE / 2, width, _LINE)
            for dx, dy in _PLACES
        ]
        place = next((n for n, box in enumerate(boxes) if not box.count_overlaps(taken)), 0)
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


def _say(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, ha="center")
    axes.set_axis_off()


def _colour(name: str, ours: str | None) -> str:
    return OURS if name == ours else THEIRS if name in PEERS else OTHERS


def _figure(draw: Callable[[Axes], None], size: tuple[float, float]) -> bytes:
    with drawing({**STYLE, "text.parse_math": False}) as new_figure:
        figure = new_figure(figsize=size)
        figure.subplots_adjust(
            left=(1.55 if size[0] < 7 else 0.75) / size[0],
            right=0.97,
            bottom=0.5 / size[1],
            top=1 - 0.35 / size[1],
        )
        draw(figure.add_subplot())
        return image_of(figure, "svg")

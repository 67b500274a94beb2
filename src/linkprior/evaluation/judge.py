"""One cell of an evaluation: one model fitted and judged on one split."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from linkprior import _progress as progress
from linkprior.evaluation.metrics import curve, measure, measure_random
from linkprior.evaluation.ranks import HiddenEdgeRanks, stand
from linkprior.evaluation.splits import Split
from linkprior.kernels import seconds_compiling
from linkprior.machine import peak_memory, reset_peak_memory
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import Effort, effort_of


@dataclass(frozen=True)
class Cell:
    """What came out for one model on one split.

    `values` holds every metric by name, `curve` the hidden edges found among the first k, and
    `params` the parameters it was fitted with.
    """

    model: str
    split: str
    values: Mapping[str, float]
    curve: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)


def judge(label: str, model: LinkPredictor, split: Split, work: Effort | None = None) -> Cell:
    """Fit a model on the training network of a split and measure what it finds.

    `seconds` are those of fitting and of scoring all pairs once, without what kernels take to
    compile when they are first used on a machine; `peak_mb` is the most memory the
    process held meanwhile.
    """
    work = effort_of(model, split.train) if work is None else work
    reset_peak_memory()
    began, ended, compiling = time.perf_counter(), [], seconds_compiling()
    with progress.part(work.fit):
        model.fit(split.train)

    def scored() -> None:
        ended.append(time.perf_counter() - (seconds_compiling() - compiling))

    standing = stand(model, split, scored)
    values = measure(standing)
    values["seconds"] = ended[0] - began
    values["peak_mb"] = peak_memory() / 1e6
    return Cell(label, split.label, values, curve(standing), model.get_params())


def chance(split: Split) -> Cell:
    """Return what drawing lots would give on a split, metric by metric."""
    return Cell(
        "chance", split.label, measure_random(split), curve(HiddenEdgeRanks.of_random(split))
    )


def plain_numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return metrics for JSON, which has no NaN: None where there was nothing to measure."""
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def numbers_from(values: Mapping[str, float | None]) -> dict[str, float]:
    """Undo `plain_numbers`."""
    return {name: math.nan if value is None else float(value) for name, value in values.items()}

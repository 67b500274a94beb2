"""Settings and what became of them: one trial for each, its value the mean over the inner splits.

Splits on which a metric has nothing to measure (NaN) do not count; which these are does not depend
on the setting.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

COMPLETE, PRUNED, FAILED = "complete", "pruned", "failed"
ENOUGH = 5  # complete settings without which nothing is stopped early

Floors = tuple[float, ...]  # what the mean must reach after 1, 2, … inner splits


@dataclass(frozen=True)
class Setting:
    """The n-th choice of parameters, with what it must reach so as not to be stopped."""

    number: int
    params: Mapping[str, Any]
    floors: Floors = ()

    def is_hopeless(self, scores: Sequence[float]) -> bool:
        """Tell whether the mean so far lies below the median of those who came that far."""
        return len(scores) <= len(self.floors) and mean(scores) < self.floors[len(scores) - 1]


@dataclass(frozen=True)
class Trial:
    """A setting that has been tried.

    Attributes
    ----------
    number, params
        Which setting, and the parameters that were searched; 0 is the model as it was given.
    state
        "complete"; "pruned": stopped early, below the median; "failed": `note` says why.
    scores
        The metric on each inner split that was reached.
    """

    number: int
    params: dict[str, Any]
    state: str
    scores: tuple[float, ...] = field(default_factory=tuple)
    note: str = ""

    @property
    def value(self) -> float:
        """Mean over all inner splits; NaN unless the setting is complete.

        The mean over the first ones alone would not compare: some splits are easier than others.
        """
        return mean(self.scores) if self.state == COMPLETE else math.nan


def mean(scores: Iterable[float]) -> float:
    """Return the mean of what could be measured."""
    known = [score for score in scores if not math.isnan(score)]
    return math.fsum(known) / len(known) if known else math.nan


def best_of(trials: Iterable[Trial], cautious: bool = False) -> Trial | None:
    """Return the complete trial of the highest value, the earliest of equals.

    The best of many is partly the luckiest. The cautious leave the model as it was given unless a
    setting clearly beats it.
    """
    known = [trial for trial in trials if trial.state == COMPLETE]
    own = next((trial for trial in known if trial.number == 0), None)
    if cautious and own is not None:
        known = [own, *(trial for trial in known if _clearly_better(trial, own))]
    return max(known, key=lambda trial: (trial.value, -trial.number), default=None)


def _clearly_better(trial: Trial, own: Trial) -> bool:
    """Tell whether the mean gain over the inner splits exceeds the sd of the gains."""
    pairs = zip(trial.scores, own.scores, strict=True)
    gains = [gain for a, b in pairs if not math.isnan(gain := a - b)]
    return len(gains) > 1 and statistics.mean(gains) > statistics.stdev(gains)


def floors_of(history: Sequence[Trial], inner: int, cautious: bool = False) -> Floors:
    """Return the medians of the complete trials after 1, 2, … inner splits, the last left out.

    After the last split nothing is left to be saved. As long as few are complete there is no floor.
    For the cautious it is what the model's own parameters gave: below it nothing will be chosen.
    """
    known = [trial for trial in history if trial.state == COMPLETE]
    if cautious:
        known = [trial for trial in known if trial.number == 0]
    elif len(known) < ENOUGH:
        return ()
    if not known:
        return ()
    return tuple(
        statistics.median(mean(trial.scores[:reached]) for trial in known)
        for reached in range(1, inner)
    )


def trial_from(noted: Mapping[str, Any], state: str) -> Trial:
    """Return a trial from what a journal notes of it; what is none is a ValueError or the like."""
    number = noted["setting"]
    if not isinstance(number, int):  # JSON reads 1e999 as an infinite number
        raise ValueError(f"a setting has a whole number, got {number!r}")
    scores = tuple(math.nan if score is None else float(score) for score in noted["scores"])
    return Trial(number, dict(noted["params"]), state, scores, str(noted["note"]))

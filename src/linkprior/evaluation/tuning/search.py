"""Trials, and which settings to try next: a grid, or optuna's tree-structured Parzen estimator.

A trial's value is the mean over the inner splits; splits on which a metric has nothing to measure
(NaN) do not count, whatever the setting. The n-th setting follows from the seed, n and the trials
handed in, and from nothing else: a sampler keeps no state. That is what lets a study that was
killed end where it would have ended anyway.
"""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.spaces import Space, space_of

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

COMPLETE, PRUNED, FAILED = "complete", "pruned", "failed"
ENOUGH = 5  # complete settings without which nothing is stopped early
SAMPLERS = ("tpe", "grid")
ENOUGH_TO_TELL = 10  # complete settings without which importances would be guesses
_RANDOM_FIRST = 10  # settings that TPE draws at random before it begins to learn

Params = dict[str, Any]
Floors = tuple[float, ...]  # what the mean must reach after 1, 2, … inner splits


@dataclass(frozen=True)
class Setting:
    """The n-th choice of parameters, with what it must reach so as not to be stopped."""

    number: int
    params: Mapping[str, Any]
    floors: Floors = ()

    def is_hopeless(self, scores: Sequence[float]) -> bool:
        """Return whether the mean so far lies below the median of those that came that far."""
        return len(scores) <= len(self.floors) and mean(scores) < self.floors[len(scores) - 1]


@dataclass(frozen=True)
class Trial:
    """A setting that has been tried.

    Its `state` is "complete", "pruned" (stopped early, below the median) or "failed", where `note`
    says why.
    """

    number: int  # 0 is the model as it was given
    params: dict[str, Any]  # those that were searched
    state: str
    scores: tuple[float, ...] = ()  # the metric on each inner split that was reached
    note: str = ""

    @property
    def value(self) -> float:
        """Mean over all inner splits; NaN unless the setting is complete.

        The mean over the first ones alone would not compare: some splits are easier than others.
        """
        return mean(self.scores) if self.state == COMPLETE else math.nan


def mean(scores: Iterable[float]) -> float:
    """Return the mean of what could be measured."""
    measured = [score for score in scores if not math.isnan(score)]
    return math.fsum(measured) / len(measured) if measured else math.nan


def ranked(trials: Iterable[Trial]) -> list[Trial]:
    """Return the complete trials, best first, the earlier of equals first."""
    complete = [trial for trial in trials if trial.state == COMPLETE]
    return sorted(complete, key=lambda trial: (-trial.value, trial.number))


def best_of(trials: Iterable[Trial], cautious: bool = False) -> Trial | None:
    """Return the complete trial of the highest value, the earliest of equals.

    The best of many is partly the luckiest. With `cautious` the model stays as it was given
    unless a setting clearly beats it.
    """
    complete = [trial for trial in trials if trial.state == COMPLETE]
    default = next((trial for trial in complete if trial.number == 0), None)
    if cautious and default is not None:
        complete = [default, *(trial for trial in complete if _clearly_better(trial, default))]
    return max(complete, key=lambda trial: (trial.value, -trial.number), default=None)


def _clearly_better(trial: Trial, default: Trial) -> bool:
    """Return whether the mean gain over the inner splits exceeds the sd of the gains."""
    pairs = zip(trial.scores, default.scores, strict=True)
    gains = [gain for a, b in pairs if not math.isnan(gain := a - b)]
    return len(gains) > 1 and statistics.mean(gains) > statistics.stdev(gains)


def floors_of(history: Sequence[Trial], inner: int, cautious: bool = False) -> Floors:
    """Return the medians of the complete trials after 1, 2, … inner splits, the last left out.

    After the last split nothing is left to be saved. As long as few are complete there is no floor.
    With `cautious` it is what the model's own parameters gave: below it nothing will be chosen.
    """
    complete = [trial for trial in history if trial.state == COMPLETE]
    if cautious:
        complete = [trial for trial in complete if trial.number == 0]
    if len(complete) < (1 if cautious else ENOUGH):
        return ()
    return tuple(
        statistics.median(mean(trial.scores[:reached]) for trial in complete)
        for reached in range(1, inner)
    )


def trial_from(noted: Mapping[str, Any], state: str) -> Trial:
    """Return a trial from what a journal holds of it; ValueError or the like for anything else."""
    number = noted["setting"]
    if not isinstance(number, int):  # JSON reads 1e999 as an infinite number
        raise ValueError(f"a setting has a whole number, got {number!r}")
    scores = tuple(math.nan if score is None else float(score) for score in noted["scores"])
    return Trial(number, dict(noted["params"]), state, scores, str(noted["note"]))


# ---------------------------------------------------------------------- where to look


@dataclass(frozen=True)
class SearchSpace:
    """What is searched for one model on one network, and the model's present parameters."""

    axes: Space
    own: Params
    network: Network

    @classmethod
    def of(cls, model: LinkPredictor, network: Network, fixed: Collection[str] = ()) -> SearchSpace:
        """Return where to search; no axes where there is nothing to tune."""
        axes, given = space_of(model, network, fixed), model.get_params()
        return cls(axes, {name: given[name] for name in axes}, network)

    def positions(self, params: Params) -> dict[str, float] | None:
        """Return parameters as numbers on their axes; None where one has no place there."""
        places = {k: axis.position(self.network, params[k]) for k, axis in self.axes.items()}
        located = {name: at for name, at in places.items() if at is not None}
        return located if len(located) == len(places) else None


@dataclass(frozen=True)
class Grid:
    """All combinations of some values, in random order; the model's own come first."""

    search_space: SearchSpace
    seed: int

    def most(self, trials: int) -> int:
        """Return the size of the grid, or `trials`."""
        return min(trials, 1 + len(self._others))

    def batch(self, history: Sequence[Trial], size: int) -> list[Params]:
        """Return the next ones in order."""
        every = [self.search_space.own, *self._others]
        return [dict(params) for params in every[len(history) : len(history) + size]]

    @cached_property
    def _others(self) -> list[Params]:
        """All combinations but the model's own."""
        default, position = self.search_space.own, self.search_space.positions
        grids = {name: axis.grid for name, axis in self.search_space.axes.items() if axis.grid}
        # The first axis changes fastest.
        combinations = product(*reversed(grids.values())) if grids else ()
        every = [
            {**default, **dict(zip(reversed(grids), one, strict=True))} for one in combinations
        ]
        order = np.random.default_rng([self.seed, len(every)]).permutation(len(every)).tolist()
        here = position(default)
        return [every[n] for n in order if here is None or position(every[n]) != here]


@dataclass(frozen=True)
class Tpe:
    """Settings near those that did well; the model's own come first, then random ones."""

    search_space: SearchSpace
    seed: int

    def most(self, trials: int) -> int:
        """Return `trials`: there is always something to try."""
        return trials

    def batch(self, history: Sequence[Trial], size: int) -> list[Params]:
        """Ask a fresh sampler that knows the history, in order."""
        first = [dict(self.search_space.own)] if not history else []
        entropy = np.random.SeedSequence([self.seed, len(history)])
        with quiet_optuna():
            from optuna.samplers import TPESampler

            sampler = TPESampler(
                seed=int(entropy.generate_state(1)[0]),
                n_startup_trials=_RANDOM_FIRST,
                multivariate=True,
                constant_liar=True,  # so that settings of one batch keep apart
            )
            study = optuna_study(self.search_space, history, sampler)
            axes = self.search_space.axes
            asked = [study.ask(distributions(axes)).params for _ in range(size - len(first))]
        return first + [{k: axis.inside(params[k]) for k, axis in axes.items()} for params in asked]


# ---------------------------------------------------------------------- optuna


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Keep what optuna logs, and its warnings about new features, from whoever uses linkprior."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from optuna import logging

        before = logging.get_verbosity()
        logging.set_verbosity(logging.ERROR)
        try:
            yield
        finally:
            logging.set_verbosity(before)


@quiet_optuna()
def optuna_study(space: SearchSpace, history: Sequence[Trial], sampler: Any = None) -> Study:
    """Return a study in memory that holds these trials; failed ones leave no trace."""
    import optuna
    from optuna.trial import TrialState, create_trial

    study = optuna.create_study(direction="maximize", sampler=sampler)
    for trial in history:
        at = space.positions(trial.params)
        if trial.state != FAILED and at is not None:
            reached = range(1, len(trial.scores) + 1)
            complete = trial.state == COMPLETE
            study.add_trial(
                create_trial(
                    state=TrialState.COMPLETE if complete else TrialState.PRUNED,
                    value=mean(trial.scores),
                    params=at,
                    distributions=distributions(space.axes),
                    intermediate_values={n: mean(trial.scores[:n]) for n in reached},
                )
            )
    return study


@quiet_optuna()
def importances(ranked: Sequence[Trial], points: Sequence[FrozenTrial]) -> dict[str, float]:
    """Return each parameter's share in what made settings differ (fANOVA), largest first.

    `ranked` are the complete trials, best first, and `points` those of them that have a place on
    every axis, as optuna has them. Empty where these are too few or alike.
    """
    if len(ranked) < ENOUGH_TO_TELL or len({trial.value for trial in ranked}) < 2:
        return {}
    import optuna
    from optuna.importance import FanovaImportanceEvaluator, get_param_importances

    study = optuna.create_study(direction="maximize")
    study.add_trials(points)
    try:
        shares = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))
    except (ImportError, ValueError, RuntimeError):
        return {}
    return {name: float(share) for name, share in shares.items()}


def distributions(axes: Space) -> dict[str, BaseDistribution]:
    """Return the axes as optuna has them."""
    from optuna.distributions import FloatDistribution, IntDistribution

    return {
        name: IntDistribution(int(axis.low), int(axis.high), log=axis.log)
        if axis.whole
        else FloatDistribution(axis.low, axis.high, log=axis.log)
        for name, axis in axes.items()
    }

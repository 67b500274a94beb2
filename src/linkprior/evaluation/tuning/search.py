"""Which settings to try next: a grid, or optuna's tree-structured Parzen estimator (TPE).

The n-th setting follows from the seed, n and the trials handed in, and from nothing else: a sampler
keeps no state. That is what lets a study that was killed end where it would have ended anyway.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from linkprior.evaluation.tuning.trials import COMPLETE, FAILED, Trial, mean
from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.spaces import Axis, Space

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

SAMPLERS = ("tpe", "grid")
_BY_LOT = 10  # settings that TPE draws at random before it begins to learn

Params = dict[str, Any]


class Sampler(Protocol):
    """Whatever chooses settings."""

    def most(self, trials: int) -> int:
        """Return how many settings there are to try, `trials` at most."""

    def batch(self, history: Sequence[Trial], size: int) -> list[Params]:
        """Return the next settings after those in `history`; a smaller batch is its beginning."""


@dataclass(frozen=True)
class SearchSpace:
    """What is searched for one model on one network, and where the model stands already."""

    axes: Space
    own: Params
    network: Network

    @classmethod
    def of(cls, model: LinkPredictor, axes: Space, network: Network) -> SearchSpace:
        """Take the model's own parameters as setting 0."""
        given = model.get_params()
        return cls(axes, {name: given[name] for name in axes}, network)

    def positions(self, params: Params) -> dict[str, float] | None:
        """Return parameters as numbers on their axes; None where one has no place there."""
        found = {k: axis.position(self.network, params[k]) for k, axis in self.axes.items()}
        known = {name: at for name, at in found.items() if at is not None}
        return known if len(known) == len(found) else None


@dataclass(frozen=True)
class Grid:
    """All combinations of some values, in an order drawn by lot; the model's own come first."""

    region: SearchSpace
    seed: int

    def most(self, trials: int) -> int:
        """Return the size of the grid, or `trials`."""
        return min(trials, 1 + len(self._order()))

    def batch(self, history: Sequence[Trial], size: int) -> list[Params]:
        """Return the next ones in order."""
        first = len(history)
        chosen = [self._at(int(n)) for n in self._order()[max(0, first - 1) : first + size - 1]]
        return [dict(self.region.own), *chosen] if first == 0 else chosen

    @property
    def _axes(self) -> dict[str, tuple[float, ...]]:
        return {name: axis.grid for name, axis in self.region.axes.items() if axis.grid}

    def _order(self) -> list[int]:
        """Return the numbers of all combinations but the model's own."""
        count = prod(len(values) for values in self._axes.values()) if self._axes else 0
        order = np.random.default_rng([self.seed, count]).permutation(count).tolist()
        own = self.region.positions(self.region.own)
        return [n for n in order if own is None or self.region.positions(self._at(n)) != own]

    def _at(self, number: int) -> Params:
        params = dict(self.region.own)
        for name, values in self._axes.items():
            number, digit = divmod(number, len(values))
            params[name] = values[digit]
        return params


@dataclass(frozen=True)
class Tpe:
    """Settings near those that did well; the model's own come first, then some by lot."""

    region: SearchSpace
    seed: int

    def most(self, trials: int) -> int:
        """Return `trials`: there is always something to try."""
        return trials

    def batch(self, history: Sequence[Trial], size: int) -> list[Params]:
        """Ask a fresh sampler that has been told the history, in order."""
        first = [dict(self.region.own)] if not history else []
        entropy = np.random.SeedSequence([self.seed, len(history)])
        with quiet_optuna():
            from optuna.samplers import TPESampler

            sampler = TPESampler(
                seed=int(entropy.generate_state(1)[0]),
                n_startup_trials=_BY_LOT,
                multivariate=True,
                constant_liar=True,  # so that settings of one batch keep apart
            )
            study = told(self.region, history, sampler)
            return first + [self._ask(study) for _ in range(size - len(first))]

    def _ask(self, study: Study) -> Params:
        asked = study.ask(distributions(self.region.axes)).params
        return {name: axis.inside(asked[name]) for name, axis in self.region.axes.items()}


def make_sampler(name: str, region: SearchSpace, seed: int) -> Sampler:
    """Return a sampler by name, one of `SAMPLERS`."""
    return Grid(region, seed) if name == "grid" else Tpe(region, seed)


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


def told(region: SearchSpace, history: Sequence[Trial], sampler: Any = None) -> Study:
    """Return a study in memory that has been told of trials; failed ones leave no trace."""
    import optuna

    study = optuna.create_study(direction="maximize", sampler=sampler)
    for trial in history:
        at = region.positions(trial.params)
        if trial.state != FAILED and at is not None:
            study.add_trial(_frozen(trial, at, distributions(region.axes)))
    return study


def _frozen(trial: Trial, at: dict[str, float], places: dict[str, BaseDistribution]) -> FrozenTrial:
    from optuna.trial import TrialState, create_trial

    steps = {n: mean(trial.scores[:n]) for n in range(1, len(trial.scores) + 1)}
    state = TrialState.COMPLETE if trial.state == COMPLETE else TrialState.PRUNED
    return create_trial(
        state=state,
        value=mean(trial.scores),
        params=at,
        distributions=places,
        intermediate_values=steps,
    )


def distributions(axes: Space) -> dict[str, BaseDistribution]:
    """Return the axes as optuna has them."""
    return {name: _distribution(axis) for name, axis in axes.items()}


def _distribution(axis: Axis) -> BaseDistribution:
    from optuna.distributions import FloatDistribution, IntDistribution

    if axis.whole:
        return IntDistribution(int(axis.low), int(axis.high), log=axis.log)
    return FloatDistribution(axis.low, axis.high, log=axis.log)

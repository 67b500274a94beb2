"""Choose a model's parameters on inner splits of the edges it may see.

found = lp.tune("tri-degree", net, trials=30, study="study")
found.best_params, found.best_value, found.model.fit(net)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior import _progress as progress
from linkprior._validation import choice, whole_number
from linkprior._version import __version__
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.evaluation.metrics import METRICS, refuse_unknown_metric
from linkprior.evaluation.ranks import HiddenEdgeRanks
from linkprior.evaluation.splits import RULES
from linkprior.evaluation.tuning.executor import EXECUTORS, Contest, Run, running
from linkprior.evaluation.tuning.result import Tuned
from linkprior.evaluation.tuning.search import SAMPLERS, Sampler, SearchSpace, make_sampler
from linkprior.evaluation.tuning.study import Memory, StudyFolder
from linkprior.evaluation.tuning.trials import Setting, Trial, best_of, floors_of
from linkprior.io.convert import as_network
from linkprior.io.source import as_path
from linkprior.network import Network
from linkprior.parallel import MOST_WORKERS
from linkprior.predictors import registry
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import effort_of
from linkprior.predictors.spaces import Space, space_of

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_METRIC = "auprc"
INNER = 3  # inner splits where no other number is asked for
# A time is never twice the same, and to agree with the degrees is no merit.
NOT_TO_TUNE = ("seconds", "peak_mb", "spearman_degree")


def tune(
    model: str | LinkPredictor,
    net: Any,
    trials: int = 30,
    *,
    metric: str = DEFAULT_METRIC,
    rule: str = "connected",
    sampler: str = "tpe",
    inner: int = INNER,
    seed: int = 0,
    study: str | Path | None = None,
    executor: str = "threads",
    workers: int = 1,
    prune: bool = True,
    cautious: bool = False,
    fixed: Collection[str] = (),
    cheaper: Mapping[str, Any] | None = None,
) -> Tuned:
    """Return the best of `trials` settings of a model, and all that were tried.

    Parameters
    ----------
    model
        A name or a predictor. Its own parameters are the first setting, so the best is never worse
        than they are on the inner splits. A predictor is copied, never fitted in place.
    net
        A network, or whatever `as_network` makes one of; all its edges may be used.
    trials
        Settings to try. A study that has as many already is only read.
    metric, rule
        What is compared, higher being better, and which pairs are candidates.
    sampler
        "tpe" learns from the settings tried before; "grid" walks a grid in an order drawn by lot,
        and ends with it.
    inner
        Inner splits, each hiding a tenth of the edges; a setting's value is the mean over them.
    seed
        Same seed, same settings and values.
    study
        A folder that keeps every setting tried. The same call goes on where the last one stopped,
        and ends with the same best wherever that was. Without it nothing is kept.
    executor, workers
        "threads" or "processes", and how many settings are tried at a time. They are chosen in
        batches of `workers`, so the settings depend on that number; not on the executor.
    prune
        Stop a setting early when its mean so far is below the median of those before it.
    cautious
        Keep the model's own parameters unless a setting beats them by more than one sd of the
        difference over the inner splits, two at least; with `prune`, stop a setting once it falls
        behind them.
    fixed
        Names of parameters that are left as the model has them.
    cheaper
        Parameters a model has only while it is being tried, where it has them at all: what buys
        precision with time, as ``{"n_starts": 2}`` does.
    """
    return Tuning(
        registry.make(model) if not isinstance(model, LinkPredictor) else model,
        as_network(net),
        trials,
        metric=metric,
        rule=rule,
        sampler=sampler,
        inner=inner,
        seed=seed,
        study=study,
        executor=executor,
        workers=workers,
        prune=prune,
        cautious=cautious,
        fixed=fixed,
        cheaper=cheaper or {},
    ).run()


@dataclass
class Tuning:
    """One search, from the first setting to the best. Parameters as in `tune`."""

    template: LinkPredictor
    network: Network
    trials: int
    metric: str = DEFAULT_METRIC
    rule: str = "connected"
    sampler: str = "tpe"
    inner: int = INNER
    seed: int = 0
    study: str | Path | None = None
    executor: str = "threads"
    workers: int = 1
    prune: bool = True
    cautious: bool = False
    fixed: Collection[str] = field(default_factory=tuple)
    cheaper: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot be done, before anything is written or fitted."""
        self.trials = whole_number("trials", self.trials, 1)
        self.inner = whole_number("inner", self.inner, 1)
        self.seed = whole_number("seed", self.seed, 0)
        self.workers = whole_number("workers", self.workers, 1, MOST_WORKERS)
        choice("rule", self.rule, RULES)
        choice("sampler", self.sampler, SAMPLERS)
        choice("executor", self.executor, EXECUTORS)
        _refuse_metric(self.metric)
        if self.cautious and self.inner < 2:
            raise ParameterError("cautious needs at least two inner splits to compare settings on")
        self.store: Memory = Memory()
        effort_of(self.template, self.network)  # refuses parameters out of range

    @cached_property
    def space(self) -> Space:
        """What is searched; empty where there is nothing to tune."""
        return space_of(self.template, self.network, self.fixed)

    @cached_property
    def contest(self) -> Contest:
        """What every setting goes through."""
        asked = (self.metric, self.rule, self.inner, self.seed)
        return Contest(self._with(self._cheaper()), self.network, *asked)

    @cached_property
    def region(self) -> SearchSpace:
        """What is searched, and where the model stands."""
        return SearchSpace.of(self.template, self.space, self.network)

    @property
    def effort(self) -> float:
        """Nominal work, were no setting stopped early and each as much as the model as it is."""
        work = effort_of(self.template, self.network)
        return self.trials * self.inner * (work.fit + 3.0 * work.scores)

    def run(self) -> Tuned:
        """Try the settings that are left, and return the best."""
        if not self.space:
            return self._found([])
        self.refuse_empty_splits()
        with self._store() as self.store:
            sampler = make_sampler(self.sampler, self.region, self.seed)
            total = sampler.most(self.trials)
            with progress.stage(f"tuning {self.template.name}", total) as stage:
                stage.advance(len(self.store.trials))
                with running(self.contest, self.executor, self.workers) as run:
                    for first in range(0, total, self.workers):
                        self._batch(sampler, run, first, total)
            found = self._found(self._tried())
            self.store.conclude(self._conclusion(found))
        return found

    def _store(self) -> Memory:
        if self.study is None:
            return Memory()
        return StudyFolder(as_path(self.study), self.question(), self.region)

    def _tried(self) -> list[Trial]:
        return [self.store.trials[number] for number in sorted(self.store.trials)]

    def _batch(self, sampler: Sampler, run: Run, first: int, total: int) -> None:
        """Try the settings of one batch that have not been tried yet.

        All of it follows from the trials before the batch, so that it is the same batch when part
        of it was tried by a process that is gone.
        """
        last = min(first + self.workers, total)
        missing = [n for n in range(first, last) if n not in self.store.trials]
        if not missing:
            return
        history = [self.store.trials[number] for number in range(first)]
        params = sampler.batch(history, last - first)
        floors = floors_of(history, self.inner, self.cautious) if self.prune else ()
        settings = [Setting(n, params[n - first], floors) for n in missing]
        with progress.part(len(settings), self._progress(total)):
            for trial in self._try(settings, history, run):
                self.store.finish(trial)

    def _try(
        self, settings: Sequence[Setting], history: Sequence[Trial], run: Run
    ) -> Iterator[Trial]:
        """Yield a trial for each setting; what was tried before is not fitted again."""
        for setting in settings:
            self.store.begin(setting)
        before = {_key(trial.params): trial for trial in reversed(history)}
        new = []
        for setting in settings:
            known = before.get(_key(setting.params))
            if known is None:
                new.append(setting)
            else:
                progress.part(1.0).end()
                yield Trial(
                    setting.number, dict(setting.params), known.state, known.scores, known.note
                )
        yield from run(new)

    def _progress(self, total: int) -> str:
        done, best = len(self.store.trials), best_of(self.store.trials.values(), self.cautious)
        so_far = "" if best is None else f"best {self.metric} {best.value:.4g} after "
        return f"tuning {self.template.name}: {so_far}{done} of {total}"

    def _found(self, tried: list[Trial]) -> Tuned:
        best = best_of(tried, self.cautious)
        if tried and best is None:
            raise LinkpriorError(
                f"none of {len(tried)} settings of {self.template.name} could be fitted; the "
                f"model's own parameters: {tried[0].note}"
            )
        params = dict(best.params) if best else {}
        value = best.value if best else math.nan
        return Tuned(self._with(params), params, value, tried, self.metric, self.region)

    def _with(self, params: Mapping[str, Any]) -> LinkPredictor:
        """Return a fresh model with other parameters."""
        return type(self.template)(**{**self.template.get_params(), **params})

    def _cheaper(self) -> dict[str, Any]:
        known = self.template.parameter_names()
        return {name: value for name, value in self.cheaper.items() if name in known}

    def question(self) -> dict[str, Any]:
        """Return all that the trials depend on, for the folder of a study."""
        import optuna

        return {
            "linkprior": __version__,
            "optuna": optuna.__version__,
            "model": self.template.name,
            "params": self.template.get_params(),
            "searched": {name: [axis.low, axis.high] for name, axis in self.space.items()},
            "network": self.network.digest,
            "nodes": self.network.n_nodes,
            "edges": self.network.n_edges,
            "metric": self.metric,
            "rule": self.rule,
            "inner": self.inner,
            "sampler": self.sampler,
            "seed": self.seed,
            "workers": self.workers,
            "prune": self.prune,
            "cautious": self.cautious,
            "cheaper": self._cheaper(),
        }

    def _conclusion(self, found: Tuned) -> dict[str, Any]:
        return {
            "linkprior": __version__,
            "model": self.template.name,
            "network": self.network.digest,
            "metric": self.metric,
            "value": found.best_value,
            "best_params": found.best_params,
            "params": found.model.get_params(),
            "trials": len(found.trials),
        }

    def refuse_empty_splits(self) -> None:
        """Raise an error where the inner splits leave nothing to find or to measure."""
        try:
            cases = self.contest.splits
        except LinkpriorError as problem:
            raise type(problem)(f"tuning hides a tenth of the training edges: {problem}") from None
        by_chance = (METRICS[self.metric](HiddenEdgeRanks.of_random(split)) for split in cases)
        if all(math.isnan(value) for value in by_chance):
            raise ParameterError(
                f"{self.metric} has nothing to measure on any inner split of this network; "
                f"choose another metric, such as {DEFAULT_METRIC}"
            )


def _refuse_metric(name: str) -> None:
    refuse_unknown_metric(name)
    if name in NOT_TO_TUNE:
        known = [metric for metric in METRICS if metric not in NOT_TO_TUNE]
        raise ParameterError(
            f"{name} is not to be tuned for: more of it is not better. Choose one of "
            f"{', '.join(known)}"
        )


def _key(params: Mapping[str, Any]) -> str:
    return repr(sorted(params.items()))

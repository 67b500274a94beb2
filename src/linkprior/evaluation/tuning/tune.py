"""Choose a model's parameters on inner splits of the edges it may see."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior import _html as html
from linkprior import _progress as progress
from linkprior._validation import choice, whole_number
from linkprior._version import __version__
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.evaluation.metrics import METRICS, refuse_unknown_metric
from linkprior.evaluation.ranks import HiddenEdgeRanks
from linkprior.evaluation.splits import RULES
from linkprior.evaluation.store import plain_numbers
from linkprior.evaluation.tuning.executor import EXECUTORS, Objective, Run, running
from linkprior.evaluation.tuning.search import (
    FAILED,
    SAMPLERS,
    Grid,
    SearchSpace,
    Setting,
    Tpe,
    Trial,
    best_of,
    floors_of,
    importances,
    optuna_study,
    ranked,
)
from linkprior.evaluation.tuning.study import StudyFolder, Trials
from linkprior.io.convert import as_network
from linkprior.io.source import as_path
from linkprior.network import Network
from linkprior.parallel import MOST_WORKERS
from linkprior.predictors import registry
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import cost_of
from linkprior.predictors.meta import as_predictor
from linkprior.predictors.spaces import searched

if TYPE_CHECKING:
    import pandas as pd


DEFAULT_METRIC = "auprc"
INNER = 3  # inner splits where no other number is asked for
_ASKED = ("metric", "rule", "inner", "sampler", "seed", "workers", "prune", "cautious")
# A time is never twice the same, and to agree with the degrees is not a merit.
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
) -> TuningResult:
    """Return the best of `trials` settings of a model, and all that were tried.

    Parameters
    ----------
    model : str or LinkPredictor
        A name or a predictor. Its own parameters are the first setting, so the best is never worse
        than they are on the inner splits. A predictor is copied, never fitted in place.
    net : Network
        A network, or anything `as_network` converts to one; all its edges may be used.
    trials : int
        Settings to try. A study that has as many already is only read.
    metric, rule : str
        What is compared, higher being better, and which pairs are candidates.
    sampler : {"tpe", "grid"}
        "tpe" learns from the settings tried before; "grid" walks a grid in random order, and ends
        with it.
    inner : int
        Inner splits, each hiding a tenth of the edges; a setting's value is the mean over them.
    seed : int
        Same seed, same settings and values.
    study : str or Path, optional
        A folder that stores every setting tried. The same call resumes where the last one stopped,
        and ends with the same best wherever that was.
    executor, workers : str, int
        "threads" or "processes", and how many settings are tried at a time. They are chosen in
        batches of `workers`, so the settings depend on that number; not on the executor.
    prune : bool
        Stop a setting early when its mean so far is below the median of those before it.
    cautious : bool
        Keep the model's own parameters unless a setting beats them by more than one sd of the
        difference over the inner splits, two at least; with `prune`, stop a setting once it falls
        behind them.
    fixed : collection of str
        Names of parameters that are left as the model has them.
    cheaper : mapping, optional
        Parameters a model has only while it is being tried, where it has them at all: what buys
        precision with time, as ``{"n_starts": 2}`` does.

    Returns
    -------
    TuningResult
        The best parameters, a fresh model that has them, and every trial.

    Examples
    --------
    >>> import linkprior as lp
    >>> result = lp.tune("katz", lp.planted_network(60, seed=0), trials=3, sampler="grid")
    >>> list(result.best_params), len(result.trials)
    (['beta'], 3)
    """
    template = registry.make(model) if isinstance(model, str) else as_predictor(model)
    asked = metric, rule, sampler, inner, seed, study, executor, workers, prune, cautious, fixed
    return Tuning(template, as_network(net), trials, *asked, cheaper or {}).run()


@dataclass
class Tuning:
    """One search, from the first setting to the best. Parameters as in `tune`, in its order."""

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
        refuse_unknown_metric(self.metric)
        if self.metric in NOT_TO_TUNE:
            others = ", ".join(metric for metric in METRICS if metric not in NOT_TO_TUNE)
            raise ParameterError(
                f"{self.metric} cannot be tuned for: higher is not better. Choose one of {others}"
            )
        if self.cautious and self.inner < 2:
            raise ParameterError("cautious needs at least two inner splits to compare settings on")
        self.store = Trials()
        cost_of(self.template, self.network)  # refuses parameters out of range

    @cached_property
    def objective(self) -> Objective:
        """What every setting is tried on."""
        asked = (self.metric, self.rule, self.inner, self.seed)
        return Objective(self._with(self._cheaper()), self.network, *asked)

    @cached_property
    def search_space(self) -> SearchSpace:
        """What is searched, and the model's own parameters in it; no axes: nothing to tune."""
        return SearchSpace.of(self.template, self.network, self.fixed)

    @property
    def cost(self) -> float:
        """Nominal work, were no setting stopped early and each as much as the model as it is."""
        work = cost_of(self.template, self.network)
        return self.trials * self.inner * (work.fit + 3.0 * work.scores)

    def run(self) -> TuningResult:
        """Try the settings that are left, and return the best."""
        if not self.search_space.axes:
            return self._result([])
        self.refuse_empty_splits()
        if self.study is not None:
            self.store = StudyFolder(as_path(self.study), self.question(), self.search_space)
        with self.store:
            sampler = (Grid if self.sampler == "grid" else Tpe)(self.search_space, self.seed)
            total = sampler.most(self.trials)
            with progress.stage(f"tuning {self.template.name}", total) as stage:
                stage.advance(len(self.store.trials))
                with running(self.objective, self.executor, self.workers) as run:
                    for first in range(0, total, self.workers):
                        self._batch(sampler, run, first, total)
            result = self._result([self.store.trials[n] for n in sorted(self.store.trials)])
            self.store.conclude(
                {
                    "linkprior": __version__,
                    "model": self.template.name,
                    "network": self.network.digest,
                    "metric": self.metric,
                    "value": result.best_value,
                    "best_params": result.best_params,
                    "params": result.model.get_params(),
                    "trials": len(result.trials),
                }
            )
        return result

    def _batch(self, sampler: Grid | Tpe, run: Run, first: int, total: int) -> None:
        """Try the settings of one batch that have not been tried yet.

        All of it follows from the trials before the batch, so that it is the same batch when part
        of it was tried by a process that is gone. What was tried before is not fitted again.
        """
        last = min(first + self.workers, total)
        missing = [n for n in range(first, last) if n not in self.store.trials]
        if not missing:
            return
        history = [self.store.trials[number] for number in range(first)]
        params = sampler.batch(history, last - first)
        floors = floors_of(history, self.inner, self.cautious) if self.prune else ()
        settings = [Setting(n, params[n - first], floors) for n in missing]
        before = {_key(trial.params): trial for trial in reversed(history)}
        done, best = len(self.store.trials), best_of(self.store.trials.values(), self.cautious)
        so_far = "" if best is None else f"best {self.metric} {best.value:.4g} after "
        label = f"tuning {self.template.name}: {so_far}{done} of {total}"
        with progress.part(len(settings), label):
            for setting in settings:
                self.store.begin(setting)
            for setting in settings:
                same = before.get(_key(setting.params))
                if same is not None:
                    progress.part(1.0).end()
                    again = replace(same, number=setting.number, params=dict(setting.params))
                    self.store.finish(again)
            for trial in run([one for one in settings if _key(one.params) not in before]):
                self.store.finish(trial)

    def _result(self, tried: list[Trial]) -> TuningResult:
        best = best_of(tried, self.cautious)
        if tried and best is None:
            raise LinkpriorError(
                f"none of {len(tried)} settings of {self.template.name} could be fitted; the "
                f"model's own parameters: {tried[0].note}"
            )
        params, value = (dict(best.params), best.value) if best else ({}, math.nan)
        outcome = params, value, tried, self.metric, self.search_space
        return TuningResult(self._with(params), *outcome)

    def _with(self, params: Mapping[str, Any]) -> LinkPredictor:
        """Return a fresh model with other parameters."""
        return type(self.template)(**{**self.template.get_params(), **params})

    def _cheaper(self) -> dict[str, Any]:
        parameters = self.template.parameter_names()
        return {name: value for name, value in self.cheaper.items() if name in parameters}

    def question(self) -> dict[str, Any]:
        """Return all that the trials depend on, for the folder of a study."""
        import optuna

        return {
            "linkprior": __version__,
            "optuna": optuna.__version__,
            "model": self.template.name,
            "params": self.template.get_params(),
            "searched": {k: [axis.low, axis.high] for k, axis in self.search_space.axes.items()},
            "network": self.network.digest,
            "nodes": self.network.n_nodes,
            "edges": self.network.n_edges,
            **{name: getattr(self, name) for name in _ASKED},
            "cheaper": self._cheaper(),
        }

    def refuse_empty_splits(self) -> None:
        """Raise an error where the inner splits leave nothing to find or to measure."""
        try:
            splits = self.objective.splits
        except LinkpriorError as problem:
            raise type(problem)(f"tuning hides a tenth of the training edges: {problem}") from None
        random = (METRICS[self.metric](HiddenEdgeRanks.of_random(split)) for split in splits)
        if all(math.isnan(value) for value in random):
            raise ParameterError(
                f"{self.metric} has nothing to measure on any inner split of this network; "
                f"choose another metric, such as {DEFAULT_METRIC}"
            )


@dataclass(frozen=True)
class TuningResult:
    """The outcome of a search.

    Attributes
    ----------
    model : LinkPredictor
        A fresh model with the best parameters, not fitted.
    best_params : dict
        The parameters that were searched, at their best; empty where there is nothing to tune.
    best_value : float
        Mean of the metric over the inner splits; NaN where nothing was tried. It is the best of
        many and therefore flatters: evaluate the model on other edges.
    trials : list of Trial
        All settings in order; the first is the model as it was given.

    Examples
    --------
    >>> import linkprior as lp
    >>> found = lp.tune("lrw", lp.planted_network(60, seed=0), trials=2, seed=1)
    >>> found.best_value >= found.default_value
    True
    """

    model: LinkPredictor
    best_params: dict[str, Any]
    best_value: float
    trials: list[Trial]
    metric: str
    search_space: SearchSpace = field(repr=False)

    @property
    def default_value(self) -> float:
        """What the model's own parameters gave; NaN where they failed."""
        return self.trials[0].value if self.trials else math.nan

    @property
    def stays(self) -> bool:
        """Whether no setting beat the model's own parameters."""
        return not self.trials or self.best_params == self.trials[0].params

    def facts(self) -> dict[str, Any]:
        """Return what was chosen, and what it is worth, as JSON has it.

        Returns
        -------
        dict
            Trials, metric, value by default and at best, best parameters.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.tune("lrw", lp.planted_network(60, seed=0), trials=2).facts()["trials"]
        2
        """
        values = {"default_value": self.default_value, "best_value": self.best_value}
        return {
            "trials": len(self.trials),
            "metric": self.metric,
            **plain_numbers(values),
            "best_params": dict(self.best_params),
        }

    @property
    def ranked(self) -> list[Trial]:
        """Complete settings, best first, the earlier of equals first."""
        return ranked(self.trials)

    def to_frame(self) -> pd.DataFrame:
        """Return all trials as a data frame.

        Returns
        -------
        pandas.DataFrame
            One row per setting: number, state, inner splits reached, value, parameters, note.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.tune("lrw", lp.planted_network(60, seed=0), trials=2).to_frame()["setting"].tolist()
        [0, 1]
        """
        import pandas as pd

        axes = self.search_space.axes
        rows = [
            [t.number, t.state, len(t.scores), t.value, *map(t.params.get, axes), t.note]
            for t in self.trials
        ]
        names = ["setting", "state", "reached", "value", *axes, "note"]
        return pd.DataFrame(rows, columns=names)

    def importances(self) -> dict[str, float]:
        """Return each parameter's share in what made settings differ (fANOVA), largest first.

        Returns
        -------
        dict
            Empty where too few settings are complete, where none differ, or without scikit-learn.

        Examples
        --------
        >>> import linkprior as lp
        >>> lp.tune("lrw", lp.planted_network(60, seed=0), trials=2).importances()
        {}
        """
        return importances(self.ranked, optuna_study(self.search_space, self.ranked).trials)

    def _repr_html_(self) -> str:
        names = list(self.search_space.axes)
        rows = [[t.number, t.value, *(t.params[n] for n in names)] for t in self.ranked[:10]]
        failed = sum(trial.state == FAILED for trial in self.trials)
        counts = html.facts(
            [("settings tried", len(self.trials)), ("failed", failed), ("best", self.best_value)]
        )
        title = f"Tuning of {type(self.model).name} by {self.metric}"
        return html.card(title, html.table(["setting", self.metric, *names], rows), counts)


def refuse_untunable(
    model: LinkPredictor, given: Collection[str] = (), option: str = "tune", spelled: str = "{}"
) -> None:
    """Raise an error where a model has nothing to tune, or is given what would be searched."""
    axes = searched(model)
    if not axes:
        raise ParameterError(
            f"{type(model).name} has no parameter to tune: leave {option} out, or choose another "
            f"model: {', '.join(registry.tunable())}, or degree:NAME"
        )
    both = [name for name in axes if name in given]
    if both:
        named = ", ".join(spelled.format(name) for name in both)
        raise ParameterError(f"{option} searches {', '.join(both)}: leave out {named}, or {option}")
    if model.fitted:
        raise ParameterError(
            f"{option} searches the parameters of a model, and {model!r} is fitted already: give "
            "one that is not fitted"
        )


def _key(params: Mapping[str, Any]) -> str:
    return repr(sorted(params.items()))

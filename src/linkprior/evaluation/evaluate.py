"""Evaluate models on the same splits of one network, every finished cell stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import whole_number
from linkprior.errors import ParameterError, refuse_unknown
from linkprior.evaluation.metrics import curve, measure, measure_random, refuse_unknown_metric
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.ranks import HiddenEdgeRanks, rank_hidden_edges
from linkprior.evaluation.results import Evaluation
from linkprior.evaluation.splits import Split, split_digest
from linkprior.evaluation.store import BASELINE, Cell, CellStore
from linkprior.evaluation.tuning.tune import DEFAULT_METRIC, INNER, Tuning
from linkprior.io.convert import as_network
from linkprior.io.source import as_path
from linkprior.kernels import seconds_compiling
from linkprior.machine import peak_memory, reset_peak_memory
from linkprior.network import Network
from linkprior.predictors import registry
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import Cost, cost_of
from linkprior.predictors.meta import as_predictor

Models = str | LinkPredictor | Iterable[str | LinkPredictor] | Mapping[str, str | LinkPredictor]
Change = Callable[[LinkPredictor, Split], LinkPredictor]

_COUNTS = ("outside", "unconnected", "unknown", "new_nodes")
_TUNE_OPTIONS = ["rule", "inner", "sampler", "prune", "cautious", "cheaper", "fixed"]


def evaluate(
    models: Models,
    net: Any,
    protocol: str = "uniform:0.9",
    rule: str = "connected",
    repeats: int = 1,
    seed: int = 0,
    newer: Network | None = None,
    *,
    folds: Sequence[int] | None = None,
    null: str = "none",
    noise: float = 0.0,
    ablations: bool = False,
    tune: int = 0,
    tune_metric: str = DEFAULT_METRIC,
    tune_options: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
) -> Evaluation:
    """Fit every model on every split and rank the hidden edges among all candidates.

    Parameters
    ----------
    models : str, LinkPredictor, iterable or mapping of these
        Names or predictors, or these by labels of your own (a mapping). Any object with ``fit`` and
        ``score_pairs`` or ``predict`` will do. Predictors are copied, never fitted in place.
    net : Network
        A network, or anything `as_network` converts to one.
    protocol : str
        How edges are hidden: ``uniform:0.9``, ``over:0.9``, ``under:0.9``, ``biased:RATE:FACTOR``,
        ``kfold:10``, ``release:NEWER_EDGES`` or ``split:FILE``.
    rule : {"connected", "all-nodes"}
        Which pairs are candidates: those of nodes that keep an edge in training, or all.
    repeats : int
        Splits with seeds seed, seed + 1, …; for ``kfold`` so many shuffles of all folds.
    seed : int
        Same seed, same splits.
    newer : Network, optional
        The newer release, where it has been read already.
    folds : sequence of int, optional
        Folds to run; all by default.
    null : {"none", "rewired"}
        "rewired" exchanges the ends of edges first, so that only degrees stay as they were.
    noise : float
        Share of the training edges replaced by random pairs.
    ablations : bool
        Also evaluate every model with a degree prior without it, with the degrees of other nodes,
        and with the true degrees.
    tune, tune_metric : int, str
        Settings each model may try on inner splits of each training network, and what is compared.
    tune_options : mapping, optional
        More for `linkprior.tune`: `rule` (by default that of the splits), `inner`, `sampler`,
        `prune`, `cautious`, `cheaper` (parameters while trying, or such by the label of a model),
        and `fixed` (names of parameters, or such names by label or model).
    folder : str or Path, optional
        Stores every finished cell, and the splits; the same call resumes where it was stopped.

    Returns
    -------
    Evaluation
        Every metric of every model on every split, and of the random baseline.

    Examples
    --------
    >>> import linkprior as lp
    >>> found = lp.evaluate(["l3", "pa"], lp.planted_network(60, seed=0), "kfold:5", folds=[0, 1])
    >>> found.models, found.splits
    (['l3', 'pa'], ['kfold:5 fold 0 seed 0', 'kfold:5 fold 1 seed 0'])
    """
    network = as_network(net)
    specs = model_specs(models, ablations)
    plan = Plan(protocol, rule, repeats, folds, seed, null, noise, newer)
    trials = whole_number("tune", tune, 0)
    refuse_unknown_metric(tune_metric)
    refuse_unknown("tune_options", tune_options or {}, _TUNE_OPTIONS)
    splits = plan.make(network)
    search = {"metric": tune_metric, "seed": seed, **(tune_options or {})}
    facts = _facts(network, plan, splits, specs, {"trials": trials, **search} if trials else None)
    with CellStore(None if folder is None else as_path(folder), network, facts["plan"]) as store:
        for split in splits:
            store.publish(split)
        jobs = [spec.job(split, trials, search) for split in splits for spec in specs]
        cells = _cells(jobs, store)
    baseline = [
        Cell(BASELINE, one.label, measure_random(one), curve(HiddenEdgeRanks.of_random(one)))
        for one in splits
    ]
    return Evaluation(cells, baseline, facts)


def _cells(jobs: list[CellJob], store: CellStore) -> list[Cell]:
    """Return all cells, computing those that are missing; each is stored as soon as it is there."""
    cells: dict[int, Cell] = {}
    with progress.stage("evaluating", sum(job.units for job in jobs)):
        for n, job in enumerate(jobs):
            stored = store.find(job.label, job.split, job.asked)
            if stored is not None:
                job.skip()
                cells[n] = stored
        missing = [n for n in range(len(jobs)) if n not in cells]
        for at, cell in parallel.map_as_they_end(lambda n: jobs[n].cell(), missing):
            job = jobs[missing[at]]
            store.save(cell, job.split, job.asked)
            if parallel.current_engine() is not None:
                job.skip()
            cells[missing[at]] = cell
    return [cells[n] for n in range(len(jobs))]


def _facts(
    net: Network,
    plan: Plan,
    splits: list[Split],
    specs: list[ModelSpec],
    tune: dict[str, Any] | None,
) -> dict[str, Any]:
    asked = {name: getattr(plan, name) for name in plan.__dataclass_fields__ if name != "newer"}
    return {
        "plan": asked,
        "protocol": plan.protocol,
        "rule": splits[0].rule,  # a split from a file has its own
        "seed": plan.seed,
        "tune": tune,
        "network": {"nodes": net.n_nodes, "edges": net.n_edges, "digest": net.digest},
        "splits": [
            {
                "label": split.label,
                "digest": split_digest(split),
                "hidden": len(split.hidden),
                **{name: getattr(split, name) for name in _COUNTS},
                "training_edges": split.train.n_edges,
                "pairs": split.n_pairs,
            }
            for split in splits
        ],
        "models": {spec.label: spec.template.get_params() for spec in specs},
    }


# ---------------------------------------------------------------------- one cell


def evaluate_cell(label: str, model: LinkPredictor, split: Split, work: Cost | None = None) -> Cell:
    """Fit a model on the training network of a split and measure how it ranks the hidden edges.

    `seconds` are those of fitting and of scoring all pairs once, without compiling kernels.
    """
    work = cost_of(model, split.train) if work is None else work
    reset_peak_memory()
    began, ended, compiling = time.perf_counter(), [], seconds_compiling()
    with progress.part(work.fit):
        model.fit(split.train)

    def scored() -> None:
        ended.append(time.perf_counter() - (seconds_compiling() - compiling))

    ranks = rank_hidden_edges(model, split, scored)
    values = {**measure(ranks), "seconds": ended[0] - began, "peak_mb": peak_memory() / 1e6}
    return Cell(label, split.label, values, curve(ranks), model.get_params())


@dataclass(frozen=True)
class CellJob:
    """One model to be tuned, fitted and evaluated on one split."""

    label: str
    model: LinkPredictor
    split: Split
    trials: int = 0
    search: Mapping[str, Any] = field(default_factory=dict)  # options of the tuning
    asked_params: Mapping[str, Any] = field(default_factory=dict)  # those the cell is known by

    @property
    def asked(self) -> dict[str, Any]:
        """What the outcome depends on, besides the split."""
        search = dict(self.search) if self.trials else {}
        return {"params": self.asked_params, "trials": self.trials, "search": search}

    @cached_property
    def work(self) -> Cost:
        """Nominal work of a fit and of scoring all pairs."""
        return cost_of(self.model, self.split.train)

    @property
    def inner(self) -> int:
        """Inner splits a setting is tried on."""
        return whole_number("inner", self.search.get("inner", INNER), 1)

    @property
    def units(self) -> float:
        """Work of the cell; a trial of the tuning is a cell on each inner split."""
        return (1 + self.inner * self.trials) * (self.work.fit + 3.0 * self.work.scores)

    def skip(self) -> None:
        """Count the work of the cell as done."""
        progress.part(self.units, f"evaluating {self.label}").end()

    def cell(self) -> Cell:
        """Return the cell, computed."""
        with progress.part(self.units, f"evaluating {self.label}"):
            return self.run()[0]

    def run(self) -> tuple[Cell, LinkPredictor]:
        """Return the cell and the fitted model."""
        model = type(self.model)(**self.model.get_params())
        with progress.stage(total=1 + self.inner * self.trials):
            if self.trials:
                parameters = model.parameter_names()  # an ablation may have fewer than the model
                fixed = [name for name in self.search.get("fixed", ()) if name in parameters]
                search = {"rule": self.split.rule, **self.search, "fixed": fixed}
                with progress.part(self.inner * self.trials):
                    model = Tuning(model, self.split.train, self.trials, **search).run().model
            with progress.part(1), progress.stage(total=self.work.fit + 3.0 * self.work.scores):
                return evaluate_cell(self.label, model, self.split, self.work), model


# ---------------------------------------------------------------------- models and ablations


@dataclass(frozen=True)
class ModelSpec:
    """A model to be evaluated: a template, and for an ablation what is changed for each split."""

    label: str
    template: LinkPredictor
    change: Change | None = None

    def make(self, split: Split) -> LinkPredictor:
        """Return a fresh model for a split."""
        fresh = type(self.template)(**self.template.get_params())
        return fresh if self.change is None else self.change(fresh, split)

    def job(self, split: Split, trials: int, search: Mapping[str, Any]) -> CellJob:
        """Return the cell of a split to be computed, with its own share of the tuning options."""
        model, options = self.make(split), dict(search)
        names = options.get("fixed", ())
        if isinstance(names, Mapping):
            names = names.get(self.label, names.get(self.template.name, ()))
        options["fixed"] = [names] if isinstance(names, str) else list(names)
        if "cheaper" in options:  # what is given under its label, else what is given for all
            given = dict(options["cheaper"] or {})
            common = {k: v for k, v in given.items() if not isinstance(v, Mapping)}
            tuned = given.get(self.label)
            options["cheaper"] = dict(tuned) if isinstance(tuned, Mapping) else common
        params = self.template.get_params()
        return CellJob(self.label, model, split, trials, options, params)


def model_specs(models: Models, ablations: bool = False) -> list[ModelSpec]:
    """Return models under their names or given labels; two of one kind show how they differ."""
    specs: dict[str, ModelSpec] = {}
    for name, given in _labelled(models):
        model = registry.make(given) if isinstance(given, str) else as_predictor(given)
        label = model.name if name is None else name
        if label in specs and name is None:
            usual = {k: shorten(repr(v), 40) for k, v in type(model)().get_params().items()}
            shown = {k: shorten(repr(v), 40) for k, v in model.get_params().items()}
            changed = (f"{k}={v}" for k, v in shown.items() if v != usual[k])
            label = f"{label}({', '.join(changed)})"
        if label in specs:
            raise ParameterError(f"the model {label} is given twice")
        specs[label] = ModelSpec(label, model)
        if ablations and "degrees" in model.parameter_names():
            specs |= {
                f"{label}[{name}]": ModelSpec(f"{label}[{name}]", model, change)
                for name, change in ABLATIONS.items()
            }
    if not specs:
        raise ParameterError("no model is given: name at least one, such as tri-degree")
    return list(specs.values())


def _labelled(models: Any) -> list[tuple[str | None, Any]]:
    """Return each model with its label, where it has one."""
    if isinstance(models, Mapping):
        return [(str(label), model) for label, model in models.items()]
    if isinstance(models, str) or hasattr(models, "fit"):
        return [(None, models)]
    try:
        return [(None, model) for model in models]
    except TypeError:
        raise ParameterError(
            f"models must be names or predictors, got {type(models).__name__}"
        ) from None


def _true_degrees(model: LinkPredictor, split: Split) -> LinkPredictor:
    """Give the degrees with the hidden edges: what a perfect estimate would be worth."""
    edges = np.concatenate([split.train.edges, split.hidden])
    whole = Network.from_indices(edges, split.train.names)
    return model.set_params(degrees=whole.degrees.tolist())


ABLATIONS: dict[str, Change] = {
    "prior off": lambda model, split: model.without_prior(),
    "shuffled degrees": lambda model, split: model.set_params(degrees="shuffled"),
    "true degrees": _true_degrees,
}

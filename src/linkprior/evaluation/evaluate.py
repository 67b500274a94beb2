"""Judge models on the same splits of one network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._validation import whole_number
from linkprior.errors import refuse_unknown
from linkprior.evaluation.cells import CellStore
from linkprior.evaluation.judge import Cell, chance, judge
from linkprior.evaluation.metrics import refuse_unknown_metric
from linkprior.evaluation.model_spec import Models, ModelSpec, contenders
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.results import Evaluation
from linkprior.evaluation.split_files import split_digest
from linkprior.evaluation.splits import Split
from linkprior.evaluation.tuning.tune import DEFAULT_METRIC, INNER, Tuning
from linkprior.io.atomic_files import as_path
from linkprior.io.convert import as_network
from linkprior.network import Network
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import Effort, effort_of


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
    models
        Names or predictors, or these by labels of your own (a mapping); predictors are copied,
        never fitted in place.
    net
        A network, or whatever `as_network` makes one of.
    protocol, rule, repeats, seed, newer, folds, null, noise
        How the network is split: see `linkprior.evaluation.protocols.Plan`.
    ablations
        Also judge every model with a degree prior without it, with the degrees of other nodes,
        and with the true degrees.
    tune, tune_metric
        Settings each model may try on inner splits of each training network, and what is compared.
    tune_options
        More for `linkprior.tune`: `rule` (by default that of the splits), `inner`, `sampler`,
        `prune`, `cautious`, `cheaper` (parameters while trying, or such by the label of a model),
        and `fixed` (names of parameters, or such names by label or model).
    folder
        Keeps every finished cell, and the splits; the same call goes on where it was stopped.
    """
    network = as_network(net)
    chosen = contenders(models, ablations)
    plan = Plan(protocol, rule, repeats, folds, seed, null, noise, newer)
    budget = whole_number("tune", tune, 0)
    refuse_unknown_metric(tune_metric)
    refuse_unknown("tune_options", tune_options or {}, _TUNE_OPTIONS)
    cases = plan.make(network)
    search = {"metric": tune_metric, "seed": seed, **(tune_options or {})}
    facts = _facts(network, plan, cases, chosen, {"trials": budget, **search} if budget else None)
    with CellStore(None if folder is None else as_path(folder), network, facts["plan"]) as store:
        for split in cases:
            store.publish(split)
        jobs = [_Job(one, split, budget, search) for split in cases for one in chosen]
        with progress.stage("evaluating", sum(job.units for job in jobs)):
            cells = _filled(jobs, store)
    return Evaluation(cells, [chance(split) for split in cases], facts)


_TUNE_OPTIONS = ["rule", "inner", "sampler", "prune", "cautious", "cheaper", "fixed"]


class _Job:
    """One cell to be filled."""

    def __init__(
        self, contender: ModelSpec, split: Split, tune: int, search: Mapping[str, Any]
    ) -> None:
        self.contender, self.split, self.tune, self.search = contender, split, tune, search
        self.inner = whole_number("inner", search.get("inner", INNER), 1)
        fixed = search.get("fixed", ())
        if isinstance(fixed, Mapping):
            fixed = fixed.get(contender.label, fixed.get(contender.template.name, ()))
        self.fixed = [fixed] if isinstance(fixed, str) else list(fixed)
        if "cheaper" in search:
            self.search = {**search, "cheaper": _own_cheaper(contender.label, search)}
        self.work: Effort = effort_of(contender.make(split), split.train)

    @property
    def units(self) -> float:
        """Work of the cell; a trial of the tuning is a cell on each inner split."""
        return (1 + self.inner * self.tune) * (self.work.fit + 3.0 * self.work.scores)

    def run(self, store: CellStore) -> Cell:
        """Return the finished cell, from the store where it is there already."""
        with progress.part(self.units, f"judging {self.contender.label}"):
            return self.get(store, self.compute)

    def get(self, store: CellStore, compute: Callable[[], Cell]) -> Cell:
        """Return the cell from the store, or what is computed, which the store then has."""
        label = self.contender.label
        key = {"params": self.contender.template.get_params(), "label": label, "tune": self.tune}
        if self.tune:
            key |= {**self.search, "fixed": self.fixed}
        return store.get(label, self.split, key, compute)

    def pass_over(self) -> None:
        """Say that the work of the cell is done, or was."""
        progress.part(self.units, f"judging {self.contender.label}").end()

    def compute(self) -> Cell:
        """Return the cell, made anew."""
        model = self.contender.make(self.split)
        with progress.stage(total=1 + self.inner * self.tune):
            if self.tune:
                with progress.part(self.inner * self.tune):
                    model = self._tuned(model)
            with progress.part(1), progress.stage(total=self.work.fit + 3.0 * self.work.scores):
                return judge(self.contender.label, model, self.split, self.work)

    def _tuned(self, model: LinkPredictor) -> LinkPredictor:
        """Choose parameters inside the training network alone, for an ablation its own."""
        known = model.parameter_names()
        fixed = [name for name in self.fixed if name in known]
        search = {"rule": self.split.rule, **self.search, "fixed": fixed}
        return Tuning(model, self.split.train, self.tune, **search).run().model


def _own_cheaper(label: str, search: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is cheaper while a model is tried: what is said under its label, else for all."""
    given = dict(search.get("cheaper") or {})
    common = {name: value for name, value in given.items() if not isinstance(value, Mapping)}
    return dict(given[label]) if isinstance(given.get(label), Mapping) else common


def _filled(jobs: list[_Job], store: CellStore) -> list[Cell]:
    """Return the cells; with an engine in force its workers make those that are missing."""
    if parallel.current_engine() is None:
        return [job.run(store) for job in jobs]
    found: dict[int, Cell] = {}
    for number, job in enumerate(jobs):
        with suppress(_MissingError):
            found[number] = job.get(store, _miss)
            job.pass_over()
    missing = [number for number in range(len(jobs)) if number not in found]
    made = parallel.map_as_they_end(lambda number: jobs[number].compute(), missing)
    for at, cell in made:  # kept as they come: a kill costs the cells that are being made
        job = jobs[missing[at]]
        found[missing[at]] = job.get(store, partial(_given, cell))
        job.pass_over()
    return [found[number] for number in range(len(jobs))]


class _MissingError(Exception):
    """A cell is not in the store."""


def _miss() -> Cell:
    raise _MissingError


def _given(cell: Cell) -> Cell:
    return cell


def _facts(
    net: Network,
    plan: Plan,
    cases: list[Split],
    chosen: list[ModelSpec],
    tune: dict[str, Any] | None,
) -> dict[str, Any]:
    asked = {name: getattr(plan, name) for name in plan.__dataclass_fields__ if name != "newer"}
    return {
        "plan": asked,
        "protocol": plan.protocol,
        "rule": cases[0].rule,  # a split from a file has its own
        "seed": plan.seed,
        "tune": tune,
        "network": {"nodes": net.n_nodes, "edges": net.n_edges, "digest": net.digest},
        "splits": [_split_facts(split) for split in cases],
        "models": {one.label: one.template.get_params() for one in chosen},
    }


def _split_facts(split: Split) -> dict[str, Any]:
    return {
        "label": split.label,
        "digest": split_digest(split),
        "hidden": len(split.hidden),
        "outside": split.outside,
        "unconnected": split.unconnected,
        "unknown": split.unknown,
        "new_nodes": split.new_nodes,
        "training_edges": split.train.n_edges,
        "pairs": split.n_pairs,
    }

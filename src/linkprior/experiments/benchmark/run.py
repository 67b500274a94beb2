"""Fill in the cells of a benchmark that are missing, the first splits of all networks first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior.errors import LinkpriorError
from linkprior.evaluation.judge import judge, plain_numbers
from linkprior.evaluation.splits import Split
from linkprior.evaluation.tuning.tune import INNER, Tuning
from linkprior.experiments.benchmark.cells import FAILED, TOO_MUCH, CellSpec, Facts, write_cell
from linkprior.experiments.benchmark.models import WITHOUT, BenchmarkModel, too_much
from linkprior.experiments.benchmark.suite import Case
from linkprior.io.locks import hold
from linkprior.predictors.auto.auto import Auto
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import Effort, effort_of, machine_factor
from linkprior.predictors.spaces import space_of

LENGTHS = (100, 500)  # of the lists whose yield is compared with what auto expected
CHEAPER = {"n_starts": 2}  # while tuning: few random starts tell as much about a setting as many

Notify = Callable[[str], None]


@dataclass(frozen=True)
class Benchmark:
    """Models to be judged on networks.

    Attributes
    ----------
    cases, entrants
        Which networks with which splits, and which models.
    data, folder
        Where the networks are, and where finished cells are kept.
    trials
        Settings each model tries inside each training network; 0: default parameters.
    untuned
        Folder of a run without trials: what has nothing to tune is taken from there.
    rounds
        Splits of each network at most; None: as many as it has.
    """

    cases: Sequence[Case]
    entrants: Sequence[BenchmarkModel]
    data: Path
    folder: Path
    trials: int = 0
    untuned: Path | None = None
    rounds: int | None = None
    notify: Notify = field(default=lambda text: None)

    def run(self) -> None:
        """Fill in every missing cell; what is finished stays when the process is killed."""
        order = list(self._order())
        self.folder.mkdir(parents=True, exist_ok=True)
        total = sum(_size(case) for case, _ in order)
        with hold(self.folder, "benchmark"), progress.stage("benchmark", total):
            for case, number in order:
                with progress.part(_size(case), f"{case.name}, split {number}"):
                    self._fill(case, number)

    def _order(self) -> Iterator[tuple[Case, int]]:
        """Yield cases and splits, the first split of every network before any second one."""
        for number in range(max((case.rounds for case in self.cases), default=0)):
            for case in self.cases:
                if number < min(case.rounds, self.rounds or case.rounds):
                    yield case, number

    def _fill(self, case: Case, number: int) -> None:
        missing = [
            place for place in self._places(case, number) if place.finished(self.folder) is None
        ]
        jobs = [job for job in map(self._job, missing) if job is not None]
        with progress.stage(total=sum(job.units for job in jobs)):
            for at, outcome in parallel.map_as_they_end(_Job.outcome_in_part, jobs):
                self._finish(jobs[at].place, outcome)
        if jobs:
            models = f"{len(jobs)} model{'s' * (len(jobs) > 1)}"
            self.notify(f"{case.name}, split {number}: {models} judged")

    def _places(self, case: Case, number: int) -> list[CellSpec]:
        network, split = case.split(self.data, number)
        places = []
        for entrant in self.entrants:
            if entrant.most_nodes is None or split.train.n_nodes <= entrant.most_nodes:
                model = entrant.make()
                trials = self.trials if self.trials and space_of(model, split.train) else 0
                places.append(CellSpec(case, number, network, split, entrant, model, trials))
        return places

    def _job(self, place: CellSpec) -> _Job | None:
        """Return what is to be done for a cell, None where there is nothing to do."""
        if self.untuned is not None and not place.trials:
            known = place.finished(self.untuned)
            if known is not None:
                write_cell(place.path(self.folder), known)
                return None
        try:
            work = effort_of(place.model, place.split.train)
            why = too_much(place.model, place.split.train, self._slowness)
        except LinkpriorError as problem:
            self._finish(place, _left_out(FAILED, str(problem)))
            return None
        if why is not None:
            self._finish(place, _left_out(TOO_MUCH, why))
            return None
        return _Job(place, work)

    @cached_property
    def _slowness(self) -> float:
        return machine_factor()

    def _finish(self, place: CellSpec, outcome: Facts) -> None:
        write_cell(place.path(self.folder), {**place.facts(), **outcome})
        if "left_out" in outcome:
            where = f"{place.case.name}, split {place.number}"
            self.notify(f"{where}: {place.entrant.label} left out: {outcome['left_out']['why']}")


@dataclass(frozen=True)
class _Job:
    """One cell to be filled, and the work it takes."""

    place: CellSpec
    work: Effort

    @property
    def label(self) -> str:
        return self.place.entrant.label

    @property
    def units(self) -> float:
        once = self.work.fit + 3.0 * self.work.scores
        return (1 + INNER * self.place.trials) * once

    def outcome_in_part(self) -> Facts:
        """Return what the model found, as a part of the progress."""
        where = f"{self.place.case.name}, split {self.place.number}"
        with progress.part(self.units, f"{where}: {self.label}"):
            return self.outcome()

    def outcome(self) -> Facts:
        """Return what the model found; one that cannot be fitted does not end the run."""
        try:
            return self._judged()
        except LinkpriorError as problem:
            return _left_out(FAILED, str(problem))
        except MemoryError:
            return _left_out(TOO_MUCH, "out of memory")

    def _judged(self) -> Facts:
        place, fresh, more = self.place, self.place.entrant.make(), dict[str, Any]()
        with progress.stage(total=1 + INNER * place.trials):
            if place.trials:
                with progress.part(INNER * place.trials):
                    fresh = _tuned(fresh, place)
                more["tuned"] = fresh.get_params()
            with progress.part(1), progress.stage(total=self.work.fit + 3.0 * self.work.scores):
                cell = judge(self.label, fresh, place.split, self.work)
        if isinstance(fresh, Auto) and self.label != WITHOUT:
            more |= {"words": fresh.summary(), "yield": expected_and_real(fresh, place.split)}
        threads = parallel.current_workers()
        return {"values": plain_numbers(cell.values), "threads": threads, **more}


def _tuned(model: LinkPredictor, place: CellSpec) -> LinkPredictor:
    """Return the model with parameters chosen on edges hidden inside the training network.

    Every node of a release has an edge, which is not so when edges are sampled: its inner splits
    ask only for nodes that keep one. Defaults stay unless a setting is better by one sd.
    """
    rule = place.split.rule if place.case.newer is None else "connected"
    search = Tuning(
        model, place.split.train, place.trials, rule=rule, cautious=True, cheaper=CHEAPER
    )
    return search.run().model


def expected_and_real(model: LinkPredictor, split: Split) -> list[dict[str, float]]:
    """Return what a model expected of its first pairs, and what came."""
    ranking = model.predict_edges(max(LENGTHS))
    hidden = set(map(tuple, split.hidden.tolist()))
    hits = np.cumsum([tuple(pair) in hidden for pair in ranking.pairs.tolist()])
    expected, chances = model.expected_hits(ranking.scores), model.probabilities(ranking.scores)
    if expected is None or chances is None:
        return []
    mean, low, high = expected
    return [
        {
            "k": k,
            "hits": int(hits[k - 1]),
            "expected": float(mean[k - 1]),
            "low": float(low[k - 1]),
            "high": float(high[k - 1]),
            "variance": float((chances[:k] * (1 - chances[:k])).sum()),
        }
        for k in LENGTHS
        if k <= len(hits)
    ]


def _left_out(kind: str, why: str) -> Facts:
    return {"left_out": {"kind": kind, "why": why}}


def _size(case: Case) -> float:
    """Return what a split of a network counts for in the progress: the pairs of its nodes."""
    return float(max(case.size[0], 2)) ** 2

"""The benchmark: every model on every network of a suite, on the same splits, and its files.

Missing cells are filled in, the first splits of all networks first.

DIR/<network>/<split>-<model>.json       the cell of a model, or why it was left out
DIR/tuned-N/<network>/…, DIR/quick/…     the same of tuned models, and of the quick suite
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from linkprior import _progress as progress
from linkprior import parallel
from linkprior._version import __version__
from linkprior.errors import LinkpriorError, StoreError
from linkprior.evaluation.evaluate import CellJob
from linkprior.evaluation.splits import Split, split_digest
from linkprior.evaluation.store import (
    Record,
    finished,
    not_whole,
    plain_numbers,
    read_cell,
    tsv,
    tsv_number,
    write_cell,
    write_contents,
)
from linkprior.experiments import figures, tables
from linkprior.experiments.models import BenchmarkModel, too_much
from linkprior.experiments.results import Results
from linkprior.experiments.suite import Case
from linkprior.io.atomic_files import hold
from linkprior.io.store import refuse_odd
from linkprior.network import Network
from linkprior.network.pairs import ordered
from linkprior.predictors.auto.auto import Auto
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.estimate import machine_factor
from linkprior.predictors.spaces import space_of

FILES = ("tables.md", "results.tsv", "mean_ranks.svg", "scaling.svg")
TOO_MUCH, FAILED = "too much", "failed"  # kinds of being left out; the first may change any day
LENGTHS = (100, 500)  # of the lists whose yield is compared with what auto expected
CHEAPER = {"n_starts": 2}  # while tuning: few random starts show as much about a setting as many


@dataclass(frozen=True)
class CellSpec:
    """One cell to be filled: a model on the n-th split of a network."""

    case: Case
    number: int
    network: Network
    entry: BenchmarkModel
    job: CellJob

    def path(self, folder: Path) -> Path:
        """Return the path of the cell."""
        return folder / self.case.folder / f"{self.number}-{self.entry.file}.json"

    def record(self) -> Record:
        """Return what the cell's file holds besides its outcome."""
        return {
            "network": self.case.name,
            "protocol": self.case.protocol,
            "rule": self.case.rule,
            "split": self.number,
            "model": self.entry.label,
            "params": self.job.model.get_params(),
            "trials": self.job.trials,
            "data": self.network.digest,
            "digest": split_digest(self.job.split),
            "hidden": len(self.job.split.hidden),
            "linkprior": __version__,
        }

    def finished(self, folder: Path) -> Record | None:
        """Return the stored cell, None where it is missing or was made otherwise."""
        record = finished(self.path(folder), self.record())
        if record is None or record.get("left_out", {}).get("kind") == TOO_MUCH:
            return None  # asked again each time: another machine may have more time or memory
        return record

    def outcome(self) -> Record:
        """Return what was measured; a model that cannot be fitted does not end the run."""
        try:
            with progress.part(self.job.units, f"{self}: {self.entry.label}"):
                cell, model = self.job.run()
                more: Record = {"tuned": model.get_params()} if self.job.trials else {}
                if isinstance(model, Auto):
                    more["words"] = model.summary()
                    more["yield"] = expected_and_real(model, self.job.split)
        except LinkpriorError as problem:
            return _left_out(FAILED, str(problem))
        except MemoryError:
            return _left_out(TOO_MUCH, "out of memory")
        threads = parallel.current_workers()
        return {"values": plain_numbers(cell.values), "threads": threads, **more}

    def __str__(self) -> str:
        return f"{self.case.name}, split {self.number}"


@dataclass(frozen=True)
class Benchmark:
    """Models to be evaluated on networks."""

    cases: Sequence[Case]
    entries: Sequence[BenchmarkModel]
    data: Path  # where the networks are
    folder: Path  # where finished cells are stored
    trials: int = 0  # settings each model tries inside each training network
    untuned: Path | None = None  # of a run without trials, for what has nothing to tune
    rounds: int | None = None  # splits of each network at most; None: as many as it has
    notify: Callable[[str], None] = field(default=lambda text: None)

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
        missing = [cell for cell in self._cells(case, number) if not cell.finished(self.folder)]
        todo = [cell for cell in missing if self._can_be_fitted(cell)]
        with progress.stage(total=sum(cell.job.units for cell in todo)):
            for at, outcome in parallel.map_as_they_end(CellSpec.outcome, todo):
                self._save(todo[at], outcome)
        if todo:
            models = f"{len(todo)} model{'s' * (len(todo) > 1)}"
            self.notify(f"{case.name}, split {number}: {models} evaluated")

    def _cells(self, case: Case, number: int) -> list[CellSpec]:
        """Return the cells of a split, whether finished or not.

        Every node of a release has an edge, which is not so when edges are sampled: the inner
        splits of its tuning ask only for nodes that keep one. Defaults stay unless a setting is
        better by one sd.
        """
        network, split = case.split(self.data, number)
        rule = split.rule if case.newer is None else "connected"
        search = {"rule": rule, "cautious": True, "cheaper": CHEAPER}
        cells = []
        for entry in self.entries:
            model = entry.make()
            trials = self.trials if self.trials and space_of(model, split.train) else 0
            job = CellJob(entry.label, model, split, trials, search)
            cells.append(CellSpec(case, number, network, entry, job))
        return cells

    def _can_be_fitted(self, cell: CellSpec) -> bool:
        """Return whether a cell is to be computed; else it is stored here already."""
        if self.untuned is not None and not cell.job.trials:
            record = cell.finished(self.untuned)
            if record is not None:
                write_cell(cell.path(self.folder), record)
                return False
        try:
            why = too_much(cell.job.model, cell.job.split.train, self._slowness)
            kind = TOO_MUCH
        except LinkpriorError as problem:
            kind, why = FAILED, str(problem)
        if why is not None:
            self._save(cell, _left_out(kind, why))
        return why is None

    @cached_property
    def _slowness(self) -> float:
        return machine_factor()

    def _save(self, cell: CellSpec, outcome: Record) -> None:
        write_cell(cell.path(self.folder), {**cell.record(), **outcome})
        if "left_out" in outcome:
            self.notify(f"{cell}: {cell.entry.label} left out: {outcome['left_out']['why']}")


def expected_and_real(model: LinkPredictor, split: Split) -> list[dict[str, float]]:
    """Return what a model expected of its first pairs, and what came."""
    ranking = model.predict_edges(max(LENGTHS))
    hidden = set(map(tuple, split.hidden.tolist()))
    hits = np.cumsum([tuple(pair) in hidden for pair in ordered(ranking.pairs).tolist()])
    expected, probs = model.expected_hits(ranking.scores), model.probabilities(ranking.scores)
    if expected is None or probs is None:
        return []
    mean, low, high = expected
    return [
        {
            "k": k,
            "hits": int(hits[k - 1]),
            "expected": float(mean[k - 1]),
            "low": float(low[k - 1]),
            "high": float(high[k - 1]),
            "variance": float((probs[:k] * (1 - probs[:k])).sum()),
        }
        for k in LENGTHS
        if k <= len(hits)
    ]


def _left_out(kind: str, why: str) -> Record:
    return {"left_out": {"kind": kind, "why": why}}


def _size(case: Case) -> float:
    """Return what a split of a network counts for in the progress: the pairs of its nodes."""
    return float(max(case.size[0], 2)) ** 2


# ---------------------------------------------------------------------- the folder


def suite_files(folder: Path) -> list[Path]:
    """Return the files that are named as cells of a benchmark; other files are not ours."""
    return sorted(p for p in folder.glob("*/*.json") if re.match(r"\d+-.", p.name))


def read_suite(folder: Path) -> list[Record]:
    """Return all cells of a benchmark; one that does not belong to the others is named."""
    records, splits = [], dict[tuple[Path, int], tuple[str, str]]()
    for path in suite_files(folder):
        record = _benchmark_cell(path)
        number, about = record["split"], (record["network"], record["digest"])
        if path.name.partition("-")[0] != str(number):
            raise StoreError(f"{path} holds a cell of split {number}; remove it and run again")
        if about != splits.setdefault((path.parent, number), about):
            raise StoreError(
                f"{path} was evaluated on another split than the other cells; remove what is "
                "older and run again"
            )
        records.append(record)
    return records


def _benchmark_cell(path: Path) -> Record:
    record = read_cell(path)
    if not (isinstance(record.get("network"), str) and isinstance(record["split"], int)):
        raise not_whole(path)
    return record


def refuse_foreign(folder: Path) -> None:
    """Raise an error where files of somebody else are in the way, or a cell is not whole."""
    refuse_odd(folder, FILES)
    cells = [_benchmark_cell(path) for path in suite_files(folder)]  # with one the files are ours
    taken = [name for name in FILES if (folder / name).exists()]
    if taken and not cells:
        raise StoreError(
            f"{folder / taken[0]} is not from a benchmark, and would be replaced; give another "
            "folder (-o), or move it"
        )


def results_in(folder: Path) -> Results:
    """Return the results of a folder of cells; one without any is an error."""
    results = Results(read_suite(folder) if folder.is_dir() else [])
    if not results.networks:
        raise StoreError(
            f"{folder} holds no finished cell: run the benchmark first, with the same -o"
        )
    return results


def write_files(results: Results, folder: Path) -> list[Path]:
    """Write tables and figures, each whole or not at all; the same cells are the same bytes."""
    refuse_odd(folder, FILES)
    texts = {"tables.md": tables.markdown(results), "results.tsv": rows(results)}
    drawn = {"mean_ranks.svg": figures.mean_ranks(results), "scaling.svg": figures.scaling(results)}
    return write_contents(folder, {**texts, **drawn})


def rows(results: Results) -> str:
    """Return every number as tab-separated text; what could not be measured stays empty."""
    numbers = (
        (network, split, model, metric, tsv_number(value))
        for network, models in results.measured.items()
        for model, cells in sorted(models.items())
        for split, cell in sorted(cells.items())
        for metric, value in sorted(cell["values"].items())
    )
    return tsv(["network", "split", "model", "metric", "value"], numbers)

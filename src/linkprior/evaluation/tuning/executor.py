"""Trying settings, in this thread, in several, in processes of their own, or on a cluster.

A `Run` maps settings to trials, which come in whatever order they end. optuna's own pruner and
parallel `optimize` are not used: what they do depends on which trial happens to end first, and a
search that was killed would not end with the same best.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.linalg import LinAlgError

from linkprior import _progress as progress
from linkprior import parallel
from linkprior.errors import LinkpriorError
from linkprior.evaluation import splits
from linkprior.evaluation.metrics import METRICS
from linkprior.evaluation.ranks import rank_hidden_edges
from linkprior.evaluation.splits import Split
from linkprior.evaluation.tuning.search import COMPLETE, FAILED, PRUNED, Setting, Trial
from linkprior.network import Network
from linkprior.parallel.threads import without_ctrl_c
from linkprior.predictors.base import LinkPredictor
from linkprior.predictors.cost import cost_of

EXECUTORS = ("threads", "processes")
_TRAINING = 0.9  # share of the edges that an inner split trains on

Run = Callable[[Sequence[Setting]], Iterable[Trial]]


@dataclass(frozen=True)
class Objective:
    """What is maximised: the mean of a metric over inner splits, the same for every setting."""

    template: LinkPredictor
    network: Network
    metric: str
    rule: str
    inner: int
    seed: int

    @cached_property
    def splits(self) -> list[Split]:
        """Inner splits; only edges of the network handed in are ever seen or hidden."""
        seeds = range(self.seed, self.seed + self.inner)
        return [splits.uniform(self.network, _TRAINING, seed, self.rule) for seed in seeds]

    def trial(self, setting: Setting) -> Trial:
        """Return what becomes of a setting; one that cannot be fitted has failed."""
        scores: list[float] = []
        params = dict(setting.params)
        try:
            with _as_one_unit(), progress.stage(total=self.inner):
                for split in self.splits:
                    with progress.part(1):
                        scores.append(self._score(params, split))
                    if len(scores) < self.inner and setting.is_hopeless(scores):
                        return Trial(setting.number, params, PRUNED, tuple(scores))
        except (LinkpriorError, ArithmeticError, LinAlgError) as problem:
            return Trial(setting.number, params, FAILED, tuple(scores), str(problem))
        return Trial(setting.number, params, COMPLETE, tuple(scores))

    def _score(self, params: Mapping[str, Any], split: Split) -> float:
        model = type(self.template)(**{**self.template.get_params(), **params})
        work = cost_of(model, split.train)
        with progress.stage(total=work.fit + 3.0 * work.scores):
            with progress.part(work.fit):
                model.fit(split.train)
            return METRICS[self.metric](rank_hidden_edges(model, split))


@contextmanager
def _as_one_unit() -> Iterator[None]:
    """Count what is done inside as one unit, under the name of the stage around it.

    That a model is being fitted, again and again, is less worth showing than the best so far.
    """
    unit, seen = progress.part(1.0), 0.0

    def on_report(report: progress.Report) -> None:
        nonlocal seen
        if report.fraction is not None and report.fraction > seen:
            unit.advance(report.fraction - seen)
            seen = report.fraction

    try:
        with progress.listen(on_report):
            yield
    finally:
        unit.end()


# ---------------------------------------------------------------------- where it is done


@contextmanager
def running(objective: Objective, executor: str, workers: int) -> Iterator[Run]:
    """Give a function that tries settings, up to `workers` at a time; cores are shared out.

    With a cluster in use, several at a time are tried by its workers, whatever the executor.
    """
    each = max(1, parallel.current_workers() // workers)
    bare = replace(objective)  # without the splits: making them is quicker than sending them
    if workers > 1 and parallel.current_engine() is not None:
        yield lambda settings: _counted(
            trial for _, trial in parallel.map_as_they_end(bare.trial, settings)
        )
    elif executor == "processes":
        with _processes(bare, workers, each) as run:
            yield run
    elif workers == 1:
        yield lambda settings: map(objective.trial, settings)
    else:
        pool = ThreadPoolExecutor(workers, thread_name_prefix="tuning")
        with parallel.use_workers(each), pool:
            # Each has a copy of the context: one context cannot be entered by two threads.
            yield lambda settings: _as_they_end(
                [pool.submit(copy_context().run, objective.trial, one) for one in settings]
            )


@contextmanager
def _processes(objective: Objective, workers: int, threads: int) -> Iterator[Run]:
    from multiprocessing import get_context, resource_tracker

    resource_tracker.ensure_running()  # now: starting it later would let Ctrl-C in again
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _prepare_process)

    def run(settings: Sequence[Setting]) -> Iterator[Trial]:
        try:
            with without_ctrl_c(), _starting:
                # The network goes with every setting. It could go with the start of a process,
                # but those would then start one after the other, and one whose sender is gone
                # half-way, by Ctrl-C, would end with a traceback.
                futures = [pool.submit(_in_process, objective, one, threads) for one in settings]
            yield from _counted(_as_they_end(futures))
        except BrokenProcessPool:
            raise LinkpriorError(
                "a process that tried a setting was ended from outside, perhaps for lack of "
                "memory; try again with fewer workers (a study resumes where it stopped)"
            ) from None

    try:
        yield run
    finally:
        pool.shutdown(cancel_futures=True)


_starting = threading.Lock()  # held while processes are started


def end_processes() -> None:
    """End the processes that try settings.

    One that is just being started is waited for: if its sender left now, it would end with a
    traceback.
    """
    from multiprocessing import active_children

    with _starting:
        for child in active_children():
            child.kill()


def _as_they_end(futures: list[Future[Trial]]) -> Iterator[Trial]:
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _counted(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Count trials in the progress, which does not see what other processes do."""
    for trial in trials:
        progress.part(1.0).end()
        yield trial


def _prepare_process() -> None:
    """Prepare a process of ours: it ends when the one that started it does, and not before."""
    from multiprocessing import parent_process

    def end_with_parent() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is answered by the one that started us
    threading.Thread(target=end_with_parent, name="parent", daemon=True).start()


def _in_process(objective: Objective, setting: Setting, threads: int) -> Trial:
    with parallel.use_workers(threads):
        return objective.trial(setting)

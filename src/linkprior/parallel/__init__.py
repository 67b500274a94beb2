"""Mapping over tasks and row blocks: serially, with threads, or on the workers of a cluster.

Results never depend on the engine or the number of workers: blocks have a fixed size that follows
from the network alone, each block's linear algebra runs on one BLAS thread, and results come back
in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from linkprior import _config
from linkprior import _progress as progress
from linkprior.errors import LinkpriorError
from linkprior.parallel.threads import (
    MOST_WORKERS,
    available_cores,
    current_workers,
    one_blas_thread,
    threaded,
    use_workers,
)

if TYPE_CHECKING:
    from linkprior.parallel.dask import DaskEngine

__all__ = [
    "MOST_WORKERS",
    "available_cores",
    "blocks",
    "current_engine",
    "current_workers",
    "map_as_they_end",
    "map_blocks",
    "map_side_by_side",
    "map_tasks",
    "one_blas_thread",
    "use_dask",
    "use_workers",
]

T = TypeVar("T")
R = TypeVar("R")

_BLOCK_ENTRIES = 1 << 19  # one float32 block of scores is at most 2 MiB
REMOTE_NODES = 3_000  # up to here a pass over all pairs is done sooner than it is sent


@contextmanager
def use_dask(address: Any, wait: float = 30.0) -> Iterator[DaskEngine]:
    """Run the body on the workers of a dask cluster; results are the same to the last bit.

    Parameters
    ----------
    address
        Of a scheduler (`tcp://host:8786`, `tls://…`); a scheduler file (`….json`); "local" for as
        many processes on this machine as there are workers in use (`use_workers`); or a
        `distributed.Client` you have, which is left open.
    wait
        Seconds a run waits for a first worker, and goes on without any, before it gives up.

    Yields
    ------
    DaskEngine
        Its `traffic` counts the tasks and bytes sent.

    Examples
    --------
    >>> import linkprior as lp
    >>> with lp.use_dask("tcp://scheduler:8786"):  # doctest: +SKIP
    ...     model = lp.make("tri").fit(network)
    """
    try:
        from linkprior.parallel.dask import connected
    except ModuleNotFoundError as problem:
        if problem.name is None or problem.name.partition(".")[0] == "linkprior":
            raise
        raise LinkpriorError(
            f"dask is not installed ({problem.name} is missing): pip install 'linkprior[dask]'"
        ) from None
    with connected(address, wait) as engine, _config.using(engine=engine):
        yield engine


def current_engine() -> DaskEngine | None:
    """Return the engine that tasks may be sent to; None: all work is done here."""
    return _config.current().engine


def blocks(n_rows: int, most: int | None = None) -> list[tuple[int, int]]:
    """Cut rows into (start, stop) blocks of nearly equal size, at most `most` rows each.

    By default a block of a square matrix fits the cache. It is a function of the network's size
    alone, so sums never regroup, and the number of blocks, where there are several, is a multiple
    of four, so that two or four threads end together.
    """
    limit = most or max(16, min(256, _BLOCK_ENTRIES // max(1, n_rows)))
    count = -(-n_rows // limit)
    if count > 1:
        count = -(-count // 4) * 4
    step = -(-n_rows // max(1, count))
    return [(start, min(start + step, n_rows)) for start in range(0, n_rows, max(1, step))]


def map_tasks(
    task: Callable[[T], R],
    items: Iterable[T],
    workers: int | None = None,
    stage: str | None = None,
    remote: bool = False,
) -> Iterator[R]:
    """Yield task(item) in order of the items; at most two results per worker wait in memory.

    With `stage` the items are a stage of the progress: a name, or "" for the name of the stage
    around it. `remote` says that a task may be done elsewhere: it is worth sending, and all it does
    is return a result. A task that changes what it was handed must stay here. An item is packed at
    the moment it is sent, so it can carry what is known by then.
    """
    todo = list(items)
    if stage is None:
        yield from _results(task, todo, workers, remote)
        return
    # Not made the current stage: a generator runs in the context of whoever asks for its results.
    counted = progress.stage(stage, len(todo))
    try:
        for result in _results(task, todo, workers, remote):
            counted.advance()
            yield result
    finally:
        counted.end()


def _results(
    task: Callable[[T], R], todo: list[T], workers: int | None, remote: bool
) -> Iterator[R]:
    engine = current_engine()
    if engine is None or not remote or len(todo) < 2:
        return threaded(task, todo, workers)
    return (result for _, result in engine.ended(task, todo, ordered=True))


def map_blocks(
    task: Callable[[int, int], R],
    n_rows: int,
    workers: int | None = None,
    stage: str | None = None,
    remote: bool = False,
    most: int | None = None,
) -> Iterator[R]:
    """Yield task(start, stop) for row blocks in order; `remote` ones only of large networks."""
    worth = remote and n_rows > REMOTE_NODES
    return map_tasks(lambda block: task(*block), blocks(n_rows, most), workers, stage, worth)


def map_side_by_side(task: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yield task(item) in order, for few large tasks, with or without an engine.

    As many run side by side as there are threads, and what is left over is for the work within.
    """
    todo = list(items)
    inner = max(1, current_workers() // max(1, len(todo)))

    def one_of_several(item: T) -> R:
        with use_workers(inner):
            return task(item)

    engine = current_engine()
    if engine is None:
        yield from threaded(one_of_several, todo, None)
    else:
        yield from (result for _, result in engine.ended(task, todo, ordered=True))


def map_as_they_end(task: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[int, R]]:
    """Yield (number of the item, task(item)) as tasks end; without an engine they end in order."""
    engine, todo = current_engine(), list(items)
    if engine is None:
        yield from enumerate(map(task, todo))
    else:
        yield from engine.ended(task, todo, ordered=False)

"""Mapping over tasks and row blocks with threads; the one owner of the BLAS-thread limit.

Results never depend on the number of workers: blocks have a fixed size that follows from the
network alone, each block's linear algebra runs on one BLAS thread, and results come back in order.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from linkprior import progress
from linkprior.checks import whole_number

T = TypeVar("T")
R = TypeVar("R")

MOST_WORKERS = 10_000  # threads; more is a slip of the hand
_BLOCK_ENTRIES = 1 << 19  # one float32 block of scores is at most 2 MiB
_workers: ContextVar[int | None] = ContextVar("workers", default=None)
_own = threading.local()
_blas_lock = threading.Lock()
_blas_users = 0
_blas_limit: Any = None


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def current_workers() -> int:
    """Number of threads in use: `use_workers`, else LINKPRIOR_WORKERS, else every core."""
    chosen = _workers.get()
    if chosen is not None:
        return chosen
    given = os.environ.get("LINKPRIOR_WORKERS", "")
    if not given:
        return available_cores()
    known = given.isdecimal() and len(given) <= 9  # int refuses thousands of digits
    return whole_number("LINKPRIOR_WORKERS", int(given) if known else given, 1, MOST_WORKERS)


@contextmanager
def use_workers(n: int | None) -> Iterator[None]:
    """Run the body with `n` threads (None: leave it as it is). Results do not depend on it."""
    token = _workers.set(
        _workers.get() if n is None else whole_number("workers", n, 1, MOST_WORKERS)
    )
    try:
        yield
    finally:
        _workers.reset(token)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS on one thread: our own threads do the work, and sums keep their order.

    The limit belongs to the whole process, so overlapping users share it and the last one out
    restores it.
    """
    global _blas_users, _blas_limit
    from threadpoolctl import threadpool_limits

    with _blas_lock:
        if _blas_users == 0:
            _release_blas_control()
            _blas_limit = threadpool_limits(limits=1, user_api="blas")
        _blas_users += 1
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0:
                _release_blas_control()
                _blas_limit.restore_original_limits()
                _release_blas_control()


def _release_blas_control() -> None:
    """Let this thread set the limit, whichever thread set it last.

    Recent threadpoolctl lets one thread alone set OpenBLAS limits and ignores all others; here the
    first user sets and the last one restores, under a lock, and they may be different threads.
    """
    import threadpoolctl

    controller: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(controller, "clear_controlling_thread"):
        controller.clear_controlling_thread(force=True)


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
) -> Iterator[R]:
    """Yield task(item) in order of the items; at most two results per worker wait in memory.

    With `stage` the items are a stage of the progress: a name, or "" for the name of the stage
    around it.
    """
    todo = list(items)
    if stage is None:
        yield from _results(task, todo, workers)
        return
    # Not made the current stage: a generator runs in the context of whoever asks for its results.
    counted = progress.stage(stage, len(todo))
    try:
        for result in _results(task, todo, workers):
            counted.advance()
            yield result
    finally:
        counted.end()


def _results(task: Callable[[T], R], todo: list[T], workers: int | None) -> Iterator[R]:
    n = min(current_workers() if workers is None else workers, len(todo))
    if n <= 1:
        yield from map(task, todo)
        return
    pool = _pool(n)
    waiting: deque[Future[R]] = deque()
    try:
        for item in todo:
            # Each task has a copy of the context: one context cannot be entered by two threads.
            waiting.append(pool.submit(copy_context().run, task, item))
            if len(waiting) >= 2 * n:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        wait(waiting)


def _pool(n: int) -> ThreadPoolExecutor:
    """Return this thread's own pool of n threads: made once, and never shared.

    A solver maps over blocks many times a second, so threads must not be started anew each time;
    and a task that maps over blocks itself must not wait for a pool it occupies.
    """
    pools: dict[int, ThreadPoolExecutor] = _own.__dict__.setdefault("pools", {})
    if n not in pools:
        pools[n] = ThreadPoolExecutor(n, thread_name_prefix="linkprior")
    return pools[n]


def map_blocks(
    task: Callable[[int, int], R],
    n_rows: int,
    workers: int | None = None,
    stage: str | None = None,
) -> Iterator[R]:
    """Yield task(start, stop) for the row blocks of a network of n_rows nodes, in order."""
    return map_tasks(lambda block: task(*block), blocks(n_rows), workers, stage)

"""The serial engine and the one of threads: how many there are, and mapping with them."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from linkprior import _config
from linkprior._validation import whole_number

T = TypeVar("T")
R = TypeVar("R")

MOST_WORKERS = 10_000  # threads; more is a slip of the hand
_own = threading.local()


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def current_workers() -> int:
    """Number of threads in use: `use_workers`, else LINKPRIOR_WORKERS, else every core."""
    chosen = _config.current().workers
    if chosen is not None:
        return chosen
    given = os.environ.get("LINKPRIOR_WORKERS", "")
    if not given:
        return available_cores()
    known = given.isdecimal() and len(given) <= 9  # int refuses thousands of digits
    return whole_number("LINKPRIOR_WORKERS", int(given) if known else given, 1, MOST_WORKERS)


@contextmanager
def use_workers(n: int | None) -> Iterator[None]:
    """Run the body with `n` threads; results do not depend on their number.

    Parameters
    ----------
    n
        Threads to use, 1 or more; None leaves the number as it is.

    Yields
    ------
    None

    Examples
    --------
    >>> import linkprior as lp
    >>> with lp.use_workers(1):
    ...     model = lp.make("l3").fit(lp.planted_network(n_nodes=30, seed=1))
    """
    if n is None:
        yield
        return
    with _config.using(workers=whole_number("workers", n, 1, MOST_WORKERS)):
        yield


def threaded(task: Callable[[T], R], todo: list[T], workers: int | None) -> Iterator[R]:
    """Yield task(item) in order; one thread is a plain loop."""
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


def scratch(name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return this thread's array of a name: whatever it held before is still in it.

    It is the same memory at the next call, so nothing of it may be returned to others.
    """
    kept: dict[str, NDArray[np.uint8]] = _own.__dict__.setdefault("kept", {})
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if name not in kept or kept[name].nbytes < size:
        kept.pop(name, None)  # before the larger one is made
        kept[name] = np.empty(size, np.uint8)
    return kept[name][:size].view(dtype).reshape(shape)


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Start processes and threads that Ctrl-C does not reach: it is for us to end them.

    They inherit which signals the thread that starts them has blocked.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

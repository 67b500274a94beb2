"""Threads: how many work, mapping with them, and the one owner of the limit on BLAS threads."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache
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
    valid = given.isdecimal() and len(given) <= 9  # int refuses thousands of digits
    return whole_number("LINKPRIOR_WORKERS", int(given) if valid else given, 1, MOST_WORKERS)


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

    A solver maps over blocks many times a second, so threads must not be started again each time;
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


# ---------------------------------------------------------------------- BLAS


class _BlasLimit:
    """A limit of one thread that belongs to the whole process, and is shared by all who use it."""

    def __init__(self) -> None:
        self._lock, self._users, self._limit = threading.Lock(), 0, None

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Set the limit with the first user, and restore what was with the last."""
        with self._lock:
            if self._users == 0:
                _release_control()
                self._limit = _libraries(len(sys.modules)).limit(limits=1, user_api="blas")
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0 and self._limit is not None:
                    _release_control()
                    self._limit.restore_original_limits()
                    _release_control()


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> Any:
    """Return the libraries that have threads, looked for again when the number of modules differs.

    Looking takes milliseconds, more than many a fit; a library comes with the module that needs it.
    SciPy has a BLAS of its own, loaded here: one that came inside a limit would not be limited.
    """
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _release_control() -> None:
    """Let this thread set the limit, whichever thread set it last.

    Recent threadpoolctl lets one thread alone set OpenBLAS limits and ignores all others; here the
    first user sets and the last one restores, under a lock, and they may be different threads.
    """
    import threadpoolctl

    controller: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(controller, "clear_controlling_thread"):
        controller.clear_controlling_thread(force=True)


one_blas_thread = _BlasLimit().one_thread

"""The one place that imports numba: a typed decorator for serial compiled functions."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])

_log = logging.getLogger("linkprior")


def compiled(function: Function) -> Function:
    """Compile `function` at its first call, keep the result on disk, release the GIL.

    Serial on purpose: threads map over row blocks, so the result cannot depend on their number.
    No fast-math, so that it cannot depend on the processor either. A compiled function calls only
    compiled functions of its own file, because numba's cache looks at that file alone to see
    whether the source has changed.
    """
    return _jit(function)


def compiled_sums(function: Function) -> Function:
    """Compile a function of inner products, whose sums may be regrouped for SIMD.

    As with BLAS, the last bits may then differ between processors, never between thread counts.
    """
    return _jit(function, fastmath={"reassoc", "contract"})


def _jit(function: Function, **options: Any) -> Function:
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        fast = njit(function, cache=True, **options)
    except RuntimeError:  # neither the package nor the home folder can be written
        fast = njit(function, **options)
    return cast(Function, fast)


class _Compiling(event.Listener):
    """Says once why the first call takes seconds, and counts them; loading what is kept is silent.

    Functions compile one another, and threads compile side by side: what counts is the time in
    which at least one was at it.
    """

    def __init__(self) -> None:
        self.untold = iter([True])  # one thread alone gets it, whichever compiles first
        self.lock, self.running, self.since, self.seconds = threading.Lock(), 0, 0.0, 0.0

    def on_start(self, event: Any) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith(__package__)
        if ours and next(self.untold, False):
            _log.info("compiling kernels for this machine (once, some seconds)")
        with self.lock:
            if self.running == 0:
                self.since = time.perf_counter()
            self.running += 1

    def on_end(self, event: Any) -> None:
        with self.lock:
            self.running -= 1
            if self.running == 0:
                self.seconds += time.perf_counter() - self.since


_compiling = _Compiling()
event.register("numba:compile", _compiling)  # type: ignore[no-untyped-call]


def compiled_for() -> float:
    """Return the seconds this process has spent on compiling so far."""
    return _compiling.seconds

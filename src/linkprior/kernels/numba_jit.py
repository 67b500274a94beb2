"""The one place that imports numba: a typed decorator for serial compiled functions."""

from __future__ import annotations

import logging
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


class _CompileNotice(event.Listener):
    """Says once why the first call takes seconds; loading from the cache stays silent."""

    def __init__(self) -> None:
        self.untold = iter([True])  # one thread alone gets it, whichever compiles first

    def on_start(self, event: Any) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith(__package__)
        if ours and next(self.untold, False):
            _log.info("compiling kernels for this machine (once, some seconds)")

    def on_end(self, event: Any) -> None:
        """Nothing to say at the end."""


event.register("numba:compile", _CompileNotice())  # type: ignore[no-untyped-call]

"""Compiled functions, and the one place that imports numba: at the first call of any of them."""

from __future__ import annotations

import functools
import logging
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_log = logging.getLogger("linkprior")
# Two threads that import numba at the same time can wait for each other for ever.
_importing = threading.RLock()


class _Compiled:
    """A function that is compiled at its first call, or when a compiled function calls it."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.py_func, self.options = function, {"nogil": True, "error_model": "numpy", **options}

    @functools.cached_property
    def dispatcher(self) -> Any:
        with _importing:
            from numba import njit

            try:
                return njit(self.py_func, cache=True, **self.options)
            except RuntimeError:  # neither the package nor the home folder can be written
                return njit(self.py_func, **self.options)

    @property
    def _numba_type_(self) -> Any:
        """What numba asks a global for: a call from compiled code goes straight to the function."""
        return self.dispatcher._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)


def compiled(function: Function) -> Function:
    """Compile `function` at its first call, keep the result on disk, release the GIL.

    Serial on purpose: threads map over row blocks, so the result cannot depend on their number.
    No fast-math, so that it cannot depend on the processor either. A compiled function calls only
    compiled functions of its own file, because numba's cache looks at that file alone to see
    whether the source has changed.
    """
    return cast(Function, _Compiled(function))


def compiled_sums(function: Function) -> Function:
    """Compile a function of inner products, whose sums may be regrouped for SIMD.

    As with BLAS, the last bits may then differ between processors, never between thread counts.
    """
    return cast(Function, _Compiled(function, fastmath={"reassoc", "contract"}))


def numba_works() -> bool:
    """Import numba at first need; without it everything works, only slower."""
    with _importing:
        return _import_numba() is not None


@functools.cache
def _import_numba() -> Any:
    """Return what counts the seconds spent on compiling; None without numba."""
    try:
        from numba.core import event
    except ImportError as error:
        _log.warning("numba cannot be imported (%s): using the slower portable kernels", error)
        return None

    class Listener(event.TimingListener):
        """Says once why the first call takes seconds; loading what is on disk is silent."""

        notices = iter(["compiling kernels for this machine (once, some seconds)"])

        def on_start(self, event: Any) -> None:
            assert __package__
            if event.data["dispatcher"].py_func.__module__.startswith(__package__):
                for notice in self.notices:
                    _log.info(notice)
            super().on_start(event)  # type: ignore[no-untyped-call]

    listener = Listener()  # type: ignore[no-untyped-call]
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    return listener


def seconds_compiling() -> float:
    """Return the seconds spent on compiling so far: what a second run on this machine saves."""
    if "numba" not in sys.modules:
        return 0.0
    with _importing:
        listener = _import_numba()
    return float(listener.duration) if listener and listener.done else 0.0

"""The one owner of the limit on BLAS threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any


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
    """
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

"""The one owner of the limit on BLAS threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_lock = threading.Lock()
_users = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS on one thread: our own threads do the work, and sums keep their order.

    The limit belongs to the whole process, so overlapping users share it and the last one out
    restores it.
    """
    global _users, _limit
    with _lock:
        if _users == 0:
            _release_control()
            _limit = _libraries(len(sys.modules)).limit(limits=1, user_api="blas")
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _release_control()
                _limit.restore_original_limits()
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

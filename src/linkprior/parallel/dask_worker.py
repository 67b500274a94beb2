"""What a worker of a cluster does: take a task once, run it on items, pack the results.

Nothing here imports dask: these functions are sent to workers by name.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import pickle
import sys
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from linkprior._version import __version__
from linkprior.errors import LinkpriorError
from linkprior.parallel.blas import one_blas_thread
from linkprior.parallel.engine import force
from linkprior.parallel.threads import current_workers, use_workers

Facts = dict[str, str]
Packed = tuple[str, bool, bytes]

DONE, RAISED, UNFIT = "done", "raised", "unfit"
_KEPT = 2  # tasks a worker remembers: that of the map running, and the one before
_NUMERIC = ("numpy", "scipy", "numba", "scikit-learn")

_tasks: OrderedDict[str, Callable[[Any], Any]] = OrderedDict()
_lock = threading.Lock()


def facts() -> Facts:
    """Return all that must be the same on both sides for results to be the same."""
    found = {"linkprior": __version__, "python": f"{sys.version_info[0]}.{sys.version_info[1]}"}
    for name in _NUMERIC:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "none"
    return {**found, "LINKPRIOR_KERNELS": os.environ.get("LINKPRIOR_KERNELS") or "auto"}


def differences(theirs: Facts, ours: Facts) -> str:
    """Return in which versions two sides differ, as half a sentence; nothing where they agree."""
    return ", ".join(
        f"{name} {theirs.get(name, 'unknown')} (here {value})"
        for name, value in ours.items()
        if theirs.get(name) != value
    )


def hold(payload: bytes) -> bytes:
    """Return a packed task: a result every worker can ask for, and have made again."""
    return payload


def run_task(digest: str, payload: bytes, item: bytes, wanted: Facts) -> Packed:
    """Return how a task went on an item, whether it was new here, and its packed result.

    What goes wrong is a result too, so that the cluster neither tries again nor logs it.
    """
    wrong = differences(facts(), wanted)  # a worker may have come after the others were asked
    if wrong:
        return UNFIT, False, wrong.encode()
    task, new = _task(digest, payload)
    # One task is one thread of the worker; its environment may allow a task more of them.
    threads = current_workers() if os.environ.get("LINKPRIOR_WORKERS") else 1
    try:
        with force(None), use_workers(threads), one_blas_thread():
            result = task(pickle.loads(item))  # noqa: S301 - a scheduler's users run code anyway
            return DONE, new, pickle.dumps(result, protocol=5)
    except Exception as problem:
        return RAISED, new, _packed(problem)


def _task(digest: str, payload: bytes) -> tuple[Callable[[Any], Any], bool]:
    """Return the task in a payload, and whether it had to be unpacked for that."""
    with _lock:
        new = digest not in _tasks
        if new:
            _tasks[digest] = pickle.loads(payload)  # noqa: S301
        _tasks.move_to_end(digest)
        while len(_tasks) > _KEPT:
            _tasks.popitem(last=False)
        return _tasks[digest], new


def _packed(problem: Exception) -> bytes:
    """Return an error as bytes, with the place where it happened; any error can be sent."""
    problem.add_note("on the worker:\n" + traceback.format_exc())
    try:
        packed = pickle.dumps(problem, protocol=5)
        pickle.loads(packed)  # noqa: S301 - some errors can be packed and not unpacked
    except Exception:
        plain = LinkpriorError(f"{type(problem).__name__}: {problem}")
        packed = pickle.dumps(plain, protocol=5)
    return packed


def digest_of(payload: bytes) -> str:
    """Return the name a packed task goes by."""
    return hashlib.sha256(payload).hexdigest()

"""The engine of dask: tasks go to the workers of a cluster. The one file that imports dask.

What is ours besides `Client.submit`, and why:

* A task is packed once per map and held by the cluster as a task of its own: it is made again when
  the worker that has it dies, which data that was scattered is not.
* An item is packed when it is sent, a few per thread ahead, so that it can carry what is known by
  then (a floor that rises); `Client.map` and an executor would take all of them at once.
* What goes wrong in a task is a result, so that dask's `retries` never repeat an error. A worker
  that dies is counted by the scheduler (`allowed-failures`); after that we send a few times more.
* Every wait is bounded, and workers with other versions are refused.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import pickle
import sys
import threading
import time
import traceback
import uuid
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import lru_cache
from os import environ
from pathlib import Path
from typing import Any

import cloudpickle
import dask
from distributed import Client, Future, LocalCluster, wait
from distributed.scheduler import KilledWorker
from rich.filesize import decimal

from linkprior import _config
from linkprior._validation import real_number, shown
from linkprior._version import __version__
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.parallel.threads import current_workers, one_blas_thread, without_ctrl_c

CONNECTING = 10.0  # seconds to reach a scheduler, or to have an answer from it
ATTEMPTS = 3  # times a task is sent again after the scheduler has given it up
_LOST_WORKERS = 10  # of a task, until our own scheduler gives it up
_TICK = 1.0  # seconds between two looks at whether anybody is left
_AHEAD = 4  # tasks per thread that wait or run
_HELD = 2  # packed tasks that the cluster and each worker remember: this map's, the one before
_NUMERIC = ("numpy", "scipy", "numba", "scikit-learn")
_TROUBLE = (OSError, TimeoutError, ValueError, TypeError, RuntimeError, ImportError)

Facts = dict[str, str]

# ---------------------------------------------------------------------- connecting


@contextmanager
def connected(address: Any, patience: float) -> Iterator[DaskEngine]:
    """Give an engine over a cluster whose workers are as we are; all waits are bounded."""
    patience = real_number("wait", patience, 0.0, 1e6)
    with _quiet_dask(), _client(address) as client:
        engine = DaskEngine(client, patience)
        engine.await_worker()
        ours = facts()
        for worker, theirs in client.run(facts, on_error="return").items():
            if isinstance(theirs, BaseException):
                raise LinkpriorError(
                    f"dask worker {worker} has no linkprior {ours['linkprior']} "
                    f"({_short(theirs)}): install it where it runs"
                )
            _refuse_differences(worker, theirs, ours)
        yield engine


@contextmanager
def _quiet_dask() -> Iterator[None]:
    """Keep dask's log to itself: what matters of it comes as an error, in one line."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    loggers = [logging.getLogger(name) for name in {"distributed", *names}]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextmanager
def _client(address: Any) -> Iterator[Client]:
    if isinstance(address, Client):
        yield address
    elif not isinstance(address, str) or not address.strip():
        raise ParameterError(
            f"dask expects the address of a scheduler such as tcp://host:8786, a scheduler file, "
            f"or local; got {shown(address)}"
        )
    elif address == "local":
        with _local_cluster() as cluster, _reached(cluster.scheduler_address) as client:
            yield client
    else:
        with _reached(address) as client:
            yield client


@contextmanager
def _local_cluster() -> Iterator[LocalCluster]:
    """Give processes on this machine, one thread each, that nobody else can reach."""
    settings = {"distributed.scheduler.allowed-failures": _LOST_WORKERS}
    with dask.config.set(settings), without_ctrl_c():
        cluster = LocalCluster(
            n_workers=current_workers(),
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # None would open a port to everybody
            memory_limit=None,
            silence_logs=logging.CRITICAL,
        )
    try:
        yield cluster
    finally:
        with suppress(TimeoutError):  # all results are here; its processes end with this one
            cluster.close(timeout=5)


class _SoonClosed(Client):  # type: ignore[misc]  # dask is untyped
    """A client that is closed at once where it cannot be made.

    dask leaves that to the garbage collector: should it come while this thread starts or stops
    another event loop, it would wait for a lock that the thread holds, for ever.
    """

    def __init__(self, *given: Any, **settings: Any) -> None:
        try:
            super().__init__(*given, **settings)
        except BaseException:
            self.__del__()
            raise


@contextmanager
def _reached(address: str) -> Iterator[Client]:
    try:
        place = _address_in(Path(address)) if address.endswith(".json") else address
        client = _SoonClosed(place, timeout=CONNECTING, set_as_default=False)
    except (*_TROUBLE, AssertionError) as problem:  # the latter: its event loop was not up in 10 s
        raise LinkpriorError(
            f"no dask scheduler answers at {address} ({_short(problem)}); start one with `dask "
            "scheduler`, or give --dask local"
        ) from None
    try:
        yield client
    finally:
        client.close(timeout=2)


def _address_in(file: Path) -> str:
    """Return the address in a scheduler file; dask itself would wait for the file for ever."""
    until = time.monotonic() + CONNECTING
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.1)
    content = json.loads(file.read_text(encoding="utf-8"))
    address = content.get("address") if isinstance(content, dict) else None
    if not isinstance(address, str):
        raise ValueError("the file holds no address")
    return address


def _short(problem: BaseException) -> str:
    text = str(problem).strip().partition("\n")[0]
    return text[:200] or type(problem).__name__


# ---------------------------------------------------------------------- what a worker does


def facts() -> Facts:
    """Return all that must be the same on both sides for results to be the same."""
    versions = {"linkprior": __version__, "python": f"{sys.version_info[0]}.{sys.version_info[1]}"}
    for name in _NUMERIC:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return {**versions, _config.KERNELS_VARIABLE: _config.current().kernels}


def _refuse_differences(worker: str, theirs: Facts, ours: Facts) -> None:
    """Refuse a worker whose results might be others than ours."""
    wrong = ", ".join(
        f"{name} {theirs.get(name, 'unknown')} (here {value})"
        for name, value in ours.items()
        if theirs.get(name) != value
    )
    if wrong:
        raise LinkpriorError(
            f"dask worker {worker} has {wrong}: results would not be the same; use one environment"
        )


def hold(payload: bytes) -> bytes:
    """Return a packed task: a result every worker can ask for, and have made again."""
    return payload


_unpacked = lru_cache(maxsize=_HELD)(pickle.loads)


def run_task(payload: bytes, item: bytes, wanted: Facts) -> bytes:
    """Return, packed: whether a task failed on an item, was new here, and its result or error."""
    # One task is one thread of the worker; its environment may allow a task more of them.
    threads = current_workers() if environ.get("LINKPRIOR_WORKERS") else 1
    before, new = _unpacked.cache_info().misses, False
    try:
        _refuse_differences("that joined later", facts(), wanted)
        task = _unpacked(payload)
        new = _unpacked.cache_info().misses > before
        with _config.using(engine=None, workers=threads), one_blas_thread():
            result = task(pickle.loads(item))  # noqa: S301 - a scheduler's users run code anyway
            return pickle.dumps((False, new, result), protocol=5)
    except Exception as problem:
        return _packed(problem, new)


def _packed(problem: Exception, new: bool) -> bytes:
    """Return an error as bytes, with the place where it happened; any error can be sent."""
    problem.add_note("on the worker:\n" + traceback.format_exc())
    try:
        packed = pickle.dumps((True, new, problem), protocol=5)
        pickle.loads(packed)  # noqa: S301 - some errors can be packed and not unpacked
    except Exception:
        plain = LinkpriorError(f"{type(problem).__name__}: {problem}")
        return pickle.dumps((True, new, plain), protocol=5)
    return packed


# ---------------------------------------------------------------------- what we do


class Traffic:
    """What went over the wire, as counted on this side."""

    def __init__(self) -> None:
        self.passes = 0  # maps whose tasks were sent out
        self.sent = 0  # bytes handed to the scheduler: each task once, and its items
        self.copied = 0  # bytes of tasks that workers took, each worker once
        self.received = 0  # bytes of results
        self._lock = threading.Lock()

    def add(self, **more: int) -> None:
        """Count some more; several threads may do so at once."""
        with self._lock:
            for name, number in more.items():
                setattr(self, name, getattr(self, name) + number)

    def __str__(self) -> str:
        passes = f"{self.passes} pass{'es' * (self.passes != 1)}"
        return f"{passes}, {decimal(self.sent)} sent, {decimal(self.received)} received"


class DaskEngine:
    """Maps tasks over the workers of a cluster; `traffic` is what went over the wire so far."""

    def __init__(self, client: Client, patience: float) -> None:
        self.client, self.patience, self.traffic = client, patience, Traffic()
        self._held: OrderedDict[bytes, Future] = OrderedDict()
        self._seen = time.monotonic()  # when there was a worker last
        self._counted, self._threads = -_TICK, 1

    def ended(
        self, task: Callable[[Any], Any], items: list[Any], ordered: bool
    ) -> Iterator[tuple[int, Any]]:
        """Yield (number of the item, task(item)), in order of the items or as they end."""
        if not items:
            return
        payload, todo, following = cloudpickle.dumps(task, protocol=5), deque(range(len(items))), 0
        pending: dict[Future, int] = {}
        ready: dict[int, Any] = {}
        attempts: Counter[int] = Counter()
        self.traffic.add(passes=1)
        try:
            while todo or pending:
                while todo and len(pending) + len(ready) < _AHEAD * max(1, self.threads()):
                    number = todo.popleft()
                    pending[self._send(payload, items[number])] = number
                for future in self._some_done(pending):
                    number = pending.pop(future)
                    try:
                        failed, new, result = self._fetch(future)
                    except (KilledWorker, CancelledError, TimeoutError) as problem:
                        attempts[number] += 1
                        if attempts[number] > ATTEMPTS:
                            raise LinkpriorError(
                                f"every dask worker that took one of the tasks died "
                                f"({_short(problem)}); give workers more memory (--memory-limit of "
                                "`dask worker`) or fewer threads"
                            ) from None
                        todo.appendleft(number)
                        continue
                    self.traffic.add(copied=new * len(payload))
                    if failed:
                        raise result
                    ready[number] = result
                while ready and not ordered:
                    yield ready.popitem()
                while following in ready:
                    yield following, ready.pop(following)
                    following += 1
        finally:
            for future in pending:  # the cluster drops those that are no longer needed
                future.release()

    def _send(self, payload: bytes, item: Any) -> Future:
        """Send an item as it is now, and its task unless the cluster has it already."""
        packed = pickle.dumps(item, protocol=5)
        held = self._held.pop(payload, None)
        if held is None or held.status in ("error", "cancelled", "lost"):
            held = self._submit(hold, payload)
            self.traffic.add(sent=len(payload))
        self._held[payload] = held
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        self.traffic.add(sent=len(packed))
        return self._submit(run_task, held, packed, facts())

    def _submit(self, function: Callable[..., Any], *given: Any) -> Future:
        """Return a future with a name of its own: no result of an earlier run is taken for it."""
        name = f"linkprior-{function.__name__}-{uuid.uuid4().hex}"
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
            return self.client.submit(function, *given, key=name, pure=False)

    def _some_done(self, pending: dict[Future, int]) -> list[Future]:
        """Return futures that are done, none after a second in which none was."""
        try:
            with self.client.as_current():
                done = wait(list(pending), timeout=_TICK, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            self._refuse_emptiness()
            return []
        except CancelledError as problem:
            raise self._lost(problem) from None
        return list(done)

    def _fetch(self, future: Future) -> tuple[bool, bool, Any]:
        """Return what `run_task` returned; a worker that died raises what means "send it again"."""
        try:
            packed = future.result(timeout=CONNECTING)
        except KilledWorker:
            raise
        except (CancelledError, TimeoutError) as problem:  # its worker died before it was fetched
            if self.client.status != "running":
                raise self._lost(problem) from None
            raise
        except Exception as problem:  # not of the task, whose own errors come as results
            raise LinkpriorError(f"a dask worker cannot run tasks: {_short(problem)}") from None
        self.traffic.add(received=len(packed))
        return pickle.loads(packed)  # noqa: S301 - of our own workers

    def threads(self) -> int:
        """Return how many tasks can run at once, workers that came and went counted."""
        now = time.monotonic()
        if now - self._counted >= _TICK:
            try:
                if self.client.status != "running":
                    raise RuntimeError(f"the connection is {self.client.status}")
                asked = self.client.scheduler.ncores
                per_worker = self.client.sync(asked, callback_timeout=CONNECTING)
            except _TROUBLE as problem:
                raise self._lost(problem) from None
            self._threads, self._counted = sum(per_worker.values()), now
            if self._threads:
                self._seen = now
        return self._threads

    def await_worker(self) -> None:
        """Wait for a first worker, but not for ever."""
        self._seen = time.monotonic()
        while not self.threads():
            self._refuse_emptiness()
            time.sleep(0.1)

    def _refuse_emptiness(self) -> None:
        if not self.threads() and time.monotonic() - self._seen > self.patience:
            raise LinkpriorError(
                f"the dask scheduler at {self._address} has had no worker for {self.patience:g} s; "
                "start some with `dask worker`, and run again"
            )

    def _lost(self, problem: BaseException) -> LinkpriorError:
        return LinkpriorError(
            f"the dask scheduler at {self._address} no longer answers ({_short(problem)}); see "
            "whether it runs, and run again"
        )

    @property
    def _address(self) -> str:
        return str(getattr(self.client.scheduler, "address", "its address"))

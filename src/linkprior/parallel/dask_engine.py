"""The engine of dask: tasks go to the workers of a cluster. The one file that imports dask.

A task is packed once per map and held by the scheduler as a task of its own, so that it can be made
again when the worker that has it dies. Items and results are packed by us, and so can be counted.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import pickle
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import cloudpickle
import dask
from distributed import Client, Future, LocalCluster, wait
from distributed.scheduler import KilledWorker

from linkprior._validation import real_number, shown
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.parallel import dask_worker
from linkprior.parallel.ctrl_c import without_ctrl_c
from linkprior.parallel.dask_quiet import quiet_dask
from linkprior.parallel.engine import Traffic
from linkprior.parallel.threads import current_workers

CONNECTING = 10.0  # seconds to reach a scheduler, or to have an answer from it
ATTEMPTS = 3  # times a task is sent out anew after the scheduler has given it up
_LOST_WORKERS = 10  # of a task, until our own scheduler gives it up
_TICK = 1.0  # seconds between two looks at whether anybody is left
_AHEAD = 4  # tasks per thread that wait or run
_HELD = 2  # packed tasks the scheduler keeps for us
_TROUBLE = (OSError, TimeoutError, ValueError, TypeError, RuntimeError, ImportError)


# ---------------------------------------------------------------------- connecting


@contextmanager
def connected(address: Any, patience: float) -> Iterator[DaskEngine]:
    """Give an engine over a cluster whose workers are as we are; all waits are bounded."""
    patience = real_number("wait", patience, 0.0, 1e6)
    with quiet_dask(), _client(address) as client:
        engine = DaskEngine(client, patience)
        try:
            engine.await_worker()
            _check_workers(client)
            yield engine
        finally:
            engine.forget()


@contextmanager
def _client(address: Any) -> Iterator[Client]:
    if isinstance(address, Client):
        yield address
        return
    if not isinstance(address, str) or not address.strip():
        raise ParameterError(
            f"dask expects the address of a scheduler such as tcp://host:8786, a scheduler file, "
            f"or local; got {shown(address)}"
        )
    if address == "local":
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


class _SoonClosed(Client):  # type: ignore[misc]  # dask tells no types
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
    found = content.get("address") if isinstance(content, dict) else None
    if not isinstance(found, str):
        raise ValueError("the file holds no address")
    return found


def _check_workers(client: Client) -> None:
    """Refuse workers that would fail, or whose results might be others than ours."""
    for worker, version in _asked(client, importlib.metadata.version, "linkprior").items():
        if isinstance(version, BaseException):
            raise LinkpriorError(
                f"dask worker {worker} has no linkprior: install linkprior "
                f"{dask_worker.facts()['linkprior']} where it runs"
            )
    for worker, theirs in _asked(client, dask_worker.facts).items():
        if isinstance(theirs, BaseException):
            raise LinkpriorError(
                f"dask worker {worker} has another linkprior ({_short(theirs)}): install "
                f"{dask_worker.facts()['linkprior']} where it runs"
            )
        _refuse(worker, dask_worker.differences(theirs, dask_worker.facts()))


def _asked(client: Client, question: Callable[..., Any], *given: Any) -> dict[str, Any]:
    return dict(client.run(question, *given, on_error="return"))


def _refuse(worker: str, wrong: str) -> None:
    if wrong:
        raise LinkpriorError(
            f"dask worker {worker} has {wrong}: results would not be the same; use one environment"
        )


def _short(problem: BaseException) -> str:
    text = str(problem).strip().partition("\n")[0]
    return text[:200] or type(problem).__name__


# ---------------------------------------------------------------------- working


class DaskEngine:
    """Maps tasks over the workers of a cluster.

    Attributes
    ----------
    traffic
        What went over the wire so far.
    """

    def __init__(self, client: Client, patience: float) -> None:
        self.client, self.patience, self.traffic = client, patience, Traffic()
        self._held: OrderedDict[str, Future] = OrderedDict()
        self._seen = time.monotonic()  # when there was a worker last
        self._counted, self._threads = -_TICK, 1

    def ended(
        self, task: Callable[[Any], Any], items: list[Any], ordered: bool
    ) -> Iterator[tuple[int, Any]]:
        """Yield (number of the item, task(item)), in order of the items or as they end."""
        if items:
            yield from _Pass(self, task, items).results(ordered)

    def hold(self, digest: str, payload: bytes) -> Future:
        """Return where the cluster has a packed task; it is sent unless it is there already."""
        kept = self._held.pop(digest, None)
        if kept is None or kept.status in ("error", "cancelled", "lost"):
            kept = self.submit(dask_worker.hold, payload)
            self.traffic.add(sent=len(payload))
        self._held[digest] = kept
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        return kept

    def submit(self, function: Callable[..., Any], *given: Any) -> Future:
        """Return a future with a name of its own: no result of an earlier run is taken for it."""
        name = f"linkprior-{function.__name__}-{uuid.uuid4().hex}"
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
            return self.client.submit(function, *given, key=name, pure=False)

    def forget(self) -> None:
        """Let the cluster drop what it holds for us."""
        self._held.clear()

    def threads(self) -> int:
        """Return how many tasks can run at once, workers that came and went counted."""
        now = time.monotonic()
        if now - self._counted >= _TICK:
            self._threads, self._counted = sum(self._workers().values()), now
            if self._threads:
                self._seen = now
        return self._threads

    def await_worker(self) -> None:
        """Wait for a first worker, but not for ever."""
        self._seen = time.monotonic()
        while not self.threads():
            self.refuse_emptiness()
            time.sleep(0.1)

    def refuse_emptiness(self) -> None:
        """Raise an error where there has been no worker for too long."""
        if not self.threads() and time.monotonic() - self._seen > self.patience:
            raise LinkpriorError(
                f"the dask scheduler at {self._address} has had no worker for {self.patience:g} s; "
                "start some with `dask worker`, and run again"
            )

    def lost(self, problem: BaseException) -> LinkpriorError:
        """Return what to raise when the scheduler is gone."""
        return LinkpriorError(
            f"the dask scheduler at {self._address} no longer answers ({_short(problem)}); see "
            "whether it runs, and run again"
        )

    @property
    def _address(self) -> str:
        return str(getattr(self.client.scheduler, "address", "its address"))

    def _workers(self) -> dict[str, int]:
        try:
            if self.client.status != "running":
                raise RuntimeError(f"the connection is {self.client.status}")
            asked = self.client.scheduler.ncores
            return dict(self.client.sync(asked, callback_timeout=CONNECTING))
        except _TROUBLE as problem:
            raise self.lost(problem) from None


class _Pass:
    """One map: what is waiting, what has come, and what is tried again."""

    def __init__(self, engine: DaskEngine, task: Callable[[Any], Any], items: list[Any]) -> None:
        self.engine = engine
        self.payload = cloudpickle.dumps(task, protocol=5)
        self.digest = dask_worker.digest_of(self.payload)
        self.items, self.facts = items, dask_worker.facts()
        self.todo = deque(range(len(items)))
        self.pending: dict[Future, int] = {}
        self.ready: dict[int, Any] = {}
        self.attempts = [0] * len(items)
        engine.traffic.add(passes=1)

    def results(self, ordered: bool) -> Iterator[tuple[int, Any]]:
        following = 0
        try:
            while self.todo or self.pending:
                self._send()
                self._receive()
                if not ordered:
                    while self.ready:
                        yield self.ready.popitem()
                while following in self.ready:
                    yield following, self.ready.pop(following)
                    following += 1
        finally:
            for future in self.pending:  # the cluster drops those nobody wants
                future.release()

    def _send(self) -> None:
        """Keep every thread busy, and few results waiting."""
        most = _AHEAD * max(1, self.engine.threads())
        while self.todo and len(self.pending) + len(self.ready) < most:
            number = self.todo.popleft()
            item = pickle.dumps(self.items[number], protocol=5)
            held = self.engine.hold(self.digest, self.payload)
            self.engine.traffic.add(sent=len(item))
            run = dask_worker.run_task
            sent = self.engine.submit(run, self.digest, held, item, self.facts)
            self.pending[sent] = number

    def _receive(self) -> None:
        try:
            with self.engine.client.as_current():
                done, _ = wait(list(self.pending), timeout=_TICK, return_when="FIRST_COMPLETED")
        except TimeoutError:
            self.engine.refuse_emptiness()
            return
        except CancelledError as problem:
            raise self.engine.lost(problem) from None
        for future in done:
            self._take(future, self.pending.pop(future))

    def _take(self, future: Future, number: int) -> None:
        try:
            how, new, packed = future.result(timeout=CONNECTING)
        except KilledWorker as problem:
            self._again(number, problem)
            return
        except (CancelledError, TimeoutError) as problem:
            if self.engine.client.status != "running":
                raise self.engine.lost(problem) from None
            self._again(number, problem)  # its worker died before it was fetched
            return
        except Exception as problem:  # not of the task, whose own errors come as results
            raise LinkpriorError(f"a dask worker cannot run tasks: {_short(problem)}") from None
        self.engine.traffic.add(copied=new * len(self.payload), received=len(packed))
        self.ready[number] = _opened(how, packed)

    def _again(self, number: int, problem: BaseException) -> None:
        self.attempts[number] += 1
        if self.attempts[number] > ATTEMPTS:
            raise LinkpriorError(
                f"every dask worker that took one of the tasks died ({_short(problem)}); give "
                "workers more memory (--memory-limit of `dask worker`) or fewer threads"
            )
        self.todo.appendleft(number)


def _opened(how: str, packed: bytes) -> Any:
    if how == dask_worker.UNFIT:
        _refuse("that came later", packed.decode())
    content = pickle.loads(packed)  # noqa: S301 - of the workers that we sent the code to
    if how == dask_worker.RAISED:
        raise content
    return content

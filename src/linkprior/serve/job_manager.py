"""The networks and jobs of a server. One job runs at a time, the others wait in line."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkprior.errors import LinkpriorError
from linkprior.serve.job_request import JobRequest
from linkprior.serve.jobs import OVER, Job
from linkprior.serve.networks import Network
from linkprior.serve.process import trouble
from linkprior.serve.workspace import Workplace, new_id

MOST_NETWORKS, MOST_JOBS, MOST_WAITING = 20, 100, 10


class BusyError(LinkpriorError):
    """What is asked for cannot be now."""


class JobManager:
    """Everything a server knows. `version` counts changes, so that watchers see there is news."""

    def __init__(self, folder: Path) -> None:
        self.networks: dict[str, Network] = {}
        self.jobs: dict[str, Job] = {}
        self.version = 0
        self.closed = threading.Event()
        self._lock = threading.RLock()
        self._turn = threading.Condition(self._lock)
        self._threads: set[threading.Thread] = set()
        self._shown: list[Path] = []
        self.workplace = Workplace(folder)
        self.jobs |= {job.id: job for job in self.workplace.kept(MOST_JOBS)}
        self._in_thread(self._work)

    # ------------------------------------------------------------------ networks

    def network_folder(self) -> tuple[str, Path]:
        """Return the id and the new folder of a network to come; refuse one too many."""
        self._check_room()
        number = new_id()
        folder = self.workplace.networks / number
        folder.mkdir(mode=0o700)
        return number, folder

    def open_network(self, number: str, folder: Path, name: str, path: Path) -> Network:
        """Take in a network and begin to read it."""
        network = Network(number, name, path, folder, path.stat().st_size)
        with self._lock:
            self._check_room()  # others may have come while this one was sent
            self.networks[number] = network
            self._changed()
        self._in_thread(lambda: network.read(self._changed))
        return network

    def _check_room(self) -> None:
        if len(self.networks) >= MOST_NETWORKS:
            raise BusyError(f"{MOST_NETWORKS} networks are open; close one first")

    def remove_network(self, number: str) -> None:
        """Forget a network; jobs that are over keep what they need of it."""
        with self._lock:
            network = self.networks[number]
            if any(job.network is network and job.state not in OVER for job in self.jobs.values()):
                raise BusyError(f"a job still needs {network.name}; stop it first")
            del self.networks[number]
            self._changed()
        network.remove()

    # ------------------------------------------------------------------ jobs

    def order(self, network: Network, order: JobRequest) -> Job:
        """Line up a job."""
        with self._turn:
            if network.state != "ready" or network.id not in self.networks:
                raise BusyError(f"{network.name} has not been read, or was closed")
            if sum(job.state == "waiting" for job in self.jobs.values()) >= MOST_WAITING:
                raise BusyError(f"{MOST_WAITING} jobs are waiting; wait for one, or stop some")
            if len(self.jobs) >= MOST_JOBS:
                raise BusyError(f"{MOST_JOBS} jobs are kept; remove some that are over")
            number = new_id()
            job = Job.ordered(number, self.workplace.jobs / number, network, order)
            self.jobs[number] = job
            self._turn.notify_all()
            self._changed()
            return job

    def show(self, title: str, words: str, make: Callable[[Path], None]) -> Job:
        """Take in a result that make(folder) writes, as a job that is done; not kept for later."""
        number = new_id()
        folder = self.workplace.jobs / number
        folder.mkdir(mode=0o700)
        self._shown.append(folder)
        make(folder)
        job = self.jobs[number] = Job(number, folder, title, words, [], state="done")
        self._changed()
        return job

    def stop_job(self, number: str) -> None:
        """Stop a job; one that is over stays as it is."""
        with self._lock:
            job = self.jobs[number]
            job.call_off()
            self._changed()
        job.stop()

    def remove_job(self, number: str) -> None:
        """Forget a job that is over."""
        with self._lock:
            job = self.jobs[number]
            if job.state not in OVER:
                raise BusyError("the job is not over; stop it first")
            del self.jobs[number]
            self._changed()
        job.remove()

    def state(self) -> dict[str, Any]:
        """Return all that a page shows, newest first."""
        with self._lock:
            jobs = list(self.jobs.values())
            ahead = 0
            facts = []
            for job in jobs:
                facts.append(job.facts(ahead))
                ahead += job.state not in OVER
            return {
                "networks": [one.facts() for one in reversed(self.networks.values())],
                "jobs": facts[::-1],
            }

    def close(self) -> None:
        """Stop all that runs and begin nothing more; returns when it has ended."""
        self.closed.set()
        with self._turn:
            self._turn.notify_all()
            jobs, networks = list(self.jobs.values()), list(self.networks.values())
            for job in jobs:
                if job.state not in OVER:
                    job.call_off()
        for job in jobs:
            job.stop()
        for network in networks:
            network.remove()
        for folder in self._shown:
            shutil.rmtree(folder, ignore_errors=True)
        for thread in list(self._threads):
            thread.join(10.0)
        self.workplace.close()

    # ------------------------------------------------------------------ the work

    def _work(self) -> None:
        """Run jobs, one after the other, in the order they came."""
        while (job := self._next()) is not None:
            try:
                job.run(self._changed)
            except Exception as problem:  # no process, no room on the disk: the next one may do
                job.state, job.error = "failed", trouble(problem)
                self._changed()

    def _next(self) -> Job | None:
        with self._turn:
            while not self.closed.is_set():
                for job in self.jobs.values():
                    if job.state == "waiting":
                        job.state = "running"
                        self._changed()
                        return job
                self._turn.wait()
        return None

    def _changed(self) -> None:
        with self._lock:
            self.version += 1

    def _in_thread(self, work: Callable[[], object]) -> None:
        def all_of_it() -> None:
            try:
                work()
            finally:
                self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=all_of_it, name="serve", daemon=True)
        self._threads.add(thread)
        thread.start()

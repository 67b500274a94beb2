"""Jobs: what a page asks for, its process and folder, its result, and the queue of all of them."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior._validation import shown
from linkprior.errors import LinkpriorError, ParameterError
from linkprior.io.atomic_files import whole_file
from linkprior.predictors.registry import DEFAULT_MODEL, WRAPPERS, names
from linkprior.serve.process import Child, describe_exit, describe_failure
from linkprior.serve.workspace import Network, Workspace, json_object, new_folder

if TYPE_CHECKING:
    from linkprior.pipeline.run_folder import Run

# ---------------------------------------------------------------------- what a page asks for

EFFORTS = ("fast", "normal", "thorough")
MOST_LINKS = 100_000
_LONGEST, _MOST_SETTINGS = 200, 40
_FIELDS = {"network", "model", "top", "effort", "node", "seed", "settings"}


@dataclass(frozen=True)
class JobRequest:
    """One prediction as it was chosen on the page: checked, then options of `linkprior predict`."""

    model: str = DEFAULT_MODEL
    top: int = 100
    effort: str | None = None
    node: str | None = None
    seed: int = 0
    settings: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> JobRequest:
        """Return the request in a form of the page, or raise an error that says what is wrong."""
        unknown = sorted(set(given) - _FIELDS)
        if unknown:
            raise ParameterError(f"there is no setting {shown(unknown[0])}")
        model = _text(given, "model") or DEFAULT_MODEL
        *wrappers, base = model.split(":")  # looked up by name: loading a model takes its time
        if base not in names() or any(name not in WRAPPERS for name in wrappers):
            raise ParameterError(f"no model is called {shown(model)}; see linkprior models")
        effort = _text(given, "effort") if model == "auto" else None
        if effort not in (None, *EFFORTS):
            raise ParameterError(f"effort expects {', '.join(EFFORTS)}, got {shown(effort)}")
        return cls(
            model,
            _number(given, "top", 100, 1, MOST_LINKS),
            effort,
            _text(given, "node"),
            _number(given, "seed", 0, 0, 2**32 - 1),
            _settings(given.get("settings")),
        )

    @property
    def summary(self) -> str:
        """What the list of jobs shows of it."""
        around = f" of {self.node}" if self.node else ""
        links = f"{self.top:,} link{'s' * (self.top != 1)}"
        effort = f" ({self.effort})" if self.effort else ""
        return f"{self.model}{effort}, {links}{around}"

    def options(self) -> list[str]:
        """Return its options; names and values in one word, so that no value becomes an option."""
        options = [f"--model={self.model}", f"--top={self.top}"]
        for name in ("effort", "node", "seed"):
            if value := getattr(self, name):
                options.append(f"--{name}={value}")
        return options + [f"--set={setting}" for setting in self.settings]


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
        raise ParameterError(f"{name} expects a short text, got {shown(value)}")
    return value.strip() or None


def _number(given: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = given.get(name)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        expected = f"a whole number from {least:,} to {most:,}"
        raise ParameterError(f"{name} expects {expected}, got {shown(value)}")
    return value


def _settings(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list) or len(given) > _MOST_SETTINGS:
        raise ParameterError(f"settings expects at most {_MOST_SETTINGS} lines of name=value")
    lines = (_text({"settings": line}, "settings") for line in given)
    settings = tuple(line for line in lines if line)
    for line in settings:
        name, equals, _ = line.partition("=")
        if not equals or not name.isidentifier():
            raise ParameterError(f"settings expects name=value, got {shown(line)}")
    return settings


# ---------------------------------------------------------------------- its result

PAGE = "page.html"
# Kinds that can be downloaded → file name in a job's folder, and media type.
FILES = {
    "tsv": ("ranking.tsv", "text/tab-separated-values; charset=utf-8"),
    "graphml": ("ranking.graphml", "application/graphml+xml"),
    "cx2": ("ranking.cx2", "application/json"),
    "log": ("messages.txt", "text/plain; charset=utf-8"),
}


def export_run(run_folder: Path, target: Path, name: str, command: list[str]) -> None:
    """Write page, TSV, GraphML and CX2 of a run, with another name of its input and command."""
    from linkprior.pipeline.run_folder import load_run
    from linkprior.report import prediction_page, write_page

    run = load_run(run_folder)
    report, manifest = {**run.input_report, "file": name}, {**run.manifest, "command": command}
    write_page(target / PAGE, prediction_page(run.model, run.ranking, report, manifest))
    write_rankings(run, target)


def write_rankings(run: Run, target: Path) -> None:
    """Write the ranking of a run as TSV, GraphML and CX2."""
    from linkprior.io.writers import write_ranking

    facts = {key: run.manifest.get(key) for key in ("model", "seed", "network_digest")}
    for format in ("tsv", "graphml", "cx2"):
        with whole_file(target / FILES[format][0]) as stream:
            write_ranking(stream, run.ranking, format, run.network, facts)


# ---------------------------------------------------------------------- one job

_SHOWN_LINES = 8
JOB, MESSAGES = "job.json", FILES["log"][0]
FINAL = ("done", "failed", "stopped")


@dataclass(eq=False)
class Job:
    """A prediction in a process and a folder of its own."""

    folder: Path
    title: str
    words: str
    command: list[str]
    state: str = "waiting"  # then running, then one of FINAL
    network: Network | None = None
    request: JobRequest | None = None
    progress: dict[str, Any] | None = None  # as last reported: name, fraction, elapsed, left
    error: str | None = None
    seconds: float | None = None
    messages: tuple[str, ...] = ()  # its last messages
    _stop_asked: threading.Event = field(default_factory=threading.Event)
    _child: Child | None = None

    @classmethod
    def create(cls, parent: Path, network: Network, request: JobRequest) -> Job:
        dashed = network.name.startswith("-")  # it would be taken for an option
        command = ["linkprior", "predict", "./" * dashed + network.name, *request.options()]
        job = cls(new_folder(parent), network.name, request.summary, command)
        job.network, job.request = network, request
        try:
            job._save()
        except OSError:
            job.remove()
            raise
        return job

    @classmethod
    def restore(cls, folder: Path) -> Job | None:
        """Return the job of an earlier server; None where the folder was cut off or is not ours."""
        try:
            facts = json_object((folder / JOB).read_text(encoding="utf-8")) or {}
        except (OSError, ValueError):
            return None
        title, words, command = (facts.get(name) for name in ("title", "words", "command"))
        if not isinstance(command, list) or "state" not in facts:
            return None
        error = facts.get("error")
        texts = (title, words, *command, "" if error is None else error)
        if not all(isinstance(text, str) for text in texts):
            return None
        state = facts["state"] if facts["state"] in FINAL else "stopped"
        return cls(folder, str(title), str(words), command, state=state, error=error)

    @property
    def id(self) -> str:
        """What it is called in addresses."""
        return self.folder.name

    @property
    def is_over(self) -> bool:
        return self.state in FINAL

    def run(self, changed: Callable[[], None]) -> None:
        """Run it to its end, whatever that is; changed() is called whenever there is news."""
        began = time.monotonic()
        child = self._child = Child(["linkprior.serve.job_main"], self.folder)
        if self._stop_asked.is_set():  # meanwhile
            child.stop()
        try:
            with (self.folder / MESSAGES).open("a", encoding="utf-8", errors="replace") as log:
                for line in child.lines():
                    self._receive(line, log.write)
                    changed()
        except BaseException:  # the disk is full, say: nobody would read its messages
            child.stop()
            raise
        finally:
            status = child.wait()
        self.seconds = round(time.monotonic() - began, 1)
        if status == 0:
            self.state = "done"
        elif self._stop_asked.is_set():
            self.state = "stopped"
        else:
            self.state = "failed"
            last = self.messages[-1].removeprefix("linkprior: ") if self.messages else ""
            self.error = last if status in (1, 2) and last else describe_exit(status, last)
        self.progress = None
        with suppress(OSError):  # a full disk keeps no job from coming to its end
            self._save()
        changed()

    def _receive(self, line: str, write: Callable[[str], Any]) -> None:
        """Take a line of the command: its progress, or a message."""
        assert self.network is not None
        content = json_object(line) or {}
        if isinstance(content.get("progress"), dict):
            name = self.network.named(str(content["progress"].get("name")))
            self.progress = {**content["progress"], "name": name}
            return
        text = self.network.named(str(content.get("say", line)))
        write(text + "\n")
        self.messages = (*self.messages, *text.splitlines())[-_SHOWN_LINES:]  # whole at any moment

    def cancel(self) -> None:
        """Never begin it, where it waits; end it as soon as it begins, where it is about to."""
        self._stop_asked.set()
        if self.state == "waiting":
            self.state = "stopped"
            with suppress(OSError):  # somebody may have removed the folder
                self._save()

    def stop(self) -> None:
        """End its process as Ctrl-C would; returns when it has ended."""
        if self.state == "running" and self._child is not None:
            self._child.stop()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def file(self, name: str) -> Path | None:
        """Return one of its files by its fixed name, None where there is none (yet)."""
        path = self.folder / name
        return path if path.is_file() else None

    def facts(self, ahead: int = 0) -> dict[str, Any]:
        """Return what the page shows of it; `ahead` jobs come before it."""
        names = ("id", "title", "words", "command", "state", "progress", "error", "seconds")
        files = [kind for kind, (name, _) in FILES.items() if self.file(name) is not None]
        return {
            **{name: getattr(self, name) for name in names},
            "messages": list(self.messages),
            "ahead": ahead,
            "page": self.state == "done" and self.file(PAGE) is not None,
            "files": [kind for kind in files if kind == "log" or self.state == "done"],
        }

    def _save(self) -> None:
        """Write it into its folder; the process reads its arguments there."""
        names = ("title", "words", "command", "state", "error", "seconds")
        facts: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.network is not None and self.request is not None:
            options = ["--progress=json", "predict", *self.request.options(), "-o", "run/"]
            facts["name"] = self.network.name
            facts["arguments"] = [*options, "--", str(self.network.path)]
        with whole_file(self.folder / JOB) as stream:
            json.dump(facts, stream, indent=1)


# ---------------------------------------------------------------------- all of them

MOST_NETWORKS, MOST_JOBS, MOST_WAITING = 20, 100, 10


class BusyError(LinkpriorError):
    """What is asked for cannot be now."""


class JobManager:
    """The networks and jobs of a server. One job runs at a time, the others wait in line."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace(folder)
        self.networks: dict[str, Network] = {}
        saved = map(Job.restore, self.workspace.saved_jobs(MOST_JOBS))
        self.jobs = {job.id: job for job in saved if job is not None}
        self.version = 0  # counts changes, so that watchers see there is news
        self.closed = threading.Event()
        self._lock = threading.RLock()
        self._turn = threading.Condition(self._lock)
        self._threads: set[threading.Thread] = set()
        self._shown: list[Path] = []
        self._in_thread(self._work)

    def network_folder(self) -> Path:
        """Return the new folder of a network to come; refuse one too many."""
        self._check_room()
        return new_folder(self.workspace.networks)

    def open_network(self, folder: Path, name: str, path: Path) -> Network:
        network = Network(folder.name, name, path, folder, path.stat().st_size)
        with self._lock:
            self._check_room()  # others may have come while this one was sent
            self.networks[network.id] = network
            self._changed()
        self._in_thread(lambda: network.read(self._changed))
        return network

    def _check_room(self) -> None:
        if len(self.networks) >= MOST_NETWORKS:
            raise BusyError(f"{MOST_NETWORKS} networks are open; close one first")

    def remove_network(self, id: str) -> None:
        """Forget a network; jobs that are over have what they need of it."""
        with self._lock:
            network = self.networks[id]
            if any(job.network is network and not job.is_over for job in self.jobs.values()):
                raise BusyError(f"a job still needs {network.name}; stop it first")
            del self.networks[id]
            self._changed()
        network.remove()

    def submit(self, network: Network, request: JobRequest) -> Job:
        with self._turn:
            if network.state != "ready" or network.id not in self.networks:
                raise BusyError(f"{network.name} has not been read, or was closed")
            if sum(job.state == "waiting" for job in self.jobs.values()) >= MOST_WAITING:
                raise BusyError(f"{MOST_WAITING} jobs are waiting; wait for one, or stop some")
            if len(self.jobs) >= MOST_JOBS:
                raise BusyError(f"{MOST_JOBS} jobs are stored; remove finished ones")
            job = Job.create(self.workspace.jobs, network, request)
            self.jobs[job.id] = job
            self._turn.notify_all()
            self._changed()
            return job

    def show(self, title: str, words: str, make: Callable[[Path], None]) -> Job:
        """Add a result that make(folder) writes, as a job that is done; not saved for later."""
        folder = new_folder(self.workspace.jobs)
        self._shown.append(folder)
        make(folder)
        job = self.jobs[folder.name] = Job(folder, title, words, [], state="done")
        self._changed()
        return job

    def stop_job(self, id: str) -> None:
        """Stop a job; one that is over stays as it is."""
        with self._lock:
            job = self.jobs[id]
            job.cancel()
            self._changed()
        job.stop()

    def remove_job(self, id: str) -> None:
        with self._lock:
            job = self.jobs[id]
            if not job.is_over:
                raise BusyError("the job is still running; stop it first")
            del self.jobs[id]
            self._changed()
        job.remove()

    def state(self) -> dict[str, Any]:
        """Return all that the page shows, newest first."""
        with self._lock:
            facts, ahead = [], 0
            for job in self.jobs.values():
                facts.append(job.facts(ahead))
                ahead += not job.is_over
            networks = [one.facts() for one in reversed(self.networks.values())]
            return {"networks": networks, "jobs": facts[::-1]}

    def close(self) -> None:
        """Stop all that runs and begin nothing more; returns when it has ended."""
        self.closed.set()
        with self._turn:
            self._turn.notify_all()
            jobs, networks = list(self.jobs.values()), list(self.networks.values())
            for job in jobs:
                if not job.is_over:
                    job.cancel()
        for job in jobs:
            job.stop()
        for network in networks:
            network.remove()
        for folder in self._shown:
            shutil.rmtree(folder, ignore_errors=True)
        for thread in list(self._threads):
            thread.join(10.0)
        self.workspace.close()

    def _work(self) -> None:
        """Run jobs, one after the other, in the order they came."""
        while (job := self._next()) is not None:
            try:
                job.run(self._changed)
            except Exception as problem:  # no process, no room on the disk: the next one may do
                job.state, job.error = "failed", describe_failure(problem)
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
        def run() -> None:
            try:
                work()
            finally:
                self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=run, name="serve", daemon=True)
        self._threads.add(thread)
        thread.start()

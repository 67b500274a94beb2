"""Where commands are disturbed: the commands, fresh folders, and what an undisturbed run leaves."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import linkprior as lp
from linkprior.experiments.paper import PLASMODIUM
from linkprior.predictors.registry import MODELS
from torture.fork_server import End, ForkServer

MANIFEST_CLOCK = ("started", "finished", "seconds", "peak_memory_mb")
RESULTS_CLOCK = ("written", "seconds")

EVERY_MODEL = (*MODELS, "degree:l3", "degree:pu", "consensus:pu")
Files = dict[str, bytes]
T = TypeVar("T")


def files_in(folder: Path) -> Files:
    paths = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def leftovers(files: Files) -> list[str]:
    return [name for name in files if any(p.endswith((".part", ".old")) for p in name.split("/"))]


def until(end: float, things: Iterable[T]) -> Iterator[T]:
    for thing in things:
        if time.monotonic() > end:
            return
        yield thing


def settled(files: Files) -> dict[str, Any]:
    """Return what must be the same in the end, by name: logs and times need not."""
    return {name: _settled(name, content) for name, content in files.items()}


def _settled(name: str, content: bytes) -> Any:
    last = name.rsplit("/", 1)[-1]
    if last == "log.txt":
        return "a log"
    if last == "journal.log":
        return trials_in(content)
    clocks = MANIFEST_CLOCK if name.endswith("run/manifest.json") else ()
    if last == "results.json" and b'"experiment"' in content:
        clocks = RESULTS_CLOCK
    if clocks:
        with contextlib.suppress(ValueError):
            return {k: v for k, v in json.loads(content).items() if k not in clocks}
    return content


def differences(found: Files, wanted: Files) -> list[str]:
    """Name the files that are missing, too many, or not the same."""
    a, b = settled(found), settled(wanted)
    every = sorted({*a, *b})
    return [one for one in every if (one in a, a.get(one)) != (one in b, b.get(one))]


def torn(files: Files, before: Files, after: Files) -> list[str]:
    """Name the files with a final name that are neither as before nor as after an undisturbed run.

    A run's manifest is also right while it says that the run is incomplete.
    """
    old, new, wrong = settled(before), settled(after), []
    for name, content in settled(files).items():
        if name in leftovers(files) or name.endswith("log.txt"):
            continue
        if name.endswith("journal.log"):
            wrong += [name] * any(trial not in new[name] for trial in content)
        elif not (name.endswith("run/manifest.json") and _incomplete(files[name])):
            wrong += [name] * (content not in (old.get(name), new.get(name)))
    return wrong


def vouched(files: Files, before: Files, after: Files) -> bool:
    """Tell whether a run folder that says it is complete is so, as before or as after."""

    def of_run(whole: Files) -> Files:
        return {name: whole[name] for name in whole if name.startswith("run/")}

    manifest = files.get("run/manifest.json")
    if manifest is None or _incomplete(manifest):
        return True
    gone = {*leftovers(files)}
    return any({*differences(of_run(files), of_run(one))} <= gone for one in (before, after))


def _incomplete(content: bytes) -> bool:
    return json.loads(content)["status"] == "incomplete"


def trials_in(journal: bytes) -> Any:
    """Return the finished trials of a journal; what was given up after a kill is no trial."""
    attrs: dict[int, dict[str, Any]] = {}
    states: dict[int, tuple[int, Any]] = {}
    born = 0
    for line in journal.splitlines(keepends=True):
        step = json.loads(line) if line.endswith(b"\n") else {}  # else cut off by a kill
        if step.get("op_code") == 4:  # a new trial
            attrs[born] = dict(step.get("user_attrs", {}))
            born += 1
        elif step.get("op_code") == 8:  # a user attribute
            attrs[step["trial_id"]] |= step["user_attr"]
        elif step.get("op_code") == 6:  # its state
            states[step["trial_id"]] = step["state"], step.get("values")
    kept = [(attrs[n], state) for n, state in states.items() if not attrs[n].get("reaped")]
    return sorted(kept, key=lambda one: one[0]["setting"])


_FIT = ["--model", "tri-degree", "--set", "n_starts=1", "--set", "max_iter=4", "--set", "warmup=2"]
_PREDICT = ["predict", "edges.tsv", *_FIT, "--top", "20", "-q"]
_OTHER = [*_PREDICT, "--seed", "5"]
_LINKS, _RUN = ["-o", "links.tsv"], ["-o", "run/"]
_CSV = ["--format", "csv", *_RUN]
_SAVED = [*_LINKS, "--save", "model"]
_TUNE = ["tune", "edges.tsv", "--model", "katz", "--trials", "3", "--inner", "2", "-q"]
_PROCESSES = ["--executor", "processes", "--workers", "2"]
_DATA = ["--data", "data", "-q"]
_BENCHMARK = ["benchmark", "USAir", "--models", "pa,cn", *_DATA]
_REPRODUCE = ["reproduce", "plasmodium", "--quick", *_DATA]
_EVALUATE = ["evaluate", "edges.tsv", "--models", "cn,l3", "--repeats", "2", "-q"]


@dataclass(frozen=True)
class Job:
    """A command, and the one whose result is there already when it begins."""

    name: str
    parts: str  # of torture that disturb it
    argv: list[str]
    before: list[str] | None = None
    workers: int = 1  # units of work at a time


JOBS = {
    job.name: job
    for job in (
        Job("predict file", "writes", [*_PREDICT, *_LINKS]),
        Job("predict over a file", "writes", [*_PREDICT, *_LINKS], [*_OTHER, *_LINKS]),
        Job("predict run", "kills writes memory locks", [*_PREDICT, *_CSV]),
        Job("another run", "", [*_OTHER, *_RUN]),
        Job("predict over a run", "kills writes", [*_PREDICT, *_CSV, "--force"], [*_OTHER, *_RUN]),
        Job("predict report", "writes", [*_PREDICT, *_LINKS, "--report", "page.html"]),
        Job("predict save", "writes", [*_PREDICT, *_SAVED]),
        Job("predict save over", "kills writes", [*_PREDICT, *_SAVED], [*_OTHER, *_SAVED]),
        Job("tune", "kills writes memory locks", [*_TUNE, "--study", "study"]),
        Job("tune in processes", "", [*_TUNE, "--study", "study", *_PROCESSES], workers=2),
        Job("evaluate", "kills writes memory locks", [*_EVALUATE, "-o", "judged"]),
        Job("benchmark", "kills writes locks", [*_BENCHMARK, "-o", "bench"]),
        Job("reproduce", "kills writes locks", [*_REPRODUCE, "-o", "paper"]),
        Job("report", "writes", ["report", "run", "-q"], [*_PREDICT, *_RUN]),
    )
}


def disturbed_by(part: str) -> list[str]:
    return [job.name for job in JOBS.values() if part in job.parts.split()]


def write_edges(path: Path, net: lp.Network) -> None:
    text = "".join(f"{net.names[i]}\t{net.names[j]}\n" for i, j in net.edges)
    path.write_text(text, encoding="utf-8")


def copied(template: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(template, place)
    return place


@dataclass
class Undisturbed:
    """What one command does when nobody disturbs it."""

    job: Job
    template: Path
    before: Files
    after: Files
    calls: list[list[str]]  # kind and path of each call of the file system
    units: int  # fits or cells
    seconds: float


@dataclass
class Sandbox:
    """A fork server, a folder for its children, and what undisturbed commands did."""

    server: ForkServer
    base: Path
    known: dict[str, Undisturbed] = field(default_factory=dict)

    def of(self, name: str) -> Undisturbed:
        """Return what a command does undisturbed; two runs must leave the same."""
        if name not in self.known:
            self.known[name] = self._watch(JOBS[name])
        return self.known[name]

    def fresh(self, known: Undisturbed) -> Path:
        return copied(known.template, self.base / "place")

    def _watch(self, job: Job) -> Undisturbed:
        template = copied(self.base / "inputs", self.base / job.name.replace(" ", "-"))
        if job.before is not None:
            end = self.server.run(job.before, template)
            assert end.status == 0, end
        found, seconds = [], []
        for _ in range(2):
            place = copied(template, self.base / "place")
            child = self.server.start(job.argv, place)
            end = child.wait()
            assert end.status == 0, (job.name, end)
            found.append(files_in(place))
            seconds.append(end.seconds)
        different = differences(*found)
        assert not different, f"{job.name}: two undisturbed runs differ in {different}"
        units = [call for call in child.calls() if call[0] == "unit"]
        calls = [call for call in child.calls() if call[0] != "unit"]
        before = files_in(template)
        return Undisturbed(job, template, before, found[0], calls, len(units), min(seconds))


@contextlib.contextmanager
def open_sandbox(place: Path | None = None) -> Iterator[Sandbox]:
    """Yield a sandbox in a temporary folder, removed in the end."""
    base = Path(tempfile.mkdtemp(prefix="torture-", dir=place))
    try:
        net = lp.planted_network(n_nodes=40, n_groups=4, mean_degree=5, seed=3)
        for name in ("edges.tsv", f"data/{PLASMODIUM}", "data/lp-classic/USAir.txt"):
            (base / "inputs" / name).parent.mkdir(parents=True, exist_ok=True)
            write_edges(base / "inputs" / name, net)
        yield Sandbox(ForkServer(base / "side"), base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def broken(known: Undisturbed, place: Path) -> list[str]:
    """Say what is wrong in a folder right after a disturbance."""
    files = files_in(place)
    wrong = [f"torn: {name}" for name in torn(files, known.before, known.after)]
    if not vouched(files, known.before, known.after):
        wrong.append("says it is complete and is not")
    return wrong


def unsettled(known: Undisturbed, place: Path, end: End) -> list[str]:
    """Say what is wrong after the same command was given again and not disturbed."""
    if end.hung:
        return ["the next run hangs"]
    if end.status:
        return [f"the next run ends with {end.status}: {end.err.strip()[-200:]}"]
    files = files_in(place)
    left = leftovers(files)
    wrong = [f"left over: {name}" for name in left]
    others = [name for name in differences(files, known.after) if name not in left]
    return wrong + [f"differs: {name}" for name in others]

"""A process that has loaded linkprior once and forks a child for every run of the command.

A fork takes some milliseconds where a start takes a second, so thousands of kills and failures fit
into minutes. The child is a process like any other: its own threads, files, locks and signals.

Spoken to in lines of JSON on standard input and output; `ForkServer` is the other end.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torture.faults import Faults

HANG = 120.0  # seconds after which a child counts as hung; a run takes one or two
_LOADED = """torture.faults linkprior.cli.main linkprior.cli.interrupt linkprior.io.read
linkprior.pipeline.predict linkprior.evaluation.evaluate linkprior.evaluation.results
linkprior.evaluation.tuning.tune linkprior.experiments.benchmark linkprior.experiments.reproduction
linkprior.report.prediction optuna
optuna.storages.journal matplotlib.figure matplotlib.backends.backend_agg
matplotlib.backends.backend_svg pandas scipy.sparse.linalg scipy.stats sklearn.linear_model
safetensors.numpy rich.progress"""


@dataclass(frozen=True)
class End:
    """How a child ended: its exit status (negative: the signal), what it said, how long it took."""

    status: int
    out: str
    err: str
    seconds: float
    hung: bool = False


class ForkServer:
    """Starts children; use as a context manager. `side` keeps what they say and count."""

    def __init__(self, side: Path) -> None:
        self.side = side
        side.mkdir(parents=True, exist_ok=True)
        self._number = 0
        self._errors = (side / "server.err").open("w", encoding="utf-8")
        alone = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "torture.fork_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, **alone, "MPLBACKEND": "agg", "LINKPRIOR_OFFLINE": "1"},
            cwd=Path(__file__).resolve().parents[1],
        )

    def close(self) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(HANG)
        finally:
            self._process.kill()
            self._process.stdout.close()
            self._errors.close()

    def start(self, argv: list[str], cwd: Path, **plan: Any) -> Child:
        """Start the command in a folder; plan: at, do, lasting (`Faults`), memory, side."""
        self._number += 1
        files = {name: str(self.side / f"{self._number}.{name}") for name in ("out", "err")}
        trace = plan.pop("trace", str(self.side / f"{self._number}.trace"))
        for path in (*files.values(), trace):
            Path(path).touch()  # a child may be killed before it has opened them
        asked = {"argv": argv, "cwd": str(cwd), "trace": trace, **files, **plan}
        return Child(self, self._ask(start=asked)["pid"], files, Path(trace), time.monotonic())

    def run(self, argv: list[str], cwd: Path, **plan: Any) -> End:
        return self.start(argv, cwd, **plan).wait()

    def _ask(self, **what: Any) -> dict[str, Any]:
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError((self.side / "server.err").read_text(encoding="utf-8")[-2000:])
        return json.loads(answer)


@dataclass(frozen=True)
class Child:
    server: ForkServer
    pid: int
    files: dict[str, str]
    trace: Path
    began: float

    def kill(self) -> None:
        """Send SIGKILL; nobody has waited for it yet, so the number is still its own."""
        os.kill(self.pid, 9)

    def wait(self, limit: float = HANG) -> End:
        """Return how it ended; one that does not end is killed and said to have hung."""
        status = self.server._ask(wait=self.pid, limit=limit)["status"]
        hung = status is None
        if hung:
            self.kill()
            status = self.server._ask(wait=self.pid, limit=limit)["status"]
        said = {}
        for name, path in self.files.items():
            said[name] = Path(path).read_text("utf-8", "replace")
            Path(path).unlink()
        return End(status, said["out"], said["err"], time.monotonic() - self.began, hung)

    def calls(self) -> list[list[str]]:
        return [line.split("\t") for line in self.trace.read_text("utf-8").splitlines()]


def main() -> None:
    for name in _LOADED.split():
        import_module(name)
    for line in sys.stdin:
        asked = json.loads(line)
        if "start" in asked:
            answer: dict[str, Any] = {"pid": _born(asked["start"])}
        else:
            answer = {"status": _waited(asked["wait"], asked["limit"])}
        print(json.dumps(answer), flush=True)


def _waited(pid: int, limit: float) -> int | None:
    ends = time.monotonic() + limit
    while time.monotonic() < ends:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


def _born(asked: dict[str, Any]) -> int:
    """Start a child with its own streams, folder and limits; return its number."""
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        os.setsid()
        for number, name in enumerate((os.devnull, asked["out"], asked["err"])):
            way = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY
            fd = os.open(name, way, 0o600)
            os.dup2(fd, number)
            os.close(fd)
        os.chdir(asked["cwd"])
        if "memory" in asked:
            now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            most = now + int(asked["memory"])
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        status = _live(asked)
    except SystemExit as done:
        status = done.code if isinstance(done.code, int) else int(done.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _live(asked: dict[str, Any]) -> int:
    from torture.faults import Faults

    faults = Faults(asked["cwd"], asked["trace"], asked)
    _hold_clocks(faults)
    faults.install()
    sys.argv = ["linkprior", *asked["argv"]]
    if "call" in asked:  # some other function of the tests, not the command
        module, _, name = asked["call"].partition(":")
        return int(getattr(import_module(module), name)(*asked["argv"]) or 0)
    from linkprior.cli import main as command

    command()
    return 0


def _hold_clocks(faults: Faults) -> None:
    """Let every cell take a second and 100 MB, so that files can be compared byte for byte.

    Each fit that begins is noted, so that work done twice can be counted.
    """
    from linkprior.evaluation import evaluate
    from linkprior.evaluation.tuning.study import StudyFolder
    from linkprior.experiments import reproduction
    from linkprior.experiments.paper import METHODS, VARIANTS
    from linkprior.pipeline.predict import PredictJob
    from linkprior.predictors.registry import find

    def note(owner: Any, name: str, unit: str, stage: str = "") -> None:
        real = getattr(owner, name)

        def noted(*args: Any, **more: Any) -> Any:
            if not stage or args[1] == stage:
                os.write(faults.trace, f"unit\t{unit}\n".encode())
            return real(*args, **more)

        setattr(owner, name, noted)

    def same_time(*args: Any, **more: Any) -> Any:
        cell = real_cell(*args, **more)
        return replace(cell, values={**cell.values, "seconds": 1.0, "peak_mb": 100.0})

    def one_short_start(name: str, seed: int, params: dict[str, Any], network: Any) -> Any:
        known = find(METHODS["Tri+Degree"] if name in VARIANTS else name).parameter_names()
        few = {"n_starts": 1, "max_iter": 2, "warmup": 2}  # what is written is the same
        short = {k: v for k, v in few.items() if k in known}
        return real_seeded(name, seed, {**params, **short}, network)

    real_cell, evaluate.evaluate_cell = evaluate.evaluate_cell, same_time
    real_seeded, reproduction._seeded = reproduction._seeded, one_short_start
    note(evaluate, "evaluate_cell", "cell")
    note(PredictJob, "_timed", "fit", stage="fitting")
    note(StudyFolder, "begin", "setting")


if __name__ == "__main__":
    main()

"""Children forked from a process that has loaded linkprior once.

A fork takes some milliseconds where a start takes a second, so thousands of kills and failures fit
into minutes. A child is a process like any other: its own threads, files, locks and signals.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import time
import traceback
from dataclasses import dataclass, replace
from importlib import import_module
from multiprocessing import forkserver, get_context, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

if TYPE_CHECKING:
    from torture.faults import Faults

ROOT = Path(__file__).resolve().parents[1]
HANG = 120.0  # seconds after which a child counts as hung; a run takes one or two
_LOADED = """torture.fork_server torture.faults linkprior.cli.main linkprior.cli.interrupt
linkprior.io.read linkprior.pipeline.predict linkprior.evaluation.evaluate
linkprior.evaluation.results linkprior.evaluation.tuning.tune linkprior.experiments.benchmark
linkprior.experiments.reproduction
linkprior.report.prediction optuna optuna.storages.journal matplotlib.figure
matplotlib.backends.backend_agg matplotlib.backends.backend_svg pandas scipy.sparse.linalg
scipy.stats sklearn.linear_model safetensors.numpy rich.progress"""
_ENVIRONMENT = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    **{"MPLBACKEND": "agg", "LINKPRIOR_OFFLINE": "1"},
}


@dataclass(frozen=True)
class End:
    """How a child ended: its exit status (negative: the signal), what it said, how long it took."""

    status: int
    out: str
    err: str
    seconds: float
    hung: bool = False


class ForkServer:
    """Starts children; `side` keeps what they say and count."""

    def __init__(self, side: Path) -> None:
        self.side = side
        side.mkdir(parents=True, exist_ok=True)
        self._number = 0
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(_LOADED.split())
        with contextlib.chdir(ROOT), mock.patch.dict(os.environ, _ENVIRONMENT):
            forkserver.ensure_running()

    def start(self, argv: list[str], cwd: Path, **plan: Any) -> Child:
        """Start the command in a folder; plan: at, do, lasting (`Faults`), memory, trace."""
        self._number += 1
        files = {name: str(self.side / f"{self._number}.{name}") for name in ("out", "err")}
        trace = plan.pop("trace", str(self.side / f"{self._number}.trace"))
        for path in (*files.values(), trace):
            Path(path).touch()  # a child may be killed before it has opened them
        asked = {"argv": argv, "cwd": str(cwd), "trace": trace, **files, **plan}
        process = self._context.Process(target=_live, args=(asked,))
        process.start()
        return Child(process, files, Path(trace), time.monotonic())

    def run(self, argv: list[str], cwd: Path, **plan: Any) -> End:
        return self.start(argv, cwd, **plan).wait()


@dataclass(frozen=True)
class Child:
    process: BaseProcess
    files: dict[str, str]
    trace: Path
    began: float

    def wait(self, limit: float = HANG) -> End:
        """Return how it ended; one that does not end is killed and said to have hung."""
        self.process.join(limit)
        hung = self.process.exitcode is None
        if hung:
            self.process.kill()
            self.process.join()
        said = {}
        for name, path in self.files.items():
            said[name] = Path(path).read_text("utf-8", "replace")
            Path(path).unlink()
        seconds = time.monotonic() - self.began
        return End(self.process.exitcode, said["out"], said["err"], seconds, hung)

    def calls(self) -> list[list[str]]:
        return [line.split("\t") for line in self.trace.read_text("utf-8").splitlines()]


def _live(asked: dict[str, Any]) -> None:
    """Be the command: with streams, a session, a folder and limits of its own."""
    status = 70
    try:
        os.setsid()
        for number, name in enumerate((os.devnull, asked["out"], asked["err"])):
            way = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY
            fd = os.open(name, way, 0o600)
            os.dup2(fd, number)
            os.close(fd)
        os.chdir(asked["cwd"])
        resource_tracker._resource_tracker._fd = None  # that of its parent: it starts its own
        if "memory" in asked:
            now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            most = now + int(asked["memory"])
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        status = _run(asked)
    except SystemExit as done:
        status = done.code if isinstance(done.code, int) else int(done.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _run(asked: dict[str, Any]) -> int:
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

"""A process of the server: how it is started and read, and what runs in it.

`python -m linkprior.serve.process` runs the job of its folder; `… NETWORK REPORT.json` reads a
network file and writes a report. These are separate processes: a file that takes all memory, or
crashes a reader, ends only its own. Each process ends when its standard input closes, so that none
outlives the server: a pipe closes with the process at its other end, however that one ends.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior.errors import LinkpriorError
from linkprior.io.atomic_files import whole_file

if TYPE_CHECKING:
    from linkprior.pipeline.run_folder import Run

GRACE = 4.0  # seconds between SIGTERM and SIGKILL
_TIDYING = 5.0  # seconds a process has that ends because the server did
_LONGEST = 1 << 14  # bytes of a line


class Child:
    """`python -m …` in a folder and a group of its own; what it writes to stderr comes as lines."""

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", *arguments],  # -P: import nothing from the folder
            cwd=folder,
            stdin=subprocess.PIPE,  # closes when the server ends: the process watches it
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def lines(self) -> Iterator[str]:
        assert self._process.stderr is not None
        while raw := self._process.stderr.readline(_LONGEST):
            yield raw.decode("utf-8", "replace").rstrip("\r\n")

    def wait(self) -> int:
        """Wait for its end and return its status, that of a signal below zero."""
        status = self._process.wait()
        for stream in (self._process.stdin, self._process.stderr):
            if stream is not None:
                stream.close()
        return status

    def stop(self) -> None:
        """End it as Ctrl-C would, and kill it if it takes too long."""
        self._signal("SIGTERM")
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._signal("SIGKILL")

    def _signal(self, name: str) -> None:
        """Signal the group; SIGTERM, as a shell may have had us ignore SIGINT for good."""
        if self._process.poll() is not None:
            return
        try:
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, getattr(signal, name))
            else:
                self._process.kill()
        except ProcessLookupError:  # it ended by itself just now
            pass


def describe_exit(status: int, last: str = "") -> str:
    """Return how a process ended; `last` is its last message."""
    if status == -9:
        return "the system ended it: memory may have run out"
    if status < 0:
        return f"ended by signal {-status}"
    return last[:300] or f"exit status {status}"


def describe_failure(problem: Exception) -> str:
    """Return why a process could not be started, or a file not be written."""
    if isinstance(problem, FileNotFoundError):
        return "the explorer's folder of files is gone; start linkprior serve again"
    if isinstance(problem, OSError) and problem.strerror:
        return f"the explorer's folder cannot be used: {problem.strerror}"
    return str(problem) or repr(problem)


# ---------------------------------------------------------------------- the result of a job

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


# ---------------------------------------------------------------------- in the process


def main() -> None:
    """Read a network where one is given, else run the command of job.json and export its run."""
    threading.Thread(target=_end_with_parent, name="parent watch", daemon=True).start()
    if len(sys.argv) == 3:
        with whole_file(Path(sys.argv[2])) as stream:
            json.dump(inspect_input(sys.argv[1]), stream)
        return
    job = json.loads(Path("job.json").read_text(encoding="utf-8"))
    sys.argv = ["linkprior", *job["arguments"]]
    runpy.run_module("linkprior", run_name="__main__")  # exits by itself when something is wrong
    export_run(Path("run"), Path(), job["name"], job["command"])


def inspect_input(source: str) -> dict[str, Any]:
    """Return what the page shows of a network file, or the line that says what is wrong."""
    from linkprior.io.read import read

    try:
        report = read(source).report
    except (LinkpriorError, OSError) as problem:
        return {"error": str(problem)}
    except MemoryError:
        return {"error": f"{source}: does not fit into memory"}
    first, *lines = report.text()
    return {
        "kind": first.removeprefix(f"{report.file}: "),
        "nodes": report.nodes,
        "edges": report.edges,
        "components": report.components,
        "largest": report.largest_component,
        "mean_degree": report.degrees["mean"],
        "max_degree": report.degrees["max"],
        "hub": report.hub,
        "lines": lines,
    }


def _end_with_parent() -> None:
    """End this process, as by SIGTERM, once nobody holds its standard input open."""
    while os.read(0, 4096):  # not through sys.stdin, whose lock a daemon thread may not hold
        pass
    signal.raise_signal(signal.SIGTERM)
    time.sleep(_TIDYING)
    os._exit(143)


if __name__ == "__main__":
    main()

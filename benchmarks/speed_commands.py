"""What a user waits for: the start, the first message, Ctrl-C, and reading a file."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks import data

_MAIN = "import sys; from linkprior.cli import main; sys.argv[0] = 'linkprior'; main()"


def python(code: str, *words: object) -> str:
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def startup() -> Iterator[str]:
    tasks = {
        "linkprior --help": (_MAIN, "--help"),
        "import linkprior": ("import linkprior",),
        "import linkprior; linkprior.Network": ("import linkprior; linkprior.Network",),
        "python alone": ("pass",),
    }
    took = data.side_by_side([lambda task=task: python(*task) for task in tasks.values()])
    yield "start (goal: --help ≤ 0.3 s, import ≤ 0.5 s)"
    for name, seconds in zip(tasks, took, strict=True):
        yield f"{name:38}{seconds:6.3f} s"


REPEATS = 3
_LONG = ("--model", "tri-degree", "--set", "n_starts=50")  # a fit that nobody waits for
# When Ctrl-C comes: after a line that holds this text, and so many seconds; with which options.
MOMENTS: dict[str, tuple[str, float, tuple[str, ...]]] = {
    "reading": ("Reading", 0.05, ()),
    "fitting": ("gone", 0.5, _LONG),
    "ranking": ("ranking pairs", 0.1, ("--model", "l3", "--top", "4000000")),
}


@contextmanager
def predicting(network: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    with tempfile.TemporaryDirectory() as folder:
        words = ["predict", str(network), "-o", str(Path(folder) / "links.tsv"), *options]
        process = subprocess.Popen(
            [sys.executable, "-c", _MAIN, *words], stderr=subprocess.PIPE, text=True
        )
        try:
            yield process
        finally:
            process.kill()  # does nothing to a process that has ended
            process.communicate()


def wait_for(process: subprocess.Popen[str], text: str) -> float:
    assert process.stderr is not None
    if not any(text in line for line in process.stderr):
        raise RuntimeError(f"the command ended without a word of {text!r}")
    return time.perf_counter()


def responsiveness() -> Iterator[str]:
    folder = data.folder()
    if folder is None or not (folder / data.HURI).is_file():
        yield "responsiveness: skipped, LINKPRIOR_DATA is unset or lacks HuRI"
        return
    path = folder / data.HURI
    yield f"responsiveness of predict on {path.name} (goal: a line ≤ 1 s, Ctrl-C ≤ 1 s)"
    firsts = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        with predicting(path, *_LONG) as process:
            firsts.append([wait_for(process, text) - began for text in ("", "gone")])
    for what, seconds in zip(("line", "line of progress"), zip(*firsts, strict=True), strict=True):
        yield f"{f'first {what}, best':38}{min(seconds):6.2f} s"
    for name, moment in MOMENTS.items():
        worst = max(interrupted(path, *moment) for _ in range(REPEATS))
        yield f"{'Ctrl-C while ' + name + ', worst':38}{worst:6.2f} s"


def interrupted(network: Path, text: str, later: float, options: tuple[str, ...]) -> float:
    with predicting(network, *options) as process:
        wait_for(process, text)
        time.sleep(later)
        began = time.perf_counter()
        process.send_signal(signal.SIGINT)
        _, last = process.communicate(timeout=60)
        seconds = time.perf_counter() - began
    if process.returncode != 130 or "Interrupted" not in last:
        raise RuntimeError(f"Ctrl-C ended with {process.returncode}: {last[-200:]}")
    return seconds


NODES, EDGES = 20_000, 1_000_000
# Each runs in a process of its own: memory is the most the process ever held, imports included.
_MEASURE = """
import json, resource, sys, time
began = time.perf_counter()
{imports}
ready = time.perf_counter()
{work}
done = time.perf_counter()
try:  # Linux hands ru_maxrss down from the parent; this counts from the start of the program
    status = open("/proc/self/status").read()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
print(json.dumps([done - ready, done - began, peak]))
"""
_READERS = {
    "linkprior": ("from linkprior.io.read import read", "read(sys.argv[1])"),
    "pandas": ("import pandas", "pandas.read_csv(sys.argv[1], sep='\\t', header=None)"),
}


def reading() -> Iterator[str]:
    yield f"reading {EDGES:,} edges (goal: ≤ 3 s and ≤ 400 MB, imports included)"
    yield "                      read s  with imports s      MB"
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = Path(folder, "edges.tsv"), Path(folder, "edges.tsv.gz")
        rng = np.random.default_rng(4)
        weight = rng.pareto(1.5, NODES) + 0.2  # few nodes have most of the edges
        ends = rng.choice(NODES, size=(EDGES, 2), p=weight / weight.sum()).tolist()
        plain.write_text("".join(f"ENSG{i:011d}\tENSG{j:011d}\n" for i, j in ends))
        packed.write_bytes(gzip.compress(plain.read_bytes(), 5))
        for path in (plain, packed):
            best = {}
            for reader, (imports, work) in _READERS.items():
                code = _MEASURE.format(imports=imports, work=work)
                runs = [json.loads(python(code, path)) for _ in range(REPEATS)]
                best[reader] = seconds, whole, megabytes = np.min(runs, axis=0)
                yield f"{path.name:13}{reader:9}{seconds:6.2f}{whole:16.2f}{megabytes:8.0f}"
            ours, theirs = best["linkprior"], best["pandas"]
            yield (
                f"{'':13}{ours[0] / theirs[0]:.1f}× the time of pandas' parsing alone, "
                f"{ours[2] / theirs[2]:.1f}× its memory"
            )

"""What a user waits for: the start, the first message, and Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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

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
from pathlib import Path

import numpy as np

from benchmarks import data
from benchmarks.timing import side_by_side

# ---------------------------------------------------------------------- startup


def startup() -> Iterator[str]:
    """Yield the lines to print."""
    tasks = {
        "linkprior --help": "import sys; sys.argv = ['linkprior', '--help']\n"
        "from linkprior.cli import main; main()",
        "import linkprior": "import linkprior",
        "import linkprior; linkprior.Network": "import linkprior; linkprior.Network",
        "python alone": "pass",
    }
    commands = [
        lambda code=code: subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True
        )
        for code in tasks.values()
    ]
    yield "start (goal: --help ≤ 0.3 s, import ≤ 0.5 s)"
    for name, seconds in zip(tasks, side_by_side(commands), strict=True):
        yield f"{name:38}{seconds:6.3f} s"


# ---------------------------------------------------------------------- responsiveness

FILE = Path("ppi-challenge2023") / "HuRI.csv.gz"
REPEATS = 3
_START = "import sys; from linkprior.cli import main; sys.argv[0] = 'linkprior'; main()"
_LONG = ("--set", "n_starts=50")  # a fit that nobody waits for

# When Ctrl-C comes: after a line that holds this text, and so many seconds; with which options.
MOMENTS: dict[str, tuple[str, float, tuple[str, ...]]] = {
    "reading": ("Reading", 0.05, ()),
    "fitting": ("gone", 0.5, _LONG),
    "ranking": ("ranking pairs", 0.1, ("--model", "l3", "--top", "4000000")),
}


class Command:
    """One responsiveness of `linkprior predict`, from its start on."""

    def __init__(self, network: Path, folder: str, *options: str) -> None:
        ask = ["predict", str(network), "-o", str(Path(folder) / "links.tsv"), *options]
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, *ask], stderr=subprocess.PIPE, text=True
        )

    def hear(self, text: str) -> float:
        """Return the seconds from the start until a line that holds the text."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if text in line:
                return time.perf_counter() - self.began
        raise RuntimeError(f"the command ended without a word of {text!r}")

    def interrupt(self) -> float:
        """Press Ctrl-C; return the seconds until the command is gone."""
        began = time.perf_counter()
        self.process.send_signal(signal.SIGINT)
        _, last = self.process.communicate(timeout=60)
        seconds = time.perf_counter() - began
        if self.process.returncode != 130 or "Interrupted" not in last:
            raise RuntimeError(f"Ctrl-C ended with {self.process.returncode}: {last[-200:]}")
        return seconds

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()  # does nothing to a process that has ended
        self.process.communicate()


def first_words(network: Path, folder: str) -> tuple[float, float]:
    """Return the seconds to the first line of all and to the first line of progress."""
    with Command(network, folder, *_LONG) as command:
        return command.hear(""), command.hear("gone")


def answer(network: Path, folder: str, moment: str) -> float:
    """Return the seconds from Ctrl-C at that moment to the end."""
    text, later, options = MOMENTS[moment]
    with Command(network, folder, *options) as command:
        command.hear(text)
        time.sleep(later)
        return command.interrupt()


def responsiveness() -> Iterator[str]:
    """Yield the lines to print."""
    known = data.folder()
    if known is None or not (known / FILE).is_file():
        yield "responsiveness: skipped, LINKPRIOR_DATA is unset or lacks HuRI"
        return
    yield f"responsiveness of predict on {FILE.name} (goal: a line ≤ 1 s, Ctrl-C ≤ 1 s)"
    with tempfile.TemporaryDirectory() as folder:
        lines, steps = zip(
            *(first_words(known / FILE, folder) for _ in range(REPEATS)), strict=True
        )
        yield f"{'first line, best':38}{min(lines):6.2f} s"
        yield f"{'first line of progress, best':38}{min(steps):6.2f} s"
        for moment in MOMENTS:
            worst = max(answer(known / FILE, folder, moment) for _ in range(REPEATS))
            yield f"{'Ctrl-C while ' + moment + ', worst':38}{worst:6.2f} s"


# ---------------------------------------------------------------------- reading

NODES, EDGES, READING_REPEATS = 20_000, 1_000_000, 3

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


def write_edges(path: Path, rng: np.random.Generator) -> None:
    """Write edges between nodes named like genes, few of them with most of the edges."""
    weight = rng.pareto(1.5, NODES) + 0.2
    ends = rng.choice(NODES, size=(EDGES, 2), p=weight / weight.sum()).tolist()
    text = "".join(f"ENSG{i:011d}\tENSG{j:011d}\n" for i, j in ends)
    path.write_text(text)
    with gzip.open(path.with_suffix(".tsv.gz"), "wt", compresslevel=5) as packed:
        packed.write(text)


def measured(reader: str, path: Path) -> list[float]:
    """Return the seconds of the work, the seconds with imports, and the megabytes, of one run."""
    imports, work = _READERS[reader]
    code = _MEASURE.format(imports=imports, work=work)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, check=True, text=True
    )
    figures: list[float] = json.loads(done.stdout)
    return figures


def reading() -> Iterator[str]:
    """Yield the lines to print."""
    yield f"reading {EDGES:,} edges (goal: ≤ 3 s and ≤ 400 MB, imports included)"
    yield "                      read s  with imports s      MB"
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "edges.tsv"
        write_edges(plain, np.random.default_rng(4))
        for path in (plain, plain.with_suffix(".tsv.gz")):
            best = {
                reader: np.min([measured(reader, path) for _ in range(READING_REPEATS)], axis=0)
                for reader in _READERS
            }
            for reader, (seconds, whole, megabytes) in best.items():
                yield f"{path.name:13}{reader:9}{seconds:6.2f}{whole:16.2f}{megabytes:8.0f}"
            ours, theirs = best["linkprior"], best["pandas"]
            yield (
                f"{'':13}{ours[0] / theirs[0]:.1f}× the time of pandas' parsing alone, "
                f"{ours[2] / theirs[2]:.1f}× its memory"
            )

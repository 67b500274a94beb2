"""How soon a user hears something, and how soon Ctrl-C is answered: the real command on HuRI.

The command runs as in a pipe: its messages are lines on stderr. Each figure is the best of a few
runs, and the worst for Ctrl-C, in processes of their own that are ended one by one.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import data

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
    """One run of `linkprior predict`, from its start on."""

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


def run() -> Iterator[str]:
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

"""A process of the server: started without a shell, in a group of its own, read line by line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

GRACE = 4.0  # seconds between SIGTERM and SIGKILL
_LONGEST = 1 << 14  # bytes of a line


class Child:
    """`python -m …` in a folder; what it writes to stderr comes as lines."""

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", *arguments],  # -P: import nothing from the folder
            cwd=folder,
            stdin=subprocess.PIPE,  # closes when the server ends: job_main watches it
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

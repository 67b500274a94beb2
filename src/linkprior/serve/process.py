"""A process of the server: started without a shell, in a group of its own, read line by line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

GRACE = 4.0  # seconds between being told to end and being ended
_LONGEST = 1 << 14  # bytes of a line


class Child:
    """`python -m …` in a folder; what it says on stderr comes as lines."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", *words],  # -P: the folder is no place to import from
            cwd=folder,
            stdin=subprocess.PIPE,  # the leash: it closes with us
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def lines(self) -> Iterator[str]:
        """Yield what it says until it ends."""
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
        """End it as Ctrl-C would, and for good if it takes too long over it."""
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


def trouble(problem: Exception) -> str:
    """Return what kept us from starting a process or writing a file, in words."""
    if isinstance(problem, FileNotFoundError):
        return "the explorer's folder of files is gone; start linkprior serve again"
    if isinstance(problem, OSError) and problem.strerror:
        return f"the explorer's folder cannot be used: {problem.strerror}"
    return str(problem) or repr(problem)

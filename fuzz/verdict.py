"""What every input must do: be read, or be refused in one line; no other error, no file written."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkprior.errors import LinkpriorError

Attempt = Callable[[bytes], None]
_WRITING = (
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink"),
    *("subprocess.Popen", "os.system", "socket.connect", "pickle.find_class"),
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # line ends, terminal commands


class BrokenPromiseError(Exception):
    """Something was read, and is not what it should be."""


@dataclass(frozen=True)
class Finding:
    """What is wrong, and where: findings of one place are one finding."""

    what: str
    where: str

    @property
    def key(self) -> str:
        """A name for its file."""
        kind = self.what.split(":")[0].split(" ")[0]
        return f"{kind}-{hashlib.sha256(self.where.encode()).hexdigest()[:10]}"

    def __str__(self) -> str:
        return f"{self.what} at {self.where}"


def expect(holds: object, what: str) -> None:
    """Raise unless something holds; an assert could be switched off."""
    if not holds:
        raise BrokenPromiseError(what)


def is_line(text: str) -> bool:
    """Tell whether text is one line that a terminal shows as it is."""
    return bool(text.strip()) and not _CONTROL.search(text)


def judged(attempt: Attempt, data: bytes) -> Finding | None:
    """Return what is wrong with one input, None where all is as it should be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            attempt(data)
    except LinkpriorError as told:
        if not is_line(str(told)):
            return Finding(f"not one plain line: {str(told)!a:.200}", _place(told))
    except Exception as problem:
        return Finding(f"{type(problem).__name__}: {str(problem)!a:.200}", _place(problem))
    return None


def _place(problem: BaseException) -> str:
    """Return the innermost line of ours, where the problem came from."""
    frames = traceback.extract_tb(problem.__traceback__)
    ours = [f for f in frames if "linkprior" in Path(f.filename).parts] or frames
    if isinstance(problem, BrokenPromiseError):
        return str(problem)
    last = ours[-1]
    return f"{Path(last.filename).name}:{last.name}:{last.lineno}"


class Watch:
    """Sees whoever writes, removes or starts something while an input is read.

    An audit hook stays for good, so only a process of its own has one.
    """

    def __init__(self) -> None:
        self.awake, self.seen = False, ""

    def install(self) -> None:
        """Begin to listen."""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.awake or self.seen:
            return
        opened = event == "open" and isinstance(arguments[2], int)
        if event in _WRITING or (opened and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            self.seen = f"{event} {arguments[:1]!a:.120}"

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Listen while ours is at work, and say what was heard."""
        self.awake, self.seen = True, ""
        try:
            yield
        finally:
            self.awake = False
        expect(not self.seen, f"writes while reading ({self.seen})")


WATCH = Watch()

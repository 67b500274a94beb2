"""What every input must do, and inputs that change a whole thing in a few places."""

from __future__ import annotations

import copy
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from linkprior.errors import LinkpriorError

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "fuzz" / "corpus"
REGRESSIONS = ROOT / "tests" / "fuzz" / "regressions"
Attempt = Callable[[bytes], None]
_WRITING = (
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink"),
    *("subprocess.Popen", "os.system", "socket.connect", "pickle.find_class"),
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # line ends, terminal commands


@dataclass(frozen=True)
class Target:
    """A reader or loader; `make` returns what tries one input, with a folder for its files."""

    summary: str
    make: Callable[[Path], Attempt]


def with_folder(attempt: Callable[[Path, bytes], None]) -> Callable[[Path], Attempt]:
    """Return what makes an attempt that needs nothing but a folder."""
    return lambda folder: partial(attempt, folder)


class BrokenPromiseError(Exception):
    """Something was read and is not what it should be, or was refused in the wrong way."""


def expect(holds: object, what: str) -> None:
    """Raise unless something holds; an assert could be switched off."""
    if not holds:
        raise BrokenPromiseError(what)


def is_line(text: str) -> bool:
    """Tell whether text is one line that a terminal shows as it is."""
    return bool(text.strip()) and not _CONTROL.search(text)


def check(attempt: Attempt, data: bytes) -> None:
    """Try one input; raise unless it is read, or refused by an error of ours in one line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            attempt(data)
    except LinkpriorError as refused:
        expect(is_line(str(refused)), f"not one plain line: {str(refused)!a:.200}")


def corpus_of(target: str) -> list[bytes]:
    """Return the inputs stored with the sources: one to a line of fuzz/corpus/TARGET.txt."""
    path = CORPUS / f"{target}.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield an empty folder, in memory where the system has a place for that."""
    quick = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=quick) as place:
        yield Path(place)


class Watch:
    """Sees whoever writes, removes or starts something while an input is read.

    An audit hook stays for good, so only a process of its own installs one.
    """

    def __init__(self) -> None:
        self.awake, self.seen = False, ""

    def install(self) -> None:
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.awake or self.seen:
            return
        opened = event == "open" and isinstance(arguments[2], int)
        if event in _WRITING or (opened and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            self.seen = f"{event} {arguments[:1]!a:.120}"

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise if anything is written meanwhile."""
        self.awake, self.seen = True, ""
        try:
            yield
        finally:
            self.awake = False
        expect(not self.seen, f"writes while reading ({self.seen})")


WATCH = Watch()


def choice(data: bytes, among: Sequence[Any]) -> tuple[Any, bytes]:
    return among[(data[0] - 48) % len(among) if data else 0], data[1:]


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


_MOST_LINES, _DEEPEST = 64, 12


def edited(whole: Any, text: bytes) -> Any:
    """Return a copy with the lines of `text` carried out; one that leads nowhere is passed over.

    Such inputs get past checksums and stay short. Each line is `path/to/value=JSON`; a value that
    is no JSON is text, and none removes what is there: `params/rank=-3`, `network/names/0=`.
    """
    changed = copy.deepcopy(whole)
    for line in text.decode("utf-8", "surrogateescape").split("\n")[:_MOST_LINES]:
        path, given, value = line.partition("=")
        if given:
            changed = _set(changed, path.split("/")[:_DEEPEST], value)
    return changed


def _set(whole: Any, path: list[str], value: str) -> Any:
    if path == [""]:
        return _value(value)
    at = whole
    for key in path[:-1]:
        at = at.get(key) if isinstance(at, dict) else at[int(key)] if _is_index(at, key) else None
    last = path[-1]
    if isinstance(at, dict):
        at.pop(last, None)
        if value:
            at[last] = _value(value)
    elif _is_index(at, last):
        at[int(last) : int(last) + 1] = [_value(value)] if value else []
    elif isinstance(at, list) and last == "+":
        at.append(_value(value))
    return whole


def _is_index(at: Any, key: str) -> bool:
    number = isinstance(at, list) and key.isascii() and key.isdigit()
    return number and int(key) < len(at)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

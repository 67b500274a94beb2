"""What is said on stderr, and what happens when nobody listens on stdout."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from linkprior.errors import LinkpriorError, visible

if TYPE_CHECKING:
    from linkprior.network import Network

_speaking = threading.Lock()
_over = False  # whether the last word has been said
_objects = False  # whether a program reads along: one JSON object per line

# What the system reports → what that means, and what to do.
_TROUBLE = {
    errno.ENOSPC: "the disk is full; free some space, or choose another place",
    errno.EDQUOT: "your share of the disk is used up; free some space, or choose another place",
    errno.EFBIG: "the file grows beyond what is allowed; ask for less, or choose another place",
    errno.EACCES: "no permission; choose another place, or ask its owner",
    errno.EPERM: "no permission; choose another place, or ask its owner",
    errno.EROFS: "the disk is read-only; choose another place",
    errno.EISDIR: "is a folder; give the name of a file",
    errno.ENOTDIR: "something on the way is a file, not a folder; check the path",
    errno.EEXIST: "the name is taken by something that is no folder; choose another place",
    errno.ENOENT: "there is no such file or folder; check the path",
    errno.ENAMETOOLONG: "the name is too long; give a shorter one",
    errno.ELOOP: "the link leads back to itself; give the file",
    errno.EMFILE: "too many files are open; raise the limit (ulimit -n)",
    errno.EIO: "the disk reports an error; check it, or choose another place",
}
NO_THREAD = "can't start new thread"  # what Python says
LOST = "without setting an exception"  # what it says where the word for "no memory" found no memory


def format_error(problem: BaseException) -> str:
    """Return what is wrong, where, and what to do; the system's own words where we know none."""
    if isinstance(problem, OSError) and problem.errno in _TROUBLE:
        where = f"{_text(problem.filename)}: " if problem.filename is not None else ""
        return f"{where}{_TROUBLE[problem.errno]} ({os.strerror(problem.errno)})"
    if isinstance(problem, RuntimeError) and str(problem) == NO_THREAD:
        return "no thread can be started: memory or processes are limited (ulimit -v, ulimit -u)"
    if isinstance(problem, SystemError) and LOST in str(problem):
        return (
            "out of memory, most likely: a library failed and could not say why; ask for less, or "
            "see where (linkprior --debug …)"
        )
    return str(problem) or ("out of memory" if isinstance(problem, MemoryError) else repr(problem))


@contextlib.contextmanager
def writing_to(name: str) -> Iterator[None]:
    """Let an error of the file system name what is written, not a temporary file or nothing."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        known = OSError(problem.errno, problem.strerror, name) if problem.errno else problem
        raise LinkpriorError(format_error(known)) from problem


class NamedOutput:
    """Standard output whose errors name it, whoever prints."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with writing_to("standard output"):
            return self._stream.write(text)

    def flush(self) -> None:
        with writing_to("standard output"):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _text(name: object) -> str:
    return os.fsdecode(name) if isinstance(name, str | bytes) else str(name)


def set_json_output(wanted: bool) -> None:
    """Say everything from now on as one JSON object per line, or as plain text again."""
    global _objects
    _objects = wanted


def speaks_in_objects() -> bool:
    """Tell whether a program reads along."""
    return _objects


def say_object(stream: TextIO, **facts: object) -> None:
    """Write one JSON object as a line of its own, whoever else speaks."""
    with _speaking:
        stream.write(json.dumps(facts) + "\n")
        stream.flush()


def echo(text: str) -> None:
    """Say something on stderr; that nobody listens is no reason to stop."""
    with _speaking:
        if not _over:
            _print(text)


def final_message(text: str) -> None:
    """Say something after which nothing is said any more, whatever other threads are about."""
    global _over
    held = _speaking.acquire(timeout=0.2)  # a terminal that is stuck may hold up whoever speaks
    _over = True
    _print(text)
    if held:
        _speaking.release()


def _print(text: str) -> None:
    try:
        # Not by click, which finds its way past whoever stands in for stderr (the progress bar).
        # A path may hold bytes that are no text, and what a file holds may be made to steer the
        # terminal: no message needs either.
        plain = visible(text, keep="\n")
        told = json.dumps({"say": plain}) if _objects else plain
        print(told, file=sys.stderr, flush=True)
    except OSError:
        drop(sys.stderr)


def silent(text: str) -> None:
    """Say nothing."""


def describe(network: Network) -> str:
    m = network.merged
    text = f"{network.n_nodes} nodes, {network.n_edges} edges"
    merged = [
        f"{count} {what}"
        for count, what in (
            (m.self_loops, "self-loops left out"),
            (m.duplicates, "duplicates merged"),
            (m.reversed_duplicates, "reversed duplicates merged"),
            (m.isolated, "nodes without an edge left out"),
        )
        if count
    ]
    return f"{text} ({', '.join(merged)})" if merged else text


def drop_stdout() -> None:
    """Throw away what could not be written, or Python complains about it once more at exit."""
    drop(sys.stdout)


def drop(stream: TextIO) -> None:
    """Throw away what a stream still holds and all that is written to it from now on."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

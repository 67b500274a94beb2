"""Files and folders that appear whole or not at all, also when the process is told to leave."""

from __future__ import annotations

import os
import shutil
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from linkprior.errors import InputError

# Held while a temporary name comes to be or becomes the final one: whoever holds it can tell for
# sure what is unfinished and what is whole.
_turning = threading.Lock()
_unfinished: set[Path] = set()
_whole: deque[Path] = deque(maxlen=16)


@contextmanager
def whole_file(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing under a temporary name; rename it when all is written.

    A link stays a link, a file keeps its mode, and a pipe or device is written to as it is.
    """
    target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", errors="surrogateescape", newline="") as device:
            yield device
        return
    fresh = _fresh_name(target)
    try:
        with _turning:
            _unfinished.add(fresh)
            stream = fresh.open("w", encoding="utf-8", errors="surrogateescape", newline="")
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, fresh)
        _finish(fresh, target, os.replace)
    finally:
        _remove(fresh)
        _unfinished.discard(fresh)


@contextmanager
def whole_folder(target: Path, place: Callable[[Path, Path], None]) -> Iterator[Path]:
    """Make a folder under a temporary name; place(fresh, target) renames it when all is there."""
    fresh = _fresh_name(target)
    try:
        with _turning:
            _unfinished.add(fresh)
            fresh.mkdir()
        yield fresh
        _finish(fresh, target, place)
    finally:
        _remove(fresh)
        _unfinished.discard(fresh)


def discard_unfinished(timeout: float = 0.5) -> list[Path]:
    """Remove all that is half-written, in whichever thread, and return what was written whole.

    For a process that leaves at once: nothing can be begun or finished after this call.
    """
    _turning.acquire(timeout=timeout)  # and never released
    for path in list(_unfinished):
        _remove(path)
    return list(dict.fromkeys(_whole))


def as_path(given: Any) -> Path:
    """Return a path, or refuse what is none."""
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"expected a path, got {type(given).__name__}")
    return Path(given)


def _fresh_name(target: Path) -> Path:
    return target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")


def _finish(fresh: Path, target: Path, place: Callable[[Path, Path], None]) -> None:
    with _turning:
        place(fresh, target)
        _whole.append(target)


def _remove(path: Path) -> None:
    """Remove a file or folder; a folder in which someone is still writing needs a few goes."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for _ in range(20):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return

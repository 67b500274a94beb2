"""Files and folders that appear whole or not at all, also when the process is told to leave."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from linkprior.errors import InputError
from linkprior.io import locks

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
# Errors of a disk; those of a connection, say, are about something else than the file written.
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EACCES, errno.EPERM}
_OF_THE_DISK |= {errno.EROFS, errno.ENOENT}

# Held while a temporary name comes to be or becomes the final one: whoever holds it can tell for
# sure what is unfinished and what is whole.
_turning = threading.Lock()
_unfinished: set[Path] = set()
_whole: deque[Path] = deque(maxlen=16)


@contextmanager
def whole_file(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing under a temporary name; rename it when all is written.

    A link stays a link, a file keeps its mode, and a pipe or device is written to as it is. An
    error of the disk names the file, and what a killed process left of it is removed.
    """
    target = _behind(Path(path))
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", errors="surrogateescape", newline="") as device:
            yield device
        return
    locks.sweep(target.parent, target.name)
    fresh, held = target, locks.Held(None)
    try:
        with naming(target):
            fresh, stream = _begin(target)
            held = _holding(stream.fileno())
            with stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            _finish(fresh, target, os.replace)
    finally:
        _give_up(fresh, target)
        held.close()


@contextmanager
def whole_folder(target: Path, place: Callable[[Path, Path], None]) -> Iterator[Path]:
    """Make a folder under a temporary name; place(fresh, target) renames it when all is there.

    What is left under the temporary name then, an earlier folder perhaps, is removed. A link stays
    a link, and a folder keeps its mode.
    """
    target = _behind(target)
    locks.sweep(target.parent, target.name)
    fresh, held = target, locks.Held(None)
    try:
        with naming(target):
            fresh, held = _begin_folder(target)
            mode = _mode_of(target)
            _set_mode(fresh, mode, stat.S_IRWXU)  # before anything is in it that others may not see
            yield fresh
            _set_mode(fresh, mode)
            _finish(fresh, target, place)
        locks.sweep(target.parent, target.name, ("old",))
    finally:
        _give_up(fresh, target)
        held.close()


@contextmanager
def naming(target: Path) -> Iterator[None]:
    """Let an error of the disk name the file that is written, not a temporary one or nothing."""
    try:
        yield
    except OSError as problem:
        named = problem.filename is not None and not _is_fresh(problem.filename)
        if named or problem.errno not in _OF_THE_DISK:
            raise
        raise OSError(problem.errno, problem.strerror, str(target)) from problem


def exchange(fresh: Path, target: Path) -> bool:
    """Swap two names in one step, so that neither is missing at any time; tell whether it could."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        swap = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    if not swap(_HERE, os.fsencode(fresh), _HERE, os.fsencode(target), _EXCHANGE):
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False  # not on this file system
    raise OSError(number, os.strerror(number), str(target))


def discard_unfinished(timeout: float = 0.5) -> list[Path]:
    """Remove all that is half-written, in whichever thread, and return what was written whole.

    For a process that leaves at once: nothing can be begun or finished after this call.
    """
    _turning.acquire(timeout=timeout)  # and never released
    for path in list(_unfinished):
        _remove(path)
    return list(dict.fromkeys(_whole))


def resolved(path: str | Path) -> Path:
    """Return a path without links; a link that leads back to itself is an error of the system."""
    real = os.path.realpath(path)
    try:
        os.stat(real)
    except OSError as problem:  # that nothing is there yet is no error
        if problem.errno == errno.ELOOP:
            raise OSError(problem.errno, problem.strerror, str(path)) from None
    return Path(real)


def begin_private(fresh: Path, before: Path) -> None:
    """Make a file that nobody else can open where it will replace another, which may be private."""
    if before.exists():
        fresh.touch(0o600)


def keep_mode(fresh: Path, before: Path) -> None:
    """Give a file that is open, and empty yet, the mode of the one it will replace."""
    if before.exists():
        shutil.copymode(before, fresh)


def as_path(given: Any) -> Path:
    """Return a path, or refuse what is none."""
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"expected a path, got {type(given).__name__}")
    return Path(given)


def _fresh_name(target: Path) -> Path:
    return target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")


def _behind(path: Path) -> Path:
    """Return what a link leads to, so that the link itself is not replaced."""
    return resolved(path) if path.is_symlink() else path


def _mode_of(path: Path) -> int | None:
    """Return who may do what with a file or folder; None where there is none."""
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else None


def _set_mode(path: Path, mode: int | None, more: int = 0) -> None:
    if mode is not None and _mode_of(path) != mode | more:
        path.chmod(mode | more)


def _is_fresh(name: object) -> bool:
    path = Path(os.fsdecode(name)) if isinstance(name, str | bytes | os.PathLike) else Path()
    return any(locks.is_temporary(part) for part in path.parts)


def _begin(target: Path) -> tuple[Path, TextIO]:
    """Open a new file under a temporary name and lock it, lest somebody take it for a dead one."""
    while True:
        fresh = _fresh_name(target)
        with _turning:
            _unfinished.add(fresh)
            begin_private(fresh, target)
            stream = fresh.open("w", encoding="utf-8", errors="surrogateescape", newline="")
        if locks.take(stream.fileno()) is not False and fresh.exists():
            keep_mode(fresh, target)
            return fresh, stream
        stream.close()  # it was taken for a dead one before it was locked
        _unfinished.discard(fresh)


def _holding(descriptor: int) -> locks.Held:
    """Return the lock of an open file, which lasts when that is closed, until it is renamed."""
    return locks.Held(os.dup(descriptor) if os.name == "posix" else None)


def _begin_folder(target: Path) -> tuple[Path, locks.Held]:
    while True:
        fresh = _fresh_name(target)
        with _turning:
            _unfinished.add(fresh)
            fresh.mkdir()
        if os.name != "posix":
            return fresh, locks.Held(None)
        with suppress(FileNotFoundError):
            descriptor = os.open(fresh, os.O_RDONLY)
            if locks.take(descriptor) is not False and fresh.exists():
                return fresh, locks.Held(descriptor)
            os.close(descriptor)
        _unfinished.discard(fresh)


def _give_up(fresh: Path, target: Path) -> None:
    if fresh != target:  # else nothing was begun
        _remove(fresh)
        _unfinished.discard(fresh)


def _finish(fresh: Path, target: Path, place: Callable[[Path, Path], None]) -> None:
    with _turning:
        place(fresh, target)
        _whole.append(target)


def _remove(path: Path) -> None:
    """Remove a file or folder; a folder in which someone is still writing needs a few goes."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for _ in range(20):
        locks.remove_folder(path)
        if not path.exists():
            return

"""Files and folders that appear whole or not at all, also when the process is terminated."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from linkprior.errors import StoreError

LOCK = ".lock"
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{32}\.(part|old)", re.DOTALL)
# No link is followed, and a pipe of that name does not make us wait.
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LOOK, _MAKE = os.O_RDONLY | _CAREFULLY, os.O_WRONLY | os.O_CREAT | _CAREFULLY
# A folder cannot be opened on every system; its lock may be a folder, a pipe or a link.
_NO_LOCK_THERE = (errno.EISDIR, errno.EACCES, errno.EPERM, errno.ENXIO, errno.ELOOP)


# A folder in which this process works alone, until `close` or the end of a with block.
Held = ExitStack


def hold(folder: Path, what: str) -> Held:
    """Lock a folder, or a file in it where folders have no locks; an error where another did."""
    for path, flags in ((folder, os.O_RDONLY), (folder / LOCK, _MAKE)):
        try:
            descriptor = os.open(path, flags, 0o666)
        except OSError as problem:
            if problem.errno in _NO_LOCK_THERE:
                continue
            raise
        with Held() as held:
            held.callback(os.close, descriptor)
            taken = take(descriptor)
            if taken:
                return held.pop_all()
        if taken is False:
            raise StoreError(
                f"{folder}: another process is at work on this {what}; wait for it, or choose "
                "another folder"
            )
    return Held()


def take(descriptor: int) -> bool | None:
    """Lock an open file or folder. False: another has it. None: there are no such locks here."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return None
    except OSError as problem:
        return False if problem.errno in (errno.EWOULDBLOCK, errno.EACCES) else None
    return True


def is_temporary(name: str) -> bool:
    """Return whether a name is that of an unfinished file or folder of ours."""
    return name == LOCK or _TEMPORARY.fullmatch(name) is not None


def sweep(folder: Path, name: str | None = None, kinds: tuple[str, ...] = ("part",)) -> None:
    """Remove temporary files (of `name`) that no process has locked."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in list(entries):
            match = _TEMPORARY.fullmatch(entry.name)
            if not match or match[2] not in kinds or name not in (None, match["name"]):
                continue
            path = Path(entry.path)
            with suppress(OSError):
                descriptor = os.open(path, _LOOK)
                try:
                    if take(descriptor):
                        remove_folder(path) if path.is_dir() else path.unlink()
                finally:
                    os.close(descriptor)


def remove_folder(path: Path) -> None:
    """Remove a folder of ours as far as the system lets us, also one that is read-only."""
    with suppress(OSError):
        path.chmod(stat.S_IRWXU)
    shutil.rmtree(path, ignore_errors=True)


_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
# Errors of a disk; those of a connection, say, are about something else than the file written.
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EACCES, errno.EPERM}
_OF_THE_DISK |= {errno.EROFS, errno.ENOENT}
# Held while a temporary name comes to be or becomes the final one: whoever holds it knows for
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

    def begin(fresh: Path) -> None:
        begin_private(fresh, target)
        fresh.touch()

    with (
        _begun(target, begin, os.replace) as fresh,
        fresh.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream,
    ):
        keep_mode(fresh, target)
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def whole_folder(target: Path, place: Callable[[Path, Path], None]) -> Iterator[Path]:
    """Make a folder under a temporary name; place(fresh, target) renames it when all is there.

    What is left under the temporary name then, an earlier folder perhaps, is removed. A link stays
    a link, and a folder keeps its mode.
    """
    target = _behind(target)
    with _begun(target, Path.mkdir, place) as fresh:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        if mode is not None:
            fresh.chmod(mode | stat.S_IRWXU)  # before anything is in it that others may not see
        yield fresh
        if mode is not None:
            fresh.chmod(mode)
    sweep(target.parent, target.name, ("old",))


@contextmanager
def _begun(
    target: Path, begin: Callable[[Path], None], place: Callable[[Path, Path], None]
) -> Iterator[Path]:
    """Yield a temporary name to write under, locked until it is placed when all is written."""
    sweep(target.parent, target.name)
    held, fresh = Held(), target
    try:
        with naming(target):
            while True:
                fresh = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
                with _turning:
                    _unfinished.add(fresh)
                    begin(fresh)
                if os.name != "posix":
                    break
                with suppress(FileNotFoundError):
                    descriptor = os.open(fresh, os.O_RDONLY)
                    held.callback(os.close, descriptor)
                    if take(descriptor) is not False and fresh.exists():
                        break
                held.close()  # another process took it for abandoned before it was locked
                _unfinished.discard(fresh)
            yield fresh
            with _turning:
                place(fresh, target)
                _whole.append(target)
    finally:
        if fresh in _unfinished:
            _remove(fresh)
            _unfinished.discard(fresh)
        held.close()


@contextmanager
def naming(target: Path) -> Iterator[None]:
    """Let an error of the disk name the file that is written, not a temporary one or nothing."""
    try:
        yield
    except OSError as problem:
        name = problem.filename
        path = Path(os.fsdecode(name)) if isinstance(name, str | bytes | os.PathLike) else Path()
        named = name is not None and not any(map(is_temporary, path.parts))
        if named or problem.errno not in _OF_THE_DISK:
            raise
        raise OSError(problem.errno, problem.strerror, str(target)) from problem


def exchange(fresh: Path, target: Path) -> bool:
    """Swap two names in one step, so that neither is ever missing; return whether it could."""
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
    except OSError as problem:  # that nothing is there yet is not an error
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


def _behind(path: Path) -> Path:
    """Return what a link leads to, so that the link itself is not replaced."""
    return resolved(path) if path.is_symlink() else path


def _remove(path: Path) -> None:
    """Remove a file or folder; a folder still being written to needs several attempts."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for _ in range(20):
        remove_folder(path)
        if not path.exists():
            return

"""One process at a time in a folder; what killed processes left there is removed.

A lock belongs to an open file and ends with its process, however that one ends, so that none is
ever left behind. Where a file system has no such locks, nobody is held up and nothing is removed.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import Self

from linkprior.errors import StoreError

LOCK = ".lock"
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{32}\.(part|old)", re.DOTALL)
# No link is followed, and a pipe of that name does not make us wait.
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LOOK, _MAKE = os.O_RDONLY | _CAREFULLY, os.O_WRONLY | os.O_CREAT | _CAREFULLY
# A folder cannot be opened on every system; its lock may be a folder, a pipe or a link.
_NO_LOCK_THERE = (errno.EISDIR, errno.EACCES, errno.EPERM, errno.ENXIO, errno.ELOOP)


class Held:
    """A folder in which this process works alone, until `close` or the end of a with block."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        """Let others in."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def hold(folder: Path, what: str) -> Held:
    """Take a folder for this process, or raise an error where another is at work there.

    The folder itself is locked; only where that cannot be, a file in it.
    """
    for path, flags in ((folder, os.O_RDONLY), (folder / LOCK, _MAKE)):
        try:
            descriptor = os.open(path, flags, 0o666)
        except OSError as problem:
            if problem.errno in _NO_LOCK_THERE:
                continue
            raise
        taken = take(descriptor)
        if taken:
            return Held(descriptor)
        os.close(descriptor)
        if taken is False:
            raise StoreError(
                f"{folder}: another process is at work on this {what}; wait for it, or choose "
                "another folder"
            )
    return Held(None)


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
    """Tell whether a name is that of a file or folder of ours that is not finished."""
    return name == LOCK or _TEMPORARY.fullmatch(name) is not None


def sweep(folder: Path, name: str | None = None, kinds: tuple[str, ...] = ("part",)) -> None:
    """Remove temporary files that processes left which are gone; with a name, those of that file.

    Whoever is still writing one has locked it.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in list(entries):
            found = _TEMPORARY.fullmatch(entry.name)
            if found and found[2] in kinds and name in (None, found["name"]):
                _remove_if_left(Path(entry.path))


def remove_folder(path: Path) -> None:
    """Remove a folder of ours as far as the system lets us, also one that is read-only."""
    with suppress(OSError):
        path.chmod(stat.S_IRWXU)
    shutil.rmtree(path, ignore_errors=True)


def _remove_if_left(path: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(path, _LOOK)
        try:
            if take(descriptor):
                remove_folder(path) if path.is_dir() else path.unlink()
        finally:
            os.close(descriptor)

"""File-system calls that fail, or kill their process, at a chosen count.

Installed in a child of the server, never in linkprior itself. Only what happens beneath one folder
is counted: opening for writing, each write that reaches the system, fsync, rename, mkdir, remove.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ERRORS = {
    "open": errno.EACCES,
    "write": errno.ENOSPC,
    "fsync": errno.EIO,
    "rename": errno.EACCES,
    "mkdir": errno.EACCES,
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANCE = re.compile(r"[0-9a-f]{32}")  # of temporary names


class Faults:
    """Counts calls beneath `root`, notes them in `trace`, and meets the one that is planned.

    `plan`: at (the count, from 1), do ("fail", "kill before" or "kill after"), lasting (whether
    every later call of the same kind fails too).
    """

    def __init__(self, root: str, trace: str, plan: dict[str, Any]) -> None:
        self.root, self.plan = os.path.realpath(root), plan
        self.lock, self.count, self.failing = threading.RLock(), 0, ""
        self.trace = os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)

    def beneath(self, path: Any) -> str | None:
        if isinstance(path, int) or not path:
            return None
        full = os.path.abspath(os.fsdecode(path))
        inside = full == self.root or full.startswith(self.root + os.sep)
        return os.path.relpath(full, self.root) if inside else None

    def meet(
        self, kind: str, path: Any, work: Callable[[], Any], half: Callable[[], Any] | None = None
    ) -> Any:
        """Do the work, unless the plan has something else for this call."""
        name = self.beneath(path)
        if name is None:
            return work()
        with self.lock:
            self.count += 1
            os.write(self.trace, f"{kind}\t{_CHANCE.sub('*', name)}\n".encode())
            planned = self.count == self.plan.get("at")
            do = self.plan.get("do", "") if planned else ""
            if self.failing == kind or do == "fail":
                self.failing = kind if self.plan.get("lasting") else ""
                if half is not None and do == "fail":
                    return half()  # as a full disk does: less than was asked for, then the error
                raise error(kind, path)
            if do == "kill before":
                if half is not None:
                    half()
                _die()
            result = work()
            if do == "kill after":
                _die()
            return result

    def install(self) -> None:
        from linkprior.io import atomic_files

        _wrap_open(self)
        for name in ("rename", "replace"):
            _wrap(self, os, name, "rename", of=1)
        for name in ("unlink", "remove", "rmdir"):
            _wrap(self, os, name, "remove")
        _wrap(self, os, "mkdir", "mkdir")
        _wrap_descriptors(self)
        _wrap(self, atomic_files, "exchange", "rename", of=1)  # not by way of the os module


def error(kind: str, path: Any) -> OSError:
    """Return an error as the system has it: write and fsync know of no name."""
    named = () if kind in ("write", "fsync") else (os.fsdecode(path),)
    return OSError(ERRORS[kind], os.strerror(ERRORS[kind]), *named)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def _wrap(faults: Faults, module: Any, name: str, kind: str, of: int = 0) -> None:
    real = getattr(module, name)

    def call(*args: Any, **more: Any) -> Any:
        if more.get("dir_fd") is not None:  # shutil.rmtree: relative to an open folder
            path = Path(os.readlink(f"/proc/self/fd/{more['dir_fd']}")) / os.fsdecode(args[of])
            return faults.meet(kind, path, lambda: real(*args, **more))
        return faults.meet(kind, args[of], lambda: real(*args, **more))

    setattr(module, name, call)


def _wrap_descriptors(faults: Faults) -> None:
    real_sync, real_open = os.fsync, os.open

    def fsync(fd: Any) -> None:
        number = fd if isinstance(fd, int) else fd.fileno()
        path = os.readlink(f"/proc/self/fd/{number}")
        faults.meet("fsync", path, lambda: real_sync(fd))

    def open_low(path: Any, flags: int, mode: int = 0o777, *, dir_fd: Any = None) -> int:
        if not flags & _WRITING or dir_fd is not None:
            return real_open(path, flags, mode, dir_fd=dir_fd)
        found: int = faults.meet("open", path, lambda: real_open(path, flags, mode))
        return found

    os.fsync, os.open = fsync, open_low


def _wrap_open(faults: Faults) -> None:
    real = io.open

    class Raw(io.FileIO):
        """A file whose writes are counted; before one fails, half of it is written."""

        doomed = False

        def write(self, data: Any) -> int:
            if self.doomed:
                self.doomed = bool(faults.plan.get("lasting"))
                raise error("write", self.name)
            whole, low = super().write, memoryview(data).cast("B")

            def half() -> int:
                self.doomed = True
                return whole(low[: len(low) // 2])

            found: int = faults.meet("write", self.name, lambda: whole(low), half)
            return found

    def open_counted(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **more: Any):
        ours = faults.beneath(file) is not None and set(mode) & set("wax+")
        if not ours or "opener" in more:  # an opener calls os.open, which is counted
            return real(file, mode, buffering, *args, **more)
        plain = mode.replace("b", "").replace("t", "")
        raw = faults.meet("open", file, lambda: Raw(file, plain))
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *args[:3], **more)

    io.open = builtins.open = open_counted

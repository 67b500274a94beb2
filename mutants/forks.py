"""A function run in a forked process, which no endless loop, memory or crash of it outlives."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import Any

MEMORY = 4 * 2**30  # more than the process has already
WAITING = 60.0  # seconds on the clock for a process that uses no time but waits for something
BUSY = 8.0  # seconds on the clock for one of its own, on a machine that does other things as well
TIME, CRASH = "time", "crash"

Answer = dict[str, Any]


def ask(task: Callable[[], Answer], seconds: float) -> Answer:
    """Return what `task` returns in a process of its own, or {"died": TIME or CRASH}.

    The task sets its own alarms (`alarm`), test by test; `seconds` is what all of it may take. Time
    is what the processor spends on it, so that it does not depend on what else the machine does.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_child(task, writing)
    os.close(writing)
    said, in_time = _listen(reading, time.monotonic() + WAITING + BUSY * seconds)
    _end_group(child)
    _, status = os.waitpid(child, 0)
    if said:
        answer: Answer = json.loads(said)
        return answer
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return {"died": TIME if not in_time or ended == signal.SIGPROF else CRASH}


def alarm(seconds: float) -> None:
    """Let the system end this process after so many seconds of its own, unless told anew."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _be_child(task: Callable[[], Answer], writing: int) -> None:
    status = 1
    try:
        os.setsid()  # with all that a test starts, it can be ended as one group
        _quiet()
        _limit_memory()
        said = json.dumps(task()).encode()
        while said:
            said = said[os.write(writing, said) :]
        status = 0
    finally:
        os._exit(status)


def _quiet() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _limit_memory() -> None:
    with open("/proc/self/statm", encoding="ascii") as stream:
        pages = int(stream.read().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _listen(reading: int, end: float) -> tuple[bytes, bool]:
    """Return all that comes until the other end is closed, and whether that was in time."""
    said = b""
    with open(reading, "rb", buffering=0) as stream:
        while (left := end - time.monotonic()) > 0:
            if not select.select([stream], [], [], left)[0]:
                break
            piece = stream.read(65536)
            if not piece:
                return said, True
            said += piece
    return b"", False


def _end_group(child: int) -> None:
    for end in (os.killpg, os.kill):
        try:
            end(child, signal.SIGKILL)
        except ProcessLookupError:
            continue
        except PermissionError:  # a group of the dead, on some systems
            continue

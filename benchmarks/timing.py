"""Timing side by side: ratios of one run, in turns, best of several."""

from __future__ import annotations

import os
import platform
import time
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np

from linkprior.parallel import available_cores


def side_by_side(tasks: Sequence[Callable[[], object]], repeats: int = 5) -> list[float]:
    """Time tasks in turns, so that others on the machine disturb all alike; the best of each."""
    times: list[list[float]] = [[] for _ in tasks]
    for _ in range(repeats):
        for task, record in zip(tasks, times, strict=True):
            began = time.perf_counter()
            task()
            record.append(time.perf_counter() - began)
    return [min(record) for record in times]


def peak_megabytes(task: Callable[[], object]) -> float:
    """Return the most memory a task held at a time, in a run of its own."""
    tracemalloc.start()
    task()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def machine() -> str:
    """Return one line about where the figures were taken."""
    load = os.getloadavg()[0]
    return (
        f"{platform.machine()}, {available_cores()} cores, load {load:.1f}, "
        f"Python {platform.python_version()}, numpy {np.__version__}"
    )

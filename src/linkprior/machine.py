"""The machine a run has: memory, versions; read from the system, nothing changed."""

from __future__ import annotations

import contextlib
import importlib.metadata as md
import platform
import sys
from pathlib import Path

from linkprior._version import __version__

_PACKAGES = ("numpy", "scipy", "numba", "pandas", "optuna", "safetensors", "click", "rich")


def available_memory() -> int | None:
    """Return the bytes a process may still take, or None where the system does not report it.

    The least of what the machine has free and what the control group (a container, a batch job)
    leaves.
    """
    limits = [limit for limit in (_free_on_machine(), _free_in_group()) if limit is not None]
    return min(limits) if limits else None


def _free_on_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    entry = next((line for line in lines if line.startswith("MemAvailable:")), "")
    return int(entry.split()[1]) * 1024 if entry else None


def _free_in_group(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> int | None:
    """Return what the tightest control group around leaves; cached files can be let go of."""
    try:
        entries = own.read_text(encoding="utf-8").split()
    except OSError:
        return None
    inside = [entry[3:].strip("/") for entry in entries if entry.startswith("0::")]
    group = root / inside[0] if inside else root
    around = [group, *(parent for parent in group.parents if parent.is_relative_to(root))]
    left, names = list[int](), ("memory.max", "memory.current", "memory.stat")
    for folder in around:
        with contextlib.suppress(OSError):
            limit, taken, parts = ((folder / one).read_text(encoding="ascii") for one in names)
            if limit.strip().isdecimal():
                cached = dict(line.split() for line in parts.splitlines()).get("inactive_file", "0")
                left.append(max(0, int(limit) - int(taken) + int(cached)))
    return min(left, default=None)


def peak_memory() -> int:
    """Return the most bytes this process has held so far (0 where it is unknown)."""
    try:  # Linux lets a new process begin with its parent's ru_maxrss; this line is its own
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        pass
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def reset_peak_memory() -> None:
    """Let `peak_memory` count from now on, where the system (Linux) allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def versions() -> dict[str, str]:
    """Return the versions that a result may depend on."""
    installed = {"linkprior": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            installed[package] = md.version(package)
        except md.PackageNotFoundError:
            installed[package] = "not installed"
    return installed

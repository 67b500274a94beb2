"""Read every file named on stdin, and say for each what came of it and the memory it took.

Run as a process of its own, so that the peak is that of reading alone.
"""

import ctypes
import gc
import json
import sys
from pathlib import Path

import linkprior as lp
from linkprior.errors import LinkpriorError
from linkprior.io.formats import FORMATS
from linkprior.machine import peak_memory, reset_peak_memory


def held():
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def release():
    """Give back what the files before have left: used again, it would not be counted."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc
    if trim is not None:
        trim(0)


def outcome(path):
    release()
    reset_peak_memory()
    before = held()
    try:
        told = f"read: {lp.read_network(path)!r}"
    except LinkpriorError as problem:
        told = f"{type(problem).__name__}: {problem}"
    except BaseException as problem:
        told = f"not ours: {type(problem).__name__}: {problem}"
    return {"told": told, "bytes": peak_memory() - before}


def main():
    import resource

    for chosen in FORMATS.values():
        chosen.reader()  # modules are no part of what reading takes
    room = 4 << 30  # a hole in the limits shall end this process, not the machine
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    paths = [line.rstrip("\n") for line in sys.stdin]
    print(json.dumps({path: outcome(path) for path in paths}))


if __name__ == "__main__":
    main()

"""How much memory a run may take, and matrices in files where that is too little.

A limit changes where p × p arrays are held, never a result. Files have no name: the space is taken
before the work begins, and is free again when the last array is gone, however the process ends.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from linkprior import _config, machine
from linkprior._validation import byte_size, shown
from linkprior.errors import InputError, LinkpriorError, ParameterError

Matrix = NDArray[Any]

LEAST = 10**6  # bytes; less is a slip of the hand
SPARE_DISK = 0.02  # of the free space that is left to others
_IN_MEMORY = {"tmpfs", "ramfs"}  # file systems that are memory under another name


def memory_limit() -> int | None:
    """Return the limit in force, in bytes; None where none was set."""
    return _config.current().memory


def memory_room() -> int | None:
    """Return the bytes a run may take: the limit in force, else what the machine has free."""
    limit = memory_limit()
    return machine.available_memory() if limit is None else limit


@contextmanager
def use_memory(limit: int | str | None, folder: str | Path | None = None) -> Iterator[None]:
    """Run the body within so much memory (None: leave it as it is). Results do not depend on it.

    Parameters
    ----------
    limit
        Bytes, or text such as "2G" or "500M".
    folder
        Where matrices go that do not fit; the folder of temporary files (TMPDIR) when None.

    Yields
    ------
    None

    Examples
    --------
    >>> import linkprior as lp
    >>> with lp.use_memory("500M"):
    ...     model = lp.make("l3").fit(lp.planted_network(n_nodes=30, seed=1))
    """
    if limit is None:
        yield
        return
    place = None if folder is None else str(folder)
    with _config.using(memory=memory_size(limit), memory_folder=place):
        yield


def memory_size(given: int | str) -> int:
    """Return the bytes that a number, or text such as "2G", "1.5 GB" or "512MiB", stands for."""
    size = byte_size(given) if isinstance(given, str) else given
    if isinstance(size, bool) or not isinstance(size, int) or size < LEAST:
        raise ParameterError(
            f"a memory limit must be a size of 1M or more, such as 500M or 2G, got {shown(given)}"
        )
    return size


# ---------------------------------------------------------------------- matrices in files


def matrices(count: int, n_rows: int, dtype: DTypeLike, on_disk: bool) -> list[Matrix]:
    """Return square arrays of zeros, in memory or in files of the folder in force."""
    if not on_disk:
        return [np.zeros((n_rows, n_rows), dtype) for _ in range(count)]
    size = n_rows * n_rows * np.dtype(dtype).itemsize
    check_disk(count * size)
    return [np.ndarray((n_rows, n_rows), dtype, _map(size)) for _ in range(count)]


def check_disk(size: float) -> None:
    """Refuse, in one line, a size that the folder for matrices cannot take."""
    folder = disk_folder()
    if file_system(folder) in _IN_MEMORY:
        raise InputError(
            f"{folder} is held in memory, so matrices cannot be stored there: set TMPDIR to a "
            "folder on a disk, or write the output (-o) to one"
        )
    free = free_disk()
    if size > free:
        raise InputError(
            f"matrices of {size / 1e9:.2g} GB do not fit the memory limit, and {folder} has "
            f"{free / 1e9:.2g} GB free: set TMPDIR to a larger disk, or raise the limit"
        )


def disk_folder() -> Path:
    """Return where matrices go that do not fit."""
    return Path(_config.current().memory_folder or tempfile.gettempdir())


def free_disk() -> float:
    """Return the bytes that matrices may take there; 0 where it cannot be asked, or is memory."""
    if file_system(disk_folder()) in _IN_MEMORY:
        return 0.0
    try:
        return (1.0 - SPARE_DISK) * shutil.disk_usage(disk_folder()).free
    except OSError:
        return 0.0


def file_system(folder: Path) -> str:
    """Return the kind of file system a folder is on, such as "ext4"; "" where it is unknown."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    mounts = {words[1]: words[2] for words in (line.split() for line in lines) if len(words) > 2}
    real = folder.resolve()
    return next((mounts[str(up)] for up in (real, *real.parents) if str(up) in mounts), "")


def _map(size: int) -> mmap.mmap:
    """Return so many zeros in a file without a name; its space is taken now.

    A file with holes would end the process (SIGBUS) where the disk is full later on.
    """
    try:
        with tempfile.TemporaryFile(dir=disk_folder(), prefix="linkprior-") as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.truncate(size)
            return mmap.mmap(file.fileno(), size)
    except OSError as problem:
        raise LinkpriorError(
            f"a matrix of {size / 1e9:.2g} GB cannot be put into {disk_folder()} "
            f"({problem.strerror}): set TMPDIR to a larger disk, or raise the memory limit"
        ) from None


def release(matrix: Matrix, start: int, stop: int) -> None:
    """Give rows of a matrix in a file back to the system, which reads them again when asked."""
    file: object = getattr(matrix, "base", None)  # a tensor has none
    if not isinstance(file, mmap.mmap):
        return
    row, page = matrix.strides[0], mmap.PAGESIZE
    begin, end = start * row // page * page, min(-(-stop * row // page) * page, matrix.nbytes)
    with contextlib.suppress(AttributeError, OSError):  # a system without it needs no help
        file.madvise(mmap.MADV_DONTNEED, begin, end - begin)

"""What a command keeps: plain files of a bounded size, whoever the folder comes from."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from linkprior.errors import StoreError
from linkprior.io.atomic_files import resolved

MOST_TEXT = 500_000_000  # bytes of JSON or a log; the names of ten million nodes take half of it
# A pipe does not make us wait, and a terminal does not become ours.
_LOOK = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_LOOK |= getattr(os, "O_BINARY", 0)


def kept_text(path: Path, errors: str = "strict") -> str:
    """Return the text of a file that a command kept; refuse what is no plain file, or endless."""
    text = kept_bytes(path, MOST_TEXT).decode("utf-8", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def kept_bytes(path: Path, most: int | None = MOST_TEXT) -> bytes:
    """Return the content of a file that a command kept, as long as it was when it was opened.

    It may have `most` bytes; None: as many as memory holds.
    """
    with kept_stream(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if most is not None and size > most:
            raise StoreError(
                f"{path} is larger than {most / 1e6:,.0f} MB, which no command of ours writes; "
                "check where it comes from"
            )
        return stream.read(size)


@contextmanager
def kept_stream(path: Path) -> Iterator[BinaryIO]:
    """Open a file that a command kept; refuse a pipe, a device or a folder in its place."""
    try:
        descriptor = os.open(path, _LOOK)
    except OSError as problem:
        raise _odd(path) if problem.errno == errno.ENXIO else problem from None  # a socket
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _odd(path)
        with open(descriptor, "rb", closefd=False) as stream:
            yield stream
    finally:
        os.close(descriptor)


def refuse_odd(folder: Path, names: Iterable[str]) -> None:
    """Raise an error where something that is no plain file stands in the place of a file of ours.

    Asked before the work: a pipe would have whoever writes to it wait for a reader, a folder, a
    device or a link that leads nowhere would be met when all is done.
    """
    for path in (folder / name for name in names):
        if path.is_symlink() and not resolved(path).parent.is_dir():
            raise StoreError(f"{path} is a link that leads nowhere; remove it")
        if path.exists() and not path.is_file():
            raise _odd(path)


def _odd(path: Path) -> StoreError:
    return StoreError(f"{path} is no plain file; remove it, or choose another place")

"""A named network as a file here: from the data folder, from the cache, or downloaded."""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import lzma
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from linkprior._validation import real_number
from linkprior.io.atomic_files import whole_file
from linkprior.io.datasets.catalogue import NOT_STATED, Catalogue, Entry, find, read_catalogue
from linkprior.io.datasets.transfer import (
    CHUNK,
    BrokenTransferError,
    FetchError,
    Progress,
    UnreachableError,
    download,
    persistently,
)

__all__ = ["FetchError", "UnreachableError", "cache_folder", "data_folder", "fetch", "whereabouts"]

Notify = Callable[[str], None]

# A packed file is hardly ever larger than the plain one; beyond this it is another file.
PACKED_FACTOR, PACKED_EXTRA = 1.5, 1_000_000
IN_MEMORY = 1 << 24
LONGEST_SILENCE = 86_400.0  # seconds; sockets take no infinity
UNREADABLE = (EOFError, OSError, zlib.error, lzma.LZMAError)
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
NO = ("", "0", "no", "false", "off")


def _silent(text: str) -> None:
    """Say nothing."""


def fetch(
    name: str,
    *,
    data: str | Path | None = None,
    cache: str | Path | None = None,
    catalogue: Catalogue | None = None,
    offline: bool | None = None,
    timeout: float = 30.0,
    tell: Notify = _silent,
    progress: Progress | None = None,
) -> Path:
    """Return the path of a network whose uncompressed bytes have the catalogue's sha256.

    It is looked for in `data` (default: `LINKPRIOR_DATA`), then in `cache` (default:
    `cache_folder()`), and downloaded into the cache only when neither has it. `offline`
    (default: whether `LINKPRIOR_OFFLINE` is set) forbids the last step. `tell` hears what
    happens, line by line; `progress` hears the bytes received and, if known, how many come.
    """
    real_number("timeout", timeout, 0, LONGEST_SILENCE, high_open=False)
    entry = find(name, read_catalogue() if catalogue is None else catalogue)
    store = cache_folder() if cache is None else Path(cache)
    folder = data_folder(data)
    if folder is not None and not folder.is_dir():
        tell(f"{folder} is no folder, so no local network is found there")
    for path in _candidates(entry, folder, store):
        if path.is_file() and _sound(path, entry, tell):
            return path.absolute()
    if entry.url is None:
        raise FetchError(
            f"{name} has no address to download it from (source: {entry.source}): {_advice(entry)}"
        )
    if _forbidden(offline):
        why = "LINKPRIOR_OFFLINE is set" if offline is None else "offline"
        raise FetchError(f"{name} is not here, and nothing is downloaded ({why}): {_advice(entry)}")
    return _into_cache(entry, store, timeout, tell, progress).absolute()


def data_folder(given: str | Path | None = None) -> Path | None:
    """Return the folder of local networks: the given one, or what `LINKPRIOR_DATA` names."""
    named = given or os.environ.get("LINKPRIOR_DATA")
    return Path(named).expanduser() if named else None


def cache_folder() -> Path:
    """Return the folder downloads are kept in, by `LINKPRIOR_CACHE` or the system's custom."""
    if given := os.environ.get("LINKPRIOR_CACHE"):
        return Path(given).expanduser()
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(xdg):
        return Path(xdg) / "linkprior"
    try:
        return _custom(sys.platform) / "linkprior"
    except RuntimeError:
        raise FetchError("No home folder is known here: set LINKPRIOR_CACHE to one") from None


def whereabouts(entry: Entry, data: Path | None, cache: Path) -> tuple[str, Path | None]:
    """Return `local`, `cached` or `not here` and the path, by existence alone: no hash is taken."""
    kept = _in_cache(entry, cache)
    for path in _candidates(entry, data, cache):
        if path.is_file():
            return "cached" if path == kept else "local", path
    return "not here", None


def _custom(platform: str) -> Path:
    """Return where programs keep what they can fetch again."""
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ".cache"


def _in_cache(entry: Entry, cache: Path) -> Path:
    return cache / "data" / entry.plain_file


def _candidates(entry: Entry, data: Path | None, cache: Path) -> Iterator[Path]:
    if data is not None:
        yield from dict.fromkeys((data / entry.file, data / entry.plain_file))
    yield _in_cache(entry, cache)


def _forbidden(offline: bool | None) -> bool:
    if offline is not None:
        return offline
    return os.environ.get("LINKPRIOR_OFFLINE", "").strip().lower() not in NO


def _advice(entry: Entry) -> str:
    return f"set LINKPRIOR_DATA to a folder that holds it as {entry.file}"


def _sound(path: Path, entry: Entry, tell: Notify) -> bool:
    """Tell whether the file is the one the catalogue means, and say it when it is not."""
    try:
        with path.open("rb") as stream:
            _check(stream, entry, _ignore)
    except (FetchError, OSError) as problem:
        tell(f"{path} is not used: {problem}")
        return False
    return True


def _into_cache(
    entry: Entry, cache: Path, timeout: float, tell: Notify, progress: Progress | None
) -> Path:
    """Download the file, check it and only then let it appear in the cache."""
    _introduce(entry, tell)
    target = _in_cache(entry, cache)

    def attempt() -> None:
        with _storing(target.parent, entry):
            target.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(target) as out:
                _receive(entry, out.buffer, target.parent, timeout, progress)

    persistently(attempt, tell)
    tell(f"{entry.name}: {entry.bytes} bytes, sha256 as expected, kept in {target}")
    return target


def _introduce(entry: Entry, tell: Notify) -> None:
    stated = entry.licence != NOT_STATED
    unstated = "not stated by the source; check before you redistribute"
    tell(f"{entry.name}: {entry.title}")
    tell(f"licence: {entry.licence if stated else unstated}")
    tell(f"source: {entry.source}")
    if entry.citation is not None:
        tell(f"cite: {entry.citation}")
    tell(f"downloading {entry.url}")


def _receive(
    entry: Entry, out: BinaryIO, folder: Path, timeout: float, progress: Progress | None
) -> None:
    """Write the plain bytes to `out`. The packed ones lie beside it, in a file without a name."""
    limit = int(entry.bytes * PACKED_FACTOR) + PACKED_EXTRA
    url = cast(str, entry.url)
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY, dir=str(folder)) as packed:
        stream = cast(BinaryIO, packed)
        try:
            download(url, stream, limit=limit, timeout=timeout, progress=progress)
        except FetchError as problem:
            raise type(problem)(f"{problem}; fetch it elsewhere and {_advice(entry)}") from None
        stream.seek(0)
        try:
            _check(stream, entry, out.write)
        except FetchError as problem:
            raise type(problem)(f"{url}: {problem}; the file was not kept") from None


def _check(stream: BinaryIO, entry: Entry, write: Callable[[bytes], object]) -> None:
    """Pass the plain bytes on and raise unless there are as many as expected, with that hash."""
    seen, size = hashlib.sha256(), 0
    for chunk in _plain_chunks(stream):
        size += len(chunk)
        if size > entry.bytes:
            raise FetchError(f"expected {entry.bytes} uncompressed bytes, got more")
        seen.update(chunk)
        write(chunk)
    if seen.hexdigest() != entry.sha256:
        raise FetchError(
            f"expected sha256 {entry.sha256}, got {seen.hexdigest()} "
            f"({size} of {entry.bytes} uncompressed bytes)"
        )


def _plain_chunks(stream: BinaryIO) -> Iterator[bytes]:
    try:
        plain = _unpacked(stream)
        while chunk := plain.read(CHUNK):
            yield chunk
    except UNREADABLE as problem:
        raise BrokenTransferError(f"it cannot be read ({problem})") from None


def _unpacked(stream: BinaryIO) -> BinaryIO:
    """Return the stream itself, or what it holds packed: the first bytes tell, not the name."""
    start = stream.read(10)
    stream.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return cast(BinaryIO, gzip.open(stream))
    if start.startswith(b"BZh") and start.endswith(b"1AY&SY"):
        return cast(BinaryIO, bz2.open(stream))
    if start.startswith(b"\xfd7zXZ\x00"):
        return cast(BinaryIO, lzma.open(stream))
    return stream


@contextmanager
def _storing(folder: Path, entry: Entry) -> Iterator[None]:
    """Turn what the file system says into what to do about it."""
    try:
        yield
    except OSError as problem:
        if problem.errno in FULL:
            raise FetchError(
                f"No room for {entry.bytes} bytes in {folder}: free some, or set LINKPRIOR_CACHE "
                "to another folder"
            ) from None
        raise FetchError(
            f"Cannot write in {folder} ({problem.strerror or problem}): set LINKPRIOR_CACHE to a "
            "folder you may write in"
        ) from None


def _ignore(chunk: bytes) -> None:
    """Keep nothing."""

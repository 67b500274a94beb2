"""Packed bytes → plain bytes: gzip, bzip2, xz and zip, known by how they begin."""

from __future__ import annotations

import bz2
import copy
import gzip
import io
import lzma
import os
import struct
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from linkprior.errors import InputError, ParameterError

# What may be unpacked without asking how it compares with the file: reading takes some twenty
# bytes of memory for each.
FREE = 16 << 20
# A packed file may hold this much more than itself. Edge lists pack 3 to 40 times; a list of all
# pairs may be packed 500 times by xz, but nobody makes one that takes a gigabyte.
MOST_RATIO = {"gzip": 250, "bzip2": 250, "zip": 250, "xz": 1000}
LARGE, MOST_RATIO_LARGE = 1 << 30, 100
# STRING's largest single organism takes some gigabytes; nothing beyond this fits a memory.
MOST_UNPACKED = 64 << 30
# `xz -9` needs 65 MB to unpack; a header may ask for 4 GB before the first byte is there.
XZ_MEMORY = 256 << 20
VARIABLE = "LINKPRIOR_UNPACK_LIMIT"


def unpack_limit() -> int | None:
    """Return the bytes a packed file may hold as the user says, None where they do not."""
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return None
    from linkprior._validation import byte_size, shown

    size = byte_size(given)
    if size is None:
        raise ParameterError(f"{VARIABLE} must be a size such as 500M or 20GB, got {shown(given)}")
    return size


def refuse_bomb(name: str, packing: str, unpacked: int, packed: int) -> None:
    """Refuse so many bytes from so few: every edge costs memory, however well it is packed."""
    asked = unpack_limit()
    if asked is not None:
        if unpacked > asked:
            raise InputError(
                f"{name}: unpacks to more than the {asked:,} bytes that {VARIABLE} allows; raise "
                "it if you trust the file"
            )
        return
    most = MOST_RATIO[packing] if unpacked <= LARGE else MOST_RATIO_LARGE
    if unpacked > max(FREE, most * packed):
        raise InputError(
            f"{name}: unpacks to more than {most} times its size, which no network file does (a "
            f"decompression bomb?); if you trust it, unpack it yourself or set {VARIABLE}=SIZE"
        )
    if unpacked > MOST_UNPACKED:
        raise InputError(
            f"{name}: unpacks to more than {MOST_UNPACKED >> 30} GB; unpack it yourself or set "
            f"{VARIABLE}=SIZE to read it anyway"
        )


_CHUNK, _PIECE = 1 << 16, 1 << 9


class _Pieces(io.RawIOBase):
    """A zip member packed by LZMA, of which Python unpacks at once whatever it reads."""

    def __init__(self, member: Any) -> None:
        self._member = member
        member.MIN_READ_SIZE = _PIECE

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._member.read(min(len(buffer), _PIECE))
        buffer[: len(data)] = data
        return len(data)


class _Streams(io.RawIOBase):
    """All streams of a bzip2 or xz file, one after the other, as parallel packers write them.

    The standard library takes damage in a later stream for the end of the file, and edges would be
    lost without a word; here it is an error, as it is in gzip.
    """

    def __init__(self, packed: BinaryIO, make: Callable[[], Any]) -> None:
        self._packed, self._make, self._decoder = packed, make, make()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            data = b""
            if self._decoder.eof:
                data = self._after()
                if not data:
                    return 0
                self._decoder = self._make()
            elif self._decoder.needs_input:
                data = self._packed.read(_CHUNK)
                if not data:
                    raise EOFError
            try:
                plain = self._decoder.decompress(data, len(buffer))
            except lzma.LZMAError as problem:
                if "emory" not in str(problem):
                    raise
                need = f"its dictionary takes more than {XZ_MEMORY >> 20} MB of memory"
                raise NotImplementedError(need) from None
            if plain:
                buffer[: len(plain)] = plain
                return len(plain)

    def _after(self) -> bytes:
        """Return what follows a stream: the beginning of the next, past zeros that fill up."""
        data: bytes = self._decoder.unused_data.lstrip(b"\0")
        while not data:
            more = self._packed.read(_CHUNK)
            if not more:
                return b""
            data = more.lstrip(b"\0")
        return data


UNPACK: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda packed: gzip.GzipFile(fileobj=packed, mode="rb"),
    "bzip2": lambda packed: io.BufferedReader(_Streams(packed, bz2.BZ2Decompressor), _CHUNK),
    "xz": lambda packed: io.BufferedReader(
        _Streams(packed, lambda: lzma.LZMADecompressor(memlimit=XZ_MEMORY)), _CHUNK
    ),
}


def zip_member(packed: BinaryIO, name: str, stack: ExitStack) -> tuple[Any, str | None]:
    """Open the one file of a zip archive, and name it; an .npz archive is handed on as it is."""
    # A zip's table of contents is at its end, and stdin cannot be wound back.
    spool = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=FREE))  # noqa: SIM115
    while data := packed.read(1 << 20):
        spool.write(data)
    size = spool.tell()
    spool.seek(0)
    try:
        archive = stack.enter_context(zipfile.ZipFile(spool))
        members = [member for member in archive.infolist() if _is_content(member)]
        if members and all(member.filename.endswith(".npy") for member in members):
            spool.seek(0)
            return spool, None
        if any(member.filename == "xl/workbook.xml" for member in members):
            raise InputError(f"{name}: is an Excel workbook; save the sheet with the edges as CSV")
        if len(members) != 1:
            inside = ", ".join(_shown(member) for member in members[:5]) or "nothing"
            raise InputError(
                f"{name}: a zip archive of {len(members)} files ({inside}), expected one; unpack "
                "it and give the network's file"
            )
        member = members[0]
        # All of it is announced; a member that holds more than that ends there as damaged.
        refuse_bomb(name, "zip", member.file_size, min(member.compress_size, size))
        return _member(archive, member, stack), f"zip ({_shown(member)})"
    except InputError:
        raise
    except (struct.error, ValueError) as problem:
        raise InputError(f"{name}: a damaged zip archive ({problem}); get it again") from None


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, stack: ExitStack) -> Any:
    """Return what a member holds, unpacked in bounded pieces."""
    if member.compress_type == zipfile.ZIP_BZIP2:  # Python unpacks all it reads: up to gigabytes
        raw = copy.copy(member)
        raw.compress_type, raw.file_size = zipfile.ZIP_STORED, member.compress_size
        del raw.CRC  # it is that of the plain bytes; bzip2 has checksums of its own
        return UNPACK["bzip2"](stack.enter_context(archive.open(raw)))
    stream = stack.enter_context(archive.open(member))
    if member.compress_type == zipfile.ZIP_LZMA:
        return io.BufferedReader(_Pieces(stream), _CHUNK)
    return stream


def _is_content(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a file of the user's, not one a Mac adds."""
    path = Path(member.filename)
    if not member.filename:
        return False
    return not (member.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name.startswith("."))


def _shown(member: zipfile.ZipInfo) -> str:
    name = member.filename
    return name if name.isprintable() else ascii(name)

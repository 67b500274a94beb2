"""Plain bytes of bzip2, xz and zip members in pieces no larger than asked for.

The standard library's zip reader unpacks bzip2 and LZMA without a bound: some hundred bytes of an
archive become gigabytes in a single call.
"""

from __future__ import annotations

import bz2
import copy
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

from linkprior.io.limits import XZ_MEMORY

_CHUNK = 1 << 16
_WITH_END_MARK = 0x02  # a flag of zip members packed by LZMA
_UNKNOWN_SIZE = (1 << 64) - 1


def bzip2_stream(packed: BinaryIO) -> io.BufferedReader:
    """Return what a bzip2 file holds."""
    return io.BufferedReader(_Streams(packed, bz2.BZ2Decompressor), _CHUNK)


def xz_stream(packed: BinaryIO) -> io.BufferedReader:
    """Return what an xz file holds."""
    return io.BufferedReader(
        _Streams(packed, lambda: lzma.LZMADecompressor(memlimit=XZ_MEMORY)), _CHUNK
    )


def member_stream(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    """Return what a member of a zip archive holds, checked by size and checksum."""
    if member.compress_type == zipfile.ZIP_BZIP2:
        plain: io.RawIOBase = _Streams(_as_stored(archive, member), bz2.BZ2Decompressor)
    elif member.compress_type == zipfile.ZIP_LZMA:
        plain = _Streams(_with_header(_as_stored(archive, member), member), _alone)
    else:
        return archive.open(member)
    return io.BufferedReader(_Checked(plain, member), _CHUNK)


def _as_stored(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    """Return the packed bytes of a member as they are."""
    raw = copy.copy(member)
    raw.compress_type, raw.file_size = zipfile.ZIP_STORED, member.compress_size
    del raw.CRC  # it is that of the plain bytes
    return archive.open(raw)  # type: ignore[return-value]


def _with_header(packed: BinaryIO, member: zipfile.ZipInfo) -> BinaryIO:
    """Put the header of an .lzma file in the place of that of zip, which Python cannot bound."""
    start = packed.read(4)
    if len(start) < 4:
        raise EOFError
    settings = packed.read(struct.unpack("<H", start[2:])[0])
    size = _UNKNOWN_SIZE if member.flag_bits & _WITH_END_MARK else member.file_size
    return _Joined(settings + struct.pack("<Q", size), packed)  # type: ignore[return-value]


def _alone() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(format=lzma.FORMAT_ALONE, memlimit=XZ_MEMORY)


class _Joined:
    """First bytes, then those of a stream."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._first, self._rest = first, rest

    def read(self, size: int) -> bytes:
        data, self._first = self._first[:size], self._first[size:]
        return data or self._rest.read(size)


class _Checked(io.RawIOBase):
    """Passes a member's bytes on; refuses more or others than the archive announces."""

    def __init__(self, plain: io.RawIOBase, member: zipfile.ZipInfo) -> None:
        self._plain, self._member, self._size, self._crc = plain, member, 0, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._plain.readinto(buffer) or 0
        self._size += count
        self._crc = zlib.crc32(memoryview(buffer)[:count], self._crc)
        announced = self._member.file_size
        if self._size > announced or (not count and self._size < announced):
            raise zipfile.BadZipFile(f"not the {announced} bytes announced")
        if not count and self._crc != self._member.CRC:
            raise zipfile.BadZipFile("bad checksum")
        return count


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
            plain = self._plain(data, len(buffer))
            if plain:
                buffer[: len(plain)] = plain
                return len(plain)

    def _plain(self, data: bytes, most: int) -> bytes:
        try:
            plain: bytes = self._decoder.decompress(data, most)
        except lzma.LZMAError as problem:
            if "emory" not in str(problem):
                raise
            need = f"its dictionary takes more than {XZ_MEMORY >> 20} MB of memory"
            raise NotImplementedError(need) from None
        return plain

    def _after(self) -> bytes:
        """Return what follows a stream: the beginning of the next, past zeros that fill up."""
        data: bytes = self._decoder.unused_data.lstrip(b"\0")
        while not data:
            more = self._packed.read(_CHUNK)
            if not more:
                return b""
            data = more.lstrip(b"\0")
        return data

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
import zlib
from collections.abc import Callable, Sequence
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
            f"{VARIABLE}=SIZE to read it all the same"
        )


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


UNPACK: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda packed: gzip.GzipFile(fileobj=packed, mode="rb"),
    "bzip2": bzip2_stream,
    "xz": xz_stream,
}


def unpacked(packed: Any, packing: str, name: str, stack: ExitStack) -> tuple[Any, str | None]:
    """Return a stream of plain bytes, and the packing as messages name it: zip with its member."""
    if packing == "zip":
        return _zip_member(packed, name, stack)
    return UNPACK[packing](packed), packing


def _zip_member(packed: BinaryIO, name: str, stack: ExitStack) -> tuple[Any, str | None]:
    """Open the one file of a zip archive; an .npz archive is handed on as it is."""
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
        member = _only(members, name)
        # All of it is announced; a member that holds more than that ends there as damaged.
        refuse_bomb(name, "zip", member.file_size, min(member.compress_size, size))
        stream = stack.enter_context(member_stream(archive, member))
        return stream, f"zip ({_shown(member)})"
    except InputError:
        raise
    except (struct.error, ValueError) as problem:
        raise InputError(f"{name}: a damaged zip archive ({problem}); get it again") from None


def _only(members: Sequence[zipfile.ZipInfo], name: str) -> zipfile.ZipInfo:
    """Return the one member there is, or say what was found instead."""
    if any(member.filename == "xl/workbook.xml" for member in members):
        raise InputError(f"{name}: is an Excel workbook; save the sheet with the edges as CSV")
    if len(members) != 1:
        inside = ", ".join(_shown(member) for member in members[:5]) or "nothing"
        raise InputError(
            f"{name}: a zip archive of {len(members)} files ({inside}), expected one; unpack it "
            "and give the network's file"
        )
    return members[0]


def _is_content(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a file of the user's, not one a Mac adds."""
    path = Path(member.filename)
    if not member.filename:
        return False
    return not (member.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name.startswith("."))


def _shown(member: zipfile.ZipInfo) -> str:
    name = member.filename
    return name if name.isprintable() else ascii(name)

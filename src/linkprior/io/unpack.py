"""Packed bytes → plain bytes: gzip, bzip2, xz and zip, known by how they begin."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from linkprior.errors import InputError

# What may be kept in memory, or unpacked, without asking how it compares with the file.
FREE = 64 << 20
# A packed file may hold this much more than itself. Edge lists pack 3 to 40 times; a list of all
# pairs may be packed 500 times by xz, but nobody makes one that takes a gigabyte.
_MOST_RATIO = {"gzip": 250, "bzip2": 250, "zip": 250, "xz": 1000}
_LARGE, _MOST_RATIO_LARGE = 1 << 30, 100
_MAGIC = {
    rb"\x1f\x8b": "gzip",
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": "bzip2",  # BZh alone might begin a name
    rb"\xfd7zXZ\x00": "xz",
    rb"PK\x03\x04": "zip",
}
_CHUNK = 1 << 16
_UNPACK: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda packed: gzip.GzipFile(fileobj=packed),
    "bzip2": lambda packed: io.BufferedReader(_Streams(packed, bz2.BZ2Decompressor), _CHUNK),
    "xz": lambda packed: io.BufferedReader(_Streams(packed, lzma.LZMADecompressor), _CHUNK),
}
_OTHER_FILES = {
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x28\xb5\x2f\xfd": "a Zstandard file",
    b"PK\x05\x06": "an empty zip archive",
    b"%PDF-": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
}


def shown(path: str) -> str:
    """Return a path as messages show it: on one line."""
    if path == "-":
        return "stdin"
    return path if path.isprintable() else ascii(path)


def packing_of(start: bytes) -> str | None:
    """Return how bytes that begin so are packed: gzip, bzip2, xz or zip; None for plain ones."""
    return next((kind for magic, kind in _MAGIC.items() if re.match(magic, start)), None)


def refuse_bomb(name: str, packing: str, unpacked: int, packed: int) -> None:
    """Refuse so many bytes from so few: every edge costs memory, however well it is packed."""
    most = _MOST_RATIO[packing] if unpacked <= _LARGE else _MOST_RATIO_LARGE
    if unpacked > max(FREE, most * packed):
        raise InputError(
            f"{name}: unpacks to more than {most} times its size, which no network file does (a "
            "decompression bomb?); unpack it yourself if you trust it"
        )


def unpacked(packed: io.BufferedReader, name: str, stack: ExitStack) -> tuple[Any, str | None]:
    """Return a stream of plain bytes, and the packing: gzip, bzip2, xz, zip (member), or None."""
    start = packed.peek()
    for magic, what in _OTHER_FILES.items():
        if start.startswith(magic):
            raise InputError(f"{name}: is {what}, expected a network as text; unpack or export it")
    packing = packing_of(start)
    if packing == "zip":
        return _zip_member(packed, name, stack)
    return (_UNPACK[packing](packed) if packing else packed), packing


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
        return stack.enter_context(archive.open(member)), f"zip ({shown(member.filename)})"
    except InputError:
        raise
    except (struct.error, ValueError) as problem:
        raise InputError(f"{name}: a damaged zip archive ({problem}); get it again") from None


def _only(members: Sequence[zipfile.ZipInfo], name: str) -> zipfile.ZipInfo:
    """Return the one member there is, or say what was found instead."""
    if any(member.filename == "xl/workbook.xml" for member in members):
        raise InputError(f"{name}: is an Excel workbook; save the sheet with the edges as CSV")
    if len(members) != 1:
        inside = ", ".join(shown(member.filename) for member in members[:5]) or "nothing"
        raise InputError(
            f"{name}: a zip archive of {len(members)} files ({inside}), expected one; unpack it "
            "and give the network's file"
        )
    return members[0]


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
            plain = self._decoder.decompress(data, len(buffer))
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


def _is_content(member: zipfile.ZipInfo) -> bool:
    """Tell whether a member is a file of the user's, not one a Mac adds."""
    path = Path(member.filename)
    if not member.filename:
        return False
    return not (member.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name.startswith("."))

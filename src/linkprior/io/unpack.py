"""Packed bytes → plain bytes: gzip, bzip2, xz and zip, known by how they begin."""

from __future__ import annotations

import gzip
import io
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from linkprior.errors import InputError
from linkprior.io.limits import FREE, refuse_bomb
from linkprior.io.streams import bzip2_stream, member_stream, xz_stream

_MAGIC = {
    rb"\x1f\x8b": "gzip",
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": "bzip2",  # BZh alone might begin a name
    rb"\xfd7zXZ\x00": "xz",
    rb"PK\x03\x04": "zip",
}
_UNPACK: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda packed: gzip.GzipFile(fileobj=packed),
    "bzip2": bzip2_stream,
    "xz": xz_stream,
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
        stream = stack.enter_context(member_stream(archive, member))
        return stream, f"zip ({shown(member.filename)})"
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


def _is_content(member: zipfile.ZipInfo) -> bool:
    """Tell whether a member is a file of the user's, not one a Mac adds."""
    path = Path(member.filename)
    if not member.filename:
        return False
    return not (member.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name.startswith("."))

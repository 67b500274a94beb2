"""An input as a stream of unpacked bytes: a file or stdin; gzip, bzip2, xz and zip are opened."""

from __future__ import annotations

import bz2
import codecs
import copy
import gzip
import hashlib
import io
import lzma
import os
import re
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, compress, islice
from pathlib import Path
from typing import Any, BinaryIO

from linkprior.errors import InputError, LinkpriorError, ParameterError, nearest, visible

HEAD = 1 << 16
_MAGIC = {
    rb"\x1f\x8b": "gzip",
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": "bzip2",  # BZh alone might begin a name
    rb"\xfd7zXZ\x00": "xz",
    rb"PK\x03\x04": "zip",
}
_OTHER_FILES = {
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x28\xb5\x2f\xfd": "a Zstandard file",
    b"PK\x05\x06": "an empty zip archive",
    b"%PDF-": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
}


class _Tap(io.RawIOBase):
    """Passes bytes on, and counts and hashes them."""

    def __init__(self, inner: Any) -> None:
        self._inner, self.count, self._hash = inner, 0, hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        self._hash.update(data)
        return len(data)

    def digest(self) -> str:
        """Return the SHA-256 of the whole input, after reading what is left of it."""
        while self.read(1 << 20):
            pass
        return self._hash.hexdigest()


@dataclass
class Source:
    """An opened input."""

    name: str  # the path as given, or stdin
    rest: Any  # a stream of what comes after the head
    head: bytes  # the first 64 KiB, unpacked
    packing: str | None  # gzip, bzip2, xz or zip (with the member's name)
    _tap: _Tap
    lines: int = 0  # read so far, where the format has lines

    def blocks(self, size: int = 1 << 22) -> Iterator[bytes]:
        """Yield the unpacked bytes; refuse what grows out of all proportion."""
        unpacked, kind, head = 0, self.packing.split()[0] if self.packing else None, self.head
        while data := head[:size] + self.rest.read(max(size - len(head), 0)):
            head = head[size:]
            unpacked += len(data)
            if kind:
                refuse_bomb(self.name, kind, unpacked, self._tap.count)
            yield data

    def whole(self, most: int) -> bytes:
        """Return all bytes, for formats that cannot be streamed; refuse more than `most`."""
        parts, size = [], 0
        for data in self.blocks():
            parts.append(data)
            size += len(data)
            if size > most:
                raise InputError(
                    f"{self.name}: larger than {most >> 20} MB, too large for this format; "
                    "export it as a tab-separated edge list"
                )
        return b"".join(parts)

    def sha256(self) -> str:
        """Return the SHA-256 of the input as it lies on the disk (packed or not)."""
        return self._tap.digest()


@contextmanager
def open_source(path: str | Path) -> Iterator[Source]:
    """Open a file, or stdin for `-`; whatever goes wrong while it is read is an InputError."""
    name = display_path(str(as_path(path)))
    try:
        with ExitStack() as stack:
            yield _opened(_raw(path, name, stack), name, stack)
    except LinkpriorError as problem:
        if str(problem).isprintable():
            raise
        raise type(problem)(visible(str(problem))) from None  # cells and headers are quoted in it
    except EOFError:
        raise InputError(
            f"{name}: the compressed data end too early: the file was cut off; get it again"
        ) from None
    except NotImplementedError as problem:
        raise InputError(f"{name}: cannot be unpacked here ({problem}); unpack it first") from None
    except RuntimeError as problem:
        if "encrypted" not in str(problem):
            raise
        raise InputError(f"{name}: the zip archive is encrypted; unpack it first") from None
    except (OSError, zipfile.BadZipFile, lzma.LZMAError, zlib.error) as problem:
        if isinstance(problem, OSError) and problem.strerror:
            raise InputError(
                f"{name}: cannot be read ({problem.strerror}); check the file and its permissions"
            ) from None
        raise InputError(f"{name}: damaged compressed data ({problem}); get it again") from None


def _raw(path: str | Path, name: str, stack: ExitStack) -> BinaryIO:
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("stdin: is closed; give a file, or pipe one in")
        return sys.stdin.buffer
    if not os.fspath(path):
        raise InputError("the name of the input is empty; give a file, or - for standard input")
    if "\0" in str(path):
        raise InputError(f"{name}: no file can have such a name; check the path")
    target = Path(path)
    if target.is_symlink() and not target.exists():
        raise InputError(f"{name}: is a broken link; check its target")
    if not target.exists():
        folder, like = target.parent, f" There is no folder {display_path(str(target.parent))}."
        if folder.is_dir():
            like = nearest(target.name, (path.name for path in islice(folder.iterdir(), 1000)))
        raise InputError(f"{name}: no such file.{like} Check the path")
    if target.is_dir():
        raise InputError(f"{name}: is a directory; give a network file inside it")
    return stack.enter_context(target.open("rb"))


def _opened(raw: BinaryIO, name: str, stack: ExitStack) -> Source:
    tap = _Tap(raw)
    plain: Any = io.BufferedReader(tap, HEAD)
    start = plain.peek()
    for magic, what in _OTHER_FILES.items():
        if start.startswith(magic):
            raise InputError(f"{name}: is {what}, expected a network as text; unpack or export it")
    packing = packing_of(start)
    if packing == "zip":
        plain, packing = zip_member(plain, name, stack)
    elif packing:
        plain = UNPACK[packing](plain)
    return Source(name, plain, plain.read(HEAD), packing, tap)


def packing_of(start: bytes) -> str | None:
    """Return how bytes that begin so are packed: gzip, bzip2, xz or zip; None for plain ones."""
    return next((kind for magic, kind in _MAGIC.items() if re.match(magic, start)), None)


def as_path(given: Any) -> Path:
    """Return a path, or refuse what is none."""
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"expected a path, got {type(given).__name__}")
    return Path(given)


def display_path(path: str) -> str:
    """Return a path as messages show it: on one line."""
    if path == "-":
        return "stdin"
    return path if path.isprintable() else ascii(path)


# ---------------------------------------------------------------------- unpacking

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
UNPACK_VARIABLE = "LINKPRIOR_UNPACK_LIMIT"


def unpack_limit() -> int | None:
    """Return the bytes a packed file may hold as the user says, None where they do not."""
    given = os.environ.get(UNPACK_VARIABLE, "").strip()
    if not given:
        return None
    from linkprior._validation import byte_size, shown  # and NumPy, which help does without

    size = byte_size(given)
    if size is None:
        raise ParameterError(
            f"{UNPACK_VARIABLE} must be a size such as 500M or 20GB, got {shown(given)}"
        )
    return size


def refuse_bomb(name: str, packing: str, unpacked: int, packed: int) -> None:
    """Refuse so many bytes from so few: every edge costs memory, however well it is packed."""
    asked = unpack_limit()
    if asked is not None:
        if unpacked > asked:
            raise InputError(
                f"{name}: unpacks to more than the {asked:,} bytes that {UNPACK_VARIABLE} allows; "
                "raise it if you trust the file"
            )
        return
    most = MOST_RATIO[packing] if unpacked <= LARGE else MOST_RATIO_LARGE
    if unpacked > max(FREE, most * packed):
        raise InputError(
            f"{name}: unpacks to more than {most} times its size, which no network file does (a "
            "decompression bomb?); if you trust it, unpack it yourself or set "
            f"{UNPACK_VARIABLE}=SIZE"
        )
    if unpacked > MOST_UNPACKED:
        raise InputError(
            f"{name}: unpacks to more than {MOST_UNPACKED >> 30} GB; unpack it yourself or set "
            f"{UNPACK_VARIABLE}=SIZE to read it anyway"
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
            inside = ", ".join(_member_name(member) for member in members[:5]) or "nothing"
            raise InputError(
                f"{name}: a zip archive of {len(members)} files ({inside}), expected one; unpack "
                "it and give the network's file"
            )
        member = members[0]
        # All of it is announced; a member that holds more than that ends there as damaged.
        refuse_bomb(name, "zip", member.file_size, min(member.compress_size, size))
        return _member(archive, member, stack), f"zip ({_member_name(member)})"
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


def _member_name(member: zipfile.ZipInfo) -> str:
    name = member.filename
    return name if name.isprintable() else ascii(name)


# ---------------------------------------------------------------------- text

LONGEST_LINE = 1 << 20
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


Lines = tuple[Sequence[int], list[str]]  # numbers and text


@dataclass(frozen=True)
class Block:
    """Whole lines of text, their ends made `\\n`, and the number of the first one."""

    first: int
    text: str


def text_blocks(source: Source, longest: int = LONGEST_LINE) -> Iterator[Block]:
    """Yield blocks of whole lines (ended by LF, CRLF or CR) of at most `longest` characters."""
    decoder, first, rest = _Decoder(source), 1, ""
    for data in source.blocks():
        rest += decoder.decode(data, first)
        cut = rest.rfind("\n") + 1
        _refuse_long(rest, longest, source.name, first)
        if cut:
            yield Block(first, rest[:cut])
            first += rest.count("\n", 0, cut)
            source.lines = first - 1
            rest = rest[cut:]
    rest += decoder.decode(b"", first, final=True)
    if rest:
        source.lines = first
        yield Block(first, rest)


def every_line(source: Source, longest: int = 1 << 26) -> Iterator[tuple[int, str]]:
    """Yield the number and text of every line, blank ones too."""
    for block in text_blocks(source, longest):
        yield from enumerate(block.text.removesuffix("\n").split("\n"), block.first)


def full_lines(source: Source) -> Iterator[Lines]:
    """Yield the lines that are not blank, block by block, with their numbers."""
    for block in text_blocks(source):
        lines = block.text.removesuffix("\n").split("\n")
        numbers: Sequence[int] = range(block.first, block.first + len(lines))
        if "" in lines or any(map(str.isspace, lines)):
            full = [bool(line) and not line.isspace() for line in lines]
            numbers, lines = list(compress(numbers, full)), list(compress(lines, full))
        if lines:
            yield numbers, lines


def first_line(parts: Iterator[Lines]) -> tuple[int, str, Iterator[Lines]]:
    """Return number and text of the first line (0 and nothing without one), and those below it."""
    numbers, lines = next(parts, ([0], [""]))
    return numbers[0], lines[0], chain([(numbers[1:], lines[1:])] if lines[1:] else [], parts)


def without_comments(part: Lines, mark: str = "#") -> Lines:
    """Return the lines that do not begin with a mark."""
    numbers, lines = part
    kept = [not line.lstrip().startswith(mark) for line in lines]
    return part if all(kept) else (list(compress(numbers, kept)), list(compress(lines, kept)))


class _Decoder:
    """Bytes → text; what is not text is refused with the number of its line."""

    def __init__(self, source: Source) -> None:
        self._name, self._wide = source.name, source.head.startswith(_WIDE)
        self._encoding = "UTF-16" if self._wide else "UTF-8"
        self._how = "" if self._wide else ", for example with `iconv -f latin1 -t utf-8`"
        make = codecs.getincrementaldecoder("utf-16" if self._wide else "utf-8-sig")
        self._inner = io.IncrementalNewlineDecoder(make("strict"), translate=True)

    def decode(self, data: bytes, line: int, final: bool = False) -> str:
        """Decode bytes that begin on this line, or before its end."""
        if not self._wide and b"\0" in data:
            line += _line_ends(data[: data.index(b"\0")])
            raise InputError(
                f"{self._name}:{line}: a NUL byte: this is not text. Expected a network file; see "
                "`linkprior formats` for what is read"
            )
        try:
            return self._inner.decode(data, final)
        except UnicodeDecodeError as problem:
            before, byte = problem.object[: problem.start], problem.object[problem.start]
            raise InputError(
                f"{self._name}:{line + _line_ends(before)}: not {self._encoding} text (byte "
                f"0x{byte:02x}); save it as UTF-8{self._how}"
            ) from None


def _refuse_long(text: str, longest: int, name: str, first: int) -> None:
    """Refuse a line that is too long, wherever it lies in the block."""
    half = longest // 2
    # A line that long covers one of these windows; hardly any text has to be looked at.
    if all(text.find("\n", at, at + half) >= 0 for at in range(0, len(text) - half, half)):
        return
    for line, content in enumerate(text.split("\n"), first):
        if len(content) > longest:
            raise InputError(
                f"{name}:{line}: a line of more than {longest >> 20} MB; expected one edge per "
                "line. Is it a matrix, or binary? Export the network as an edge list"
            )


def _line_ends(data: bytes) -> int:
    # UTF-16 has a NUL next to each plain character.
    return data.replace(b"\0", b"").replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")

"""Decoded text of an input, block by block, with line numbers; bad bytes are named by line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass

from linkprior.errors import InputError
from linkprior.io.source import Source

LONGEST_LINE = 1 << 20
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Block:
    """Whole lines of text, their ends made `\\n`, and the number of the first one."""

    first: int
    text: str


def text_blocks(source: Source, longest: int = LONGEST_LINE) -> Iterator[Block]:
    """Yield the text in blocks of whole lines; no line may be longer than `longest`.

    LF, CRLF and CR end a line. UTF-8, with or without a byte-order mark, and UTF-16 with one.
    """
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


class _Decoder:
    """Bytes → text; what is no text is refused with the number of its line."""

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
    # UTF-16 has a NUL beside each plain character.
    return data.replace(b"\0", b"").replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")

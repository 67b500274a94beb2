"""XML as a stream of tags, in bounded memory; DTDs are refused, errors carry their line."""

from __future__ import annotations

import re
from typing import Protocol
from xml.parsers import expat

from linkprior.errors import InputError
from linkprior.io.source import Source

# The parser keeps a tag or comment until its end, and looks through it again with every block.
_LONGEST_TAG = 16 << 20
# Every open tag is kept, so a file of opening tags alone takes forty times its size.
_DEEPEST = 1000
_ENDS_TOO_EARLY = {3, 5, 6, 20}  # no element, unclosed token, partial character, unclosed CDATA
_PLAIN_ENCODINGS = {"utf-8", "utf-16", "utf-16le", "utf-16be", "iso-8859-1", "us-ascii"}

# Undefined references since the last tag began: in the tag or in the text behind it.
_UNDEFINED = re.compile(
    rb"<[^<!?][^<]*?&(?!(?:amp|lt|gt|quot|apos);|#)([^\s;&<>\"']{1,200});", re.DOTALL
)
_NO_TAGS = re.compile(rb"(?:<!--.*?(-->|\Z)|<!\[CDATA\[.*?(\]\]>|\Z))", re.DOTALL)

Attributes = dict[str, str]


class Handler(Protocol):
    """What a format does with tags, given without their prefixes."""

    def start(self, tag: str, attributes: Attributes, line: int) -> None:
        """Take an opening tag."""

    def end(self, tag: str) -> None:
        """Take a closing tag."""

    def text(self, data: str) -> None:
        """Take a piece of the text between tags."""


def parse_xml(source: Source, root: str, handler: Handler) -> None:
    """Feed a source to a handler; its first tag must be `root`."""
    parser = _parser(source.name, root, handler)
    references, fed = _References(parser, source.name), 0
    try:
        for data in source.blocks():
            parser.Parse(data)
            references.check(data)
            fed += len(data)
            if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                raise InputError(
                    f"{source.name}:{parser.CurrentLineNumber}: a tag or comment of more than "
                    f"{_LONGEST_TAG >> 20} MB, which no graph file has; is a quote missing?"
                )
        parser.Parse(b"", True)
    except expat.ExpatError as problem:
        raise InputError(_broken(source.name, problem)) from None


class _References:
    """Refuses a DTD inside the document, and undefined entities beside one that is elsewhere.

    A DTD elsewhere is never fetched. The parser thinks that it might define them, and drops them
    from attributes without a word.
    """

    def __init__(self, parser: expat.XMLParserType, name: str) -> None:
        self._name, self._line, self._rest, self._needed = name, 1, b"", False
        self._parser = parser
        parser.StartDoctypeDeclHandler = self._doctype

    def _doctype(self, _tag: str, system: str | None, public: str | None, internal: int) -> None:
        if internal:  # the one place where entities and default values can be declared
            raise InputError(
                f"{self._name}:{self._parser.CurrentLineNumber}: declares XML entities or the like "
                "in a DTD of its own, which are refused (an XML bomb?); export it again"
            )
        self._needed = system is not None or public is not None

    def check(self, data: bytes) -> None:
        """Look through one block, and what was left of the one before."""
        if not self._needed:
            self._line += data.count(b"\n")
            return
        plain = self._rest + data.replace(b"\0", b"")  # UTF-16 has a NUL beside plain characters
        text, _, hidden = _NO_TAGS.sub(_blanked, plain).partition(b"\0")
        found = _UNDEFINED.search(text)
        if found:
            line = self._line + text.count(b"\n", 0, found.start(1))
            raise InputError(
                _undefined(f"{self._name}:{line}", found[1].decode("utf-8", "replace"))
            )
        cut = len(text) if hidden else max(text.rfind(b"<"), 0)
        self._line += text.count(b"\n", 0, cut)
        self._rest = (text[cut:] + hidden)[:_LONGEST_TAG]


def _blanked(part: re.Match[bytes]) -> bytes:
    """Return only the line ends of a comment or CDATA; one that goes on is kept behind a NUL."""
    return b"\n" * part[0].count(b"\n") if part[1] or part[2] else b"\0" + part[0]


def _undefined(where: str, entity: str) -> str:
    shown = ascii(entity)[1:-1]
    return f"{where}: refers to &{shown};, which the file does not define; export it again"


def _parser(name: str, root: str, handler: Handler) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    if hasattr(parser, "SetReparseDeferralEnabled"):
        # A tag must be told with the block it ends in: what is looked for afterwards depends on
        # it. Putting that off spares looking again through long tags, which have a limit here.
        parser.SetReparseDeferralEnabled(False)
    depth = 0

    def start(tag: str, attributes: Attributes) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            where = f"{name}:{parser.CurrentLineNumber}"
            raise InputError(
                f"{where}: tags inside {_DEEPEST:,} others, which no graph file has (an XML bomb?)"
                "; export it again"
            )
        handler.start(tag.rpartition(":")[2], attributes, parser.CurrentLineNumber)

    def first(tag: str, attributes: Attributes) -> None:
        if tag.rpartition(":")[2] != root:
            where = f"{name}:{parser.CurrentLineNumber}"
            raise InputError(f"{where}: expected the tag <{root}> first, got <{tag[:40]}>")
        parser.StartElementHandler = start
        start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(tag.rpartition(":")[2])

    parser.StartElementHandler = first
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.text
    _guard(parser, name)
    return parser


def _guard(parser: expat.XMLParserType, name: str) -> None:
    """Refuse what needs other files, and encodings the parser would misread."""

    def skipped(entity_name: str, _is_parameter: bool) -> None:
        raise InputError(_undefined(f"{name}:{parser.CurrentLineNumber}", entity_name))

    def declaration(_version: str, encoding: str | None, _standalone: int) -> None:
        if encoding and not _is_known(encoding):
            raise InputError(
                f"{name}:{parser.CurrentLineNumber}: declares the encoding {encoding!r}, which is "
                "not read; save it as UTF-8"
            )

    parser.SkippedEntityHandler = skipped
    parser.XmlDeclHandler = declaration


def _is_known(encoding: str) -> bool:
    """Tell whether the parser reads an encoding: the usual ones and those of single bytes."""
    if encoding.lower() in _PLAIN_ENCODINGS:
        return True
    try:
        return len(bytes(range(256)).decode(encoding, "replace")) == 256
    except (LookupError, UnicodeError):
        return False


def _broken(name: str, problem: expat.ExpatError) -> str:
    what, where = expat.ErrorString(problem.code), f"{name}:{problem.lineno}"
    if problem.code in _ENDS_TOO_EARLY:
        return f"{where}: the XML ends too early ({what}): the file was cut off; get it again"
    hint = "; is it UTF-8?" if problem.code == 4 else "; export it again"
    return f"{where}: not well-formed XML ({what}, column {problem.offset + 1}){hint}"

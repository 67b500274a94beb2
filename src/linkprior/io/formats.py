"""The formats there are, and which one a file has: detected by content first, then by name."""

from __future__ import annotations

import codecs
import math
import numbers
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import PurePath
from typing import Any, Literal

from linkprior._validation import real_number
from linkprior.errors import InputError, ParameterError, nearest
from linkprior.io.collector import EdgeCollector
from linkprior.io.readers.columns import is_relation, pair_of_columns
from linkprior.io.source import Source, packing_of

Identifier = Literal["entrez", "biogrid", "symbol"]


@dataclass(frozen=True)
class ReadOptions:
    """Filters and choices of a reader; None leaves them to the file.

    Attributes
    ----------
    header
        Whether the first row of an edge list names its columns; None leaves it to the rows.
    columns
        The two columns of an edge list, by header name or number (1 is the first).
    organism
        Keep interactions with both ends of this organism (NCBI taxonomy number or name).
    systems
        Keep these experimental systems (BioGRID) or detection methods (MITAB).
    physical_only
        Keep physical interactions.
    id
        What names a node in a BioGRID file: entrez, biogrid or symbol.
    min_score
        Keep rows with at least this score (STRING, MITAB, BioGRID, a weight column).
    weights
        The column or edge attribute with the confidence of each edge, by name or number.
    """

    header: bool | None = None
    columns: tuple[str, str] | None = None
    organism: str | None = None
    systems: tuple[str, ...] = ()
    physical_only: bool = False
    id: Identifier | None = None
    min_score: float | None = None
    weights: str | None = None

    def __post_init__(self) -> None:
        """Take what comes naturally in Python: a number for an organism, one system as a word."""
        systems: object = (self.systems,) if isinstance(self.systems, str) else self.systems
        if not isinstance(systems, Iterable) or isinstance(systems, Mapping | bytes):
            raise ParameterError(f"systems must be a list of names, got {systems!r}")
        object.__setattr__(self, "systems", tuple(systems))
        for word in self.systems:
            if not isinstance(word, str):
                raise ParameterError(f"systems must be a list of names, got {word!r} among them")
        if self.columns is not None:
            pair: object = self.columns
            if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(_names, pair)):
                raise ParameterError(
                    f"--columns expects two columns by header name or number (1,2), got {pair!r}"
                )
            object.__setattr__(self, "columns", (str(pair[0]), str(pair[1])))
        for name, what in _NAMED.items():
            value = getattr(self, name)
            if value is not None:
                if not _names(value) or (name == "weights" and not str(value).strip()):
                    raise ParameterError(f"{name} must be {what}, got {value!r}")
                object.__setattr__(self, name, str(value))
        for name, allowed in (("header", (True, False, None)), ("physical_only", (True, False))):
            value = getattr(self, name)
            if not any(value is known for known in allowed):
                words = ", ".join(map(str, allowed))
                raise ParameterError(f"{name} must be one of {words}, got {value!r}")
        if self.min_score is not None:
            real_number("min_score", self.min_score, -math.inf)

    def refuse_others(self, format_name: str, supported: Sequence[str]) -> None:
        """Raise an error when an option is set that this format cannot honour."""
        for field in fields(self):
            if field.name not in supported and getattr(self, field.name) != field.default:
                flag = "experimental_system" if field.name == "systems" else field.name
                raise ParameterError(
                    f"--{flag.replace('_', '-')} does not apply to {format_name}: leave it out"
                )


_NAMED = {
    "organism": "an NCBI taxonomy number (9606) or a name (human)",
    "weights": "a column or edge attribute, by name or number",
}


def _names(value: object) -> bool:
    return isinstance(value, str | numbers.Integral) and not isinstance(value, bool)


_PREAMBLE = 60  # lines of text that may precede a table
_PACKED = (".gz", ".bz2", ".xz", ".zip")
MITAB_HEADER = re.compile(
    r'#?\s*"?(ID(\(?s\)?)? interactor A|unique identifier for interactor A|uidA)\b', re.IGNORECASE
)
_NUMBER = re.compile(r"[-+]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][-+]?\d{1,9})?")


@dataclass(frozen=True)
class Head:
    """The beginning of a file: bytes, whole lines that hold data, and the suffix of its name."""

    raw: bytes
    text: str
    suffix: str

    @classmethod
    def of(cls, source: Source) -> Head:
        """Decode the beginning; refuse by name what is packed twice or plainly no text."""
        name, packing, raw = source.name, source.packing or "", source.head
        inner = packing_of(raw) if packing else None
        if inner and inner != "zip":  # an .npz archive is a zip
            raise InputError(f"{name}: is packed twice ({inner} inside); unpack it once")
        if raw[257:262] == b"ustar":
            raise InputError(f"{name}: is a tar archive; unpack it and give the network's file")
        if re.match(rb"\s*(Creator[^\n]*\n\s*)?(Version[^\n]*\n\s*)?graph\s*\[", raw):
            raise InputError(f"{name}:1: is GML, which is not read; export it as GraphML")
        if not raw:
            raise InputError(f"{name}: is empty; expected a network, one edge per line")
        wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = raw.decode("utf-16" if wide else "utf-8-sig", "replace")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        path = PurePath((packing[5:-1] if packing.startswith("zip (") else name).lower())
        suffix = PurePath(path.stem).suffix if path.suffix in _PACKED else path.suffix
        return cls(raw, text, suffix)

    def has_root(self, tag: str) -> bool:
        """Return whether it is XML with this tag."""
        is_xml = self.text.lstrip().startswith("<")
        return is_xml and re.search(rf"<(\w+:)?{tag}[\s>/]", self.text) is not None

    @property
    def lines(self) -> list[str]:
        """The whole lines that are not blank (the last one may be cut, unless it is alone)."""
        lines = self.text.split("\n")
        whole = lines[:-1] if len(lines) > 1 and len(self.raw) >= 1 << 16 else lines
        return [line for line in whole if line.strip()]


def cx2(head: Head) -> bool:
    start = head.text.lstrip()
    return (start[:1] in "[{" and head.suffix in (".cx2", ".cx", ".json")) or (
        start.startswith("[")
        and re.search('"(CXVersion|numberVerification)"', start[:2000]) is not None
    )


def pajek(head: Head) -> bool:
    """Pajek begins with a line such as *Vertices 198 or *Network name."""
    first = next((line for line in head.lines if not line.lstrip().startswith("%")), "")
    return (
        re.match(r"\s*\*(vertices|network|arcs|edges|matrix)\b", first, re.IGNORECASE) is not None
    )


def biogrid(head: Head) -> bool:
    """BioGRID's table says so in the first cell of its header, which text may precede."""
    header = re.compile(r'"?#?"?BioGRID Interaction ID', re.IGNORECASE)
    return any(map(header.match, head.lines[:_PREAMBLE]))


def mitab(head: Head) -> bool:
    """MITAB has 15 or more columns, and identifiers of the form database:accession in the first."""
    for at, line in enumerate(head.lines[:_PREAMBLE]):
        may_be_header = (at == 0 or line.startswith("#")) and line.count("\t") >= 14
        if may_be_header and MITAB_HEADER.match(line):
            return True
    rows = [line.split("\t") for line in head.lines if not line.startswith("#")][:20]
    rows = rows[:-1] if len(rows) > 1 else rows  # the last one may be cut off
    ids = re.compile(r'[^:\s|"]+( [^:|]*)?:.+|-')
    return bool(rows) and all(
        len(row) >= 15
        and ids.fullmatch(row[0])
        and ids.fullmatch(row[1])
        and ":" in row[0] + row[1]
        for row in rows
    )


def string_links(head: Head) -> bool:
    """STRING's links begin with the header protein1 protein2 … combined_score."""
    words = head.lines[0].split() if head.lines else []
    return words[:2] == ["protein1", "protein2"] and "combined_score" in words


def metis(head: Head) -> bool:
    """METIS is recognised by a first line of whole numbers, and its suffix or how lines agree."""
    lines = [line for line in head.text.split("\n") if not line.startswith("%")]
    at = next((at for at, line in enumerate(lines) if line.strip()), None)
    if at is None:
        return False
    first = re.fullmatch(r"\s*(\d{1,18})\s+(\d{1,18})(\s+[01]{1,3}(\s+\d+)?)?\s*", lines[at])
    if first is None or head.suffix in (".graph", ".metis"):
        return first is not None
    if first[3] and int(first[3].split()[0]):
        return False  # there are weights between the neighbours
    rows = lines[at + 1 : -1]
    if len(head.raw) < 1 << 16:
        rows = "\n".join(lines[at + 1 :]).rstrip().split("\n")
        if len(rows) > int(first[1]) or len(" ".join(rows).split()) != 2 * int(first[2]):
            return False
    # Row k may hold the neighbours of node k: those in sight list it as well.
    words = [row.split() for row in rows]
    if not all(word.isdecimal() and len(word) < 19 for row in words for word in row):
        return False
    pairs = {(node, int(word)) for node, row in enumerate(words, 1) for word in row}
    seen = [(a, b) for a, b in pairs if b <= len(rows)]
    return len(seen) > 3 and all(a != b and (b, a) in pairs for a, b in seen)


def sif(head: Head) -> bool:
    """SIF is recognised by its suffix, or by a known relation between two names on every line."""
    if head.suffix == ".sif":
        return True
    rows = [line.split("\t") if "\t" in line else line.split() for line in head.lines]
    rows = [row for row in rows if not row[0].startswith(("#", "%", "!"))][:200]
    if not rows or any(len(row) != 3 or _NUMBER.fullmatch(row[2].strip()) for row in rows):
        return False
    if pair_of_columns(rows[0]) == (0, 2):
        return False  # source, interaction, target: a header, which the edge list knows to read
    relations = {row[1].strip() for row in rows}
    nodes = {end.strip() for row in rows for end in (row[0], row[2])}
    return all(map(is_relation, relations)) and relations.isdisjoint(nodes)


Reader = Callable[[Source, EdgeCollector, ReadOptions], str]


@dataclass(frozen=True)
class Format:
    """A format: how to recognise it (None: the last resort), and where its reader lives."""

    summary: str
    home: str
    matches: Callable[[Head], bool] | None

    def reader(self) -> Reader:
        """Return the reader; loaded only now, so that starting stays quick."""
        module, name = self.home.split(":")
        reader: Any = getattr(import_module(f"linkprior.io.readers.{module}"), name)
        return reader


# In the order they are tried: the surest signs first.
FORMATS = {
    "npz": Format(
        "a sparse matrix of scipy.sparse.save_npz",
        "matrices:read_npz",
        lambda head: head.raw.startswith(b"PK\x03\x04"),
    ),
    "matrix-market": Format(
        "Matrix Market .mtx",
        "matrices:read_matrix_market",
        lambda head: head.text.lower().startswith("%%matrixmarket"),
    ),
    "graphml": Format("GraphML", "graph_xml:read_graphml", lambda head: head.has_root("graphml")),
    "gexf": Format("GEXF (Gephi)", "graph_xml:read_gexf", lambda head: head.has_root("gexf")),
    "cx2": Format("CX2 (Cytoscape, NDEx)", "cx2:read_cx2", cx2),
    "pajek": Format("Pajek .net", "numbered:read_pajek", pajek),
    "biogrid": Format("BioGRID tab2 or tab3", "databases:read_biogrid", biogrid),
    "mitab": Format("PSI-MITAB 2.5 to 2.8", "mitab:read_mitab", mitab),
    "string": Format("STRING protein links", "databases:read_string", string_links),
    "metis": Format("METIS .graph", "numbered:read_metis", metis),
    "sif": Format("SIF (Cytoscape)", "sif:read_sif", sif),
    "edgelist": Format(
        "one edge per line: tab, comma, semicolon or space between columns; DREAM5 as well",
        "delimited:read_edgelist",
        None,
    ),
}


def format_of(source: Source, given: str | None = None) -> str:
    """Return the name of a source's format, or check the one given."""
    if given is not None:
        if given not in FORMATS:
            raise ParameterError(
                f"no input format is called {given!r}.{nearest(given, list(FORMATS))} There are: "
                f"{', '.join(FORMATS)}"
            )
        return given
    head = Head.of(source)
    return next((name for name, f in FORMATS.items() if f.matches and f.matches(head)), "edgelist")

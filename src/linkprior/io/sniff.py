"""Signs by which a format is known: one question per format, asked of name and beginning."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePath

from linkprior.errors import InputError
from linkprior.io.source import Source

_PACKED = (".gz", ".bz2", ".xz", ".zip")
# Words Cytoscape and others put between two nodes.
_RELATIONS = {
    "pp", "pd", "pr", "rc", "cr", "gl", "pm", "mp", "gg", "xx", "interacts", "interacts-with",
    "interacts with", "interaction", "physical", "genetic", "activates", "inhibits", "binds",
    "regulates", "predicted", "observed", "undirected", "directed", "in-complex-with",
    "controls-expression-of", "controls-state-change-of", "controls-phosphorylation-of",
    "catalysis-precedes", "neighbor-of", "coexpression", "colocalization",
}  # fmt: skip
_NUMBER = re.compile(r"[-+]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][-+]?\d{1,9})?")


@dataclass(frozen=True)
class Head:
    """The beginning of a file: bytes, whole lines that hold data, and the suffix of its name."""

    raw: bytes
    text: str
    suffix: str

    @classmethod
    def of(cls, source: Source) -> Head:
        """Decode the beginning; what is no text is left to the reader to refuse by line."""
        _refuse_binary(source)
        wide = source.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = source.head.decode("utf-16" if wide else "utf-8-sig", "replace")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(source.head, text, _suffix(source))

    @property
    def lines(self) -> list[str]:
        """The whole lines that are not blank (the last one may be cut, unless it is alone)."""
        lines = self.text.split("\n")
        whole = lines[:-1] if len(lines) > 1 and len(self.raw) >= 1 << 16 else lines
        return [line for line in whole if line.strip()]


def _suffix(source: Source) -> str:
    name = source.name
    if source.packing and source.packing.startswith("zip ("):
        name = source.packing[5:-1]
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix in _PACKED else path.suffix


def _refuse_binary(source: Source) -> None:
    """Refuse what is packed twice or plainly no text, by name."""
    for magic, what in ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz")):
        if source.packing and source.head.startswith(magic):
            raise InputError(f"{source.name}: is packed twice ({what} inside); unpack it once")
    if source.head[257:262] == b"ustar":
        raise InputError(f"{source.name}: is a tar archive; unpack it and give the network's file")
    if re.match(rb"\s*(Creator[^\n]*\n\s*)?(Version[^\n]*\n\s*)?graph\s*\[", source.head):
        raise InputError(f"{source.name}:1: is GML, which is not read; export it as GraphML")
    if not source.head:
        raise InputError(f"{source.name}: is empty; expected a network, one edge per line")


def npz(head: Head) -> bool:
    return head.raw.startswith(b"PK\x03\x04")


def matrix_market(head: Head) -> bool:
    return head.text.lower().startswith("%%matrixmarket")


def graphml(head: Head) -> bool:
    return _is_xml(head) and re.search(r"<(\w+:)?graphml[\s>/]", head.text) is not None


def gexf(head: Head) -> bool:
    return _is_xml(head) and re.search(r"<(\w+:)?gexf[\s>/]", head.text) is not None


def _is_xml(head: Head) -> bool:
    return head.text.lstrip().startswith("<")


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
    """BioGRID's table says so in the first cell of its header."""
    first = head.lines[0] if head.lines else ""
    return re.match(r'"?#?"?BioGRID Interaction ID', first, re.IGNORECASE) is not None


def mitab(head: Head) -> bool:
    """MITAB has 15 or more columns, and identifiers of the form database:accession in the first."""
    first = next(iter(head.lines), "")
    if first.count("\t") >= 14 and re.match(
        r'#?\s*"?(ID(\(?s\)?)? interactor A|unique identifier for interactor A|uidA)\b', first, re.I
    ):
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
    """METIS is told by its suffix and a first line of two to four whole numbers."""
    if head.suffix not in (".graph", ".metis"):
        return False
    first = next((line for line in head.lines if not line.startswith("%")), "")
    return re.fullmatch(r"\s*\d+\s+\d+(\s+[01]{1,3}(\s+\d+)?)?\s*", first) is not None


def sif(head: Head) -> bool:
    """SIF is told by its suffix, or by a known relation between two names on every line."""
    if head.suffix == ".sif":
        return True
    rows = [line.split("\t") if "\t" in line else line.split() for line in head.lines]
    rows = [row for row in rows if not row[0].startswith(("#", "%", "!"))][:200]
    if not rows or any(len(row) != 3 or _NUMBER.fullmatch(row[2].strip()) for row in rows):
        return False
    relations = {row[1].strip().lower() for row in rows}
    nodes = {end.strip().lower() for row in rows for end in (row[0], row[2])}
    return relations <= _RELATIONS and relations.isdisjoint(nodes)

"""GraphML and GEXF: graphs in XML, read tag by tag."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, EdgeWeights, unknown
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.graphs import LONGEST_LABEL, NAMING, NamedGraph
from linkprior.io.source import HEAD, Source

_LABEL = NAMING.index("label")
# Tags of GraphML that may own <data>.
_OWNERS = {"graph", "node", "edge", "hyperedge", "port"}
# The parser keeps a tag or comment until its end, and looks through it again with every block.
_LONGEST_TAG = 16 << 20
# Every open tag is kept, so a file of opening tags alone takes forty times its size.
_DEEPEST = 1000
_ENDS_TOO_EARLY = {3, 5, 6, 20}  # no element, unclosed token, partial character, unclosed CDATA
_PLAIN_ENCODINGS = {"utf-8", "utf-16", "utf-16le", "utf-16be", "iso-8859-1", "us-ascii"}

Attributes = dict[str, str]


def read_graphml(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read GraphML; nodes are named by `name`, `label` or `shared name` where it is unique.

    Nested graphs are part of the one network, ports are ignored, hyperedges left out and counted.
    """
    options.refuse_others("GraphML", ["weights"])
    handler = _GraphML(out, options.weights)
    handler.parse(source, "graphml")
    if handler.n_graphs > 1:
        out.note(f"the file holds {handler.n_graphs} graphs: they are read as one")
    return handler.settle("GraphML")


def read_gexf(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read GEXF 1.1 to 1.3; nodes are named by their label where that is unique.

    Nested nodes are nodes, and times, positions and colours are ignored.
    """
    options.refuse_others("GEXF", ["weights"])
    handler = _Gexf(out, options.weights)
    handler.parse(source, "gexf")
    return handler.settle("GEXF")


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


# An edge whose end tag has not come, as `NamedGraph.edge` takes it: its content may still
# say that it is predicted.
_Edge = dict[str, Any]


class _Graph:
    """What both formats share: the parser, needed attributes, edges that may be predictions."""

    def __init__(self, out: EdgeCollector, weights: str | None) -> None:
        self.out, self.graph = out, NamedGraph(out)
        self.graph.directed = False
        self._asked, self._weight = weights, _plain(weights or "weight")
        self._known: list[str] = []  # attributes that edges have
        if weights is not None:
            out.weights = EdgeWeights(f"edge attribute {weights}", out.file)

    def parse(self, source: Source, root: str) -> None:
        """Follow the tags of a source, of which the first must be `root`."""
        parser, fed, depth = expat.ParserCreate(), 0, 0
        parser.buffer_text = True

        def where() -> str:
            return f"{source.name}:{parser.CurrentLineNumber}"

        def start(tag: str, attributes: Attributes) -> None:
            nonlocal depth
            tag = tag.rpartition(":")[2]
            if depth == 0 and tag != root:
                raise InputError(f"{where()}: expected the tag <{root}> first, got <{tag[:40]}>")
            depth += 1
            if depth > _DEEPEST:
                raise InputError(
                    f"{where()}: tags inside {_DEEPEST:,} others, which no graph file has (an XML "
                    "bomb?); export it again"
                )
            self.start(tag, attributes, parser.CurrentLineNumber)

        def end(tag: str) -> None:
            nonlocal depth
            depth -= 1
            self.end(tag.rpartition(":")[2])

        def doctype(_tag: str, _system: str | None, _public: str | None, internal: int) -> None:
            if internal:  # the one place where entities and default values can be declared
                raise InputError(
                    f"{where()}: declares XML entities or the like in a DTD of its own, which are "
                    "refused (an XML bomb?); export it again"
                )

        def declaration(_version: str, encoding: str | None, _standalone: int) -> None:
            if encoding and not _is_read(encoding):
                raise InputError(
                    f"{where()}: declares the encoding {encoding!r}, which is not read; save it as "
                    "UTF-8"
                )

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CharacterDataHandler = self.text
        parser.StartDoctypeDeclHandler, parser.XmlDeclHandler = doctype, declaration
        try:
            for data in _without_doctype(source):
                parser.Parse(data)
                fed += len(data)
                if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                    raise InputError(
                        f"{where()}: a tag or comment of more than {_LONGEST_TAG >> 20} MB, which "
                        "no graph file has; is a quote missing?"
                    )
            parser.Parse(b"", True)
        except expat.ExpatError as problem:
            what, at = expat.ErrorString(problem.code), f"{source.name}:{problem.lineno}"
            if problem.code in _ENDS_TOO_EARLY:
                raise InputError(
                    f"{at}: the XML ends too early ({what}): the file was cut off; get it again"
                ) from None
            hint = "is it UTF-8?" if problem.code == 4 else "export it again"
            raise InputError(
                f"{at}: not well-formed XML ({what}, column {problem.offset + 1}); {hint}"
            ) from None

    def start(self, tag: str, attributes: Attributes, line: int) -> None:
        """Take the beginning of a tag."""
        raise NotImplementedError

    def end(self, tag: str) -> None:
        """Take the end of a tag."""
        raise NotImplementedError

    def text(self, data: str) -> None:
        """Take text between tags."""

    def opened_edge(self, attributes: Attributes, line: int) -> _Edge:
        source = self.needed("edge", "source", attributes, line)
        target = self.needed("edge", "target", attributes, line)
        return {"source": source, "target": target, "line": line}

    def needed(self, tag: str, name: str, attributes: Attributes, line: int) -> str:
        """Return an attribute that must be there."""
        value = attributes.get(name, "")
        if not value:
            raise InputError(f"{self.out.file}:{line}: a tag <{tag}> without {name}")
        return value

    def settle(self, format_name: str) -> str:
        """Hand over the graph and describe it; refuse weights that no edge can have."""
        if self._asked is not None and self._weight not in map(_plain, self._known):
            raise unknown(self._asked, self._known, self.out.file)
        self.graph.hand_over()
        kind = "directed" if self.graph.directed else "undirected"
        return f"{format_name}, {kind} graph of {self.graph.n_nodes:,} nodes"


class _GraphML(_Graph):
    """Follows the tags of GraphML."""

    def __init__(self, out: EdgeCollector, weights: str | None) -> None:
        super().__init__(out, weights)
        self.n_graphs = 0
        self._owners: list[int | _Edge | None] = []  # the number of a node, an edge, or neither
        self._directed: list[bool] = []
        self._naming: dict[str, int] = {}  # key → rank of the attribute
        self._edge_keys: dict[str, str] = {}  # key → kind or weight
        self._defaults = {"kind": "", "weight": ""}
        self._key = ""
        self._inside = 0  # depth inside <data> or <default>, whose tags are none of ours
        self._text: list[str] | None = None

    def start(self, tag: str, attributes: Attributes, line: int) -> None:
        if self._inside:
            self._inside += 1
            if tag == "NodeLabel" and isinstance(self._owner, int):  # yEd
                self._key, self._text = tag, []
        elif tag in _OWNERS:
            self._open(tag, attributes, line)
        elif tag == "data":
            self._capture(attributes.get("key", ""))
        elif tag == "key":
            self._declare(attributes)
        elif tag == "default":
            self._capture(self._key)

    def end(self, tag: str) -> None:
        if self._inside:
            self._inside -= 1
            if self._text is not None and (not self._inside or tag == "NodeLabel"):
                self._settle("".join(self._text), tag)
                self._text = None
        elif tag in _OWNERS:
            owner = self._owners.pop()
            if tag == "graph":
                self._directed.pop()
            elif isinstance(owner, dict):
                self.graph.edge(**owner)

    def text(self, data: str) -> None:
        if self._text is not None and len(self._text) <= LONGEST_LABEL:
            self._text.append(data[: LONGEST_LABEL + 1])

    @property
    def _owner(self) -> int | _Edge | None:
        return self._owners[-1] if self._owners else None

    def _open(self, tag: str, attributes: Attributes, line: int) -> None:
        owner: int | _Edge | None = None
        if tag == "graph":
            self.n_graphs += not self._directed
            self._directed.append(attributes.get("edgedefault") == "directed")
        elif tag == "node":
            owner = self.graph.declare(self.needed(tag, "id", attributes, line), line)
        elif tag == "edge":
            owner = self.opened_edge(attributes, line) | self._defaults
            default = "true" if self._directed and self._directed[-1] else "false"
            if attributes.get("directed", default).lower() in ("true", "1"):
                self.graph.directed = True
        elif tag == "hyperedge":
            self.out.drop("a hyperedge, which joins any number of nodes", [line])
        self._owners.append(owner)

    def _declare(self, attributes: Attributes) -> None:
        """Remember the keys that matter: those that name nodes, kind and weight of edges."""
        key, owner = attributes.get("id", ""), attributes.get("for", "all")
        name = _plain(attributes.get("attr.name", ""))
        self._key = key
        if owner in ("edge", "all"):
            self._known.append(attributes.get("attr.name", ""))
        if owner in ("node", "all") and name in NAMING:
            self._naming[key] = NAMING.index(name)
        elif owner in ("edge", "all") and name in (self._weight, "kind"):
            self._edge_keys[key] = "weight" if name == self._weight else "kind"

    def _capture(self, key: str) -> None:
        self._inside, self._key = 1, key
        wanted = key in self._naming or key in self._edge_keys
        self._text = [] if wanted else None

    def _settle(self, text: str, tag: str) -> None:
        """Give the text to the node, the edge or the key it belongs to."""
        if tag == "default":
            if self._key in self._edge_keys:
                self._defaults[self._edge_keys[self._key]] = text
            return
        owner = self._owner
        if isinstance(owner, dict) and self._key in self._edge_keys:
            owner[self._edge_keys[self._key]] = text
        elif isinstance(owner, int) and tag == "NodeLabel":
            self.graph.label(owner, _LABEL, text)
        elif isinstance(owner, int) and self._key in self._naming:
            self.graph.label(owner, self._naming[self._key], text)


class _Gexf(_Graph):
    """Follows the tags of GEXF."""

    def __init__(self, out: EdgeCollector, weights: str | None) -> None:
        super().__init__(out, weights)
        self._default_type = "undirected"
        self._owner_class = ""
        self._ids: dict[str, str] = {}  # of an attribute of edges → kind or weight
        self._edge: _Edge | None = None

    def start(self, tag: str, attributes: Attributes, line: int) -> None:
        if tag == "node":
            node = self.graph.declare(self.needed(tag, "id", attributes, line), line)
            self.graph.label(node, _LABEL, attributes.get("label", ""))
        elif tag == "edge":
            self._edge = self.opened_edge(attributes, line)
            self._edge["kind"] = attributes.get("kind", "")
            if self._weight == "weight" and "weight" in attributes:  # GEXF itself knows it
                self._edge["weight"] = attributes["weight"]
                if "weight" not in self._known:
                    self._known.append("weight")
            if attributes.get("type", self._default_type).lower() in ("directed", "dir"):
                self.graph.directed = True
        elif tag == "attvalue":
            what = self._ids.get(attributes.get("for", attributes.get("id", "")))
            if self._edge and what:
                self._edge[what] = attributes.get("value", "")
        elif tag == "attributes":
            self._owner_class = attributes.get("class", "")
        elif tag == "attribute" and self._owner_class == "edge":
            title = attributes.get("title", "")
            self._known.append(title)
            if _plain(title) == "kind":
                self._ids[attributes.get("id", "")] = "kind"
            elif self._asked is not None and _plain(title) == self._weight:
                self._ids[attributes.get("id", "")] = "weight"
        elif tag == "graph":
            self._default_type = attributes.get("defaultedgetype", "undirected")

    def end(self, tag: str) -> None:
        if tag == "edge" and self._edge:
            self.graph.edge(**self._edge)
            self._edge = None


def _without_doctype(source: Source) -> Iterator[bytes]:
    """Yield the blocks, with blanks for a document type that only names a DTD elsewhere.

    It is never fetched; yet the parser would think that it defines every unknown entity, and drop
    them from attributes without a word.
    """
    blocks, parser = source.blocks(), expat.ParserCreate()
    first, closed, begun = b"", 0, False

    def doctype(_tag: str, _system: str | None, _public: str | None, internal: int) -> None:
        nonlocal closed  # where the `>` of such a document type is
        closed = 0 if internal else parser.CurrentByteIndex

    def element(_tag: str, _attributes: Attributes) -> None:
        nonlocal begun
        begun = True

    parser.StartDoctypeDeclHandler, parser.StartElementHandler = doctype, element
    with contextlib.suppress(expat.ExpatError, LookupError, ValueError):  # met again by the reader
        while not begun and len(first) < _LONGEST_TAG and (data := next(blocks, b"")):
            first += data
            for at in range(0, len(data), HEAD):
                if not begun:  # what follows would be parsed twice
                    parser.Parse(data[at : at + HEAD])
        if not begun:
            parser.Parse(b"", True)
    if closed:
        start, stop = first.rindex(b"<", 0, closed), first.index(b">", closed) + 1
        blanks = re.sub(rb"[^\n\r\0]", b" ", first[start:stop])
        first = first[:start] + blanks + first[stop:]
    yield first
    yield from blocks


def _is_read(encoding: str) -> bool:
    """Return whether the parser reads an encoding: the usual ones and those of single bytes."""
    if encoding.lower() in _PLAIN_ENCODINGS:
        return True
    try:
        return len(bytes(range(256)).decode(encoding, "replace")) == 256
    except (LookupError, UnicodeError):
        return False

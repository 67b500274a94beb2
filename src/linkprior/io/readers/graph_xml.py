"""GraphML and GEXF: graphs in XML, read tag by tag."""

from __future__ import annotations

from dataclasses import dataclass

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector
from linkprior.io.options import ReadOptions
from linkprior.io.readers.edge_output import PREDICTED
from linkprior.io.readers.named_graph import LONGEST_LABEL, NAMING, NamedGraph
from linkprior.io.readers.xml_stream import Attributes, parse_xml
from linkprior.io.source import Source
from linkprior.io.weights import EdgeWeights, unknown

_LABEL = NAMING.index("label")
# Tags of GraphML that may own <data>.
_OWNERS = {"graph", "node", "edge", "hyperedge", "port"}


def read_graphml(source: Source, found: EdgeCollector, options: ReadOptions) -> str:
    """Read GraphML; nodes are named by `name`, `label` or `shared name` where it tells them apart.

    Nested graphs are part of the one network, ports are ignored, hyperedges left out and counted.
    """
    options.refuse_others("GraphML", ["weights"])
    handler = _GraphML(found, options.weights)
    parse_xml(source, "graphml", handler)
    if handler.n_graphs > 1:
        found.note(f"the file holds {handler.n_graphs} graphs: they are read as one")
    handler.check_weights()
    handler.graph.hand_over(found)
    return _described("GraphML", handler.graph)


def read_gexf(source: Source, found: EdgeCollector, options: ReadOptions) -> str:
    """Read GEXF 1.1 to 1.3; nodes are named by their label where that tells them apart.

    Nested nodes are nodes, and times, positions and colours are ignored.
    """
    options.refuse_others("GEXF", ["weights"])
    handler = _Gexf(found, options.weights)
    parse_xml(source, "gexf", handler)
    handler.check_weights()
    handler.graph.hand_over(found)
    return _described("GEXF", handler.graph)


def _described(format_name: str, graph: NamedGraph) -> str:
    kind = "directed" if graph.directed else "undirected"
    return f"{format_name}, {kind} graph of {graph.n_nodes:,} nodes"


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


@dataclass
class _Edge:
    """An edge whose end tag has not come: what stands inside may still say that it is predicted."""

    source: str
    target: str
    line: int
    kind: str = ""
    weight: str = ""


class _Graph:
    """What both formats share: needed attributes, and edges that may be predictions."""

    def __init__(self, found: EdgeCollector, weights: str | None) -> None:
        self.found, self.graph = found, NamedGraph(weighted=weights is not None)
        self.graph.directed = False
        self._asked, self._weight = weights, _plain(weights or "weight")
        self._known: list[str] = []  # attributes that edges have
        if weights is not None:
            found.weights = EdgeWeights(f"edge attribute {weights}", found.file)

    def opened_edge(self, attributes: Attributes, line: int) -> _Edge:
        source = self.needed("edge", "source", attributes, line)
        return _Edge(source, self.needed("edge", "target", attributes, line), line)

    def needed(self, tag: str, name: str, attributes: Attributes, line: int) -> str:
        """Return an attribute that must be there."""
        value = attributes.get(name, "")
        if not value:
            raise InputError(f"{self.found.file}:{line}: a tag <{tag}> without {name}")
        return value

    def check_weights(self) -> None:
        """Refuse an attribute that no edge can have."""
        if self._asked is not None and self._weight not in map(_plain, self._known):
            raise unknown(self._asked, self._known, self.found.file)

    def close_edge(self, edge: _Edge) -> None:
        if edge.kind.strip().lower() == "predicted":
            self.graph.predicted(edge.source, edge.target, edge.line)
            self.found.drop(PREDICTED, [edge.line])
        else:
            self.graph.edge(edge.source, edge.target, edge.line, edge.weight)


class _GraphML(_Graph):
    """Follows the tags of GraphML."""

    def __init__(self, found: EdgeCollector, weights: str | None) -> None:
        super().__init__(found, weights)
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
            elif isinstance(owner, _Edge):
                self.close_edge(owner)

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
            owner = self.opened_edge(attributes, line)
            owner.kind, owner.weight = self._defaults["kind"], self._defaults["weight"]
            default = "true" if self._directed and self._directed[-1] else "false"
            if attributes.get("directed", default).lower() in ("true", "1"):
                self.graph.directed = True
        elif tag == "hyperedge":
            self.found.drop("a hyperedge, which joins any number of nodes", [line])
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
        if isinstance(owner, _Edge) and self._key in self._edge_keys:
            setattr(owner, self._edge_keys[self._key], text)
        elif isinstance(owner, int) and tag == "NodeLabel":
            self.graph.label(owner, _LABEL, text)
        elif isinstance(owner, int) and self._key in self._naming:
            self.graph.label(owner, self._naming[self._key], text)


class _Gexf(_Graph):
    """Follows the tags of GEXF."""

    def __init__(self, found: EdgeCollector, weights: str | None) -> None:
        super().__init__(found, weights)
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
            self._edge.kind = attributes.get("kind", "")
            self._edge.weight = self._own_weight(attributes)
            if attributes.get("type", self._default_type).lower() in ("directed", "dir"):
                self.graph.directed = True
        elif tag == "attvalue":
            what = self._ids.get(attributes.get("for", attributes.get("id", "")))
            if self._edge and what:
                setattr(self._edge, what, attributes.get("value", ""))
        elif tag == "attributes":
            self._owner_class = attributes.get("class", "")
        elif tag == "attribute":
            if self._owner_class == "edge":
                self._declare(attributes.get("title", ""), attributes.get("id", ""))
        elif tag == "graph":
            self._default_type = attributes.get("defaultedgetype", "undirected")

    def _declare(self, title: str, key: str) -> None:
        """Remember the attributes of edges that matter: what kind they are, how heavy."""
        self._known.append(title)
        if _plain(title) == "kind":
            self._ids[key] = "kind"
        elif self._asked is not None and _plain(title) == self._weight:
            self._ids[key] = "weight"

    def _own_weight(self, attributes: Attributes) -> str:
        """Return the weight GEXF itself knows, where it is the one asked for."""
        if self._weight != "weight" or "weight" not in attributes:
            return ""
        if "weight" not in self._known:
            self._known.append("weight")
        return attributes["weight"]

    def end(self, tag: str) -> None:
        if tag == "edge" and self._edge:
            self.close_edge(self._edge)
            self._edge = None

    def text(self, data: str) -> None:
        """GEXF says everything in attributes."""

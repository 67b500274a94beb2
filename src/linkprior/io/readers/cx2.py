"""CX2, and CX before it: the JSON of Cytoscape and NDEx."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, EdgeWeights, unknown
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.graphs import NamedGraph
from linkprior.io.source import Source

_LARGEST = 128 << 20

Element = dict[str, Any]


def read_cx2(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read CX2 or CX; nodes are named by their attribute `name` where that is unique."""
    options.refuse_others("CX2", ["weights"])
    aspects = _Aspects(source)
    graph = NamedGraph(out, naming=("name",))
    old = any("@id" in node for node in aspects.elements("nodes"))
    of_edges = _old_attribute if old else _attribute
    if options.weights is not None:
        names = dict.fromkeys(_names_in(aspects, old))
        if options.weights not in names:
            raise unknown(options.weights, names, source.name)
        out.weights = EdgeWeights(f"edge attribute {options.weights}", source.name)
    name = _old_name if old else _attribute(aspects, "name", "nodes")
    for node in aspects.elements("nodes"):
        number = graph.declare(aspects.number(node, "@id" if old else "id", "a node"))
        graph.label(number, 0, name(node))
    kind, weight = of_edges(aspects, "kind"), of_edges(aspects, options.weights or "weight")
    for edge in aspects.elements("edges"):
        graph.edge(*aspects.edge_ends(edge, graph), weight=weight(edge), kind=kind(edge))
    graph.hand_over()
    return f"{'CX' if old else 'CX2'}, graph of {graph.n_nodes:,} nodes"


class _Aspects:
    """The aspects of a document, each of them perhaps in several pieces."""

    def __init__(self, source: Source) -> None:
        self.file = file = source.name
        try:
            document = json.loads(source.whole(_LARGEST))
        except json.JSONDecodeError as problem:
            early = problem.pos >= len(problem.doc.rstrip())
            what = (
                "ends too early: the file was cut off" if early else f"is damaged ({problem.msg})"
            )
            raise InputError(f"{file}:{problem.lineno}: the JSON {what}; get it again") from None
        except RecursionError:
            raise InputError(f"{file}: the JSON is nested too deeply for CX2") from None
        except UnicodeDecodeError:
            raise InputError(f"{file}: not UTF-8 text; export it again") from None
        except InputError:
            raise
        except ValueError as problem:  # a number of thousands of digits
            raise InputError(f"{file}: the JSON cannot be read: {problem}") from None
        if not isinstance(document, list) or not all(isinstance(p, dict) for p in document):
            raise InputError(
                f"{file}: expected CX2, a JSON list of aspects such as nodes and edges; other JSON "
                "is not read: export it as CX2, GraphML or SIF"
            )
        self._pieces: list[Element] = document
        for status in self.elements("status"):
            if status.get("success") is False:  # the document's own last word
                why = " ".join((_text(status.get("error")) or "no reason given")[:200].split())
                raise InputError(f"{file}: says that its export failed ({why}); get it again")

    def elements(self, aspect: str) -> Iterator[Element]:
        """Yield the elements of an aspect."""
        for piece in self._pieces:
            part = piece.get(aspect, [])
            if not isinstance(part, list) or not all(isinstance(e, dict) for e in part):
                raise InputError(f"{self.file}: the aspect {aspect!r} is no list of objects")
            yield from part

    def number(self, element: Element, key: str, what: str) -> str:
        """Return the number of a node, as text."""
        value = element.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value:
            return _text(value)
        raise InputError(
            f"{self.file}: expected a number under {key!r} in {what}, got {_short(element)}"
        )

    def edge_ends(self, edge: Element, graph: NamedGraph) -> tuple[str, str]:
        """Return the two nodes of an edge; they must have been declared."""
        ends = self.number(edge, "s", "an edge"), self.number(edge, "t", "an edge")
        for end in ends:
            if end not in graph:
                raise InputError(
                    f"{self.file}: the edge {_short(edge)} joins the node {end[:40]}, which is not "
                    "among the nodes; get it again"
                )
        return ends


def _attribute(aspects: _Aspects, name: str, aspect: str = "edges") -> Callable[[Element], str]:
    """Return what gives an attribute of an element: under its name or alias, with a default."""
    key, default = name, ""
    for declared in aspects.elements("attributeDeclarations"):
        about = _object(declared.get(aspect)).get(name)
        if isinstance(about, dict):
            key, default = str(about.get("a", name)), _text(about.get("v"))

    def value_of(element: Element) -> str:
        value = _object(element.get("v")).get(key)
        return default if value is None else _text(value)

    return value_of


def _old_name(node: Element) -> str:
    return _text(node.get("n"))


def _old_attribute(aspects: _Aspects, name: str) -> Callable[[Element], str]:
    """Return what gives an attribute of a CX edge, by its number; one element may serve several."""
    values = {
        str(owner): _text(about.get("v"))
        for about in aspects.elements("edgeAttributes")
        if about.get("n") == name
        for owner in (about["po"] if isinstance(about.get("po"), list) else [about.get("po")])
    }
    return lambda edge: values.get(str(edge.get("@id")), "")


def _names_in(aspects: _Aspects, old: bool) -> Iterator[str]:
    """Yield the attributes of edges, declared or just there."""
    if old:
        yield from (_text(about.get("n")) for about in aspects.elements("edgeAttributes"))
        return
    for declared in aspects.elements("attributeDeclarations"):
        yield from map(str, _object(declared.get("edges")))
    for edge in aspects.elements("edges"):
        yield from map(str, _object(edge.get("v")))


def _object(value: Any) -> Element:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    """Return a simple value as text; lists and objects name nothing."""
    if value is None or isinstance(value, list | dict):
        return ""
    # JSON can hold halves of characters, which no file takes.
    return str(value).encode("utf-8", "backslashreplace").decode()


def _short(element: Element) -> str:
    return _text(json.dumps(element, ensure_ascii=False)[:80])

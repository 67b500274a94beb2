"""A ranking as a graph for viewers: GraphML, CX2 with its style, and SIF."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from linkprior._version import __version__
from linkprior.errors import InputError
from linkprior.io.writers.tables import Plain, json_text, kind_of, known, plain, typed
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.ranking.ranking import Ranking, escape_surrogates, six_digits

# Columns of edges that viewers keep for themselves; they ignore case.
_TAKEN = (
    *("id", "kind", "rank", "score", "source", "target"),
    *("name", "interaction", "selected", "suid", "shared name", "shared interaction"),
)


@dataclass(frozen=True)
class Drawing:
    """Nodes 0…n−1 of a picture, in the order of the network, and the edges between them."""

    ranking: Ranking
    names: list[str]
    degrees: list[int] | None
    predicted: pr.Ints
    observed: pr.Ints

    @cached_property
    def labels(self) -> dict[int, str]:
        """Readable names of the nodes, where the ranking has them."""
        evidence, labels = self.ranking.evidence, {}
        for side, column in enumerate(("label_source", "label_target")):
            shown = zip(self.predicted[:, side].tolist(), evidence.get(column, ()), strict=False)
            labels.update({node: str(label) for node, label in shown if label})
        return labels

    @property
    def node_columns(self) -> dict[str, str]:
        """Name and kind of every column of the nodes."""
        label = {"label": "string"} if self.labels else {}
        degree = {} if self.degrees is None else {"degree": "long"}
        return {"name": "string", **label, **degree}

    @property
    def columns(self) -> dict[str, str]:
        """Name and kind of every column of the edges; names that are taken get underscores."""
        evidence = self.ranking.evidence
        used, names = set(_TAKEN), []
        for name in evidence:
            free = name
            while free.lower() in used:
                free += "_"
            used.add(free.lower())
            names.append(free)
        standard = {"kind": "string", "rank": "long", "score": "double"}
        return standard | dict(zip(names, map(kind_of, evidence.values()), strict=True))

    def nodes(self) -> Iterator[dict[str, Plain]]:
        """Yield name, label (the name where there is none) and degree, where they are known."""
        for at, name in enumerate(self.names):
            node: dict[str, Plain] = {"name": name}
            if self.labels:
                node["label"] = self.labels.get(at, name)
            if self.degrees is not None:
                node["degree"] = self.degrees[at]
            yield node

    def edges(self) -> Iterator[tuple[int, int, dict[str, Plain]]]:
        """Yield both ends and the values of predicted links, best first, then of observed edges."""
        columns = dict(list(self.columns.items())[1:])
        for (a, b), row in zip(self.predicted.tolist(), self.ranking.rows(), strict=True):
            cells = zip(columns.items(), [row[0], *row[3:]], strict=True)
            values = {name: typed(value, kind) for (name, kind), value in cells}
            given = {name: value for name, value in values.items() if value is not None}
            yield a, b, {"kind": "predicted", **given}
        for a, b in self.observed.tolist():
            yield a, b, {"kind": "observed"}


def draw(ranking: Ranking, network: Network | None) -> Drawing:
    """Return the picture of a ranking; a predicted edge of the network is drawn as predicted."""
    nodes = np.unique(ranking.pairs)
    observed, degrees = np.empty((0, 2), dtype=np.int64), None
    if network is not None:
        p = network.n_nodes
        among = network.edges[np.isin(network.edges, nodes).all(axis=1)]
        predicted = pr.encode(pr.ordered(ranking.pairs), p)
        observed = among[~np.isin(pr.encode(among, p), predicted)]
        degrees = network.degrees[nodes].tolist()
    names = [ranking.node_names[node] for node in nodes.tolist()]
    place = np.searchsorted(nodes, ranking.pairs), np.searchsorted(nodes, observed)
    return Drawing(ranking, names, degrees, *place)


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
# XML 1.0 has no place for these, not even escaped.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Readers turn a bare carriage return into a newline.
_KEPT = {"\r": "&#13;"}


def write_graphml(target: TextIO, drawing: Drawing, facts: Mapping[str, Any]) -> None:
    """Write nodes n0, n1, … with their names as data, and edges of two kinds.

    Edges have kind "predicted", with rank, score and evidence, or "observed". Characters that
    XML cannot hold become U+FFFD; a value that is no finite number is left out.
    """
    graph = known(facts)
    node_kinds = drawing.node_columns
    graph_keys = _keys("g", graph)
    node_keys, edge_keys = _keys("v", node_kinds), _keys("e", drawing.columns)
    target.write(_HEAD)
    graph_kinds = {name: kind_of(value) for name, value in graph.items()}
    for owner, keys, kinds in (
        ("graph", graph_keys, graph_kinds),
        ("node", node_keys, node_kinds),
        ("edge", edge_keys, drawing.columns),
    ):
        for name, key in keys.items():
            shown = quoteattr(_NOT_XML.sub("\ufffd", name))
            target.write(
                f'<key id="{key}" for="{owner}" attr.name={shown} attr.type="{kinds[name]}"/>\n'
            )
    target.write('<graph edgedefault="undirected">\n')
    for name, value in graph.items():
        target.write(_data(graph_keys, {name: value}) + "\n")
    for number, values in enumerate(drawing.nodes()):
        target.write(f'<node id="n{number}">{_data(node_keys, values)}</node>\n')
    for a, b, values in drawing.edges():
        data = _data(edge_keys, values)
        target.write(f'<edge source="n{a}" target="n{b}">{data}</edge>\n')
    target.write("</graph>\n</graphml>\n")


def _keys(prefix: str, names: Iterable[str]) -> dict[str, str]:
    """Return the identifier of each column: names may hold anything, identifiers may not."""
    return {name: f"{prefix}{number}" for number, name in enumerate(names)}


def _data(keys: Mapping[str, str], values: Mapping[str, Plain]) -> str:
    return "".join(f'<data key="{keys[name]}">{_text(v)}</data>' for name, v in values.items())


def _text(value: Plain) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return six_digits(value)
    return escape(_NOT_XML.sub("\ufffd", str(value)), _KEPT)


def write_cx2(target: TextIO, drawing: Drawing, facts: Mapping[str, Any]) -> None:
    """Write one CX2 document, an aspect after the other and an element per line.

    Predicted links are dashed, orange and wider the higher their score; observed edges thin and
    grey. No positions: the viewer lays the graph out.
    """
    k, m, n = len(drawing.predicted), len(drawing.observed), len(drawing.names)
    about: dict[str, Plain] = {
        "name": "Predicted links",
        "description": f"{k} predicted links and {m} observed edges among {n} nodes. A score "
        "orders pairs; it is no probability.",
        "version": __version__,
    }
    # What the facts say goes before. The standard keeps these three names, and they are text.
    about |= {name: str(v) if name in about else v for name, v in known(facts).items()}
    kinds = {
        "networkAttributes": {name: kind_of(value) for name, value in about.items()},
        "nodes": drawing.node_columns,
        "edges": drawing.columns,
    }
    declarations = {
        aspect: {name: {"d": kind} for name, kind in columns.items()}
        for aspect, columns in kinds.items()
    }
    style = visual_properties(drawing.ranking.scores, "label" if drawing.labels else "name")
    nodes = ({"id": number, "v": values} for number, values in enumerate(drawing.nodes()))
    edges = (
        {"id": number, "s": a, "t": b, "v": values}
        for number, (a, b, values) in enumerate(drawing.edges())
    )
    aspects: list[tuple[str, int, Iterable[Any]]] = [
        ("attributeDeclarations", 1, [declarations]),
        ("networkAttributes", 1, [about]),
        ("nodes", n, nodes),
        ("edges", k + m, edges),
        ("visualProperties", 1, [style]),
        ("visualEditorProperties", 1, [EDITOR]),
    ]
    meta = [{"name": name, "elementCount": count} for name, count, _ in aspects]
    target.write('[{"CXVersion":"2.0","hasFragments":false}')
    for name, _, elements in [("metaData", 1, meta), *aspects, ("status", 1, [{"success": True}])]:
        target.write(f',\n{{"{name}":[')
        for number, element in enumerate(elements):
            target.write((",\n" if number else "\n") + json_text(element))
        target.write("]}")
    target.write("]\n")


# Vermilion and sky blue of Okabe and Ito's palette; dashes mark predicted links without colour.
_PREDICTED, _OBSERVED, _NODE = "#D55E00", "#999999", "#56B4E9"
_THIN, _THINNEST_PREDICTED, _WIDEST = 1.0, 2.0, 8.0
# Readers look for the properties under this word, whatever the text of the standard says.
EDITOR = {"properties": {"nodeSizeLocked": True, "arrowColorMatchesEdge": True}}
_DEFAULT = {
    "network": {"NETWORK_BACKGROUND_COLOR": "#FFFFFF"},
    "node": {
        "NODE_SHAPE": "ellipse",
        "NODE_WIDTH": 40.0,
        "NODE_HEIGHT": 40.0,
        "NODE_BACKGROUND_COLOR": _NODE,
        "NODE_BORDER_COLOR": "#333333",
        "NODE_BORDER_WIDTH": 1.0,
        "NODE_LABEL_COLOR": "#000000",
        "NODE_LABEL_FONT_SIZE": 12,
    },
    "edge": {
        "EDGE_LINE_COLOR": _OBSERVED,
        "EDGE_LINE_STYLE": "solid",
        "EDGE_WIDTH": _THIN,
        "EDGE_SOURCE_ARROW_SHAPE": "none",
        "EDGE_TARGET_ARROW_SHAPE": "none",
    },
}


def visual_properties(scores: NDArray[np.floating[Any]], shown: str = "name") -> dict[str, Any]:
    """Return defaults and mappings: node labels, and edges by their kind and score."""
    label = {"type": "PASSTHROUGH", "definition": {"attribute": shown, "type": "string"}}
    return {
        "default": _DEFAULT,
        "nodeMapping": {"NODE_LABEL": label},
        "edgeMapping": {
            "EDGE_LINE_COLOR": _by_kind(_PREDICTED, _OBSERVED),
            "EDGE_LINE_STYLE": _by_kind("dashed", "solid"),
            "EDGE_WIDTH": _width(scores),
        },
    }


def _by_kind(predicted: Any, observed: Any) -> dict[str, Any]:
    values = [{"v": "predicted", "vp": predicted}, {"v": "observed", "vp": observed}]
    definition = {"attribute": "kind", "type": "string", "map": values}
    return {"type": "DISCRETE", "definition": definition}


def _width(scores: NDArray[np.floating[Any]]) -> dict[str, Any]:
    """Return widths that grow with the score; where all scores are one, widths by kind."""
    finite = scores[np.isfinite(scores)]
    low, high = (plain(finite.min()), plain(finite.max())) if len(finite) else (0.0, 0.0)
    if low == high:
        return _by_kind((_THINNEST_PREDICTED + _WIDEST) / 2, _THIN)
    outside = {"includeMin": False, "includeMax": False}
    least = {"min": low, "includeMin": True, "max": high, "includeMax": True}
    ranges = [
        {**outside, "max": low, "maxVPValue": _THINNEST_PREDICTED},
        {**least, "minVPValue": _THINNEST_PREDICTED, "maxVPValue": _WIDEST},
        {**outside, "min": high, "minVPValue": _WIDEST},
    ]
    definition = {"attribute": "score", "type": "double", "map": ranges}
    return {"type": "CONTINUOUS", "definition": definition}


def write_sif(target: TextIO, drawing: Drawing, facts: Mapping[str, Any]) -> None:
    """Write predicted links, best first, then the observed edges among the same nodes."""
    for name in drawing.names:  # the format cannot quote
        if not name or any(mark in name for mark in "\t\r\n"):
            raise InputError(
                f"sif cannot hold the node name {name[:60]!r} (empty, or with a tab or line end); "
                "rename the node, or choose tsv or graphml"
            )
    names = [escape_surrogates(name) for name in drawing.names]
    for kind, edges in (("predicted", drawing.predicted), ("observed", drawing.observed)):
        for a, b in edges.tolist():
            target.write(f"{names[a]}\t{kind}\t{names[b]}\n")


WRITERS: dict[str, Callable[[TextIO, Drawing, Mapping[str, Any]], None]] = {
    "graphml": write_graphml,
    "cx2": write_cx2,
    "sif": write_sif,
}

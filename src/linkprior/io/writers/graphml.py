"""GraphML 1.0: an undirected graph that Cytoscape, Gephi, igraph and networkx open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

from linkprior.io.writers.drawing import draw
from linkprior.io.writers.values import Plain, kind_of_value, known
from linkprior.network import Network
from linkprior.ranking.ranking import Ranking, six_digits

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


def write_graphml(
    target: TextIO, ranking: Ranking, network: Network | None, facts: Mapping[str, Any]
) -> None:
    """Write nodes n0, n1, … with their names as data, and edges of two kinds.

    Edges have kind "predicted", with rank, score and evidence, or "observed". Characters that
    XML cannot hold become U+FFFD; a value that is no finite number is left out.
    """
    drawing = draw(ranking, network)
    graph = known(facts)
    node_kinds = drawing.node_columns
    graph_keys = _keys("g", graph)
    node_keys, edge_keys = _keys("v", node_kinds), _keys("e", drawing.columns)
    target.write(_HEAD)
    graph_kinds = {name: kind_of_value(value) for name, value in graph.items()}
    _declare(target, "graph", graph_keys, graph_kinds)
    _declare(target, "node", node_keys, node_kinds)
    _declare(target, "edge", edge_keys, drawing.columns)
    target.write('<graph edgedefault="undirected">\n')
    for name, value in graph.items():
        target.write(_data(graph_keys[name], value) + "\n")
    for number, values in enumerate(drawing.nodes()):
        target.write(f'<node id="n{number}">{_all_data(node_keys, values)}</node>\n')
    for a, b, values in drawing.edges():
        data = _all_data(edge_keys, values)
        target.write(f'<edge source="n{a}" target="n{b}">{data}</edge>\n')
    target.write("</graph>\n</graphml>\n")


def _keys(prefix: str, names: Iterable[str]) -> dict[str, str]:
    """Return the identifier of each column: names may hold anything, identifiers may not."""
    return {name: f"{prefix}{number}" for number, name in enumerate(names)}


def _declare(target: TextIO, owner: str, keys: Mapping[str, str], kinds: Mapping[str, str]) -> None:
    for name, key in keys.items():
        shown = quoteattr(_NOT_XML.sub("\ufffd", name))
        target.write(
            f'<key id="{key}" for="{owner}" attr.name={shown} attr.type="{kinds[name]}"/>\n'
        )


def _all_data(keys: Mapping[str, str], values: Mapping[str, Plain]) -> str:
    return "".join(_data(keys[name], value) for name, value in values.items())


def _data(key: str, value: Plain) -> str:
    return f'<data key="{key}">{_text(value)}</data>'


def _text(value: Plain) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return six_digits(value)
    return escape(_NOT_XML.sub("\ufffd", str(value)), _KEPT)

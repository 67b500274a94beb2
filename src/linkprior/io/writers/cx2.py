"""CX2, the exchange format of Cytoscape and NDEx: the graph and how to show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from linkprior._version import __version__
from linkprior.io.writers.cx2_style import EDITOR, visual_properties
from linkprior.io.writers.drawing import Drawing, draw
from linkprior.io.writers.values import Plain, json_text, kind_of_value, known
from linkprior.network import Network
from linkprior.ranking.ranking import Ranking


def write_cx2(
    target: TextIO, ranking: Ranking, network: Network | None, facts: Mapping[str, Any]
) -> None:
    """Write one CX2 document, an aspect after the other and an element per line.

    Predicted links are dashed, orange and wider the higher their score; observed edges thin and
    grey. No positions: the viewer lays the graph out.
    """
    drawing = draw(ranking, network)
    about = _about(drawing, facts)
    aspects: list[tuple[str, int, Iterable[Any]]] = [
        ("attributeDeclarations", 1, [_declarations(drawing, about)]),
        ("networkAttributes", 1, [about]),
        ("nodes", len(drawing.names), _nodes(drawing)),
        ("edges", len(drawing.predicted) + len(drawing.observed), _edges(drawing)),
        (
            "visualProperties",
            1,
            [visual_properties(ranking.scores, "label" if drawing.labels else "name")],
        ),
        ("visualEditorProperties", 1, [EDITOR]),
    ]
    meta = [{"name": name, "elementCount": count} for name, count, _ in aspects]
    target.write('[{"CXVersion":"2.0","hasFragments":false}')
    for name, elements in [("metaData", meta), *((a[0], a[2]) for a in aspects)]:
        _aspect(target, name, elements)
    _aspect(target, "status", [{"success": True}])
    target.write("]\n")


def _aspect(target: TextIO, name: str, elements: Iterable[Any]) -> None:
    target.write(f',\n{{"{name}":[')
    mark = "\n"
    for element in elements:
        target.write(mark + json_text(element))
        mark = ",\n"
    target.write("]}")


def _about(drawing: Drawing, facts: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the attributes of the network: what the facts say goes before what stands here."""
    k, m, n = len(drawing.predicted), len(drawing.observed), len(drawing.names)
    about: dict[str, Plain] = {
        "name": "Predicted links",
        "description": f"{k} predicted links and {m} observed edges among {n} nodes. A score "
        "orders pairs; it is no probability.",
        "version": __version__,
    }
    # The standard keeps these three names, and they are text.
    given = {name: str(v) if name in about else v for name, v in known(facts).items()}
    return about | given


def _declarations(drawing: Drawing, about: Mapping[str, Plain]) -> dict[str, Any]:
    nodes = drawing.node_columns
    network = {name: kind_of_value(value) for name, value in about.items()}
    kinds = {"networkAttributes": network, "nodes": nodes, "edges": drawing.columns}
    return {
        aspect: {name: {"d": kind} for name, kind in columns.items()}
        for aspect, columns in kinds.items()
    }


def _nodes(drawing: Drawing) -> Iterable[dict[str, Any]]:
    return ({"id": number, "v": values} for number, values in enumerate(drawing.nodes()))


def _edges(drawing: Drawing) -> Iterable[dict[str, Any]]:
    for number, (a, b, values) in enumerate(drawing.edges()):
        yield {"id": number, "s": a, "t": b, "v": values}

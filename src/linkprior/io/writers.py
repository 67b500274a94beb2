"""A ranking in other people's formats: tables, JSON lines, and graphs for viewers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, NamedTuple, TextIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from linkprior._version import __version__
from linkprior.errors import InputError, ParameterError, nearest
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.ranking.ranking import Ranking, cell_text, delimited, escape_surrogates, six_digits


class Format(NamedTuple):
    """What a format is in one line, and how its files end."""

    summary: str
    suffixes: tuple[str, ...]


FORMATS: dict[str, Format] = {
    "tsv": Format("tab-separated table with a header line (the default)", (".tsv", ".txt")),
    "csv": Format("comma-separated table that a spreadsheet opens without formulas", (".csv",)),
    "jsonl": Format("one JSON object per line", (".jsonl", ".ndjson")),
    "graphml": Format("graph with the observed edges: Cytoscape, Gephi, networkx", (".graphml",)),
    "cx2": Format("graph with a style: Cytoscape and NDEx", (".cx2",)),
    "sif": Format("source, predicted or observed, target: Cytoscape's plain list", (".sif",)),
}


def format_of(path: str | None, given: str | None) -> str:
    """Return the format that was named, else the one a file's name ends in, else tsv."""
    if given is not None:
        name = str(given).lower()
        if name not in FORMATS:
            raise ParameterError(
                f"no output format is called {given!r}.{nearest(name, FORMATS)} "
                f"There are: {', '.join(FORMATS)}"
            )
        return name
    suffix = PurePath(path or "").suffix.lower()
    return next((name for name, made in FORMATS.items() if suffix in made.suffixes), "tsv")


def write_ranking(
    target: TextIO,
    ranking: Ranking,
    format: str = "tsv",
    network: Network | None = None,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write a ranking to a text stream; the same ranking gives the same text.

    Parameters
    ----------
    target
        A stream opened as UTF-8, with ``newline=""`` so that line ends stay as written.
    format
        A name in `FORMATS`.
    network
        The network the model was fitted on. Graph formats then show degrees and the observed
        edges among the ranked nodes; tables have no use for it.
    facts
        What to remember of the run (model, seed, digest): attributes of the graph in graphml and
        cx2; the other formats have no place for it.
    """
    name = format_of(None, format)
    if network is not None and network.names != ranking.node_names:
        raise InputError(
            "the ranking and the network have different nodes; give the network the model was "
            "fitted on"
        )
    if name in _GRAPHS:
        _GRAPHS[name](target, draw(ranking, network), facts or {})
    else:
        _TABLES[name](target, ranking)


# ---------------------------------------------------------------------- tables

# What makes a spreadsheet compute, the wide forms of East Asian keyboards included. Apostrophes
# before it count, so that the guard can be taken off again without doubt.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")


def write_csv(target: TextIO, ranking: Ranking) -> None:
    """Write RFC 4180, but for lines that end in a newline alone.

    Every reader takes that, line tools see no stray carriage return, and the bytes are the same
    on every system. Text that a spreadsheet would compute is guarded (`guard`); numbers are
    not touched.
    """
    target.write(delimited(map(guard, ranking.columns), ","))
    for row in ranking.rows():
        target.write(delimited(map(_csv_cell, row), ","))


def write_jsonl(target: TextIO, ranking: Ranking) -> None:
    """Write one object per line; numbers are numbers, with the six digits of the table."""
    columns = ranking.columns
    for row in ranking.rows():
        target.write(json_text(dict(zip(columns, map(plain, row), strict=True))) + "\n")


def guard(cell: str) -> str:
    """Put an apostrophe before ``= + - @`` and the like, also behind apostrophes of its own."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _csv_cell(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, int | float) else guard(cell_text(value))


Plain = bool | int | float | str | None
KINDS = {"b": "boolean", "i": "long", "u": "long", "f": "double"}

# A lone surrogate is no UTF-8. The other three are line ends to some readers of JSON lines.
_UNSAFE = re.compile("[\ud800-\udfff\u0085\u2028\u2029]")


def plain(value: Any) -> Plain:
    """Return a value of JSON: six digits of a float, None for NaN and infinity, else text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(six_digits(value)) if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def kind_of(values: Any) -> str:
    """Return what a column or one value is: boolean, long, double or string."""
    return KINDS.get(np.asarray(values).dtype.kind, "string")


def typed(value: Any, kind: str) -> Plain:
    """Return a value of a column of this kind; None where there is none."""
    simple = plain(value)
    return str(simple) if kind == "string" and simple is not None else simple


def known(facts: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the facts that have a value, as values of their kind."""
    values = {str(name): plain(value) for name, value in facts.items()}
    given = {name: value for name, value in values.items() if value is not None}
    return {name: typed(value, kind_of(value)) for name, value in given.items()}


def json_text(value: Any) -> str:
    """Return JSON in one line that can be written as UTF-8."""
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda mark: f"\\u{ord(mark[0]):04x}", written)


# ---------------------------------------------------------------------- graphs

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


_TABLES: dict[str, Callable[[TextIO, Ranking], None]] = {
    "tsv": lambda target, ranking: ranking.write(target),
    "csv": write_csv,
    "jsonl": write_jsonl,
}
_GRAPHS: dict[str, Callable[[TextIO, Drawing, Mapping[str, Any]], None]] = {
    "graphml": write_graphml,
    "cx2": write_cx2,
    "sif": write_sif,
}

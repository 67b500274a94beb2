"""SIF, Cytoscape's plain list: a node, a relation, and the nodes it has this relation with."""

from __future__ import annotations

from collections import Counter

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, no_weights
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.delimited import SPREADSHEET_ERRORS
from linkprior.io.readers.graphs import NamedGraph
from linkprior.io.source import Source, every_line

_SHOWN = 3
_OURS = ("predicted", "observed")  # the relations linkprior itself writes


def read_sif(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read SIF; a line with a tab is cut at tabs, any other at blanks; a name alone is a node.

    Lines that begin with ``#`` are comments, unless linkprior wrote them of a node so named.
    Targets of the relation `predicted` are not edges.
    """
    if options.weights is not None:
        raise no_weights(source.name, "SIF")
    options.refuse_others("SIF", ["weights"])
    graph, relations = NamedGraph(out, naming=()), Counter[str]()
    for number, line in every_line(source):
        cells = [cell.strip() for cell in line.split("\t" if "\t" in line else None)]
        start, ours = line.lstrip(), line.count("\t") == 2 and cells[1] in _OURS
        is_comment = start.startswith("#") and not (ours or start.startswith(SPREADSHEET_ERRORS))
        if any(cells) and not is_comment:
            _take(cells, graph, out, relations, number)
        else:
            out.passed_over += 1
    graph.hand_over()
    names = [name[:30] for name, count in relations.most_common(_SHOWN) if count]
    if not names:
        return "SIF with nodes only"
    more = " …" if len(relations) > _SHOWN else ""
    return f"SIF with the relation{'s' * (len(names) != 1)} {', '.join(names)}{more}"


def _take(
    cells: list[str], graph: NamedGraph, out: EdgeCollector, relations: Counter[str], line: int
) -> None:
    while not cells[-1]:  # tabs at the end of a line
        cells.pop()
    source, relation, targets = cells[0], "".join(cells[1:2]), cells[2:]
    if not source or "" in targets:
        out.drop("a node name is empty", [line])
        return
    graph.node(source, line)
    if len(cells) == 2:
        raise InputError(
            f"{out.file}:{line}: expected a node, a relation and the nodes it leads to, got two "
            f"words: {' '.join(cells)[:60]!r}"
        )
    relations[relation] += len(targets)
    for target in targets:
        graph.edge(source, target, line, kind=relation)

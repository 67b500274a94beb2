"""Simple interaction format: source, kind of edge, target, with tabs between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from linkprior.errors import InputError
from linkprior.io.writers.drawing import draw
from linkprior.network import Network
from linkprior.ranking.ranking import Ranking, escape_surrogates


def write_sif(
    target: TextIO, ranking: Ranking, network: Network | None, facts: Mapping[str, Any]
) -> None:
    """Write predicted links, best first, then the observed edges among the same nodes."""
    drawing = draw(ranking, network)
    _refuse_unwritable(drawing.names)
    names = [escape_surrogates(name) for name in drawing.names]
    for kind, edges in (("predicted", drawing.predicted), ("observed", drawing.observed)):
        for a, b in edges.tolist():
            target.write(f"{names[a]}\t{kind}\t{names[b]}\n")


def _refuse_unwritable(names: Iterable[str]) -> None:
    """Refuse names that would break a line: the format cannot quote."""
    for name in names:
        if not name or any(mark in name for mark in "\t\r\n"):
            raise InputError(
                f"sif cannot hold the node name {name[:60]!r} (empty, or with a tab or line end); "
                "rename the node, or choose tsv or graphml"
            )

"""A ranking in other people's formats: tables, JSON lines, and graphs for viewers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from linkprior.errors import InputError, ParameterError, nearest

if TYPE_CHECKING:
    from linkprior.network import Network
    from linkprior.ranking.ranking import Ranking


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
    if name == "tsv":
        ranking.write(target)
    elif name in ("csv", "jsonl"):
        from linkprior.io.writers.tables import write_csv, write_jsonl

        (write_csv if name == "csv" else write_jsonl)(target, ranking)
    else:  # imported here, so that listing formats costs nothing
        from linkprior.io.writers.graphs import WRITERS, draw

        WRITERS[name](target, draw(ranking, network), facts or {})

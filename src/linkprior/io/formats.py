"""The formats there are, and which one a file is: told by its content first, then by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from linkprior.errors import ParameterError, nearest
from linkprior.io import sniff
from linkprior.io.collector import EdgeCollector
from linkprior.io.options import ReadOptions
from linkprior.io.source import Source

Reader = Callable[[Source, EdgeCollector, ReadOptions], str]


@dataclass(frozen=True)
class Format:
    """A format: how to tell it (None: it is the last resort), and where its reader lives.

    A reader fills the collector and returns a description of what it took the file for.
    """

    summary: str
    home: str
    tell: Callable[[sniff.Head], bool] | None

    def reader(self) -> Reader:
        """Return the reader; loaded only now, so that starting stays quick."""
        module, name = self.home.split(":")
        found: Any = getattr(import_module(f"linkprior.io.readers.{module}"), name)
        return found


# In the order they are tried: the surest signs first.
FORMATS = {
    "npz": Format("a sparse matrix of scipy.sparse.save_npz", "matrices:read_npz", sniff.npz),
    "matrix-market": Format(
        "Matrix Market .mtx", "matrices:read_matrix_market", sniff.matrix_market
    ),
    "graphml": Format("GraphML", "graph_xml:read_graphml", sniff.graphml),
    "gexf": Format("GEXF (Gephi)", "graph_xml:read_gexf", sniff.gexf),
    "cx2": Format("CX2 (Cytoscape, NDEx)", "cx2:read_cx2", sniff.cx2),
    "pajek": Format("Pajek .net", "pajek:read_pajek", sniff.pajek),
    "biogrid": Format("BioGRID tab2 or tab3", "biogrid:read_biogrid", sniff.biogrid),
    "mitab": Format("PSI-MITAB 2.5 to 2.8", "mitab:read_mitab", sniff.mitab),
    "string": Format("STRING protein links", "string_links:read_string", sniff.string_links),
    "metis": Format("METIS .graph", "metis:read_metis", sniff.metis),
    "sif": Format("SIF (Cytoscape)", "sif:read_sif", sniff.sif),
    "edgelist": Format(
        "one edge per line: tab, comma, semicolon or space between columns; DREAM5 as well",
        "edgelist:read_edgelist",
        None,
    ),
}


def format_of(source: Source, given: str | None = None) -> str:
    """Return the name of a source's format, or check the one given."""
    if given is not None:
        if given not in FORMATS:
            raise ParameterError(
                f"no input format is called {given!r}.{nearest(given, list(FORMATS))} There are: "
                f"{', '.join(FORMATS)}"
            )
        return given
    head = sniff.Head.of(source)
    return next((name for name, f in FORMATS.items() if f.tell and f.tell(head)), "edgelist")

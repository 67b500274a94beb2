"""Any network file → Network, with a report of what was read."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from linkprior.errors import InputError, ParameterError, nearest, visible
from linkprior.io.collector import EdgeCollector
from linkprior.io.formats import FORMATS, format_of
from linkprior.io.input_report import InputReport, make_report
from linkprior.io.options import ReadOptions
from linkprior.io.source import open_source
from linkprior.network import Network


@dataclass(frozen=True)
class Reading:
    """A network as read from a file, the report on it, and readable labels of its nodes."""

    network: Network
    report: InputReport
    labels: dict[str, str] = field(default_factory=dict)


def read(
    path: str | Path,
    format: str | None = None,
    keep_isolated: bool = False,
    options: ReadOptions | None = None,
) -> Reading:
    """Read a network and report on it; `-` is stdin. The format is told by content and name."""
    if format is not None and not isinstance(format, str):
        raise ParameterError(
            f"format must be the name of an input format, such as edgelist, got {format!r}"
        )
    with open_source(path) as source:
        name = format_of(source, format)
        found = EdgeCollector(source.name)
        guess = visible(FORMATS[name].reader()(source, found, options or ReadOptions()))
        facts: dict[str, Any] = {
            "packing": source.packing,
            "sha256": source.sha256(),
            "lines": source.lines,
        }
    ends = found.ends
    if not len(ends):
        raise InputError(_nothing(found))
    network = Network.from_indices(ends, found.names)
    if found.weights is not None and network.n_edges:
        network, facts["weights"] = found.weights.settle(network, ends)
    if not keep_isolated:
        network = network.drop_isolated()
    if network.n_edges == 0:
        raise InputError(
            f"{found.file}: all {len(ends)} rows join a node to itself; expected edges between two "
            "different nodes. Are the right columns read?"
        )
    report = make_report(network, found, ends, file=found.file, format=name, guess=guess, **facts)
    return Reading(network, report, found.clean_labels(network.names))


def read_network(
    path: str | Path, format: str | None = None, keep_isolated: bool = False, **options: Any
) -> Network:
    """Read a network file of any supported format, packed or not; `-` is stdin.

    Nodes without an edge are dropped and counted, unless `keep_isolated`. Options are the fields of
    `linkprior.io.options.ReadOptions`: columns, organism, systems, physical_only, id, min_score,
    weights (the column or edge attribute that tells how sure each edge is).
    """
    known = [option.name for option in fields(ReadOptions)]
    for name in options:
        if name not in known:
            raise ParameterError(
                f"read_network has no option {name!r}.{nearest(name, known)} There are: "
                f"{', '.join(known)}"
            )
    return read(path, format, keep_isolated, ReadOptions(**options)).network


def _nothing(found: EdgeCollector) -> str:
    if not found.dropped:
        return f"{found.file}: no edge found; expected two columns of node names"
    why = "; ".join(f"{d.count} rows: {reason}" for reason, d in found.dropped.items())
    return f"{found.file}: no edge is left ({why}); check the file, or ask for less"

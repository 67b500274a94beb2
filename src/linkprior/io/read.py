"""Any network file → Network, with a report of what was read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from linkprior import _html as html
from linkprior.errors import InputError, ParameterError, nearest, visible
from linkprior.io.collector import EdgeCollector, WeightFacts
from linkprior.io.formats import FORMATS, ReadOptions, format_of
from linkprior.io.source import open_source
from linkprior.network import Network

_FEW_EDGES = 10
_MOST_LEVELS = 1000
_BETWEEN = (
    "links are ranked between any two nodes, with --between A.txt B.txt across two lists only"
)


def looks_of(
    network: Network,
    ends: NDArray[np.int64],
    labels: NDArray[np.int32],
    directed: bool | None = None,
) -> Iterator[str]:
    """Yield what a user should know; `directed` is what the file says, None for nothing."""
    is_end = np.zeros((2, int(ends.max()) + 1), dtype=np.bool_)
    for side in (0, 1):
        is_end[side, ends[:, side]] = True
    sources, targets = is_end.sum(axis=1).tolist()
    shared = is_end.all(axis=0).any()
    if network.degrees.max() == 1:
        if network.n_edges >= _FEW_EDGES:
            yield "no two edges share a node: is this a table of names rather than a network?"
    elif shared == 0 and min(sources, targets) > 1:
        yield (
            f"looks bipartite ({sources} nodes in the first column only, {targets} in the second); "
            f"{_BETWEEN}"
        )
    elif _is_bipartite(network, labels):
        yield f"looks bipartite (no cycle has an odd number of edges); {_BETWEEN}"
    if directed:
        yield "looks directed (the file says so); links are taken without direction"
    elif directed is None and shared and network.n_edges >= _FEW_EDGES:
        # One side has far fewer nodes, or some pairs are given both ways. Where rows repeat pairs
        # without regard to order, about half of the repeats are reversed.
        m, both_ways = network.n_edges, network.merged.reversed_duplicates
        of_its_own = both_ways > 2 * network.merged.duplicates
        few, many = sorted((sources, targets))
        lopsided = 3 * few < many and 20 * both_ways < m
        if lopsided or (0.02 * m < both_ways < 0.9 * m and of_its_own):
            yield (
                f"looks directed ({sources} sources, {targets} targets, {both_ways} pairs both "
                "ways); links are taken without direction"
            )


def _is_bipartite(network: Network, labels: NDArray[np.int32]) -> bool:
    """Return whether there are cycles and none is odd, by colouring nodes level by level."""
    starts = np.unique(labels, return_index=True)[1]
    if network.n_edges - (network.n_nodes - len(starts)) < 2:
        return False
    colour = np.zeros(network.n_nodes, dtype=np.int8)
    front, shade = starts, np.int8(1)
    for _ in range(_MOST_LEVELS):
        colour[front] = shade
        reached = np.zeros(network.n_nodes, dtype=np.bool_)
        reached[network.adjacency[front].indices] = True
        if (colour[reached] == shade).any():
            return False  # an edge joins two nodes of one colour
        front, shade = np.flatnonzero(reached & (colour == 0)), -shade
        if not len(front):
            return True
    return False


_SHOWN, _KEPT, _LONGEST = 5, 20, 40
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec"
# What a spreadsheet makes of MARCH1, SEPT2 and 2310009E13 when it takes them for dates and numbers.
_DAMAGED = re.compile(
    rf"\d{{1,2}}-({_MONTHS})(-\d{{2,4}})?|({_MONTHS})-\d{{1,2}}|\d{{4}}-\d\d-\d\d( 00:00:00)?"
    r"|\d{1,2}/\d{1,2}/(\d\d|\d{4})|\d([.,]\d+)?e[+-]\d{1,3}"
    r"|#(n/a|name\?|ref!|value!|num!|div/0!|null!)",
    re.IGNORECASE,
)
_MISSING = {"NA", "N/A", "nan", "NaN", "NULL", "null", "None", "none", "-", "?"}


@dataclass(frozen=True)
class InputReport:
    """Everything worth knowing about an input before its result is trusted."""

    file: str
    format: str
    guess: str
    packing: str | None
    sha256: str
    lines: int
    rows: int  # that name an edge
    passed_over: int  # comments and blank lines, in files of lines
    nodes: int
    edges: int
    self_loops: int
    self_loop_nodes: list[str]
    duplicates: int
    reversed_duplicates: int
    isolated: int
    dropped: list[dict[str, Any]]  # reason, count and first lines of rows left out
    components: int
    largest_component: int
    degrees: dict[str, float]
    hub: str
    damaged_names: list[str]
    n_damaged_names: int
    looks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    weights: WeightFacts | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    def text(self) -> list[str]:
        """Return the report as lines of plain words; only what there is to say."""
        lines = (
            f"{topic}: {text}" if topic in ("Warning", "Note", "weights") else text
            for topic, text in self._topics()
        )
        return [f"{self.file}: {self._kind()}", *lines]

    def _repr_html_(self) -> str:
        facts = [("file", self.file), ("format", self._kind()), *self._topics()]
        return html.card("Input report", html.facts(facts))

    def _topics(self) -> Iterator[tuple[str, str]]:
        """Yield topic and text of every line but the first."""
        if self.lines:
            skipped = f", {_counted(self.passed_over, 'comment or blank line')}"
            read = f"{_counted(self.lines, 'line')} read, {_counted(self.rows, 'edge')} listed"
            yield "read", read + (skipped if self.passed_over else "")
        yield "network", f"{_counted(self.nodes, 'node')}, {_counted(self.edges, 'edge')}"
        if self.weights is not None:
            yield "weights", self.weights.text()
        loops = f" ({_few(self.self_loop_nodes, self.self_loops)})"
        counts = (
            (self.duplicates, "duplicate", " merged"),
            (self.reversed_duplicates, "reversed duplicate", " merged"),
            (self.self_loops, "self-loop", f" left out{loops}"),
            (self.isolated, "node", " without an edge left out"),
        )
        parts = [_counted(count, what) + end for count, what, end in counts if count]
        if parts:
            yield "left out", ", ".join(parts)
        for entry in self.dropped:
            count, first = entry["count"], entry["first_lines"]
            where = f" (line{'s' * (count != 1)} {_few(first, count)})" if any(first) else ""
            yield "left out", f"{_counted(count, 'row')} left out: {entry['reason']}{where}"
        pieces, d = _counted(self.components, "component"), self.degrees
        if self.components > 1:
            pieces += f", the largest of {_counted(self.largest_component, 'node')}"
        yield (
            "shape",
            f"{pieces}; degrees: median {d['median']:g}, mean {d['mean']:.3g}, largest "
            f"{d['max']:g} (node {_short(self.hub)})",
        )
        if n := self.n_damaged_names:
            look = "names look" if n > 1 else "name looks"
            yield (
                "Warning",
                f"{n} {look} damaged by a spreadsheet: {_few(self.damaged_names, n)}. Go back to "
                "the file from before",
            )
        yield from (("Note", text) for text in (*self.looks, *self.notes))

    def _kind(self) -> str:
        return f"{self.packing}, {self.guess}" if self.packing else self.guess


def _make_report(
    network: Network, out: EdgeCollector, ends: NDArray[np.int64], **facts: Any
) -> InputReport:
    """Put the report together from what a reader found and the network it became."""
    degrees = network.degrees
    n_components, labels = connected_components(network.adjacency, directed=False)
    names = out.names
    loops = dict.fromkeys(ends[ends[:, 0] == ends[:, 1], 0].tolist())
    damaged = [name for name in network.names if _DAMAGED.fullmatch(name)]
    notes, folded = list(out.notes), dict[str, str]()
    alike = [(name, folded.setdefault(name.casefold(), name)) for name in network.names]
    twins = [pair for pair in alike if pair[0] != pair[1]]
    if twins:
        notes.append(
            f"names that differ only in case are different nodes: {_short(twins[0][1])} and "
            f"{_short(twins[0][0])}{f', and {len(twins) - 1} more' if len(twins) > 1 else ''}"
        )
    missing = [name for name in network.names if name in _MISSING]
    if missing:
        notes.append(
            f"a node is called {' and one '.join(missing)}: if that stands for a missing name, "
            "remove its rows"
        )
    return InputReport(
        rows=out.rows,
        passed_over=out.passed_over,
        nodes=network.n_nodes,
        edges=network.n_edges,
        self_loop_nodes=[names[i] for i in list(loops)[:_KEPT]],
        dropped=[{"reason": reason, **asdict(d)} for reason, d in out.dropped.items()],
        components=int(n_components),
        largest_component=int(np.bincount(labels).max()),
        degrees={
            "min": int(degrees.min()),
            "median": float(np.median(degrees)),
            "mean": float(degrees.mean()),
            "max": int(degrees.max()),
        },
        hub=network.names[int(degrees.argmax())],
        damaged_names=damaged[:_KEPT],
        n_damaged_names=len(damaged),
        looks=list(looks_of(network, ends, labels, out.directed)),
        notes=notes,
        **asdict(network.merged),
        **facts,
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _few(items: Sequence[Any], count: int) -> str:
    shown = ", ".join(_short(str(item)) for item in items[:_SHOWN])
    return f"{shown} …" if count > min(len(items), _SHOWN) else shown


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


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
    """Read a network and report on it; `-` is stdin. The format is detected by content and name."""
    if format is not None and not isinstance(format, str):
        raise ParameterError(
            f"format must be the name of an input format, such as edgelist, got {format!r}"
        )
    with open_source(path) as source:
        name = format_of(source, format)
        out = EdgeCollector(source.name)
        guess = FORMATS[name].reader()(source, out, options or ReadOptions())
        guess = guess if guess.isprintable() else visible(guess)  # cells are quoted in it
        facts: dict[str, Any] = {
            "packing": source.packing,
            "sha256": source.sha256(),
            "lines": source.lines,
        }
    ends = out.ends
    if not len(ends):
        why = "; ".join(f"{d.count} rows: {reason}" for reason, d in out.dropped.items())
        raise InputError(
            f"{out.file}: no edge is left ({why}); check the file, or relax the filters"
            if why
            else f"{out.file}: no edge found; expected two columns of node names"
        )
    network = Network.from_indices(ends, out.names)
    if out.weights is not None and network.n_edges:
        network, facts["weights"] = out.weights.settle(network, ends)
    if not keep_isolated:
        network = network.drop_isolated()
    if network.n_edges == 0:
        raise InputError(
            f"{out.file}: all {len(ends)} rows join a node to itself; expected edges between two "
            "different nodes. Are the right columns read?"
        )
    report = _make_report(network, out, ends, file=out.file, format=name, guess=guess, **facts)
    return Reading(network, report, out.clean_labels(network.names))


def read_network(
    path: str | Path, format: str | None = None, keep_isolated: bool = False, **options: Any
) -> Network:
    """Read a network file of any supported format, packed or not.

    Parameters
    ----------
    path
        The file; ``-`` is standard input. gzip, bzip2, xz and zip are unpacked.
    format
        One of the formats that ``linkprior formats`` lists; None detects it by content and name.
    keep_isolated
        Whether nodes without an edge stay in the network.
    **options
        Fields of `linkprior.io.formats.ReadOptions`: header, columns, organism, systems,
        physical_only, id, min_score, weights (the column or edge attribute with the confidence
        each edge is).

    Returns
    -------
    Network
        The undirected network, without self-loops and with every edge once.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import linkprior as lp
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "edges.tsv"
    ...     _ = path.write_text("gene_a\\tgene_b\\nTP53\\tMDM2\\nMDM2\\tMDM4\\n")
    ...     network = lp.read_network(path)
    >>> network.names
    ('TP53', 'MDM2', 'MDM4')
    """
    names = [option.name for option in fields(ReadOptions)]
    for name in options:
        if name not in names:
            raise ParameterError(
                f"read_network has no option {name!r}.{nearest(name, names)} There are: "
                f"{', '.join(names)}"
            )
    return read(path, format, keep_isolated, ReadOptions(**options)).network

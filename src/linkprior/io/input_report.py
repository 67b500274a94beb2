"""The input report: what was read, what was left out and why, and what the network looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from linkprior import _html as html
from linkprior.io.collector import EdgeCollector
from linkprior.io.structure_warnings import looks_of
from linkprior.io.weights import WeightFacts
from linkprior.network import Network

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
    """Everything worth knowing about an input before its result is trusted.

    Attributes
    ----------
    rows
        Rows that name an edge.
    passed_over
        Comments and blank lines, in files of lines.
    dropped
        Reason, count and first lines of rows left out.
    weights
        Where weights were asked for: their column and how large they are.
    """

    file: str
    format: str
    guess: str
    packing: str | None
    sha256: str
    lines: int
    rows: int
    passed_over: int
    nodes: int
    edges: int
    self_loops: int
    self_loop_nodes: list[str]
    duplicates: int
    reversed_duplicates: int
    isolated: int
    dropped: list[dict[str, Any]]
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
        yield from (("read", text) for text in self._read())
        yield "network", f"{_counted(self.nodes, 'node')}, {_counted(self.edges, 'edge')}"
        if self.weights is not None:
            yield "weights", self.weights.text()
        yield from (("left out", text) for text in self._left_out())
        yield "shape", f"{self._pieces()}; {self._spread()}"
        yield from (("Warning", text) for text in self._damage())
        yield from (("Note", text) for text in (*self.looks, *self.notes))

    def _kind(self) -> str:
        return f"{self.packing}, {self.guess}" if self.packing else self.guess

    def _read(self) -> Iterator[str]:
        if self.lines:
            skipped = f", {_counted(self.passed_over, 'comment or blank line')}"
            yield (
                f"{_counted(self.lines, 'line')} read, {_counted(self.rows, 'edge')} listed"
                f"{skipped if self.passed_over else ''}"
            )

    def _left_out(self) -> Iterator[str]:
        """Yield what became of rows that are no edges of their own."""
        loops = f" ({_few(self.self_loop_nodes, self.self_loops)})"
        counts = (
            (self.duplicates, "duplicate", " merged"),
            (self.reversed_duplicates, "reversed duplicate", " merged"),
            (self.self_loops, "self-loop", f" left out{loops}"),
            (self.isolated, "node", " without an edge left out"),
        )
        parts = [_counted(count, what) + end for count, what, end in counts if count]
        if parts:
            yield ", ".join(parts)
        for entry in self.dropped:
            count, first = entry["count"], entry["first_lines"]
            where = f" (line{'s' * (count != 1)} {_few(first, count)})" if any(first) else ""
            yield f"{_counted(count, 'row')} left out: {entry['reason']}{where}"

    def _pieces(self) -> str:
        text = _counted(self.components, "component")
        if self.components == 1:
            return text
        return f"{text}, the largest of {_counted(self.largest_component, 'node')}"

    def _spread(self) -> str:
        d = self.degrees
        return (
            f"degrees: median {d['median']:g}, mean {d['mean']:.3g}, largest {d['max']:g} "
            f"(node {_short(self.hub)})"
        )

    def _damage(self) -> Iterator[str]:
        n = self.n_damaged_names
        if n:
            look = "names look" if n > 1 else "name looks"
            yield (
                f"{n} {look} damaged by a spreadsheet: {_few(self.damaged_names, n)}. Go back to "
                "the file from before"
            )


def make_report(
    network: Network, found: EdgeCollector, ends: NDArray[np.int64], **facts: Any
) -> InputReport:
    """Put the report together from what a reader found and the network it became."""
    m, degrees = network.merged, network.degrees
    n_components, labels = connected_components(network.adjacency, directed=False)
    names = found.names
    loops = dict.fromkeys(ends[ends[:, 0] == ends[:, 1], 0].tolist())
    damaged = [name for name in network.names if _DAMAGED.fullmatch(name)]
    return InputReport(
        rows=found.rows,
        passed_over=found.passed_over,
        nodes=network.n_nodes,
        edges=network.n_edges,
        self_loops=m.self_loops,
        self_loop_nodes=[names[i] for i in list(loops)[:_KEPT]],
        duplicates=m.duplicates,
        reversed_duplicates=m.reversed_duplicates,
        isolated=m.isolated,
        dropped=[{"reason": reason, **asdict(d)} for reason, d in found.dropped.items()],
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
        looks=list(looks_of(network, ends, labels, found.directed)),
        notes=[*found.notes, *_odd_names(network)],
        **facts,
    )


def _odd_names(network: Network) -> Iterator[str]:
    folded: dict[str, str] = {}
    alike = [(name, folded.setdefault(name.casefold(), name)) for name in network.names]
    twins = [pair for pair in alike if pair[0] != pair[1]]
    if twins:
        yield (
            f"names that differ in capitals alone are different nodes: {_short(twins[0][1])} and "
            f"{_short(twins[0][0])}{f', and {len(twins) - 1} more' if len(twins) > 1 else ''}"
        )
    missing = [name for name in network.names if name in _MISSING]
    if missing:
        yield (
            f"a node is called {' and one '.join(missing)}: if that stands for a missing name, "
            "remove its rows"
        )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _few(items: Sequence[Any], count: int) -> str:
    shown = ", ".join(_short(str(item)) for item in items[:_SHOWN])
    return f"{shown} …" if count > min(len(items), _SHOWN) else shown


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"

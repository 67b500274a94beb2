"""Graphs whose nodes are numbered from 1: Pajek .net and METIS .graph."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, no_weights
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.graphs import (
    LONGEST_LABEL,
    each_once,
    hand_over_numbered,
    is_zero,
    note_zero_weights,
    one_line,
    refuse_too_many,
)
from linkprior.io.source import Source, every_line


def whole_numbers(words: Sequence[str], most: int, what: str, where: str) -> list[int]:
    """Return numbers from 1 to `most`, or say which word is none of them."""
    text = "".join(words)
    # Python would take 1_000 and digits of other scripts for numbers, too.
    if text.isascii() and text.isdigit() and max(map(len, words)) <= 18:
        numbers = list(map(int, words))
        if min(numbers) >= 1 and max(numbers) <= most:
            return numbers
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise InputError(f"{where}: expected the number of a {what}, got {word[:30]!r}")
        if len(word) > 18 or not 1 <= int(word) <= most:
            raise InputError(
                f"{where}: {what} {word[:30]} is beyond the {most:,} declared; numbers go from 1 "
                f"to {most}"
            )
    return []


# ---------------------------------------------------------------------- Pajek

_SECTION = re.compile(r"\s*\*\s*(\w+)\s*(.*)")
_VERTEX = re.compile(r"\s*(\S+)(?:\s+(?:\"([^\"]*)\"?|(\S+)))?")
_KNOWN = {"network", "vertices", "arcs", "edges", "arcslist", "edgeslist", "matrix"}
# Other objects of a project file; the *Vertices below them are theirs.
_OBJECTS = {"partition", "vector", "permutation", "cluster", "hierarchy"}
_LISTED = 5


def read_pajek(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read the first network of a Pajek file; vertices are named by label where labels differ.

    Partitions, vectors and further networks of a project file are ignored. A section that is not
    known is named in a note, and what belongs to the network is read after it. Weights follow
    the two ends, or in the matrix; lists have none.
    """
    options.refuse_others("Pajek", ["weights"])
    out.weigh_by_the_only(options.weights, "weights of lines")
    reader = _Pajek(out)
    for number, line in every_line(source):
        if not line.strip() or line.lstrip().startswith("%"):
            out.passed_over += 1
            continue
        if reader.done:
            continue
        section = _SECTION.match(line)
        if section:
            reader.open(section[1].lower(), section[2], number)
        else:
            reader.take(line, number)
    reader.hand_over()
    return f"Pajek network of {reader.n_vertices:,} vertices"


class _Pajek:
    """Follows the sections of a file, up to the end of its first network."""

    def __init__(self, out: EdgeCollector) -> None:
        self.out, self.done, self.n_vertices = out, False, -1
        self._section = ""
        self._rows = 0  # of a two-mode network: vertices of its first mode
        self._labels: dict[int, str] = {}
        self._label_lines: dict[int, int] = {}
        self._ends = array("q")
        # Of a *Matrix that is open: its rows so far, and the edges there were before it.
        self._matrix_rows, self._before = 0, 0
        self._weightless = 0
        # Of every edge, where weights were asked for: the weight as written there, and its line.
        self._weights: list[str | float] = []
        self._weight_lines = array("q")
        self._unread: list[str] = []

    def open(self, section: str, rest: str, line: int) -> None:
        """Begin a section; one that is not known is passed over, and named in the end."""
        self._close_matrix()
        declared = self.n_vertices >= 0
        if section == "vertices" and self._section in _OBJECTS:
            section = "vertices of another object"
        elif section in ("network", "vertices") and declared:
            self.out.note("the file holds more than one network: only the first is read")
            self.done = True
        elif section in _OBJECTS:
            pass
        elif section not in _KNOWN:
            self._unread.append(f"*{section[:30]} (line {line})")
        elif section == "vertices":
            self._declare(rest, line)
        elif section != "network" and not declared:
            raise InputError(f"{self.out.file}:{line}: *{section} comes before *Vertices")
        self._matrix_rows, self._before = 0, len(self._ends) // 2
        self._section = section

    def take(self, text: str, line: int) -> None:
        """Take a line of the section that is open."""
        where = f"{self.out.file}:{line}"
        if self._section == "vertices":
            cut = _VERTEX.match(text)
            assert cut is not None  # blank lines do not come here
            number = whole_numbers([cut[1]], self.n_vertices, "vertex", where)[0]
            label = one_line(cut[2] or cut[3] or "")
            if 0 < len(label) <= LONGEST_LABEL:
                self._labels[number], self._label_lines[number] = label, line
        elif self._section in ("arcs", "edges", "arcslist", "edgeslist"):
            self._join(text, where, line)
        elif self._section == "matrix":
            self._take_row(text.split(), where, line)
        elif self._section in ("", "network"):
            raise InputError(f"{where}: expected a line such as *Vertices 10, got {text[:40]!r}")

    def hand_over(self) -> None:
        """Give the network to the collector."""
        if self.n_vertices < 0:
            raise InputError(f"{self.out.file}: no line *Vertices; expected a Pajek network")
        self._close_matrix()
        unread = self._unread
        if unread:
            more = f" and {len(unread) - _LISTED} more" if len(unread) > _LISTED else ""
            self.out.note(
                f"sections that are not known are not read: {', '.join(unread[:_LISTED])}{more}"
            )
        note_zero_weights(self.out, self._weightless)
        ends = np.frombuffer(self._ends, dtype=np.int64).reshape(-1, 2)
        labels = self._labels
        taken = set(labels.values())
        numbers = (int(text) for text in taken if re.fullmatch("[1-9][0-9]{0,17}", text))
        clash = any(k <= self.n_vertices and k not in labels for k in numbers)
        if clash or len(taken) < len(labels):
            self.out.note("vertices are named by number: some labels are alike")
            self.out.labels = {str(k): label for k, label in labels.items()}
            labels = {}
        hand_over_numbered(
            self.out,
            self.n_vertices,
            ends,
            labels=labels,
            label_lines=self._label_lines,
            weights=(self._weights, self._weight_lines),
        )

    def _declare(self, rest: str, line: int) -> None:
        words, where = rest.split()[:2], f"{self.out.file}:{line}"
        if not words or not all(re.fullmatch("[0-9]{1,18}", word) for word in words):
            raise InputError(f"{where}: expected *Vertices and their number, got {rest[:40]!r}")
        self.n_vertices, *rows = map(int, words)
        refuse_too_many(self.n_vertices, where)
        if rows and 0 < rows[0] < self.n_vertices:
            self._rows = rows[0]
            self.out.note(
                f"the file says that the network is two-mode: the first {self._rows:,} vertices "
                "are joined to the others only"
            )

    def _join(self, text: str, where: str, line: int) -> None:
        words = text.split()
        if words[0].endswith(":"):  # the number of a relation
            words = words[1:]
        # Behind the two ends of an edge come its weight, colour and the like.
        if not self._section.endswith("list") and is_zero(*words[2:3]):
            self._weightless += 1
        if self.out.weights is not None:
            if self._section.endswith("list"):
                raise no_weights(where, f"Pajek's *{self._section}")
            self._weights.append("".join(words[2:3]))
            self._weight_lines.append(line)
        words = words if self._section.endswith("list") else words[:2]
        if len(words) < 2:
            raise InputError(f"{where}: expected two vertex numbers, got {text.strip()[:40]!r}")
        first, *others = whole_numbers(words, self.n_vertices, "vertex", where)
        for other in others:
            self._ends.extend((first, other))
        if self._section.startswith("arcs"):
            self.out.directed = True

    def _take_row(self, words: list[str], where: str, line: int) -> None:
        """Take a row of a matrix of all vertices, or of the first mode by the second."""
        self._matrix_rows += 1
        n_rows, n_columns = self._rows or self.n_vertices, self.n_vertices - self._rows
        if len(words) != n_columns or self._matrix_rows > n_rows:
            raise InputError(
                f"{where}: row {self._matrix_rows} of the matrix has {len(words)} numbers, "
                f"expected {n_rows} rows of {n_columns}"
            )
        try:
            values = np.array(list(map(float, words)))
        except ValueError as problem:
            raise InputError(f"{where}: in the matrix: {problem}") from None
        if not np.isfinite(values).all():
            raise InputError(f"{where}: the matrix holds a value that is not finite")
        full = np.flatnonzero(values)
        columns = full + 1 + self._rows
        ends = np.stack([np.full(len(columns), self._matrix_rows), columns], axis=1)
        self._ends.extend(ends.ravel().tolist())
        if self.out.weights is not None:
            self._weights += values[full].tolist()
            self._weight_lines.extend([line] * len(full))

    def _close_matrix(self) -> None:
        """Take each pair of a matrix once, where it gives all of them both ways."""
        if self._section != "matrix":
            return
        n_rows, start = self._rows or self.n_vertices, self._before
        if self._matrix_rows != n_rows:
            raise InputError(
                f"{self.out.file}: the matrix has {self._matrix_rows} rows, expected {n_rows}; is "
                "it cut off?"
            )
        ends = np.array(self._ends[2 * start :], dtype=np.int64).reshape(-1, 2)
        values, lines = self._weights[start:], self._weight_lines[start:]
        ends, weighed, both_ways = each_once(self.out, ends, values, lines)
        if not both_ways and not self._rows:
            self.out.directed = True
        self._ends[2 * start :] = array("q", ends.ravel().tolist())
        if weighed is not None:
            self._weights[start:] = weighed[0].tolist()
            self._weight_lines[start:] = array("q", weighed[1] or ())


# ---------------------------------------------------------------------- METIS


@dataclass(frozen=True)
class _Header:
    """What the first line declares: nodes, edges, and the weights between neighbours."""

    n_nodes: int
    n_edges: int
    before: int
    step: int


def read_metis(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read METIS; line k after the header holds the neighbours of node k, and may be blank.

    Weights and sizes are passed over, unless weights of edges are asked for. Lines and edges are
    counted against the header.
    """
    options.refuse_others("METIS", ["weights"])
    lines = ((at, line) for at, line in every_line(source) if not line.startswith("%"))
    header = _header(lines, source.name)
    if options.weights is not None and header.step == 1:
        raise no_weights(source.name, "METIS, as its header says,")
    out.weigh_by_the_only(options.weights, "weights of edges")
    starts, neighbours, weights, at = _neighbours(lines, header, source.name)
    ends = np.stack([np.frombuffer(part, dtype=np.int64) for part in (starts, neighbours)], axis=1)
    ends, weighed, both_ways = each_once(out, ends, weights, at)
    if not both_ways:
        out.note(
            "some nodes list a neighbour that does not list them: METIS requires every edge twice. "
            "Such edges are read nevertheless"
        )
    hand_over_numbered(out, header.n_nodes, ends, weights=weighed)
    return f"METIS graph of {header.n_nodes:,} nodes"


def _header(lines: Iterator[tuple[int, str]], file: str) -> _Header:
    at, line = next(((at, line) for at, line in lines if line.strip()), (1, ""))
    shape = re.fullmatch(
        r"([0-9]{1,18})\s+([0-9]{1,18})(?:\s+([01]{1,3})(?:\s+([0-9]{1,3}))?)?", line.strip()
    )
    if shape is None:
        raise InputError(
            f"{file}:{at}: expected METIS's header (nodes, edges, and perhaps a format of 0 and 1 "
            f"and the number of weights), got {line.strip()[:60]!r}"
        )
    n_nodes, n_edges, flags = int(shape[1]), int(shape[2]), (shape[3] or "0").zfill(3)
    refuse_too_many(n_nodes, f"{file}:{at}")
    weights = int(shape[4] or 1) if flags[1] == "1" else 0
    return _Header(n_nodes, n_edges, (flags[0] == "1") + weights, 2 if flags[2] == "1" else 1)


def _neighbours(
    lines: Iterator[tuple[int, str]], header: _Header, file: str
) -> tuple[array[int], array[int], list[str], array[int]]:
    """Return both ends of every entry, its weight where there are any, and its line."""
    starts, neighbours, weights, places = array("q"), array("q"), list[str](), array("q")
    node = 0
    for node, (at, line) in enumerate(lines, start=1):
        words = line.split()
        if node > header.n_nodes:
            if words:
                raise InputError(_miscounted(file, at, "nodes", header.n_nodes, "more lines"))
            continue
        rest = len(words) - header.before
        if rest < 0 or rest % header.step:
            raise InputError(
                f"{file}:{at}: {len(words)} numbers, but the header says {header.before} before "
                f"the neighbours{' and a weight after each' if header.step == 2 else ''}"
            )
        named = words[header.before :: header.step]
        numbers = whole_numbers(named, header.n_nodes, "node", f"{file}:{at}") if named else []
        neighbours.extend(numbers)
        starts.extend([node] * len(numbers))
        places.extend([at] * len(numbers))
        if header.step == 2:
            weights += words[header.before + 1 :: 2]
    if node < header.n_nodes:
        raise InputError(_miscounted(file, 0, "nodes", header.n_nodes, f"{node} lines for them"))
    if len(neighbours) != 2 * header.n_edges:
        what = f"{len(neighbours)} entries, expected each edge twice"
        raise InputError(_miscounted(file, 0, "edges", header.n_edges, what))
    return starts, neighbours, weights, places


def _miscounted(file: str, line: int, what: str, declared: int, got: str) -> str:
    where = f"{file}:{line}" if line else file
    return f"{where}: the header declares {declared} {what}, the file has {got}; is it cut off?"

"""Pajek .net: numbered vertices, then sections of arcs, edges, lists or a matrix."""

from __future__ import annotations

import re
from array import array

import numpy as np

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, no_weights
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.graphs import (
    LONGEST_LABEL,
    Ints,
    each_once,
    hand_over_numbered,
    is_zero,
    note_zero_weights,
    one_line,
    refuse_too_many,
    whole_numbers,
)
from linkprior.io.source import Source, every_line
from linkprior.network.weights import Floats

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
        self._matrix: _Matrix | None = None
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
        if section == "matrix":
            self._matrix = _Matrix(self.n_vertices, self._rows)
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
        elif self._matrix:
            self._matrix.take(text, where, line)
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
        weighed = None
        if self.out.weights is None:
            note_zero_weights(self.out, self._weightless)
        else:
            values = self.out.weights.numbers(self._weights, self._weight_lines)
            weighed = values, self._weight_lines
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
            weights=weighed,
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

    def _close_matrix(self) -> None:
        if self._matrix is None:
            return
        ends, weighed, both_ways = each_once(self.out, *self._matrix.finish(self.out.file))
        if not both_ways and not self._rows:
            self.out.directed = True
        self._ends.extend(ends.ravel().tolist())
        if weighed is not None:
            self._weights += weighed[0].tolist()
            self._weight_lines.extend(weighed[1] or ())
        self._matrix = None


class _Matrix:
    """The rows of a *Matrix section: all vertices, or the first mode by the second."""

    def __init__(self, n_vertices: int, rows: int) -> None:
        self._n_rows, self._n_columns = rows or n_vertices, n_vertices - rows
        self._shift, self._row = rows, 0
        self._ends = [np.empty((0, 2), np.int64)]
        self._values, self._lines = [np.empty(0)], [np.empty(0, np.int64)]

    def take(self, text: str, where: str, line: int) -> None:
        """Take a row."""
        self._row += 1
        words = text.split()
        if len(words) != self._n_columns or self._row > self._n_rows:
            raise InputError(
                f"{where}: row {self._row} of the matrix has {len(words)} numbers, expected "
                f"{self._n_rows} rows of {self._n_columns}"
            )
        try:
            values = np.array(list(map(float, words)))
        except ValueError as problem:
            raise InputError(f"{where}: in the matrix: {problem}") from None
        if not np.isfinite(values).all():
            raise InputError(f"{where}: the matrix holds a value that is not finite")
        full = np.flatnonzero(values)
        columns = full + 1 + self._shift
        self._ends.append(np.stack([np.full(len(columns), self._row), columns], axis=1))
        self._values.append(values[full])
        self._lines.append(np.full(len(full), line))

    def finish(self, file: str) -> tuple[Ints, Floats, Ints]:
        """Return the edges, their values and their lines."""
        if self._row != self._n_rows:
            raise InputError(
                f"{file}: the matrix has {self._row} rows, expected {self._n_rows}; is it cut off?"
            )
        ends, values = np.concatenate(self._ends), np.concatenate(self._values)
        return ends, values, np.concatenate(self._lines)

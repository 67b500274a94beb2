"""What a reader hands over: numbered edges, names, and a count of everything it left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.errors import InputError, ParameterError, nearest, visible
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.side_information import Floats, by_pair, edge_weights, weight_numbers

ZERO_WEIGHT = "its weight is 0"
_ONLY = ("value", "weight")
_LISTED, _DIGITS = 20, 9  # no file has a column with a number of more digits


@dataclass(frozen=True)
class WeightFacts:
    """What the input report says of weights, as they are in the file."""

    column: str
    least: float
    median: float
    largest: float
    differing: int  # edges that are listed more than once with different weights

    def text(self) -> str:
        """Return it as text."""
        text = f"{self.column}, {self.least:g} to {self.largest:g}, median {self.median:g}"
        if not self.differing:
            return text
        edges = "1 edge has" if self.differing == 1 else f"{self.differing} edges have"
        return f"{text}; {edges} several weights, of which the largest counts"


class EdgeWeights:
    """The weights of the edges a collector took, in their order.

    `column` is where they come from, as the report names it (``column score``), and `hint` what to
    do about an edge without one.
    """

    def __init__(self, column: str, file: str, hint: str = "") -> None:
        plain = column.isprintable() and len(column) <= 80
        self.column = column if plain else "column of weights"
        self.hint, self._file = hint, file
        self._parts = [np.empty(0, np.float64)]
        self._differing = 0

    @property
    def values(self) -> Floats:
        """All weights so far."""
        return np.concatenate(self._parts)

    def numbers(self, cells: Any, lines: Sequence[int] | pr.Ints) -> Floats:
        """Return cells as weights, or say on which line one is none; 0 is no line."""

        def where(at: int) -> str:
            return f"{self._file}:{lines[at]}" if lines[at] else f"{self._file}: edge {at + 1}"

        return weight_numbers(cells, where, self.hint)

    def take(self, values: Floats) -> None:
        """Take the weights of edges."""
        self._parts.append(values)

    def folded(self, ends: pr.Ints, values: Floats) -> Floats:
        """Return for every row the largest weight of its pair, where pairs are given both ways."""
        largest, which, differing = by_pair(ends, values, int(ends.max(initial=0)) + 1)
        self._differing += differing
        return largest[which]

    def settle(self, network: Network, ends: pr.Ints) -> tuple[Network, WeightFacts]:
        """Return the network of all rows taken with its weights, and the facts about them."""
        largest, differing = edge_weights(ends, self.values, network.n_nodes)
        least, middle, most = (float(f(largest)) for f in (np.min, np.median, np.max))
        facts = WeightFacts(self.column, least, middle, most, differing + self._differing)
        return network.with_weights(largest), facts


def column_called(
    asked: str, names: Sequence[str], file: str, width: int | None = None, option: str = "--weights"
) -> int:
    """Return the place of a column by its name, capitals aside, or by its number."""
    if asked in names:
        return names.index(asked)
    plain = [name.strip().lower() for name in names]
    if asked.strip().lower() in plain:
        return plain.index(asked.strip().lower())
    width = len(names) if width is None else width
    if asked.isdecimal() and len(asked) <= _DIGITS and 1 <= int(asked) <= width:
        return int(asked) - 1
    raise unknown(asked, names, file, f"1 to {width} (no header)", option)


def unknown(
    asked: str, names: Iterable[str], file: str, none: str = "none", option: str = "--weights"
) -> ParameterError:
    """Return the error that a column or attribute was asked for that is not there."""
    names = [" ".join(name.split())[:60] for name in dict.fromkeys(names) if name.strip()]
    more = " …" if len(names) > _LISTED else ""
    there = f"{', '.join(names[:_LISTED])}{more}" if names else none
    return ParameterError(
        f"{option}: {file} has nothing called {asked[:60]!r}.{nearest(asked, names)} "
        f"There are: {there}"
    )


def no_weights(file: str, what: str) -> InputError:
    """Return the error that a format, or this kind of it, has no weights."""
    return InputError(
        f"{file}: {what} has no weights of edges; leave out --weights, or give the edges in a "
        "format that has them, such as a table with a column of weights"
    )


_LONGEST_NAME = 1000
# Control characters would break tables; marks of direction and invisible ones (fillers, tags, what
# is no character) make two names look alike or a name read backwards. (Joiners, U+200C and U+200D,
# and variation selectors belong to how some words are spelt.)
_BAD = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)


@dataclass
class Dropped:
    """Rows left out for one reason, with the first few line numbers."""

    count: int = 0
    first_lines: list[int] = field(default_factory=list)


class EdgeCollector:
    """Gathers edges by name in the order of the file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.rows = 0  # that named an edge
        self.passed_over = 0  # comments and blank lines, where a reader counts them
        self.dropped: defaultdict[str, Dropped] = defaultdict(Dropped)  # by reason
        self.notes: list[str] = []  # what the user should know
        self.directed: bool | None = None  # what the file says of its edges
        self.labels: dict[str, str] = {}  # node name → a more readable one, such as a gene's symbol
        self.weights: EdgeWeights | None = None  # where they were asked for; one per row taken
        # Pairs the file says are not edges, or are links somebody predicted, as node numbers.
        self.non_edges = np.empty((0, 2), np.int64)
        self.predicted = np.empty((0, 2), np.int64)
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__
        self._parts: list[NDArray[np.int32]] = []
        self._checked = 0

    @property
    def names(self) -> list[str]:
        """Names of all nodes seen, in order."""
        return list(self._number)

    @property
    def ends(self) -> NDArray[np.int64]:
        """All edges as (n, 2) node numbers, in order of the file."""
        parts = [part.reshape(-1, 2) for part in self._parts]
        return np.concatenate(parts).astype(np.int64) if parts else np.empty((0, 2), np.int64)

    def add(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        lines: Sequence[int],
        weights: Sequence[str] | None = None,
    ) -> None:
        """Take edges; a row with an empty name, or of weight 0, is left out and counted."""
        if "" in sources or "" in targets:
            full = [bool(a and b) for a, b in zip(sources, targets, strict=True)]
            self.drop("a node name is empty", compress(lines, (not named for named in full)))
            sources, targets = list(compress(sources, full)), list(compress(targets, full))
            lines = list(compress(lines, full))
            weights = None if weights is None else list(compress(weights, full))
        if weights is not None:
            assert self.weights is not None
            values = self.weights.numbers(weights, lines)
            heavy = self._weighed(values, lines).tolist()
            if not all(heavy):
                sources, targets = list(compress(sources, heavy)), list(compress(targets, heavy))
                lines = list(compress(lines, heavy))
        flat = [""] * (2 * len(sources))
        flat[::2], flat[1::2] = sources, targets
        self.add_in_turn(flat, lines)

    def add_in_turn(self, ends: Sequence[str], lines: Sequence[int]) -> None:
        """Take edges as source, target, source, target …; no name may be empty."""
        numbers = map(self._number.__getitem__, ends)
        self._parts.append(np.fromiter(numbers, dtype=np.int32, count=len(ends)))
        self.rows += len(ends) // 2
        self._check_new(ends, lines)

    def add_nodes(self, names: Sequence[str], lines: Sequence[int]) -> NDArray[np.int64]:
        """Take nodes, which may have no edge, and return their numbers."""
        each = map(self._number.__getitem__, names)
        numbers = np.fromiter(each, dtype=np.int64, count=len(names))
        self._check_new([name for name in names for _ in (0, 1)], lines)
        return numbers

    def add_numbered(
        self,
        ends: NDArray[np.int64],
        weights: Any = (),
        lines: Sequence[int] | None = None,
    ) -> None:
        """Take edges as (n, 2) numbers of nodes; one of weight 0 is left out and counted."""
        if self.weights is not None:
            lines = lines or [0] * len(ends)
            ends = ends[self._weighed(self.weights.numbers(weights, lines), lines)]
        self._parts.append(ends.astype(np.int32).ravel())
        self.rows += len(ends)

    def _weighed(self, weights: Floats, lines: Sequence[int]) -> NDArray[np.bool_]:
        """Take the weights of edges, and mark the edges that have one above 0."""
        assert self.weights is not None
        heavy = weights > 0
        self.drop(ZERO_WEIGHT, [lines[at] for at in np.flatnonzero(~heavy).tolist()])
        self.weights.take(weights[heavy])
        return heavy

    def drop(self, reason: str, lines: Iterable[int]) -> None:
        """Count rows left out, and why; line 0 is a format without lines, and not shown."""
        lines = list(lines)
        if lines:
            entry = self.dropped[reason]
            entry.count += len(lines)
            numbered = [line for line in lines if line > 0]
            entry.first_lines += numbered[: 5 - len(entry.first_lines)]

    def weigh_by_the_only(self, asked: str | None, called: str) -> None:
        """Get ready for the weights of a format that has one kind of them and no names for it."""
        if asked is not None:
            if asked.strip().lower() not in _ONLY:
                raise unknown(asked, _ONLY[:1], self.file)
            self.weights = EdgeWeights(called, self.file)

    def note(self, text: str) -> None:
        """Add a note to the input report, once."""
        text = visible(text)
        if text not in self.notes:
            self.notes.append(text)

    def keep(self, wanted: NDArray[np.bool_]) -> None:
        """Leave out the rows not wanted, of all rows taken so far; they have no weights."""
        self._parts = [self.ends[wanted].astype(np.int32).ravel()]
        self.rows = int(wanted.sum())

    def rename(self, names: Sequence[str]) -> None:
        """Give all nodes new names, in the same order."""
        self._number = defaultdict(None, {name: i for i, name in enumerate(names)})
        self._number.default_factory = self._number.__len__

    def clean_labels(self, names: Iterable[str]) -> dict[str, str]:
        """Return the labels of these nodes that could be shown anywhere."""
        there = set(names) if self.labels else set()
        return {
            name: label
            for name, label in self.labels.items()
            if name in there and label and len(label) <= _LONGEST_NAME and not _BAD.search(label)
        }

    def _check_new(self, flat: Sequence[str], lines: Sequence[int]) -> None:
        """Refuse names no table or page could show; only names not seen before are looked at."""
        if len(self._number) == self._checked:
            return
        fresh = list(islice(reversed(self._number), len(self._number) - self._checked))[::-1]
        self._checked = len(self._number)
        longest = max(map(len, fresh))
        if longest <= _LONGEST_NAME and not _BAD.search("".join(fresh)):
            return
        name = next(n for n in fresh if fault_of(n))
        line = lines[flat.index(name) // 2] if name in flat else 0
        raise InputError(f"{self.file}{f':{line}' if line else ''}: {fault_of(name)}")


def fault_of(name: str) -> str:
    """Return what is wrong with a name no table could show, or nothing."""
    if len(name) > _LONGEST_NAME:
        return (
            f"a node name of {len(name)} characters ({name[:30]!a} …), expected at most "
            f"{_LONGEST_NAME}; is the separator right?"
        )
    bad = _BAD.search(name)
    if bad is None:
        return ""
    return (
        f"the node name {name[:60]!a} holds the invisible character U+{ord(bad[0]):04X}; remove it "
        "from the file"
    )

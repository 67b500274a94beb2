"""Weights of edges on their way from a file to the network: checked, merged, described."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.errors import InputError, ParameterError, nearest
from linkprior.network import Network
from linkprior.network import pairs as pr
from linkprior.network.weights import Floats, by_pair, edge_weights, weight_numbers

ZERO_WEIGHT = "its weight is 0"
_ONLY = ("value", "weight")
_LISTED, _DIGITS = 20, 9  # no file has a column with a number of more digits


@dataclass(frozen=True)
class WeightFacts:
    """What the input report says of weights, as they stand in the file.

    `differing` counts edges that are listed more than once with different weights.
    """

    column: str
    least: float
    median: float
    largest: float
    differing: int

    def text(self) -> str:
        """Say it in words."""
        text = f"{self.column}, {self.least:g} to {self.largest:g}, median {self.median:g}"
        if not self.differing:
            return text
        edges = "1 edge has" if self.differing == 1 else f"{self.differing} edges have"
        return f"{text}; {edges} several weights, of which the largest counts"


class EdgeWeights:
    """The weights of the edges a collector took, in their order.

    Attributes
    ----------
    column
        Where they come from, in the words of the report: ``column score``.
    hint
        What to do about an edge without one.
    """

    def __init__(self, column: str, file: str, hint: str = "") -> None:
        self.column, self.hint, self._file = _printable(column), hint, file
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

    def keep(self, wanted: NDArray[np.bool_]) -> None:
        """Forget the weights of edges that are left out."""
        self._parts = [self.values[wanted]]

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


def column_called(asked: str, names: Sequence[str], file: str, width: int | None = None) -> int:
    """Return the place of a column by its name, capitals aside, or by its number."""
    if asked in names:
        return names.index(asked)
    plain = [name.strip().lower() for name in names]
    if asked.strip().lower() in plain:
        return plain.index(asked.strip().lower())
    width = len(names) if width is None else width
    if asked.isdecimal() and len(asked) <= _DIGITS and 1 <= int(asked) <= width:
        return int(asked) - 1
    raise unknown(asked, names, file, f"1 to {width} (no header)")


def unknown(asked: str, names: Iterable[str], file: str, none: str = "none") -> ParameterError:
    """Return the error that weights were asked of a column or attribute that is not there."""
    names = [" ".join(name.split())[:60] for name in dict.fromkeys(names) if name.strip()]
    more = " …" if len(names) > _LISTED else ""
    there = f"{', '.join(names[:_LISTED])}{more}" if names else none
    return ParameterError(
        f"--weights: {file} has nothing called {asked[:60]!r}.{nearest(asked, names)} "
        f"There are: {there}"
    )


def refuse_another_name(asked: str | None, file: str) -> None:
    """Refuse a name for the weights of a format that has one kind of them and no names."""
    if asked is not None and asked.strip().lower() not in _ONLY:
        raise unknown(asked, _ONLY[:1], file)


def no_weights(file: str, what: str) -> InputError:
    """Return the error that a format, or this kind of it, has no weights."""
    return InputError(
        f"{file}: {what} has no weights of edges; leave out --weights, or give the edges in a "
        "format that has them, such as a table with a column of weights"
    )


def _printable(column: str) -> str:
    return column if column.isprintable() and len(column) <= 80 else "column of weights"

"""Ranking: predicted pairs, best first, with names and evidence columns."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, TextIO, overload

import numpy as np
from numpy.typing import NDArray

from linkprior import _html as html
from linkprior._validation import whole_number
from linkprior.errors import ParameterError
from linkprior.network.pairs import Ints

if TYPE_CHECKING:
    import pandas as pd

FIXED_COLUMNS = ("rank", "source", "target", "score")
_ROWS_AT_ONCE = 10_000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Link(NamedTuple):
    """One predicted pair by name, and its rank."""

    rank: int
    source: str
    target: str
    score: float


@dataclass(frozen=True, eq=False)
class Ranking:
    """Predicted links, best first. Iterating gives a `Link` for each; a slice is a Ranking.

    Parameters
    ----------
    pairs
        (k, 2) node numbers, first that of the node whose name comes first.
    scores
        One score per pair; higher is likelier.
    node_names
        Names of all nodes of the network.
    evidence
        Further columns, one value per pair, in the order they are written.
    ranks
        The rank of each pair: 1…k, or what it was in the ranking this one is a slice of.

    Examples
    --------
    >>> import linkprior as lp
    >>> ranking = lp.make("pa").fit(lp.planted_network(30, seed=0)).predict_edges(10)
    >>> ranking[0].rank, len(ranking[2:5]), ranking.columns
    (1, 3, ['rank', 'source', 'target', 'score'])
    """

    pairs: Ints
    scores: NDArray[np.float64]
    node_names: tuple[str, ...]
    evidence: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    ranks: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if not len(self.ranks):
            object.__setattr__(self, "ranks", np.arange(1, len(self) + 1))
        for name, column in self.evidence.items():
            if name in FIXED_COLUMNS:
                raise ParameterError(f"every ranking has a column {name!r}: evidence needs another")
            if len(column) != len(self):
                raise ParameterError(
                    f"evidence {name!r} must have {len(self)} values, got {len(column)}"
                )

    # ------------------------------------------------------------------ looking

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[Link]:
        return (Link(*row[: len(FIXED_COLUMNS)]) for row in self.rows())

    @overload
    def __getitem__(self, at: SupportsIndex) -> Link: ...
    @overload
    def __getitem__(self, at: slice) -> Ranking: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Link | Ranking:
        """Return one link, or the part of the ranking a slice names; ranks stay as they are."""
        if not isinstance(at, slice):
            place = range(len(self))[operator.index(at)]
            return next(iter(self[place : place + 1]))
        evidence = {name: np.asarray(column)[at] for name, column in self.evidence.items()}
        return Ranking(self.pairs[at], self.scores[at], self.node_names, evidence, self.ranks[at])

    def head(self, n: int = 10) -> Ranking:
        """Return the first links.

        Parameters
        ----------
        n
            How many at most.

        Returns
        -------
        Ranking
            With their evidence.

        Examples
        --------
        >>> import linkprior as lp
        >>> ranking = lp.make("pa").fit(lp.planted_network(30, seed=0)).predict_edges(3)
        >>> ranking.head(2)
        Ranking(2 pairs)
        """
        return self[: whole_number("n", n, 0)]

    @property
    def names(self) -> list[tuple[str, str]]:
        """The pairs by name."""
        return [(self.node_names[i], self.node_names[j]) for i, j in self.pairs.tolist()]

    # ------------------------------------------------------------------ as a table

    @property
    def columns(self) -> list[str]:
        """Column names of the table form."""
        return [*FIXED_COLUMNS, *self.evidence]

    def rows(self) -> Iterator[list[Any]]:
        """Yield the table form row by row.

        Yields
        ------
        list
            Plain Python values, one for each of `columns`.

        Examples
        --------
        >>> import linkprior as lp
        >>> ranking = lp.make("pa").fit(lp.planted_network(30, seed=0)).predict_edges(3)
        >>> [row[0] for row in ranking.rows()]
        [1, 2, 3]
        """
        for start in range(0, len(self), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            sources, targets = (
                [self.node_names[node] for node in ends] for ends in self.pairs[part].T.tolist()
            )
            evidence = (np.asarray(column)[part].tolist() for column in self.evidence.values())
            numbers = self.ranks[part].tolist(), self.scores[part].tolist()
            yield from map(
                list, zip(numbers[0], sources, targets, numbers[1], *evidence, strict=True)
            )

    def to_frame(self) -> pd.DataFrame:
        """Return the ranking as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            Columns rank, source, target, score, and the evidence.

        Examples
        --------
        >>> import linkprior as lp
        >>> ranking = lp.make("pa").fit(lp.planted_network(30, seed=0)).predict_edges(3)
        >>> list(ranking.to_frame())
        ['rank', 'source', 'target', 'score']
        """
        import pandas as pd

        return pd.DataFrame(list(self.rows()), columns=self.columns)

    def write(self, stream: TextIO) -> None:
        """Write tab-separated text: a header line, then one line per pair.

        Parameters
        ----------
        stream
            Open for text, as `open(path, "w", encoding="utf-8", newline="")`.

        Examples
        --------
        >>> import io
        >>> import linkprior as lp
        >>> ranking = lp.make("pa").fit(lp.planted_network(30, seed=0)).predict_edges(3)
        >>> stream = io.StringIO()
        >>> ranking.write(stream)
        >>> len(stream.getvalue().splitlines())
        4
        """
        stream.write(delimited(self.columns, "\t"))
        for row in self.rows():
            stream.write(delimited(row, "\t"))

    def __repr__(self) -> str:
        return f"Ranking({len(self)} pairs)"

    def _repr_html_(self) -> str:
        shown = html.first_rows(self.columns, self.head(html.SHOWN).rows(), len(self))
        count = "1 predicted link" if len(self) == 1 else f"{len(self):,} predicted links"
        return html.card(count, shown)


def delimited(cells: Iterable[Any], mark: str) -> str:
    """Return one line of a table; a cell with the mark, a quote or a line end is quoted.

    The csv module leaves a lone carriage return bare when lines end in a newline, and readers
    then see two lines.
    """
    return mark.join(_quoted(cell_text(cell), mark) for cell in cells) + "\n"


def cell_text(value: Any) -> str:
    """Return a value as text: six digits for a float, nothing for NaN and None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return "" if math.isnan(value) else six_digits(value)
    return "" if value is None else escape_surrogates(str(value))


def six_digits(value: float) -> str:
    """Return six significant digits: stable across machines, and readable; no negative zero."""
    return f"{value + 0.0:.6g}"


def escape_surrogates(text: str) -> str:
    """Return text that can be written as UTF-8: a lone surrogate becomes ``\\udcff``."""
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _quoted(cell: str, mark: str) -> str:
    if mark in cell or '"' in cell or "\n" in cell or "\r" in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell

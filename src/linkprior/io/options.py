"""What a user may ask of a reader."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from linkprior._validation import real_number
from linkprior.errors import ParameterError

Identifier = Literal["entrez", "biogrid", "symbol"]


@dataclass(frozen=True)
class ReadOptions:
    """Filters and choices of a reader; None leaves them to the file.

    Attributes
    ----------
    header
        Whether the first row of an edge list names its columns; None leaves it to the rows.
    columns
        The two columns of an edge list, by header name or number (1 is the first).
    organism
        Keep interactions with both ends of this organism (NCBI taxonomy number or name).
    systems
        Keep these experimental systems (BioGRID) or detection methods (MITAB).
    physical_only
        Keep physical interactions.
    id
        What names a node in a BioGRID file: entrez, biogrid or symbol.
    min_score
        Keep rows with at least this score (STRING, MITAB, BioGRID, a weight column).
    weights
        The column or edge attribute that tells how sure each edge is, by name or number.
    """

    header: bool | None = None
    columns: tuple[str, str] | None = None
    organism: str | None = None
    systems: tuple[str, ...] = ()
    physical_only: bool = False
    id: Identifier | None = None
    min_score: float | None = None
    weights: str | None = None

    def __post_init__(self) -> None:
        """Take what comes naturally in Python: a number for an organism, one system as a word."""
        one = isinstance(self.systems, str)
        object.__setattr__(self, "systems", (self.systems,) if one else _words(self.systems))
        if self.columns is not None:
            object.__setattr__(self, "columns", _two_columns(self.columns))
        if self.organism is not None:
            object.__setattr__(self, "organism", _organism(self.organism))
        if self.weights is not None:
            object.__setattr__(self, "weights", _column(self.weights))
        for name, allowed in (("header", (True, False, None)), ("physical_only", (True, False))):
            value = getattr(self, name)
            if not any(value is known for known in allowed):
                words = ", ".join(map(str, allowed))
                raise ParameterError(f"{name} must be one of {words}, got {value!r}")
        if self.min_score is not None:
            real_number("min_score", self.min_score, -math.inf)

    def refuse_others(self, format_name: str, known: Sequence[str]) -> None:
        """Raise an error when an option is set that this format cannot honour."""
        for field in fields(self):
            if field.name not in known and getattr(self, field.name) != field.default:
                raise ParameterError(
                    f"{_FLAGS[field.name]} does not apply to {format_name}: leave it out"
                )


def _words(systems: object) -> tuple[str, ...]:
    """Return the experimental systems, which are words."""
    if not isinstance(systems, Iterable) or isinstance(systems, Mapping | bytes):
        raise ParameterError(f"systems must be a list of names, got {systems!r}")
    words = tuple(systems)
    for word in words:
        if not isinstance(word, str):
            raise ParameterError(f"systems must be a list of names, got {word!r} among them")
    return words


def _two_columns(columns: object) -> tuple[str, str]:
    """Return two columns by name or number, numbers as text."""
    if isinstance(columns, list | tuple) and len(columns) == 2 and all(map(_names, columns)):
        return str(columns[0]), str(columns[1])
    raise ParameterError(
        f"--columns expects two columns by header name or number (1,2), got {columns!r}"
    )


def _organism(organism: object) -> str:
    if not _names(organism):
        raise ParameterError(
            f"organism must be an NCBI taxonomy number (9606) or a name (human), got {organism!r}"
        )
    return str(organism)


def _column(column: object) -> str:
    if not _names(column) or not str(column).strip():
        raise ParameterError(
            f"weights must be a column or edge attribute, by name or number, got {column!r}"
        )
    return str(column)


def _names(value: object) -> bool:
    return isinstance(value, str | numbers.Integral) and not isinstance(value, bool)


_FLAGS: dict[str, Any] = {
    "header": "--header",
    "columns": "--columns",
    "organism": "--organism",
    "systems": "--experimental-system",
    "physical_only": "--physical-only",
    "id": "--id",
    "min_score": "--min-score",
    "weights": "--weights",
}

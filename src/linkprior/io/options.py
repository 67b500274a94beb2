"""What a user may ask of a reader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from linkprior.checks import real_number
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
    """

    header: bool | None = None
    columns: tuple[str, str] | None = None
    organism: str | None = None
    systems: tuple[str, ...] = ()
    physical_only: bool = False
    id: Identifier | None = None
    min_score: float | None = None

    def __post_init__(self) -> None:
        """Take what comes naturally in Python: a number for an organism, one system as a word."""
        systems = (self.systems,) if isinstance(self.systems, str) else tuple(self.systems)
        object.__setattr__(self, "systems", systems)
        if self.organism is not None:
            object.__setattr__(self, "organism", str(self.organism))
        if self.min_score is not None:
            real_number("min_score", self.min_score, -math.inf)

    def refuse_others(self, format_name: str, known: Sequence[str]) -> None:
        """Raise an error when an option is set that this format cannot honour."""
        for field in fields(self):
            if field.name not in known and getattr(self, field.name) != field.default:
                raise ParameterError(
                    f"{_FLAGS[field.name]} does not apply to {format_name}: leave it out"
                )


_FLAGS: dict[str, Any] = {
    "header": "--header",
    "columns": "--columns",
    "organism": "--organism",
    "systems": "--experimental-system",
    "physical_only": "--physical-only",
    "id": "--id",
    "min_score": "--min-score",
}

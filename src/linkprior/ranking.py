"""Ranking: predicted pairs, best first, with names and evidence columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from linkprior.pairs import Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Ranking:
    """Predicted links, best first.

    Attributes
    ----------
    pairs
        (k, 2) node numbers, the smaller first.
    scores
        One score per pair; higher is likelier.
    node_names
        Names of all nodes of the network.
    evidence
        Further columns, one value per pair, in the order they are written.
    """

    pairs: Ints
    scores: NDArray[np.float64]
    node_names: tuple[str, ...]
    evidence: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def names(self) -> list[tuple[str, str]]:
        """The pairs by name."""
        return [(self.node_names[i], self.node_names[j]) for i, j in self.pairs.tolist()]

    @property
    def columns(self) -> list[str]:
        """Column names of the table form."""
        return ["rank", "source", "target", "score", *self.evidence]

    def rows(self) -> Iterator[list[Any]]:
        """Yield the table form row by row, as plain Python values."""
        evidence = [column.tolist() for column in self.evidence.values()]
        scores = self.scores.tolist()
        for at, (source, target) in enumerate(self.names):
            yield [at + 1, source, target, scores[at], *(column[at] for column in evidence)]

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame: rank, source, target, score, evidence columns."""
        import pandas as pd

        return pd.DataFrame(list(self.rows()), columns=self.columns)

    def write(self, stream: TextIO) -> None:
        """Write tab-separated text: a header line, then one line per pair."""
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows():
            writer.writerow([_short(value) for value in row])

    def __repr__(self) -> str:
        return f"Ranking({len(self)} pairs)"


def _short(value: Any) -> Any:
    """Six significant digits: stable across machines, and readable."""
    return f"{value:.6g}" if isinstance(value, float) else value

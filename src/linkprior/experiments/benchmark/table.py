"""A table as data, which Markdown and the page render; and the cells that all tables share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from linkprior.errors import visible
from linkprior.experiments.benchmark.results import ALONE, LEVEL

NOTHING = "–"
_AROUND = {ALONE: "**", LEVEL: "*"}


@dataclass(frozen=True)
class Cell:
    """What a cell says, the number it is sorted by, and whether it is ahead alone or level."""

    text: str
    value: float | None = None
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """A title, some words, and rows of cells, the first of which names the row.

    Attributes
    ----------
    footers
        Rows that are no entries of the table: tests over its columns.
    empty
        What to say instead of a table without rows.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    words: str = ""
    footers: Sequence[Sequence[Cell]] = field(default=())
    empty: str = ""

    def markdown(self) -> str:
        """Return title, words and table, numbers to the right."""
        parts = [f"## {escaped(self.title)}", escaped(self.words)]
        if self.rows:
            rule = ["---", *("--:" for _ in self.heads[1:])]
            heads = [_in_table(head) for head in self.heads]
            rows = [[_marked(cell) for cell in row] for row in (*self.rows, *self.footers)]
            parts.append("\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *rows)))
        else:
            parts.append(self.empty)
        return "\n\n".join(part for part in parts if part)


def _marked(cell: Cell) -> str:
    around = _AROUND.get(cell.mark, "")
    return f"{around}{_in_table(cell.text)}{around}"


def _in_table(text: str) -> str:
    return escaped(text.replace("|", "/"))


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is: names come from files, and are no HTML."""
    plain = visible(text.replace("\n", " "))
    return plain.replace("<", "&lt;").replace(">", "&gt;")


# ---------------------------------------------------------------------- cells


def texts(*words: str) -> list[Cell]:
    """Return cells of words alone."""
    return [Cell(text) for text in words]


def count(number: int) -> Cell:
    """Return a whole number; a dash for nothing."""
    return Cell(f"{number:,}", float(number)) if number else Cell(NOTHING)


def decimals(value: float, form: str = ".2f") -> Cell:
    """Return a number of this form; a dash where there is none."""
    return Cell(NOTHING) if np.isnan(value) else Cell(f"{value:{form}}", value)


def number(values: Sequence[float]) -> Cell:
    """Return mean ± sd with three decimals, four for small numbers; a dash for nothing."""
    if not len(values):
        return Cell(NOTHING)
    mean = float(np.mean(values))
    places = 3 if abs(mean) >= 0.1 else 4
    spread = f" ± {np.std(values, ddof=1):.{places}f}" if len(values) > 1 else ""
    return Cell(f"{mean:.{places}f}{spread}", mean)


def difference(values: Sequence[float], sign: str = "") -> Cell:
    """Return the mean of paired differences ± their sd."""
    if not len(values):
        return Cell(NOTHING)
    mean = float(np.mean(values))
    spread = f" ± {np.std(values, ddof=1):.4f}" if len(values) > 1 else ""
    return Cell(f"{mean:{sign}.4f}{spread}", mean)


def marked(cell: Cell, mark: str, after: str = "") -> Cell:
    """Return a cell with a mark, and with words after its number."""
    return replace(cell, text=cell.text + after, mark=mark)

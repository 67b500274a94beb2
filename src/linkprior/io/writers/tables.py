"""Tables: tab-separated, comma-separated without formulas, and JSON lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TextIO

import numpy as np

from linkprior.io.writers.values import json_text, plain
from linkprior.network import Network
from linkprior.ranking.ranking import Ranking, cell_text, delimited

# What makes a spreadsheet compute, the wide forms of East Asian keyboards included. Apostrophes
# before it count, so that the guard can be taken off again without doubt.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")


def write_tsv(
    target: TextIO, ranking: Ranking, network: Network | None, facts: Mapping[str, Any]
) -> None:
    """Write `Ranking.write`'s table."""
    ranking.write(target)


def write_csv(
    target: TextIO, ranking: Ranking, network: Network | None, facts: Mapping[str, Any]
) -> None:
    """Write RFC 4180, but for lines that end in a newline alone.

    Every reader takes that, line tools see no stray carriage return, and the bytes are the same
    on every system. Text that a spreadsheet would compute is guarded (`guard`); numbers are
    not touched.
    """
    target.write(delimited(map(guard, ranking.columns), ","))
    for row in ranking.rows():
        target.write(delimited(map(_csv_cell, row), ","))


def write_jsonl(
    target: TextIO, ranking: Ranking, network: Network | None, facts: Mapping[str, Any]
) -> None:
    """Write one object per line; numbers are numbers, with the six digits of the table."""
    columns = ranking.columns
    for row in ranking.rows():
        target.write(json_text(dict(zip(columns, map(plain, row), strict=True))) + "\n")


def guard(cell: str) -> str:
    """Return text that no spreadsheet computes: an apostrophe goes before ``= + - @`` and the like.

    Also before apostrophes in front of such a sign: taking one away gives every text back.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _csv_cell(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, int | float) else guard(cell_text(value))

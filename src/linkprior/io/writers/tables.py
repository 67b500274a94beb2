"""Tables: tab-separated, comma-separated without formulas, and JSON lines."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, TextIO

import numpy as np

from linkprior.ranking.ranking import Ranking, cell_text, delimited, six_digits

# What makes a spreadsheet compute, the wide forms of East Asian keyboards included. Apostrophes
# before it count, so that the guard can be taken off again without doubt.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")


def write_csv(target: TextIO, ranking: Ranking) -> None:
    """Write RFC 4180, but for lines that end in a newline alone.

    Every reader takes that, line tools see no stray carriage return, and the bytes are the same
    on every system. Text that a spreadsheet would compute is guarded (`guard`); numbers are
    not touched.
    """
    target.write(delimited(map(guard, ranking.columns), ","))
    for row in ranking.rows():
        target.write(delimited(map(_csv_cell, row), ","))


def write_jsonl(target: TextIO, ranking: Ranking) -> None:
    """Write one object per line; numbers are numbers, with the six digits of the table."""
    columns = ranking.columns
    for row in ranking.rows():
        target.write(json_text(dict(zip(columns, map(plain, row), strict=True))) + "\n")


def guard(cell: str) -> str:
    """Put an apostrophe before ``= + - @`` and the like, also behind apostrophes of its own."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _csv_cell(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, int | float) else guard(cell_text(value))


Plain = bool | int | float | str | None
KINDS = {"b": "boolean", "i": "long", "u": "long", "f": "double"}

# A lone surrogate is no UTF-8. The other three are line ends to some readers of JSON lines.
_UNSAFE = re.compile("[\ud800-\udfff\u0085\u2028\u2029]")


def plain(value: Any) -> Plain:
    """Return a value of JSON: six digits of a float, None for NaN and infinity, else text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(six_digits(value)) if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def kind_of(values: Any) -> str:
    """Return what a column or one value is: boolean, long, double or string."""
    return KINDS.get(np.asarray(values).dtype.kind, "string")


def typed(value: Any, kind: str) -> Plain:
    """Return a value of a column of this kind; None where there is none."""
    simple = plain(value)
    return str(simple) if kind == "string" and simple is not None else simple


def known(facts: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the facts that have a value, as values of their kind."""
    values = {str(name): plain(value) for name, value in facts.items()}
    given = {name: value for name, value in values.items() if value is not None}
    return {name: typed(value, kind_of(value)) for name, value in given.items()}


def json_text(value: Any) -> str:
    """Return JSON in one line that can be written as UTF-8."""
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda mark: f"\\u{ord(mark[0]):04x}", written)

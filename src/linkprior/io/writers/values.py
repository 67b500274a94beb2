"""Values as the formats hold them: four kinds, floats of six digits, no NaN."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkprior.ranking.ranking import six_digits

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
    return value if value is None or isinstance(value, bool | int | str) else _text(value)


def kind_of(column: NDArray[Any]) -> str:
    """Return what a column holds: boolean, long, double or string."""
    return KINDS.get(np.asarray(column).dtype.kind, "string")


def kind_of_value(value: Plain) -> str:
    """Return what one value is: boolean, long, double or string."""
    return kind_of(np.asarray(value))


def typed(value: Any, kind: str) -> Plain:
    """Return a value of a column of this kind; None where there is none."""
    simple = plain(value)
    return str(simple) if kind == "string" and simple is not None else simple


def known(facts: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the facts that have a value, as values of their kind."""
    values = {str(name): plain(value) for name, value in facts.items()}
    typed_values = {name: typed(value, kind_of_value(value)) for name, value in values.items()}
    return {name: value for name, value in typed_values.items() if value is not None}


def json_text(value: Any) -> str:
    """Return JSON in one line that can be written as UTF-8."""
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _text(value: Any) -> str:
    """Return a list or mapping as JSON, anything else as Python writes it."""
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)

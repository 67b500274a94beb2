"""Small pieces of HTML for notebooks: all text is escaped, nothing is loaded or scripted."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LONGEST = 60
SHOWN = 10

# Control characters draw nothing, and a lone surrogate cannot leave Python as UTF-8.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Half-transparent grey and inherited text colours suit a light page and a dark one.
_TABLE = "color:inherit;border-collapse:collapse;margin:0.3em 0"
_RULE = "border-bottom:1px solid rgba(128,128,128,0.4);padding:0.2em 0.7em"


class Safe(str):
    """Text that is HTML already: made by this module only."""

    __slots__ = ()


def text(value: object, longest: int = LONGEST) -> Safe:
    """Return a value as escaped text; numbers get six digits, long text is cut."""
    if isinstance(value, Safe):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return Safe("–")
    plain = f"{value:.6g}" if isinstance(value, float) else str(value)
    shown = _UNSHOWN.sub("\ufffd", plain)
    if len(shown) > longest:
        shown = shown[: longest - 1] + "…"
    return Safe(html.escape(shown, quote=True))


def bold(value: object) -> Safe:
    """Return a value in bold."""
    return Safe(f"<b>{text(value)}</b>")


def counts(pairs: Iterable[tuple[object, int]]) -> Safe:
    """Return things in a line, each with its number; long names are cut one by one."""
    return Safe(", ".join(f"<bdi>{text(what)}</bdi> ({number:,})" for what, number in pairs))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Safe:
    """Return a table; numbers are right-aligned."""
    head = "".join(
        f'<th scope="col" style="{_RULE};text-align:left">{text(c)}</th>' for c in columns
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return Safe(
        f'<div style="overflow-x:auto"><table style="{_TABLE}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def first_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]], total: int) -> Safe:
    """Return a table of the rows given, and a line that counts those left out of `total`."""
    shown = list(rows)
    left = total - len(shown)
    more = f"<div>… and {left:,} more</div>" if left > 0 else ""
    return Safe(table(columns, shown) + more)


def facts(pairs: Iterable[tuple[object, object]]) -> Safe:
    """Return a table without a head: what on the left, its value on the right."""
    rows = "".join(
        f'<tr><th scope="row" style="{_RULE};text-align:left;font-weight:normal">{text(what)}</th>'
        f'<td style="{_RULE};text-align:left">{text(value, 4 * LONGEST)}</td></tr>'
        for what, value in pairs
    )
    return Safe(f'<table style="{_TABLE}"><tbody>{rows}</tbody></table>')


def card(title: object, *parts: object) -> str:
    """Return a title and the text below it."""
    below = "".join(text(part, 4 * LONGEST) for part in parts)
    return f"<div><div><strong>{text(title)}</strong></div>{below}</div>"


def parameters(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> Safe:
    """Return the parameters of a model; those that differ from their defaults are bold."""
    rows = []
    for name, value in given.items():
        changed = name not in defaults or not _same(value, defaults[name])
        show = bold if changed else text
        rows.append((show(name), show(repr(value))))
    return facts(rows)


def _cell(value: object) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f'<td style="{_RULE};text-align:{"right" if number else "left"}">{text(value)}</td>'


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; what cannot say so (an array) counts as different."""
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return False

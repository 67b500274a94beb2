"""Pieces of Markdown that all tables share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

NOTHING = "–"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, numbers to the right."""
    lines = [heads, ["---", *("--:" for _ in heads[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(values: Sequence[float]) -> str:
    """Return mean ± sd with three decimals, four for small numbers; a dash for nothing."""
    if not len(values):
        return NOTHING
    mean = float(np.mean(values))
    decimals = 3 if abs(mean) >= 0.1 else 4
    spread = f" ± {np.std(values, ddof=1):.{decimals}f}" if len(values) > 1 else ""
    return f"{mean:.{decimals}f}{spread}"


def difference(values: Sequence[float], sign: str = "") -> str:
    """Return the mean of paired differences ± their sd."""
    spread = f" ± {np.std(values, ddof=1):.4f}" if len(values) > 1 else ""
    return f"{np.mean(values):{sign}.4f}{spread}"

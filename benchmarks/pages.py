"""Tables in pages: what a table looks like, and the marks between which it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def marks(name: str) -> tuple[str, str]:
    """Return what stands around a table in its page."""
    return f"<!-- {name}: python -m benchmarks.told --write -->", f"<!-- end of {name} -->"


def written(page: str, name: str, text: str) -> str:
    """Return a page with a table in its place."""
    begin, end = marks(name)
    before, rest = page.split(begin, 1)
    return f"{before}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}"

"""How a page was made: facts, command, versions, whom to cite; the same for every kind of page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkprior import machine
from linkprior.citation import CITATION

_LONG = 120  # characters of a value


def origins(
    facts: Sequence[Sequence[str]],
    command: str | None = None,
    versions: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the last section of a page; without `versions`, those of this process."""
    known = machine.versions() if versions is None else versions
    return {
        "facts": [list(one) for one in facts],
        "command": command,
        "versions": [[name, str(version)] for name, version in known.items()],
        "citation": CITATION,
    }


def said(value: Any) -> str:
    """Return the value of a parameter in a few words."""
    if value is None:
        return "default"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"

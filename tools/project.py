"""The project's dependencies: as pyproject.toml declares them, and as they are installed here."""

from __future__ import annotations

import importlib.metadata as md
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name as canonical

ROOT = Path(__file__).resolve().parents[1]
NAME = "linkprior"


def declared() -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text)["project"])


def requirements(*extras: str) -> list[str]:
    """Return the default dependencies, and those of extras, as they are declared."""
    project = declared()
    more = project["optional-dependencies"]
    return [*project["dependencies"], *(text for extra in extras for text in more[extra])]


def lowest(requirement: str) -> str:
    """Return `name==version` of the oldest version that a requirement allows."""
    parsed = Requirement(requirement)
    bounds = [spec.version for spec in parsed.specifier if spec.operator in (">=", "~=", "==")]
    if len(bounds) != 1:
        raise ValueError(f"{requirement}: expected one lower bound, such as {parsed.name}>=1.0")
    return f"{parsed.name}=={bounds[0]}"


def installed(wanted: Iterable[str]) -> dict[str, md.Distribution]:
    """Return the installed packages that requirements lead to, by name, in order.

    What is wanted and not installed is left out: see `missing`.
    """
    found: dict[str, md.Distribution] = {}
    waiting = [Requirement(text) for text in wanted]
    seen = set[tuple[str, frozenset[str]]]()
    while waiting:
        one = waiting.pop()
        key = canonical(one.name), frozenset(one.extras)
        distribution = distribution_of(one.name)
        if key in seen or distribution is None:
            continue
        seen.add(key)
        found[key[0]] = distribution
        waiting += needs(distribution, one.extras)
    return dict(sorted(found.items()))


def needs(distribution: md.Distribution, extras: Iterable[str] = ()) -> Iterator[Requirement]:
    """Yield what a package requires here, with some of its extras."""
    for text in distribution.requires or ():
        one = Requirement(text)
        chosen = ["", *extras]
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in chosen):
            yield one


def missing(wanted: Iterable[str]) -> list[str]:
    return [text for text in wanted if distribution_of(Requirement(text).name) is None]


def distribution_of(name: str) -> md.Distribution | None:
    try:
        return md.distribution(name)
    except md.PackageNotFoundError:
        return None

"""A page from its data: style, scripts and data in one file that loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from linkprior import machine
from linkprior.citation import CITATION
from linkprior.io.atomic_files import whole_file

SCRIPTS = ("dom.js", "figures.js", "tables.js", "page.js")

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#content">skip to the content</a>
<main id="content" tabindex="-1"><noscript><p>This page draws itself: please allow scripts for it.
It asks no other host for anything. The numbers themselves are in the files of the folder it was
made from.</p></noscript></main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


@cache
def asset(name: str, package: str = "report") -> str:
    """Return the text of a style or script of a package."""
    path = resources.files(f"linkprior.{package}") / "assets" / name
    return path.read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Return the digest by which a policy allows a style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page_of(data: Mapping[str, Any]) -> str:
    """Return the page that shows this data."""
    # All scripts as one, which leaves no name behind; the page may run it alone, by its digest.
    code = "(() => {\n" + "\n".join(asset(name) for name in SCRIPTS) + "})();\n"
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; "
        f"script-src {digest(code)}; base-uri 'none'; form-action 'none'"
    )
    return _PAGE.format(
        policy=html.escape(policy, quote=True),
        title=html.escape(str(data["title"])),
        style=asset("style.css"),
        data=as_json(data),
        script=code,
    )


def as_json(data: Mapping[str, Any]) -> str:
    """Return data as JSON that can be put inside a script element, whatever names it holds."""
    text = json.dumps(_plain(data), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def write_page(path: str | Path, data: Mapping[str, Any]) -> None:
    """Write the page, whole or not at all."""
    with whole_file(Path(path)) as stream:
        stream.write(page_of(data))


def is_page(path: str | Path) -> bool:
    """Return whether a file begins as our pages do."""
    start = _PAGE.partition("{policy}")[0] + html.escape("default-src 'none'; ", quote=True)
    with Path(path).open(encoding="utf-8", errors="replace") as stream:
        return stream.read(len(start)) == start


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: no NumPy, and null for what is not finite."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


_LONG = 120  # characters of a value


# ---------------------------------------------------------------------- pieces of a page


def section(id: str, nav: str, title: str, **inside: Any) -> dict[str, Any]:
    """Return a section; inside are `words`, `tiles`, `command`, `figures`, `tables`, `choose`."""
    return {"id": id, "nav": nav, "title": title, **inside}


def figure(title: str, note: str, file: str, **drawn: Any) -> dict[str, Any]:
    """Return a figure that is saved as `file`: a chart of `lines`, or another `kind`."""
    kind = {"kind": drawn.pop("kind")} if "kind" in drawn else {}
    return {**kind, "title": title, "note": note, "file": file, **drawn}


def provenance(
    facts: Sequence[Sequence[str]],
    command: str | None = None,
    versions: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the last section of a page; without `versions`, those of this process."""
    used = machine.versions() if versions is None else versions
    return {
        "facts": [list(one) for one in facts],
        "command": command,
        "versions": [[name, str(version)] for name, version in used.items()],
        "citation": CITATION,
    }


def format_value(value: Any) -> str:
    """Return the value of a parameter as short text."""
    if value is None:
        return "default"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"

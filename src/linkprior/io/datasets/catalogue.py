"""The networks linkprior knows by name: where each is kept, its hash, its counts, its licence."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any

from linkprior.errors import InputError, ParameterError, nearest

FORMAT = 1
PACKED = (".gz", ".bz2", ".xz")
NOT_STATED = "not stated"


@dataclasses.dataclass(frozen=True)
class Entry:
    """One network: `sha256` and `bytes` are those of its file when uncompressed.

    `file` is its path in the folder `LINKPRIOR_DATA` names. `url` is pinned to a commit, or None
    when a local copy is the only way; `address` says how the commit was found (see the docs).
    """

    name: str
    title: str
    file: str
    url: str | None
    address: str | None
    sha256: str
    bytes: int
    nodes: int
    edges: int
    licence: str
    source: str
    citation: str | None = None
    note: str | None = None

    @property
    def plain_file(self) -> str:
        """The path with the ending of a packed file taken off."""
        path = PurePosixPath(self.file)
        return str(path.with_suffix("") if path.suffix in PACKED else path)


Catalogue = Mapping[str, Entry]


def read_catalogue(path: str | Path | None = None) -> Catalogue:
    """Return the entries by name, of the catalogue that comes with linkprior or of another file."""
    if path is None:
        where = "catalogue.json"
        text = resources.files("linkprior.io.datasets").joinpath(where).read_text(encoding="utf-8")
    else:
        where = str(path)
        text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{where}: expected a catalogue in JSON, got {problem}") from None
    return _entries(document, where)


def find(name: str, catalogue: Catalogue) -> Entry:
    """Return the entry of that name, or say which names come near."""
    if name not in catalogue:
        raise ParameterError(
            f"No network is called {name!r}.{nearest(name.lower(), catalogue)} "
            "`linkprior data list` shows all names."
        )
    return catalogue[name]


def _entries(document: Any, where: str) -> Catalogue:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{where}: expected a catalogue of format {FORMAT}")
    rows = document.get("networks", [])
    if not isinstance(rows, list):
        raise InputError(f"{where}: expected a list of networks")
    entries: dict[str, Entry] = {}
    for row in rows:
        entry = _entry(row, where)
        if entry.name in entries:
            raise InputError(f"{where}: {entry.name} is there twice; every name must be its own")
        entries[entry.name] = entry
    return entries


def _entry(row: Any, where: str) -> Entry:
    try:
        entry = Entry(**row)
    except TypeError as problem:
        said = str(problem) if str(problem).isprintable() else ascii(str(problem))
        raise InputError(f"{where}: a network is not described as expected: {said}") from None
    named = isinstance(entry.name, str) and entry.name.isprintable()
    if not named or not isinstance(entry.file, str):
        raise InputError(f"{where}: a network needs a name and a file, both of them text")
    _can_be_shown(entry, where)
    if not re.fullmatch(r"[0-9a-f]{64}", str(entry.sha256)):
        raise InputError(f"{where}: {entry.name} needs a sha256 of 64 hexadecimal digits")
    if not isinstance(entry.bytes, int) or entry.bytes < 0:
        raise InputError(f"{where}: {entry.name} needs its uncompressed size in bytes")
    _stays_inside(entry, where)
    return entry


def _can_be_shown(entry: Entry, where: str) -> None:
    """Everything told of a network goes to a terminal, which obeys some control characters."""
    texts = [value for value in vars(entry).values() if isinstance(value, str)]
    if not all(map(str.isprintable, texts)) or not isinstance(entry.url, str | None):
        raise InputError(
            f"{where}: {entry.name} is not described in plain text; take out control characters, "
            "and give its url as text or null"
        )


def _stays_inside(entry: Entry, where: str) -> None:
    """A path is joined to the data folder and to the cache, so it must not lead out of them."""
    if not re.fullmatch(r"[\w.+-]+(/[\w.+-]+)*", entry.file) or ".." in entry.file.split("/"):
        raise InputError(
            f"{where}: {entry.name} has the path {entry.file!r}; expected folders and a file name "
            "of letters, digits, dots and dashes, inside the data folder"
        )

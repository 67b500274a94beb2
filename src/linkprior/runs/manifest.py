"""The manifest of a run folder: what was asked, of what input, by which versions, at what cost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linkprior.errors import StoreError
from linkprior.io.files import whole_file
from linkprior.io.kept import kept_text

MANIFEST = "manifest.json"
FORMAT = "linkprior-run"
FORMAT_VERSION = 1
SCHEMA = Path(__file__).with_name("manifest.schema.json")

Manifest = dict[str, Any]


def read_manifest(folder: Path) -> Manifest | None:
    """Return a folder's manifest, None where there is none; refuse a damaged or foreign one."""
    path = folder / MANIFEST
    try:
        content = json.loads(kept_text(path))
    except FileNotFoundError:
        return None
    except StoreError:
        raise
    except (OSError, ValueError, RecursionError) as problem:
        raise StoreError(f"{path} cannot be read: {problem}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise StoreError(f"{path} is not the manifest of a linkprior run")
    if content.get("format_version") != FORMAT_VERSION:
        raise StoreError(
            f"{folder} has run format {content.get('format_version')!r}, this linkprior reads "
            f"{FORMAT_VERSION}: use the version that wrote it, or run again into a new folder"
        )
    kinds = {"status": str, "request": dict, "input": dict, "files": dict}
    missing = [key for key, kind in kinds.items() if not isinstance(content.get(key), kind)]
    if missing:
        raise StoreError(f"{path} lacks {', '.join(missing)}: run again into a new folder")
    return content


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the manifest whole."""
    with whole_file(folder / MANIFEST) as stream:
        full = {"format": FORMAT, "format_version": FORMAT_VERSION, **content}
        json.dump(full, stream, indent=1)  # in ASCII: a path may hold any byte
        stream.write("\n")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

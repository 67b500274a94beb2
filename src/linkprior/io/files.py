"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def whole_file(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing under a temporary name; rename it when all is written."""
    target = Path(path)
    fresh = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with fresh.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)

"""What browsers send: files, streamed to the disk up to a limit, and small JSON objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkprior.errors import InputError, LinkpriorError

if TYPE_CHECKING:
    from starlette.requests import Request

_MOST_JSON = 1 << 16


class TooLargeError(LinkpriorError):
    """More was sent than is taken."""


async def store(request: Request, path: Path, limit: int) -> None:
    """Write a request's body to a file; more than `limit` bytes are refused, unread if told."""
    what = f"the file is larger than {size_words(limit)}"
    advice = "pack it (gzip), or start the explorer with a larger --upload-limit"
    if _announced(request) > limit:
        raise TooLargeError(f"{what}; {advice}")
    size = 0
    with path.open("wb") as target:
        async for piece in request.stream():
            size += len(piece)
            if size > limit:
                raise TooLargeError(f"{what}; {advice}")
            target.write(piece)
    if not size:
        raise InputError("the file is empty; expected a network, one edge per line")


async def json_object(request: Request) -> dict[str, Any]:
    """Return the JSON object a request holds."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_JSON:
            raise TooLargeError("more text than a form of this page sends")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError("expected a JSON object")
    return found


def size_words(size: float) -> str:
    """Return 200 MB, 1.5 GB."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def _announced(request: Request) -> float:
    """Return the bytes a request says it holds, infinity for more digits than a number has."""
    told = request.headers.get("content-length", "0")
    return float(told) if told.isdecimal() else 0.0

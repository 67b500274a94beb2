"""A file that leads a browser to the explorer.

Everybody on the machine can read the command line of a browser, so the address with its token does
not go there: the browser is handed a file that its owner alone can read, and that names it.
"""

from __future__ import annotations

import html
import os
import tempfile
from pathlib import Path

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>linkprior</title>
</head>
<body><a href="{address}" rel="noreferrer">To the explorer</a></body>
</html>
"""


class Doorway:
    """A file of one's own that leads to an address, until it is removed."""

    def __init__(self, folder: Path | None) -> None:
        """Name the folder it will lie in; one that others can look into is not taken."""
        self._folder = folder if folder is not None and _is_private(folder) else None
        self._path: Path | None = None

    def lead_to(self, address: str) -> str:
        """Write the file, for its owner alone; return what a browser opens."""
        number, name = tempfile.mkstemp(".html", "linkprior-open-", self._folder)  # mode 600
        self._path = Path(name)
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            stream.write(_PAGE.format(address=html.escape(address)))
        return self._path.resolve().as_uri()

    def close(self) -> None:
        """Remove the file."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _is_private(folder: Path) -> bool:
    if os.name != "posix":
        return True  # modes say little there; temporary folders are one's own
    found = folder.stat()
    return found.st_uid == os.geteuid() and not found.st_mode & 0o077

"""Chromium for the scripts that look at pages: found as the tests find it, driven by playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser; without one the script ends with a line that says so."""
    from playwright.sync_api import sync_playwright

    given = os.environ.get("LINKPRIOR_CHROMIUM")
    path = given or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise SystemExit("no Chromium is installed; LINKPRIOR_CHROMIUM may name one")
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield found
        finally:
            found.close()

"""Real networks for the benchmarks, found through LINKPRIOR_DATA (never part of the repository)."""

from __future__ import annotations

import os
from pathlib import Path

from linkprior.experiments.paper import RAT_CUTS, dream5, rat

__all__ = ["RAT_CUTS", "dream5", "folder", "rat"]


def folder() -> Path | None:
    """Return the data folder, or None when LINKPRIOR_DATA is unset."""
    given = os.environ.get("LINKPRIOR_DATA")
    return Path(given) if given else None

"""Real networks for the benchmarks, found through LINKPRIOR_DATA (never part of the repository)."""

from __future__ import annotations

import os
from pathlib import Path

from linkprior.io.read import read_network
from linkprior.network import Network

# The interaction ids at which release 3.2.120 is cut to stand for an older rat release.
RAT_CUTS = {"3.1.94": 723040, "3.2.104": 886195, "3.2.114": 947935}


def folder() -> Path | None:
    """Return the data folder, or None when LINKPRIOR_DATA is unset."""
    given = os.environ.get("LINKPRIOR_DATA")
    return Path(given) if given else None


def dream5(data: Path) -> Network:
    """DREAM5 network 1: 1565 nodes, 3996 edges."""
    return read_network(data / "dream5" / "DREAM5_NetworkInference_Edges_Network1.tsv")


def rat(data: Path, version: str) -> Network:
    """A BioGRID rat release, cut by interaction id out of 3.2.120."""
    path = data / "biogrid-rat" / "rat-edges-first-id-from-3.2.120.tsv"
    rows = (line.split("\t") for line in path.read_text().splitlines() if line[0] != "#")
    return Network.from_edges(
        [(row[0], row[1]) for row in rows if int(row[4]) <= RAT_CUTS[version]]
    )

"""The networks of the paper, from the files that are nearest to its own."""

from __future__ import annotations

import os
from pathlib import Path

from linkprior.errors import InputError
from linkprior.io.read import read_network
from linkprior.network import Network

DREAM5 = Path("dream5/DREAM5_NetworkInference_Edges_Network1.tsv")
PLASMODIUM = Path("biogrid-plasmodium/plasmodium_biogrid_3.2.108_from_multiplex.tsv")
RAT = Path("biogrid-rat/rat-edges-first-id-from-3.2.120.tsv")
# Interaction ids at which release 3.2.120 is cut so that its edges are as many as the paper says.
RAT_CUTS = {"3.1.94": 723040, "3.2.104": 886195, "3.2.114": 947935}


def data_folder(given: str | Path | None) -> Path:
    """Return the folder of data sets: the one given, else LINKPRIOR_DATA."""
    name = given or os.environ.get("LINKPRIOR_DATA")
    if not name:
        raise InputError(
            "where are the data sets? Give --data DIR, or set LINKPRIOR_DATA; expected are "
            f"{DREAM5}, {PLASMODIUM} and {RAT} in it (`linkprior data fetch` gets the first; the "
            "others are derived: `linkprior data fetch biogrid-rat-first-ids` says from what)"
        )
    folder = Path(name)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; --data expects the folder of data sets")
    return folder


def dream5(folder: Path) -> Network:
    """DREAM5 network 1: exactly the paper's 1565 nodes and 3996 edges."""
    return read_network(_there(folder, DREAM5))


def plasmodium(folder: Path) -> Network:
    """BioGRID Plasmodium 3.2.108, recovered: 1200 nodes, 2424 edges (the paper: 1227, 2445)."""
    return read_network(_there(folder, PLASMODIUM))


def rat(folder: Path, version: str) -> Network:
    """A BioGRID rat release, cut by interaction id out of 3.2.120."""
    path, kept = _there(folder, RAT), []
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1):
        if line.startswith("#"):
            continue
        one, other, *_, first_id = [*line.split("\t"), *[""] * 5][:5]
        if not (one and other and first_id.isdecimal() and len(first_id) < 19):
            raise InputError(
                f"{path}:{number}: expected two node ids and, in column 5, the first interaction "
                f"id; got {line[:60]!r}. Get the file again"
            )
        if int(first_id) <= RAT_CUTS[version]:
            kept.append((one, other))
    return Network.from_edges(kept)


def _there(folder: Path, name: Path) -> Path:
    path = folder / name
    if not path.is_file():
        raise InputError(f"{path}: no such file; the experiment needs it under the data folder")
    return path

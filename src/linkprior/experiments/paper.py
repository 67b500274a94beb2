"""The paper's networks, experiments and numbers; networks from the files nearest to its own."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from linkprior.errors import InputError
from linkprior.io.read import read_network
from linkprior.network import Network

DREAM5 = Path("dream5/DREAM5_NetworkInference_Edges_Network1.tsv")
PLASMODIUM = Path("biogrid-plasmodium/plasmodium_biogrid_3.2.108_from_multiplex.tsv")
RAT = Path("biogrid-rat/rat-edges-first-id-from-3.2.120.tsv")
# Interaction ids at which release 3.2.120 is cut so that its edges are as many as the paper says.
RAT_CUTS = {"3.1.94": 723040, "3.2.104": 886195, "3.2.114": 947935}
_log = logging.getLogger("linkprior")
_EXPECTED = (
    f"expected are {DREAM5}, {PLASMODIUM} and {RAT} in it (`linkprior data fetch` gets the first; "
    "the others are derived: `linkprior data fetch biogrid-rat-first-ids` says from what)"
)


def data_folder(given: str | Path | None, expected: str = _EXPECTED) -> Path:
    """Return the folder of data sets: the one given, else LINKPRIOR_DATA."""
    name = given or os.environ.get("LINKPRIOR_DATA")
    if not name:
        raise InputError(
            f"where are the data sets? Give --data DIR, or set LINKPRIOR_DATA; {expected}"
        )
    if not Path(name).is_dir():
        raise InputError(f"{name}: no such folder; --data expects the folder of data sets")
    return Path(name)


def dream5(folder: Path) -> Network:
    """DREAM5 network 1: exactly the paper's 1565 nodes and 3996 edges."""
    return read_network(file_in(folder, DREAM5))


def plasmodium(folder: Path) -> Network:
    """BioGRID Plasmodium 3.2.108, recovered: 1200 nodes, 2424 edges (the paper: 1227, 2445)."""
    return read_network(file_in(folder, PLASMODIUM))


def rat(folder: Path, version: str) -> Network:
    """A BioGRID rat release, cut by interaction id out of 3.2.120."""
    path, kept = file_in(folder, RAT), []
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


def file_in(folder: Path, name: str | Path, user: str = "experiment", remedy: str = "") -> Path:
    """Return the path of a file of the data folder; without the file it is an error."""
    path = folder / name
    if not path.is_file():
        raise InputError(f"{path}: no such file; the {user} needs it under the data folder{remedy}")
    return path


def read_once(name: str, folder: Path, *loads: Callable[[Path], Network] | None) -> Network:
    """Return the first of some networks; all are read, so that what is damaged shows at once."""
    networks = [load(folder) for load in loads if load is not None]
    if any(network.n_edges == 0 for network in networks):
        raise InputError(f"{name}: the data under {folder} hold no edge")
    return networks[0]


# The paper's five, by its own names and in the order of its table, then who belongs in every table.
METHODS = {
    "PU": "pu",
    "Tri": "tri",
    "Tri+Scale": "tri-scale",
    "Tri+L1": "tri-l1",
    "Tri+Degree": "tri-degree",
}
# The paper's method otherwise, with what is set for it: without our changes, and with weights that
# are learned in place of its H, α, c and λ/η.
VARIANTS: dict[str, dict[str, Any]] = {
    "Tri+Degree as printed": {"preset": "paper"},
    "Tri+Degree learned": {"weights": "learned"},
}
OTHERS = {"PA": "pa", "L3": "l3", "auto": "auto"}


def models_by_method() -> dict[str, str]:
    """Return the label of each method: a model's name, or the variant's own."""
    return {**METHODS, **{name: name for name in VARIANTS}, **OTHERS}


@dataclass(frozen=True)
class Condition:
    """One panel of a figure, or one cell of the table."""

    key: str  # names its files
    title: str
    protocol: str  # as `linkprior evaluate --protocol` has it
    load: Callable[[Path], Network]  # from the data folder; of a release, the older one
    newer: Callable[[Path], Network] | None = None
    # What the paper reports at 5 % of all pairs, by method; empty where it has figures only.
    paper: dict[str, float] = field(default_factory=dict)
    size: tuple[int, int] | None = None  # nodes and edges our published results are of

    def check(self, folder: Path) -> None:
        """Read the data once; warn where they are others than those of the published results."""
        network = read_once(self.title, folder, self.load, self.newer)
        if self.size not in (None, (network.n_nodes, network.n_edges)):
            _log.warning(
                "%s: %d nodes and %d edges under %s, where %d and %d were expected; results will "
                "differ from the published ones",
                *(self.title, network.n_nodes, network.n_edges, folder, *(self.size or ())),
            )


@dataclass(frozen=True)
class Experiment:
    """One of the three experiments."""

    name: str
    title: str
    source: str
    conditions: tuple[Condition, ...]


def _sampled(
    load: Callable[[Path], Network], kinds: tuple[str, ...], size: tuple[int, int]
) -> tuple[Condition, ...]:
    names = {"uniform": "uniform sampling", "over": "over-sampling", "under": "under-sampling"}
    return tuple(
        Condition(
            f"{kind}-{rate}", f"{names[kind]}, {rate} %", f"{kind}:{rate / 100:g}", load, size=size
        )
        for rate in (90, 70)
        for kind in kinds
    )


# Table `tbl:multiReleases`, in the order PU, Tri, Tri+Scale, Tri+L1, Tri+Degree.
_TABLE = {
    ("3.1.94", "3.2.104"): (0.3269, 0.3075, 0.2105, 0.3324, 0.39893),
    ("3.1.94", "3.2.114"): (0.2944, 0.3318, 0.1916, 0.3154, 0.4112),
    ("3.2.104", "3.2.114"): (0.2360, 0.2360, 0.3483, 0.3820, 0.5169),
}


_SIZES = {"3.1.94": (1567, 1813), "3.2.104": (2648, 3499)}


def _releases(older: str, newer: str) -> Condition:
    named = f"{older}-to-{newer}", f"{older} → {newer}", f"release:{newer}"
    loads = partial(rat, version=older), partial(rat, version=newer)
    paper = dict(zip(METHODS, _TABLE[older, newer], strict=True))
    return Condition(*named, *loads, paper, _SIZES[older])


EXPERIMENTS = {
    "dream5": Experiment(
        "dream5",
        "Figure 1: DREAM5, simulated gene expression network",
        "DREAM5 network 1, gold standard: 1565 nodes and 3996 edges, exactly the paper's",
        _sampled(dream5, ("uniform", "over", "under"), (1565, 3996)),
    ),
    "plasmodium": Experiment(
        "plasmodium",
        "Figure 2: BioGRID Plasmodium, protein interactions",
        "release 3.2.108, recovered: 1200 nodes, 2424 edges (the paper: 3.3.124, 1227 and 2445)",
        _sampled(plasmodium, ("uniform",), (1200, 2424)),
    ),
    "rat": Experiment(
        "rat",
        "Table 1: BioGRID Rat, edges of later releases",
        "releases cut out of 3.2.120 by interaction id: within seven nodes of the paper's",
        tuple(_releases(*pair) for pair in _TABLE),
    ),
}

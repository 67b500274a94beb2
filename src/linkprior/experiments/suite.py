"""The networks of the benchmark, and the splits they are evaluated on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from linkprior.errors import ParameterError, nearest
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.splits import Split
from linkprior.experiments import paper
from linkprior.io.read import read_network
from linkprior.network import Network

Load = Callable[[Path], Network]

QUICK_NODES = 2500  # networks below this many nodes are in the quick suite
_log = logging.getLogger("linkprior")


@dataclass(frozen=True)
class Case:
    """A network, and the splits it is evaluated on."""

    name: str
    load: Load  # gives the network from the data folder
    protocol: str
    rounds: int  # how many folds, or seeds 0, 1, …
    rule: str = "connected"
    newer: Load | None = None  # gives the newer release
    size: tuple[int, int] = (0, 0)  # nodes and edges of the network the published results are of
    digest: str = ""  # the beginning of its digest

    @property
    def folder(self) -> str:
        """The name as that of a folder."""
        return self.name.replace(" ", "_").replace("%", "pc")

    def split(self, data: Path, number: int) -> tuple[Network, Split]:
        """Return the network and its n-th split: another fold, or another seed."""
        network, newer = self.load(data), self.newer(data) if self.newer else None
        plan = Plan(self.protocol, self.rule, seed=number, newer=newer)
        if self.protocol.startswith("kfold"):
            plan = Plan(self.protocol, self.rule, folds=[number])
        return network, plan.make(network)[0]

    def check(self, data: Path) -> None:
        """Read the data once; warn where they are others than those of the published results."""
        digest = paper.read_once(self.name, data, self.load, self.newer).digest
        if self.digest and not digest.startswith(self.digest):
            _log.warning(
                "%s: the digest of the network under %s is %s, where %s was expected; results will "
                "differ from the published ones",
                *(self.name, data, digest[: len(self.digest)], self.digest),
            )


def _file(name: str) -> Load:
    remedy = " (name the networks you have to do without it)"
    return lambda data: read_network(paper.file_in(data, name, "benchmark", remedy))


def _release(older: str, newer: str, size: tuple[int, int], digest: str) -> Case:
    name = f"rat {older.rpartition('.')[2]}-{newer.rpartition('.')[2]}"
    loads = partial(paper.rat, version=older), partial(paper.rat, version=newer)
    return Case(name, loads[0], "release:newer", 1, "all-nodes", loads[1], size, digest)


def _case(
    name: str, data: Load | str, protocol: str, rounds: int, size: tuple[int, int], digest: str
) -> Case:
    load = _file(data) if isinstance(data, str) else data
    return Case(name, load, protocol, rounds, size=size, digest=digest)


_DREAM5_3 = "dream5/DREAM5_NetworkInference_GoldStandard_Network3.tsv.gz"
_BIOGRID = "biogrid-species/S.cerevisiae.txt"
_TENTH, _FOLDS = "uniform:0.9", "kfold:10"
_DREAM5_1 = (1565, 3996), "40dbbd72f348"
SUITE: tuple[Case, ...] = (
    _case("DREAM5-1 90 %", paper.dream5, _TENTH, 5, *_DREAM5_1),
    _case("DREAM5-1 70 %", paper.dream5, "uniform:0.7", 3, *_DREAM5_1),
    _case("DREAM5-3", _DREAM5_3, _TENTH, 5, (1081, 2055), "33e96f541695"),
    _release("3.1.94", "3.2.104", (1567, 1813), "6386f9ab8678"),
    _release("3.1.94", "3.2.114", (1567, 1813), "6386f9ab8678"),
    _release("3.2.104", "3.2.114", (2648, 3499), "db51d48db114"),
    _case("Plasmodium", paper.plasmodium, _TENTH, 5, (1200, 2424), "5fda7094c58e"),
    _case("yeast", "ppi-challenge2023/Yeast.csv", _FOLDS, 10, (1966, 2705), "82040817ee90"),
    _case("USAir", "lp-classic/USAir.txt", _TENTH, 5, (332, 2126), "3f5459045d1d"),
    _case("Celegans", "lp-classic/Celegans.txt", _TENTH, 5, (297, 2148), "9facc1e06194"),
    _case("PPI", "lp-classic/PPI.txt", _TENTH, 5, (2375, 11693), "5c20c53e883f"),
    # Large networks: three folds of ten, each of which hides more edges than most networks have.
    _case("HI-II-14", "l3-2019/hi-ii-14.txt", _FOLDS, 3, (4224, 13350), "a09deaa7b040"),
    _case("Lit-BM-13", "l3-2019/lit-bm-13.txt", _FOLDS, 3, (5385, 10155), "7ed54edfd11d"),
    _case("BioGRID yeast", _BIOGRID, _FOLDS, 3, (5358, 23618), "2316312c4393"),
    _case("CA-GrQc", "large/CA-GrQc.txt", _FOLDS, 3, (5241, 14484), "46cc2f7c66bf"),
    _case("HuRI", "ppi-challenge2023/HuRI.csv.gz", _FOLDS, 3, (8245, 52068), "32895c893bf3"),
)


def chosen_cases(names: Iterable[str], quick: bool = False) -> list[Case]:
    """Return the networks of these names in the order of the suite; all of them without a name."""
    by_key = {_key(spelling): case for case in SUITE for spelling in (case.name, case.folder)}
    wanted = []
    for name in names:
        if _key(name) not in by_key:
            spelled = [case.name for case in SUITE]
            raise ParameterError(
                f"the benchmark has no network called {name!r}.{nearest(name, spelled)} There are: "
                f"{', '.join(spelled)}"
            )
        wanted.append(by_key[_key(name)].name)
    cases = [case for case in SUITE if not wanted or case.name in wanted]
    return [case for case in cases if not quick or wanted or case.size[0] < QUICK_NODES]


def _key(name: str) -> str:
    return name.casefold().replace(" ", "").replace("_", "")


def data_folder(given: str | Path | None) -> Path:
    """Return the folder of data sets: the one given, else LINKPRIOR_DATA."""
    return paper.data_folder(given, "docs/benchmark.md lists the files the benchmark reads in it")

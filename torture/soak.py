"""A thousand fits in one process: memory, files, threads and processes stay as they were.

Each round reads a network, fits a model, ranks, writes, saves and loads, as a long-lived program
would. After some rounds to warm up, whatever grows with the number of rounds is a leak.
"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import linkprior as lp
from linkprior.io.atomic_files import whole_file
from linkprior.io.writers import write_ranking
from linkprior.predictors.evidence import with_evidence
from linkprior.predictors.registry import MODELS, find
from torture.sandbox import until, write_edges

ROUNDS, WARM = 1000, 150
SLACK_MB = 20.0  # what memory may be apart without being a leak: the allocator keeps some back
CHEAP = [*(name for name in MODELS if name != "auto"), "degree:l3", "consensus:pu"]
_QUICK = {"n_starts": 2, "max_iter": 4, "warmup": 4, "effort": "fast"}
_FORMATS = ("tsv", "csv", "jsonl", "graphml", "cx2", "sif")
_NETWORKS, _COMPILED = 12, 3  # so many, and of these large enough for compiled kernels
_COUNTS = ("files", "threads", "children", "shared", "temporary")


def held() -> dict[str, float]:
    """Return what the process holds now, after all garbage is collected."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    tasks = Path("/proc/self/task").iterdir()
    children = [one for task in tasks for one in (task / "children").read_text().split()]
    temporary = tempfile.gettempdir()
    return {
        "mb": pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        "files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "children": len(children),
        "shared": Path("/proc/self/maps").read_text().count("/dev/shm/"),  # noqa: S108
        "temporary": len(os.listdir(temporary)) if os.path.isdir(temporary) else 0,
        "objects": len(gc.get_objects()),
    }


def rounds(place: Path) -> Iterator[None]:
    """Do one round for each step; models and networks in turn."""
    for number in range(_NETWORKS):
        nodes = 260 if number < _COMPILED else 60 + number
        net = lp.planted_network(n_nodes=nodes, n_groups=4, mean_degree=5, seed=number)
        write_edges(place / f"{number}.tsv", net)
    for number in itertools.count():
        one_round(place, CHEAP[number % len(CHEAP)], number)
        yield


def one_round(place: Path, name: str, number: int) -> None:
    net = lp.read_network(place / f"{number % _NETWORKS}.tsv")
    known = find(name).parameter_names()
    params = {key: value for key, value in _QUICK.items() if key in known}
    model = lp.make(name, **params).fit(net)
    ranking = with_evidence(model, model.predict_edges(40))
    with whole_file(place / "links") as stream:
        write_ranking(stream, ranking, _FORMATS[number % len(_FORMATS)], net)
    folder = place / "model"
    model.save(folder)
    again = lp.load(folder).predict_edges(40)
    assert again.pairs.tobytes() == ranking.pairs.tobytes(), name
    shutil.rmtree(folder)


@dataclass(frozen=True)
class Outcome:
    """What was held after the warm-up and at the end, and the rounds between."""

    before: dict[str, float]
    after: dict[str, float]
    rounds: int

    @property
    def grown(self) -> dict[str, float]:
        return {name: self.after[name] - self.before[name] for name in self.before}

    def defects(self) -> list[str]:
        """Name what grew: counts at all, memory beyond what an allocator keeps back."""
        wrong = [f"soak: {self.grown[k]:+g} {k}" for k in _COUNTS if self.grown[k] > 0]
        if self.grown["mb"] > SLACK_MB:
            wrong.append(f"soak: {self.grown['mb']:+.1f} MB in {self.rounds} rounds")
        if self.grown["objects"] > max(self.rounds, 10):
            wrong.append(f"soak: {self.grown['objects']:+g} objects in {self.rounds} rounds")
        return wrong

    def facts(self) -> dict[str, Any]:
        per_1000 = round(self.grown["mb"] * 1000 / max(1, self.rounds), 2)
        return {**vars(self), "mb_per_1000_fits": per_1000, "defects": self.defects()}


def soak(
    place: Path, n_rounds: int = ROUNDS, warm: int = WARM, end: float = float("inf")
) -> Outcome:
    """Go through the rounds, as many as there is time for, and compare what is held."""
    own = place / "temporary"
    own.mkdir(parents=True)
    outside, tempfile.tempdir = tempfile.tempdir, str(own)
    try:
        work = rounds(place)
        list(itertools.islice(work, warm))
        before = held()
        done = sum(1 for _ in until(end, itertools.islice(work, n_rounds)))
        return Outcome(before, held(), done)
    finally:
        tempfile.tempdir = outside

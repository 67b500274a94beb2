"""The commands that are disturbed, each small enough to be run thousands of times."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

SEED = 3
_FIT = ["--model", "tri-degree", "--set", "n_starts=1", "--set", "max_iter=4", "--set", "warmup=2"]
_PREDICT = ["predict", "edges.tsv", *_FIT, "--top", "20", "-q"]
_TUNE = ["tune", "edges.tsv", "--model", "katz", "--trials", "3", "--inner", "2", "-q"]
_PROCESSES = ["--executor", "processes", "--workers", "2"]
_DATA = ["--data", "data", "-q"]
_EVALUATE = ["evaluate", "edges.tsv", "--models", "cn,l3", "--repeats", "2", "-q"]


@dataclass(frozen=True)
class Job:
    """A command, and the one whose result is there already when it begins."""

    name: str
    argv: list[str]
    before: list[str] | None = None
    workers: int = 1  # units of work at a time


JOBS = {
    job.name: job
    for job in (
        Job("predict file", [*_PREDICT, "-o", "links.tsv"]),
        Job(
            "predict over a file",
            [*_PREDICT, "-o", "links.tsv"],
            [*_PREDICT, "--seed", "5", "-o", "links.tsv"],
        ),
        Job("predict run", [*_PREDICT, "--format", "csv", "-o", "run/"]),
        Job("another run", [*_PREDICT, "--seed", "5", "-o", "run/"]),
        Job(
            "predict over a run",
            [*_PREDICT, "--format", "csv", "-o", "run/", "--force"],
            [*_PREDICT, "--seed", "5", "-o", "run/"],
        ),
        Job("predict report", [*_PREDICT, "-o", "links.tsv", "--report", "page.html"]),
        Job("predict save", [*_PREDICT, "-o", "links.tsv", "--save", "model"]),
        Job(
            "predict save over",
            [*_PREDICT, "-o", "links.tsv", "--save", "model"],
            [*_PREDICT, "--seed", "5", "-o", "links.tsv", "--save", "model"],
        ),
        Job("tune", [*_TUNE, "--study", "study"]),
        Job("tune in processes", [*_TUNE, "--study", "study", *_PROCESSES], workers=2),
        Job("evaluate", [*_EVALUATE, "-o", "judged"]),
        Job(
            "benchmark",
            ["benchmark", "USAir", "--models", "pa,cn", *_DATA, "-o", "bench"],
        ),
        Job("reproduce", ["reproduce", "plasmodium", "--quick", *_DATA, "-o", "paper"]),
        Job("report", ["report", "run", "-q"], [*_PREDICT, "-o", "run/"]),
    )
}


def make_inputs(folder: Path) -> None:
    """Write the networks the commands read."""
    import linkprior as lp
    from linkprior.experiments.paper import PLASMODIUM

    folder.mkdir(parents=True)
    net = lp.planted_network(n_nodes=40, n_groups=4, mean_degree=5, seed=SEED)
    text = "".join(f"{net.names[i]}\t{net.names[j]}\n" for i, j in net.edges)
    (folder / "edges.tsv").write_text(text, encoding="utf-8")
    for name in (PLASMODIUM, Path("lp-classic/USAir.txt")):
        (folder / "data" / name).parent.mkdir(parents=True)
        (folder / "data" / name).write_text(text, encoding="utf-8")


def copied(template: Path, place: Path) -> Path:
    """Return a fresh copy of a folder."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(template, place)
    return place

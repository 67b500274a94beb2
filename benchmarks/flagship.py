"""Is `auto` ahead of every peer, and is its expected yield true? `python -m benchmarks.flagship`

Every network is split several times; every model is fitted to the training edges and judged on the
hidden ones. Each finished cell is a small file under benchmarks/results/flagship, and the next run
goes on from there; remove the files of a model that has changed. `--tables` prints what is there
without fitting anything.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import linkprior as lp
from benchmarks import data, flagship_tables
from benchmarks.adapters import make_adapter
from linkprior.evaluation.judge import judge, plain_numbers
from linkprior.evaluation.protocols import Plan
from linkprior.evaluation.split_files import split_digest
from linkprior.evaluation.splits import Split
from linkprior.io.files import whole_file
from linkprior.network import Network
from linkprior.predictors.auto.auto import Auto
from linkprior.predictors.base import LinkPredictor
from linkprior.reproduction import data as paper

CELLS = Path(__file__).parent / "results" / "flagship"
PEERS = ("pa", "ra", "l3", "l3n", "ch2-l3", "mps", "lrw", "pu", "tri", "tri-degree", "dcsbm")
SLOW = ("rnm",)  # asked on small networks only
SMALL = 3000
LENGTHS = (100, 500)


@dataclass(frozen=True)
class Case:
    """A network, and the splits it is judged on."""

    name: str
    load: Callable[[Path], Network]
    protocol: str
    rounds: int
    rule: str = "connected"
    newer: Callable[[Path], Network] | None = None

    def split(self, folder: Path, number: int) -> Split:
        """Return the n-th split: another fold, or another seed."""
        network = self.load(folder)
        if self.protocol.startswith("kfold"):
            return Plan(self.protocol, self.rule, folds=[number]).make(network)[0]
        newer = self.newer(folder) if self.newer else None
        return Plan(self.protocol, self.rule, seed=number, newer=newer).make(network)[0]


def _file(name: str) -> Callable[[Path], Network]:
    return lambda folder: lp.read_network(folder / name)


def _release(older: str, newer: str) -> Case:
    name = f"rat {older.rsplit('.', maxsplit=1)[-1]}-{newer.rsplit('.', maxsplit=1)[-1]}"
    return Case(
        name,
        lambda folder: paper.rat(folder, older),
        "release:newer",
        1,
        "all-nodes",
        lambda folder: paper.rat(folder, newer),
    )


CASES = (
    Case("DREAM5-1 90 %", paper.dream5, "uniform:0.9", 5),
    Case("DREAM5-1 70 %", paper.dream5, "uniform:0.7", 3),
    Case(
        "DREAM5-3",
        _file("dream5/DREAM5_NetworkInference_GoldStandard_Network3.tsv.gz"),
        "uniform:0.9",
        5,
    ),
    _release("3.1.94", "3.2.104"),
    _release("3.1.94", "3.2.114"),
    _release("3.2.104", "3.2.114"),
    Case("Plasmodium", paper.plasmodium, "uniform:0.9", 5),
    Case("yeast", _file("ppi-challenge2023/Yeast.csv"), "kfold:10", 10),
    Case("USAir", _file("lp-classic/USAir.txt"), "uniform:0.9", 5),
    Case("PPI", _file("lp-classic/PPI.txt"), "uniform:0.9", 5),
    Case("HI-II-14", _file("l3-2019/hi-ii-14.txt"), "kfold:10", 3),
    Case("HuRI", _file("ppi-challenge2023/HuRI.csv.gz"), "kfold:10", 3),
)


def models_for(case: Case, split: Split) -> Iterator[tuple[str, LinkPredictor]]:
    """Yield the models by label: auto, auto without any prior source, and the peers."""
    yield "auto", Auto()
    for name in (*PEERS, *(SLOW if split.train.n_nodes <= SMALL else ())):
        yield name, lp.make(name)
    yield "sklearn-nmf", make_adapter("sklearn-nmf")
    if split.train.n_nodes <= SMALL:
        yield "auto without prior", Auto(prior=False)


def fill(case: Case, number: int, folder: Path) -> None:
    """Judge every model on one split of a case, those whose file is there aside."""
    kept = CELLS / case.name.replace(" ", "_").replace("%", "pc")
    kept.mkdir(parents=True, exist_ok=True)
    split = case.split(folder, number)
    for label, model in models_for(case, split):
        path = kept / f"{number}-{label.replace(' ', '_')}.json"
        if path.exists() and json.loads(path.read_text())["digest"] == split_digest(split):
            continue
        cell = judge(label, model, split)
        facts: dict[str, Any] = {
            "network": case.name,
            "protocol": case.protocol,
            "rule": case.rule,
            "split": number,
            "model": label,
            "digest": split_digest(split),
            "hidden": len(split.hidden),
            "linkprior": lp.__version__,
            "values": plain_numbers(cell.values),
        }
        if label == "auto":
            facts |= {"words": model.words(), "yield": _yield(model, split)}
        with whole_file(path) as stream:
            stream.write(json.dumps(facts, indent=1, sort_keys=True) + "\n")
        print(f"{case.name} {number} {label}: auprc {cell.values['auprc']:.4f}", flush=True)


def _yield(model: LinkPredictor, split: Split) -> list[dict[str, float]]:
    """Return what auto expected of its first links, and what came."""
    ranking = model.predict_edges(max(LENGTHS))
    hidden = set(map(tuple, split.hidden.tolist()))
    hits = np.cumsum([tuple(pair) in hidden for pair in ranking.pairs.tolist()])
    expected, chances = model.expected_hits(ranking.scores), model.probabilities(ranking.scores)
    if expected is None or chances is None:
        return []
    mean, low, high = expected
    return [
        {
            "k": k,
            "hits": int(hits[k - 1]),
            "expected": float(mean[k - 1]),
            "low": float(low[k - 1]),
            "high": float(high[k - 1]),
            "variance": float((chances[:k] * (1 - chances[:k])).sum()),
        }
        for k in LENGTHS
        if k <= len(hits)
    ]


def main() -> None:
    """Fill in what is missing, the first splits of all networks first, then print the tables."""
    folder = data.folder()
    if folder is None:
        print("set LINKPRIOR_DATA to the folder of data sets")
        return
    wanted = [name for name in sys.argv[1:] if not name.startswith("--")]
    if "--tables" not in sys.argv:
        for number in range(max(case.rounds for case in CASES)):
            for case in CASES:
                if number < case.rounds and (not wanted or case.name in wanted):
                    fill(case, number, folder)
    print(flagship_tables.text(flagship_tables.read(CELLS)))


if __name__ == "__main__":
    main()
